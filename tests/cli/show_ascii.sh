make_run small run.roast
LC_ALL=C roast show run.roast --width 80 --only throughput,files,sections,failures
LC_ALL=C roast show run.roast | LC_ALL=C grep -c '[^ -~]'; true

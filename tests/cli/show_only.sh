make_run small run.roast
roast show run.roast --only failures,workers
roast show run.roast --only files,wokers 2>&1; echo "status $?"

make_run small run.roast
roast show run.roast --all --width 100

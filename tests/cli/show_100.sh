make_run small run.roast
roast show run.roast --width 100

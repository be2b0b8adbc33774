make_run small run.roast
COLUMNS=60 roast show run.roast --all

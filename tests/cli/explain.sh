make_run small run.roast
roast explain run.roast --width 80 --what-if
roast explain nothing.roast; echo "status $?"

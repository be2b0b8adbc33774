for ending in failed interrupted empty; do
    make_run $ending $ending.roast
    roast show $ending.roast --only timing
    roast show $ending.roast --json | grep '"outcome"'
done
roast show empty.roast
roast show empty.roast --all

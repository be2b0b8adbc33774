roast --help | head -1
roast help | cmp - <(roast -h)
roast help export
roast help nothing 2>&1; echo "status $?"

roast --help | head -1
roast help | sed -n '/^Commands:/,/^$/p'
roast help | cmp - <(roast -h)
roast help export
roast help nothing 2>&1; echo "status $?"

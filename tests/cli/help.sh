roast --help
roast help export
roast help nothing; echo "status $?"

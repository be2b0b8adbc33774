# An output is complete or not there, and never the run that is being read.
exec 2>&1
make_run small run.roast
cp run.roast copy.roast
roast export run.roast --to json -o run.roast; echo "status $?"
ln -s run.roast link
roast export run.roast --to json -o link; echo "status $?"
cmp run.roast copy.roast && echo "the run is as it was"
mkdir folder
roast export run.roast --to json -o folder; echo "status $?"
roast export run.roast --to json -o none/such.json; echo "status $?"
echo before > kept.json
roast export nothing.roast --to json -o kept.json; echo "status $?"
cat kept.json
ls

# An output is complete or not there, and never the run that is being read.
exec 2>&1
make_run small run.roast
cp run.roast copy.roast
roast export run.roast --to json -o run.roast; echo "status $?"
ln -s run.roast link
roast export run.roast --to json -o link; echo "status $?"
roast report run.roast -o run.roast; echo "status $?"
roast plot run.roast worker_count_timeline --format svg -o run.roast; echo "status $?"
roast compare run.roast copy.roast --html copy.roast; echo "status $?"
cp copy.roast latest.roast
mkdir -p cache/roastcoffea/runs && mv latest.roast cache/roastcoffea/runs/
XDG_CACHE_HOME=$PWD/cache roast export latest --to json -o cache/roastcoffea/runs/latest.roast; echo "status $?"
cmp copy.roast cache/roastcoffea/runs/latest.roast && echo "the latest run is as it was"
mkdir measurement && echo '{"total_events": 5}' > measurement/metrics.json
roast export measurement --to json -o measurement/metrics.json; echo "status $?"
roast report measurement -o measurement/metrics.json; echo "status $?"
roast import measurement -f -o measurement/metrics.json; echo "status $?"
cat measurement/metrics.json
roast report measurement -o measurement/report.html && roast report measurement -o measurement/report.html
cmp run.roast copy.roast && echo "the run is as it was"
mkdir folder
roast export run.roast --to json -o folder; echo "status $?"
roast export run.roast --to json -o none/such.json; echo "status $?"
echo before > kept.json
roast export nothing.roast --to json -o kept.json; echo "status $?"
cat kept.json
ls

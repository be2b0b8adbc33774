# Exports for other programs: whole, to a file or standard output, and never over the run.
exec 2>&1
make_run small run.roast
roast export run.roast --to perfetto -o trace.json && python3 -m json.tool trace.json > /dev/null && echo "a trace"
roast export run.roast --to perfetto | cmp - trace.json && echo "the same on standard output"
grep -c '"cat":"chunk' trace.json
roast export run.roast --to openmetrics | sed -n '1,2p; $p'
roast export run.roast --to openmetrics --only chunks; echo "status $?"
roast export run.roast --to perfetto -o run.roast; echo "status $?"

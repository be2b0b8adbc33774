# Charts: by name, all of them, and what is refused.
exec 2>&1
make_run small run.roast
cp run.roast copy.roast
roast plot --list | head -3
roast plot --list | wc -l
roast plot --list --json | head -5
roast plot run.roast chunk_lanes | head -3
roast plot run.roast chunk_lanes -o lanes.svg && roast plot run.roast chunk_lanes -o - | cmp - lanes.svg && echo "the same"
roast plot run.roast worker_count_timeline -o count.json && head -4 count.json
roast plot run.roast worker_count_timeline --time utc --format json | grep -m1 -A1 '"label": "Time"'
roast plot run.roast --all -o charts && ls charts | wc -l
roast plot run.roast section_shares --size 500x300 | grep -o 'width="[0-9]*" height="[0-9]*" viewBox="[0-9 ]*"'
try() { "$@"; echo "status $?"; }
try roast plot
try roast plot run.roast
try roast plot run.roast chunk_lane
try roast plot run.roast xyzzy
try roast plot run.roast --all
try roast plot run.roast tail --all -o charts
try roast plot run.roast tail -o tail.gif
try roast plot run.roast tail --format gif
try roast plot run.roast tail --size 12
try roast plot run.roast tail --scale none
try roast plot run.roast tail --time noon
try roast plot none.roast tail
try roast plot run.roast tail -o run.roast --format svg
cmp run.roast copy.roast && echo "the run is as it was"

# The runs in the cache folder, or in folders: the newest first, by number, with the numbers that show has of them.
try() { "$@" 2>&1 | sed "s|$PWD|.|"; echo "status ${PIPESTATUS[0]}"; }
cache=.cache/roastcoffea/runs
try roast list
roast list --json
mkdir -p $cache
make_run small $cache/a.roast
make_run failed $cache/b.roast
make_run day $cache/c.roast 1
make_run one $cache/d.roast
head -c 500 $cache/a.roast > $cache/cut.roast
echo "no run" > $cache/notes.txt
minute=10
for run in a b c d cut; do touch -d "2026-11-15 14:$((minute++))" $cache/$run.roast; done
try roast list
try roast list --width 160
try roast list --sort events --width 100
try roast list --sort name --reverse --width 60
try roast list --newest 2
try roast list --sort evnts
try roast list --newest none
# A folder, a measurement within one, and a run by name; what was named and cannot be read is an error.
mkdir -p runs/measured
cp $cache/a.roast runs/measured/run.roast
cp $cache/d.roast runs
touch -d "2026-11-15 14:20" runs/d.roast
touch -d "2026-11-15 14:21" runs/measured
try roast list runs --width 100
roast list @2 b --json | grep -o '[a-z]*\.roast'
try roast list $cache/cut.roast --width 100
try roast list nowhere/runs
# The same numbers as show has.
for kind in interrupted empty instant jumps bare; do make_run $kind runs/$kind.roast; done
roast list runs --json > list.json
"$PYTHON" - << 'END'
import json, subprocess
runs = json.load(open("list.json"))
for run in runs:
    shown = json.loads(subprocess.run(["roast", "show", run["path"], "--json"], capture_output=True, check=True).stdout)
    for name in "elapsed_time_seconds total_events event_rate_elapsed_khz avg_workers peak_workers missing_events".split():
        assert run[name] == shown[name], (run["path"], name, run[name], shown[name])
print(len(runs), "runs with the numbers of show")
END

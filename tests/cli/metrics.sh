roast metrics core_efficiency speedup --width 80
roast metrics "waiting for a CPU core" --width 100
roast metrics "Event rate, per core" --width 100
roast metrics joined late --width 100 | grep -o '^  workers_[a-z]*'
roast metrics "first event" --width 100 | head -4
roast metrics --json | "$PYTHON" -c 'import json, sys; print(all(m["help"] and m["formula"] for m in json.load(sys.stdin)))'

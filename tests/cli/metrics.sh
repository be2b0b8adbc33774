roast metrics core_efficiency speedup --width 80
roast metrics --json | "$PYTHON" -c 'import json, sys; print(all(m["help"] and m["formula"] for m in json.load(sys.stdin)))'

# Names are shown as text: nothing but printable characters and line ends comes out, on stdout and on stderr.
make_run hostile run.roast
roast show run.roast --all --width 100
roast show run.roast --all --width 100 | LC_ALL=C tr -d '\n -~\200-\377' | wc -c
cp run.roast $'bad\033[31m\nname.roast'
roast show $'none\033[31m\nsuch.roast' 2>&1
roast show $'bad\033[31m\nname.roast' --json | "$PYTHON" -c 'import json, sys; print(sorted(json.load(sys.stdin)["per_dataset"]))'
roast export run.roast --to csv --only datasets | cut -d, -f1 | cat -v

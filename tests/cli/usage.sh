# Wrong usage: one line, status 2, and what was meant if that can be guessed.
try() { "$@"; echo "status $?"; }
exec 2>&1
try roast shwo
try roast frobnicate
try roast --frobnicate
try roast show
try roast show a b
try roast show a --onyl chunks
try roast show a --width
try roast show a --width many
try roast show a --json=yes
try roast show a --color sometimes
try roast export a
try roast export a --to xml
try roast export a --to csv
try roast export a --to csv --only chunk
try roast export a --to json --only chunks
try roast import a
try roast metrics nothing_is_called_this
try roast metrics --json --markdown
try roast completion fihs
try roast completion powershell
try roast export a --to jsn
try roast show a --color alwyas
try roast show a --color=
try roast metrics "evnt rate"
try roast help shwo
try roast list --sort evnts
make_run small a.roast; cp a.roast b.roast; try roast gate a.roast b.roast --metric totl_cpu_time

# A full disk or a reader that went away: status 2 and a line, whatever was to be printed.
[ -c /dev/full ] || { echo "there is no /dev/full"; exit 77; }
exec 2>&1
make_run small run.roast
roast --version > /dev/full; echo "status $?"
roast show run.roast > /dev/full; echo "status $?"
roast show run.roast --json > /dev/full; echo "status $?"
roast export run.roast --to csv --only chunks > /dev/full; echo "status $?"
roast export run.roast --to json -o /dev/full; echo "status $?"
roast --version >&-; echo "status $?"
mkfifo pipe
(exec 3< pipe; exec 3<&-; : > gone) &
exec 4> pipe
while [ ! -e gone ]; do :; done
roast show run.roast >&4; echo "status $?"

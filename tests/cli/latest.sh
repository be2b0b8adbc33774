roast show latest 2> err; echo "status $?"; sed "s|$PWD|.|" err
mkdir -p .cache/roastcoffea/runs
make_run failed .cache/roastcoffea/runs/old.roast
make_run small .cache/roastcoffea/runs/new.roast
touch -d '2001-01-01' .cache/roastcoffea/runs/old.roast
roast show latest --all | grep -o -e '^finished' -e '^failed'
touch -d '2031-01-01' .cache/roastcoffea/runs/old.roast
roast show latest --all | grep -o -e '^finished' -e '^failed'
XDG_CACHE_HOME=$PWD/elsewhere roast show latest 2>&1 | sed "s|$PWD|.|"

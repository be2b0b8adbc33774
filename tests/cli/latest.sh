roast show latest; echo "status $?"
mkdir -p .cache/roastcoffea
make_run failed .cache/roastcoffea/old.roast
make_run small .cache/roastcoffea/new.roast
touch -d '2001-01-01' .cache/roastcoffea/old.roast
roast show latest | sed -n 2p
touch -d '2031-01-01' .cache/roastcoffea/old.roast
roast show latest | sed -n 2p
XDG_CACHE_HOME=$PWD/elsewhere roast show latest 2>&1 | sed "s|$PWD|.|"

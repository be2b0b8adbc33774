# A run by number, by its file's name and by its own, and which one is the latest.
cache=.cache/roastcoffea/runs
mkdir -p $cache
try() { "$@" 2>&1 | sed "s|$PWD|.|" | head -1; echo "status ${PIPESTATUS[0]}"; }
ended() { roast show --all "$@" 2> err | grep -o -e '^finished' -e '^failed' -e '^still running' || sed "s|$PWD|.|" err; cat err | sed "s|$PWD|.|"; }
try roast show @1
make_run small $cache/20261115-140000-ttbar.roast
make_run failed $cache/20261116-140000-ttbar.roast
make_run hostile $cache/20261116-150000-wjets.roast
make_run one $cache/20261116-150000.roast
minute=10
for run in $cache/*.roast; do touch -d "2026-11-15 14:$((minute++))" "$run"; done
roast list --width 160 | sed -n 's/ *\(@[0-9]\).* \(2026.*\)/\1 \2/p'
ended @3
try roast show @5
try roast show @0
try roast show @two
echo "- by the front of its file's name, or all of it"
ended 20261115
ended 20261115-140000-ttbar.roast
ended 20261116-150000
try roast show 20261116
echo "- by the front of its own name"
try roast show ttbar_an
try roast show wjets
try roast show wjets.roast
rm $cache/20261116-140000-ttbar.roast
ended ttbar_an
echo "- a file here goes first, and a path is a path"
make_run failed 20261115
ended 20261115
try roast show ./ttbar_an
echo "- the latest has ended"
coproc writer { make_run running $cache/live.roast; }
read -r line <&"${writer[0]}"
touch -d '2031-01-01' $cache/live.roast
ended latest
ended @1
rm $cache/2026*
ended latest
echo >&"${writer[1]}"
wait
ended latest

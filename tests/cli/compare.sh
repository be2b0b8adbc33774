make_run day a.roast 1
make_run day b.roast 12
roast compare a.roast b.roast --width 100
echo
echo "--- a run with itself"
roast compare a.roast a.roast --width 60 | head -15
for day in 2 3 4 5; do make_run day a$day.roast $day; make_run day b$day.roast 1$day; done
echo
echo "--- groups of runs"
roast compare a?.roast -- b?.roast --width 100 --markdown compare.md | sed -n '/What changed/,/equal/p'
sed -n '/What changed/,/equal/p' compare.md
roast compare a.roast b.roast --html page.html > /dev/null && grep -c "<tr>" page.html
echo
echo "--- other chunks, and nothing in common"
make_run small small.roast
make_run empty empty.roast
roast compare a.roast small.roast --width 100 | sed -n '1,/core time/p'
roast compare a.roast empty.roast --width 100
roast compare empty.roast empty.roast --width 100
echo
echo "--- usage"
exec 2>&1
roast compare a.roast; echo "status $?"
roast compare a.roast b.roast a2.roast; echo "status $?"
roast compare a.roast -- b.roast -- a2.roast; echo "status $?"
roast compare a.roast nowhere.roast; echo "status $?"

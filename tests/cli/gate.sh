for day in 1 2 3 4 5; do make_run day a$day.roast $day; make_run day b$day.roast 1$day; done
roast gate a?.roast -- b?.roast --width 100 --markdown gate.md; echo "status $?"
echo; cat gate.md
echo; roast gate b?.roast -- a?.roast --width 100; echo "status $?"
echo; roast gate a1.roast -- b1.roast --width 100; echo "status $?"
echo; roast gate a?.roast -- b?.roast --metric total_cpu_time,chunk_open_seconds_total,peak_memory_bytes --width 100; echo "status $?"
for day in 1 2 3 4 5; do cp a$day.roast c$day.roast; done
echo; roast gate a?.roast -- c?.roast --noise 0.1% --width 100; echo "status $?"
echo; roast gate a?.roast -- a2.roast 2>&1; echo "status $?"
roast gate a1.roast -- a2.roast --noise 3 2>&1; echo "status $?"
echo; roast gate a?.roast -- b?.roast --json | "$PYTHON" -m json.tool --indent 1 | grep -E 'verdict|noise|p"'

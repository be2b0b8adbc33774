for workers in 1 2 4 8 16 32 64; do make_run scaled w$workers.roast $workers; done
roast scale w*.roast --width 120 --cost-per-core-hour 0.04 --cost-per-hour 10
echo
roast scale w1.roast w8.roast --width 60
echo
exec 2>&1
roast scale w1.roast --cost-per-hour 10; echo "status $?"
roast scale w1.roast --cost-per-core-hour cheap; echo "status $?"
make_run empty empty.roast
roast scale w1.roast empty.roast; echo "status $?"
roast scale; echo "status $?"

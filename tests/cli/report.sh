# One page, complete or not there, the same at every call, and never the run that is being read.
exec 2>&1
make_run small run.roast
roast report run.roast; echo "status $?"
roast report run.roast -o page.html > /dev/null
cmp run.html page.html && echo "the same page twice"
roast report run.roast -o - | cmp - page.html && echo "the same page on standard output"
cp run.roast copy.roast
roast report run.roast -o run.roast; echo "status $?"
cmp run.roast copy.roast && echo "the run is as it was"
echo before > kept.html
roast report nothing.roast -o kept.html; echo "status $?"
cat kept.html
roast report run.roast -o none/such.html; echo "status $?"
grep -c 'Content-Security-Policy' page.html
grep -o '<h1>.*</h1>' page.html
grep -oE '(src|href)="[^#d"][^"]*"' page.html || echo "nothing is loaded"
for kind in hostile failed interrupted empty; do
    make_run $kind $kind.roast
    roast report $kind.roast > /dev/null
    sed -n 's/.*<p class="ending">\(.*\)<\/p>/\1/p' $kind.html
done
ls

# One run on one screen, at every width; in ASCII; in the colours that the terminal has.
make_run small run.roast
for width in 60 80 100 160; do
    roast show run.roast --width $width
    echo
done
make_run one one.roast
cp one.roast "with space's.roast"
roast show "with space's.roast" | tail -3
LC_ALL=C roast show run.roast | head -4
LC_ALL=C roast show run.roast | LC_ALL=C grep -c '[^ -~]'
for term in xterm xterm-256color; do
    TERM=$term roast show run.roast --color always | grep -a 'process: CPU\|more' | cat -v
done

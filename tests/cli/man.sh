# The manual page has every command that --help lists, and troff understands it.
roast man > roast.1
diff <(sed -n 's/^\.SS roast \([a-z]*\).*/\1/p' roast.1) <(roast --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p') && echo "all commands"
if command -v groff > /dev/null; then groff -man -ww -z roast.1; fi

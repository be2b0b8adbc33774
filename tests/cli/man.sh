roast man > roast.1
sed -n 's/^\.SS /.SS /p' roast.1
command -v groff > /dev/null && groff -man -ww -z roast.1
true

# Nothing asked for: what there is, on stderr, and status 2.
roast 2> err; status=$?
head -1 err
cmp err <(roast --help) && exit $status

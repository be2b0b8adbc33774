# What is in a ROOT file: by collection, by branch, in JSON, over several files; and what cannot be read.
files=$SOURCE/tests/fuzz/root
roast inspect "$files/tree-zlib.root" --width 80
echo "== branches"
roast inspect "$files/tree-zlib.root" --branches --sort name --width 100
echo "== an RNTuple"
roast inspect "$files/ntuple-zstd.root" --width 80
echo "== several, from a list and a pattern"
printf '%s\n# a comment\n\n' "$files/tree-none.root" | roast inspect --list - "$files/tree-z*.root" --width 80
echo "== picked"
roast inspect "$files/tree-none.root" --pick 60% --width 80
echo "== one cannot be read, the other can"
echo "not a ROOT file" > text.root
cp "$files/tree-none.root" good.root
roast inspect text.root good.root --tree events --filter x --width 80 2>&1
echo "status $?"
echo "== refusals"
for arguments in "" "missing.root" "good.root --tree nope" "good.root --pick 0" "good.root --sort colour" "$HOME" "s3://a/b.root" "no*.root"; do
    roast inspect $arguments 2>&1 | sed "s|$HOME|HOME|g"
    echo "status ${PIPESTATUS[0]}"
done

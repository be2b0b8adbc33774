# Whatever is given as a run: one line that names it, status 2, and the input stays as it was.
try() { roast show "$@" > out 2> err; echo "status $? ($(wc -l < out) lines out, $(wc -l < err) line of error): $(cat err)"; }
: > empty.roast
head -c 4096 /dev/zero | tr '\0' 'r' > bytes.roast
printf 'root\0\0\0\0' > file.root
printf '\x89PNG\r\n\x1a\n' > picture.png
echo '{"a": 1}' > metrics.json
"$PYTHON" -c 'import sqlite3; sqlite3.connect("other.db").execute("create table t (a)")'
mkdir folder
make_run small cut.roast
truncate -s 20000 cut.roast
make_run small newer.roast
printf '\xff' | dd of=newer.roast bs=1 seek=63 conv=notrunc status=none
before=$(cat empty.roast bytes.roast file.root picture.png metrics.json other.db cut.roast newer.roast | cksum)
for input in nothing empty.roast bytes.roast file.root picture.png metrics.json other.db folder newer.roast; do try $input; done
try cut.roast | sed 's/[0-9]* of [0-9]* pages/N of M pages/'
[ "$before" = "$(cat empty.roast bytes.roast file.root picture.png metrics.json other.db cut.roast newer.roast | cksum)" ] && echo "nothing was changed"
ls -A

# Run files are removed, and nothing else; first all of it is looked at.
cache=.cache/roastcoffea/runs
mkdir -p $cache folder
try() { "$@" 2>&1 < /dev/null | sed "s|$PWD|.|"; echo "status ${PIPESTATUS[0]}"; }
make_run small run.roast
make_run small $cache/old.roast
make_run failed $cache/new.roast
touch -d '2001-01-01' $cache/old.roast
make_run small folder/run.roast
echo "mine" > notes.roast
"$PYTHON" -c 'import sqlite3; sqlite3.connect("other.db").execute("create table t (a)")'
ln -s run.roast link.roast
before=$(ls -AR . | cksum)
try roast rm run.roast
try roast rm --yes run.roast folder
try roast rm --yes run.roast notes.roast
try roast rm --yes run.roast other.db
try roast rm --yes run.roast link.roast
try roast rm --yes run.roast nothing
try roast rm --yes run.roast ./run.roast
try roast rm --yes @1 latest
try roast rm
[ "$before" = "$(ls -AR . | cksum)" ] && echo "nothing was removed"
try roast rm --yes run.roast @2
ls $cache
head -c 20000 $cache/new.roast > cut.roast
head -c 500 $cache/new.roast > shorter.roast
try roast rm --yes cut.roast shorter.roast
echo "- one that is being written"
coproc writer { make_run running live.roast 2> /dev/null; }
read -r line <&"${writer[0]}"
try roast rm --yes live.roast
ls live.roast*
try roast rm --yes --force live.roast
ls live.roast* 2> /dev/null
echo >&"${writer[1]}"
wait "$writer_PID" 2> /dev/null
echo "- one whose writer went away"
coproc writer { exec make_run running gone.roast; }
read -r line <&"${writer[0]}"
pid=$writer_PID
disown "$pid"
kill -9 "$pid"
while kill -0 "$pid" 2> /dev/null; do sleep 0.01; done
cp gone.roast elsewhere.roast
cp gone.roast-wal elsewhere.roast-wal
try roast rm --yes gone.roast
ls gone.roast* 2> /dev/null
echo "- one whose writer is on another machine, where nobody here can see it"
"$PYTHON" -c 'import sqlite3
db = sqlite3.connect("elsewhere.roast")
db.execute("update run set value = ? where key = ?", ("elsewhere boot 1 2", "writer_process"))
db.commit()'
try roast rm --yes elsewhere.roast
touch -d '2001-01-01' elsewhere.roast
try roast rm --yes elsewhere.roast
ls *.roast

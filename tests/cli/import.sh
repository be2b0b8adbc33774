exec 2>&1
mkdir old
cat > old/metrics.json << 'JSON'
{"elapsed_time_seconds": 20.0, "total_events": 1000, "total_bytes_read": 5000000, "total_cpu_time": 30.0, "num_chunks": 4}
JSON
echo 100.0,120.0 > old/start_end_time.txt
echo '{"timestamp": "2026-11-15T19:32:05", "elapsed_time_seconds": 20.0, "format": "roastcoffea_measurement_v1"}' > old/metadata.json
before=$(cat old/* | cksum)
roast import old -o new.roast; echo "status $?"
roast show new.roast --only events,timing > new; roast show old --only events,timing | diff - new && echo "the same tables"
grep -e 'events  ' -e 'event rate' -e 'wall time' new
roast import old -o new.roast; echo "status $?"
roast import old -o new.roast --force --name again; echo "status $?"
roast show new.roast --only timing | head -1
roast import nothing -o x.roast; echo "status $?"
roast import new.roast -o x.roast; echo "status $?"
roast import old -o none/x.roast; echo "status $?"
mkdir empty; roast import empty -o x.roast; echo "status $?"
[ "$before" = "$(cat old/* | cksum)" ] && echo "the measurement is as it was"
ls

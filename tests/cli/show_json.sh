make_run small run.roast
roast show run.roast --json > shown.json
roast export run.roast --to json -o exported.json
roast export run.roast --to json -o - | cmp - shown.json && cmp shown.json exported.json && echo "one JSON"
"$PYTHON" - << 'PYTHON'
import json
run = json.load(open("shown.json"))
print(run["name"], run["outcome"], run["total_events"], run["data_rate_gbps"], run["overall_rate_gbps"])
print(run["runtime_vs_events"]["slope"] == run["runtime_vs_events_slope"], run["net_read_bytes"], run["why_absent"]["net_read_bytes"])
print({name: row["num_chunks"] for name, row in run["per_dataset"].items()}, list(run["sections"]))
print(len(run["files"]), len(run["workers"]), run["failures"][0]["error_type"], run["notes"])
PYTHON

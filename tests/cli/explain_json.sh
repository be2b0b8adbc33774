make_run small run.roast
roast explain run.roast --json --what-if > explained.json
roast show run.roast --json > shown.json
"$PYTHON" - << 'PYTHON'
import json
explained, shown = json.load(open("explained.json")), json.load(open("shown.json"))
print(explained["findings"] == shown["findings"], sorted(explained))
print(sorted(explained["findings"][0]))
print(sorted(explained["what_if"]))
whole = sum(worker["cores"] * worker["present_seconds"] for worker in shown["workers"])
print(abs(sum(row["core_seconds"] for row in shown["ledger"].values()) / whole - 1) < 1e-9, list(shown["ledger"]))
print({name: round(row["core_seconds"], 3) for name, row in shown["ledger_per_worker"].items()})
PYTHON

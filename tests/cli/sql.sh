# What the tables say is what SQL written by hand gives.
make_run small run.roast
"$PYTHON" - << 'PYTHON'
import csv, io, sqlite3, subprocess
text = subprocess.run(["roast", "export", "run.roast", "--to", "csv", "--only", "datasets"], capture_output=True, check=True).stdout
rows = {row["dataset"]: row for row in csv.DictReader(io.StringIO(text.decode()))}
query = """select dataset, sum(error_type is null), sum(error_type is not null), sum(events) filter (where error_type is null),
                  sum(duration_s) filter (where error_type is null) from attempts group by 1"""
for dataset, chunks, failed, events, seconds in sqlite3.connect("file:run.roast?immutable=1", uri=True).execute(query):
    row = rows.pop(dataset)
    same = (int(row["num_chunks"]), int(row["failed"]), int(row["total_events"])) == (chunks, failed, events)
    print(dataset, chunks, failed, events, same and abs(float(row["total_duration"]) - seconds) < 1e-9)
print(rows)
found = sqlite3.connect("file:run.roast?immutable=1", uri=True).execute(
    "select dataset, count(*), sum(duration_s) from chunks group by 1").fetchall()
table = list(csv.DictReader(io.StringIO(text.decode())))
print("chunks are those that succeeded:", all(
    any(row["dataset"] == d and int(row["num_chunks"]) == n and abs(float(row["total_duration"]) - s) < 1e-9
        for row in table) for d, n, s in found) and len(found) == len(table))
PYTHON

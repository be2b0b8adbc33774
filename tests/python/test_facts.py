"""What a record means has one answer, whoever is asked: bytes behind branches, hosts of workers."""

from __future__ import annotations

import csv
import json

from roastcoffea import _core, open_run


def test_bytes_that_a_measurement_of_0_1_states_are_those_of_the_chart_the_column_the_record_and_csv(roast, tmp_path):
    folder = tmp_path / "m"
    folder.mkdir()
    stated = [{"t_start": 1794771130, "duration": 4, "dataset": "DY", "num_branches_accessed": 10 + i,
               "accessed_bytes": 1_000_000 * (i + 1), "accessed_uncompressed_bytes": 3_000_000 * (i + 1),
               "branches_read_percent": 2.5, "bytes_read_percent": 12.5 + i} for i in range(3)]
    (folder / "metrics.json").write_text(json.dumps({"total_events": 80, "raw_chunk_metrics": stated}))
    (folder / "start_end_time.txt").write_text("10,18\n")
    (folder / "metadata.json").write_text('{"timestamp": "2026-11-15T19:32:21.602482"}')
    run = open_run(folder)
    records = run.chunk_records()
    rows = list(csv.DictReader(roast("export", folder, "--to", "csv", "--only", "chunks").stdout.splitlines()))
    for name in "num_branches_accessed", "accessed_bytes", "accessed_uncompressed_bytes", "branches_read_percent", \
                "bytes_read_percent":
        expected = [chunk[name] for chunk in stated]
        assert list(run.chunks[name]) == expected, name
        assert [record[name] for record in records] == expected, name
        assert [float(row[name]) for row in rows] == expected, name
    chart = json.loads(run._run.chart(run.summary, "bytes_accessed_per_chunk", "json"))
    assert [series["y"] for series in chart["series"]] == [[1, 2, 3], [3, 6, 9]]
    chart = json.loads(run._run.chart(run.summary, "branch_access_per_chunk", "json"))
    assert [series["y"] for series in chart["series"]] == [[10, 11, 12]]


def test_four_slow_workers_of_one_host_that_nobody_named_are_one_slow_host(tmp_path):
    path, second, start = tmp_path / "run.roast", 1_000_000_000, 1_700_000_000_000_000_000
    with _core.Recorder(path) as r:
        r.fact("t_start_ns", start)
        r.fact("t_end_ns", start + 400 * second)
        for w in range(16):
            address = f"tcp://10.0.0.{w // 4 + 1}:{4000 + w}"
            r.worker({"address": address, "cores": 1, "joined_ns": start, "clock_offset_ns": 0})
            length = 40 if w // 4 == 2 else 10
            for i in range(400 // length):
                entry = 1000 * (100 * w + i)
                r.chunk({"dataset": "d", "file": f"f{(w + i) % 7}", "treename": "t", "entry_start": entry,
                         "entry_stop": entry + 1000, "num_events": 1000, "worker": address, "thread": 1,
                         "t_start_ns": start + i * length * second, "duration_ns": length * second,
                         "cpu_ns": length * second})
    run = open_run(path)
    slow = [f for f in run.explain()["findings"] if f["id"].startswith("slow_")]
    assert len(slow) == 1
    text = json.dumps(slow[0])
    assert "10.0.0.3" in text and not any(f"10.0.0.3:{4000 + w}" in text for w in range(16)), text
    assert {row["host"] for row in run.metrics["workers"]} == {f"10.0.0.{n}" for n in range(1, 5)}
    assert set(run.chunks["host"]) == set(run.workers["host"]) == {f"10.0.0.{n}" for n in range(1, 5)}

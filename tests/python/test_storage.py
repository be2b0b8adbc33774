"""Storage by server: exact against sums that Python makes of the run file, also over two web servers of one host."""

from __future__ import annotations

import collections
import csv
import json
import os
import pathlib
import re
import sqlite3
import subprocess
from urllib.parse import urlsplit

import nano
import numpy as np
import pytest
import range_server
import roastcoffea
from built import program
from coffea import processor
from roastcoffea import MetricsCollector

INSIGHT = pathlib.Path(os.environ.get("ROAST_TEST_DATA", "/nowhere")) / "insight"

COLUMNS = "entry_start, duration_ns, cpu_ns, run_delay_ns, open_ns, bytes_read, read_requests, error_type, error"
ROWS = f"select (select url from file where file.id = chunk.file), {COLUMNS} from chunk order by id"


def server_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "local files"


def expected(path) -> dict[str, dict]:
    """What each server gave, from the rows of the run file alone. A chunk that succeeded twice counts the first time."""
    tally: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    opens, done = collections.defaultdict(list), set()
    with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as run:
        rows = run.execute(ROWS).fetchall()
    for url, start, duration, cpu, delay, opened, size, requests, *error in rows:
        server, failed = server_of(url), any(text is not None for text in error)
        tally[server]["failed"] += failed
        if opened is not None:
            opens[server].append(opened / 1e9)
        if failed or (url, start) in done:
            continue
        done.add((url, start))
        tally[server] += collections.Counter(chunks=1, bytes=size, requests=requests)
        tally[server]["waiting"] += max(duration - cpu - (delay or 0), 0)
    return {
        server: {
            "num_chunks": sums["chunks"],
            "failed": sums["failed"],
            "bytes_read": sums["bytes"],
            "read_rate_mbps": sums["bytes"] / 1e6 / (sums["waiting"] / 1e9),
            "open_seconds_p50": np.percentile(opens[server], 50),
            "open_seconds_p95": np.percentile(opens[server], 95),
            "requests_per_mb": sums["requests"] / (sums["bytes"] / 1e6),
        }
        for server, sums in tally.items()
    }


def by_server(rows: list[dict]) -> dict[str, dict]:
    return {row["server"]: {name: value for name, value in row.items() if name != "server"} for row in rows}


def assert_is_expected(path) -> dict[str, dict]:
    truth, rows = expected(path), by_server(roastcoffea.open_run(path).storage)
    assert rows and set(rows) == set(truth)
    for server, row in rows.items():
        assert row == pytest.approx(truth[server], rel=1e-12)
    return rows


@pytest.mark.parametrize("kind", ["slow_server", "failures", "preemption"])
def test_every_number_is_that_of_the_rows(kind, tmp_path):
    subprocess.run([program("roast-simulate"), kind, "4", tmp_path / "a.roast"], check=True, capture_output=True)
    rows = assert_is_expected(tmp_path / "a.roast")
    assert len(rows) > 1 or kind != "slow_server"
    assert sum(row["failed"] for row in rows.values()) > 0 or kind == "slow_server"


@pytest.mark.skipif(not INSIGHT.is_dir(), reason="ROAST_TEST_DATA has no insight")
@pytest.mark.parametrize("name", ["slow_server-13", "leak-14"])
def test_runs_of_another_simulator_have_the_numbers_of_their_rows(name):
    rows = assert_is_expected(INSIGHT / f"{name}.roast")
    assert sum(row["num_chunks"] for row in rows.values()) == json.loads((INSIGHT / "truth.json").read_text())[name]["chunks"]


def test_all_views_show_the_same_servers(tmp_path, roast):
    run = tmp_path / "a.roast"
    subprocess.run([program("roast-simulate"), "slow_server", "4", run], check=True, capture_output=True)
    servers = set(expected(run))
    assert {row["server"] for row in json.loads(roast("show", run, "--json").stdout)["storage"]} == servers
    table = list(csv.DictReader(roast("export", run, "--to", "csv", "--only", "storage").stdout.splitlines()))
    assert {row["server"] for row in table} == servers
    assert roast("report", run, "-o", tmp_path / "page.html").returncode == 0
    shown = [roast("show", run, "--all", "--width", "160").stdout, roast("show", run, "--only", "storage", "--width", "160").stdout]
    page = (tmp_path / "page.html").read_text()
    assert all(server in page for server in servers)
    for text in shown:  # a terminal says once what all begin and end with
        assert all(re.search(rf"\b{urlsplit(server).hostname.split('.')[0]}\b", text) for server in servers)


@pytest.fixture
def two_sites(tmp_path):
    """The same host twice: the port tells the servers apart."""
    folders = [tmp_path / "one", tmp_path / "two"]
    for seed, folder in enumerate(folders):
        folder.mkdir()
        nano.write_file(folder / "a.root", seed=seed)
    with range_server.serve(folders[0]) as one, range_server.serve(folders[1]) as two:
        yield one.address, two.address


def test_two_web_servers_and_local_files_are_three_servers(two_sites, tmp_path):
    pytest.importorskip("aiohttp", reason="uproot reads over HTTP with it")
    local = nano.write_file(tmp_path / "local.root", seed=3)
    urls = [*(f"{address}/files/a.root" for address in two_sites), str(local)]
    fileset = {"data": {"files": urls, "treename": "Events"}}
    executor = processor.IterativeExecutor(status=False)
    with MetricsCollector(executor, run_file=str(tmp_path / "run.roast")) as collector:
        runner = processor.Runner(executor, schema=nano.Schema, chunksize=100, savemetrics=True)
        runner(fileset, processor_instance=nano.Plain())
    rows = assert_is_expected(collector.run.path)
    assert set(rows) == {*two_sites, "local files"}
    assert all(row["num_chunks"] == 4 and row["bytes_read"] > 0 and row["failed"] == 0 for row in rows.values())
    assert rows == by_server(collector.metrics["storage"])

"""Facts about where a run happened: against what the machine, git and the Runner say themselves."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time

import pytest
from roastcoffea import MetricsCollector, open_run
from roastcoffea import surroundings as here

nano = pytest.importorskip("nano", reason="needs coffea, uproot and awkward", exc_type=ImportError)
processor = pytest.importorskip("coffea.processor")

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import nano
from coffea import processor
from roastcoffea import MetricsCollector

class Analysis(nano.Plain):
    pass

with MetricsCollector(run_file=sys.argv[1]) as collector:
    nano.runner(processor.IterativeExecutor(status=False), chunksize=100)({fileset!r}, Analysis())
"""


def git(folder, *arguments) -> str:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A commit with two files on the branch "tops"."""
    folder = tmp_path / "analysis"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "tops")
    for name in ("cuts.txt", "other.txt"):
        (folder / name).write_text("pt > 30\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def run_script(repository, fileset, out, **environment):
    tests = os.path.dirname(nano.__file__)
    script = repository / "analysis.py"
    if not script.exists():
        script.write_text(SCRIPT.format(tests=tests, fileset=fileset))
    subprocess.run([sys.executable, script, out], check=True, cwd=out.parent, env={**os.environ, **environment}, timeout=120)
    return open_run(out).facts


def test_the_machine_is_what_the_system_says_it_is():
    facts = here.machine()
    assert facts["host"] == platform.node() and facts["cpu_cores"] == os.cpu_count()
    assert facts["kernel"] == f"{platform.system()} {platform.release()}"
    kibibytes = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemTotal:"))
    assert facts["memory_bytes"] == pytest.approx(kibibytes * 1024, rel=0.001)
    names = {line.partition(":")[2].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")}
    assert facts["cpu"] in {" ".join(name.split()) for name in names} or not names


def test_a_processor_without_a_model_is_its_architecture(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nFeatures\t: fp asimd\n")
    assert here.cpu_model(str(tmp_path / "cpuinfo")) == here.cpu_model("/nowhere") == platform.machine()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"SLURM_JOB_ID": "4711", "SLURM_JWT": "secret"}, ("Slurm", "4711")),
        ({"PBS_JOBID": "12.pbs01"}, ("PBS", "12.pbs01")),
        ({"LSB_JOBID": "9"}, ("LSF", "9")),
        ({"SGE_TASK_ID": "undefined", "JOB_ID": "77"}, ("Grid Engine", "77")),
        ({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, ("Kubernetes", None)),
        ({"_CONDOR_SLOT": "slot1"}, ("HTCondor", None)),
        ({"JOB_ID": "77"}, (None, None)),
        ({"SLURM_JOB_ID": "1; curl http://x/?token=y"}, ("Slurm", None)),
    ],
)
def test_batch_systems_are_known_by_what_they_set_and_nothing_but_the_number_is_kept(environment, expected):
    assert here.batch_job(environment) == expected


def test_a_job_of_condor_is_named_by_its_own_description(tmp_path):
    ad = tmp_path / ".job.ad"
    ad.write_text('Owner = "me"\nClusterId = 812\nProcId = 3\nEnvironment = "TOKEN=abc"\n')
    assert here.batch_job({"_CONDOR_JOB_AD": str(ad)}) == ("HTCondor", "812.3")
    assert here.batch_job({"_CONDOR_JOB_AD": str(tmp_path / "gone")}) == ("HTCondor", None)


def test_the_site_is_what_those_who_run_the_job_call_it():
    assert here.site_named({"GLIDEIN_CMSSite": "T2_DE_DESY", "OSG_SITE_NAME": "x"}) == "T2_DE_DESY"
    assert here.site_named({"OSG_SITE_NAME": "BNL"}) == "BNL"
    assert here.site_named({"GLIDEIN_CMSSite": "a b\n<script>"}) is None is here.site_named({})


def test_a_clean_commit_is_told_with_its_branch(repository):
    facts = here.git_state(repository, repository / "cuts.txt")
    assert facts == {"git_commit": git(repository, "rev-parse", "HEAD"), "git_branch": "tops", "git_changes": 0}


def test_what_differs_from_the_commit_is_counted_and_the_repository_stays_as_it_is(repository):
    (repository / "cuts.txt").write_text("pt > 20\n")
    (repository / "other.txt").unlink()
    (repository / "new.py").write_text("")
    index = (repository / ".git/index").read_bytes()
    (repository / "sub").mkdir()
    facts = here.git_state(repository / "sub", repository / "new.py")
    assert facts["git_commit"] == git(repository, "rev-parse", "HEAD")
    assert facts["git_changes"] == 2 and facts["git_untracked"] == "yes"
    assert (repository / ".git/index").read_bytes() == index


def test_a_repository_that_git_is_told_of_elsewhere_is_not_that_of_the_analysis(repository, tmp_path, monkeypatch):
    expected = here.git_state(repository, None)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert here.git_state(repository, None) == expected and "git_commit" in expected


def test_the_commit_does_not_wait_for_the_name_of_the_site(monkeypatch):
    told = []
    monkeypatch.setattr(here, "site_named", lambda environment: None)
    monkeypatch.setattr(here, "_git_of_analysis", lambda processor: {"git_commit": "abc"})
    monkeypatch.setattr(here, "_domain", lambda: told.append("asked") or "example.org")
    looking = here.Surroundings(lambda key, value: told.append((key, value)))
    looking.look(None)
    looking.wait(60)
    assert told == [("git_commit", "abc"), "asked", ("site", "example.org")]


def test_why_there_is_no_commit_is_said(repository, tmp_path, monkeypatch):
    assert "no git repository" in here.git_state(tmp_path, None)["no_git"]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert here.git_state(repository, None) == {"no_git": "git is not installed"}
    (tmp_path / "git").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    start = time.monotonic()
    assert "longer than" in here.git_state(repository, None, seconds=0.2)["no_git"]
    assert time.monotonic() - start < 10
    (tmp_path / "git").write_text("#!/bin/sh\necho 'fatal: dubious ownership' >&2\nexit 128\n")
    assert here.git_state(repository, None)["no_git"] == "git says: fatal: dubious ownership"


def test_a_run_tells_the_commit_of_the_script_that_made_it(repository, fileset, tmp_path, roast):
    facts = run_script(repository, fileset, tmp_path / "a.roast", SLURM_JOB_ID="4711", GLIDEIN_CMSSite="T2_DE_DESY")
    commit = git(repository, "rev-parse", "HEAD")
    assert (facts["git_commit"], facts["git_branch"], facts["git_changes"]) == (commit, "tops", "0")
    assert facts["git_untracked"] == "yes"
    assert (facts["batch_system"], facts["batch_job"], facts["site"]) == ("Slurm", "4711", "T2_DE_DESY")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    (repository / "cuts.txt").write_text("pt > 20\n")
    second = run_script(repository, fileset, tmp_path / "b.roast")
    assert second["git_commit"] == git(repository, "rev-parse", "HEAD") != commit
    assert second["git_changes"] == "1" and "git_untracked" not in second
    shown = roast("show", tmp_path / "b.roast", "--only", "facts").stdout
    assert f"{second['git_commit'][:12]}, branch tops, 1 file changed since" in " ".join(shown.split())
    compared = open_run(tmp_path / "a.roast").compare(tmp_path / "b.roast")
    differs = {row["setting"]: (row["a"], row["b"]) for row in compared["settings"]}
    assert differs["git_commit"] == (commit, second["git_commit"]) and differs["git_changes"] == ("0", "1")
    assert differs["site"][0] == "T2_DE_DESY" and "batch_job" not in differs and "no_git" not in differs
    assert "changed since the commit" in str(compared) and "git_changes" not in str(compared)


def test_a_run_tells_how_its_runner_and_executor_were_set(fileset, tmp_path):
    executor = processor.FuturesExecutor(status=False, workers=2, retries=7, compression=None)
    runner = nano.runner(executor, chunksize=150, maxchunks=2, skipbadfiles=(OSError, KeyError), xrootdtimeout=30)
    with MetricsCollector(run_file=tmp_path / "r.roast") as collector:
        runner(fileset, nano.Plain())
    facts = collector.run.facts
    expected = {"executor": "FuturesExecutor", "executor_workers": "2", "retries": "7", "chunksize": "150", "maxchunks": "2",
                "skipbadfiles": "OSError, KeyError", "xrootdtimeout": "30", "align_clusters": "no",
                "schema": runner.schema.__name__, "format": "root"}  # fmt: skip
    assert {key: facts.get(key) for key in expected} == expected
    assert "compression" not in facts  # None: it is not set


def test_what_takes_its_time_is_not_waited_for(fileset, tmp_path, monkeypatch):
    monkeypatch.setattr(here, "_git_of_analysis", lambda processor: time.sleep(30))
    start = time.monotonic()
    with MetricsCollector(run_file=tmp_path / "r.roast") as collector:
        nano.runner(processor.IterativeExecutor(status=False), chunksize=400)(fileset, nano.Plain())
    assert collector.run.outcome == "finished" and time.monotonic() - start < 20


def test_a_failure_to_look_around_is_nobodys_problem(fileset, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(here, "_git_of_analysis", lambda processor: 1 / 0)
    with MetricsCollector(run_file=tmp_path / "r.roast") as collector:
        nano.runner(processor.IterativeExecutor(status=False), chunksize=400)(fileset, nano.Plain())
    assert collector.run.outcome == "finished" and not caplog.records


def test_facts_stand_under_what_they_belong_to(tmp_path, roast):
    from roastcoffea import _core

    with _core.Recorder(str(tmp_path / "r.roast"), name="tops") as recorder:
        for key, value in {"uproot": "5.7.7", "python": "3.11.7", "cpu": "A", "chunksize": 50_000, "coffea": "2026.9.0",
                           "mine": "<b>", "last_chunksize": 1, "git_commit": "0" * 40, "memory_bytes": 8 << 30}.items():
            recorder.fact(key, value)
    (table,) = open_run(tmp_path / "r.roast").summary.tables("facts")
    rows = [(row[0]["text"], row[1]["text"]) for row in table["rows"]]
    assert rows == [("run", "tops"), ("git commit", "0" * 12), ("coffea", "2026.9.0"), ("  chunk size", "50 000 events"),
                    ("CPU", "A"), ("memory", "8.00 GiB"), ("Python", "3.11.7"), ("  uproot", "5.7.7"),
                    ("  roastcoffea", _core.__version__), ("mine", "<b>")]  # fmt: skip
    assert json.loads(roast("show", tmp_path / "r.roast", "--json").stdout)["facts"]["chunksize"] == "50000"


def test_workers_tell_what_they_run_on(cluster, fileset, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as client, MetricsCollector(client, run_file=tmp_path / "r.roast") as collector:
        nano.runner(processor.DaskExecutor(client=client, status=False), chunksize=400)(fileset, nano.Plain())
    said = collector.run.facts["worker_machines"]
    assert said == f"{here.machine_in_words()} (1 host)"
    assert here.cpu_model() in said and f"{os.cpu_count()} core" in said and "GiB" in said

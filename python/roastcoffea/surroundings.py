"""Where a run happens: the machine, the batch system, the site, the state of the analysis in git. Looked at, never changed."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from roastcoffea.guard import counted, logger

__all__ = [
    "Surroundings",
    "batch_job",
    "cpu_model",
    "git_state",
    "machine",
    "machine_in_words",
    "memory_size",
    "runner_settings",
    "site_named",
]

_GIT_SECONDS = 5.0  # beside the run: nobody waits for it but its end, and that for no more than a second

#: What git goes by instead of the folder, as in a hook of another repository.
_OTHER_REPOSITORIES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")

#: What batch systems set in their jobs: which variable names the job, if one does.
_BATCH_SYSTEMS = (
    ("Slurm", "SLURM_JOB_ID", "SLURM_JOB_ID"),
    ("HTCondor", "_CONDOR_JOB_AD", None),
    ("HTCondor", "_CONDOR_SLOT", None),
    ("PBS", "PBS_JOBID", "PBS_JOBID"),
    ("LSF", "LSB_JOBID", "LSB_JOBID"),
    ("Grid Engine", "SGE_TASK_ID", "JOB_ID"),
    ("Kubernetes", "KUBERNETES_SERVICE_HOST", None),
)
#: What names the site, by those who run jobs there: glideinWMS (CMS, OSG), OSG, DIRAC (LHCb, Belle II), PanDA (ATLAS).
_SITES = ("GLIDEIN_CMSSite", "GLIDEIN_Site", "OSG_SITE_NAME", "DIRACSITE", "PANDA_RESOURCE", "SITE_NAME")
#: A name or number as batch systems and sites have them; what looks otherwise is not kept.
_NAME = re.compile(r"[\w.:@#\[\]-]{1,80}")
_NO_DOMAINS = ("localdomain", "local", "localhost", "lan", "home", "internal")


# ---- the machine


def machine() -> dict[str, str | int | None]:
    """Facts about this machine and what it runs under."""
    system, job = batch_job(os.environ)
    return {
        "host": platform.node() or None,
        "cpu": cpu_model(),
        "cpu_cores": os.cpu_count(),
        "cpu_cores_usable": _usable_cores(),
        "memory_bytes": memory_size(),
        "os": _system_name(),
        "kernel": f"{platform.system()} {platform.release()}",
        "batch_system": system,
        "batch_job": job,
        "site": site_named(os.environ),
    }


def cpu_model(cpuinfo: str = "/proc/cpuinfo") -> str | None:
    """What the processor is called; its architecture, if it does not say."""
    with contextlib.suppress(OSError), open(cpuinfo, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Hardware", "cpu model") and value.strip():
                return " ".join(value.split())
    return platform.machine() or None


def memory_size() -> int | None:
    """Bytes of memory of the machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def machine_in_words() -> str:
    """``AMD EPYC 7702 64-Core Processor, 128 cores, 503 GiB``."""
    from roastcoffea import _core

    memory = memory_size()
    parts = [cpu_model(), counted(os.cpu_count() or 0, "core"), memory and _core.shown(memory, "B", "memory")]
    return ", ".join(part for part in parts if part)


def _usable_cores() -> int | None:
    """How many cores this process may use, if it is fewer than there are."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return usable if usable != os.cpu_count() else None


def _system_name() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def batch_job(environment: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The batch system that runs this, and its number of the job; None for what is not known. Nothing else is read."""
    for system, sign, job in _BATCH_SYSTEMS:
        if sign in environment:
            number = environment.get(job) if job else _condor_job(environment.get("_CONDOR_JOB_AD"))
            return system, _kept(number)
    return None, None


def _condor_job(path: str | None) -> str | None:
    """``ClusterId.ProcId`` of the file that describes a job of HTCondor."""
    numbers: dict[str, str] = {}
    with contextlib.suppress(OSError), open(path or os.devnull, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition("=")
            if name.strip() in ("ClusterId", "ProcId"):
                numbers[name.strip()] = value.strip()
    return f"{numbers['ClusterId']}.{numbers['ProcId']}" if len(numbers) == 2 else None


def site_named(environment: Mapping[str, str]) -> str | None:
    """The site, as the environment of a job names it."""
    return next(filter(None, (_kept(environment.get(name)) for name in _SITES)), None)


def _domain() -> str | None:
    """The domain of this machine. Asks the network if the name alone does not tell, which may take its time."""
    domain = (platform.node() if "." in platform.node() else socket.getfqdn()).partition(".")[2].lower()
    return _kept(domain) if domain and domain.rpartition(".")[2] not in _NO_DOMAINS else None


def _kept(name: str | None) -> str | None:
    return name if name and _NAME.fullmatch(name) else None


# ---- the analysis


def git_state(folder: Path, source: Path | None, seconds: float = _GIT_SECONDS) -> dict[str, str | int | None]:
    """Facts about the commit that is checked out there, and what differs from it; ``no_git`` says why there are none.

    Parameters
    ----------
    folder : Path
        Anywhere in a work tree.
    source : Path, optional
        A file whose state counts even if git has never heard of it.
    seconds : float
        How long git may take.
    """
    if not any((place / ".git").exists() for place in (folder, *folder.parents)):
        return {"no_git": "the analysis is in no git repository"}
    try:
        state = _git(folder, seconds, "status", "--porcelain=v2", "--branch", "--untracked-files=no")
        known = source is None or _git(folder, seconds, "ls-files", "--", str(source))
    except FileNotFoundError:
        return {"no_git": "git is not installed"}
    except subprocess.TimeoutExpired:
        return {"no_git": f"git took longer than {seconds:.0f} s"}
    except subprocess.CalledProcessError as error:
        return {"no_git": f"git says: {error.stderr.strip().partition(chr(10))[0]}"}
    lines = state.splitlines()
    about = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# branch."))
    facts: dict[str, str | int | None] = {
        "git_commit": about.get("branch.oid", ""),
        "git_branch": about.get("branch.head", ""),
        "git_changes": sum(not line.startswith("#") for line in lines),
    }
    return facts if known else {**facts, "git_untracked": "yes"}


def _git(folder: Path, seconds: float, *arguments: str) -> str:
    """What a command of git prints that only reads: without locks, fetching, and programs that the repository names."""
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    here = {name: value for name, value in os.environ.items() if name not in _OTHER_REPOSITORIES}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds, check=True,
        env={**here, **quiet},
    )  # fmt: skip
    return done.stdout


def _sources(processor: Any) -> Iterator[Path]:
    """Files in which the analysis may be: that of its processor, then the script that runs."""
    for module in (getattr(processor, "__module__", ""), "__main__"):
        file = getattr(sys.modules.get(module), "__file__", None)
        if file and not {"site-packages", "dist-packages"} & set(Path(file).parts):
            yield Path(file).resolve()


def _git_of_analysis(processor: Any) -> dict[str, str | int | None]:
    facts: dict[str, str | int | None] = {}
    for source in _sources(processor):
        facts = git_state(source.parent, source)
        if "git_commit" in facts:
            return facts
    return facts or git_state(Path.cwd(), None)  # a notebook runs in its folder


# ---- the Runner


_RUNNER = ("chunksize", "maxchunks", "schema", "format", "skipbadfiles", "align_clusters", "dynamic_chunksize", "xrootdtimeout")
#: Of its executor, and what they are called among the facts.
_EXECUTOR = {
    "retries": "retries",
    "workers": "executor_workers",
    "treereduction": "treereduction",
    "compression": "compression",
    "worker_affinity": "worker_affinity",
    "recoverable": "recoverable",
    "merging": "merging",
}


def runner_settings(runner: Any) -> dict[str, str | int]:
    """Facts about how a Runner was set, as far as this release of coffea has them."""
    executor = runner.executor
    values = {name: getattr(runner, name, None) for name in _RUNNER}
    values |= {fact: getattr(executor, name, None) for name, fact in _EXECUTOR.items()}
    known = {name: _setting(value) for name, value in values.items() if value is not None}
    return {"executor": type(executor).__name__, **known}


def _setting(value: Any) -> str | int:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ", ".join(str(_setting(each)) for each in value)
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, (int, str)) else getattr(value, "__name__", type(value).__name__)


# ---- what takes its time


class Surroundings:
    """Looks at what may be slow, once, in a thread beside the run.

    Parameters
    ----------
    note : callable
        Gets each fact.
    """

    def __init__(self, note: Callable[[str, str | int | None], None]) -> None:
        self._note = note
        self._thread: threading.Thread | None = None

    def look(self, processor: Any) -> None:
        """Begin, if it has not: the files are to be those that ran, not what they are edited to while it runs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, args=(processor,), name="roastcoffea-surroundings", daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> None:
        """Give it so long to end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _look(self, processor: Any) -> None:
        try:
            for key, value in _git_of_analysis(processor).items():
                self._note(key, value)
            if site_named(os.environ) is None:
                self._note("site", _domain())  # last: a network that does not answer takes nothing else away
        except Exception:  # a fact less: nobody's run is worse for it
            logger.debug("the surroundings of the run", exc_info=True)

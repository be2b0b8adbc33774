"""Bringing this package to a process of a cluster that may not have it. Its text travels in our plugins (see ``shipping``).

So it needs nothing but the standard library and Dask, and it never raises: what went wrong is what it returns, in words. What
is installed there in the same version is used; else what was carried is unpacked and goes before it on the path, unless
another release has been loaded by that process already.
"""

import asyncio
import atexit
import ctypes
import importlib
import importlib.metadata
import io
import os
import platform
import shutil
import sys
import tempfile
import time
import zipfile
from typing import Any

PACKAGE = "roastcoffea"
#: What our plugins and chunks need.
MODULES = ("_core", "messages", "work", "decorator", "backends._plugins")
PATIENCE = 10.0  # seconds that what was carried may take to come


def use_installed(wanted: dict[str, Any], carry: bool) -> str:
    """Import what is installed, if it is what we would carry, or nothing is carried. Gives why not, or nothing."""
    if PACKAGE in sys.modules:
        return import_package(wanted)
    version = installed_version()
    if version is None:
        return "roastcoffea is not installed there" + ("" if carry else ", and not carried there (carry=False)")
    if carry and version != wanted["version"]:
        return f"roastcoffea {version} is installed there"
    return import_package(wanted)


def use_carried(wanted: dict[str, Any], cargo: bytes, folder: str | None) -> str:
    """Unpack what was carried, and import it. Gives why that cannot be, or nothing."""
    if PACKAGE in sys.modules:
        return use_installed(wanted, carry=True)
    try:
        place = None
        why = misfit(zipfile.ZipFile(io.BytesIO(cargo)))
        if not why:
            place = unpack(cargo, folder)
            why = load_extension(place) or import_package(wanted)
    except Exception as error:
        why = words(error)
    if why and place:
        sys.path[:] = [entry for entry in sys.path if entry != place]
        shutil.rmtree(place, ignore_errors=True)
    if why and installed_version() and not import_package(wanted):
        return ""  # another release, that speaks as we do
    return why


def words(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def installed_version() -> str | None:
    try:
        return importlib.metadata.version(PACKAGE)
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError):
        return None


def import_package(wanted: dict[str, Any]) -> str:
    """Import all that is needed. What speaks other messages is of no use. Gives what is wrong, or nothing."""
    before = set(sys.modules)
    try:
        for name in MODULES:
            importlib.import_module(f"{PACKAGE}.{name}")
        spoken = sys.modules[f"{PACKAGE}.messages"].VERSION
        if spoken == wanted["messages"]:
            return ""
        why = f"its messages are of version {spoken}, ours of version {wanted['messages']}"
    except Exception as error:
        why = words(error)
    loaded = PACKAGE in before
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == PACKAGE:
            del sys.modules[name]
    what = f"roastcoffea {installed_version() or ''}".strip()
    return f"{what} is {'loaded' if loaded else 'installed'} there, but of no use: {why}"


def misfit(archive: zipfile.ZipFile) -> str:
    """Why what was carried is not for this machine, or nothing."""
    system, machine, python = archive.comment.decode().split()
    here = f"{sys.platform} {platform.machine()}"
    if here == f"{system} {machine}" and sys.version_info >= tuple(map(int, python.split("."))):
        return ""
    there = f"Python {platform.python_version()} on {here}"
    return f"what was carried is for Python {python} or newer on {system} {machine}, and there is {there}"


def unpack(cargo: bytes, folder: str | None) -> str:
    place = tempfile.mkdtemp(prefix="roastcoffea-", dir=folder)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    zipfile.ZipFile(io.BytesIO(cargo)).extractall(place)
    sys.path.insert(0, place)
    importlib.invalidate_caches()
    return place


def load_extension(place: str) -> str:
    """Load the extension, and before it those of its libraries that this machine has not got."""
    package, libraries = os.path.join(place, PACKAGE), os.path.join(place, "libraries")
    core = next(name for name in os.listdir(package) if name.startswith("_core."))
    carried = {name: os.path.join(libraries, name) for name in (os.listdir(libraries) if os.path.isdir(libraries) else ())}
    return load_library(os.path.join(package, core), carried)


def load_library(path: str, carried: dict[str, str]) -> str:
    while True:
        try:
            ctypes.CDLL(path)
            return ""
        except OSError as error:
            missing = next((name for name in carried if str(error).startswith(f"{name}:")), None)
            why = f"what was carried does not load: {error}" if missing is None else load_library(carried.pop(missing), carried)
        if why:
            return why


# ---- on the scheduler


def settle(wanted: dict[str, Any], carry: bool) -> str:
    """Have the package here. Gives why it is not, or nothing."""
    return use_installed(wanted, carry)


def settle_carried(wanted: dict[str, Any], cargo: bytes, key: str, scheduler: Any) -> str:
    """Have the package here from what was carried, which workers that need it get from here."""
    scheduler.task_metadata[key] = cargo
    return use_carried(wanted, cargo, None)


# ---- on a worker


def worker_plugin(text: str, state: dict[str, Any]) -> Any:
    """What a worker gets: a plugin that hands over to ours as soon as that can be imported."""
    from distributed import WorkerPlugin

    class Lander(WorkerPlugin):
        name = state["name"]

        async def setup(self, worker: Any) -> None:
            try:
                why = await self.land(worker)
                if not why and worker.plugins.get(self.name) is self:
                    self.hand_over(worker)
            except Exception as error:
                why = words(error)
            if why and worker.plugins.get(self.name) is self:  # else it said goodbye, and its topic is forgotten
                worker.log_event(self.name, {PACKAGE: b"", "last": False, "unable": why})

        async def land(self, worker: Any) -> str:
            why = use_installed(state["wanted"], state["carry"])
            if not why or not state["carry"]:
                return why
            worker.log_event(self.name, {PACKAGE: b"", "last": False, "wants": "cargo"})
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until and worker.plugins.get(self.name) is self:
                asked = worker.scheduler.get_metadata(keys=[self.name], default=None)
                cargo = await asyncio.wait_for(asked, until - time.monotonic())
                if cargo:
                    return use_carried(state["wanted"], cargo, worker.local_directory)
                await asyncio.sleep(0.05)
            return f"{why}, and what was carried did not come"

        def hand_over(self, worker: Any) -> None:
            probe = importlib.import_module(f"{PACKAGE}.backends._plugins").load_probe(state)
            worker.plugins[self.name] = probe
            probe.setup(worker)

        def teardown(self, worker: Any) -> None:
            worker.log_event(self.name, {PACKAGE: b"", "last": True})

    return Lander()

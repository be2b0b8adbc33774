"""The wheel for everyone and the sdist: what they are called, what is in them, and that they work where nothing is installed.

`make try-wheel` goes further: chroots of other systems.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator

import pytest
from built import ROOT

PROGRAMS = pathlib.Path(sysconfig.get_path("scripts"))
TRIAL = ROOT / "tests" / "installed" / "trial.py"
ROOT_FILES = [
    ROOT / "tests" / "fuzz" / "root" / f"{kind}-{codec}.root"
    for kind in ("tree", "ntuple")
    for codec in ("none", "zlib", "lzma", "lz4", "zstd")
]
NOBODY = 65534
#: What glibc itself consists of, on any machine.
GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}


def run(*command: object, **options) -> str:
    """What a program printed; it has to succeed."""
    options = {"env": os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}} | options
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, ROOT / "scripts" / "wheel", folder)
    (path,) = folder.iterdir()
    return path


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def binaries(unpacked) -> list[pathlib.Path]:
    files = [path for path in unpacked.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    assert sorted(path.name for path in files) == ["_core.abi3.so", "roast"]
    return files


def version_of(python: pathlib.Path | str, *before: str) -> str | None:
    """The version of an interpreter; None if it does not run (a shim of pyenv may stand for nothing)."""
    command = [*before, str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    return done.stdout.strip() if done.returncode == 0 else None


@functools.cache
def pythons() -> dict[str, str]:
    """Versions of Python that are found here, and that of this test, with their interpreters."""
    names = [f"python3.{minor}" for minor in range(11, 15)]
    installed = [path for name in names for path in pathlib.Path.home().glob(f".pyenv/versions/*/bin/{name}")]
    candidates = [sys.executable, *filter(None, map(shutil.which, names)), *map(str, installed)]
    found: dict[str, str] = {}
    for python in candidates:
        version = version_of(python)
        if version:
            found.setdefault(version, python)
    return found


# ---- What it is called, and what is in it


def test_the_wheel_is_for_every_python_since_3_11_and_every_glibc_since_2_28(wheel, unpacked):
    assert re.fullmatch(r"roastcoffea-[0-9.]+-cp311-abi3-manylinux_2_28_x86_64\.whl", wheel.name)
    (information,) = unpacked.glob("*.dist-info")
    assert "\nTag: cp311-abi3-manylinux_2_28_x86_64\n" in (information / "WHEEL").read_text()


def test_the_wheel_is_smaller_than_4_mb(wheel):
    assert wheel.stat().st_size < 4e6


def test_auditwheel_agrees_with_the_tag(wheel):
    said = " ".join(run("auditwheel", "show", wheel).split())
    assert 'is consistent with the following platform tag: "manylinux_2_28_x86_64"' in said


def test_nothing_in_the_wheel_needs_a_library_but_those_of_glibc_2_28(binaries):
    for binary in binaries:
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", binary)))
        assert "libc.so.6" in needed and needed <= GLIBC
        versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "--version-info", binary))
        assert (2, 17) < max((int(major), int(minor)) for major, minor in versions) <= (2, 28)


def test_the_extension_gives_python_one_name(binaries):
    (extension,) = (path for path in binaries if path.suffix == ".so")
    assert run("nm", "--dynamic", "--defined-only", extension).split()[2:] == ["PyInit__core"]


def test_the_extension_keeps_to_the_limited_api_of_3_11(wheel):
    run("abi3audit", "--strict", "--assume-minimum-abi3", "3.11", wheel)


def test_the_licences_of_the_libraries_inside_are_inside(unpacked):
    (information,) = unpacked.glob("*.dist-info")
    named = set(re.findall(r"^License-File: (.*)$", (information / "METADATA").read_text(), re.MULTILINE))
    there = {str(path.relative_to(information / "licenses")) for path in (information / "licenses").rglob("*.*")}
    libraries = "libjansson liblz4 liblzma libmsgpack libsqlite3 libxxhash libzstd zlib1g".split()
    assert there == {f"libraries/{name}.txt" for name in libraries}
    assert named == {"LICENSE"} | there


def test_a_wheel_that_a_newer_python_built_is_named_after_the_oldest(wheel, tmp_path):
    newer = tmp_path / wheel.name.replace("cp311", "cp313").replace("manylinux_2_28", "linux")
    shutil.copy(wheel, tmp_path)
    run(sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag", "cp313", "--platform-tag", "linux_x86_64",
        tmp_path / wheel.name)  # fmt: skip
    assert newer.exists()
    loader = importlib.machinery.SourceFileLoader("build_wheel", str(ROOT / "scripts" / "wheel"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("build_wheel", loader))
    loader.exec_module(script)
    assert script.widen_tag(newer, tmp_path / "widened").name == wheel.name


@pytest.mark.parametrize("version", sorted(pythons()))
def test_none_is_counted_whatever_python_the_extension_is_compiled_with(version, tmp_path):
    headers = run(pythons()[version], "-c", "import sysconfig; print(sysconfig.get_path('include'))").strip()
    if not pathlib.Path(headers, "Python.h").exists():
        pytest.skip(f"the headers of Python {version} are not installed")
    code = tmp_path / "code.c"
    code.write_text('#include "core.h"\nPyObject *the_function(void) { Py_RETURN_NONE; }\n')
    folders = [f"-I{folder}" for folder in (headers, ROOT / "python" / "ext", ROOT / "src", ROOT / "include")]
    expanded = run("cc", "-E", "-DPy_LIMITED_API=0x030b0000", *folders, code).rpartition("the_function")[2]
    assert re.search(r"return _?Py_NewRef", expanded), expanded


# ---- That it works


@pytest.mark.parametrize("version", sorted(pythons()))
def test_the_wheel_works_in_an_empty_environment(wheel, tmp_path, version):
    run("uv", "venv", "--quiet", "--python", pythons()[version], tmp_path / "venv")
    programs = tmp_path / "venv" / "bin"
    run("uv", "pip", "install", "--quiet", "--no-index", "--python", programs / "python", wheel)
    said = run(programs / "python", TRIAL, programs / "roast", *ROOT_FILES, env={"HOME": str(tmp_path)})
    assert f"Python {version}." in said


@pytest.fixture
def open_folder() -> Iterator[pathlib.Path]:
    """A folder that everybody can write to: those of pytest are for one user."""
    with tempfile.TemporaryDirectory(prefix="roastcoffea-") as folder:
        os.chmod(folder, 0o1777)
        yield pathlib.Path(folder)


def test_the_wheel_works_in_a_folder_of_a_user_without_rights(wheel, open_folder):
    for file in (wheel, TRIAL, *ROOT_FILES):
        shutil.copy(file, open_folder)
    somebody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
    candidates = ["/usr/bin/python3", *pythons().values()]
    python = next(path for path in candidates if (version_of(path, *somebody) or "0") in pythons())

    def as_somebody(*command: object) -> str:
        environment = {"HOME": str(open_folder), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(open_folder / "packages")}
        return run(*somebody, *command, cwd=open_folder, env=environment)

    as_somebody(python, "-m", "venv", "venv")
    as_somebody("venv/bin/pip", "install", "--quiet", "--no-index", "--target", "packages", wheel.name)
    assert "a run recorded" in as_somebody(python, TRIAL.name, "packages/bin/roast", *(file.name for file in ROOT_FILES))


# ---- The sdist


def test_the_sdist_builds(tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("an sdist is made of what git has; this tree is not a clone")
    build = [sys.executable, "-m", "build", "--no-isolation"]
    run(*build, "--sdist", "--outdir", tmp_path, ROOT)
    (sdist,) = tmp_path.glob("roastcoffea-*.tar.gz")
    shutil.unpack_archive(sdist, tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    run(*build, "--wheel", "-Csetup-args=-Doptimization=0", "--outdir", tmp_path, source)
    (built,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(built).namelist()
    assert {"roastcoffea/__init__.py", "roastcoffea/_core.abi3.so"} < set(names)
    assert any(name.endswith(".data/scripts/roast") for name in names)

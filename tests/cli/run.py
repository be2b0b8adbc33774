"""Runs the tests of the command and prints TAP: run.py [--update] ROAST MAKE_RUN [NAME...]

A test is NAME.sh with what it must print (NAME.stdout, NAME.stderr if it prints errors) and the status it must end
with (NAME.exit; 0 if there is none). It runs in a folder of its own, in an environment of its own. Status 77 skips
it, with its last line as the reason. --update writes what was printed; look at the difference before you keep it.
"""

import difflib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIP = 77


def environment(folder, roast, make_run):
    """Nothing of the caller's settings changes what is printed."""
    return {
        "PATH": os.pathsep.join([str(roast.parent), str(make_run.parent), os.environ["PATH"]]),
        "HOME": folder,
        "TMPDIR": folder,
        "LC_ALL": "C.UTF-8",
        "PYTHON": sys.executable,
        "SOURCE": str(HERE.parent.parent),
        **{name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ},
    }


def differences(kind, expected, seen):
    if expected == seen:
        return []
    lines = [text.decode("utf-8", "backslashreplace").splitlines() for text in (expected, seen)]
    return list(difflib.unified_diff(*lines, f"expected {kind}", f"printed {kind}", lineterm=""))


def run(script, roast, make_run, update):
    """(status, lines to explain a failure)"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["bash", script], cwd=folder, env=environment(folder, roast, make_run), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120,
        )
    if done.returncode == SKIP:
        return SKIP, done.stdout.decode().splitlines()[-1:]
    seen = {"stdout": done.stdout, "stderr": done.stderr, "exit": b"%d\n" % done.returncode}
    unwritten = {"stdout": b"", "stderr": b"", "exit": b"0\n"}
    problems = []
    for kind, text in seen.items():
        expected = script.with_suffix("." + kind)
        if update:
            expected.unlink(missing_ok=True)
            if text != unwritten[kind]:
                expected.write_bytes(text)
        problems += differences(kind, expected.read_bytes() if expected.exists() else unwritten[kind], text)
    return (1 if problems else 0), problems


def main(arguments):
    update = "--update" in arguments
    roast, make_run, *names = [a for a in arguments if a != "--update"]
    scripts = sorted(HERE.glob("*.sh"))
    if names:
        scripts = [script for script in scripts if script.stem in names]
    print(f"1..{len(scripts)}")
    failed = 0
    for number, script in enumerate(scripts, 1):
        status, lines = run(script, Path(roast).resolve(), Path(make_run).resolve(), update)
        if status == SKIP:
            print(f"ok {number} {script.stem} # SKIP {' '.join(lines)}")
            continue
        failed += status
        print(f"{'not ok' if status else 'ok'} {number} {script.stem}")
        for line in lines:
            print("#", line)
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))

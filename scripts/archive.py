"""One object of all objects of an archive, whose only global names are those that are exported: archive.py OUT IN OBJCOPY CC...

A static library has no other way to keep its names to itself: without this, a program that links it could have no
function of its own called "fail".
"""

import subprocess
import sys
from pathlib import Path


def main(out, archive, objcopy, *compiler):
    whole = Path(out).with_suffix(".o")
    subprocess.run([*compiler, "-r", "-nostdlib", "-o", whole, "-Wl,--whole-archive", archive], check=True)
    subprocess.run([objcopy, "--localize-hidden", whole], check=True)
    Path(out).unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", out, whole], check=True)
    whole.unlink()


main(*sys.argv[1:])

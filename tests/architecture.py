"""Holds the dependency rules of ARCHITECTURE.md by reading the #includes."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A layer may include itself and the layers listed; <roast.h> is below all of them.
MAY_INCLUDE = {
    "base": set(),
    "model": {"base"},
    "probe": {"base", "model"},
    "source": {"base", "model"},
    "run": {"base", "model"},
    "record": {"base", "model", "probe", "source", "run"},
    "analysis": {"base", "model", "run"},
    "view": {"base", "model", "run", "source", "analysis"},
}

PRINTS_OR_EXITS = re.compile(r"(?<![\w.>])(printf|puts|putchar|perror|exit|_exit|abort|getenv|secure_getenv)\s*\(")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)


def violations(path):
    text = path.read_text(encoding="utf-8")
    layer = path.relative_to(ROOT / "src").parts[0]
    for include in OWN_INCLUDE.findall(text):
        target = include.split("/")[0]
        if target in MAY_INCLUDE and target != layer and target not in MAY_INCLUDE[layer]:
            yield f"{layer} must not include {include}"
    if any(include == "Python.h" for include in ANY_INCLUDE.findall(text)):
        yield "only python/ext includes Python.h"
    for call in PRINTS_OR_EXITS.findall(COMMENT_OR_STRING.sub("", text)):
        yield f"the library must not call {call}"


def main():
    sources = sorted((ROOT / "src").rglob("*.[ch]"))
    found = [f"{path.relative_to(ROOT)}: {text}" for path in sources for text in violations(path)]
    print("1..1")
    print(f"{'not ' if found else ''}ok 1 the {len(sources)} files of src/ keep the layers of ARCHITECTURE.md")
    for line in found:
        print("#", line)
    return 1 if found else 0


sys.exit(main())

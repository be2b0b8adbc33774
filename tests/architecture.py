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

PRINTS_OR_EXITS = re.compile(
    r"(?<![\w.>])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror|exit|_exit|abort|(?:secure_)?getenv|(?:un)?setenv|putenv)\s*\("
)
# Analysis and views get a run or a summary and give back memory: they open nothing.
OPENS_FILES = re.compile(r"(?<![\w.>])(f?open(?:at)?|creat|mkstemp|opendir|unlink|rename|socket|connect|popen|system)\s*\(")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)


def violations(path):
    return violations_in(path.relative_to(ROOT / "src").parts[0], path.read_text(encoding="utf-8"))


def violations_in(layer, text):
    for include in OWN_INCLUDE.findall(text):
        target = include.split("/")[0]
        if target in MAY_INCLUDE and target != layer and target not in MAY_INCLUDE[layer]:
            yield f"{layer} must not include {include}"
    if any(include == "Python.h" for include in ANY_INCLUDE.findall(text)):
        yield "only python/ext includes Python.h"
    code = COMMENT_OR_STRING.sub("", text)
    for call in PRINTS_OR_EXITS.findall(code):
        yield f"the library must not call {call}"
    if layer in ("analysis", "view"):
        for call in OPENS_FILES.findall(code):
            yield f"{layer} must not call {call}"


def test_that_violations_are_found():
    """Each of these lines breaks a rule, and must be seen to."""
    bad = {
        "analysis": ['#include "view/table.h"', "#include <Python.h>", 'f = fopen("x", "r");', 'fprintf(stderr, "x");'],
        "base": ['#include "model/metric.h"', 'fputs("x", f);', "exit(1);", 'setenv("A", "b", 1);', "abort();"],
        "view": ['#include "record/recorder.h"', "fd = open(path, 0);", 'printf("x");'],
    }
    good = ["snprintf(text, 3, \"x\");", "buf_puts(b);", "h->call.open(x);", "/* exit(1); */", 'const char *a = "exit(1)";']
    for layer, lines in bad.items():
        for line in lines:
            assert list(violations_in(layer, line)), f"{layer}: {line} is not found"
        for line in good:
            assert not list(violations_in(layer, line)), f"{layer}: {line} is no violation"


def main():
    test_that_violations_are_found()
    sources = sorted((ROOT / "src").rglob("*.[ch]"))
    found = [f"{path.relative_to(ROOT)}: {text}" for path in sources for text in violations(path)]
    print("1..1")
    print(f"{'not ' if found else ''}ok 1 the {len(sources)} files of src/ keep the layers of ARCHITECTURE.md")
    for line in found:
        print("#", line)
    return 1 if found else 0


sys.exit(main())

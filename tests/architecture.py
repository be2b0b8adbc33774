"""Holds the rules of ARCHITECTURE.md by reading the sources: what includes what, names that mean one thing, dead code."""

import re
import sys
from collections import defaultdict
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

# What the command and the extension use of the library beyond <roast.h> and base, and why. A list that may get shorter.
BEYOND_ROAST_H = {
    "tools": {
        "source/root/many.h", "view/inspect.h", "view/html_tables.h", "view/terminal.h",  # inspect: progress, file by file
        "view/json.h", "view/text.h",  # lists of names, and messages that are harmless on a terminal
    },
    "python/ext": {
        "view/columns.h", "view/inspect_columns.h", "view/chunk_list.h", "model/chunk_value.h",  # columns without copies
        "model/record.h", "model/record_secrets.h",  # fields of a dict, by the list of fields
        "model/facts.h",  # whether a chunk failed: only then its dict has an error
        "run/reader.h", "record/load.h", "analysis/statistics.h", "analysis/presence.h",  # what is there for 0.1.x
        "source/legacy/tracking_series.h",
        "probe/chunk.h", "probe/pack.h", "probe/readings.h", "probe/sampler.h", "model/packed.h",  # forks, readings
        "source/root/file_record.h", "view/inspect.h",  # facts for a worker, and columns
        "view/chart.h", "view/table.h", "view/terminal.h", "view/json.h", "view/format.h", "view/card.h",  # the models, as Python objects
    },
}  # fmt: skip

PRINTS_OR_EXITS = re.compile(
    r"(?<![\w.>])(v?f?printf|f?puts|f?putc|putchar|fwrite|perror|exit|_exit|abort|(?:secure_)?getenv|(?:un)?setenv|putenv)\s*\("
)
# Analysis and views get a run or a summary and give back memory: they open nothing.
OPENS_FILES = re.compile(r"(?<![\w.>])(f?open(?:at)?|creat|mkstemp|opendir|unlink|rename|socket|connect|popen|system)\s*\(")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r"""/\*.*?\*/|'(?:\\.|[^'\\])+'|"(?:\\.|[^"\\])*\"""", re.DOTALL)


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


# ---- One name, one thing

# Definitions; "typedef struct run run;" only says that there is one.
TYPE = re.compile(
    r"^(?:typedef )?(?:struct|enum|union) (\w+) \{|^\} (\w+);|^typedef (?!(?:struct|enum|union) (\w+) \3;)[^{;]*?(\w+);",
    re.MULTILINE,
)
# Prototypes, as -Wmissing-prototypes wants them for every function that is not static, and functions of headers.
FUNCTION = re.compile(r"^(?!typedef|#|extern)[a-z][\w \*]*?\b(\w+)\([^;{]*\)[^;{]*(?:;|\n\{)", re.MULTILINE)
WORD = re.compile(r"\w+")


def types_of(text):
    return {name for names in TYPE.findall(text) for name in names if name}


def same_types(texts):
    """Types that two files define."""
    places = defaultdict(set)
    for path, text in texts.items():
        for name in types_of(text):
            places[name].add(path)
    for name, files in sorted(places.items()):
        if len(files) > 1 and name not in NOT_YET:
            yield f"{name} is a type of {' and of '.join(sorted(files))}"


def same_basenames(paths):
    """Files of one name; those of python/ext are named after the type that they bring to Python."""
    places = defaultdict(list)
    for path in paths:
        if not path.startswith("python/"):
            places[path.rpartition("/")[2]].append(path)
    return [f"one name for {' and '.join(found)}" for name, found in places.items() if len(found) > 1]


def unused_functions(texts, exempt):
    """Functions of headers that no other place names: two words in all are a declaration and a definition."""
    words = defaultdict(int)
    for text in texts.values():
        for word in WORD.findall(COMMENT_OR_STRING.sub("", text)):
            words[word] += 1
    for path, text in texts.items():
        if path.endswith(".h") and not path.startswith("include/"):
            inline = set(re.findall(r"^static inline .*?(\w+)\(", text, re.MULTILINE))
            for name in FUNCTION.findall(text):
                if name not in exempt and words[name] <= (1 if name in inline else 2):
                    yield f"{path}: nothing uses {name}"


# Names that mean two things still, and what is not used yet. Must become empty.
NOT_YET = {"field_kind", "record_find", "record_item"}
# What the tests need and nothing else: memory instead of a file, for damaged and for fuzzed ones.
FOR_TESTS = {"root_open_memory"}


def test_that_names_are_found():
    """The rules see what breaks them, and nothing else."""
    twice = {"a.c": "typedef struct point {\n} point;\n", "b.h": "enum point { A };\n", "c.c": "struct pointer;\n"}
    assert list(same_types(twice)) == ["point is a type of a.c and of b.h"]
    assert same_basenames(["src/a/x.c", "src/b/x.c", "src/b/x.h", "python/ext/x.c"]) == ["one name for src/a/x.c and src/b/x.c"]
    header = "int used(int a);\nint dead(int a,\n         int b);\nstatic inline int unasked(void)\n{\n}\n"
    texts = {"src/x.h": header, "src/x.c": "int used(int a)\n{\n}\nint dead(int a)\n{\n} /* dead */\nint x = used(1);"}
    assert list(unused_functions(texts, set())) == ["src/x.h: nothing uses dead", "src/x.h: nothing uses unasked"]


def beyond_roast_h(texts):
    """Parts of the library that the command or the extension include without need."""
    for path, text in texts.items():
        for part, allowed in BEYOND_ROAST_H.items():
            for include in OWN_INCLUDE.findall(text) if path.startswith(part + "/") else ():
                if include.split("/")[0] in MAY_INCLUDE.keys() - {"base"} and include not in allowed:
                    yield f"{path}: {include} is not in BEYOND_ROAST_H"


def main():
    test_that_violations_are_found()
    test_that_names_are_found()
    sources = sorted((ROOT / "src").rglob("*.[ch]"))
    shipped = [path for part in ("include", "src", "tools", "python/ext") for path in sorted((ROOT / part).rglob("*.[chd]*"))]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in shipped if path.is_file()}
    rules = {
        f"the {len(sources)} files of src/ keep the layers of ARCHITECTURE.md": [
            f"{path.relative_to(ROOT)}: {text}" for path in sources for text in violations(path)
        ],
        "the command and the extension use roast.h": list(beyond_roast_h(texts)),
        "a type's name means one thing": list(same_types(texts)),
        "a file's name means one thing": same_basenames(texts),
        "every function is used": list(unused_functions(texts, FOR_TESTS | NOT_YET)),
    }
    print(f"1..{len(rules)}")
    for number, (fact, found) in enumerate(rules.items(), 1):
        print(f"{'not ' if found else ''}ok {number} {fact}")
        for line in found:
            print("#", line)
    return 1 if any(rules.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

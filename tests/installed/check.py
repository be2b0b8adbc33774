"""Installs the library into a folder, builds programs against it as anyone would, and runs them. Prints TAP.

check.py BUILD SOURCE CC... [-- CXX...]
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


class Installed:
    """The library in a folder of its own."""

    def __init__(self, build, source, compilers, folder):
        self.source, self.compilers, self.folder = source, compilers, folder
        run(sys.executable, "-m", "mesonbuild.mesonmain", "install", "-C", build, "--no-rebuild", "--destdir", folder)
        (self.pc,) = folder.rglob("roast.pc")
        (self.header,) = folder.rglob("roast.h")
        self.prefix = self.header.parent.parent
        (self.shared,) = folder.rglob("libroast.so.0")
        (self.archive,) = folder.rglob("libroast.a")

    def flags(self, *options):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.pc.parent)}
        return run("pkg-config", f"--define-variable=prefix={self.prefix}", *options, "roast", env=environment).split()

    def compile(self, program, *flags):
        """Compiles a source file and says where the program is."""
        out = self.folder / f"{program.stem}-{len(flags)}"
        run(*self.compilers[program.suffix], "-Wall", "-Wextra", "-Werror", program, "-o", out, *flags)
        return out

    def run(self, program, *arguments):
        return run(program, *arguments, env={**os.environ, "LD_LIBRARY_PATH": str(self.shared.parent)})


def names(*nm):
    """What nm says is defined: the last word of a line."""
    return {line.split()[-1] for line in run("nm", "--defined-only", *nm).splitlines() if len(line.split()) == 3}


def programs_are_built_from_pkg_config(lib, *options):
    flags = lib.flags("--cflags", "--libs", *options)
    if options:  # the archive itself, with what it needs
        flags = [str(lib.archive) if flag == "-lroast" else flag for flag in flags]
    file = lib.folder / f"run{len(options)}.roast"
    lib.run(lib.compile(lib.source / "examples" / "record.c", *flags), file)
    printed = lib.run(lib.compile(lib.source / "examples" / "read.c", *flags), file)
    assert "a run from C: 10 chunks" in printed, printed
    assert "background: 5000 events" in printed and "signal: 5000 events" in printed, printed
    if ".cc" in lib.compilers:
        assert lib.run(lib.compile(HERE / "names.cc", *flags), file) == "10 a run from C\n"


def test_programs_are_built_against_the_shared_library(lib):
    programs_are_built_from_pkg_config(lib)


def test_programs_are_built_against_the_static_library(lib):
    programs_are_built_from_pkg_config(lib, "--static")


def test_records_of_older_and_newer_programs_are_understood(lib):
    lib.run(lib.compile(HERE / "sizes.c", *lib.flags("--cflags", "--libs")), lib.folder / "sizes.roast")


def test_fields_of_records_stay_where_programs_that_were_compiled_before_have_them(lib):
    if sys.maxsize < 2**32:
        return  # layout.txt is of machines with 64 bits
    now = lib.run(lib.compile(HERE / "layout.c", *lib.flags("--cflags", "--libs"))).splitlines()
    before = (HERE / "layout.txt").read_text().splitlines()
    assert set(before) <= set(now), f"moved: {set(before) - set(now)}"
    assert set(before) == set(now), f"new, to be added to layout.txt: {set(now) - set(before)}"


def test_every_function_does_what_the_header_says(lib):
    root_file = lib.source / "tests" / "fuzz" / "root" / "tree-zstd.root"
    program = lib.compile(HERE / "use.c", *lib.flags("--cflags", "--libs"))
    lib.run(program, lib.folder / "used.roast", root_file)


def test_every_function_is_called_by_one_of_these_programs(lib):
    flags = lib.flags("--cflags", "--libs")
    programs = [*HERE.glob("*.c"), *(lib.source / "examples").glob("*.c")]
    called = {name for program in programs for name in run("nm", "-D", "-u", lib.compile(program, *flags)).split()}
    assert names("-D", lib.shared) <= called, names("-D", lib.shared) - called


def test_the_shared_library_exports_nothing_but_what_begins_with_roast(lib):
    exported = names("-D", lib.shared)
    assert exported and all(name.startswith("roast_") for name in exported), sorted(exported)


def test_the_static_library_has_no_global_name_but_what_the_shared_one_exports(lib):
    assert names("-g", lib.archive) == names("-D", lib.shared)


def test_every_function_of_the_header_is_exported_and_no_other(lib):
    text = run(*lib.compilers[".c"], "-E", "-P", lib.header)
    text = re.sub(r"static inline [^{]*\{[^}]*\}", "", text)
    declared = set(re.findall(r"[\w*] ?(roast_\w+)\(", text))
    assert declared == names("-D", lib.shared), declared ^ names("-D", lib.shared)


def test_the_shared_library_has_a_soname(lib):
    assert "libroast.so.0" in run("readelf", "-d", lib.shared).split("SONAME")[1].splitlines()[0]


def main(build, source, *compilers):
    split = compilers.index("--") if "--" in compilers else len(compilers)
    by_suffix = {".c": compilers[:split], **({".cc": compilers[split + 1 :]} if split < len(compilers) else {})}
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        lib = Installed(build, Path(source), by_suffix, Path(folder))
        for number, (name, test) in enumerate(tests, 1):
            problem = ""
            try:
                test(lib)
            except AssertionError as error:
                problem = "\n".join(f"# {line}" for line in str(error).splitlines())
            failed += bool(problem)
            print(f"{'not ' if problem else ''}ok {number} {name[5:].replace('_', ' ')}\n{problem}".rstrip())
    return 1 if failed else 0


sys.exit(main(*sys.argv[1:]))

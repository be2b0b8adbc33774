"""Lists the files of the Python packages, for meson: modules, stubs and markers."""

from pathlib import Path

here = Path(__file__).parent
for package in sorted(path.parent for path in here.glob("*/__init__.py")):
    for path in sorted(package.rglob("*")):
        if path.suffix in {".py", ".pyi"} or path.name == "py.typed":
            print(path.relative_to(here).as_posix())

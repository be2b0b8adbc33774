# The door for newcomers. Each target installs what it needs (scripts/need, scripts/venv); meson.build builds.
.PHONY: help demo build test compat matrix wheel try-wheel bench sanitize mutants format docs clean
.DEFAULT_GOAL := help

VENV  := .venv/bin
MESON := $(VENV)/meson
export PATH := $(CURDIR)/$(VENV):$(PATH)

help:    ## say what there is to make
	@sed -n 's/^\([a-z-]*\): .*##\(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

build:   ## build the library, the command and the tests in build/
	@scripts/need build test
	@scripts/venv build
	@[ -d build ] || $(MESON) setup build > /dev/null
	@$(MESON) compile -C build | grep -E 'warning|error|FAILED' ; $(MESON) compile -C build > /dev/null

demo:    ## run a coffea analysis on a local Dask cluster, monitored, and look at it
	@scripts/need build
	@scripts/venv build demo package
	@scripts/demo

test: build ## run all tests
	@scripts/venv build test wheel package
	@scripts/promtool > /dev/null
	@$(VENV)/python scripts/run-tests

compat:  ## run the tests of the released roastcoffea 0.1.2 on ours, and say how many pass
	@scripts/need build
	@scripts/venv build test package
	@$(VENV)/python scripts/compat

matrix:  ## run one job with many releases of coffea and Python, with us and without (half an hour), and write docs/releases.md
	@scripts/need build
	@scripts/venv build test package
	@$(VENV)/python scripts/matrix --docs

wheel:   ## build the wheel for everyone in dist/: any Linux with glibc 2.28, Python 3.11 and later
	@scripts/need build
	@scripts/venv build wheel
	@$(VENV)/python scripts/wheel

try-wheel: wheel ## install that wheel in chroots of Debian suites and try it there (as root)
	@scripts/need chroots
	@scripts/try-wheel

bench: build ## measure, side by side with what users have today
	@scripts/need bench
	@scripts/venv build test package
	@$(VENV)/python bench/run.py

sanitize: ## the tests under the address and undefined-behaviour sanitizers, valgrind, and a minute of fuzzing
	@scripts/need build test sanitize
	@scripts/venv build test package
	@scripts/sanitize

mutants: ## break the code on purpose, one change at a time, and show which test notices (an hour)
	@scripts/need build test
	@scripts/venv build test
	@$(VENV)/python tests/mutants/run.py

format:  ## lay out the code: clang-format, and what ruff can repair
	@scripts/venv test
	@git ls-files '*.c' '*.h' | xargs $(VENV)/clang-format -i
	@$(VENV)/ruff check --fix --quiet .

docs: build ## write the pages that are made from the code, and their pictures
	@scripts/need test
	@scripts/venv build test package
	@$(VENV)/python scripts/update-docs
	@$(VENV)/python scripts/screenshots

clean:   ## remove what was built
	rm -rf build build-* dist .venv .tools .matrix .compat demo

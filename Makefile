# `make quickstart` shows what daxlab does; `make test` checks that it does. Each sets up all it needs in .venv, with the
# versions of constraints.txt: by uv where it is found (`make UV= test` does without it), else by pip.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
UV ?= $(shell command -v uv 2>/dev/null)
BIN := .venv/bin
LOCK := constraints.txt
ifeq ($(UV),)
INSTALL := PIP_CONSTRAINT=$(LOCK) PIP_BUILD_CONSTRAINT=$(LOCK) $(BIN)/python -m pip --quiet --disable-pip-version-check install
else
INSTALL := UV_CONSTRAINT=$(LOCK) UV_BUILD_CONSTRAINT=$(LOCK) $(UV) pip install --quiet --python $(BIN)/python
endif

.PHONY: quickstart test test-slow fuzz check-results bench readme docs dist lock clean

quickstart: .venv/ready
	@$(BIN)/python -m daxlab.cli.tour

test: .venv/ready-to-test  # what every change is checked with: minutes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m "not slow and not results"

test-slow: .venv/ready-to-test  # kills, a Ray cluster, a browser, fuzzers
	$(BIN)/pytest -n 2 -m "slow and not results"

fuzz: .venv/ready-to-test  # every case of the fuzzers and kill tests, of which test-slow tries a part
	DAXLAB_FUZZ=all $(BIN)/pytest -n 2 -m fuzz

check-results: .venv/ready-to-test  # the shipped results, and every table that states them
	$(BIN)/pytest -n 2 -m results

bench: .venv/ready
	$(BIN)/python bench/language.py
	$(BIN)/python bench/training.py
	$(BIN)/python bench/card.py
	$(BIN)/python bench/at_once.py

readme: .venv/ready
	$(BIN)/python results/tables.py
	$(BIN)/python results/pictures.py

docs: .venv/ready-for-docs  # the site, in docs/_build/html; the tutorial is run
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "docs/_build/html/index.html"

dist: .venv/ready-to-test  # a wheel and an sdist
	$(BIN)/python -m hatchling build -d dist

lock:  # the newest versions that fit pyproject.toml; the tests say whether they do
	@test -n "$(UV)" || { echo "make lock needs uv: pip install uv" >&2; exit 1; }
	$(UV) pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 --group lock \
		$(addprefix --extra ,train ray inspect docs test) --no-annotate --no-header --no-emit-index-url \
		--output-file $(LOCK) pyproject.toml

.venv/bin/python:
ifeq ($(UV),)
	@test -n "$(PYTHON)" || { echo "daxlab needs Python 3.11 or newer; set PYTHON=/path/to/one." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "Python's venv did not work; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
else
	@$(UV) venv --quiet --seed --python "$(or $(PYTHON),>=3.11)" .venv  # uv fetches a Python where there is none
endif

.venv/ready: pyproject.toml $(LOCK) | .venv/bin/python
	@echo "Setting up daxlab in .venv ..."
	@$(INSTALL) --editable '.[train]'
	@touch $@

.venv/ready-to-test: pyproject.toml $(LOCK) | .venv/bin/python
	@echo "Setting up daxlab and its tests in .venv ..."
	@$(INSTALL) --editable '.[test]'
	@touch $@

.venv/ready-for-docs: pyproject.toml $(LOCK) | .venv/bin/python
	@echo "Setting up daxlab and what builds its site in .venv ..."
	@$(INSTALL) --editable '.[docs]'
	@touch $@

clean:
	rm -rf .venv dist docs/_build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# `make quickstart` shows what daxlab does; `make test` checks that it does. Each sets up all it needs in .venv.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: quickstart test test-slow fuzz check-results bench readme docs clean

quickstart: .venv/ready
	@$(BIN)/python -m daxlab.cli.tour

test: .venv/ready-to-test  # what every change is checked with: minutes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m "not slow and not results"

test-slow: .venv/ready-to-test  # kills, a Ray cluster, a browser, fuzzers
	$(BIN)/pytest -n 2 -m slow

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

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "daxlab needs Python 3.11 or newer; set PYTHON=/path/to/one." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "Python's venv did not work; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

.venv/ready: pyproject.toml | .venv/bin/python
	@echo "Setting up daxlab in .venv ..."
	@$(PIP) install --editable .
	@touch $@

.venv/ready-to-test: pyproject.toml | .venv/bin/python
	@echo "Setting up daxlab and its tests in .venv ..."
	@$(PIP) install --editable '.[test]'
	@touch $@

.venv/ready-for-docs: pyproject.toml | .venv/bin/python
	@echo "Setting up daxlab and what builds its site in .venv ..."
	@$(PIP) install --editable '.[docs]'
	@touch $@

clean:
	rm -rf .venv docs/_build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

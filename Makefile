# Everything happens in .venv beside this file; nothing of yours is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup demo test lint clean

help:  ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

setup: $(STAMP)  ## make the environment

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)  ## replay a bundled session into a temporary memory, show and search it
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh demo/run.sh

test: $(STAMP)  ## run the whole suite
	$(BIN)/python -m pytest -n auto

lint: $(STAMP)  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:  ## remove the environment and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build

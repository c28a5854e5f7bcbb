# Every target makes its own environment in .venv on a fresh machine and then does the whole job.
# The first call installs, later ones start at once; `make clean` forgets the environment.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# 3.11 first: it is the version the limits were measured on.
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3 python3.14; do \
	$$name -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$name && break; done)
DEV_GROUP := import tomllib; print("\n".join(tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"]))
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
KILL_CYCLES ?= 500

.DEFAULT_GOAL := help
.PHONY: help setup demo test journeys check bench mutants kill-cycles format generate clean

help:
	@echo "make demo         a team at work on this machine against a simulated Lark: prints a URL to open"
	@echo "make test         the tests, about 15 minutes (browser tests where a Chromium is found)"
	@echo "make check        format, lint, types, import contracts, generated files, tidy tests"
	@echo "make bench        the measured ratios and their limits, as one table"
	@echo "make mutants      break each rule on purpose and demand that its tests turn red"
	@echo "make journeys     a team's journeys from more seeds, and without a safeguard: what must fail fails"
	@echo "make kill-cycles  kill the daemon under load $(KILL_CYCLES) times; nothing acknowledged may be lost"
	@echo "make generate     write the generated files again (message catalogues, the command line's table)"
	@echo "make format       format the code"
	@echo "make clean        forget the environment and all caches"

setup: $(STAMP)

# The build back end comes with the dev group, so that the project itself is built with pinned tools as well.
$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Frontstage needs Python 3.11 or later with venv and ensurepip (Debian: apt install python3-venv); \
	name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Making the environment in $(VENV): downloading and installing packages takes a minute or more, once ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c '$(DEV_GROUP)' > $(VENV)/dev-requirements.txt
	@$(PIP) --requirement $(VENV)/dev-requirements.txt
	@$(PIP) --no-build-isolation --editable '.[lark,mcp]'
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/frontstage demo engineering

# Side by side, a file at a time, the longest first: the tests of one share what is dear to make. What failed is run once
# more alone and is named by that run: a test that cannot bear a busy machine is told from one that found something, and
# only this fails.
test: $(STAMP)
	@$(BIN)/pytest --numprocesses logical --dist loadfile --no-loadscope-reorder -m "not journeys" || { [ $$? -eq 1 ] && \
	echo "Once more, one by one: what failed while others ran beside it. What fails here is broken." && \
	$(BIN)/pytest -v --maxfail=3 --last-failed --last-failed-no-failures none -m "not journeys"; }

# Most of a journey is waiting for leases to run out, so more of them than there are processors run at once.
journeys: $(STAMP)
	@$(BIN)/pytest --numprocesses 4 -m journeys tests/e2e tests/unit/test_journey_generate.py

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -q -m "not slow" tests/tidy tests/docs tests/unit/test_po_files.py

bench: $(STAMP)
	@$(BIN)/python -m tests.bench

mutants: $(STAMP)
	@$(BIN)/python -m tests.mutants

kill-cycles: $(STAMP)
	@FRONTSTAGE_KILL_CYCLES=$(KILL_CYCLES) $(BIN)/pytest -m kill_cycles tests/faults

format: $(STAMP)
	@$(BIN)/ruff check --fix --select I .
	@$(BIN)/ruff format .

generate: $(STAMP)
	@for source in ledger/text/locale/*/LC_MESSAGES/*.po; do \
		$(BIN)/pybabel --quiet compile --input-file $$source --output-file $${source%.po}.mo; done
	@$(BIN)/python -m daemon.cli.generate
	@$(BIN)/python -m daemon.local.manual_pages
	@$(BIN)/python -m ledger.text.reference > docs/refusals.md

clean:
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .bench .node

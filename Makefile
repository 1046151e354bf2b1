# Two commands matter: `make demo` and `make test`. Both set everything up by themselves.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SIZE ?= small
DATA ?=
MEASURED := tests/unit tests/property tests/contract $(addprefix tests/fault/test_,damage.py carrying.py backups.py mending.py)
CHOSEN := not clis and not browser and not soak and not bench
# Many tests wait, for a process or a clock: one more of them than there are processors.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1)))
SUITE := -n $(WORKERS) --dist worksteal -m "$(CHOSEN)"
# Tests sync thousands of small files: in memory, where the machine has 2 GB to spare there. Empty means the usual place.
MEMORY := $(shell test "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 2000000 2>/dev/null && echo /dev/shm)
# The real agent CLIs are installed outside the checkout: they weigh a gigabyte.
CLIS ?= $(HOME)/.cache/agentx-clis
# What drives a browser: outside the checkout, too. Chromium itself is the system's.
BROWSER ?= $(HOME)/.cache/agentx-browser

.PHONY: demo test check coverage fmt pages lock bench bench-recall bench-lessons bench-telling bench-import bench-secrets e2e-clis e2e-page pictures soak proto setup clean

setup: $(STAMP)

# Every package is the one that requirements.lock names, by its hash; AgentX itself is built with them.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
$(STAMP): pyproject.toml requirements.lock scripts/agentx-hook
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing AgentX and its tools into $(VENV) (once)"
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

# Choose the newest packages that pyproject.toml allows, for every Python and system; needs `uv`.
lock:
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-emit-index-url --no-annotate --custom-compile-command 'make lock' --quiet --output-file requirements.lock

demo: $(STAMP)
	@$(BIN)/agentx demo

# Tests are rewritten by pytest before they run: kept, that is done once and not at every run.
test: export PYTHONDONTWRITEBYTECODE :=
test coverage: export TMPDIR ?= $(MEMORY)
test: $(STAMP)
	$(BIN)/python -m pytest $(SUITE)

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m scripts.operations_page --check
	$(BIN)/python -m scripts.settings_page --check
	$(BIN)/python -m scripts.event_schema --check
	$(BIN)/python -m scripts.guarantees_page --check

# How many branches the tests of logic take; fails below the floor in pyproject.toml.
coverage: $(STAMP)
	@rm -rf .coverage.d && mkdir -p .coverage.d
	$(BIN)/python -m coverage run -m pytest $(SUITE) -m "$(CHOSEN) and not timed" --timeout 300 $(MEASURED)
	@$(BIN)/python -m coverage combine -q
	@$(BIN)/python -m coverage report --fail-under 0 >.coverage.d/report
	@echo "branches and lines taken, in percent ($(CURDIR)/.coverage.d/report has each file):"
	@$(BIN)/python -m coverage report --format=total

fmt: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The pages of the documents that are made from the code.
pages: $(STAMP)
	$(BIN)/python -m scripts.operations_page
	$(BIN)/python -m scripts.settings_page
	$(BIN)/python -m scripts.event_schema
	$(BIN)/python -m scripts.guarantees_page

proto: $(STAMP)
	$(BIN)/python scripts/generate_proto.py

bench: $(STAMP)
	$(BIN)/python -m tests.bench --size $(SIZE)

# Leaks by kind and shape, from the rules of a scanner; lines of TREES that were touched for nothing.
bench-secrets: $(STAMP)
	$(BIN)/python -m tests.bench.secrets $(if $(RULES),--rules '$(RULES)') $(if $(TREES),--trees $(TREES))

bench-recall: $(STAMP)
	$(BIN)/python -m tests.bench.recall --data '$(DATA)'

# What is kept of real sessions and told to the next ones, against labels; fails below what it must be.
bench-lessons: $(STAMP)
	$(BIN)/python -m tests.bench.lessons --data '$(DATA)'

bench-telling: $(STAMP)
	$(BIN)/python -m tests.bench.telling '$(DATA)'

# The first minute: how fast the transcripts of DATA, told ten times, are taken in.
bench-import: $(STAMP)
	$(BIN)/python -m tests.bench.importing '$(DATA)'

e2e-clis: $(STAMP)
	CLIS='$(CLIS)' bash scripts/install-clis
	AGENTX_CLIS='$(CLIS)' $(BIN)/python -m pytest -m clis tests/clis --timeout 300

$(BROWSER)/.installed: $(STAMP)
	@mkdir -p $(BROWSER)
	$(PIP) --target $(BROWSER) playwright
	npm install --silent --no-audit --no-fund --prefix $(BROWSER) axe-core
	@touch $@

e2e-page: $(BROWSER)/.installed
	PYTHONPATH='$(BROWSER)' AGENTX_BROWSER='$(BROWSER)' $(BIN)/python -m pytest -m browser tests/browser

# The pictures of the documents, made from the sample.
pictures: $(BROWSER)/.installed
	PYTHONPATH='$(BROWSER)' $(BIN)/python -m scripts.pictures

soak: $(STAMP)
	$(BIN)/python -m pytest -m soak --timeout 3600

clean:
	rm -rf $(VENV) .bench .coverage.d dist

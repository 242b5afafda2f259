# Every target but help and clean first makes .venv, if it is not there or the lock has changed.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
# Two stamps: changing a tool's setting in pyproject.toml does not install the whole lock again.
LOCKED := $(VENV)/.locked
INSTALLED := $(VENV)/.installed
COMPARED := $(VENV)/.compared
# The tests of all that reads, compares or writes a time.
TIMELY := tests/asof tests/cli tests/cli_operations tests/domain tests/http tests/laws tests/policy tests/recall \
  tests/reports
PYTHON_MIN := 3.11
# Twice the processors of a small machine: many tests wait for processes that they have started.
TESTERS := 4
PYTHONS := $(or $(PYTHON),python3 python3.13 python3.12 python3.11)

.PHONY: help setup demo serve test check bench-core bench-write bench-redis-down bench-catchup bench-recall-quality bench-recall-speed chaos chaos-embedded mutants fuzz-http scenarios asof-advisories chaos-index bench-index bench-asof test-zones bench-export bench-claims bench-matching bench-bundle bundle-story scifact clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## Make .venv with everything in it (PYTHON=... chooses the interpreter)
	@:

demo: setup ## Load real data, then ask and answer (ARGS=--json for machines)
	@$(BIN)/memoranda demo $(ARGS)

serve: setup ## Start the server on 127.0.0.1:8420 (ARGS="--port 9000")
	@$(BIN)/memoranda serve $(ARGS)

test: setup ## Run the tests (ARGS="tests/unit -k words")
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(TESTERS) --dist worksteal $(ARGS)

test-zones: setup ## Run the tests that touch time in two zones a day apart (many minutes; a short part is in make test)
	@for zone in Pacific/Kiritimati America/Los_Angeles; do \
	  echo "TZ=$$zone"; \
	  TZ=$$zone $(BIN)/python -m pytest -n $(TESTERS) --dist worksteal $(TIMELY) $(ARGS); \
	done

check: setup ## Lint, format, types, import directions, dependencies
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/deptry .

bench-core: setup ## Measure the core (minutes; prints ratios of one run)
	@$(BIN)/python -m tests.benchmarks.bench_core $(ARGS)

bench-write: setup ## Measure writing to PostgreSQL against raw psycopg (minutes; needs 2 GB of disk)
	@$(BIN)/python -m tests.benchmarks.bench_write $(ARGS)

bench-redis-down: setup ## Measure commands while Redis is up, refused, hung and flushed
	@$(BIN)/python -m tests.benchmarks.bench_redis_down $(ARGS)

bench-catchup: setup ## Measure how fast read models follow, lag, tails, and a rebuild (many minutes)
	@$(BIN)/python -m tests.benchmarks.bench_catchup $(ARGS)

bench-recall-quality: setup ## Measure what recall finds on LoCoMo and SciFact, beside SQLite FTS5 (minutes)
	@$(BIN)/python -m tests.benchmarks.bench_recall_quality $(ARGS)

bench-recall-speed: setup $(COMPARED) ## Measure how fast recall is, beside tantivy and FTS5 (many minutes; ARGS=--million: hours)
	@$(BIN)/python -m tests.benchmarks.bench_recall_speed $(ARGS)

bench-export: setup ## Measure export, verify and import, and the memory they take (ARGS=--sizes 10000,100000)
	@$(BIN)/python -m tests.benchmarks.bench_export $(ARGS)

bench-claims: setup ## Measure assessing, evidence, reconsidering and recall of claims (minutes; ARGS="--sizes 1000,10000")
	@$(BIN)/python -m tests.benchmarks.bench_claims $(ARGS)

bench-matching: setup ## Measure how takeaways are matched: labelled pairs, thresholds, 10 000 mutants (ARGS=--mutants 1000)
	@$(BIN)/python -m tests.benchmarks.bench_matching $(ARGS)

bundle-story: setup ## A claim begins in one session and changes in a later one, over HTTP, printed
	@$(BIN)/python -m tests.bundles.story

bench-bundle: setup ## Measure windows of sessions: the first one, and one claim more in a concept of many
	@$(BIN)/python -m tests.benchmarks.bench_bundle $(ARGS)

bench-index: setup ## Measure the recall index on disk: making, opening, merging, purging (MEMORIES=10000)
	@$(BIN)/python -m tests.benchmarks.bench_index --memories $(or $(MEMORIES),10000) $(ARGS)

bench-asof: setup ## Measure reading at a past basis against now (minutes; MEMORIES="10000 100000")
	@$(BIN)/python -m tests.benchmarks.bench_asof --memories $(or $(MEMORIES),10000 100000) $(ARGS)

chaos: setup ## Kill servers, workers, PostgreSQL and Redis under four writers (SECONDS=60 SEED=...), then balance the books
	@$(BIN)/python -m tests.chaos.server_mode --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED)) $(ARGS)

chaos-embedded: setup ## Kill the server under eight writers (ROUNDS=30), then look for what is lost or doubled
	@$(BIN)/python -m tests.chaos.embedded --rounds $(or $(ROUNDS),30) $(ARGS)

chaos-index: setup ## Kill who makes and who merges the recall index (ROUNDS=60), then compare it with the log
	@$(BIN)/python -m tests.chaos.index --rounds $(or $(ROUNDS),60) $(ARGS)

mutants: setup ## Make the code wrong in a hundred places, one at a time, and see that tests notice (ARGS="--only 101,302")
	@$(BIN)/python -m tests.mutants.run $(ARGS)

fuzz-http: setup ## Send what OpenAPI allows and what it does not (MINUTES=10); no 5xx, no unlisted answer
	@$(BIN)/python -m tests.fuzz.openapi --minutes $(or $(MINUTES),10) $(ARGS)

asof-advisories: setup ## Ask what was known on 200 dates of 50 advisories, of the store and of their history (minutes)
	@$(BIN)/python -m tests.asof.advisories $(ARGS)

scenarios: setup ## Answer every case of the temporal policy, beside stores without one
	@$(BIN)/python -m tests.policy.table

scifact: setup ## Load and assess SciFact's claims, beside the figures that were expected (ARGS="--keep FOLDER")
	@$(BIN)/python -m tests.scifact.run $(ARGS)

clean: ## Remove .venv and caches; stored memories in .memoranda stay
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The interpreter is tried, not only looked up: a version manager's stand-in may exist and refuse to run.
$(LOCKED): requirements.lock
	@for candidate in $(PYTHONS); do \
	  if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < tuple(map(int, "$(PYTHON_MIN)".split("."))))' 2>/dev/null; then \
	    python="$$candidate"; break; \
	  fi; \
	done; \
	if [ -z "$${python:-}" ]; then \
	  echo "make setup needs Python $(PYTHON_MIN) or newer with its venv module; tried: $(PYTHONS)." >&2; \
	  echo "Install one (on Debian: python3 and python3-venv), or name it: make setup PYTHON=/path/to/python" >&2; \
	  exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$("$$python" --version): a minute or two the first time" >&2; \
	"$$python" -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python tools/unpack_redis.py requirements.lock $(VENV)/redis
	@touch $@

$(INSTALLED): $(LOCKED) pyproject.toml
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# What benchmarks alone compare with: neither the program nor its tests know of it.
$(COMPARED): requirements-bench.lock $(INSTALLED)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@touch $@

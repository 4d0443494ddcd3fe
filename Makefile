# Two commands do everything: `make run` opens the console on the demo, `make test` passes all checks.
# Both set up what they need on a bare Debian or Ubuntu machine; see scripts/setup.sh.

SHELL := /bin/bash
BIN := .venv/bin
JOBS ?= 2
.DEFAULT_GOAL := help
.PHONY: help setup system run test lint types contracts tests format bench torture shots wheel clean

help:
	@echo "make run      open the console on the demo (without a display: in the terminal, and a picture)"
	@echo "make test     style, types, import contracts and all tests"
	@echo "make lint, types, contracts, tests    one of these alone; make tests ARGS='tests/unit -k name'"
	@echo "make format   lay out the code as make lint wants it"
	@echo "make bench    print the benchmark; PEERS=1 installs and measures other loops beside ours"
	@echo "make torture  kill and restart sessions until something gives"
	@echo "make shots    draw every view into shots/"
	@echo "make wheel    build the wheel into dist/"
	@echo "make clean    remove .venv, caches and pictures"

setup: .venv/ok

system:
	@scripts/setup.sh system

.venv/ok: pyproject.toml scripts/setup.sh | system
	@scripts/setup.sh venv

run: .venv/ok
	@scripts/demo.sh

test: .venv/ok
	@$(MAKE) --no-print-directory --keep-going lint types tests

lint: .venv/ok
	@echo "== style"
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --quiet --check .

types: .venv/ok
	@echo "== types"
	@$(BIN)/mypy

contracts: .venv/ok
	@echo "== import contracts"
	@$(BIN)/lint-imports --no-cache --no-logo | tail -n 3; exit $${PIPESTATUS[0]}

# worksteal: with loadgroup or loadscope a worker that dies (a crash, a hang that timed out) stops the run for good.
tests: .venv/ok
	@echo "== tests"
	@$(BIN)/python -X faulthandler -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

format: .venv/ok
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

bench: .venv/ok
	@if [ -n "$(PEERS)" ]; then $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"; fi
	@$(BIN)/python -m tests.bench $(if $(PEERS),--peers) $(ARGS)

torture: .venv/ok
	@$(BIN)/python -m tests.torture $(ARGS)

SHOTS := console card review sessions settings settings-budgets settings-policies settings-operators \
	settings-models settings-data settings-shortcuts audit alerts new-run fork first-run
shots: .venv/ok
	@mkdir -p shots
	@for theme in light dark; do for view in $(SHOTS); do \
		$(BIN)/pilothouse shot $$view --story demo --theme $$theme --out shots/$$view-$$theme.png || exit 1; \
	done; done

wheel: .venv/ok
	@$(BIN)/python -m hatchling build -t wheel -d dist

clean:
	@rm -rf .venv build dist shots pilothouse-demo.png .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find agent_core console ui resources tests -name __pycache__ -type d -prune -exec rm -rf {} +

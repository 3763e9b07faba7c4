# From a fresh clone: `make demo` shows the main job, `make test` runs all tests.
# Needs Python 3.11 or newer, git and make; everything else goes into .venv.

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done)
BIN := .venv/bin
READY := .venv/ready

# Exact versions with the hashes of all their files, for every platform from Python 3.11 on.
COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --quiet --custom-compile-command "make constraints"
# What the image of Dockerfile can do.
IMAGE_EXTRAS := api code cypher docs llm neo4j

.PHONY: demo test lint types imports docs check format cli-docs openapi constraints clean

demo: $(READY)  ## ingest the sample, ask it questions, show that RESTRICTED text stays inside
	@$(BIN)/python examples/demo.py

# A class, or the functions of a file, go to one process, so that each server is started once or twice.
test: $(READY)  ## all tests and the examples in docstrings; those of Neo4j where one can be had
	$(BIN)/python -m pytest --numprocesses auto --dist loadscope

lint: $(READY)  ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)  ## pyright, strict
	$(BIN)/pyright --pythonpath $(BIN)/python

imports: $(READY)  ## import-linter: layers and forbidden imports
	$(BIN)/lint-imports

docs: $(READY)  ## docs agree with the code
	$(BIN)/python -m tools.generate_cli_docs --check
	$(BIN)/python -m tools.generate_openapi --check
	$(BIN)/python -m pytest -q tests/test_docs.py

check: lint types imports docs test  ## all of the above: what .ci/run runs

format: $(READY)  ## rewrite the code in the project's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

cli-docs: $(READY)  ## write docs/cli.md from the command line itself
	$(BIN)/python -m tools.generate_cli_docs

openapi: $(READY)  ## write docs/openapi.json from the routes themselves
	$(BIN)/python -m tools.generate_openapi

constraints:  ## pin the dependencies of pyproject.toml anew; needs uv
	$(COMPILE) --extra dev --upgrade --output-file constraints.txt
	$(COMPILE) $(IMAGE_EXTRAS:%=--extra %) --constraint constraints.txt --output-file constraints-image.txt

clean:  ## remove the environment, the demo's store and all caches
	rm -rf .venv .demo .pytest_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info

$(READY): pyproject.toml setup.py constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found; install one or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(READY)

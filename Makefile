# The commands that matter: `make demo` and `make test`; while you work, `make quick` and `make check`. Each does its own
# set-up.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: demo test quick check platforms wheel release site bench bench-problems hnsw hostile vsix test-vscode screenshots bench-vscode clean
.DELETE_ON_ERROR:

demo: $(VENV)/.light
	@$(BIN)/premise-suggest demo

# Two workers, each with a core; the VS Code that is driven in a browser has the machine to itself.
WORKERS ?= 2
test: $(VENV)/.full check
	@if [ -n "$$CI" ]; then node vscode-extension/test/setup/main.mjs >/dev/null; fi  # the browser serves other tests, too
	@$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal --ignore tests/vscode $(PYTEST_ARGS)
	@$(BIN)/python -m pytest tests/vscode $(PYTEST_ARGS)

# Under a minute: no Lean, no training, no browser, and nothing that starts many processes or spoils many indexes.
QUICK_FILES := $(wildcard $(foreach package,lean_extract prover retriever,tests/$(package)/test_*.py))
LONGER := atomic_pipe build cluster core_package damage extract_all known_lemmas measuring own_votes repl store toolchain \
  watching
QUICK := tests/contract tests/docs/test_manual.py tests/lean_extract/source tests/retriever/patterns \
  $(filter-out tests/lean_extract/test_session_% $(LONGER:%=\%/test_%.py),$(QUICK_FILES))
quick: $(VENV)/.full
	@$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder -p no:schemathesis -q \
	  -m "not lean and not train and not slow and not vscode" $(QUICK) $(PYTEST_ARGS)

check: $(VENV)/.full
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/check_regexes.py
	@$(BIN)/python scripts/measure_house.py --check
	@$(BIN)/pre-commit validate-manifest .pre-commit-hooks.yaml

# The types as on macOS and Windows: which calls do not exist there.
platforms: $(VENV)/.full
	@$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin
	@$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32

# Small inputs that once failed, and hostile ones of every kind (--quick: two minutes of an hour).
hostile: $(VENV)/.full
	@$(BIN)/python -m pytest -m field_case $(PYTEST_ARGS)
	@$(BIN)/python scripts/hostile.py $(HOSTILE_ARGS)

# What users install: a source distribution, and from it the wheel.
DIST ?= dist
wheel: $(VENV)/.light
	@$(PIP) install 'build>=1.2'
	@$(BIN)/python -m build --quiet --outdir $(DIST)
	@ls -1s --block-size=M $(DIST)/premise_suggest-*

# The files for each registry, with the repository's public address in them: build/release (RELEASING.md).
ADDRESS ?=
release: $(VENV)/.full
	@$(BIN)/python scripts/release.py "$(ADDRESS)"
	@RELEASE="$(ADDRESS)" $(BIN)/python -m pytest -q -p no:cacheprovider tests/packaging/test_release.py

# The manual as a site, in build/site; open build/site/index.html.
site: $(VENV)/.full
	@$(BIN)/python scripts/build_site.py

bench: $(VENV)/.light
	@$(BIN)/python -m scripts.benchmarks product $(BENCH_ARGS)

# The mini core's problems with every retriever and every source of tactics: minutes to an hour, resumable.
bench-problems: $(VENV)/.light
	@$(BIN)/python -m scripts.benchmarks problems $(BENCH_ARGS)

# HNSW against exact search on the embeddings of a dataset's corpus: a table, and docs/hnsw.svg.
DATASET ?= work/mathlib/dataset
hnsw: $(VENV)/.full
	@$(BIN)/python -m scripts.benchmarks hnsw $(DATASET) --cache build/vectors --svg docs/hnsw.svg $(HNSW_ARGS)

# The VS Code extension: Node 20 and npm; vscode-extension/dist/premise-suggest.vsix.
vsix:
	@node vscode-extension/test/setup/vsix.mjs

# In a real VS Code in a real browser, both of which it sets up (Linux; once, about two minutes).
test-vscode: $(VENV)/.full
	@$(BIN)/python -m pytest tests/vscode $(PYTEST_ARGS)

screenshots: $(VENV)/.light
	@PATH="$(abspath $(BIN)):$$PATH" node vscode-extension/test/page/screenshots.mjs

bench-vscode: $(VENV)/.light
	@PATH="$(abspath $(BIN)):$$PATH" node scripts/vscode_bench.mjs $(BENCH_ARGS)

# The light set: all that a suggestion needs, no torch. HNSW has no wheels: with a C++ compiler it is built.
$(VENV)/.light: pyproject.toml
	@echo "Setting up $(VENV): the light set"
	@$(PYTHON) -m venv $(VENV) || { echo "error: no virtual environment could be made."; \
	  echo "hint: on Debian, run 'apt-get install python3-venv' and try again."; exit 1; }
	@$(PIP) install --editable '.[lean]'
	@if command -v c++ >/dev/null || command -v g++ >/dev/null; then \
	  $(PIP) install 'hnswlib>=0.8' || echo "note: hnswlib could not be built; exact search is used instead."; \
	else echo "note: no C++ compiler, so no HNSW; exact search is used instead."; fi
	@touch $@

# Everything the tests need. torch first and pinned: any other request brings gigabytes of CUDA packages.
$(VENV)/.full: $(VENV)/.light
	@echo "Setting up $(VENV): training, tests and checks"
	@$(PIP) install torch==2.13.0
	@$(PIP) install --editable '.[lean,train,test,lint]'
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

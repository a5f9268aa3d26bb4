# Entry points for people; the build itself is CMake (CMakePresets.json).
# `make help` lists the targets. Everything installs what it needs on Debian 12 and asks nothing.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.NOTPARALLEL:
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Runs what makes a target's pages, and writes into them what they were made from.
PAGES := node scripts/pages.mjs
# Some tests wait: for browsers, and for processes that they start.
CTEST := ctest --no-tests=error --output-on-failure --parallel $$(($(JOBS) + 1))

.PHONY: help deps deps-train demo build check test test-release test-asan bench performance backtest validation schemes atlas advise tta trainings study explore pays outputs spcompress fused_masks papers ablation predictions docs soak mutants lint format install clean selection patterns patterns_to_build blackwell rtl package pages release-check archive wheel wasm site notebook

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps:
	@scripts/install-deps.sh build page

deps-train:
	@scripts/install-deps.sh train

build: deps deps-train  ## build everything, optimised, into build/
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS)

demo: deps  ## build the program and run the demonstration experiment into out/demo
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim
	build/stcsim run configs/experiments/demo.yaml --jobs $(JOBS) --out out/demo

check: deps  ## build and run what notices most changes of models/, sim/, workloads/ and common/, in a minute or two
	@scripts/configure.sh release
	CTEST_PARALLEL_LEVEL=$(JOBS) cmake --build --preset release --parallel $(JOBS) --target check

test: test-release test-asan  ## run all tests, optimised, under the sanitizers, or both

test-release: deps deps-train
	@scripts/install-deps.sh browser python site
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target test_programs page/all tests/bench/all
	# What only the sanitizers run is not built here.
	$(CTEST) --preset release --label-exclude sanitized --exclude-regex '^stcsim_test_.*_NOT_BUILT$$'

test-asan: deps
	@scripts/install-deps.sh sanitize
	@scripts/configure.sh asan
	cmake --build --preset asan --parallel $(JOBS) --target test_programs
	# Looking for leaks, a process waits more than it computes.
	$(CTEST) --parallel $$((2 * $(JOBS))) --preset asan

bench: build  ## print what the simulator takes, and run the benchmarks
	@STCSIM_CONFIG_DIR=$(CURDIR)/configs build/bench/performance_report build/stcsim
	@for bench in build/bench/*_bench; do echo "== $$bench"; "$$bench"; done

selection: build  ## what selectors gain that know their data, written to results/selection.md
	@$(PAGES) make $@ scripts/selection.sh

patterns: build  ## hold patterns (2N-2):2N on 2:4 hardware against measurements, written to results/patterns.md
	@$(PAGES) make $@ scripts/patterns.sh $(JOBS)

blackwell: build  ## what sparse fp8 and fp4 gain on a B200, written to results/blackwell.md
	@$(PAGES) make $@ scripts/blackwell.sh $(JOBS)

rtl: deps  ## synthesise the selectors of rtl/, written to configs/costs/selector_gates.csv and selector_levels.csv
	@scripts/install-deps.sh rtl
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim_rtl
	rtl/gates.sh build/rtl/stcsim_rtl configs/costs/selector_gates.csv
	rtl/levels.sh build/rtl/stcsim_rtl > build/selector_levels.csv
	mv build/selector_levels.csv configs/costs/selector_levels.csv

performance: build  ## measure, profile, and write results/performance.md
	@scripts/install-deps.sh profile
	@$(PAGES) make $@ scripts/performance.sh

backtest: build  ## how far off for a machine that nobody measured, written to results/backtest.md
	@$(PAGES) make $@ scripts/backtest.sh $(JOBS)

validation: build  ## compare with published measurements, and write results/validation.md
	@$(PAGES) make $@ scripts/validation.sh $(JOBS)

schemes: build  ## run every scheme on several machines, and write results/schemes.md
	@$(PAGES) make $@ scripts/schemes.sh $(JOBS)

atlas: build  ## every network and scheme on every machine that exists, as a page, out/atlas/atlas.html, and results/atlas.svg
	@$(PAGES) make $@ scripts/atlas.sh $(JOBS)

advise: build  ## what `stcsim advise` says of GPT-2, typed in results/advise.svg
	@$(PAGES) make $@ scripts/advise.sh

tta: build  ## time to accuracy from published learning curves, and write results/tta.md
	@$(PAGES) make $@ scripts/tta.sh $(JOBS)

trainings: build  ## train every scheme on small tasks, or on TASKS alone (images tokens text), and write configs/curves/study.csv; SEEDS (5) of each
	@$(if $(TASKS),,$(PAGES) make $@) scripts/trainings.sh $(JOBS)

study: build  ## time to accuracy and claims, from the curves of `make trainings`, and write results/study.md
	@$(PAGES) make $@ scripts/study.sh $(JOBS)

explore: build  ## which hardware that does not exist is worth building, and write results/exploration.md
	@$(PAGES) make $@ scripts/explore.sh $(JOBS)

fused_masks: build  ## what schemes gain if the kernel before prunes gradients, written to results/fused_masks.md
	@$(PAGES) make $@ scripts/fused_masks.sh $(JOBS)

outputs: build  ## what products gain that compute only wanted gradients of weights, written to results/outputs.md
	@$(PAGES) make $@ scripts/outputs.sh $(JOBS)

spcompress: build  ## what steps and attention gain if a unit prunes on the fly, written to results/spcompress.md
	@$(PAGES) make $@ scripts/spcompress.sh $(JOBS)

pays: build  ## which n:m is worth hardware at which loss of accuracy, and write results/pays.md
	@$(PAGES) make $@ scripts/pays.sh $(JOBS)

patterns_to_build: build  ## one table and one answer: which n:m to build, written to results/patterns_to_build.md
	@$(PAGES) make $@ scripts/patterns_to_build.sh $(JOBS)

notebook: deps  ## run python/examples/explore.ipynb, and store in it what its cells show
	@scripts/install-deps.sh notebook
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim
	@$(PAGES) make $@ /usr/bin/python3 scripts/notebook.py build/stcsim python/examples/explore.ipynb

papers: build  ## reproduce the figures of five publications, pages in out/papers, and write results/papers
	@$(PAGES) make $@ scripts/papers.sh $(JOBS)

ablation: build  ## what each mechanism of the machine files is worth, and write results/ablation.md
	@$(PAGES) make $@ scripts/ablation.sh $(JOBS)

pages: build  ## make the pages below results/ that are stale anew, and no others (scripts/pages.txt)
	@for target in $$($(PAGES) targets); do $(PAGES) stale $$target || $(MAKE) $$target; done

release-check:  ## fails while a page below results/ is stale: docs/releasing.md
	@$(PAGES) stale

predictions: build  ## seal what MACHINES (rtx5080 b200 h200) will be measured to take, in results/predictions.csv; KINDS=pair: pairs alone
	@KINDS='$(KINDS)' node scripts/predictions/predictions.mjs build/stcsim results/predictions.csv $(or $(MACHINES),rtx5080 b200 h200)

docs: deps  ## write what commands print into README.md and docs/
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim
	@scripts/docs.sh

soak: build  ## what takes hours: CASES (20000) random cases from SEED (1) on, every number, full batches
	@scripts/install-deps.sh browser sanitize archive roots site
	@scripts/soak.sh $(or $(CASES),20000) $(or $(SEED),1) $(JOBS)

mutants: deps deps-train  ## break the program on purpose, one patch of tests/mutants/ at a time, each of which tests must notice; MUTANTS="sim/ NAME": some
	@scripts/mutants.sh $(MUTANTS)

lint:  ## check formatting and what the documentation says is printed, run clang-tidy on every source
	@scripts/install-deps.sh build page lint
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim
	@scripts/lint.sh $(JOBS)

format:  ## format every source in place
	@scripts/install-deps.sh lint
	@scripts/format.sh

install: build  ## install into PREFIX (default /usr/local)
	cmake --install build --prefix "$(PREFIX)"

package: deps  ## make build/stcsim_VERSION_ARCHITECTURE.deb: program, configs, page, Python client, man pages, completion
	@scripts/install-deps.sh package
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim
	cd build && cpack --config CPackConfig.cmake

archive:  ## make build-archive/stcsim-VERSION-linux-x86_64.tar.gz: the same but a static program, without `train`, for any Linux
wheel:  ## make of the same a wheel for pip, build-archive/stcsim-VERSION-py3-none-manylinux_2_17_x86_64.whl
archive wheel: deps
	@scripts/install-deps.sh archive
	@scripts/archive.sh $(JOBS) $@

wasm: deps  ## make build-wasm/live: a page that simulates in the browser, by WebAssembly (as root; 40 core-minutes)
	@scripts/install-deps.sh archive roots
	@scripts/wasm.sh $(JOBS)

site: deps  ## make build/site, for any host of static files: documents, results, machines, and the live page once `make wasm` made it
	@scripts/install-deps.sh site
	@scripts/configure.sh release
	cmake --build --preset release --parallel $(JOBS) --target stcsim
	@node scripts/site/site.mjs build/stcsim build/page/packages build/site

clean:  ## remove everything that was built, and out/
	rm -rf build build-debug build-asan build-archive build-wasm out

# The front door. Meson and Ninja do the work; this file holds what people type.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
# Of the Python package; nothing: where Python looks for packages, below PREFIX.
PYTHONDIR ?=
DESTDIR ?=
BUILD ?= build
JOBS ?= 2
PYTHON ?= /usr/bin/python3
# SETUP=no: nothing is ever installed on this machine. T=TEXT: only the suites whose name has TEXT.
SETUP ?= yes
T ?=
# HTML=FILE: make demo writes what it showed as a page too.
HTML ?=
# Of make fuzz: for each target, how many at a time, which of the three phases, which targets (none
# named: all).
FUZZ_SECONDS ?= 3600
FUZZ_JOBS ?= 1
FUZZ_PHASES ?= libfuzzer afl compare
FUZZ_TARGETS ?=

export PYTHON SETUP

.PHONY: all install windows setup demo check check-long check-windows bench coverage fuzz mutants format clean help

all:
	@tools/build $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=$(LIBDIR) -Dpythondir=$(PYTHONDIR)

install: all
	@meson install -C $(BUILD) --no-rebuild --quiet $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || true

# One folder, to be packed: untorn, below DESTDIR.
windows:
	@tools/build $(BUILD)-windows --cross-file=tools/windows.ini
	@meson install -C $(BUILD)-windows --no-rebuild --quiet \
	    --destdir $(abspath $(or $(DESTDIR),$(BUILD)-windows/installed))

setup:
	@tools/setup build

demo:
	@tools/setup build demo
	@tools/build $(BUILD)
	@BUILD=$(abspath $(BUILD)) $(PYTHON) tools/demo $(if $(HTML),--html '$(HTML)')

check:
	@tools/setup build check
	@tools/setup browser || echo 'going on without a browser'
	@tools/setup windows || echo 'going on without Windows'
	@tools/setup machines || echo 'going on without user-mode Linux'
	@$(PYTHON) tests/run.py --build $(BUILD) --jobs $(JOBS) '$(T)'

check-long:
	@tools/setup build check
	@tools/setup browser || echo 'going on without a browser'
	@tools/setup windows || echo 'going on without Windows'
	@tools/setup machines || echo 'going on without user-mode Linux'
	@UNTORN_LONG=1 $(PYTHON) tests/run.py --build $(BUILD) --jobs $(JOBS) --timeout 3600 \
	    $(if $(T),,--figures docs/testing.md) '$(T)'

check-windows:
	@tools/setup build windows
	@$(PYTHON) tests/windows/run.py --build $(BUILD)-windows --jobs $(JOBS) '$(T)'

bench:
	@tools/setup build bench
	@tools/build $(BUILD) bench
	@BUILD=$(abspath $(BUILD)) bench/run

coverage:
	@tools/setup build check coverage
	@tools/coverage $(BUILD)-coverage $(JOBS) '$(T)'

fuzz:
	@tools/setup build fuzz
	@$(PYTHON) tools/fuzz --build $(BUILD) --seconds $(FUZZ_SECONDS) --jobs $(FUZZ_JOBS) \
	    $(FUZZ_TARGETS:%=--target %) $(FUZZ_PHASES)

mutants:
	@tools/setup build check
	@$(PYTHON) tools/mutants --build $(BUILD) --jobs $(JOBS) '$(T)'

format:
	@tools/setup format
	@tools/sources -h include src cli bindings tests fuzz bench examples | xargs clang-format -i

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-coverage $(BUILD)-fuzz $(BUILD)-afl $(BUILD)-windows \
	    $(BUILD)-tsan $(BUILD)-mutants

help:
	@echo 'make              build the command and the libraries into $(BUILD)/'
	@echo 'make install      install them (PREFIX, LIBDIR, PYTHONDIR, DESTDIR)'
	@echo 'make windows      the same for Windows, into one folder: DESTDIR/untorn'
	@echo 'make demo         show the main job live (HTML=FILE: and as a page)'
	@echo 'make check        run every test (T=TEXT: only the suites whose name has TEXT)'
	@echo 'make check-long   the same with the long crash and concurrency work'
	@echo 'make check-windows the tests for Windows, under Wine'
	@echo 'make bench        measure against the peers'
	@echo 'make coverage     measure which lines and branches the tests reach'
	@echo 'make fuzz         try to break the readers and editors of documents (FUZZ_SECONDS,'
	@echo '                  FUZZ_TARGETS, FUZZ_PHASES, FUZZ_JOBS: docs/testing.md)'
	@echo 'make mutants      leave out one call of the library after the other: is it noticed?'
	@echo 'make format       let clang-format lay out the sources'
	@echo 'make clean        remove all that was built'
	@echo 'demo, check, bench, coverage, fuzz, mutants and format first install what'
	@echo 'they need (SETUP=no: never); make setup installs what make alone needs.'

# SPDX-License-Identifier: GPL-2.0-only
#
# For people. kmod/, lib/ and tools/ have makefiles of their own that do the
# work; `make help` says what there is.

top	:= $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
# One directory for each machine: what is built for one is not installed for another.
O	?= $(top)/build$(if $(CROSS_COMPILE),/$(patsubst %-,%,$(notdir $(CROSS_COMPILE))))
override O := $(abspath $(O))
include $(top)/include/install.mk
PYTHON	?= python3
BOARDS	?= 6.1
MORE_BOARDS ?= 6.12 rt 6.12-rt armhf newest 5.10 armhf:5.10 arm64 arm64:16k riscv64 s390x musl 6.1/1 6.12/1of2 kasan kcsan
# Takes a quarter of an hour of an emulated board
CYCLES	?= 1000

board	:= $(top)/selftests/vm/board

# Headers of the running kernel; where there are none (a build machine), those
# of the kernel of the virtual board.
KDIR	?= $(or $(KERNEL_SRC),$(wildcard /lib/modules/$(shell uname -r)/build),$(shell $(board) --kdir))

# The arguments of a sub-make. make itself passes ARCH and CROSS_COMPILE on from the command
# line and from the environment.
user	= $(MAKE) --no-print-directory O=$(O) prefix=$(prefix) DESTDIR=$(DESTDIR) MNL_NOTE=
# man SECTION...: install our pages of these sections
man	= $(foreach p,$(notdir $(wildcard $(1:%=$(top)/Documentation/man/*.%))),$(call \
	put,644,$(top)/Documentation/man/$(p),$(mandir)/man$(subst .,,$(suffix $(p)))/$(p)))
pages	:= $(patsubst $(top)/%,%,$(wildcard $(top)/README.md $(top)/Documentation/*.rst $(top)/Documentation/pictures/*))
examples := $(patsubst $(top)/tools/packaging/%,%,$(wildcard $(top)/tools/packaging/examples/*))

# The last lines of what was asked for: what the board has to do, and what is left out for
# want of a library.
note	= @$(if $(DESTDIR),$(if $(filter install install-lib,$(MAKECMDGOALS)),echo \
	"note: programs find libdevtrace.so.0 on the board once ldconfig has run there" >&2;)) \
	grep -s . $(O)/tools/.left-out >&2 || :
last	= $(if $(filter $@,$(or $(lastword $(MAKECMDGOALS)),all)),$(note))

all: user modules
	$(last)

user: lib tools
	$(last)

lib:
	+@$(user) -C lib

tools: lib
	+@$(user) -C tools

# Kbuild takes an O= from the command line for its own
modules modules_install clean: MAKEOVERRIDES := $(filter-out O=%,$(MAKEOVERRIDES))

# The Python module
python: lib
	+@$(user) -C tools python PYTHON=$(PYTHON)

modules:
	+@$(MAKE) --no-print-directory -C kmod KDIR=$(KDIR) modules

# One after the other: both bring what drivers are built with.
modules_install: $(filter install,$(MAKECMDGOALS))
	+@$(MAKE) --no-print-directory -C kmod KDIR=$(KDIR) prefix=$(prefix) DESTDIR=$(DESTDIR) \
		INSTALL_MOD_PATH=$(DESTDIR) modules_install
	$(if $(filter install,$(MAKECMDGOALS)),$(last))

install: install-lib install-tools install-dev install-doc
	$(last)

install-lib: lib
	+@$(user) -C lib install-lib
	$(last)

install-tools: tools
	+@$(user) -C tools install
	$(last)

install-dev: lib
	+@$(user) -C lib install-dev
	+@$(user) -C kmod LIKE=$(O)/lib/libdevtrace.so driver_install
	$(call man,3 9)
	$(last)

install-doc:
	$(call man,4 7)
	$(foreach p,$(pages) $(examples),$(call put,644,$(or $(wildcard $(top)/$(p)),$(top)/tools/packaging/$(p)),$(docdir)/$(p)))
	$(last)

install-python: lib
	+@$(user) -C tools install-python PYTHON=$(PYTHON)

# Removes what the same install would bring now, and the directories that it leaves empty; below
# / only those that are ours alone.
uninstall:
	@rm -rf $(O)/uninstall
	+@$(MAKE) -s --no-print-directory install $(if $(wildcard \
		$(O)/tools/python),install-python) DESTDIR=$(O)/uninstall MNL_NOTE= >/dev/null 2>&1
	@cd $(O)/uninstall && find . ! -type d | while read -r f; do rm -f "$(DESTDIR)/$$f"; done
	@rm -f $(DESTDIR)$(datadir)/devtrace/*/Module.symvers
	@(cd $(O)/uninstall && find . -depth -mindepth 1 -type d; echo .$(datadir)/devtrace/*) | while read -r d; do \
		case "$(DESTDIR)$$d" in .*/devtrace*|./usr/trace|[!.]*) \
			rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$d" 2>/dev/null ;; esac; done; :
	@rm -rf $(O)/uninstall
	@$(if $(DESTDIR),,PATH=$$PATH:/usr/sbin:/sbin; ldconfig 2>/dev/null || :)

# Asks KDIR's kernel where they are
modules_uninstall:
	+@$(MAKE) --no-print-directory -C kmod KDIR=$(KDIR) DESTDIR=$(DESTDIR) \
		INSTALL_MOD_PATH=$(DESTDIR) modules_uninstall

deb: deps-deb
	@$(top)/tools/packaging/deb $(O)/deb

deps:
	@.ci/deps all

deps-%:
	@.ci/deps $*

demo: deps-demo
	@O=$(O) selftests/vm/demo

check: deps-check
	@O=$(O) BOARDS="$(BOARDS)" selftests/check

check-all: deps-check deps-boards deps-packages
	@O=$(O) BOARDS="$(BOARDS) $(MORE_BOARDS)" CYCLES=$(CYCLES) MODEL=model-all \
		LENGTH=full selftests/check

static: deps-static
	@O=$(O) selftests/static

fuzz: deps-check deps-boards
	+@$(MAKE) --no-print-directory -C selftests/fuzz O=$(O) fuzz

mutate: deps-check
	@O=$(O) selftests/mutate $(MUTATE) $(ONLY)

coverage: deps-check $(if $(filter --kernel,$(COVERAGE)),deps-boards)
	@O=$(O) selftests/coverage $(COVERAGE)

bench: deps-bench
	+@$(MAKE) --no-print-directory -C selftests/bench O=$(O) bench

clean:
	rm -rf $(O)
	-+$(MAKE) --no-print-directory -C kmod KDIR=$(KDIR) clean

help:
	@sed -n 's/^#: //p' $(top)/Makefile

#: Targets
#:   all              library, tools and module
#:   demo             boot a virtual board and watch a driver and a program trace
#:   check            library and tools, and the module on a board with kernel 6.1
#:   check-all        every test at length and on more boards: kernels 6.12 and 5.10,
#:                    the newest of Debian, 64-bit ARM, a big-endian machine, one CPU, debugging
#:                    kernels; the module loaded and unloaded 1000 times, kernel
#:                    profile events on and off 200 times; the larger pieces of the
#:                    model of the ring
#:   bench            every figure, one line each
#:   static           style, sparse, warnings, manual pages, licences
#:   fuzz             FUZZ_TIME seconds (60) of each fuzzer, or of those in FUZZ_TARGET:
#:                    decode, fmt, and on a board device, netlink
#:   mutate           break the code, line by line, and see whether the tests notice;
#:                    MUTATE=--unit leaves out boards, ONLY=name is one mutation
#:   coverage         which lines of library and tools the tests do not run;
#:                    COVERAGE=--board asks a board too, COVERAGE=--kernel is the
#:                    module instead
#:   install          library, headers, tools, manual pages, and what a driver is
#:                    built with, share/devtrace/, below $(DESTDIR)
#:   install-lib, install-tools, install-dev, install-doc
#:                    a part of that: the libraries' .so files; programs, formats and
#:                    service; what programs and drivers are built with; pages
#:   python           the Python module devtrace, in build/tools/python (needs python3-dev)
#:   install-python   install the Python module in $(pydir)
#:   uninstall        remove what install brings
#:   deb              Debian packages, in build/deb
#:   modules_install  devtrace.ko, the modules that go beside it, and likewise what a
#:                    driver is built with
#:   modules_uninstall
#:                    remove these
#:   deps, deps-build
#:                    install the Debian packages that all this needs, or only
#:                    those that the build needs
#:   clean            remove what was built
#:
#: Variables
#:   KDIR             headers to build the module with (default: those of the
#:                    running kernel, or else of the virtual board)
#:   ARCH, CROSS_COMPILE   another machine, as for the kernel
#:   MNL_CFLAGS, MNL_LIBS  libmnl of that machine: -I... and '-L... -lmnl'
#:                    (default: what $(CROSS_COMPILE)pkg-config says of libmnl, or -lmnl)
#:   ZSTD_CFLAGS, ZSTD_LIBS  libzstd, likewise
#:   BT_CFLAGS, BT_LIBS  libbabeltrace2, likewise; for the plugin of babeltrace2
#:   DESTDIR, prefix  where to install (default: / and /usr/local)
#:   bindir, sbindir, libdir, includedir, datadir, mandir, docdir, fmtdir, confdir, unitdir, compdir, pydir
#:                    directories below that, each with its usual default:
#:                    include/install.mk. Give fmtdir to `make` too: programs look there
#:   PYTHON           the Python of python and install-python (python3)
#:   V=1              print commands in place of one line a file
#:   O                directory for what is built (default: build, or with CROSS_COMPILE
#:                    build/MACHINE)
#:   BOARDS           boards for check (6.1)
#:   JOBS             how many of its jobs check runs side by side (default: one
#:                    for each CPU); from 2 on a small one more, beside boards
#:   MORE_BOARDS      more of them for check-all (6.12 rt 6.12-rt armhf newest 5.10
#:                    armhf:5.10 arm64 arm64:16k riscv64 s390x musl 6.1/1 6.12/1of2 kasan kcsan;
#:                    /1 is one CPU, /1of2 one of two)
#:   CYCLES           how often check-all loads and unloads the module; a fifth as
#:                    often it turns kernel profile events on and off (1000)

.PHONY: all user lib tools python install-python modules modules_install modules_uninstall \
	install install-lib install-tools install-dev install-doc uninstall deb deps demo check check-all static \
	fuzz mutate coverage bench clean help

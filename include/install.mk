# SPDX-License-Identifier: GPL-2.0-only
#
# Common to the makefiles of kmod/, lib/ and tools/: where `make install` puts files, how much
# make prints, and whether warnings are errors. `make help` describes the variables.
#
# A variable that is empty or not set has the value below. All of them begin with $(prefix) but
# $(userfmtdir), the directory that fmt(5) promises.
prefix	?= /usr/local
bindir	?= $(prefix)/bin
sbindir	?= $(prefix)/sbin
libdir	?= $(prefix)/lib
includedir ?= $(prefix)/include
datadir	?= $(prefix)/share
mandir	?= $(datadir)/man
docdir	?= $(datadir)/doc/devtrace
fmtdir	?= $(datadir)/devtrace/fmt
pydir	?= $(prefix)/lib/python3/dist-packages
compdir	?= $(datadir)/bash-completion/completions
# Read by the system at boot: udev/rules.d, sysusers.d, tmpfiles.d, modules-load.d, modprobe.d
confdir	?= $(prefix)/lib
unitdir	?= $(confdir)/systemd/system
userfmtdir := /usr/trace
# Where babeltrace2 looks for plugins, if it has the same libdir
plugindir := $(libdir)/babeltrace2/plugins

# One line a file; with V=1 the commands instead, with `make -s` nothing.
V	?= 0
silent	:= $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
shown	:= $(patsubst %/,%,$(dir $(abspath $(dir $(lastword $(MAKEFILE_LIST))))))/
# $(call say,VERB,FILE): stands in front of a command
say	= $(if $(filter 1,$(V)),,@$(if $(silent),,printf '  %-8s%s\n' '$(1)' '$(2:$(shown)%=%)';))

# WERROR=1, which our own tests set, makes errors of warnings: those of a compiler that is newer
# than this release must not end a user's build.

# $(call put,MODE,SOURCE,FILE...): install SOURCE as each FILE
# $(call put_in,SOURCE,FILE): install SOURCE, with our directories in place of @sbindir@ and the like
# $(call put_link,TARGET,FILE)
define put
$(call say,INSTALL,$(DESTDIR)$(3))install -D -m $(1) $(2) $(DESTDIR)$(3)

endef
define put_in
$(call say,INSTALL,$(DESTDIR)$(2))install -D -m 644 /dev/null $(DESTDIR)$(2) && \
	sed $(foreach d,prefix bindir sbindir libdir includedir datadir,-e 's|@$(d)@|$($(d))|g') \
	-e 's|@version@|$(VERSION)|g' $(1) >$(DESTDIR)$(2)

endef
define put_link
$(call say,INSTALL,$(DESTDIR)$(2))ln -sf $(1) $(DESTDIR)$(2)

endef

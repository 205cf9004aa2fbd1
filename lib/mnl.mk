# SPDX-License-Identifier: GPL-2.0-only
#
# mnl.mk - find libmnl for the target machine
#
# Sets MNL_LIBS to the linker's options; empty without libmnl, and its users are left out.
# MNL_CFLAGS=-I... MNL_LIBS='-L... -lmnl' names a libmnl; otherwise the target's pkg-config finds
# it, or the compiler on its default paths. Include this after CC is set.

comma	:= ,
PKG_CONFIG ?= $(CROSS_COMPILE)pkg-config
ifeq ($(origin MNL_LIBS),undefined)
mnl_pc	:= $(shell $(PKG_CONFIG) --cflags --libs libmnl 2>/dev/null)
MNL_CFLAGS ?= $(filter-out -L% -l% -Wl$(comma)%,$(mnl_pc))
mnl_l	:= $(or $(filter -L% -l% -Wl$(comma)%,$(mnl_pc)),-lmnl)
MNL_LIBS := $(shell printf '\043include <libmnl/libmnl.h>\nint main(void) { return !mnl_socket_open(0); }' | \
	$(CC) $(CPPFLAGS) $(MNL_CFLAGS) $(LDFLAGS) -x c -o /dev/null - $(mnl_l) 2>/dev/null && echo '$(mnl_l)')
endif

# Refuse to link objects of two machines.
machine := $(subst -, ,$(shell $(CC) $(CFLAGS) -dumpmachine 2>/dev/null))
machine := $(firstword $(machine))-$(lastword $(machine))
built_for := $(if $(out),$(shell cat $(out)/.machine 2>/dev/null))
ifneq ($(filter-out $(machine),$(built_for)),)
ifeq ($(filter clean,$(MAKECMDGOALS)),)
$(error $(out) was built for $(built_for) and $(CC) compiles for $(machine): give CROSS_COMPILE= as before, another O=, or make clean first)
endif
endif

# Rebuild everything after a change of the compiler or its version: objects depend on
# $(out)/.compiler, which changes with it.
compiler := $(CC) $(shell $(CC) -dumpfullversion -dumpversion 2>/dev/null)

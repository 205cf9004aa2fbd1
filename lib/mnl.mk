# SPDX-License-Identifier: GPL-2.0-only
#
# mnl.mk - is there a libmnl for the machine that is built for?
#
# Sets MNL_LIBS, how it is linked; empty if there is none: then what needs it is
# left out. To point to one: MNL_CFLAGS=-I... MNL_LIBS='-L... -lmnl'. Else pkg-config
# says where it is, that of the target with its prefix; without one, where the compiler
# looks by itself. Read after CC is set.

comma	:= ,
PKG_CONFIG ?= $(CROSS_COMPILE)pkg-config
ifeq ($(origin MNL_LIBS),undefined)
mnl_pc	:= $(shell $(PKG_CONFIG) --cflags --libs libmnl 2>/dev/null)
MNL_CFLAGS ?= $(filter-out -L% -l% -Wl$(comma)%,$(mnl_pc))
mnl_l	:= $(or $(filter -L% -l% -Wl$(comma)%,$(mnl_pc)),-lmnl)
MNL_LIBS := $(shell printf '\043include <libmnl/libmnl.h>\nint main(void) { return !mnl_socket_open(0); }' | \
	$(CC) $(CPPFLAGS) $(MNL_CFLAGS) $(LDFLAGS) -x c -o /dev/null - $(mnl_l) 2>/dev/null && echo '$(mnl_l)')
endif

# What was built for one machine is not linked with what is built for another.
machine := $(subst -, ,$(shell $(CC) $(CFLAGS) -dumpmachine 2>/dev/null))
machine := $(firstword $(machine))-$(lastword $(machine))
built_for := $(if $(out),$(shell cat $(out)/.machine 2>/dev/null))
ifneq ($(filter-out $(machine),$(built_for)),)
ifeq ($(filter clean,$(MAKECMDGOALS)),)
$(error $(out) was built for $(built_for) and $(CC) compiles for $(machine): give CROSS_COMPILE= as before, another O=, or make clean first)
endif
endif

# Another compiler, or another version of it, builds everything anew: objects depend on
# $(out)/.compiler, which changes when this does.
compiler := $(CC) $(shell $(CC) -dumpfullversion -dumpversion 2>/dev/null)

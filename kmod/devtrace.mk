# SPDX-License-Identifier: GPL-2.0-only
#
# devtrace.mk - for the Kbuild of a driver that traces; see devtrace(9)
#
#	include /usr/local/share/devtrace/devtrace.mk
#	obj-m += driver.o
#
# Adds the search path of <linux/devtrace.h>, and the define without which all calls compile to
# nothing. Works from where it was installed and from the source tree. If there is a Module.symvers
# for the kernel, or in the source tree one of the last build, it adds this, too: only a driver with
# a watch needs it, for the symbols of devtrace_watch.ko.

# Empty where a Makefile that people run includes it: Kbuild comes later.
ifneq ($(KERNELRELEASE),)
devtrace_dir := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
devtrace_include := $(firstword $(wildcard $(devtrace_dir)/include $(devtrace_dir)/../include))
# The kernel's name for itself: Debian's headers have another KERNELRELEASE here and there
devtrace_release := $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
		      $(objtree)/include/generated/utsrelease.h)
devtrace_symbols := $(firstword $(wildcard $(devtrace_dir)/$(devtrace_release)/Module.symvers \
					   $(devtrace_dir)/Module.symvers))

subdir-ccflags-y += -I$(devtrace_include) -DCONFIG_DEVTRACE_MODULE=1
KBUILD_EXTRA_SYMBOLS += $(devtrace_symbols)
endif

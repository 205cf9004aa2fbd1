# SPDX-License-Identifier: GPL-2.0-only
SUMMARY = "Kernel modules of devtrace, a recorder of kernel and program events"
DESCRIPTION = "Creates /dev/trace, a circular buffer into which drivers and programs emit events."
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://../LICENSES/GPL-2.0-only.txt;md5=eb723b61539feef013de476e68b5c50a"

require devtrace.inc
inherit module

S = "${DEVTRACE_SOURCE}/kmod"

# The class says where modules go. The headers, devtrace.mk and the symbols that drivers are built
# with go to ${datadir}/devtrace.
EXTRA_OEMAKE += "V=1 DESTDIR=${D} prefix=${prefix} datadir=${datadir}"

do_install:append() {
	sed -i 's|${B}/||' ${D}${datadir}/devtrace/*/Module.symvers
}

FILES:${PN}-dev += "${datadir}/devtrace"

# devtrace is enough for events of drivers and programs. local.conf may add devtrace_profile,
# devtrace_watch or devtrace_persist.
KERNEL_MODULE_AUTOLOAD += "devtrace"

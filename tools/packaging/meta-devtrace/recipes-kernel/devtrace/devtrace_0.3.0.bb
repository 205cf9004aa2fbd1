# SPDX-License-Identifier: GPL-2.0-only
SUMMARY = "Tools and libraries of devtrace, a recorder of kernel and program events"
DESCRIPTION = "traceinfo, tracectl, tracelogger and the libraries by which programs emit events."
LICENSE = "GPL-2.0-only & LGPL-2.1-or-later"
LIC_FILES_CHKSUM = "file://LICENSES/GPL-2.0-only.txt;md5=eb723b61539feef013de476e68b5c50a \
                    file://LICENSES/LGPL-2.1-or-later.txt;md5=55ccb655f59e2fe746d02b145bfffd3c \
                   "

require devtrace.inc
inherit bash-completion pkgconfig ptest systemd update-rc.d useradd

SRC_URI += "file://Documentation;subdir=devtrace \
            file://Makefile;subdir=devtrace \
            file://README.md;subdir=devtrace \
            file://lib;subdir=devtrace \
            file://tools;subdir=devtrace \
            file://run-ptest \
           "
S = "${DEVTRACE_SOURCE}"
B = "${WORKDIR}/build"

PACKAGECONFIG ??= "ctl zstd"
PACKAGECONFIG[ctl] = ",MNL_LIBS=,libmnl"
PACKAGECONFIG[zstd] = ",ZSTD_LIBS=,zstd"

EXTRA_OEMAKE = "-C ${S} O=${B} V=1 CC='${CC}' AR='${AR}' PKG_CONFIG=pkg-config BT_LIBS= \
                prefix=${prefix} bindir=${bindir} sbindir=${sbindir} libdir=${libdir} \
                includedir=${includedir} datadir=${datadir} mandir=${mandir} \
                docdir=${docdir}/devtrace confdir=${nonarch_libdir} \
                unitdir=${systemd_system_unitdir} ${PACKAGECONFIG_CONFARGS}"

do_compile() {
	oe_runmake user
}

# The recipe of the module has the files that drivers are built with, and those for modprobe.
do_install() {
	oe_runmake DESTDIR=${D} install
	rm -r ${D}${datadir}/devtrace/devtrace.mk ${D}${datadir}/devtrace/include \
		${D}${nonarch_libdir}/modules-load.d
	install -d ${D}${sysconfdir}/init.d ${D}${docdir}/devtrace/examples
	mv ${D}${nonarch_libdir}/modprobe.d/devtrace.conf ${D}${docdir}/devtrace/examples/modprobe.conf
	rmdir ${D}${nonarch_libdir}/modprobe.d
	install -m 755 ${D}${datadir}/devtrace/devtrace.init ${D}${sysconfdir}/init.d/devtrace
	rm ${D}${datadir}/devtrace/devtrace.init
	if [ ${nonarch_libdir} != ${nonarch_base_libdir} ]; then
		install -d ${D}${nonarch_base_libdir}
		mv ${D}${nonarch_libdir}/udev ${D}${nonarch_base_libdir}/udev
	fi
}

PACKAGES =+ "libdevtrace libdevtrace-ctl"
FILES:libdevtrace = "${libdir}/libdevtrace${SOLIBS} ${libdir}/libdevtrace-qp${SOLIBS} \
                     ${libdir}/libdevtrace-rkh${SOLIBS} ${libdir}/libdevtrace-rx${SOLIBS}"
FILES:libdevtrace-ctl = "${libdir}/libdevtrace-ctl${SOLIBS}"
FILES:${PN} += "${nonarch_libdir}/sysusers.d ${nonarch_libdir}/tmpfiles.d \
                ${nonarch_base_libdir}/udev ${systemd_system_unitdir} ${prefix}/trace"
FILES:${PN}-dev += "${libdir}/cmake"
RDEPENDS:${PN}-dev = "libdevtrace (= ${EXTENDPKGV})"
RRECOMMENDS:${PN} = "kernel-module-devtrace"
RDEPENDS:${PN}-ptest += "kernel-module-devtrace"

# tracelogger.service waits until somebody enables it.
SYSTEMD_SERVICE:${PN} = "devtrace.service devtrace-filters.service"
INITSCRIPT_NAME = "devtrace"
INITSCRIPT_PARAMS = "defaults 30"

# Members of devtrace may emit and read, those of devtrace-read may read.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system devtrace; --system devtrace-read"

################################################################################
#
# devtrace
#
################################################################################

DEVTRACE_VERSION = 0.3.0
# The source is the tree that contains this directory.
DEVTRACE_SITE = $(realpath $(BR2_EXTERNAL_DEVTRACE_PATH)/../../..)
DEVTRACE_SITE_METHOD = local
DEVTRACE_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = \
	--exclude=/build --exclude='*.o' --exclude='*.ko' --exclude='*.cmd' \
	--exclude='*.mod*' --exclude=Module.symvers --exclude=modules.order
DEVTRACE_LICENSE = GPL-2.0, LGPL-2.1+ (libraries), GPL-2.0 with Linux-syscall-note (headers)
DEVTRACE_LICENSE_FILES = LICENSES/GPL-2.0-only.txt LICENSES/LGPL-2.1-or-later.txt \
	LICENSES/Linux-syscall-note.txt
DEVTRACE_INSTALL_STAGING = YES
DEVTRACE_DEPENDENCIES = host-pkgconf libmnl
DEVTRACE_MODULE_SUBDIRS = kmod
# No samples
DEVTRACE_MODULE_MAKE_OPTS = DEVTRACE_SAMPLES=

DEVTRACE_MAKE_OPTS = $(TARGET_CONFIGURE_OPTS) O=$(@D)/build prefix=/usr V=1 BT_LIBS=

ifeq ($(BR2_PACKAGE_ZSTD),y)
DEVTRACE_DEPENDENCIES += zstd
else
DEVTRACE_MAKE_OPTS += ZSTD_LIBS=
endif

define DEVTRACE_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_NET)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_ENABLE_DEFAULT_TRACERS)
endef

define DEVTRACE_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(DEVTRACE_MAKE_OPTS) -C $(@D) user
endef

# With what drivers are built with: the modules are built by now.
define DEVTRACE_INSTALL_STAGING_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(DEVTRACE_MAKE_OPTS) -C $(@D) \
		DESTDIR=$(STAGING_DIR) install-lib install-dev
endef

define DEVTRACE_INSTALL_TARGET_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(DEVTRACE_MAKE_OPTS) -C $(@D) \
		DESTDIR=$(TARGET_DIR) install-lib install-tools
endef

define DEVTRACE_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(TARGET_DIR)/usr/share/devtrace/devtrace.init \
		$(TARGET_DIR)/etc/init.d/S30devtrace
endef

# Buildroot enables all units: tracelogger waits until somebody enables it.
define DEVTRACE_INSTALL_INIT_SYSTEMD
	mkdir -p $(TARGET_DIR)/usr/lib/systemd/system-preset
	echo "disable tracelogger.service" \
		>$(TARGET_DIR)/usr/lib/systemd/system-preset/50-devtrace.preset
endef

# Members of devtrace may emit and read, those of devtrace-read may read.
define DEVTRACE_USERS
	- - devtrace -1 - - - - -
	- - devtrace-read -1 - - - - -
endef

$(eval $(kernel-module))
$(eval $(generic-package))

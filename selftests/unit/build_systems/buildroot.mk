# SPDX-License-Identifier: GPL-2.0-only
#
# buildroot.mk - what Buildroot gives a package that is a kernel module and more, for
# test_build_systems.sh: make -f buildroot.mk BR2_EXTERNAL_DEVTRACE_PATH=... BUILD_DIR=...
# LINUX_DIR=... CROSS=... BASE=... TARGET_CFLAGS=... all
#
# Order and arguments are those of Buildroot's generic-package and kernel-module.
STAGING_DIR	:= $(BASE)/staging
TARGET_DIR	:= $(BASE)/target
INSTALL		:= install
TARGET_MAKE_ENV	:= GIT_DIR=.
TARGET_CONFIGURE_OPTS = AR="$(CROSS)ar" CC="$(CROSS)gcc" LD="$(CROSS)ld" STRIP="$(CROSS)strip" \
	CPPFLAGS="-D_LARGEFILE_SOURCE" CFLAGS="$(TARGET_CFLAGS)" LDFLAGS="" \
	PKG_CONFIG="pkg-config" STAGING_DIR="$(STAGING_DIR)" CXX=no
LINUX_MAKE_FLAGS = HOSTCC=gcc ARCH=$(ARCH) INSTALL_MOD_PATH=$(TARGET_DIR) \
	CROSS_COMPILE="$(CROSS)" WERROR=0 DEPMOD=true INSTALL_MOD_STRIP=1
KCONFIG_ENABLE_OPT = $(1)=y

kernel-module =
generic-package =
include $(BR2_EXTERNAL_DEVTRACE_PATH)/external.mk

module = $(foreach d,$(DEVTRACE_MODULE_SUBDIRS),$(MAKE) -C $(LINUX_DIR) $(LINUX_MAKE_FLAGS) \
	$(DEVTRACE_MODULE_MAKE_OPTS) PWD=$(@D)/$(d) M=$(@D)/$(d)) $(1)

all: $(BUILD_DIR)/done
.PHONY: all fixups licences $(BUILD_DIR)/done
$(BUILD_DIR)/done:
	rsync -au --chmod=u=rwX,go=rX $(DEVTRACE_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS) --exclude=.git \
		$(DEVTRACE_SITE)/ $(@D)
	$(DEVTRACE_BUILD_CMDS)
	$(call module,modules)
	$(DEVTRACE_INSTALL_STAGING_CMDS)
	$(DEVTRACE_INSTALL_TARGET_CMDS)
	$(DEVTRACE_INSTALL_INIT_$(INIT))
	$(call module,modules_install)
	cd $(@D) && sha256sum -c --quiet $(BASE)/hashes

# For the test
fixups: ; $(info $(DEVTRACE_LINUX_CONFIG_FIXUPS)) @:
licences: ; @printf '%s\n' $(DEVTRACE_LICENSE_FILES)

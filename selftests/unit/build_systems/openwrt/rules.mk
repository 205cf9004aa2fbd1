# SPDX-License-Identifier: GPL-2.0-only
#
# rules.mk - what OpenWrt gives a package of a module and programs, for test_build_systems.sh
#
# OpenWrt's own rules.mk and its includes for kernels and packages do the same in this order:
# prepare, compile, install to the staging directory, and then a directory a package.
# Variables: BASE, PKG_BUILD_DIR, LINUX_DIR, TARGET_CROSS, LINUX_KARCH, TARGET_CFLAGS, LINUX_UNAME_VERSION.
INCLUDE_DIR	:= $(TOPDIR)/include
PKG_INSTALL_DIR	= $(PKG_BUILD_DIR)/ipkg-install
STAGING_DIR	:= $(BASE)/staging
INSTALL_DIR	:= install -d -m0755
CP		:= cp -fpR
TARGET_CONFIGURE_OPTS = AR="$(TARGET_CROSS)gcc-ar" CC="$(TARGET_CROSS)gcc" LD="$(TARGET_CROSS)ld" \
	STRIP="$(TARGET_CROSS)strip"
KERNEL_MAKE	= $(MAKE) -C $(LINUX_DIR) CROSS_COMPILE="$(TARGET_CROSS)" ARCH=$(LINUX_KARCH) \
	KBUILD_HAVE_NLS=no CC="$(TARGET_CROSS)gcc"
MODULES_SUBDIR	:= lib/modules/$(LINUX_UNAME_VERSION)
MAKE_VARS	= CFLAGS="$(TARGET_CFLAGS)" CXXFLAGS="$(TARGET_CFLAGS)" LDFLAGS="$(TARGET_LDFLAGS)"
MAKE_FLAGS	= $(TARGET_CONFIGURE_OPTS) CROSS="$(TARGET_CROSS)" ARCH="$(ARCH)"
AutoLoad	= $(1) $(2) $(3)

define Build/Compile/Default
	+$(MAKE_VARS) $(MAKE) -C $(PKG_BUILD_DIR) $(MAKE_FLAGS) $(1);
endef

define Build/Install/Default
	$(MAKE_VARS) $(MAKE) -C $(PKG_BUILD_DIR) $(MAKE_FLAGS) DESTDIR="$(PKG_INSTALL_DIR)" \
		$(if $(1),$(1),install);
endef

define BuildPackage
all: package-$(1)
.PHONY: package-$(1)
package-$(1): compiled
	$$(call Package/$(1)/install,$$(BASE)/packages/$(1))
endef

define KernelPackage
$(eval $(call KernelPackage/$(1)))
all: module-$(1)
.PHONY: module-$(1)
module-$(1): FILES := $(FILES)
module-$(1): AUTOLOAD := $(AUTOLOAD)
module-$(1): compiled
	$$(INSTALL_DIR) $$(BASE)/packages/kmod-$(1)/$$(MODULES_SUBDIR) $$(BASE)/packages/kmod-$(1)/etc/modules.d
	$$(CP) -L $$(FILES) $$(BASE)/packages/kmod-$(1)/$$(MODULES_SUBDIR)/
	echo $$(word 2,$$(AUTOLOAD)) >$$(BASE)/packages/kmod-$(1)/etc/modules.d/$$(firstword $$(AUTOLOAD))-$(1)
endef

all:
.PHONY: all compiled
compiled:
	$(Build/Prepare)
	$(Build/Compile)
	$(call Build/InstallDev,$(STAGING_DIR))

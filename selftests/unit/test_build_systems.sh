#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_build_systems.sh - the recipes of tools/packaging for Yocto, Buildroot and OpenWrt build
# and install what build_systems/*.list says, each file in its package, by the calls that these
# build systems make; versions and checksums are those of the tree
#
# build_systems/ has stand-ins for the three, which run the recipes' own commands. With YOCTO_DIR, a
# checkout of openembedded-core with bitbake in it, or BUILDROOT_DIR the packages are built for
# real by README's lines, which takes hours.
. "$(dirname "$0")/doc.sh"
packaging=$top/tools/packaging
layer=$packaging/meta-devtrace/recipes-kernel/devtrace
systems=$here/build_systems
version=$(sed -n 's/^DEVTRACE_VERSION := //p' "$top/include/version.mk")
unset O CC CFLAGS LDFLAGS MNL_LIBS MNL_CFLAGS ZSTD_LIBS ZSTD_CFLAGS DESTDIR prefix CROSS_COMPILE
# Quickly: nothing of it runs but the tools. Each with debugging information, to be split off.
export KCFLAGS=-g0
flags="-O0 -g"

# One version, and the checksums of licences
for recipe in devtrace kernel-module-devtrace; do
	check "the recipe $recipe is of version $version" test -e "$layer/${recipe}_$version.bb"
	check "and there is no other" test "$(find "$layer" -name "${recipe}_*.bb" | wc -l)" = 1
done
check "so is Buildroot's package" grep -qx "DEVTRACE_VERSION = $version" "$packaging/buildroot/package/devtrace/devtrace.mk"
check "so is OpenWrt's" grep -qx "PKG_VERSION:=$version" "$packaging/openwrt/devtrace/Makefile"
sed -n 's|.*file://\(\.\./\)*\(LICENSES/[^;]*\);md5=\([0-9a-f]*\).*|\3  \2|p' "$layer"/*.bb >"$tmp/md5"
check "Yocto's recipes have licences" test "$(wc -l <"$tmp/md5")" -ge 3
check "with their checksums" sh -c "cd '$top' && md5sum -c --quiet '$tmp/md5'"
sed -n 's/^sha256 *//p' "$packaging/buildroot/package/devtrace/devtrace.hash" >"$tmp/hashes"
check "so has Buildroot's package" sh -c "cd '$top' && sha256sum -c --quiet '$tmp/hashes'"
check "those in its .hash are all that it names" test "$(sed 's/.* //' "$tmp/hashes" | sort | xargs)" = \
	"$(make -s -f "$systems/buildroot.mk" BR2_EXTERNAL_DEVTRACE_PATH="$packaging/buildroot" licences | sort | xargs)"

kdir=$("$top/selftests/vm/board" --kernel 6.1 --kdir) || exit 1
release=$("$top/selftests/vm/board" --kernel 6.1 --release)
# Debian's headers are a source and a build directory, as Yocto's are.
source=$(sed -n 's|^include \(.*\)/Makefile$|\1|p' "$kdir/Makefile")
cross=$(gcc -dumpmachine)
case $cross in x86_64-*) cross=x86_64-linux-gnu- ;; *) cross= ;; esac
if [ -z "$cross" ] || ! command -v ${cross}gcc >/dev/null || [ ! -d "$source" ]; then
	skip "builds" "no ${cross}gcc, or no kernel with a build directory of its own"
	done_testing
	exit
fi
has_mnl() { printf '#include <libmnl/libmnl.h>\n' | ${cross}gcc -E - >/dev/null 2>&1; }

# like_list LIST FILE: programs, formats, headers and pages, which test_install.sh looks at one by
# one, are a line for each directory. UPDATE=1 writes the list anew.
like_list()
{
	sed "/^#/d; s/@version@/$version/; s/@release@/$release/" "$systems/$1.list" | sort >"$tmp/want"
	sed 's|/usr/include/\([a-z]*\)[-./].*|/usr/include/\1*|; s|\(/man/man.\)/.*|\1/*|
		s,\(/completions\|/fmt\|/pictures\|/usr/s*bin\)/.*,\1/*,; s|/[a-z-]*\.rst$|/*.rst|' "$2" | sort -u >"$tmp/got"
	if [ -n "${UPDATE-}" ]; then
		{
			sed -n '/^#/p' "$systems/$1.list"
			sed "s/\\.so\\.$version/.so.@version@/; s/$release/@release@/" "$tmp/got"
		} >"$tmp/new"
		cp "$tmp/new" "$systems/$1.list"
	fi
	has_mnl || { for f in want got; do sed -i '/tracectl\|-ctl\|netlink/d' "$tmp/$f"; done; }
	diff "$tmp/want" "$tmp/got"
}
files() { (cd "$1" && { find . ! -type d; find . -type d -empty | sed 's|$|/|'; }) | sed "s|^\.|$2|"; }
# with_symbols DIR: no file is stripped; the build system splits debugging information off
with_symbols()
{
	find "$1" -type f \( -path '*/bin/*' -o -path '*/sbin/*' -o -name '*.so.*' \) \
		-exec sh -c 'for f; do readelf -S "$f" 2>/dev/null | grep -q "\.debug_info" || echo "$f"; done' sh {} + |
		diff /dev/null -
}

#
# Yocto: both recipes, for machines whose /lib is no link
#
yocto()	# VERB RECIPE...
{
	python3 "$systems/recipe.py" "$1" "$layer/$2_$version.bb" "$tmp/$2.conf" "${3-}"
}
# The commands of module.bbclass; ${...} is for recipe.py
# shellcheck disable=SC2016
module_class='module_do_compile() {
	unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
	oe_runmake KERNEL_PATH=${STAGING_KERNEL_DIR} KERNEL_VERSION=${KERNEL_VERSION} \
		CC="${KERNEL_CC}" LD="${KERNEL_LD}" AR="${KERNEL_AR}" OBJCOPY="${KERNEL_OBJCOPY}" \
		STRIP="${KERNEL_STRIP}" O=${STAGING_KERNEL_BUILDDIR} KBUILD_EXTRA_SYMBOLS=""
}
module_do_install() {
	unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
	oe_runmake DEPMOD=echo MODLIB="${D}${nonarch_base_libdir}/modules/${KERNEL_VERSION}" \
		INSTALL_FW_PATH="${D}${nonarch_base_libdir}/firmware" CC="${KERNEL_CC}" LD="${KERNEL_LD}" \
		OBJCOPY="${KERNEL_OBJCOPY}" STRIP="${KERNEL_STRIP}" O=${STAGING_KERNEL_BUILDDIR} \
		KBUILD_EXTRA_SYMBOLS="" modules_install
	install -Dm0644 ${B}/Module.symvers ${D}${includedir}/${BPN}/Module.symvers
}'
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "depmod $*" >>%s/depmod\n' "$tmp" >"$tmp/bin/depmod"
chmod +x "$tmp/bin/depmod"
bitbake()	# RECIPE: unpacks, runs its tasks
{
	work=$tmp/yocto/$1
	mkdir -p "$work/build"
	sed "s|@work@|$work|; s|@release@|$release|; s|@source@|$source|; s|@build@|$kdir|
		s|@cc@|${cross}gcc|; s|@ar@|${cross}ar|; s|@ld@|${cross}ld|; s|@objcopy@|${cross}objcopy|
		s|@strip@|${cross}strip|" "$systems/vars.conf.in" >"$tmp/$1.conf"
	yocto sources "$1" >"$tmp/sources" || return
	while read -r from to; do
		mkdir -p "$work/$to"
		cp -r "$from" "$work/$to/"
	done <"$tmp/sources"
	CLASS=$module_class yocto script "$1" >"$tmp/$1.tasks" || return
	PATH=$tmp/bin:$PATH CFLAGS=$flags LDFLAGS='' sh "$tmp/$1.tasks"
}
for recipe in kernel-module-devtrace devtrace; do
	check "Yocto: $recipe is built and installed" bitbake $recipe
	yocto packages $recipe >"$tmp/packages"
	check "each file is in its package" like_list yocto-$recipe "$tmp/packages"
done
check "depmod is left to the image" test ! -e "$tmp/depmod"
check "the module is loaded at boot" test "$(yocto value kernel-module-devtrace KERNEL_MODULE_AUTOLOAD | xargs)" = devtrace
check "symbols for drivers name no directory of the build" sh -c \
	"! grep '$tmp' '$tmp/yocto/kernel-module-devtrace/image/usr/share/devtrace/$release/Module.symvers'"
check "debugging information is there to be split off" with_symbols "$tmp/yocto/devtrace/image"
yocto packages devtrace | sed 's/^[^ ]* //' | sort >"$tmp/tools"
yocto packages kernel-module-devtrace | sed 's/^[^ ]* //' | sort >"$tmp/module"
check "no file is in both recipes" test -z "$(comm -12 "$tmp/tools" "$tmp/module")"
check "services that start at boot are installed" sh -c "for s in $(yocto value devtrace SYSTEMD_SERVICE:devtrace); do
	test -e '$tmp/yocto/devtrace/image/lib/systemd/system/'\$s || exit; done"
sed -n 's/^g \([a-z-]*\) .*/--system \1;/p' "$packaging/boot/sysusers.conf" | xargs -0 | xargs >"$tmp/groups"
check "groups are those of sysusers" test "$(yocto value devtrace GROUPADD_PARAM:devtrace);" = "$(cat "$tmp/groups")"
image=$tmp/yocto/devtrace/image
PATH=$image/usr/bin:$image/usr/sbin:$PATH sh "$image/usr/lib/devtrace/ptest/run-ptest" >"$tmp/said" 2>&1
check "ptest passes" test $? = 0
check "and says what passed" grep '^PASS: traceinfo starts$' "$tmp/said"
check "and no more" sh -c "! grep -v '^PASS: \|^SKIP: ' '$tmp/said'"

#
# Buildroot: programs with sysv's init, and once more its files for systemd. The directory in which
# Yocto's module was built has the modules: Kbuild compares commands.
#
built=$tmp/yocto/kernel-module-devtrace/devtrace
buildroot()	# INIT
{
	mkdir -p "$tmp/buildroot"
	cp "$tmp/hashes" "$tmp/buildroot/hashes"
	make -s -f "$systems/buildroot.mk" BR2_EXTERNAL_DEVTRACE_PATH="$packaging/buildroot" \
		BUILD_DIR="$built" BASE="$tmp/buildroot" LINUX_DIR="$kdir" CROSS="$cross" \
		ARCH=x86_64 TARGET_CFLAGS="$flags" BR2_PACKAGE_ZSTD=y INIT="$1" all
}
check "Buildroot: the package is built and installed" buildroot SYSV
{ files "$tmp/buildroot/target" target && files "$tmp/buildroot/staging" staging; } >"$tmp/found"
check "target and staging have their files" like_list buildroot "$tmp/found"
check "once more, with systemd" buildroot SYSTEMD
files "$tmp/buildroot/target" target | grep -vxFf "$tmp/found" >"$tmp/new"
check "has a preset more" test "$(cat "$tmp/new")" = target/usr/lib/systemd/system-preset/50-devtrace.preset
check "debugging information is there to be split off" with_symbols "$tmp/buildroot/target"
check "the kernel has what the modules ask for" sh -c "
	make -s -f '$systems/buildroot.mk' BR2_EXTERNAL_DEVTRACE_PATH='$packaging/buildroot' fixups | grep -q 'CONFIG_FTRACE=y\$'"

#
# OpenWrt
#
openwrt()
{
	make -s -C "$packaging/openwrt/devtrace" TOPDIR="$systems/openwrt" BASE="$tmp/openwrt" PKG_BUILD_DIR="$built" \
		LINUX_DIR="$kdir" TARGET_CROSS="$cross" LINUX_KARCH=x86_64 ARCH=x86_64 TARGET_CFLAGS="$flags" \
		LINUX_UNAME_VERSION="$release" all
}
check "OpenWrt: the packages are built" openwrt
{ files "$tmp/openwrt/packages" '' | sed 's|^/\([^/]*\)/|\1 /|'; files "$tmp/openwrt/staging" 'staging '; } >"$tmp/found"
check "each file is in its package" like_list openwrt "$tmp/found"
check "the module is loaded at boot" grep -qx devtrace "$tmp/openwrt/packages/kmod-devtrace/etc/modules.d/30-devtrace"

#
# README's lines: those for Yocto and Buildroot are run where these are
#
# readme HEAD: of "Your build system"
readme() { sed -n "/^### $1\$/,/^#/p" "$top/README.md" | commands | sed "s|/path/to/devtrace|$top|"; }
readme Debian | grep -o '[a-z0-9-]*_\*\.deb' | sed 's/_.*//' >"$tmp/debs"
check "README installs packages" test -s "$tmp/debs"
while read -r deb; do
	check "Debian's control has README's $deb" grep -qx "Package: $deb" "$packaging/debian/control"
done <"$tmp/debs"
check "README's layer is there" test -e "$(readme Yocto | sed -n 's/^bitbake-layers add-layer //p')/conf/layer.conf"
check "README installs a recipe's package" test -e \
	"$layer/$(readme Yocto | sed -n 's/.*:append = " \(.*\)".*/\1/p')_$version.bb"
check "with which the modules come" grep -q '^RRECOMMENDS:.* = "kernel-module-devtrace"$' "$layer/devtrace_$version.bb"
check "README's external tree is there" test -e "$(readme Buildroot | sed -n 's/^external=//p')/external.desc"
check "README's option is the package's" grep -qx "config $(readme Buildroot | sed -n 's/^echo \(.*\)=y .*/\1/p')" \
	"$packaging/buildroot/package/devtrace/Config.in"
for head in Debian Yocto Buildroot; do
	check "README's lines for $head are ten at most" test "$(readme $head | wc -l)" -le 10
done

# bitbake does not run as root.
real_yocto()
{
	readme Yocto >"$tmp/lines"
	printf '. "%s/oe-init-build-env" "%s" >/dev/null || exit\n' "$YOCTO_DIR" "$tmp/real/yocto" |
		cat - "$tmp/lines" >"$tmp/real/run"
	owner=$(stat -c %U "$YOCTO_DIR")
	chmod 755 "$tmp" && chown -R "$owner" "$tmp/real" || return
	if [ "$(id -un)" = "$owner" ]; then bash -e "$tmp/real/run"; else su "$owner" -s /bin/bash -c "bash -e '$tmp/real/run'"; fi
}
mkdir -p "$tmp/real/buildroot"
if [ -n "${YOCTO_DIR-}" ]; then
	check "Yocto builds by README's lines" real_yocto
else
	skip "Yocto builds by README's lines" "no YOCTO_DIR"
fi
real_buildroot()
{
	printf '%s\n' BR2_x86_64=y BR2_TOOLCHAIN_BUILDROOT_GLIBC=y BR2_LINUX_KERNEL=y \
		BR2_LINUX_KERNEL_USE_ARCH_DEFAULT_CONFIG=y BR2_TOOLCHAIN_BUILDROOT_CXX=y >"$tmp/real/config"
	make -C "$BUILDROOT_DIR" O="$tmp/real/buildroot" BR2_DEFCONFIG="$tmp/real/config" defconfig || return
	readme Buildroot >"$tmp/lines"
	(cd "$tmp/real/buildroot" && sh -e "$tmp/lines") && test -x "$tmp/real/buildroot/target/usr/bin/traceinfo"
}
if [ -n "${BUILDROOT_DIR-}" ]; then
	check "Buildroot builds by README's lines" real_buildroot
else
	skip "Buildroot builds by README's lines" "no BUILDROOT_DIR"
fi
done_testing

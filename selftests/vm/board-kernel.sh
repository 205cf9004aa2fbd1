# shellcheck shell=bash disable=SC2154,SC2034 # board sets and uses variables
# SPDX-License-Identifier: GPL-2.0-only
#
# board-kernel.sh - part of board: which kernel, and its files in the cache
#
# Sourced by board, which has set arch, host_arch, flavour, series, update,
# cache and tmp. Sets release and root (resolve), base (get_busybox), kdir
# (get_headers), sysroot (get_sysroot) and source_dir (get_source). Everything in the cache is made
# beside its place and moved there, or stamped when complete, so that what was
# interrupted is done again.

# An ARCH below is an architecture of this machine's release of Debian, or ARCH@RELEASE

# The release of Debian whose backports have the newest kernel that a stable release gets.
# Programs of its kernel package (modpost, objtool) and its compiler run there: see in-debian.
newest_of=trixie

# apt ARCH PROGRAM ARGS...: apt with package lists of our own, so that neither
# root nor a configured foreign architecture is needed
apt()
{
	local a=${1%@*} prog=$2 d=$cache/apt/$1 from=()
	[[ $1 != *@* ]] || from=(-o Dir::Etc::sourcelist="$d/sources.list"
		-o Dir::Etc::sourceparts=/dev/null -o Acquire::Retries=0 -o Acquire::http::Timeout=20)
	shift 2
	mkdir -p "$d/state/lists/partial" "$d/cache/archives/partial"
	"$prog" -qq -o APT::Architecture="$a" -o APT::Architectures="$a" \
		-o Dir::State="$d/state" -o Dir::State::status=/dev/null \
		-o Dir::Cache="$d/cache" -o APT::Sandbox::User="$(id -un)" "${from[@]}" "$@"
}

# sources RELEASE: sources of packages of another release of Debian: the hosts that this
# machine has its own from, then the archive of old releases
sources()
{
	local own key=/usr/share/keyrings/debian-archive-keyring.gpg

	own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	[ -r $key ] && key=" signed-by=$key" || key=
	{
		apt-get indextargets --format '$(REPO_URI) $(RELEASE) main' 'Identifier: Packages' |
			sed -n "s/ ${own:-stable}\([^ ]*\) / $1\1 /p" | sort -u
		echo "http://archive.debian.org/debian $1 main"
		echo "http://archive.debian.org/debian-security $1-security main"
	} | sed "s|^|deb [check-valid-until=no$key] |"
}

# lists ARCH: bring the package lists up to date. A source that fails does not
# matter as long as the packages are found, so that is what decides later.
lists()
{
	local log=$cache/apt/$1/update.log
	[[ $1 != *@* ]] || sources "${1#*@}" >"$cache/apt/$1/sources.list"
	apt "$1" apt-get update >"$tmp/apt" 2>&1 || :
	mv "$tmp/apt" "$log"
}

# of_kernel ARCH: the same, in the release of Debian that has the kernel. The release of this
# machine does not support riscv64, but the next release does.
of_kernel()
{
	case $kernel,$arch in
	5.10*)	echo "$1@bullseye" ;;
	newest,*) echo "$1@$newest_of-backports" ;;
	16k,*|*,riscv64) echo "$1@$newest_of" ;;
	*)	echo "$1" ;;
	esac
}

# of_programs ARCH: the same, in the release of Debian that has the programs of a board: the release
# of this machine, if it supports ARCH
of_programs()
{
	case $1 in
	riscv64) echo "$1@$newest_of" ;;
	*)	echo "$1" ;;
	esac
}

# depends_on ARCH PACKAGE GREP: the first dependency that matches, if any
depends_on()
{
	apt "$1" apt-cache depends --no-recommends --no-suggests "$2" 2>/dev/null |
		sed -n 's/^ *|\?Depends: *//p' | grep -m1 -E -- "$3" || :
}

version_of()
{
	apt "$1" apt-cache show "$2" 2>/dev/null | sed -n 's/^Version: //p' | head -n 1
}

# none TEXT: a kernel of an older Debian cannot be had
none() { say "no kernel $kernel for $arch: $*"; exit $STATUS_NONE; }

# resolve_now: sets release, version, parts, common, kbuild, busybox
resolve_now()
{
	local meta pkg='' a

	a=$(of_kernel "$arch")
	for meta in ${series:+linux-image-$series-$flavour} "linux-image-$flavour"; do
		pkg=$(depends_on "$a" "$meta" '^linux-image-[0-9]')
		[[ -z $pkg || $pkg == linux-image-${series:-}* ]] || pkg=
		[ -z "$pkg" ] || break
	done
	[ -n "$pkg" ] || return 1
	release=${pkg#linux-image-}
	version=$(version_of "$a" "$pkg")
	# From Linux 7 on the package is empty, and needs these
	parts=$(apt "$a" apt-cache depends --no-recommends --no-suggests "$pkg" 2>/dev/null |
		grep -oE "linux-(base|binary|modules)-$(sed 's/[+.]/\\&/g' <<<"$release")$" | tr '\n' ' ')
	common=$(depends_on "$a" "linux-headers-$release" '^linux-headers-.*-common')
	kbuild=$(depends_on "$a" "linux-headers-$release" '^linux-kbuild-')
	busybox=$(version_of "$(of_programs "$arch")" busybox-static)
	[ -n "$version" ] && [ -n "$common" ] && [ -n "$kbuild" ] && [ -n "$busybox" ]
}

younger() { [ -n "$(find "$2" -mmin "-$1" 2>/dev/null)" ]; }	# MINUTES FILE

# A kernel of our own is of the source that Debian's default kernel has now. Its
# name in the cache has all that it depends on. Others may fetch while it is built.
resolve_debug()
{
	local file=$cache/resolved/debug-$debug recipe pkg v

	recipe=$(cat "$here"/kernels/{base,"$debug"}.config "$here/build-kernel" | sha256sum)
	if [ -n "$update" ] || ! younger 1440 "$file"; then
		resolve_debian
		source_package
		declare -p pkg v busybox | sed 's/^declare -- //' >"$tmp/resolved"
		mv "$tmp/resolved" "$file"
	fi
	# shellcheck disable=SC1090 # written above
	. "$file"
	root=$cache/kernel/${pkg#linux-source-}-${debug}_${v}_${recipe:0:12}
	if [ ! -e "$root/release" ]; then
		get_source .
		flock -u 9
		mkdir -p "$root"
		exec 6>"$root/.lock"
		flock 6
		if [ ! -e "$root/release" ]; then
			say "building the $debug kernel from $pkg $v, which takes some minutes"
			"$here/build-kernel" "$debug" "$source_dir" "$root" >&2 ||
				die "cannot build the $debug kernel"
			depmod -b "$root" "$(cat "$root/release")"
		fi
		exec 6>&-
		flock 9
	fi
	release=$(cat "$root/release")
}

resolve() { if [ -n "$debug" ]; then resolve_debug; else resolve_debian; fi; }

resolve_busybox()
{
	local a

	a=$(of_programs "$arch")
	mkdir -p "$cache/apt/$a"
	busybox=$(version_of "$a" busybox-static)
	[ -n "$busybox" ] || { lists "$a"; busybox=$(version_of "$a" busybox-static); }
}

resolve_debian()
{
	local file=$cache/resolved/$arch-$flavour-${kernel:-default}

	local a old programs

	a=$(of_kernel "$arch")
	programs=$(of_programs "$arch")
	mkdir -p "$cache/resolved" "$cache/apt/$programs" "$cache/apt/$a"
	if [ -n "$update" ] || ! younger 1440 "$file"; then
		for old in $(printf '%s\n' "$a" "$programs" | sort -u); do
			if [ -n "$update" ] || ! younger 60 "$cache/apt/$old/update.log"; then
				lists "$old"
			fi
		done
		if resolve_now || { lists "$a"; resolve_now; }; then
			declare -p release version parts common kbuild busybox |
				sed 's/^declare -- //' >"$tmp/resolved"
			mv "$tmp/resolved" "$file"
		elif [ -r "$file" ]; then
			say "cannot reach the package archive, using the kernel it named last"
		else
			[[ $a != *@* ]] || none "no archive within reach has Debian's ${a#*@}"
			cat "$cache/apt/$a/update.log" >&2
			die "no package linux-image-${series:+$series-}$flavour for $arch found"
		fi
	fi
	# shellcheck disable=SC1090 # written above
	. "$file"
	root=$cache/kernel/${release}_${version}
}

# fetch DIR ARCH PACKAGE[=VERSION]...: download and unpack into DIR
fetch()
{
	local into=$1 a=$2 d=$tmp/fetch f
	shift 2

	rm -rf "$d"
	mkdir -p "$d" "$into"
	say "fetching $* ($a)"
	(cd "$d" && apt "$a" apt-get download "$@" >"$tmp/fetch.log" 2>&1) || {
		lists "$a"
		(cd "$d" && apt "$a" apt-get download "$@" >"$tmp/fetch.log" 2>&1)
	} || {
		[[ $a != *@* ]] || none "no archive within reach has $*"
		cat "$tmp/fetch.log" >&2
		die "cannot download $* for $a; try --update"
	}
	for f in "$d"/*.deb; do
		dpkg -x "$f" "$into"
	done
}

# unpack_root: a place for packages of one kernel, where /lib is /usr/lib as on
# any Debian machine, because the links inside the packages rely on it
unpack_root()
{
	mkdir -p "$root/usr/lib"
	[ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
}

get_kernel()
{
	local need

	[ -z "$debug" ] || return 0		# built, with its headers
	[ ! -e "$root/.image" ] || return 0
	unpack_root
	read -ra need <<<"${parts-}"
	fetch "$root" "$(of_kernel "$arch")" "linux-image-$release=$version" "${need[@]/%/=$version}"
	# On riscv64 the image is not compressed, and has the name vmlinux
	if [ -e "$root/boot/vmlinux-$release" ]; then
		ln -sfn "vmlinux-$release" "$root/boot/vmlinuz-$release"
	elif [ ! -e "$root/boot/vmlinuz-$release" ]; then
		mkdir -p "$root/boot"
		ln -s "../lib/modules/$release/vmlinuz" "$root/boot/vmlinuz-$release"
	fi
	depmod -b "$root" "$release"
	touch "$root/.image"
}

# busybox comes as an archive ready for the initramfs. The links to it are made
# here where its binary runs here; elsewhere the board makes them as it boots.
get_busybox()
{
	local applet d=$cache/busybox/${arch}_${busybox//[:\/]/_}

	base=$d/base.cpio
	[ ! -e "$base" ] || return 0
	fetch "$d" "$(of_programs "$arch")" "busybox-static=$busybox"
	mkdir -p "$d"/base/{bin,sbin,usr/bin,usr/sbin}
	find "$d"/{bin,usr/bin} -name busybox -exec cp {} "$d/base/bin/" \; 2>/dev/null || :
	[ -x "$d/base/bin/busybox" ] || die "no busybox in busybox-static $busybox"
	ln -s busybox "$d/base/bin/sh"
	if [ "$arch" = "$host_arch" ]; then
		for applet in $("$d/base/bin/busybox" --list-full); do
			[ -e "$d/base/$applet" ] || [ "$applet" = linuxrc ] ||
				ln -s /bin/busybox "$d/base/$applet"
		done
	fi
	(cd "$d/base" && pack) >"$base.new"
	mv "$base.new" "$base"
}

# pack: an archive for an initramfs of what is in this directory
pack() { find . -print0 | LC_ALL=C sort -z | cpio -0 -o -H newc -R 0:0 --quiet; }

# The headers name each other by absolute path; the copy in the cache must name
# the cache. Checked each time, because a cache may be moved.
get_headers()
{
	local host h=$root/usr/src/linux-headers-$release

	if [ -n "$debug" ]; then
		kdir=$root/build
		return
	fi
	if [ ! -e "$root/.headers" ]; then
		unpack_root
		fetch "$root" "$(of_kernel "$arch")" "linux-headers-$release" "$common"
		# these are programs: of the machine that builds
		host=$(of_kernel "$host_arch")
		[ -e "$cache/apt/$host/update.log" ] || {
			mkdir -p "$cache/apt/$host"
			lists "$host"
		}
		fetch "$root" "$host" "$kbuild"
		touch "$root/.headers"
	fi
	if [ "$(grep -c "$root/usr/src/" "$h/Makefile")" != "$(grep -c . "$h/Makefile")" ]; then
		sed -i "s|/.*usr/src/|$root/usr/src/|" "$h/Makefile"
	fi
	kdir=$h
}

# get_sysroot PACKAGE...: libraries for programs of the board's machine
get_sysroot()
{
	local pkg

	sysroot=$cache/sysroot/$arch
	for pkg; do
		[ ! -e "$sysroot/.done-$pkg" ] || continue
		fetch "$sysroot" "$(of_programs "$arch")" "$pkg"
		touch "$sysroot/.done-$pkg"
	done
}

# source_package: sets pkg and v
source_package()
{
	local a

	a=$(of_kernel "$host_arch")
	mkdir -p "$cache/apt/$a"
	pkg=linux-source-$(grep -oE '^[0-9]+\.[0-9]+' <<<"$release")
	v=$(version_of "$a" "$pkg")
	[ -n "$v" ] || { lists "$a"; v=$(version_of "$a" "$pkg"); }
	[ -n "$v" ] || die "no package $pkg found"
}

# get_source PATH...: one series has one source package; the cache keeps it packed
get_source()
{
	local pkg=${pkg:-} v=${v:-} tarball p want=()

	[ -n "$v" ] || source_package
	source_dir=$cache/source/${pkg}_$v
	tarball=("$source_dir"/.deb/usr/src/*.tar.xz)
	if [ ${#tarball[@]} -eq 0 ]; then
		fetch "$source_dir/.deb.new" "$(of_kernel "$host_arch")" "$pkg=$v"
		rm -rf "$source_dir/.deb"
		mv "$source_dir/.deb.new" "$source_dir/.deb"
		tarball=("$source_dir"/.deb/usr/src/*.tar.xz)
	fi
	for p; do
		[ -e "$source_dir/.done-${p//\//_}" ] || want+=("$pkg/$p")
	done
	[ ${#want[@]} -gt 0 ] || return 0
	want=("${want[@]%/.}")
	tar -C "$source_dir" --strip-components=1 -xf "${tarball[0]}" "${want[@]}" ||
		die "not all of these are in the source of Linux: $*"
	for p; do
		touch "$source_dir/.done-${p//\//_}"
	done
}


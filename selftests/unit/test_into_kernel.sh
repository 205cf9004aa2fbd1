#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test_into_kernel.sh - tools/packaging/into-kernel adds devtrace to the source of a kernel: the series
# is complete, applies, and each of its patches builds with W=1, in the image and as modules
#
# The kernel is the one whose source the board has. Its tree is copied by hard links, and nothing is
# compiled but what a configuration needs and drivers/misc/devtrace. vm/test_builtin boots the result.
# BUILDS=n leaves out what is compiled.
# shellcheck disable=SC2016,SC2154 # scripts of sh and awk; variables of doc.sh
. "$(dirname "$0")/doc.sh"
into=$top/tools/packaging/into-kernel
dir=drivers/misc/devtrace
export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=tester@example.com
export GIT_COMMITTER_NAME=Tester GIT_COMMITTER_EMAIL=tester@example.com
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# refuses STATUS TEXT ARGS...: ends with the status, and says the text
refuses()
{
	local status=$1 text=$2 rc=0
	shift 2

	"$into" "$@" >"$tmp/said" 2>&1 || rc=$?
	[ $rc -eq "$status" ] && grep -q -- "$text" "$tmp/said" && return
	echo "status $rc:"
	cat "$tmp/said"
	return 1
}

check "no tree is a wrong usage" refuses 2 "needs one TREE"
check "an unknown option is a wrong usage" refuses 2 "unknown option '--patch'" --patch x
mkdir "$tmp/empty"
check "a directory that is no kernel is refused" refuses 1 "not the source of a kernel" "$tmp/empty"
check "--help is short" sh -c '"$1" --help | awk "length > 80 { exit 1 }"' _ "$into"

source=$("$top/selftests/vm/board" --source . 2>"$tmp/log") || {
	cat "$tmp/log"
	skip "the series" "no source of a kernel within reach"
	done_testing
	exit
}

check "patches are written" "$into" --patches "$tmp/patches" "$source"
[ -d "$tmp/patches" ] || { done_testing; exit; }
check "the tree is as it was" test ! -e "$source/drivers/misc/devtrace"

# A repository with the files that the script looks at, or changes
repo=$tmp/repo
mkdir "$repo"
(cd "$source" && cp -r --parents Makefile MAINTAINERS scripts/unifdef.c drivers/misc/Kconfig \
	drivers/misc/Makefile Documentation/misc-devices include/linux/syscore_ops.h include/linux/mm.h \
	include/net/genetlink.h arch/x86/include/asm/trace/exceptions.h "$repo" 2>/dev/null)
git -C "$repo" init -q
git -C "$repo" add .
git -C "$repo" commit -q -m kernel
section 'Your build system' | sed -n '/^### The kernel/,/^##* /p' | commands |
	sed "s|/path/to/devtrace/|$top/|" >"$tmp/readme"
check "README has the commands" test "$(wc -l <"$tmp/readme")" -eq 3
check "README's first command adds commits to a repository" sh -c 'cd "$1" && eval "$2"' _ "$repo" \
	"$(head -n 1 "$tmp/readme")"
check "as many as there are patches" test "$(git -C "$repo" rev-list --count HEAD)" -eq \
	$(($(find "$tmp/patches" -name '*.patch' | wc -l) + 1))
check "signed off by git's user" sh -c '! git -C "$1" log --format=%b HEAD~13..HEAD |
	grep Signed-off-by | grep -v "Tester <tester@example.com>"' _ "$repo"
check "a tree that has it is refused" refuses 1 "already has" "$repo"

# Files
in_series() { (cd "$repo/$dir" && find . -name '*.[ch]' | sed 's|^\./||' | LC_ALL=C sort); }
in_kmod() { git -C "$top" ls-files --full-name 'kmod/*.[ch]' | sed -n 's|^kmod/||p' | grep -v '^samples/' | LC_ALL=C sort; }
in_series >"$tmp/series"
in_kmod >"$tmp/kmod"
check "there are sources" test -s "$tmp/series"
check "all sources are in the series" diff "$tmp/kmod" "$tmp/series"
sed ':a; /\\$/ { N; ba }; s/\\\n//g' "$repo/$dir/Makefile" >"$tmp/makefile"
{
	# shellcheck disable=SC2016 # make's
	sed -n 's/^devtrace[^=]*=//p' "$tmp/makefile" | tr -s '[:blank:]' '\n' |
		awk '/^\$\(addprefix/ { getline dir; split(dir, d, ","); prefix = d[1]; $0 = d[2]; on = 1 }
			on && /\)$/ { sub(/\)$/, ""); if ($0 != "") print prefix $0; on = 0; next }
			$0 != "" { print (on ? prefix : "") $0 }'
} | sed -n 's/\.o$/.c/p' | LC_ALL=C sort >"$tmp/built"
grep '\.c$' "$tmp/series" >"$tmp/sources"
check "the Makefile builds each source once" diff "$tmp/sources" "$tmp/built"
check "headers are in the series" sh -c 'cd "$2"; for h in include/linux/*.h include/uapi/linux/*.h; do
	[ -s "$1/$h" ] || { echo "$h"; exit 1; }; done' _ "$repo" "$top"
check "nothing depends on the kernel's version" sh -c '! grep -rnE \
	"KERNEL_VERSION|LINUX_VERSION_CODE|^#.*COMPAT_HAVE" "$1"' _ "$repo/$dir"
check "nothing names this repository" sh -c '! grep -rn "kmod/[a-z]*/\|into-kernel\|KBUILD_EXTMOD" "$1"' _ "$repo/$dir"
check "the list of maintainers is in order" awk '
	/^[A-Z]:\t/ && before == "" && (last == "DEVTRACE FLIGHT RECORDER" || ours) {
		if (ours && ours > last) exit 1
		ours = ours ? "" : last
	}
	{ before = last; last = $0 }' "$repo/MAINTAINERS"

# checkpatch of the texts, and of the files that are made for the tree. selftests/static checks the
# sources, which takes minutes.
mkdir "$tmp/made"
for patch in "$tmp"/patches/*.patch; do
	awk '/^diff --git/ { on = !/\.[ch]$/; diffs = 1 } on || !diffs' "$patch" >"$tmp/made/${patch##*/}"
done
checkpatch()
{
	! perl "$source/scripts/checkpatch.pl" --no-tree --strict --show-types --terse -q \
		--no-summary --ignore FILE_PATH_CHANGES,NOT_UNIFIED_DIFF "$tmp"/made/*.patch | grep .
}
check "checkpatch --strict finds nothing" checkpatch

#
# The builds. The series is applied patch by patch, and each build compiles the new files.
#
[ "${BUILDS-}" != n ] || { done_testing; exit; }
if ! command -v flex >/dev/null || ! command -v bison >/dev/null; then
	skip "builds" "flex and bison"
	done_testing
	exit
fi
tree=$tmp/tree
cp -al "$source" "$tree" 2>/dev/null || { rm -rf "$tree"; cp -a "$source" "$tree"; }
build=$tmp/build
mkdir "$build"
kmake() { make -s -C "$tree" O="$build" W=1 "$@"; }
configure()	# OPTION...: tinyconfig with these options
{
	make -s -C "$tree" O="$build" tinyconfig >/dev/null 2>&1 || return
	printf 'CONFIG_%s\n' 64BIT=y MODULES=y PRINTK=y NET=y TRACEPOINTS=y FTRACE=y ENABLE_DEFAULT_TRACERS=y \
		SMP=y PROC_FS=y KUNIT=y BLOCK=y MULTIUSER=y "$@" >>"$build/.config"
	make -s -C "$tree" O="$build" olddefconfig >/dev/null 2>&1
}
# quiet COMMAND...: succeeds, and warns of nothing
quiet()
{
	local rc=0

	"$@" >"$tmp/said" 2>&1 || rc=$?
	cat "$tmp/said"
	[ $rc -eq 0 ] && ! grep -qi 'warning\|error' "$tmp/said"
}

all_y="DEVTRACE=y DEVTRACE_PROFILE=y DEVTRACE_PERSIST=y DEVTRACE_WATCH=y DEVTRACE_KUNIT_TEST=y"
all_m="DEVTRACE=m DEVTRACE_PROFILE=m DEVTRACE_PERSIST=m DEVTRACE_WATCH=m"
for patch in "$tmp"/patches/*.patch; do
	name=$(basename "$patch" .patch)
	check "$name applies" patch -s -p1 -d "$tree" -i "$patch"
	[ -e "$tree/$dir/Kconfig" ] || continue
	# shellcheck disable=SC2086 # words
	configure $all_y
	check "$name builds with W=1" quiet kmake "$dir/"
done
check "all options are there" sh -c 'for o in $2; do grep -qx "CONFIG_$o" "$1" || { echo "$o"; exit 1; }; done' \
	_ "$build/.config" "$all_y"
if command -v sparse >/dev/null; then
	check "sparse finds nothing" quiet kmake C=2 CHECK=sparse "$dir/"
else
	skip "sparse" "no sparse"
fi
configure
check "README's other commands configure it" sh -c 'cd "$1" && eval "$2"' _ "$build" \
	"$(sed "1d; s|^scripts/|$tree/scripts/|" "$tmp/readme")"
check "in the image, with kernel events" sh -c 'grep -qx CONFIG_DEVTRACE=y "$1" &&
	grep -qx CONFIG_DEVTRACE_PROFILE=y "$1"' _ "$build/.config"
# shellcheck disable=SC2086
configure $all_m
check "it builds as modules" quiet kmake "$dir/"
configure DEVTRACE=y MODULES=n NET=n
check "it builds without modules and network" quiet kmake "$dir/"
done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_deb.sh - `make deb` makes the same packages twice, lintian has nothing to say of them,
# each file that is installed is in one of them, and what they install in a Debian made by
# mmdebstrap is gone after a purge
. "$(dirname "$0")/../unit/doc.sh"

skip() { count=$((count + 1)); echo "ok $count $1 # SKIP $2"; }
if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh_dkms >/dev/null; then
	echo "1..0 # SKIP no debhelper: .ci/deps packages"
	exit 4
fi
check "packages are built" "$top/tools/packaging/deb" "$tmp/one"
check "and once more" "$top/tools/packaging/deb" "$tmp/two"
cd "$tmp/one" || exit 1
check "there are seven, without those of debugging information" test \
	"$(find . -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' | wc -l)" = 7
for deb in *.deb; do
	check "both builds of $deb are the same" cmp "$deb" "../two/$deb"
done

if command -v lintian >/dev/null; then
	lintian --allow-root --tag-display-limit 0 ./*.changes >"$tmp/lintian" 2>&1
	grep '^[EW]:' "$tmp/lintian" >"$tmp/tags"
	check "lintian finds no error and nothing to warn of" diff /dev/null "$tmp/tags"
else
	skip lintian "no lintian"
fi

# An empty Debian, before and after. Groups stay, as Debian has it: an id is not used twice.
listing()
{
	(cd "$1" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run \
		-o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
		-o -path ./etc/ld.so.cache -o -path './etc/group*' -o -path './etc/gshadow*' \
		-o -path './etc/.pwd.lock' -o -path ./root \) -prune -o -print | sort)
}
root=$tmp/debian
if [ "$(id -u)" -ne 0 ]; then
	skip "install and purge" "not root"
elif ! command -v mmdebstrap >/dev/null; then
	skip "install and purge" "no mmdebstrap"
elif ! mmdebstrap --variant=minbase --include=libmnl0,libzstd1,systemd bookworm "$root" >"$tmp/debstrap" 2>&1; then
	skip "install and purge" "no Debian: $(tail -n 1 "$tmp/debstrap")"
else
	listing "$root" >"$tmp/before"
	mkdir "$root/root/debs"
	cp libdevtrace0_*.deb libdevtrace-ctl0_*.deb devtrace-tools_*.deb devtrace-doc_*.deb "$root/root/debs"
	# systemd-tmpfiles wants /proc.
	chrooted()
	{
		PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare --mount sh -c \
			'mount -t proc proc "$1/proc" && exec chroot "$1" sh -ec "$2"' sh "$root" "$1"
	}
	check "install" chrooted 'dpkg -i /root/debs/*.deb'
	check "its groups are there" chrooted 'getent group devtrace && getent group devtrace-read'
	check "its test passes" chrooted "AUTOPKGTEST_TMP=/root; export AUTOPKGTEST_TMP
$(cat "$top/tools/packaging/debian/tests/tools")"
	check "install once more" chrooted 'dpkg -i /root/debs/*.deb'
	check "purge" chrooted 'dpkg --purge devtrace-tools devtrace-doc libdevtrace0 libdevtrace-ctl0'
	listing "$root" >"$tmp/after"
	check "nothing is left" diff "$tmp/before" "$tmp/after"
fi
done_testing

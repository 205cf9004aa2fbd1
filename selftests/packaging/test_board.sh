#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test_board.sh - a Debian that has our packages records by itself after it was switched on
#
#	test_board.sh [RELEASE [KERNEL]]
#
# mmdebstrap makes a Debian on a disk, with systemd, the kernel of RELEASE (default: bookworm) and
# its headers. KERNEL is cloud (the default), rt, or newest: the one of RELEASE-backports. dpkg installs our packages there, so DKMS builds the modules as it does for users. QEMU
# boots the disk twice. The service "look" runs at the end of each boot: it writes what it finds
# on the second serial port, then reboots the board, and ends it the second time. Three users
# are asked: one of the group devtrace, one of devtrace-read and one of neither.
# DEBS is a directory with packages of this release, if they are built already.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
release=${1:-bookworm} flavour=${2:-cloud}
PATH=$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d "${TMPDIR:-/tmp}/test_board.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=../tap.sh
. "$top/selftests/tap.sh"
# shellcheck disable=SC2034 # tap.sh shows it
why=$tmp/log

none() { echo "1..0 # SKIP $*"; exit 4; }
[ "$(id -u)" -eq 0 ] || none "not root"
for program in mmdebstrap mke2fs qemu-system-x86_64 dpkg-buildpackage; do
	command -v "$program" >/dev/null || none "no $program: .ci/deps packages"
done
[ "$(dpkg --print-architecture)" = amd64 ] || none "a board of amd64 only"

root=$tmp/root debs=${DEBS:-$tmp/debs}
wanted=systemd,systemd-sysv,udev,dbus,kmod,acl,dkms,libmnl0,libzstd1,zlib1g
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' \
	'Codename: '"$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" | head -n 1)
sources=(${mirror:+"$mirror"})
if [ "$flavour" = newest ]; then
	flavour=cloud
	sources=("deb $mirror $release main" "deb $mirror $release-backports main"
		--aptopt="APT::Default-Release \"$release-backports\"")
fi
wanted+=,linux-image-$flavour-amd64,linux-headers-$flavour-amd64
mmdebstrap --variant=minbase --include="$wanted" "$release" "$root" "${sources[@]}" \
	>"$tmp/debstrap" 2>&1 || none "no Debian $release: $(tail -n 1 "$tmp/debstrap")"
chrooted()	# COMMAND
{
	# shellcheck disable=SC2016 # the inner shell expands them
	PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive unshare --mount sh -c '
		mount -t proc proc "$1/proc" && mount -t sysfs sys "$1/sys" &&
		mount --rbind /dev "$1/dev" && exec chroot "$1" sh -ec "$2"' sh "$root" "$1"
}

# A library of a newer Debian may lack here what its packages ask for: each release builds its own.
if [ -z "${DEBS-}" ]; then
	if [ "$release" = "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" ]; then
		check "packages are built" "$top/tools/packaging/deb" "$debs"
	else
		needs=build-essential+debhelper+dh-dkms+dpkg-dev+fakeroot+git+pkg-config+libmnl-dev+libzstd-dev+zlib1g-dev
		check "packages are built by the programs of $release" \
			"$top/selftests/vm/in-debian" "$release+$needs" \
			env HOME=/root "$top/tools/packaging/deb" "$debs"
	fi
fi
if [ "$bad" -ne 0 ]; then
	done_testing
	exit 1
fi
mkdir "$root/root/debs"
cp "$debs"/{devtrace-dkms,devtrace-tools,libdevtrace0,libdevtrace-ctl0}_*.deb "$root/root/debs"
check "they are installed, and DKMS builds the modules" chrooted \
	'if ! dpkg -i /root/debs/*.deb; then tail -n 40 /var/lib/dkms/devtrace/*/build/make.log; exit 1; fi
	dkms status | grep "devtrace/.*: installed"'
rm -r "$root/root/debs"

kernel=$(basename "$root"/lib/modules/*)
check "three users are added" chrooted 'for u in anna bert carl; do useradd -m $u; done
	usermod -aG devtrace anna; usermod -aG devtrace-read carl'
mkdir -p "$root/etc/devtrace"
echo 'tracectl filter set type=100-126' >"$root/etc/devtrace/boot"
echo '/dev/vda / ext4 rw 0 1' >"$root/etc/fstab"
cat >"$root/etc/systemd/system/look.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
ExecStart=/root/look
[Install]
WantedBy=multi-user.target
UNIT
cat >"$root/root/look" <<'LOOK'
#!/bin/sh
exec >/dev/ttyS1 2>&1
echo x >>/root/boots
boot=$(wc -l </root/boots)
is() { echo "$boot $1: $2"; }
is module "$(grep -c '^devtrace ' /proc/modules)"
is node "$(stat -c '%a %G' /dev/trace)"
is filters "$(systemctl is-active devtrace-filters)"
is filter "$(tracectl filter show | grep -c "type=user0.*,exc,text")"
is anna "$(su anna -c "echo anna in boot $boot >/dev/trace && traceinfo" | grep -c "anna in boot $boot")"
is carl "$(su carl -c traceinfo | grep -c "anna in boot $boot")"
is "carl emits" "$(su carl -c 'echo carl >/dev/trace' 2>&1)"
is bert "$(su bert -c traceinfo 2>&1)"
# Until the logger's file has the line, but not for ever
waited=0
until traceinfo /var/log/trace/* 2>/dev/null | grep -q "anna in boot $boot" || [ $waited = 60 ]; do
	sleep 1
	waited=$((waited + 1))
done
is logger "$(systemctl is-active tracelogger) $(systemctl show -P NRestarts tracelogger)"
is saved "$(traceinfo /var/log/trace/* | grep -c 'anna in boot')"
is board "$(traceinfo --json /var/log/trace/* | grep -c "$(cat /etc/machine-id)")"
is failed "$(systemctl --failed --no-legend | grep -c 'trace')"
ls -l /var/log/trace | sed "s/^/# $boot /"
tracectl filter show | sed "s/^/# $boot /"
systemctl --no-pager -l status devtrace devtrace-filters tracelogger | sed "s/^/# $boot /"
if [ "$boot" -ge 2 ]; then poweroff; else reboot; fi
LOOK
chmod +x "$root/root/look"
check "the logger is enabled" chrooted 'systemctl enable look tracelogger'
truncate -s 3G "$tmp/disk"
mke2fs -q -F -t ext4 -d "$root" "$tmp/disk" || none "mke2fs failed"

# As on other boards: see cpu_x86 in vm/board
timeout "${BOARD_SECONDS:-1200}" qemu-system-x86_64 -M q35 -cpu max,-erms,-fsrm \
	-accel "${ACCEL:-tcg,thread=multi}" -smp 2 -m 1G -display none -monitor none \
	-kernel "$root/boot/vmlinuz-$kernel" -initrd "$root/boot/initrd.img-$kernel" \
	-append "root=/dev/vda rw console=ttyS0 tsc=reliable apic_extnmi=all no_timer_check" \
	-drive "file=$tmp/disk,format=raw,if=virtio,cache=unsafe" \
	-serial "file:$tmp/console" -serial "file:$tmp/look"
check "the board ends by itself" test $? = 0
tr -d '\r' <"$tmp/look" >"$tmp/found"
sed 's/^/# /' "$tmp/found"
found() { sed -n "s/^$1: //p" "$tmp/found"; }	# BOOT WHAT
of() { is "$(found "$1")" "$3" "boot $2"; }	# KEY TITLE TEXT
for boot in 1 2; do
	of "$boot module" "$boot: the module is loaded" 1
	of "$boot node" "$boot: the node belongs to the group" "660 devtrace"
	of "$boot filters" "$boot: the filters are set" active
	of "$boot filter" "$boot: tracectl shows them" 1
	of "$boot anna" "$boot: a member of devtrace emits and reads" 1
	of "$boot carl" "$boot: a member of devtrace-read reads" 1
	of "$boot carl emits" "$boot: and emits nothing" "sh: 1: cannot create /dev/trace: Permission denied"
	of "$boot bert" "$boot: another user is told who may read" \
		"traceinfo: /dev/trace: Permission denied (only root and the group 'devtrace' may read it)"
	of "$boot logger" "$boot: the logger runs since then" "active 0"
	of "$boot saved" "$boot: and has saved the line of each boot" "$boot"
	of "$boot failed" "$boot: no unit of ours failed" 0
done
check "the files name the board" test "$(found '2 board')" -ge 2
done_testing

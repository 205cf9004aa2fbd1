#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Documentation/netlink/specs/devtrace.yaml is what the kernel's schema asks for,
# and says what the header says.
. "$(dirname "$0")/doc.sh"

spec=$top/Documentation/netlink/specs/devtrace.yaml
header=$top/include/uapi/linux/devtrace_netlink.h

look() { python3 "$here/netlink_spec.py" "$@"; }

numbers()
{
	look c "$1" devtrace.h devtrace_netlink.h >"$tmp/spec.c" &&
		"$CC" -std=c11 -fsyntax-only -I"$top/include/uapi" "$tmp/spec.c"
}

check "what it refers to is in it" look closed "$spec"
check "its numbers are those of the header" numbers "$spec"
check "it has all that the header has" look missing "$spec" "$header"

# It would treat unknown names as attributes of a newer kernel.
unknown=$(sed -n '/^enum devtrace_attr /,/^}/s/^\t\(DEVTRACE_A_[A-Z_]*\).*/\1/p' "$header" |
	grep -v '_UNSPEC$\|_PAD$' | while read -r a; do
		grep -q "\[$a\]" "$top/lib/ctl/ctl_attr.c" || echo "$a"
	done)
check "the library knows each attribute${unknown:+, but $unknown}" [ -z "$unknown" ]

look table "$spec" >"$tmp/table.h"
check "the table of the device tests is made from it" \
	diff "$top/selftests/device/nl_spec.h" "$tmp/table.h"

# A test that cannot fail tells nothing.
sed 's/name: watermark/name: water-mark/' "$spec" >"$tmp/renamed.yaml"
sed '/name: nth$/,/fire at the n-th/Id' "$spec" >"$tmp/shifted.yaml"
fails() { ! "$@"; }
check "an attribute of another name is found" fails look missing "$tmp/renamed.yaml" "$header"
check "an attribute that is left out is found" fails numbers "$tmp/shifted.yaml"

# The schema came with 6.3.
if schema=$("$top/selftests/vm/board" --kernel 6.12 --source \
		Documentation/netlink/genetlink-legacy.yaml 2>"$tmp/log"); then
	schema=$schema/Documentation/netlink/genetlink-legacy.yaml
	check "the kernel's schema accepts it" look schema "$schema" "$spec"
	sed 's/protocol: .*/protocol: other/' "$spec" >"$tmp/other.yaml"
	check "and not just anything" fails look schema "$schema" "$tmp/other.yaml"
else
	skip "the kernel's schema accepts it" "no kernel source: $(tail -n 1 "$tmp/log")"
fi
done_testing

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Documentation/testing.rst names existing tests and boards, and each promise in it has a
# mutation in selftests/mutations that applies.
. "$(dirname "$0")/doc.sh"
page=$top/Documentation/testing.rst

# ``name`` in the table of what a reviewer will try: a program, or a test in one
named()
{
	sed -n '/^What a reviewer will try/,$p' "$page" | grep -o '``[^`]*``' | tr -d '`' | sort -u
}
exists()
{
	case $1 in
	selftests/*)	[ -e "$top/$1" ] ;;
	*/*)		[ -e "$top/selftests/$1" ] || [ -e "$top/selftests/$1.c" ] ;;
	test_*)		find "$top/selftests/device" -name "$1" -o -name "${1%.sh}.c" | grep -q . ;;
	*)		grep -rqE "^TEST[A-Z_]*\(([a-z_]+, )?$1[,)]" "$top/selftests" --include='*.c' ;;
	esac
}
named >"$tmp/named"
check "it names tests" [ "$(wc -l <"$tmp/named")" -gt 30 ]
missing=$(while read -r name; do exists "$name" || echo "$name"; done <"$tmp/named")
check "each of them exists${missing:+, but $(echo "$missing" | tr '\n' ' ')}" [ -z "$missing" ]
check "each line has one, or says that there is none" [ "$(awk '
	/^What a reviewer will try/ { on = 1 }
	on && /^[0-9]+\. / { if (n && !good) print n; n = $1; good = 0 }
	on && /``|yet/ { good = 1 }
	END { if (!good) print n }' "$page")" = "" ]
numbers=$(sed -n 's/^\([0-9][0-9]*\)\. .*/\1/p' "$page")
lines=$(echo "$numbers" | tail -n 1)
check "there are 24 lines at least, numbered from 1 on" [ "$lines" -ge 24 -a \
	"$numbers" = "$(seq "$lines")" ]
check "the text tells how many" grep -qF "the $lines promises has" "$page"
unbroken=$(for n in $(seq "$lines"); do
	grep -qE "^[a-z0-9-]+ $n [a-z]" "$top/selftests/mutations" || echo "$n"
done)
check "each is broken by a mutation${unbroken:+, but $(echo "$unbroken" | tr '\n' ' ')}" [ -z "$unbroken" ]
O=$tmp "$top/selftests/mutate" --dry >"$tmp/dry"
check "each mutation applies at one place" sh -c "! grep '^not ok' '$tmp/dry' >&2"
check "a pattern selects some of them" sh -c "O=$tmp '$top/selftests/mutate' --dry 'ring-find-*' |
	grep -c '^ok [0-9]* - ring-find-' | grep -qx 5"
boards=$(sed -n 's/^\(MORE_\)\?BOARDS[[:space:]]*?= //p' "$top/Makefile")
for b in $boards; do
	check "board $b is in the table" sh -c "sed -n '/^board /,/^\*Where/p' '$page' |
		grep -qE '^([^ ]+, )?$b(,| )'"
done
done_testing

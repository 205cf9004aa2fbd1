#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_kernels.sh - the table of Documentation/kernels.rst has a row for each board and no other,
# as selftests/kernels writes them; a log replaces the row of its board alone; README claims no
# kernel or machine without a row
. "$(dirname "$0")/doc.sh"
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 4; }
page=$top/Documentation/kernels.rst

"$top/selftests/kernels" >"$tmp/table"
check "the page has the table that the script prints" sh -c "
	sed -n '/^=.*  =/,\$p' '$page' | head -n \$(wc -l <'$tmp/table') | diff '$tmp/table' -"
sed '1,3d; $d' "$tmp/table" >"$tmp/rows"
boards=$(sed -n 's/^\(MORE_\)\?BOARDS[[:space:]]*?= //p' "$top/Makefile" | xargs -n 1)
check "its rows are the boards" [ "$(cut -d' ' -f1 "$tmp/rows")" = "$boards" ]
check "a row with a kernel has the series and the machine of its board" awk '
	$3 == "-"			{ next }
	$1 ~ /^6\.1(\/|$)/ || $1 == "rt" || $1 == "musl" { bad += $3 !~ /^6\.1\./ }
	$1 ~ /^6\.12/			{ bad += $3 !~ /^6\.12\./ }
	$1 ~ /5\.10/			{ bad += $3 !~ /^5\.10\./ }
	$1 ~ /rt$/			{ bad += $3 !~ /-rt/ }
	$1 ~ /^armhf/			{ bad += $2 != "armv7l" }
	$1 ~ /^arm64/			{ bad += $2 != "aarch64" }
	$1 ~ /^(riscv64|s390x)$/	{ bad += $2 != $1 }
	$1 == "arm64:16k"		{ bad += $4 != 16 }
	$1 == "musl"			{ bad += $6 != "musl" }
	{ bad += $0 !~ / [0-9]+-[0-9]+-[0-9]+$/ }
	END { exit bad != 0 }' "$tmp/rows"

# A tree of its own, in which logs replace rows
mkdir -p "$tmp/tree/selftests" "$tmp/tree/Documentation"
cp "$top/selftests/kernels" "$tmp/tree/selftests/"
cp "$top/Makefile" "$tmp/tree/"
cp "$page" "$tmp/tree/Documentation/"
kernels="$tmp/tree/selftests/kernels"
log()	# BOARD VERSION, and the numbers of the programs, the last of which fails
{
	echo "# device-tests: board $1, devtrace $2, 2020-01-02, glibc"
	echo "# run-tests: Linux 6.1.0-test x86_64, pages of 16 KiB"
	shift 2
	for n; do
		printf '# begin test_%s\n1..1\nok 1 x\n# end test_%s 0\n' "$n" "$n"
	done
	printf '# begin test_z\n1..1\nnot ok 1 x\n# end test_z 1\n'
}
row() { "$kernels" | sed -n "s|^$1  *||p" | tr -s " "; }
log 6.1/1 9.9 1 2 3 >"$tmp/printed"
log nowhere 9.9 1 >>"$tmp/printed"
check "a log is read" "$kernels" --update "$tmp/printed"
check "the row tells kernel, machine, pages and results" \
	[ "$(row 6.1/1)" = "x86_64 6.1.0-test 16 KiB glibc 3 1 9.9 2020-01-02" ]
check "no other row changes" [ "$("$kernels" | grep -v '^6.1/1 ' | sed '1,3d; $d' | tr -s ' ')" = \
	"$(grep -v '^6.1/1 ' "$tmp/rows" | tr -s ' ')" ]
log 6.1/1 9.9 1 >"$tmp/printed"
"$kernels" --update "$tmp/printed" 2>"$tmp/said"
check "a run of fewer programs changes nothing, and the script says so" \
	[ "$(row 6.1/1 | cut -d' ' -f6,7)$(cat "$tmp/said")" = "3 1kernels: 6.1/1: kept the row of a run of more programs" ]
log 6.1/1 9.10 1 >"$tmp/printed"
"$kernels" --update "$tmp/printed"
check "with another version of devtrace it replaces the row" [ "$(row 6.1/1 | cut -d' ' -f6-8)" = "1 1 9.10" ]
check "another argument is a usage error" sh -c "'$kernels' --other 2>/dev/null; [ \$? -eq 2 ]"

claim=$(tr '\n' ' ' <"$top/README.md" | grep -o 'devtrace runs on kernels [^.]*\.[^.]*\.[^.]*\.')
for machine in x86-64 ARM arm64 riscv64 s390x; do
	case $machine in
	x86-64)	name=6.1 ;;
	ARM)	name=armhf ;;
	*)	name=$machine ;;
	esac
	check "README's $machine has a board" sh -c "case '$claim' in *$machine*) ;; *) exit 1 ;; esac
		grep -q '^$name ' '$tmp/rows'"
done
check "README's oldest kernel has a board" sh -c "echo '$claim' | grep -q 'kernels 5.10 to' && grep -q '^5.10 ' '$tmp/rows'"
done_testing

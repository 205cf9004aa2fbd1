#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_labels.sh - whether ring.rst names the barriers that the code has
#
# A label such as LMM(fetch:B) must stand in the module or the library and in the
# document, or in neither; and in each only once as "LMM(x:A):", where it is defined.

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

labels()
{
	grep -oEh 'LMM\([a-z_]+:[A-Z]\)' "$@" | sort -u
}

labels "$top"/kmod/*.[ch] "$top"/kmod/*/*.[ch] "$top"/lib/*/*.[ch] > "$tmp/code"
labels "$top/Documentation/ring.rst" > "$tmp/doc"
grep -oEh 'LMM\([a-z_]+:[A-Z]\):' "$top"/kmod/*.[ch] "$top"/kmod/*/*.[ch] "$top"/lib/*/*.[ch] |
	sort | uniq -d > "$tmp/twice"

echo "TAP version 13"
echo "1..2"
rc=0
if [ -s "$tmp/code" ] && cmp -s "$tmp/code" "$tmp/doc"; then
	echo "ok 1 labels in kmod/, lib/ and Documentation/ring.rst agree"
else
	echo "not ok 1 labels in kmod/, lib/ and Documentation/ring.rst agree"
	comm -23 "$tmp/code" "$tmp/doc" | sed 's/^/# only in the code: /'
	comm -13 "$tmp/code" "$tmp/doc" | sed 's/^/# only in ring.rst: /'
	rc=1
fi
if [ ! -s "$tmp/twice" ]; then
	echo "ok 2 each label is defined once"
else
	echo "not ok 2 each label is defined once"
	sed 's/^/# twice: /' "$tmp/twice"
	rc=1
fi
exit $rc

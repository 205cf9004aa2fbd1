#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_same_code.sh - selftests/same-code tells a change of comments from one of code
#
# A repository of its own, with a module of one function; the compiler stands for Kbuild.
. "$(dirname "$0")/doc.sh"

repo=$tmp/repo
mkdir -p "$repo/kmod" "$repo/include" "$repo/selftests/vm"
cp "$top/selftests/same-code" "$top/selftests/tap.sh" "$repo/selftests/"
cat >"$repo/selftests/vm/build-kmod" <<EOF
#!/bin/sh
mkdir -p "\$1"
$CC -O2 -I"\$2/../include" -c "\$2/one.c" -o "\$1/one.ko" && echo "\$1"
EOF
chmod +x "$repo/selftests/vm/build-kmod"
commit()	# NAME
{
	git -C "$repo" add . && git -C "$repo" -c user.name=x -c user.email=x@localhost \
		commit -qm "$1" && git -C "$repo" tag "$1"
}
same() { O=$tmp/out "$repo/selftests/same-code" "$@"; }

touch "$repo/include/one.h"
git -C "$repo" init -q
echo 'int one(int a) { return a + 1; }' >"$repo/kmod/one.c"
commit base
printf '/*\n * Adds 1.\n */\nint one(int a)\n{\n\treturn a + 1;\n}\n' >"$repo/kmod/one.c"
commit comment
check "a commit that changes comments alone has the same code" same base comment
check "the working tree is the default" same comment
sed -i 's/a + 1/a + 2/' "$repo/kmod/one.c"
same comment >"$tmp/log" 2>&1
is $? 1 "a working tree with other code fails"
commit code
same comment code >"$tmp/said" 2>&1
is $? 1 "a commit with other code fails"
check "the module that differs is named" grep "^not ok 1 one.ko: code has the code of comment" "$tmp/said"
echo 'no C' >"$repo/kmod/one.c"
same code >"$tmp/log" 2>&1
is $? 1 "a tree that does not compile fails"
done_testing

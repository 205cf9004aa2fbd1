#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_one.sh - selftests/one finds a test wherever it is, and runs it and no other
. "$(dirname "$0")/doc.sh"

tree=$tmp/selftests
mkdir -p "$tree/unit" "$tree/ring" "$tree/device/stream" "$tree/vm"
cp "$top/selftests/one" "$tree/"
touch "$tree/unit/test_a.c" "$tree/unit/test_b.sh" "$tree/unit/test_c.c" "$tree/ring/test_d.c" \
	"$tree/device/stream/test_e.c" "$tree/device/stream/test_f.sh"
# Makefiles that say what they are asked for
# shellcheck disable=SC2016 # the variables are of make
printf 'PLAIN += test_c\ncheck:\n\t@echo "unit:$(TESTS)/$(PLAIN)/$(SCRIPTS)"\n' >"$tree/unit/Makefile"
printf '%%/test_d:\n\t@mkdir -p $(@D); printf "#!/bin/sh\\necho ring; exit 3\\n" >$@; chmod +x $@\n' \
	>"$tree/ring/Makefile"
printf '#!/bin/sh\necho "board:$*"\n[ "$1" != bad ]\n' >"$tree/vm/device-tests"
chmod +x "$tree/vm/device-tests"
one()	# WANTED STATUS ARGS...
{
	wanted=$1 as=$2
	shift 2
	status=0
	said=$(O=$tmp/o MAKEFLAGS='' "$tree/one" "$@" 2>"$tmp/err") || status=$?
	said=$(printf "%s" "${said:+$said;}" | tr "\n" ";")
	[ "$said" = "$wanted" ] && [ "$status" = "$as" ]
}
check "a test of unit/" one 'unit:test_a//;' 0 test_a
check "with the end of its name" one 'unit:test_a//;' 0 test_a.c
check "a script of unit/" one 'unit://test_b.sh;' 0 test_b
check "one that is built without sanitizers" one 'unit:/test_c/;' 0 test_c
check "one of the ring, and its status" one 'ring;' 3 test_d
check "one of the device, on board 6.1" one 'board:6.1 -- test_e;' 0 test_e
check "a script of the device keeps its name" one 'board:6.1 -- test_f.sh;' 0 test_f
check "on the boards that are named" one 'board:rt -- test_e;board:armhf/1 -- test_e;' 0 \
	test_e rt armhf/1
check "one that fails on a board of two" one 'board:bad -- test_e;board:rt -- test_e;' 1 \
	test_e bad rt
check "a name that is none" one '' 1 test_none
check "what is near it is said" grep -q 'no test .test_none.' "$tmp/err"
check "a board for a test that needs none" one '' 2 test_a 6.1
done_testing

# shellcheck shell=bash disable=SC2034,SC2154 # check sets and uses variables
# SPDX-License-Identifier: GPL-2.0-only
#
# turn.sh - part of check: what a run leaves out, and which part of it has its turn
#
# Sourced by check at lengths normal and short. Without TURN nothing of it runs. With TURN,
# which .ci/run takes from the number of commits, each part of this list runs in its turn:
#  - the boards, and vm/ with firstweek/, which start boards of their own: one of eight
#  - scripts of unit/ that build for minutes, in eight turns; BUILD_KERNELS is what
#    test_kernel_build.sh compiles for
#  - a fourth of the programs of the board whose turn it is, and an eighth on another machine
#    than this, which takes twice as long (BOARD_TURN, FOREIGN_TURN)
#  - a fourth of the 32-bit programs of board 6.1 (SMALL_TURN)
#  - of files that did not change lately a fourth is read by checkpatch and the like (STYLE_TURN)
turns=(6.12 rt 6.12-rt armhf arm64 5.10/1 newest vm)
slow=("test_kernel_build.sh" "test_emit_machines.sh test_traceinfo_machines.sh"
	"test_kernel_build.sh" "test_cross_build.sh" "test_kernel_build.sh" "test_driver_build.sh"
	"test_decode_bigendian.sh test_musl.sh test_into_kernel.sh" "test_install.sh test_build_systems.sh")
kernels=(5.10 none "5.10-rt 6.12" none "armhf:5.10 newest" none none none)

turn='' now=''
if [ -n "$TURN" ]; then
	turn=${turns[TURN % ${#turns[@]}]}
	now=${slow[TURN % ${#slow[@]}]}
	export BUILD_KERNELS=${kernels[TURN % ${#kernels[@]}]}
	export STYLE_TURN=$((TURN % 4))/4 SMALL_TURN=$((TURN % 4))/4
	export BOARD_TURN=$((TURN / 8 % 4))/4 FOREIGN_TURN=$((TURN / 8 % 8))/8
	[ "$turn" = vm ] || BOARDS="$BOARDS $turn"
fi
[ "$turn" = vm ] || for name in vm firstweek; do
	[[ $only == *" $name "* ]] || left_out+=" $name "
done
LATER=''
for name in $(xargs -n 1 <<<"${slow[*]}" | sort -u); do
	[[ " $now " == *" $name "* ]] || LATER+="${LATER:+ }$name"
done
export LATER
[ -z "$TURN" ] ||
	echo "# turn $TURN: beside board 6.1 $turn; compiled for $BUILD_KERNELS; of unit without $LATER"

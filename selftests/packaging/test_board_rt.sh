#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_board_rt.sh - test_board.sh with the kernel that is preempted nearly anywhere
exec "$(dirname "$0")/test_board.sh" bookworm rt

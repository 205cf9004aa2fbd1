#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_board_newest.sh - test_board.sh with the newest kernel, of the next Debian's backports
exec "$(dirname "$0")/test_board.sh" trixie newest

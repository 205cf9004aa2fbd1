#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_board_trixie.sh - test_board.sh with the next Debian, whose own programs build the packages
exec "$(dirname "$0")/test_board.sh" trixie

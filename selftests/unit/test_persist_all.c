// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_all.c - test_persist.c on 10 000 regions with flipped bits or garbled lines, and
 * 5000 with old lines; with sanitizers this takes minutes
 */
#define IMAGES	10000
#include "test_persist.c"

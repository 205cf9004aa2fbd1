// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_all.c - test_persist.c on 10 000 damaged regions, for which sanitizers take
 * minutes
 */
#define IMAGES	10000
#include "test_persist.c"

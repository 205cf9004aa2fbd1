// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_storm_profile.c - test_storm with kernel profile events
 *
 * A separate program, as the kernel patches its code for it: selftests/vm/device-tests runs it
 * where the virtual board supports that.
 */
#define STORM_PROFILE
#include "test_storm.c"

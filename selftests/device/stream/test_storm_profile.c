// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_storm_profile.c - test_storm, with kernel profile events
 *
 * A program of its own, as the kernel patches its code then: selftests/vm/device-tests
 * runs it where a virtual board can do that.
 */
#define STORM_PROFILE
#include "test_storm.c"

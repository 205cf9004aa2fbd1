/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's harness, with a time limit that only a hang reaches
 *
 * The harness ends a test after 30 seconds. With sanitizers and other load on two cores, tests
 * of two seconds have taken longer. device/dev.h has the limit for boards.
 */
#pragma GCC system_header
#include "kselftest/kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	900

// SPDX-License-Identifier: GPL-2.0-only
/*
 * other.c - a second file of the firmware of test_firmware.sh
 */
#include <devtrace/firmware.h>
#include "fw.h"

void other_main(void)
{
	DT_ERR("valve %u of %u", 1u, 2u);
}

// SPDX-License-Identifier: GPL-2.0-only
/* dtlog_other.c - the second file of dtlog.ko, see dtlog_main.c */
#include <linux/string.h>

#include "dtlog.h"

void dtlog_other(void)
{
	static char longest[5001];

	memset(longest, 'x', sizeof(longest) - 1);
	DT_DEBUG("other %d", 2);
	dtlog_inline(2);
	DT_LOG("long %d %s %d", 1, longest, 2);
}

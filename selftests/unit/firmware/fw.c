// SPDX-License-Identifier: GPL-2.0-only
/*
 * fw.c - firmware with statements, for test_firmware.sh
 *
 * The file want has the lines that a reader must print.
 */
#include <devtrace/firmware.h>
#include "fw.h"

/* The linker script defines it. */
extern const uint8_t build_id[];

static void pump(int n, const char *place)
{
	DT_LOG("pump %d runs dry at %s", n, place);
}

void fw_main(void)
{
	static char many[300];
	unsigned int i;

	for (i = 0; i < sizeof(many) - 1; i++)
		many[i] = (char)('a' + i % 26);
	devtrace_firmware_hello(build_id);
	pump(-3, "the north gate");
	DT_ERR("no oil");
	DT_WARN("%c%%%hhd %hu %ld %lld\n", 'x', (signed char)-1, (unsigned short)65535, -2L,
		-9000000000ll);
	DT_INFO("%5.1f|%g", 1.25f, -0.5);
	DT_DEBUG("%s %d", (const char *)NULL, true);
	DT_LOG("0x%llx %u %p", 0x123456789abcdefull, 4000000000u, (void *)0x1234);
	DT_LOG("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	       12, 13, 14, 15, 16);
	DT_LOG("long: %s, %d", many, 7);
	other_main();
}

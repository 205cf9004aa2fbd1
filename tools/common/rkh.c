// SPDX-License-Identifier: GPL-2.0-only
/*
 * rkh.c - layouts of RKH's events, by group and number
 */
#include <stddef.h>
#include "common/rkh.h"

#define PER_GROUP	32

static const char *const layouts[8][PER_GROUP] = {
	/* memory pools */
	{ "PBZ", "PBm", "PB" },
	/* queues */
	{ "PPN", "PN", "PNq", "PNq", "P", "P", "P" },
	/* active objects */
	{ "P11", "P1", "PSo1Nq", "PSdo1Nq", "PSdo1Nq", "P1", "P1", "PS", "PS" },
	/* state machines */
	{ "PP", "PP", "PPP", "PP", "PP", "PP", "P11", "P11", "PP", "P", "PS", "P", "P", "P", "P",
	  "P", "1PPF", "PSP" },
	/* timers */
	{ "PS", "PPTT", "PTT", "PSP", "P" },
	/* events of the framework; numbers 6, 7, 8, 11, and 14 and above are names of objects */
	{ "", "", "o4EB", "ESp1BmP", "So1", "Sp1BmP", NULL, NULL, NULL, "F", "Fdd", NULL,
	  "24111112", "s2" },
	/* the application */
	{ NULL },
	/* unit tests */
	{ "", "", "", "", "", "", "", "", "", "4s" },
};

static const char *const names[PER_GROUP] = {
	[6] = "Ps", "Ss", "Fs", [11] = "1s", [14] = "Ps", "PPs", "PPs", "Ps", "1s", "Ps", "Ps",
};

const char *rkh_layout(uint8_t te)
{
	return layouts[te / PER_GROUP][te % PER_GROUP];
}

const char *rkh_name_layout(uint8_t te)
{
	return te / PER_GROUP == 5 ? names[te % PER_GROUP] : NULL;
}

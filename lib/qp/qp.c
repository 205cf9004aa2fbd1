// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * qp.c - functions of the headers in devtrace/qp
 *
 * The QS filters, the record of a failed assertion, and names of array elements. Threads may
 * change and test the filters at any time, because each bit changes atomically and is independent
 * of the others.
 *
 * Invariants: QS-ID 0, the dictionaries and the records about the connection always pass.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace/qp/qs.h>
#include "bits.h"

struct range {
	uint8_t	first, last;
};

#define MAX_RANGES	4

/*
 * Ranges of record numbers, by group from QS_GRP_ALL on. A range that ends with 0 ends the group's
 * list.
 */
static const struct range groups[][MAX_RANGES] = {
	{ { 1, 124 } },						/* all */
	{ { 1, 9 }, { 55, 57 } },				/* state machines */
	{ { 10, 18 }, { 45, 45 }, { 81, 81 } },			/* active objects */
	{ { 19, 22 }, { 46, 46 } },				/* event queues */
	{ { 24, 25 }, { 47, 47 } },				/* memory pools */
	{ { 32, 37 } },						/* time events */
	{ { 23, 23 }, { 26, 31 }, { 38, 44 } },			/* framework */
	{ { 48, 53 } },						/* scheduler */
	{ { 71, 74 } },						/* semaphores */
	{ { 75, 80 } },						/* mutexes */
	{ { 100, 104 } },					/* application */
	{ { 105, 109 } },
	{ { 110, 114 } },
	{ { 115, 119 } },
	{ { 120, 124 } },
	{ { 100, 124 } },
};

/* The state of QS at program start: all QS-IDs pass, but only the records that are always sent. */
struct devtrace_qp devtrace_qp = {
	.glb = { 0x01, 0, 0, 0, 0, 0, 0x40, 0xfc, 0x7f, 0, 0, 0, 0, 0, 0, 0 },
	.loc = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
};

static bool qp_always(unsigned int record)
{
	return record == QS_EMPTY || record == QS_ENUM_DICT ||
	       (record >= QS_TEST_PAUSED && record <= QS_QF_RUN);
}

/* Present if the program defines this function. */
QSTimeCtr QS_onGetTime(void) __attribute__((weak));

uint8_t devtrace_qp_init(void)
{
	const char *debug = secure_getenv("DEVTRACE_DEBUG");

	devtrace_open();
	if (QS_onGetTime && debug && *debug && strcmp(debug, "0"))
		fputs("devtrace: QS_onGetTime() is not called: stamps are those of the trace clock\n",
		      stderr);
	return 1;
}

int devtrace_qp_glb_filter(int record)
{
	const bool wanted = record >= 0;
	const struct range *r, *end;
	struct range one[1];

	if (record == INT32_MIN)
		return EINVAL;
	record = wanted ? record : -record;
	if (record >= QS_GRP_ALL && record <= QS_GRP_UA) {
		r = groups[record - QS_GRP_ALL];
		end = r + MAX_RANGES;
	} else if (record < DEVTRACE_T_EXC) {
		one[0] = (struct range){ record, record };
		r = one;
		end = r + 1;
	} else {
		return EINVAL;
	}
	for (; r < end && r->last; r++) {
		unsigned int n;

		for (n = r->first; n <= r->last; n++)
			if (!qp_always(n))
				bits_set(devtrace_qp.glb, n, wanted);
	}
	return 0;
}

int devtrace_qp_loc_filter(int id)
{
	const bool wanted = id >= 0;
	unsigned int first, last;

	if (id == INT32_MIN)
		return EINVAL;
	id = wanted ? id : -id;
	switch (id) {
	case QS_IDS_ALL:
		first = 1;
		last = 127;
		break;
	case QS_IDS_AO:
		first = QS_ID_AO + 1;
		last = QS_ID_EP;
		break;
	case QS_IDS_EP:
		first = QS_ID_EP + 1;
		last = QS_ID_EQ;
		break;
	case QS_IDS_EQ:
		first = QS_ID_EQ + 1;
		last = QS_ID_AP;
		break;
	case QS_IDS_AP:
		first = QS_ID_AP + 1;
		last = 127;
		break;
	default:
		if (id > 127)
			return EINVAL;
		first = id ? id : 1;
		last = id;
	}
	for (; first <= last; first++)
		bits_set(devtrace_qp.loc, first, wanted);
	return 0;
}

int devtrace_qp_dict_array(const void *object, unsigned int index, const char *name)
{
	/*
	 * Longer than a name in the dictionary, so that a name that is too long is truncated and
	 * reported there.
	 */
	char with[128];
	const char *rest;
	size_t len;
	int open = 0;

	if (!name)
		return EINVAL;
	name = devtrace_qs_name_(name);
	len = strcspn(name, "[");
	/* Find the bracket that closes the index. The index itself may contain brackets. */
	for (rest = name + len; *rest; rest++) {
		open += (*rest == '[') - (*rest == ']');
		if (!open)
			break;
	}
	rest += *rest == ']';
	if (len > sizeof(with) - 16)
		len = sizeof(with) - 16;
	snprintf(with, sizeof(with), "%.*s[%u]%s", (int)len, name, index, rest);
	return devtrace_qp_object(object, 0, with);
}

void devtrace_qp_assertion(const char *module, int id)
{
	DEVTRACE_RECORD(r, 256);

	if (!devtrace_enabled(DEVTRACE_QS_TYPE(QS_ASSERT_FAIL)))
		return;
	devtrace_head_(&r, DEVTRACE_QS_TYPE(QS_ASSERT_FAIL), DEVTRACE_SW3, 0);
	devtrace_u16(&r, (uint16_t)id);
	devtrace_str(&r, module);
	devtrace_end(&r);
}

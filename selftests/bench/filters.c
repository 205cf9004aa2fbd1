// SPDX-License-Identifier: GPL-2.0-only
/*
 * filters.c - set the filters for measurements of emitting
 *
 *	filters open	everything passes, and no filter is evaluated
 *	filters passing	each term is used, and the measured events pass
 *	filters stream	like open, with another stream that wants none of them
 *	filters both	like open, with another stream that wants them too
 *	filters third	one more stream that wants them
 *	filters refuse	the events of /proc/dtbench_filtered are refused
 *	filters process	all processes but one pass, which does not exist
 *	filters object	all objects but one pass, which no event has
 *	filters trigger	like open, with a trigger on a type that is never emitted
 *	filters triggers	like open, with sixteen triggers that want another first element
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/devtrace.h>

#include "nl.h"

static struct nl nl;

static void begin(int cmd, const char *stream)
{
	nl_begin(&nl, cmd);
	if (stream)
		nl_put_str(&nl, DEVTRACE_A_STREAM, stream);
}

static void done(size_t nest)
{
	int err;

	nl_nest_end(&nl, nest);
	err = nl_do(&nl, NULL, NULL);
	if (err)
		errx(1, "%s: %s", strerror(-err), nl.why);
}

/* All types but one and kernel profile events, or only that one. */
static void put_types(unsigned int type, bool alone)
{
	uint8_t types[32];

	memset(types, alone ? 0 : 0xff, sizeof(types));
	memset(types + DEVTRACE_T_KERNEL / 8, 0, (DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL) / 8);
	types[type / 8] ^= 1 << type % 8;
	nl_put(&nl, DEVTRACE_FA_TYPES, types, sizeof(types));
}

static void put_range(int attr, uint16_t first, uint16_t last)
{
	struct devtrace_range r = { first, last };

	nl_put(&nl, attr, &r, sizeof(r));
}

static void put_passing(void)
{
	uint32_t majors[] = { 1, 2, 3, 1000 };
	char comms[2][16] = { "nobody", "other" };
	uint32_t pid = 4000000;

	put_types(DEVTRACE_T_USER + 1, false);
	nl_put_u32(&nl, DEVTRACE_FA_HW_SEVERITY, 1);
	nl_put_u32(&nl, DEVTRACE_FA_SW_SEVERITY, 1);
	put_range(DEVTRACE_FA_OBJECTS, 1, 1000);
	put_range(DEVTRACE_FA_SIGNALS, 1, 1000);
	put_range(DEVTRACE_FA_CPUS, 0, 1000);
	nl_put(&nl, DEVTRACE_FA_MAJORS, majors, sizeof(majors));
	nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &pid, sizeof(pid));
	nl_put(&nl, DEVTRACE_FA_NOT_COMMS, comms, sizeof(comms));
	nl_put_u32(&nl, DEVTRACE_FA_ORIGINS, DEVTRACE_ORIGIN_KERNEL | DEVTRACE_ORIGIN_USER);
}

static void put_refuse(void)
{
	put_types(DEVTRACE_T_USER + 1, false);
	nl_put_u32(&nl, DEVTRACE_FA_SW_SEVERITY, 2);
	put_range(DEVTRACE_FA_OBJECTS, 8, 65535);
}

static void put_other(void)
{
	put_types(DEVTRACE_T_USER2, true);
}

/* All types but kernel profile events and one that is never emitted. */
static void put_all(void)
{
	put_types(DEVTRACE_T_USER2, false);
}

static void put_process(void)
{
	uint32_t pid = 4000000;

	nl_put(&nl, DEVTRACE_FA_NOT_PIDS, &pid, sizeof(pid));
}

static void put_object(void)
{
	struct devtrace_range all[] = { { 0, 256 }, { 258, 65535 } };

	nl_put(&nl, DEVTRACE_FA_OBJECTS, all, sizeof(all));
}

static void put_pair(void)
{
	put_types(DEVTRACE_T_USER, true);
}

static const struct {
	const char *what;
	int cmd;
	void (*put)(void);
} filters[] = {
	{ "open", DEVTRACE_CMD_FILTER_SET, NULL },
	{ "passing", DEVTRACE_CMD_FILTER_SET, put_passing },
	{ "refuse", DEVTRACE_CMD_FILTER_SET, put_refuse },
	{ "process", DEVTRACE_CMD_FILTER_SET, put_process },
	{ "object", DEVTRACE_CMD_FILTER_SET, put_object },
	{ "stream", DEVTRACE_CMD_STREAM_NEW, put_other },
	{ "both", DEVTRACE_CMD_STREAM_NEW, put_all },
	{ "third", DEVTRACE_CMD_STREAM_NEW, put_all },
	{ "trigger", DEVTRACE_CMD_TRIGGER_NEW, put_other },
	{ "triggers", DEVTRACE_CMD_TRIGGER_NEW, put_pair },
};

/* Request a filter, a stream or a trigger; @n: the number of a trigger that needs its element. */
static void request(size_t i, int n)
{
	const bool many = !strcmp(filters[i].what, "triggers");
	char name[16];
	size_t nest;

	switch (filters[i].cmd) {
	case DEVTRACE_CMD_STREAM_NEW:
		begin(filters[i].cmd, !strcmp(filters[i].what, "third") ? "third" : "other");
		nl_put_u64(&nl, DEVTRACE_A_SIZE, 65536);
		nest = nl_nest(&nl, DEVTRACE_A_FILTER);
		break;
	case DEVTRACE_CMD_TRIGGER_NEW:
		begin(filters[i].cmd, NULL);
		snprintf(name, sizeof(name), "bench%d", n);
		nl_put_str(&nl, DEVTRACE_A_TRIGGER, name);
		nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
		if (many) {
			nest = nl_nest(&nl, DEVTRACE_A_ELEMENT);
			nl_put_u32(&nl, DEVTRACE_EA_INDEX, 0);
			nl_put_u32(&nl, DEVTRACE_EA_COMPARE, DEVTRACE_CMP_EQ);
			nl_put_u64(&nl, DEVTRACE_EA_VALUE, 1000000 + n);
			nl_nest_end(&nl, nest);
		}
		nest = nl_nest(&nl, DEVTRACE_A_WHEN);
		break;
	default:
		begin(filters[i].cmd, DEVTRACE_STREAM0);
		nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	}
	if (filters[i].put)
		filters[i].put();
	done(nest);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	size_t i;
	int n;

	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (!strcmp(what, filters[i].what))
			break;
	if (i == sizeof(filters) / sizeof(filters[0])) {
		fprintf(stderr, "usage: filters open | passing | refuse | process | object | "
			"stream | both | third | trigger | triggers\n");
		return 2;
	}
	if (nl_open(&nl))
		err(1, "netlink");
	for (n = 0; n < (strcmp(what, "triggers") ? 1 : DEVTRACE_TRIGGERS_MAX); n++)
		request(i, n);
	nl_close(&nl);
	return 0;
}

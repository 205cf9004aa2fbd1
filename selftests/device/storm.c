// SPDX-License-Identifier: GPL-2.0-only
/* storm.c - administrator actions of test_storm.c */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "filter_model.h"
#include "storm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define SOURCES		"/sys/devices/system/clocksource/clocksource0/"
#define STEP_NS		20000000	/* largest step of the clock */

const char *const deeds[DEEDS] = {
	"lanes", "garbage", "lanes closed", "forks", "execs", "events", "renames", "names",
	"reads", "reads that may not wait", "polls", "epolls", "seeks", "reads by io_uring",
	"polls by io_uring", "kills", "resizes", "stops, starts and freezes", "filters",
	"streams", "streams removed", "clears", "clock steps", "clocksources", "dumps",
	"triggers", "triggers armed", "triggers removed", "CPUs gone", "CPUs back",
	"filters of profile events",
};

struct root root;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * (int64_t)NSEC + ts.tv_nsec;
}

/* Set the wall clock to its original value plus @off. */
static int set_clock(int64_t off)
{
	const int64_t ns = clock_ns(CLOCK_BOOTTIME) + root.real + off;
	const struct timespec ts = { ns / (int64_t)NSEC, ns % (int64_t)NSEC };

	return clock_settime(CLOCK_REALTIME, &ts);
}

static int step_clock(void)
{
	if (set_clock((int64_t)(dev_random() % (2 * STEP_NS)) - STEP_NS))
		return -errno;
	did(STEPPED);
	return 0;
}

/* Select another clocksource, if there is one. */
static int change_source(void)
{
	if (root.nsources < 2)
		return 0;
	if (dev_write_file(SOURCES "current_clocksource",
			   root.name[dev_random() % root.nsources]))
		return -errno;
	did(SOURCE);
	return 0;
}

static void begin(int cmd)
{
	nl_begin(&root.nl, cmd);
	nl_put_str(&root.nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
}

static int resize(uint64_t size)
{
	begin(DEVTRACE_CMD_STREAM_SET);
	nl_put_u64(&root.nl, DEVTRACE_A_SIZE, size);
	return nl_do(&root.nl, NULL, NULL);
}

static int set_state(uint32_t state)
{
	int err;

	begin(DEVTRACE_CMD_STREAM_SET);
	nl_put_u32(&root.nl, DEVTRACE_A_STATE, state);
	err = nl_do(&root.nl, NULL, NULL);
	/* It was frozen, by us or by a trigger: stop it, which thaws it. */
	if (err == -EBUSY && state == DEVTRACE_STATE_RUNNING)
		err = set_state(DEVTRACE_STATE_STOPPED) ?: set_state(state);
	return err;
}

static int set_filter(const struct terms *f)
{
	begin(DEVTRACE_CMD_FILTER_SET);
	model_put(&root.nl, f);
	return nl_do(&root.nl, NULL, NULL);
}

int root_clear(void)
{
	begin(DEVTRACE_CMD_CLEAR);
	return nl_do(&root.nl, NULL, NULL);
}

static int toggle_side(void)
{
	int err;

	nl_begin(&root.nl, root.side ? DEVTRACE_CMD_STREAM_DEL : DEVTRACE_CMD_STREAM_NEW);
	nl_put_str(&root.nl, DEVTRACE_A_STREAM, SIDE);
	if (!root.side)
		nl_put_u64(&root.nl, DEVTRACE_A_SIZE, 4096 << dev_random() % 5);
	err = nl_do(&root.nl, NULL, NULL);
	if (err)
		return err;
	did(root.side ? SIDE_WENT : SIDE_CAME);
	root.side = !root.side;
	return 0;
}

/* Fails if the stream is frozen, by us or by a trigger. */
static int unless_frozen(int err, enum deed d)
{
	if (!err)
		did(d);
	return err == -EBUSY ? 0 : err;
}

/* Add a trigger that stops or starts the stream, at once or later. */
static int make_trigger(void)
{
	static const uint32_t actions[] = { DEVTRACE_ACTION_NOTIFY, DEVTRACE_ACTION_START,
					    DEVTRACE_ACTION_STOP, DEVTRACE_ACTION_FREEZE };
	const uint32_t action = actions[dev_random() % ARRAY_SIZE(actions)];
	uint8_t types[32];
	size_t when, i;

	for (i = 0; i < sizeof(types); i++)
		types[i] = i / 8 == 2 ? 0 : dev_random() & dev_random();
	nl_begin(&root.nl, DEVTRACE_CMD_TRIGGER_NEW);
	nl_put_str(&root.nl, DEVTRACE_A_TRIGGER, SIDE);
	when = nl_nest(&root.nl, DEVTRACE_A_WHEN);
	nl_put(&root.nl, DEVTRACE_FA_TYPES, types, sizeof(types));
	nl_nest_end(&root.nl, when);
	nl_put_u32(&root.nl, DEVTRACE_A_ACTION, action);
	if (action != DEVTRACE_ACTION_NOTIFY)
		nl_put_str(&root.nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	/* A zero means to stop at once, which excludes the other one. */
	if (action == DEVTRACE_ACTION_STOP && chance(2))
		nl_put_u64(&root.nl, DEVTRACE_A_EVENTS, 1 + dev_random() % 100);
	if (action == DEVTRACE_ACTION_STOP && chance(2))
		nl_put_u64(&root.nl, DEVTRACE_A_TIME, 1 + dev_random() % NSEC);
	return nl_do(&root.nl, NULL, NULL);
}

static int use_trigger(int cmd)
{
	nl_begin(&root.nl, cmd);
	nl_put_str(&root.nl, DEVTRACE_A_TRIGGER, SIDE);
	if (cmd == DEVTRACE_CMD_TRIGGER_SET)
		nl_put(&root.nl, DEVTRACE_A_ARMED, "\1", 1);
	return nl_do(&root.nl, NULL, NULL);
}

static int toggle_trigger(void)
{
	int err;

	if (root.trigger && chance(2)) {
		err = use_trigger(DEVTRACE_CMD_TRIGGER_SET);
		if (!err)
			did(TRIGGER_SET);
		return err;
	}
	err = root.trigger ? use_trigger(DEVTRACE_CMD_TRIGGER_DEL) : make_trigger();
	if (err)
		return err;
	did(root.trigger ? TRIGGER_WENT : TRIGGER_CAME);
	root.trigger = !root.trigger;
	return 0;
}

static int toggle_cpu(void)
{
	int err;

	if (root.cpu < 0 || !may_switch())
		return 0;
	err = dev_switch(root.cpu, root.away) ? errno : 0;
	switched();
	/* Another process may block CPU hotplug for a moment. */
	if (err)
		return err == EBUSY ? 0 : -err;
	did(root.away ? CPU_CAME : CPU_WENT);
	root.away = !root.away;
	return 0;
}

static int filter_at_random(void)
{
	struct terms f = { 0 };
	int i, err;

	if (chance(3))
		model_random(&f);
	if (root.profile && f.has_types)
		for (i = 16; i < 24; i++)
			f.types[i] = dev_random();
	err = set_filter(&f);
	if (err)
		return err;
	did(FILTERED);
	if (root.profile && f.has_types)
		did(PROFILE);
	return 0;
}

int administrate(void)
{
	static const int dumps[] = { DEVTRACE_CMD_STATS_GET, DEVTRACE_CMD_READER_GET,
				     DEVTRACE_CMD_LANE_GET, DEVTRACE_CMD_STREAM_GET,
				     DEVTRACE_CMD_TRIGGER_GET };
	int err = 0;

	switch (dev_random() % 11) {
	case 0:
		err = unless_frozen(resize(4096ULL << dev_random() % 9), RESIZED);
		break;
	case 1:
	case 2:
		/* It should run most of the time. */
		err = set_state(chance(4) ? DEVTRACE_STATE_STOPPED :
				chance(3) ? DEVTRACE_STATE_FROZEN : DEVTRACE_STATE_RUNNING);
		if (!err)
			did(STATE);
		break;
	case 3:
		err = filter_at_random();
		break;
	case 4:
		err = toggle_side();
		break;
	case 5:
		err = unless_frozen(root_clear(), CLEARED);
		break;
	case 6:
		err = step_clock();
		break;
	case 7:
		err = chance(4) ? change_source() : 0;
		break;
	case 8:
		err = toggle_trigger();
		break;
	case 9:
		err = chance(4) ? toggle_cpu() : 0;
		break;
	default:
		nl_begin(&root.nl, dumps[dev_random() % ARRAY_SIZE(dumps)]);
		err = nl_dump(&root.nl, NULL, NULL);
		if (!err)
			did(DUMPED);
	}
	/* Memory is limited. */
	return err == -ENOMEM ? 0 : err;
}

/* The first line without its end; "" if the file does not exist. */
static void read_line(const char *path, char *buf, size_t size)
{
	if (dev_read_file(path, buf, size) < 0)
		buf[0] = 0;
	buf[strcspn(buf, "\n")] = 0;
}

/* Open the sockets, and find the machine's CPUs and clocks. */
int root_begin(bool profile)
{
	int cpus[DEV_CPUS], n = dev_online(cpus);
	char *save = root.sources;

	root.profile = profile;
	root.cpu = n > 1 && dev_can_switch(cpus[n - 1]) ? cpus[n - 1] : -1;
	root.real = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	read_line(SOURCES "current_clocksource", root.source, sizeof(root.source));
	read_line(SOURCES "available_clocksource", root.sources, sizeof(root.sources));
	for (; root.nsources < (int)ARRAY_SIZE(root.name); root.nsources++) {
		root.name[root.nsources] = strsep(&save, " ");
		if (!root.name[root.nsources] || !*root.name[root.nsources])
			break;
	}
	return nl_open(&root.nl);
}

bool root_can(enum deed d)
{
	switch (d) {
	case SOURCE:
		return root.nsources > 1;
	case CPU_WENT:
	case CPU_CAME:
		return root.cpu >= 0;
	case PROFILE:
		return root.profile;
	default:
		return true;
	}
}

void root_restore(void)
{
	set_clock(0);
	if (root.source[0])
		dev_write_file(SOURCES "current_clocksource", root.source);
	if (root.away)
		root.away = dev_switch(root.cpu, true);
}

int root_end(void)
{
	static const struct terms none;	/* no filter */
	int err = 0;

	if (root.trigger)
		err = use_trigger(DEVTRACE_CMD_TRIGGER_DEL);
	root.trigger = false;
	err = err ?: set_state(DEVTRACE_STATE_RUNNING) ?: set_filter(&none);
	if (!err && root.side)
		err = toggle_side();
	return err;
}

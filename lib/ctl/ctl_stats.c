// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_stats.c - statistics, readers, dictionaries and kernel profile events
 */
#include <errno.h>
#include <string.h>
#include "ctl.h"

/*
 * Define the reply function of a list, which fills in a structure and calls the caller's function.
 */
#define EACH(what)							\
static int each_##what(const struct ctl_attrs *attrs, void *arg)	\
{									\
	const struct ctl_caller *c = arg;				\
	struct devtrace_ctl_##what s;					\
	int ret = CTL_FIELDS(attrs, what##_fields, &s);			\
									\
	return ret ? ret : ((devtrace_##what##_fn *)c->fn)(&s, c->arg);	\
}									\
static ctl_reply_fn each_##what	/* for the semicolon */

static const struct ctl_field stats_fields[] = {
	CTL_FIELD(stats, stream, STREAM), CTL_FIELD(stats, cpu, CPU),
	CTL_FIELD(stats, emitted, EMITTED), CTL_FIELD(stats, stored, STORED),
	CTL_FIELD(stats, filtered, FILTERED), CTL_FIELD(stats, overwritten, OVERWRITTEN),
	CTL_FIELD(stats, dropped, DROPPED), CTL_FIELD(stats, size, SIZE),
	CTL_FIELD(stats, used, USED), CTL_FIELD(stats, oldest, OLDEST), CTL_FIELD(stats, now, NOW),
};

EACH(stats);

int devtrace_ctl_stats(struct devtrace_ctl *ctl, const char *stream, devtrace_stats_fn *fn,
		       void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_STATS_GET, stream, each_stats, (ctl_any_fn *)fn, arg);
}

static const struct ctl_field type_fields[] = {
	CTL_FIELD(type, type, TYPE), CTL_FIELD(type, stored, STORED),
	CTL_FIELD(type, filtered, FILTERED),
};

EACH(type);

int devtrace_ctl_types(struct devtrace_ctl *ctl, devtrace_type_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_TYPE_GET, NULL, each_type, (ctl_any_fn *)fn, arg);
}

static const struct ctl_field process_fields[] = {
	CTL_FIELD(process, pid, PID), CTL_FIELD(process, tid, TID),
	CTL_FIELD(process, comm, COMM), CTL_FIELD(process, stored, STORED),
};

EACH(process);

int devtrace_ctl_processes(struct devtrace_ctl *ctl, devtrace_process_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_PROCESS_GET, NULL, each_process, (ctl_any_fn *)fn, arg);
}

static const struct ctl_field reader_fields[] = {
	CTL_FIELD(reader, stream, STREAM), CTL_FIELD(reader, pid, PID),
	CTL_FIELD(reader, comm, COMM), CTL_FIELD(reader, position, POSITION),
	CTL_FIELD(reader, lag, LAG), CTL_FIELD(reader, read, READ), CTL_FIELD(reader, lost, LOST),
};

EACH(reader);

int devtrace_ctl_readers(struct devtrace_ctl *ctl, const char *stream, devtrace_reader_fn *fn,
			 void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_READER_GET, stream, each_reader, (ctl_any_fn *)fn, arg);
}

static const struct ctl_field lane_fields[] = {
	CTL_FIELD(lane, source, ID), CTL_FIELD(lane, pid, PID), CTL_FIELD(lane, tid, TID),
	CTL_FIELD(lane, comm, COMM), CTL_FIELD(lane, size, SIZE), CTL_FIELD(lane, used, USED),
	CTL_FIELD(lane, stored, STORED), CTL_FIELD(lane, overwritten, OVERWRITTEN),
	CTL_FIELD(lane, dropped, DROPPED), CTL_FIELD(lane, oldest, OLDEST),
	CTL_FIELD(lane, now, NOW), CTL_FIELD(lane, state, LANE_STATE),
};

EACH(lane);

int devtrace_ctl_lanes(struct devtrace_ctl *ctl, devtrace_lane_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_LANE_GET, NULL, each_lane, (ctl_any_fn *)fn, arg);
}

static const struct ctl_field dict_fields[] = {
	CTL_FIELD(dict, kind, KIND), CTL_FIELD(dict, group, GROUP), CTL_FIELD(dict, value, VALUE),
	CTL_FIELD(dict, scope, SCOPE), CTL_FIELD(dict, key, KEY), CTL_FIELD(dict, name, NAME),
};

EACH(dict);

int devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_DICT_GET, NULL, each_dict, (ctl_any_fn *)fn, arg);
}

static const struct ctl_field profile_fields[] = {
	CTL_FIELD(profile, name, NAME), CTL_FIELD(profile, type, TYPE),
	CTL_FIELD(profile, group, PROFILE_GROUP), CTL_FIELD(profile, tracepoints, TRACEPOINTS),
	CTL_FLAG(profile, available, AVAILABLE), CTL_FLAG(profile, attached, ATTACHED),
	CTL_THERE(profile, added, ELEMENTS), CTL_FIELD(profile, elements, ELEMENTS),
};

EACH(profile);

int devtrace_ctl_profiles(struct devtrace_ctl *ctl, devtrace_profile_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_PROFILE_GET, NULL, each_profile, (ctl_any_fn *)fn, arg);
}

static int stats_change(struct devtrace_ctl *ctl, int cmd, const char *tracepoint)
{
	struct nlmsghdr *nlh = ctl_request(ctl, cmd);

	if (strlen(tracepoint) >= DEVTRACE_TRACEPOINT_LEN)
		return ctl_fail(ctl, -EINVAL, "a tracepoint is SYSTEM:EVENT, at most 63 bytes");
	mnl_attr_put_strz(nlh, DEVTRACE_A_TRACEPOINT, tracepoint);
	return ctl_do(ctl);
}

int devtrace_ctl_profile_add(struct devtrace_ctl *ctl, const char *tracepoint)
{
	return stats_change(ctl, DEVTRACE_CMD_PROFILE_ADD, tracepoint);
}

int devtrace_ctl_profile_del(struct devtrace_ctl *ctl, const char *tracepoint)
{
	return stats_change(ctl, DEVTRACE_CMD_PROFILE_DEL, tracepoint);
}

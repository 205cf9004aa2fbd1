// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_stats.c - statistics, readers, dictionaries and kernel profile events
 */
#include <errno.h>
#include <string.h>
#include "ctl.h"

/* The causes that this kernel knows; a newer one may know more. */
static void parse_dropped(const struct nlattr *a, uint64_t *dropped)
{
	size_t len = a ? mnl_attr_get_payload_len(a) : 0;

	if (len > DEVTRACE_LOST_CAUSES * sizeof(*dropped))
		len = DEVTRACE_LOST_CAUSES * sizeof(*dropped);
	if (len)
		memcpy(dropped, mnl_attr_get_payload(a), len - len % sizeof(*dropped));
}

static int each_stats(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_stats s = {
		.cpu = ctl_u32(attrs, DEVTRACE_A_CPU),
		.emitted = ctl_u64(attrs, DEVTRACE_A_EMITTED),
		.stored = ctl_u64(attrs, DEVTRACE_A_STORED),
		.filtered = ctl_u64(attrs, DEVTRACE_A_FILTERED),
		.overwritten = ctl_u64(attrs, DEVTRACE_A_OVERWRITTEN),
		.size = ctl_u64(attrs, DEVTRACE_A_SIZE),
		.used = ctl_u64(attrs, DEVTRACE_A_USED),
		.oldest = ctl_u64(attrs, DEVTRACE_A_OLDEST),
		.now = ctl_u64(attrs, DEVTRACE_A_NOW),
	};

	if (!attrs->a[DEVTRACE_A_STREAM])
		return -EBADMSG;
	ctl_str(s.stream, attrs, DEVTRACE_A_STREAM);
	parse_dropped(attrs->a[DEVTRACE_A_DROPPED], s.dropped);
	return ((devtrace_stats_fn *)c->fn)(&s, c->arg);
}

int devtrace_ctl_stats(struct devtrace_ctl *ctl, const char *stream, devtrace_stats_fn *fn,
		       void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_STATS_GET, stream, each_stats, (ctl_any_fn *)fn, arg);
}

static int each_type(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_type t = {
		.type = ctl_u8(attrs, DEVTRACE_A_TYPE),
		.stored = ctl_u64(attrs, DEVTRACE_A_STORED),
		.filtered = ctl_u64(attrs, DEVTRACE_A_FILTERED),
	};

	return ((devtrace_type_fn *)c->fn)(&t, c->arg);
}

int devtrace_ctl_types(struct devtrace_ctl *ctl, devtrace_type_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_TYPE_GET, NULL, each_type, (ctl_any_fn *)fn, arg);
}

static int each_process(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_process p = {
		.pid = ctl_u32(attrs, DEVTRACE_A_PID),
		.tid = ctl_u32(attrs, DEVTRACE_A_TID),
		.stored = ctl_u64(attrs, DEVTRACE_A_STORED),
	};

	ctl_str(p.comm, attrs, DEVTRACE_A_COMM);
	return ((devtrace_process_fn *)c->fn)(&p, c->arg);
}

int devtrace_ctl_processes(struct devtrace_ctl *ctl, devtrace_process_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_PROCESS_GET, NULL, each_process, (ctl_any_fn *)fn, arg);
}

static int each_reader(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_reader r = {
		.pid = ctl_u32(attrs, DEVTRACE_A_PID),
		.position = ctl_u64(attrs, DEVTRACE_A_POSITION),
		.lag = ctl_u64(attrs, DEVTRACE_A_LAG),
		.read = ctl_u64(attrs, DEVTRACE_A_READ),
		.lost = ctl_u64(attrs, DEVTRACE_A_LOST),
	};

	ctl_str(r.stream, attrs, DEVTRACE_A_STREAM);
	ctl_str(r.comm, attrs, DEVTRACE_A_COMM);
	return ((devtrace_reader_fn *)c->fn)(&r, c->arg);
}

int devtrace_ctl_readers(struct devtrace_ctl *ctl, const char *stream, devtrace_reader_fn *fn,
			 void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_READER_GET, stream, each_reader, (ctl_any_fn *)fn, arg);
}

static int each_lane(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_lane l = {
		.source = ctl_u32(attrs, DEVTRACE_A_ID),
		.pid = ctl_u32(attrs, DEVTRACE_A_PID),
		.tid = ctl_u32(attrs, DEVTRACE_A_TID),
		.size = ctl_u64(attrs, DEVTRACE_A_SIZE),
		.used = ctl_u64(attrs, DEVTRACE_A_USED),
		.stored = ctl_u64(attrs, DEVTRACE_A_STORED),
		.overwritten = ctl_u64(attrs, DEVTRACE_A_OVERWRITTEN),
		.oldest = ctl_u64(attrs, DEVTRACE_A_OLDEST),
		.now = ctl_u64(attrs, DEVTRACE_A_NOW),
		.state = ctl_u8(attrs, DEVTRACE_A_LANE_STATE),
	};

	ctl_str(l.comm, attrs, DEVTRACE_A_COMM);
	parse_dropped(attrs->a[DEVTRACE_A_DROPPED], l.dropped);
	return ((devtrace_lane_fn *)c->fn)(&l, c->arg);
}

int devtrace_ctl_lanes(struct devtrace_ctl *ctl, devtrace_lane_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_LANE_GET, NULL, each_lane, (ctl_any_fn *)fn, arg);
}

static int each_dict(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_dict n = {
		.kind = ctl_u8(attrs, DEVTRACE_A_KIND),
		.group = ctl_u8(attrs, DEVTRACE_A_GROUP),
		.value = ctl_u32(attrs, DEVTRACE_A_VALUE),
		.scope = ctl_u32(attrs, DEVTRACE_A_SCOPE),
		.key = ctl_u64(attrs, DEVTRACE_A_KEY),
	};

	ctl_str(n.name, attrs, DEVTRACE_A_NAME);
	return ((devtrace_dict_fn *)c->fn)(&n, c->arg);
}

int devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_DICT_GET, NULL, each_dict, (ctl_any_fn *)fn, arg);
}

static int each_profile(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_profile p = {
		.type = ctl_u8(attrs, DEVTRACE_A_TYPE),
		.available = ctl_u8(attrs, DEVTRACE_A_AVAILABLE),
		.attached = ctl_u8(attrs, DEVTRACE_A_ATTACHED),
	};

	if (!attrs->a[DEVTRACE_A_NAME])
		return -EBADMSG;
	ctl_str(p.name, attrs, DEVTRACE_A_NAME);
	ctl_str(p.group, attrs, DEVTRACE_A_PROFILE_GROUP);
	ctl_str(p.tracepoints, attrs, DEVTRACE_A_TRACEPOINTS);
	p.added = attrs->a[DEVTRACE_A_ELEMENTS];
	ctl_str(p.elements, attrs, DEVTRACE_A_ELEMENTS);
	return ((devtrace_profile_fn *)c->fn)(&p, c->arg);
}

int devtrace_ctl_profiles(struct devtrace_ctl *ctl, devtrace_profile_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_PROFILE_GET, NULL, each_profile, (ctl_any_fn *)fn, arg);
}

static int change(struct devtrace_ctl *ctl, int cmd, const char *tracepoint)
{
	struct nlmsghdr *nlh = ctl_request(ctl, cmd);

	if (strlen(tracepoint) >= DEVTRACE_TRACEPOINT_LEN)
		return ctl_fail(ctl, -EINVAL, "a tracepoint is SYSTEM:EVENT, at most 63 bytes");
	mnl_attr_put_strz(nlh, DEVTRACE_A_TRACEPOINT, tracepoint);
	return ctl_do(ctl);
}

int devtrace_ctl_profile_add(struct devtrace_ctl *ctl, const char *tracepoint)
{
	return change(ctl, DEVTRACE_CMD_PROFILE_ADD, tracepoint);
}

int devtrace_ctl_profile_del(struct devtrace_ctl *ctl, const char *tracepoint)
{
	return change(ctl, DEVTRACE_CMD_PROFILE_DEL, tracepoint);
}

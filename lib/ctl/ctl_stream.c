// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_stream.c - streams and their filters
 */
#include <errno.h>
#include <string.h>
#include "ctl.h"

int ctl_parse_stream(const struct ctl_attrs *attrs, struct devtrace_ctl_stream *s)
{
	static const struct ctl_field fields[] = {
		CTL_FIELD(stream, name, STREAM), CTL_FIELD(stream, id, ID),
		CTL_FIELD(stream, state, STATE), CTL_FIELD(stream, size, SIZE),
		CTL_FIELD(stream, used, USED), CTL_FIELD(stream, since, SINCE),
		CTL_FIELD(stream, reason, REASON), CTL_FIELD(stream, watermark, WATERMARK),
		CTL_FIELD(stream, mode, MODE), CTL_FIELD(stream, generation, GENERATION),
	};

	return CTL_FIELDS(attrs, fields, s);
}

static const char *stream_name(const char *name)
{
	return name ? name : DEVTRACE_STREAM0;
}

static struct nlmsghdr *stream_about(struct devtrace_ctl *ctl, int cmd, const char *stream)
{
	return ctl_about(ctl, cmd, DEVTRACE_A_STREAM, stream_name(stream));
}

static int each_stream(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_stream s;
	int ret = ctl_parse_stream(attrs, &s);

	return ret ? ret : ((devtrace_stream_fn *)c->fn)(&s, c->arg);
}

int devtrace_ctl_streams(struct devtrace_ctl *ctl, devtrace_stream_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_STREAM_GET, NULL, each_stream, (ctl_any_fn *)fn, arg);
}

static int get_stream(const struct ctl_attrs *attrs, void *arg)
{
	return ctl_parse_stream(attrs, arg);
}

int devtrace_ctl_stream_get(struct devtrace_ctl *ctl, const char *name,
			    struct devtrace_ctl_stream *s)
{
	if (!stream_about(ctl, DEVTRACE_CMD_STREAM_GET, name))
		return -EINVAL;
	return ctl_get(ctl, get_stream, s);
}

int devtrace_ctl_stream_new(struct devtrace_ctl *ctl, const char *name, uint64_t size,
			    const struct devtrace_filter *filter, uint32_t mode,
			    enum devtrace_state state)
{
	struct nlmsghdr *nlh = stream_about(ctl, DEVTRACE_CMD_STREAM_NEW, name);

	if (!nlh)
		return -EINVAL;
	mnl_attr_put_u64(nlh, DEVTRACE_A_SIZE, size);
	if (filter)
		ctl_put_filter(nlh, DEVTRACE_A_FILTER, filter);
	if (mode)
		mnl_attr_put_u32(nlh, DEVTRACE_A_MODE, mode);
	if (state != DEVTRACE_STATE_RUNNING)
		mnl_attr_put_u32(nlh, DEVTRACE_A_STATE, state);
	return ctl_do(ctl);
}

int devtrace_ctl_stream_resize(struct devtrace_ctl *ctl, const char *name, uint64_t size)
{
	struct nlmsghdr *nlh = stream_about(ctl, DEVTRACE_CMD_STREAM_SET, name);

	if (!nlh)
		return -EINVAL;
	mnl_attr_put_u64(nlh, DEVTRACE_A_SIZE, size);
	return ctl_do(ctl);
}

int devtrace_ctl_stream_state(struct devtrace_ctl *ctl, const char *name,
			      enum devtrace_state state)
{
	struct nlmsghdr *nlh = stream_about(ctl, DEVTRACE_CMD_STREAM_SET, name);

	if (!nlh)
		return -EINVAL;
	mnl_attr_put_u32(nlh, DEVTRACE_A_STATE, state);
	return ctl_do(ctl);
}

int devtrace_ctl_stream_watermark(struct devtrace_ctl *ctl, const char *name,
				  unsigned int percent)
{
	struct nlmsghdr *nlh = stream_about(ctl, DEVTRACE_CMD_STREAM_SET, name);

	if (!nlh)
		return -EINVAL;
	mnl_attr_put_u32(nlh, DEVTRACE_A_WATERMARK, percent);
	return ctl_do(ctl);
}

int devtrace_ctl_stream_del(struct devtrace_ctl *ctl, const char *name)
{
	return stream_about(ctl, DEVTRACE_CMD_STREAM_DEL, name) ? ctl_do(ctl) : -EINVAL;
}

int devtrace_ctl_clear(struct devtrace_ctl *ctl, const char *stream)
{
	return stream_about(ctl, DEVTRACE_CMD_CLEAR, stream) ? ctl_do(ctl) : -EINVAL;
}

struct filter_call {
	struct devtrace_filter *f;
	uint32_t *generation;
	devtrace_filter_fn *fn;
	void *arg;
};

static int call_filter(const struct ctl_attrs *attrs, void *arg)
{
	struct filter_call *c = arg;
	struct devtrace_filter f;
	char stream[DEVTRACE_NAME_LEN];
	int ret = ctl_parse_filter(attrs->a[DEVTRACE_A_FILTER], &f);

	if (ret || !attrs->a[DEVTRACE_A_STREAM])
		return -EBADMSG;
	if (c->generation)
		*c->generation = ctl_u32(attrs, DEVTRACE_A_GENERATION);
	if (c->f)
		*c->f = f;
	if (!c->fn)
		return 0;
	ctl_str(stream, attrs, DEVTRACE_A_STREAM);
	return c->fn(stream, &f, ctl_u32(attrs, DEVTRACE_A_GENERATION), c->arg);
}

int devtrace_ctl_filter_get(struct devtrace_ctl *ctl, const char *stream,
			    struct devtrace_filter *f, uint32_t *generation)
{
	struct filter_call c = { .f = f, .generation = generation };

	if (!stream_about(ctl, DEVTRACE_CMD_FILTER_GET, stream))
		return -EINVAL;
	return ctl_get(ctl, call_filter, &c);
}

int devtrace_ctl_filters(struct devtrace_ctl *ctl, devtrace_filter_fn *fn, void *arg)
{
	struct filter_call c = { .fn = fn, .arg = arg };

	ctl_request(ctl, DEVTRACE_CMD_FILTER_GET);
	return ctl_dump(ctl, call_filter, &c);
}

int devtrace_ctl_filter_set(struct devtrace_ctl *ctl, const char *stream,
			    const struct devtrace_filter *f, const uint32_t *generation)
{
	struct nlmsghdr *nlh = stream_about(ctl, DEVTRACE_CMD_FILTER_SET, stream);

	if (!nlh)
		return -EINVAL;
	ctl_put_filter(nlh, DEVTRACE_A_FILTER, f);
	if (generation)
		mnl_attr_put_u32(nlh, DEVTRACE_A_GENERATION, *generation);
	return ctl_do(ctl);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ctl_trigger.c - triggers
 */
#include <errno.h>
#include <string.h>
#include "ctl.h"

int devtrace_ctl_trigger_init(struct devtrace_ctl_trigger *t, const char *name)
{
	memset(t, 0, sizeof(*t));
	devtrace_filter_all(&t->when);
	devtrace_filter_all(&t->filter);
	if (strlen(name) >= sizeof(t->name))
		return -EINVAL;
	strcpy(t->name, name);
	return 0;
}

static int parse_element(const struct nlattr *nest, struct devtrace_ctl_element *e)
{
	static const uint16_t least[DEVTRACE_EA_MAX + 1] = {
		[DEVTRACE_EA_INDEX] = 4, [DEVTRACE_EA_COMPARE] = 4,
		[DEVTRACE_EA_VALUE] = 8, [DEVTRACE_EA_MASK] = 8, [DEVTRACE_EA_STRING] = 1,
	};
	const struct nlattr *tb[DEVTRACE_EA_MAX + 1];

	if (ctl_parse_nest(nest, tb, DEVTRACE_EA_MAX, least))
		return -EBADMSG;
	e->given = true;
	if (tb[DEVTRACE_EA_INDEX])
		e->index = mnl_attr_get_u32(tb[DEVTRACE_EA_INDEX]);
	if (tb[DEVTRACE_EA_COMPARE])
		e->compare = mnl_attr_get_u32(tb[DEVTRACE_EA_COMPARE]);
	if (tb[DEVTRACE_EA_VALUE])
		e->value = (int64_t)mnl_attr_get_u64(tb[DEVTRACE_EA_VALUE]);
	if (tb[DEVTRACE_EA_MASK])
		e->mask = mnl_attr_get_u64(tb[DEVTRACE_EA_MASK]);
	e->is_string = tb[DEVTRACE_EA_STRING];
	ctl_copy(e->string, sizeof(e->string), tb[DEVTRACE_EA_STRING]);
	return 0;
}

int ctl_parse_trigger(const struct ctl_attrs *attrs, struct devtrace_ctl_trigger *t)
{
	static const struct ctl_field fields[] = {
		CTL_FIELD(trigger, name, TRIGGER), CTL_FIELD(trigger, nth, NTH),
		CTL_FIELD(trigger, rate, RATE), CTL_FIELD(trigger, action, ACTION),
		CTL_FIELD(trigger, stream, STREAM), CTL_FIELD(trigger, events, EVENTS),
		CTL_FIELD(trigger, time, TIME), CTL_FLAG(trigger, rearm, REARM),
		CTL_FLAG(trigger, armed, ARMED), CTL_FIELD(trigger, fired, FIRED),
		CTL_FIELD(trigger, fired_at, FIRED_AT), CTL_FIELD(trigger, seen, SEEN),
	};

	if (CTL_FIELDS(attrs, fields, t))
		return -EBADMSG;
	devtrace_filter_all(&t->when);
	devtrace_filter_all(&t->filter);
	if (attrs->a[DEVTRACE_A_WHEN] && ctl_parse_filter(attrs->a[DEVTRACE_A_WHEN], &t->when))
		return -EBADMSG;
	if (attrs->a[DEVTRACE_A_FILTER] &&
	    ctl_parse_filter(attrs->a[DEVTRACE_A_FILTER], &t->filter))
		return -EBADMSG;
	if (attrs->a[DEVTRACE_A_ELEMENT])
		return parse_element(attrs->a[DEVTRACE_A_ELEMENT], &t->element);
	return 0;
}

static int each_trigger(const struct ctl_attrs *attrs, void *arg)
{
	const struct ctl_caller *c = arg;
	struct devtrace_ctl_trigger t;
	int ret = ctl_parse_trigger(attrs, &t);

	return ret ? ret : ((devtrace_trigger_fn *)c->fn)(&t, c->arg);
}

int devtrace_ctl_triggers(struct devtrace_ctl *ctl, devtrace_trigger_fn *fn, void *arg)
{
	return ctl_list(ctl, DEVTRACE_CMD_TRIGGER_GET, NULL, each_trigger, (ctl_any_fn *)fn, arg);
}

static int get_trigger(const struct ctl_attrs *attrs, void *arg)
{
	return ctl_parse_trigger(attrs, arg);
}

static struct nlmsghdr *trigger_about(struct devtrace_ctl *ctl, int cmd, const char *name)
{
	return ctl_about(ctl, cmd, DEVTRACE_A_TRIGGER, name);
}

int devtrace_ctl_trigger_get(struct devtrace_ctl *ctl, const char *name,
			     struct devtrace_ctl_trigger *t)
{
	if (!trigger_about(ctl, DEVTRACE_CMD_TRIGGER_GET, name))
		return -EINVAL;
	return ctl_get(ctl, get_trigger, t);
}

static void put_element(struct nlmsghdr *nlh, const struct devtrace_ctl_element *e)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, DEVTRACE_A_ELEMENT);

	mnl_attr_put_u32(nlh, DEVTRACE_EA_INDEX, e->index);
	mnl_attr_put_u32(nlh, DEVTRACE_EA_COMPARE, e->compare);
	if (e->is_string) {
		mnl_attr_put_strz(nlh, DEVTRACE_EA_STRING, e->string);
	} else {
		mnl_attr_put_u64(nlh, DEVTRACE_EA_VALUE, (uint64_t)e->value);
		if (e->mask)
			mnl_attr_put_u64(nlh, DEVTRACE_EA_MASK, e->mask);
	}
	mnl_attr_nest_end(nlh, nest);
}

int devtrace_ctl_trigger_new(struct devtrace_ctl *ctl, const struct devtrace_ctl_trigger *t)
{
	struct nlmsghdr *nlh = trigger_about(ctl, DEVTRACE_CMD_TRIGGER_NEW, t->name);

	if (!nlh)
		return -EINVAL;
	ctl_put_filter(nlh, DEVTRACE_A_WHEN, &t->when);
	if (t->element.given)
		put_element(nlh, &t->element);
	if (t->nth)
		mnl_attr_put_u64(nlh, DEVTRACE_A_NTH, t->nth);
	if (t->rate)
		mnl_attr_put_u32(nlh, DEVTRACE_A_RATE, t->rate);
	mnl_attr_put_u32(nlh, DEVTRACE_A_ACTION, t->action);
	if (t->action != DEVTRACE_ACTION_NOTIFY &&
	    ctl_put_name(ctl, nlh, DEVTRACE_A_STREAM,
			 *t->stream ? t->stream : DEVTRACE_STREAM0))
		return -EINVAL;
	if (t->events)
		mnl_attr_put_u64(nlh, DEVTRACE_A_EVENTS, t->events);
	if (t->time)
		mnl_attr_put_u64(nlh, DEVTRACE_A_TIME, t->time);
	if (t->action == DEVTRACE_ACTION_FILTER)
		ctl_put_filter(nlh, DEVTRACE_A_FILTER, &t->filter);
	if (t->rearm)
		mnl_attr_put_u8(nlh, DEVTRACE_A_REARM, 1);
	return ctl_do(ctl);
}

int devtrace_ctl_trigger_arm(struct devtrace_ctl *ctl, const char *name, bool armed)
{
	struct nlmsghdr *nlh = trigger_about(ctl, DEVTRACE_CMD_TRIGGER_SET, name);

	if (!nlh)
		return -EINVAL;
	mnl_attr_put_u8(nlh, DEVTRACE_A_ARMED, armed);
	return ctl_do(ctl);
}

int devtrace_ctl_trigger_del(struct devtrace_ctl *ctl, const char *name)
{
	return trigger_about(ctl, DEVTRACE_CMD_TRIGGER_DEL, name) ? ctl_do(ctl) : -EINVAL;
}

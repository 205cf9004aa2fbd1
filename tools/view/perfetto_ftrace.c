// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto_ftrace.c - kernel profile events as events of ftrace
 *
 * Perfetto shows scheduling, interrupts and system calls only from events of ftrace. Events of one
 * CPU that are next to each other in the stream are written as one bundle, so the file keeps the
 * order of the stream.
 *
 * An event is converted if its elements are those that the module emits
 * (kmod/profile/profile_types.h); format files are ignored. A program may emit other elements with
 * the same type: such an event is not converted.
 */
#include "perfetto.h"

#define FTRACE_ELEMS		6
#define FTRACE_BUNDLE_MAX	65536		/* bytes */
#define FTRACE_BUNDLE_NS	1000000000

/* FtraceEvent */
enum { FTRACE_TIMESTAMP = 1, FTRACE_PID = 2 };

/* Fields to add that are no elements */
enum ftrace_more {
	MORE_NOTHING, MORE_SWITCH, MORE_WAKEUP, MORE_FORK, MORE_EXEC, MORE_EXIT,
	MORE_SIGNAL1,
};

/*
 * @kinds: the element types: d u32, w u16, l i32, h i16, s string, o address, u unsigned of any
 * size or an enumeration, i signed of any size. @to: the field for each element; 0: none.
 */
static const struct ftrace_row {
	uint8_t		type;
	uint16_t	field;
	const char	*kinds;
	uint8_t		to[FTRACE_ELEMS];
	enum ftrace_more more;
	/* object: the event's object if its signal is a number that ftrace needs; 0: none */
	uint16_t	object;
} ftrace_rows[] = {
	{ DEVTRACE_T_SYS_EXIT, 330, "i", { 2 }, MORE_SIGNAL1, DEVTRACE_OBJ_SYSCALL },
	{ DEVTRACE_T_IRQ_ENTRY, 36, "s", { 2 }, MORE_SIGNAL1, DEVTRACE_OBJ_IRQ },
	{ DEVTRACE_T_IRQ_EXIT, 37, "u", { 2 }, MORE_SIGNAL1, DEVTRACE_OBJ_IRQ },
	{ DEVTRACE_T_SOFTIRQ_RAISE, 26, "", { 0 }, MORE_SIGNAL1, DEVTRACE_OBJ_SOFTIRQ },
	{ DEVTRACE_T_SOFTIRQ_ENTRY, 24, "", { 0 }, MORE_SIGNAL1, DEVTRACE_OBJ_SOFTIRQ },
	{ DEVTRACE_T_SOFTIRQ_EXIT, 25, "", { 0 }, MORE_SIGNAL1, DEVTRACE_OBJ_SOFTIRQ },
	{ DEVTRACE_T_SCHED_SWITCH, 4, "uhdhs", { 0, 3, 6, 7, 5 }, MORE_SWITCH, 0 },
	{ DEVTRACE_T_SCHED_WAKING, 20, "dhws", { 2, 3, 5, 1 }, MORE_WAKEUP, 0 },
	{ DEVTRACE_T_SCHED_WAKEUP, 17, "dhws", { 2, 3, 5, 1 }, MORE_WAKEUP, 0 },
	{ DEVTRACE_T_SCHED_WAKEUP_NEW, 114, "dhws", { 2, 3, 5, 1 }, MORE_WAKEUP, 0 },
	{ DEVTRACE_T_SCHED_MIGRATE, 491, "dhww", { 2, 3, 4, 5 }, MORE_NOTHING, 0 },
	{ DEVTRACE_T_SCHED_FORK, 239, "dds", { 4, 0, 3 }, MORE_FORK, 0 },
	{ DEVTRACE_T_SCHED_EXEC, 237, "ds", { 3, 1 }, MORE_EXEC, 0 },
	{ DEVTRACE_T_SCHED_EXIT, 238, "lh", { 0, 4 }, MORE_EXIT, 0 },
	{ DEVTRACE_T_SCHED_PI, 353, "dhh", { 4, 3, 2 }, MORE_NOTHING, 0 },
	{ DEVTRACE_T_TASK_RENAME, 236, "ds", { 1, 3 }, MORE_NOTHING, 0 },
	{ DEVTRACE_T_WORK_QUEUE, 59, "oo", { 1, 2 }, MORE_NOTHING, 0 },
	{ DEVTRACE_T_WORK_START, 58, "oo", { 1, 2 }, MORE_NOTHING, 0 },
	{ DEVTRACE_T_WORK_END, 57, "oo", { 1, 2 }, MORE_NOTHING, 0 },
	{ DEVTRACE_T_CPU_FREQ, 11, "dw", { 1, 2 }, MORE_NOTHING, 0 },
};

/* Convert an enum task_state of kernel.fmt to the bits of ftrace's prev_state. */
static uint64_t ftrace_state(uint64_t state)
{
	static const uint16_t bits[] = { 0, 1, 2, 4, 8, 16, 32, 64, 128, 256 };

	return state < sizeof(bits) / sizeof(bits[0]) ? bits[state] : 0;
}

static bool ftrace_is(const struct devtrace_elem *e, char kind)
{
	if (e->is_enum)
		return kind == 'u';
	switch (kind) {
	case 'u':
		return FMT_BIT(e->type) & FMT_M_UINT;
	case 'i':
		return FMT_BIT(e->type) & FMT_M_SINT;
	case 'd':
		return e->type == DEVTRACE_E_U32;
	case 'w':
		return e->type == DEVTRACE_E_U16;
	case 'l':
		return e->type == DEVTRACE_E_I32;
	case 'h':
		return e->type == DEVTRACE_E_I16;
	case 's':
		return e->type == DEVTRACE_E_STR;
	case 'o':
		return FMT_BIT(e->type) & FMT_M_ADDR;
	}
	return false;
}

/* Read all elements. Return false unless they have exactly these kinds. */
static bool ftrace_elems(const struct ti_event *e, const char *kinds, struct devtrace_elem *v)
{
	size_t pos = 0, i;

	for (i = 0; i < FTRACE_ELEMS && kinds[i]; i++)
		if (devtrace_elem_next(e->ev->data, e->ev->len, &pos, &v[i]) != 1 ||
		    !ftrace_is(&v[i], kinds[i]))
			return false;
	return pos == e->ev->len;
}

static void ftrace_comm(struct pb *p, unsigned int field, const struct ti_event *e)
{
	const char *name = ti_event_process(e);

	if (name)
		pb_text(p, field, name, strlen(name));
}

static void ftrace_more(struct pb *p, const struct ftrace_row *row, const struct ti_event *e,
			const struct devtrace_elem *v)
{
	switch (row->more) {
	case MORE_SWITCH:
		ftrace_comm(p, 1, e);
		pb_uint(p, 2, e->ev->tid);
		pb_uint(p, 4, ftrace_state(v[0].v.u));
		break;
	case MORE_WAKEUP:
		pb_uint(p, 4, 1);
		break;
	case MORE_FORK:
		ftrace_comm(p, 1, e);
		pb_uint(p, 2, e->ev->tid);
		break;
	case MORE_EXEC:
		pb_uint(p, 2, e->ev->tid);
		break;
	case MORE_EXIT:
		ftrace_comm(p, 1, e);
		pb_uint(p, 2, e->ev->tid);
		if (e->tgid)
			pb_uint(p, 3, e->tgid);
		break;
	case MORE_SIGNAL1:
		pb_uint(p, 1, e->ev->signal);
		break;
	case MORE_NOTHING:
		break;
	}
}

void perfetto_ftrace_flush(struct perfetto *f)
{
	struct pb *p;
	uint64_t *lost;

	if (!f->bundle.o.len)
		return;
	lost = view_seen(f->seen, perfetto_track(f, PERFETTO_TRACK_LOST_ON_CPU, f->bundle_cpu));
	p = perfetto_begin(f, PERFETTO_FTRACE, 0);
	pb_begin(p, PACKET_FTRACE_EVENTS);
	pb_uint(p, 1, f->bundle_cpu);
	if (*lost) {
		pb_uint(p, 3, 1);
		*lost = 0;
	}
	out_mem(&p->o, f->bundle.o.buf, f->bundle.o.len);
	pb_end(p);
	perfetto_end(f);
	pb_clear(&f->bundle);
}

/*
 * Begin an event in the bundle of its CPU. The caller calls pb_end() twice: for the event's
 * fields, then for the event.
 */
static struct pb *ftrace_begin(struct perfetto *f, const struct ti_event *e, unsigned int field)
{
	const uint64_t time = view_time(f->view, e->ev->ts);
	struct pb *p = &f->bundle;

	if (p->o.len && (e->ev->source != f->bundle_cpu || p->o.len >= FTRACE_BUNDLE_MAX ||
			 time - f->bundle_from >= FTRACE_BUNDLE_NS))
		perfetto_ftrace_flush(f);
	if (!p->o.len) {
		f->bundle_cpu = e->ev->source;
		f->bundle_from = time;
	}
	pb_begin(p, 2);
	pb_uint(p, FTRACE_TIMESTAMP, time);
	pb_uint(p, FTRACE_PID, e->ev->tid);
	pb_begin(p, field);
	return p;
}

static bool ftrace_call(struct perfetto *f, const struct ti_event *e)
{
	struct devtrace_elem v;
	size_t pos = 0;
	struct pb *p;
	int ret;

	while ((ret = devtrace_elem_next(e->ev->data, e->ev->len, &pos, &v)) == 1)
		if (!ftrace_is(&v, 'u') && !ftrace_is(&v, 'i'))
			return false;
	if (ret < 0)
		return false;
	p = ftrace_begin(f, e, 329);
	pb_uint(p, 1, e->ev->signal);
	for (pos = 0; devtrace_elem_next(e->ev->data, e->ev->len, &pos, &v) == 1;)
		pb_uint(p, 2, v.v.u);
	pb_end(p);
	pb_end(p);
	return true;
}

static const struct ftrace_row *ftrace_find(uint8_t type)
{
	size_t i;

	for (i = 0; i < sizeof(ftrace_rows) / sizeof(ftrace_rows[0]); i++)
		if (ftrace_rows[i].type == type)
			return &ftrace_rows[i];
	return NULL;
}

static bool ftrace_object(const struct ti_event *e, unsigned int object)
{
	const unsigned int has = e->ev->flags & DEVTRACE_F_OBJSIG ? e->ev->object : 0;

	return has == object;
}

bool perfetto_ftrace(struct perfetto *f, const struct ti_event *e)
{
	const struct ftrace_row *row;
	struct devtrace_elem v[FTRACE_ELEMS];
	struct pb *p;
	size_t i;

	/* Events of lanes belong to programs. */
	if (ti_event_lane(e) >= 0 || (e->ev->flags & (DEVTRACE_F_USER | DEVTRACE_F_CODE)))
		return false;
	if (e->ev->type == DEVTRACE_T_SYS_ENTER)
		return ftrace_object(e, DEVTRACE_OBJ_SYSCALL) && ftrace_call(f, e);
	row = ftrace_find(e->ev->type);
	if (!row || !ftrace_object(e, row->object) || !ftrace_elems(e, row->kinds, v))
		return false;
	p = ftrace_begin(f, e, row->field);
	ftrace_more(p, row, e, v);
	for (i = 0; i < FTRACE_ELEMS && row->kinds[i]; i++) {
		if (!row->to[i])
			continue;
		if (row->kinds[i] == 's')
			pb_text(p, row->to[i], v[i].v.mem.p, v[i].v.mem.len);
		else
			pb_uint(p, row->to[i], v[i].v.u);
	}
	pb_end(p);
	pb_end(p);
	return true;
}

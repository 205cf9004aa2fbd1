// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decode_body.c - decode the body of an intact frame to an item
 *
 * Invariants: nothing is read beyond the body, and the strings of an item end with a NUL inside
 * it. The elements of an event are not checked: programs build them, and the event is delivered as
 * the program emitted it.
 */
#include <string.h>
#include <linux/devtrace_lane.h>

#include "wire/bytes.h"
#include "decode_priv.h"

#define EVENT_SIZE	sizeof(struct devtrace_wire_event)
#define INFO_SIZE	sizeof(struct devtrace_wire_info)
#define CLOCK_SIZE	sizeof(struct devtrace_wire_clock)
#define LOST_SIZE	sizeof(struct devtrace_wire_lost)
#define PROC_SIZE	sizeof(struct devtrace_wire_proc)
#define DICT_SIZE	sizeof(struct devtrace_wire_dict)
#define STATE_SIZE	sizeof(struct devtrace_wire_state)
#define LOAD_SIZE	sizeof(struct devtrace_wire_load)
#define NOTE_SIZE	sizeof(struct devtrace_wire_note)

/* More CPUs and lanes than any machine has. Used only to guess whether some bytes are an event. */
#define SOURCES_SANE	(8192 + 4096)

_Static_assert(EVENT_SIZE == 16, "event header");
_Static_assert(INFO_SIZE == 32, "INFO");
_Static_assert(CLOCK_SIZE == 40, "CLOCK");
_Static_assert(LOST_SIZE == 28, "LOST");
_Static_assert(PROC_SIZE == 16, "PROC");
_Static_assert(DICT_SIZE == 20, "dictionary");
_Static_assert(STATE_SIZE == 24, "STATE");
_Static_assert(LOAD_SIZE == 8, "load");
_Static_assert(NOTE_SIZE == 4, "note");

/* Return the string at *pos and advance *pos past its NUL. Return NULL if there is no string. */
static const char *take_string(const uint8_t *body, size_t len, size_t *pos)
{
	const uint8_t *s = body + *pos, *nul;

	if (*pos >= len)
		return NULL;
	nul = memchr(s, 0, len - *pos);
	if (!nul)
		return NULL;
	*pos = (size_t)(nul - body) + 1;
	return (const char *)s;
}

/*
 * A body of version 1 ends here. Later versions may append fields, but cannot change earlier ones.
 */
static bool body_ends(const struct devtrace_decoder *d, size_t pos, size_t len)
{
	return pos == len || d->version > DEVTRACE_WIRE_VERSION;
}

/* The code of an event of a type that is registered by name is the number of the type. */
static void take_number(struct devtrace_event *e, const uint8_t *code)
{
	e->number = e->type;
	if (e->type != DEVTRACE_T_NAMED || !devtrace_named_is_valid(e->flags, code))
		return;
	e->number = (uint16_t)e->code;
	e->code = 0;
	e->flags &= (uint8_t)~DEVTRACE_F_CODE;
}

static bool parse_event(struct devtrace_event *e, uint8_t type,
			const uint8_t *p, size_t len)
{
	size_t size = EVENT_SIZE;

	if (len < size)
		return false;
	e->type = type;
	e->flags = p[0];
	e->severity = p[1];
	e->source = dt_le16(p + 2);
	e->tid = dt_le32(p + 4);
	e->tgid = 0;
	e->ts = dt_le64(p + 8);
	e->code = 0;
	e->object = 0;
	e->signal = 0;
	if (e->flags & DEVTRACE_F_CODE) {
		if (len - size < 4)
			return false;
		e->code = dt_le32(p + size);
		size += 4;
	}
	if (e->flags & DEVTRACE_F_OBJSIG) {
		if (len - size < 4)
			return false;
		e->object = dt_le16(p + size);
		e->signal = dt_le16(p + size + 2);
		size += 4;
	}
	e->data = p + size;
	e->len = len - size;
	take_number(e, p + EVENT_SIZE);
	return true;
}

static bool parse_info(struct devtrace_info *i, const uint8_t *p, size_t len)
{
	size_t pos = INFO_SIZE;

	if (len < pos)
		return false;
	i->version = p[0];
	i->check = p[1];
	i->reason = p[2];
	i->flags = p[3];
	i->nr_sources = dt_le16(p + 4);
	i->nr_cpus = dt_le16(p + 6);
	i->frames = dt_le64(p + 8);
	memcpy(i->boot_id, p + 16, sizeof(i->boot_id));
	i->machine = take_string(p, len, &pos);
	i->release = take_string(p, len, &pos);
	i->stream = take_string(p, len, &pos);
	return i->version && i->machine && i->release && i->stream &&
	       (pos == len || i->version > DEVTRACE_WIRE_VERSION);
}

static bool parse_clock(const struct devtrace_decoder *d, struct devtrace_clock *c,
			const uint8_t *p, size_t len)
{
	if (len < CLOCK_SIZE || !body_ends(d, CLOCK_SIZE, len))
		return false;
	c->frames = dt_le64(p);
	c->ts = dt_le64(p + 8);
	c->mono = dt_le64(p + 16);
	c->boot = dt_le64(p + 24);
	c->real = (int64_t)dt_le64(p + 32);
	return true;
}

static bool parse_lost(const struct devtrace_decoder *d, struct devtrace_lost *l,
		       const uint8_t *p, size_t len)
{
	if (len < LOST_SIZE || !body_ends(d, LOST_SIZE, len))
		return false;
	l->source = dt_le16(p);
	l->cause = p[2];
	l->count = dt_le64(p + 4);
	l->from = dt_le64(p + 12);
	l->to = dt_le64(p + 20);
	return true;
}

static bool parse_state(const struct devtrace_decoder *d, struct devtrace_state_item *s,
			const uint8_t *p, size_t len)
{
	size_t pos = STATE_SIZE;

	if (len < pos)
		return false;
	s->state = p[0];
	s->by_trigger = p[1];
	s->ts = dt_le64(p + 8);
	s->fired = dt_le64(p + 16);
	s->trigger = take_string(p, len, &pos);
	return s->trigger && body_ends(d, pos, len);
}

static bool parse_proc(const struct devtrace_decoder *d, struct devtrace_proc *r,
		       const uint8_t *p, size_t len)
{
	size_t pos = PROC_SIZE;

	if (len < pos)
		return false;
	r->tid = dt_le32(p);
	r->tgid = dt_le32(p + 4);
	r->since = dt_le64(p + 8);
	r->name = take_string(p, len, &pos);
	return r->name && body_ends(d, pos, len);
}

static bool parse_dict(const struct devtrace_decoder *d, struct devtrace_name *n,
		       uint8_t type, const uint8_t *p, size_t len)
{
	size_t pos = DICT_SIZE;

	if (len < pos)
		return false;
	n->kind = type;
	n->scope = dt_le32(p);
	n->value = dt_le32(p + 4);
	n->group = p[8];
	n->key = dt_le64(p + 12);
	n->name = take_string(p, len, &pos);
	return n->name && body_ends(d, pos, len);
}

bool dt_note_parse(struct devtrace_item *item, const uint8_t *p, size_t len)
{
	size_t pos = NOTE_SIZE;

	if (len < pos || p[0] != DEVTRACE_EMPTY_NOTE)
		return false;
	item->kind = DEVTRACE_ITEM_NOTE;
	item->u.note.name = take_string(p, len, &pos);
	item->u.note.value = take_string(p, len, &pos);
	return item->u.note.value && pos == len;
}

bool dt_body_parse(const struct devtrace_decoder *d, struct devtrace_item *item,
		   uint8_t type, const uint8_t *body, size_t len)
{
	switch (type) {
	case DEVTRACE_T_INFO:
		item->kind = DEVTRACE_ITEM_INFO;
		return parse_info(&item->u.info, body, len);
	case DEVTRACE_T_CLOCK:
		item->kind = DEVTRACE_ITEM_CLOCK;
		return parse_clock(d, &item->u.clock, body, len);
	case DEVTRACE_T_LOST:
		item->kind = DEVTRACE_ITEM_LOST;
		return parse_lost(d, &item->u.lost, body, len);
	case DEVTRACE_T_STATE:
		item->kind = DEVTRACE_ITEM_STATE;
		return parse_state(d, &item->u.state, body, len);
	case DEVTRACE_T_PROC:
		item->kind = DEVTRACE_ITEM_PROC;
		return parse_proc(d, &item->u.proc, body, len);
	case DEVTRACE_T_ENUM:
	case DEVTRACE_T_SIG:
	case DEVTRACE_T_OBJ:
	case DEVTRACE_T_FUN:
	case DEVTRACE_T_USR:
	case DEVTRACE_T_IMAGE:
		item->kind = DEVTRACE_ITEM_DICT;
		return parse_dict(d, &item->u.dict, type, body, len);
	case DEVTRACE_T_EMPTY:
		if (dt_accuracy_parse(&item->u.accuracy, body, len)) {
			item->kind = DEVTRACE_ITEM_ACCURACY;
			return true;
		}
		/* fall through */
	case DEVTRACE_T_STATE + 1 ... DEVTRACE_T_PROC - 1:
		item->kind = DEVTRACE_ITEM_UNKNOWN;
		item->u.unknown.type = type;
		item->u.unknown.data = body;
		item->u.unknown.len = len;
		return true;
	default:
		item->kind = DEVTRACE_ITEM_EVENT;
		return parse_event(&item->u.event, type, body, len);
	}
}

bool dt_item_plausible(const struct devtrace_item *item)
{
	const uint8_t flags = DEVTRACE_F_MASK_EMIT | DEVTRACE_F_CONTEXT | DEVTRACE_F_USER |
			      DEVTRACE_F_LATE;
	const struct devtrace_event *e = &item->u.event;
	struct devtrace_elem elem;
	size_t pos = 0;
	int r;

	/* dt_body_parse() has already checked the form of all other known bodies. */
	if (item->kind != DEVTRACE_ITEM_EVENT)
		return item->kind != DEVTRACE_ITEM_UNKNOWN;
	if (e->flags & ~flags || e->source >= SOURCES_SANE ||
	    (e->severity && (e->severity & 0xf8) != DEVTRACE_SEV_SET))
		return false;
	do
		r = devtrace_elem_next(e->data, e->len, &pos, &elem);
	while (r > 0);
	return r == 0;
}

/* Empty the cache: each entry gets a tid for which process_of() looks at another entry. */
void dt_forget_recent(struct devtrace_decoder *d)
{
	for (uint32_t i = 0; i < DT_RECENT; i++)
		d->recent[i].tid = i + 1;
}

static uint32_t process_of(struct devtrace_decoder *d, uint32_t tid)
{
	uint32_t i = tid % DT_RECENT;

	if (d->recent[i].tid != tid) {
		d->recent[i].tid = tid;
		devtrace_decoder_proc(d, tid, &d->recent[i].tgid);
	}
	return d->recent[i].tgid;
}

static void forget_names(struct devtrace_decoder *d)
{
	dt_names_clear(&d->names);
	dt_names_clear(&d->procs);
	dt_forget_recent(d);
	*d->idle = '\0';
}

static void learn_info(struct devtrace_decoder *d, const struct devtrace_info *i)
{
	bool other_boot = d->have_boot &&
			  memcmp(d->boot_id, i->boot_id, sizeof(d->boot_id));

	/*
	 * This stream has its own names and clocks; those of the earlier stream, perhaps from
	 * another machine, no longer apply.
	 */
	if (dt_opens_stream(i) || other_boot) {
		forget_names(d);
		dt_accuracy_forget(&d->accuracy);
		d->load = 0;
	}
	/* A CLOCK frame follows; after a seek its time may be earlier than the last one's. */
	if (dt_opens_stream(i) || other_boot || i->reason == DEVTRACE_INFO_SEEK)
		d->nr_clocks = 0;
	if (dt_opens_stream(i) || other_boot || i->reason != DEVTRACE_INFO_PERIODIC)
		dt_compact_forget(&d->compact);
	d->version = i->version;
	d->nr_cpus = i->nr_cpus;
	d->have_boot = true;
	memcpy(d->boot_id, i->boot_id, sizeof(d->boot_id));
}

/* Learn the number of the module's load from an EMPTY frame. Names are valid for one load only. */
static void learn_load(struct devtrace_decoder *d, const uint8_t *p, size_t len)
{
	uint32_t load;

	if (len < LOAD_SIZE || p[0] != DEVTRACE_EMPTY_LOAD)
		return;
	load = dt_le32(p + 4);
	if (d->load && load != d->load) {
		forget_names(d);
		d->nr_clocks = 0;
	}
	d->load = load;
}

static void learn_clock(struct devtrace_decoder *d, const struct devtrace_clock *c)
{
	uint32_t last = (d->next_clock + DT_CLOCKS - 1) % DT_CLOCKS;

	/* clocks[] is ordered by ts, so empty it if this time is earlier. */
	if (d->nr_clocks && c->ts < d->clocks[last].ts)
		d->nr_clocks = 0;
	/* The kernel repeats a CLOCK frame for readers that began later. */
	if (d->nr_clocks && c->ts == d->clocks[last].ts) {
		d->clocks[last] = *c;
		return;
	}
	dt_accuracy_clock(&d->accuracy, d->nr_clocks ? &d->clocks[last] : NULL, c);
	d->clocks[d->next_clock] = *c;
	d->next_clock = (d->next_clock + 1) % DT_CLOCKS;
	if (d->nr_clocks < DT_CLOCKS)
		d->nr_clocks++;
}

/* The idle threads of all CPUs have tid 0, so their name is made from the CPU of the event. */
static void learn_idle(struct devtrace_decoder *d, uint16_t source)
{
	static const char swapper[] = "swapper/";
	char digits[5], *p = d->idle + sizeof(swapper) - 1;
	int n = 0;

	if (d->nr_cpus && source >= d->nr_cpus)
		return;
	do {
		digits[n++] = (char)('0' + source % 10);
		source /= 10;
	} while (source);
	memcpy(d->idle, swapper, sizeof(swapper));
	while (n)
		*p++ = digits[--n];
	*p = '\0';
}

void dt_body_learn(struct devtrace_decoder *d, struct devtrace_item *item)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		item->u.event.tgid = process_of(d, item->u.event.tid);
		if (!item->u.event.tid)
			learn_idle(d, item->u.event.source);
		d->last_ts = item->u.event.ts;
		d->totals.events++;
		break;
	case DEVTRACE_ITEM_INFO:
		learn_info(d, &item->u.info);
		break;
	case DEVTRACE_ITEM_CLOCK:
		learn_clock(d, &item->u.clock);
		break;
	case DEVTRACE_ITEM_LOST:
		d->totals.lost += item->u.lost.count;
		break;
	case DEVTRACE_ITEM_PROC:
		dt_names_put(&d->procs,
			     &(struct dt_key){ .kind = DEVTRACE_T_PROC,
					       .value = item->u.proc.tid },
			     item->u.proc.tgid, item->u.proc.name);
		dt_forget_recent(d);
		break;
	case DEVTRACE_ITEM_DICT:
		dt_names_put(&d->names,
			     &(struct dt_key){ .kind = item->u.dict.kind,
					       .group = item->u.dict.group,
					       .scope = item->u.dict.scope,
					       .value = item->u.dict.value,
					       .key = item->u.dict.key },
			     0, item->u.dict.name);
		break;
	case DEVTRACE_ITEM_ACCURACY:
		dt_accuracy_learn(&d->accuracy, &item->u.accuracy);
		break;
	case DEVTRACE_ITEM_UNKNOWN:
		if (item->u.unknown.type == DEVTRACE_T_EMPTY)
			learn_load(d, item->u.unknown.data, item->u.unknown.len);
		break;
	default:
		break;
	}
}

static const char *body_find(const struct devtrace_decoder *d, struct dt_key key)
{
	struct dt_name *e = dt_names_get(&d->names, &key);

	/* The signal has no name for this object: try its name for all objects. */
	if (!e && key.kind == DEVTRACE_T_SIG && key.key) {
		key.key = 0;
		e = dt_names_get(&d->names, &key);
	}
	return e ? e->name : NULL;
}

const char *devtrace_decoder_name(const struct devtrace_decoder *d, uint8_t kind,
				  uint32_t scope, uint32_t value, uint8_t group,
				  uint64_t key)
{
	struct dt_key k = {
		.kind = kind, .group = group, .scope = scope, .value = value, .key = key,
	};
	const char *name = body_find(d, k);

	/* The numbers of images are those of one process: image 0 of the kernel is another file. */
	if (!name && scope && kind != DEVTRACE_T_IMAGE) {
		k.scope = 0;
		name = body_find(d, k);
	}
	return name;
}

const char *devtrace_decoder_proc(const struct devtrace_decoder *d, uint32_t tid,
				  uint32_t *tgid)
{
	struct dt_key key = { .kind = DEVTRACE_T_PROC, .value = tid };
	struct dt_name *e;

	if (!tid && *d->idle) {
		if (tgid)
			*tgid = 0;
		return d->idle;
	}
	e = dt_names_get(&d->procs, &key);
	if (tgid)
		*tgid = e ? e->tgid : 0;
	return e ? e->name : NULL;
}

int devtrace_decoder_lane(const struct devtrace_decoder *d, uint16_t source)
{
	return d->nr_cpus && source >= d->nr_cpus ? source - d->nr_cpus : -1;
}

uint32_t devtrace_decoder_load(const struct devtrace_decoder *d)
{
	return d->load;
}

/* Return the last CLOCK frame at or before ts, or the oldest one if ts is earlier than all. */
static const struct devtrace_clock *clock_at(const struct devtrace_decoder *d, uint64_t ts)
{
	const struct devtrace_clock *c = NULL;

	for (uint32_t i = 1; i <= d->nr_clocks; i++) {
		c = &d->clocks[(d->next_clock + DT_CLOCKS - i) % DT_CLOCKS];
		if (c->ts <= ts)
			break;
	}
	return c;
}

bool devtrace_decoder_real(const struct devtrace_decoder *d, uint64_t ts, int64_t *real)
{
	const struct devtrace_clock *c = clock_at(d, ts);

	if (c)
		*real = (int64_t)((uint64_t)c->real + (ts - c->ts));
	return c;
}

bool devtrace_decoder_mono(const struct devtrace_decoder *d, uint64_t ts, uint64_t *mono)
{
	const struct devtrace_clock *c = clock_at(d, ts);

	if (c)
		*mono = c->mono + (ts - c->ts);
	return c;
}

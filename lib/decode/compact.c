// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * compact.c - make a stream compact, for slow lines
 *
 * Each event frame becomes a compact frame, and INFO frames announce this. All other frames, and
 * damaged ones, are passed on unchanged. Sequence numbers do not change, so a gap in the input is
 * a gap in the output. A stream that is already compact is passed on unchanged.
 *
 * Invariant: a decoder that misses up to DT_COMPACT_BEAR frames understands the next frame. For
 * this purpose the first DT_COMPACT_BEAR + 1 frames that use a new origin of a slot contain the
 * origin. A time stamp has enough bytes for a decoder that has received any one of the last
 * DT_COMPACT_BEAR + 1 events.
 */
#include <stdlib.h>
#include <string.h>

#include "compact.h"
#include "devtrace-decode.h"
#include "wire/frame.h"

/* Length of the longest raw frame without its flag, in the input and in the output. */
#define RAW_MAX		(2 * DEVTRACE_FRAME_MAX)
/* Room for a frame, and for the bytes before it that its check also covers. */
#define WORK_MAX	(DT_COMPACT_BEFORE + DEVTRACE_FRAME_MAX)
/*
 * Longest event, without its check, that is made compact. In the worst case its compact frame is
 * longer by the first byte, two optional bytes, the origin and a whole time stamp, and must not
 * exceed the longest frame.
 */
#define COMPACTABLE	(DEVTRACE_FRAME_MAX - 4 - 1 - 2 - 4 - 5)
#define FLAGS		(DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG | DEVTRACE_F_PTR | DEVTRACE_F_LATE)
_Static_assert((FLAGS | DT_ORIGIN_FLAGS | DEVTRACE_COMPACT) == 0xff &&
	       !(FLAGS << DT_FLAGS_SHIFT & ~0xf0), "flags and severity fit in one byte");

/*
 * For decoders that missed more frames or began later: repeat the origin of a slot after so many
 * uses, and a whole time stamp after so many events.
 */
#define SAY_AGAIN	64

struct slot {
	struct dt_origin origin;
	bool	used;
	uint8_t	due;			/* number of frames that must still repeat @origin */
	uint32_t uses;			/* number of uses since @origin was last sent */
	/* number of the event that last used the slot; the slot with the lowest number is reused */
	uint64_t last;
};

struct devtrace_compact {
	devtrace_bytes_fn	*fn;
	void			*arg;
	bool			known;		/* true: an INFO frame has set @check */
	bool			already;	/* true: the input is already compact */
	/* true: since the last flag, there were more bytes than a frame can have */
	bool			too_long;
	enum devtrace_check	check;
	struct slot		slots[DT_COMPACT_SLOTS];
	uint64_t		events;
	uint32_t		dated; /* number of events since the last whole time stamp */
	uint64_t		ts[DT_COMPACT_BEAR + 1];	/* time stamps of the last events */
	struct dt_crc		crc[2];
	size_t			have;		/* bytes in raw[] */
	size_t			given;		/* bytes in out[] */
	uint8_t			raw[RAW_MAX];
	uint8_t			frame[DEVTRACE_FRAME_MAX];
	uint8_t			work[WORK_MAX];
	uint8_t			packed[DEVTRACE_FRAME_MAX]; /* shortest form of a payload so far */
	uint8_t			shorter[DEVTRACE_FRAME_MAX];	/* form being tried */
	uint8_t			out[2 * RAW_MAX];
};

static int compact_flush(struct devtrace_compact *c)
{
	size_t n = c->given;

	c->given = 0;
	return n ? c->fn(c->out, n, c->arg) : 0;
}

static int compact_give(struct devtrace_compact *c, const uint8_t *p, size_t n)
{
	int rc = 0;

	if (n > sizeof(c->out) - c->given)
		rc = compact_flush(c);
	if (rc)
		return rc;
	memcpy(c->out + c->given, p, n);
	c->given += n;
	return 0;
}

static int give_raw(struct devtrace_compact *c, const uint8_t *raw, size_t n)
{
	static const uint8_t flag = DEVTRACE_FLAG;
	int rc = compact_give(c, raw, n);

	return rc ? rc : compact_give(c, &flag, 1);
}

/*
 * Send the frame of @n bytes in work[] with its check. If @before is true, the check also covers
 * the DT_COMPACT_BEFORE bytes before the frame.
 */
static int compact_send(struct devtrace_compact *c, size_t n, bool before)
{
	const uint8_t *from = before ? c->work : c->work + DT_COMPACT_BEFORE;
	uint8_t *frame = c->work + DT_COMPACT_BEFORE, raw[RAW_MAX];
	size_t bytes = dt_check_size(c->check), len = 0;
	uint32_t check;

	check = dt_check_value(c->check, c->check ? &c->crc[c->check - 1] : NULL, from,
			       (size_t)(frame - from) + n);
	dt_put_le(frame + n, check, (unsigned int)bytes);
	n += bytes;
	for (size_t i = 0; i < n; i++) {
		if (frame[i] == DEVTRACE_FLAG || frame[i] == DEVTRACE_ESCAPE) {
			raw[len++] = DEVTRACE_ESCAPE;
			raw[len++] = frame[i] ^ DEVTRACE_ESCAPE_XOR;
		} else {
			raw[len++] = frame[i];
		}
	}
	return give_raw(c, raw, len);
}

/*
 * Repeat all state in the next frames: if @once is true, one time, for decoders that began later;
 * otherwise as often as after a change.
 */
static void say_again(struct devtrace_compact *c, bool once)
{
	for (unsigned int i = 0; i < DT_COMPACT_SLOTS; i++) {
		if (!once)
			c->slots[i].used = false;
		else if (!c->slots[i].due)
			c->slots[i].due = 1;
	}
	c->dated = SAY_AGAIN;
	if (!once)
		c->events = 0;
}

/* Find the slot of this origin; if there is none, reuse the least recently used slot. */
static struct slot *find_slot(struct devtrace_compact *c, const struct dt_origin *o)
{
	struct slot *s, *oldest = c->slots;

	for (s = c->slots; s < c->slots + DT_COMPACT_SLOTS; s++) {
		if (s->used && s->origin.tid == o->tid && s->origin.source == o->source &&
		    s->origin.flags == o->flags)
			return s;
		if (oldest->used && (!s->used || s->last < oldest->last))
			oldest = s;
	}
	oldest->used = true;
	oldest->origin = *o;
	oldest->due = DT_COMPACT_BEAR + 1;
	return oldest;
}

/* Return how many bytes of this time stamp must be sent. */
static unsigned int time_bytes(const struct devtrace_compact *c, uint64_t ts)
{
	uint64_t far = 0;

	for (unsigned int i = 0; i < DT_COMPACT_BEAR + 1; i++) {
		if (ts < c->ts[i])
			return 8;
		if (ts - c->ts[i] > far)
			far = ts - c->ts[i];
	}
	if (c->events <= DT_COMPACT_BEAR || far >> 32 || c->dated >= SAY_AGAIN)
		return 8;
	return far >> 24 ? 4 : far >> 16 ? 3 : 2;
}

/* Write the value of one element. Return the end of what was written. */
static uint8_t *pack_one(uint8_t *to, const struct devtrace_elem *e, bool varint)
{
	switch (varint ? dt_short(e->type) : DT_SHORT_NOT) {
	case DT_SHORT_UNSIGNED:
		return dt_put_varint(to, e->v.u);
	case DT_SHORT_SIGNED:
		return dt_put_varint(to, dt_fold(e->v.u));
	case DT_SHORT_SIG:
		return dt_put_varint(dt_put_varint(to, e->v.sig.sig), dt_fold(e->v.sig.obj));
	default:
		memcpy(to, e->raw + 1, e->size - 1);
		return to + e->size - 1;
	}
}

/*
 * Write code, object, signal and elements. Two formats share a byte, or with @alone each format
 * takes a byte that contains its width, too. Return the end, or NULL if there is no room, if the
 * bytes are not a sequence of elements, or if an element has a width and @alone is false.
 */
static uint8_t *compact_pack(uint8_t *to, const uint8_t *to_end, uint8_t flags, const uint8_t *p,
			     size_t len, bool varint, bool alone)
{
	size_t pos = (flags & DEVTRACE_F_CODE ? 4 : 0) + (flags & DEVTRACE_F_OBJSIG ? 4 : 0);
	uint8_t *formats = NULL;
	struct devtrace_elem e;
	int rc;

	if (pos > len || (size_t)(to_end - to) < 3 * DT_VARINT_MAX)
		return NULL;
	if (!varint) {
		memcpy(to, p, pos);
		to += pos;
	} else {
		/* The minor number is one byte anyway, so only the major becomes a varint. */
		if (flags & DEVTRACE_F_CODE) {
			*to++ = *p;
			to = dt_put_varint(to, dt_le32(p) >> 8);
		}
		if (flags & DEVTRACE_F_OBJSIG)
			to = dt_put_varint(dt_put_varint(to, dt_le16(p + pos - 4)),
					   dt_le16(p + pos - 2));
	}
	while ((rc = devtrace_elem_next(p, len, &pos, &e)) > 0) {
		if ((!alone && *e.raw >> 4) ||
		    (size_t)(to_end - to) < e.size + 2 * DT_VARINT_MAX)
			return NULL;
		if (formats) {
			*formats |= (uint8_t)(e.type << 4);
			formats = NULL;
		} else {
			*to = *e.raw;
			formats = alone ? NULL : to;
			to++;
		}
		to = pack_one(to, &e, varint);
		/* A string at the end of the body needs no NUL: the end of the body replaces it. */
		if (e.type == DEVTRACE_E_STR && pos == len)
			to--;
	}
	return rc ? NULL : to;
}

/* Write the payload to packed[] in its shortest form, and return its length there. */
static size_t put_payload(struct devtrace_compact *c, uint8_t *first, uint8_t *more,
			  uint8_t flags, const uint8_t *p, size_t len)
{
	static const struct form {
		uint8_t	first, more;
	} forms[] = {
		{ 0, 0 }, { DT_COMPACT_VARINT, 0 }, { DT_COMPACT_VARINT, DT_MORE_ALONE },
	};
	const struct form *form = NULL;
	/* Length of the unchanged payload, plus the byte that announces this form. */
	size_t best = len ? len + 1 : 0;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		uint8_t *end = compact_pack(c->shorter, c->shorter + sizeof(c->shorter), flags, p,
					    len, forms[i].first, forms[i].more);
		size_t n = end ? (size_t)(end - c->shorter) : SIZE_MAX;

		if (!end || n + !!forms[i].more >= best)
			continue;
		form = &forms[i];
		best = n + !!form->more;
		memcpy(c->packed, c->shorter, n);
	}
	if (form) {
		*first |= form->first;
		*more |= form->more;
		return best - !!form->more;
	}
	memcpy(c->packed, p, len);
	*more |= len ? DT_MORE_ALONE : 0;
	return len;
}

static int compact_event(struct devtrace_compact *c, const uint8_t *frame, size_t body_len)
{
	const uint8_t *body = frame + 2, flags = body[0], severity = body[1];
	const uint8_t *payload = body + DT_HEADER;
	const struct dt_origin origin = {
		.flags = flags & DT_ORIGIN_FLAGS,
		.source = dt_le16(body + 2),
		.tid = dt_le32(body + 4),
	};
	struct slot *s = find_slot(c, &origin);
	uint64_t ts = dt_le64(body + 8);
	unsigned int bytes = time_bytes(c, ts);
	uint8_t slot = (uint8_t)(s - c->slots);
	uint8_t first, more = slot, *from, *p = c->work + DT_COMPACT_BEFORE;
	const bool whole = bytes == 8, said = s->due || s->uses >= SAY_AGAIN || whole;
	const size_t len = body_len - DT_HEADER;
	uint64_t header;
	size_t packed;

	header = dt_check_value(DEVTRACE_CHECK_CRC32, &c->crc[DEVTRACE_CHECK_CRC32 - 1], body,
				DT_HEADER);
	*p++ = frame[0];
	*p++ = frame[1];
	first = (uint8_t)(DEVTRACE_COMPACT | (whole ? 3 : bytes - 2) << DT_COMPACT_TIME_SHIFT);
	packed = put_payload(c, &first, &more, flags, payload, len);
	/* A frame with a whole time stamp always contains the origin, so no bit announces it. */
	if (said && !whole)
		more |= DT_MORE_ORIGIN;
	if (flags != origin.flags || severity)
		first |= DT_COMPACT_FLAGS;
	from = p;
	*p++ = first | (more == slot ? slot : DT_COMPACT_MORE);
	if (more != slot)
		*p++ = more;
	if (first & DT_COMPACT_FLAGS)
		*p++ = (uint8_t)((flags & FLAGS) << DT_FLAGS_SHIFT | severity);
	if (said) {
		p = dt_put_varint(p, (uint32_t)origin.source << 3 | origin.flags);
		p = dt_put_varint(p, origin.tid);
		if (s->due)
			s->due--;
		s->uses = 0;
	}
	s->uses++;
	dt_put_le(p, ts, bytes);
	p += bytes;
	s->last = c->events;
	c->ts[c->events++ % (DT_COMPACT_BEAR + 1)] = ts;
	c->dated = whole ? 0 : c->dated + 1;

	memcpy(p, c->packed, packed);
	p += packed;
	body_len = (size_t)(p - from);
	/*
	 * The length byte includes the sum of the header. A decoder that rebuilds the header
	 * wrongly thus finds a wrong length byte.
	 */
	*p++ = DEVTRACE_BODY_LEN(c->check == DEVTRACE_CHECK_SUM8 ? body_len + header : body_len);
	dt_put_le(c->work, header, DT_COMPACT_BEFORE);
	return compact_send(c, 3 + body_len, c->check != DEVTRACE_CHECK_SUM8);
}

static int compact_info(struct devtrace_compact *c, const uint8_t *frame, size_t n)
{
	uint8_t *copy = c->work + DT_COMPACT_BEFORE;
	uint8_t *flags = copy + 2 + offsetof(struct devtrace_wire_info, flags);

	memcpy(copy, frame, n);
	c->already = *flags & DEVTRACE_INFO_COMPACT;
	*flags |= DEVTRACE_INFO_COMPACT;
	say_again(c, copy[2 + offsetof(struct devtrace_wire_info, reason)] ==
		     DEVTRACE_INFO_PERIODIC);
	return compact_send(c, n, false);
}

/* Return the length of the frame without its check, or 0 if the frame is damaged. */
static size_t compact_intact(const struct devtrace_compact *c, const uint8_t *p, size_t len,
			     enum devtrace_check check)
{
	size_t bytes = dt_check_size(check);

	if (len < 3 + bytes || p[len - bytes - 1] != DEVTRACE_BODY_LEN(len - bytes - 3) ||
	    !dt_check_matches(c->crc, check, p, len))
		return 0;
	return len - bytes;
}

/* Process one raw frame: the bytes between two flags. */
static int compact_take(struct devtrace_compact *c, const uint8_t *raw, size_t n)
{
	const size_t info_min = 2 + sizeof(struct devtrace_wire_info) + 1;
	size_t len = dt_unescape(c->frame, sizeof(c->frame), raw, n);
	const uint8_t *p = c->frame;

	if (len == DT_UNESCAPE_BAD || len == DT_UNESCAPE_LONG || len < 4)
		return give_raw(c, raw, n);
	if (p[1] == DEVTRACE_T_INFO && len > info_min && p[3] < DT_CHECKS) {
		len = compact_intact(c, p, len, p[3]);
		if (len < info_min)
			return give_raw(c, raw, n);
		c->known = true;
		c->check = p[3];
		return compact_info(c, p, len);
	}
	if (!c->known || c->already || !dt_is_event(p[1]))
		return give_raw(c, raw, n);
	len = compact_intact(c, p, len, c->check);
	/*
	 * Pass on unchanged: events that could become too long, and events with a malformed
	 * header.
	 */
	if (len < 2 + DT_HEADER + 1 || len > COMPACTABLE || p[2] & DEVTRACE_COMPACT ||
	    p[3] & ~DT_FLAGS_SEVERITY)
		return give_raw(c, raw, n);
	return compact_event(c, p, len - 3);
}

int devtrace_compact_feed(struct devtrace_compact *c, const void *buf, size_t n)
{
	const uint8_t *p = buf, *end = p + n;
	int rc = 0;

	while (!rc && p < end) {
		const uint8_t *flag = memchr(p, DEVTRACE_FLAG, (size_t)(end - p));
		size_t len = (size_t)((flag ? flag : end) - p);
		const uint8_t *frame = p;

		p += flag ? len + 1 : len;
		if (flag && !c->have && !c->too_long && len <= sizeof(c->raw)) {
			rc = compact_take(c, frame, len);
			continue;
		}
		/*
		 * The frame is not whole in this buffer: collect its pieces. If they become too
		 * long for a frame, pass them on unchanged.
		 */
		while (!rc && len) {
			size_t room = sizeof(c->raw) - c->have, some = len < room ? len : room;

			memcpy(c->raw + c->have, frame, some);
			c->have += some;
			frame += some;
			len -= some;
			if (len) {
				c->too_long = true;
				rc = compact_give(c, c->raw, c->have);
				c->have = 0;
			}
		}
		if (rc || !flag)
			break;
		rc = c->too_long ? give_raw(c, c->raw, c->have) : compact_take(c, c->raw, c->have);
		c->have = 0;
		c->too_long = false;
	}
	return rc ? rc : compact_flush(c);
}

int devtrace_compact_finish(struct devtrace_compact *c)
{
	int rc = compact_give(c, c->raw, c->have);

	c->have = 0;
	c->too_long = false;
	return rc ? rc : compact_flush(c);
}

struct devtrace_compact *devtrace_compact_new(devtrace_bytes_fn *fn, void *arg)
{
	struct devtrace_compact *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->fn = fn;
	c->arg = arg;
	dt_crc_init(&c->crc[DEVTRACE_CHECK_CRC16 - 1], DEVTRACE_CHECK_CRC16);
	dt_crc_init(&c->crc[DEVTRACE_CHECK_CRC32 - 1], DEVTRACE_CHECK_CRC32);
	return c;
}

void devtrace_compact_free(struct devtrace_compact *c)
{
	free(c);
}

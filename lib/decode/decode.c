// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * decode.c - decode bytes, in pieces of any size, to items, and count every missing frame
 *
 * Invariants
 * - The items depend only on the bytes, not on how they are split into pieces: the decoder
 *   examines only whole raw frames, or the last DT_TAIL_MAX bytes of one.
 * - An item is delivered exactly once. If the callback stops before the last item of a frame, the
 *   decoder keeps the frame (@pending) and parses it again later. Its counts of frames are then
 *   already updated, so it reports no gap twice.
 * - Every missing frame between two intact frames of a stream is reported: sequence numbers count
 *   them modulo 256, and the 64-bit counter of INFO and CLOCK frames reveals the rest.
 *
 * A frame that is whole in the caller's buffer and has no escapes is not copied. If files are read
 * in large pieces, nearly all frames are such frames.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/bytes.h"
#include "decode_priv.h"

/* Length of a frame with an empty body: sequence number, type, length byte and check. */
#define FRAME_MIN(check)	(2 + 1 + dt_check_size(check))

/* Bytes between two flags, without escapes, that may be a frame. */
struct candidate {
	const uint8_t		*p;
	size_t			len;
	enum devtrace_check	check;
	/* true: a compact frame, and the decoder knows the state that it needs */
	bool			compact;
	/* true: a compact frame, but the decoder lacks the state that it needs */
	bool			lacks;
	struct devtrace_item	item;	/* filled in if the frame is intact */
};

/*
 * Return how many frames are missing before a frame with this sequence number, which wraps at 256.
 * If there were many damaged places since the last intact frame, assume that the number wrapped
 * once.
 */
static uint32_t missing_before(const struct devtrace_decoder *d, uint8_t seq)
{
	uint8_t missing = d->have_seq ? (uint8_t)(seq - d->next_seq) : 0;

	return d->refused > UINT8_MAX / 2 ? missing + UINT8_MAX + 1 : missing;
}

/*
 * Is a compact frame intact under this check? The check also covers the event header that the
 * decoder has rebuilt.
 */
static bool intact_compact(struct devtrace_decoder *d, struct candidate *c,
			   enum devtrace_check check, size_t body)
{
	const bool crc = check != DEVTRACE_CHECK_SUM8;
	uint64_t header;
	size_t n;

	if (!crc && !dt_check_matches(d->crc, check, c->p, c->len))
		return false;
	n = dt_compact_expand(&d->compact, missing_before(d, c->p[0]), crc, c->p + 2, body,
			      d->full, sizeof(d->full));
	c->lacks |= n == DT_COMPACT_LACKS;
	if (!n || n == DT_COMPACT_LACKS)
		return false;
	header = dt_check_value(DEVTRACE_CHECK_CRC32, &d->crc[DEVTRACE_CHECK_CRC32 - 1], d->full,
				DT_HEADER);
	if (c->p[2 + body] != DEVTRACE_BODY_LEN(crc ? body : body + header))
		return false;
	if (crc) {
		dt_put_le(d->checked, header, DT_COMPACT_BEFORE);
		memcpy(d->checked + DT_COMPACT_BEFORE, c->p, c->len);
		if (!dt_check_matches(d->crc, check, d->checked, DT_COMPACT_BEFORE + c->len))
			return false;
	}
	c->compact = true;
	c->check = check;
	c->item.seq = c->p[0];
	return dt_body_parse(d, &c->item, c->p[1], d->full, n);
}

/* Is the frame intact under this check? If so, fill in c->item. */
static bool decode_intact(struct devtrace_decoder *d, struct candidate *c,
			  enum devtrace_check check)
{
	size_t body;

	if (c->len < FRAME_MIN(check))
		return false;
	body = c->len - FRAME_MIN(check);
	if (dt_is_compact(c->p[1], c->p + 2, body))
		return intact_compact(d, c, check, body);
	if (c->p[2 + body] != DEVTRACE_BODY_LEN(body) ||
	    !dt_check_matches(d->crc, check, c->p, c->len))
		return false;
	c->check = check;
	c->item.seq = c->p[0];
	return dt_body_parse(d, &c->item, c->p[1], c->p + 2, body);
}

/* Is the INFO frame intact? It has the check that it announces. */
static bool intact_info(struct devtrace_decoder *d, struct candidate *c)
{
	uint8_t announced = c->len >= FRAME_MIN(0) + 2 ? c->p[3] : DT_CHECKS;

	return announced < DT_CHECKS && decode_intact(d, c, announced);
}

static void set_check(struct devtrace_decoder *d, enum devtrace_check check,
		      enum dt_check_state state)
{
	d->check = check;
	d->check_state = state;
	memset(d->runs, 0, sizeof(d->runs));
}

/*
 * The frame is damaged under the current check; maybe an INFO frame that announced another check
 * was lost. By chance, a damaged frame passes sum8 and the length byte once in 2^16 frames, CRC-16
 * and the length byte once in 2^24, CRC-32 once in 2^40. So the decoder changes to another check
 * only after enough consecutive frames pass it; all but the last of these are lost.
 */
static bool other_check(struct devtrace_decoder *d, struct candidate *c)
{
	static const uint8_t enough[DT_CHECKS] = { 4, 2, 1 };

	for (int check = DT_CHECKS - 1; check >= 0; check--) {
		if (check == (int)d->check)
			continue;
		if (!decode_intact(d, c, check)) {
			d->runs[check] = 0;
		} else if (++d->runs[check] >= enough[check]) {
			set_check(d, check, DT_CHECK_SURE);
			return true;
		}
	}
	return false;
}

/*
 * Before the first INFO frame, use the strongest check under which the frame is intact. sum8
 * remains a guess until an INFO frame confirms it. The bytes before the first flag may be the end
 * of a frame and pass sum8 by chance, so under sum8 the frame must also be a plausible event.
 */
static bool guess_check(struct devtrace_decoder *d, struct candidate *c)
{
	if (decode_intact(d, c, DEVTRACE_CHECK_CRC32) ||
	    decode_intact(d, c, DEVTRACE_CHECK_CRC16)) {
		set_check(d, c->check, DT_CHECK_SURE);
		return true;
	}
	if (!decode_intact(d, c, DEVTRACE_CHECK_SUM8))
		return false;
	if (d->midway && !dt_item_plausible(&c->item))
		return false;
	set_check(d, DEVTRACE_CHECK_SUM8, DT_CHECK_GUESSED);
	return true;
}

/*
 * Is this a note from the program that saved the stream? A note always has a CRC-32. It has no
 * sequence number, does not count as a frame, and does not tell which check the stream has.
 */
static bool is_note(struct devtrace_decoder *d, struct candidate *c)
{
	const enum devtrace_check check = DEVTRACE_CHECK_CRC32;
	struct candidate note = *c;

	if (c->p[1] != DEVTRACE_T_EMPTY || !decode_intact(d, &note, check) ||
	    !dt_note_parse(&note.item, c->p + 2, c->len - FRAME_MIN(check)))
		return false;
	*c = note;
	return true;
}

static bool decode_accept(struct devtrace_decoder *d, struct candidate *c)
{
	if (is_note(d, c))
		return true;
	if (c->p[1] == DEVTRACE_T_INFO) {
		if (!intact_info(d, c))
			return false;
		set_check(d, c->check, DT_CHECK_SURE);
		return true;
	}
	if (d->check_state != DT_CHECK_SURE)
		return guess_check(d, c);
	if (!decode_intact(d, c, d->check))
		return other_check(d, c);
	memset(d->runs, 0, sizeof(d->runs));
	return true;
}

/* Return why the frame is bad, for the report. */
static enum devtrace_damage_reason why_bad(const struct devtrace_decoder *d,
					   const struct candidate *c)
{
	if (c->len < FRAME_MIN(d->check))
		return DEVTRACE_DAMAGE_SHORT;
	if (c->lacks)
		return DEVTRACE_DAMAGE_LACKS;
	return dt_check_matches(d->crc, d->check, c->p, c->len) ? DEVTRACE_DAMAGE_BODY :
							  DEVTRACE_DAMAGE_CHECK;
}

/* Remove the escapes, with the result in d->frame. Raw bytes without escapes are used in place. */
static bool decode_unescape(struct devtrace_decoder *d, struct candidate *c,
			    const uint8_t *raw, size_t n, enum devtrace_damage_reason *reason)
{
	c->p = raw;
	c->len = n;
	if (memchr(raw, DEVTRACE_ESCAPE, n)) {
		c->p = d->frame;
		c->len = dt_unescape(d->frame, sizeof(d->frame), raw, n);
		if (c->len == DT_UNESCAPE_BAD) {
			*reason = DEVTRACE_DAMAGE_ESCAPE;
			return false;
		}
	}
	/* True also for DT_UNESCAPE_LONG, which is a huge number. */
	if (c->len > DEVTRACE_FRAME_MAX) {
		*reason = DEVTRACE_DAMAGE_LONG;
		return false;
	}
	if (c->len < FRAME_MIN(DEVTRACE_CHECK_SUM8)) {
		*reason = DEVTRACE_DAMAGE_SHORT;
		return false;
	}
	return true;
}

/*
 * Recordings may be joined by cat(1). If the first recording ends inside a frame, the rest of this
 * frame and the INFO frame that opens the second recording lie between the same two flags. Find
 * such an INFO frame by its type, version, reason, counter 0 and check. Return its raw length, or
 * 0.
 */
static size_t find_opening(struct devtrace_decoder *d, const uint8_t *raw, size_t n)
{
	size_t first = n > DT_TAIL_MAX ? n - DT_TAIL_MAX : 0;
	enum devtrace_damage_reason reason;
	int tries = 4;

	for (size_t at = n - 1; at > first && tries; at--) {
		struct candidate c;

		/* Here raw[at - 1] must be the sequence number, and raw[at] the type. */
		if (raw[at] != DEVTRACE_T_INFO || n - at < sizeof(struct devtrace_wire_info) ||
		    raw[at + 1] != DEVTRACE_WIRE_VERSION || raw[at + 2] >= DT_CHECKS ||
		    raw[at + 3] != DEVTRACE_INFO_OPEN)
			continue;
		tries--;
		if (decode_unescape(d, &c, raw + at - 1, n - at + 1, &reason) &&
		    intact_info(d, &c) && dt_opens_stream(&c.item.u.info))
			return n - at + 1;
	}
	return 0;
}

static int report_damage(struct devtrace_decoder *d, enum devtrace_damage_reason reason,
			 uint64_t bytes)
{
	struct devtrace_item item = {
		.kind = DEVTRACE_ITEM_DAMAGE,
		.offset = d->start,
		.u.damage = {
			/* The first bytes of the input may be the end of a frame. */
			.reason = d->midway ? DEVTRACE_DAMAGE_CUT : reason,
			.offset = d->start,
			.bytes = bytes,
		},
	};

	d->refused++;
	d->totals.damages++;
	d->totals.damaged_bytes += bytes;
	d->start += bytes;
	d->midway = false;
	return d->fn(&item, d->arg);
}

static int report_gap(struct devtrace_decoder *d, const struct devtrace_item *after,
		      uint64_t count, bool exact, uint64_t ts_before)
{
	struct devtrace_item item = {
		.kind = DEVTRACE_ITEM_GAP,
		.offset = after->offset,
		.seq = after->seq,
		.u.gap = {
			.seq_before = d->seq,
			.seq_after = after->seq,
			.exact = exact,
			.count = count,
			.offset = after->offset,
			.ts_before = ts_before,
		},
	};

	d->totals.missing += count;
	return d->fn(&item, d->arg);
}

/*
 * Compare the 64-bit counter of an INFO or CLOCK frame with our count. If the counter is higher, a
 * multiple of 256 frames is missing, which sequence numbers cannot show. If it is lower, this is
 * another stream whose opening INFO frame is lost: report this one frame, unless a gap was already
 * reported.
 */
static int account_wide(struct devtrace_decoder *d, const struct devtrace_item *item,
			uint64_t frames, bool *again)
{
	uint64_t missing = frames - d->wide;
	bool more = frames > d->wide;

	if (d->have_wide && frames != d->wide && (more || !d->gap_since_wide)) {
		*again = true;
		d->wide = frames;
		dt_compact_missing(&d->compact, missing);
		return report_gap(d, item, more ? missing : 1, more, d->gap_ts);
	}
	d->have_wide = true;
	d->wide = frames;
	d->gap_since_wide = false;
	d->gap_ts = d->last_ts;
	return 0;
}

/*
 * Compare the sequence number and the counter of an intact frame with our counts, and report at
 * most one gap. If *again is true, call the function again, because there may be another gap; if
 * false, all frames missing before this frame are reported.
 */
static int decode_account(struct devtrace_decoder *d, const struct devtrace_item *item, bool *again)
{
	uint8_t missing = (uint8_t)(item->seq - d->next_seq);
	uint32_t before;

	*again = false;
	if (item->kind == DEVTRACE_ITEM_INFO && dt_opens_stream(&item->u.info)) {
		d->have_wide = false;
		d->last_ts = 0;
	} else if (d->have_seq && missing) {
		*again = true;
		d->gap_since_wide = true;
		d->gap_ts = d->last_ts;
		d->wide += missing;
		before = missing_before(d, item->seq);
		d->next_seq = item->seq;
		dt_compact_missing(&d->compact, before);
		return report_gap(d, item, missing, false, d->last_ts);
	}
	d->have_seq = true;
	d->next_seq = item->seq;
	if (item->kind == DEVTRACE_ITEM_INFO)
		return account_wide(d, item, item->u.info.frames, again);
	if (item->kind == DEVTRACE_ITEM_CLOCK)
		return account_wide(d, item, item->u.clock.frames, again);
	return 0;
}

static int decode_deliver(struct devtrace_decoder *d, struct devtrace_item *item)
{
	d->refused = 0;
	d->seq = item->seq;
	d->next_seq = (uint8_t)(item->seq + 1);
	d->wide++;
	d->totals.frames++;
	dt_body_learn(d, item);
	if (item->kind == DEVTRACE_ITEM_UNKNOWN && item->u.unknown.type == DEVTRACE_T_EMPTY)
		return 0;
	return d->fn(item, d->arg);
}

/*
 * Produce one item from a whole raw frame, whose flag is at d->pos - 1. If *again is true, the
 * frame contains further items, and *raw and *n describe the rest of it.
 */
static int decode_step(struct devtrace_decoder *d, const uint8_t **raw, size_t *n, bool *again)
{
	enum devtrace_damage_reason reason = DEVTRACE_DAMAGE_LONG;
	struct candidate c;
	size_t rest;
	int rc;

	c.item.offset = d->start;
	c.compact = false;
	c.lacks = false;
	if (!d->too_long && decode_unescape(d, &c, *raw, *n, &reason)) {
		if (decode_accept(d, &c)) {
			if (c.item.kind == DEVTRACE_ITEM_NOTE) {
				*again = false;
				d->totals.frames++;
				dt_accuracy_note(&d->accuracy, &c.item.u.note);
				return d->fn(&c.item, d->arg);
			}
			rc = decode_account(d, &c.item, again);
			if (*again)
				return rc;
			if (c.compact)
				dt_compact_learn(&d->compact, c.p + 2, d->full);
			return decode_deliver(d, &c.item);
		}
		reason = why_bad(d, &c);
	}
	rest = find_opening(d, *raw, *n);
	if (!rest) {
		*again = false;
		return report_damage(d, reason, d->pos - d->start);
	}
	*again = true;
	d->too_long = false;
	*raw += *n - rest;
	*n = rest;
	return report_damage(d, DEVTRACE_DAMAGE_CUT, d->pos - 1 - *n - d->start);
}

/* Produce all items of a whole raw frame. */
static int decode_take(struct devtrace_decoder *d, const uint8_t *raw, size_t n)
{
	bool again;
	int rc;

	do
		rc = decode_step(d, &raw, &n, &again);
	while (again && !rc);

	d->pending = again;
	if (again) {
		memmove(d->raw, raw, n);
		d->have = n;
	} else {
		d->have = 0;
		d->start = d->pos;
		d->too_long = false;
		d->midway = false;
	}
	return rc;
}

/*
 * Collect a piece of a frame. If the frame becomes too long, keep at least its last DT_TAIL_MAX
 * bytes, because find_opening() examines them.
 */
static void decode_collect(struct devtrace_decoder *d, const uint8_t *p, size_t n)
{
	if (n > sizeof(d->raw) - d->have) {
		size_t keep = n < DT_TAIL_MAX ? DT_TAIL_MAX - n : 0;

		d->too_long = true;
		if (n > DT_TAIL_MAX) {
			p += n - DT_TAIL_MAX;
			n = DT_TAIL_MAX;
		}
		if (keep > d->have)
			keep = d->have;
		memmove(d->raw, d->raw + d->have - keep, keep);
		d->have = keep;
	}
	memcpy(d->raw + d->have, p, n);
	d->have += n;
}

int devtrace_decoder_feed(struct devtrace_decoder *d, const void *buf, size_t n,
			  size_t *used)
{
	const uint8_t *p = buf, *end = p + n;
	int rc = 0;

	if (d->pending)
		rc = decode_take(d, d->raw, d->have);
	while (!rc && p < end) {
		const uint8_t *frame = p;
		const uint8_t *flag = memchr(p, DEVTRACE_FLAG, (size_t)(end - p));
		size_t len = (size_t)((flag ? flag : end) - p);

		p += flag ? len + 1 : len;
		d->pos += (uint64_t)(p - frame);
		if (!flag || d->have || len > DT_RAW_MAX) {
			decode_collect(d, frame, len);
			frame = d->raw;
			len = d->have;
		}
		if (!flag)
			break;
		if (len) {
			rc = decode_take(d, frame, len);
		} else {
			/*
			 * An empty raw frame: two flags in a row, or the flag before the first
			 * frame.
			 */
			d->start = d->pos;
			d->midway = false;
		}
	}
	d->totals.bytes = d->pos;
	if (used)
		*used = (size_t)(p - (const uint8_t *)buf);
	return rc;
}

int devtrace_decoder_finish(struct devtrace_decoder *d)
{
	int rc = 0;

	while (d->pending && !rc)
		rc = decode_take(d, d->raw, d->have);
	if (!rc && d->have) {
		d->have = 0;
		d->too_long = false;
		rc = report_damage(d, DEVTRACE_DAMAGE_CUT, d->pos - d->start);
	}
	/* If more input is fed after this end, it may begin inside a frame. */
	if (!d->pending && !d->have)
		d->midway = true;
	return rc;
}

struct devtrace_decoder *devtrace_decoder_new(devtrace_item_fn *fn, void *arg)
{
	struct devtrace_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->fn = fn;
	d->arg = arg;
	d->midway = true;
	d->version = DEVTRACE_WIRE_VERSION;
	dt_crc_init(&d->crc[DEVTRACE_CHECK_CRC16 - 1], DEVTRACE_CHECK_CRC16);
	dt_crc_init(&d->crc[DEVTRACE_CHECK_CRC32 - 1], DEVTRACE_CHECK_CRC32);
	dt_names_init(&d->names, DT_NAMES_MAX);
	dt_names_init(&d->procs, DT_NAMES_MAX);
	dt_forget_recent(d);
	return d;
}

void devtrace_decoder_free(struct devtrace_decoder *d)
{
	if (!d)
		return;
	dt_names_free(&d->names);
	dt_names_free(&d->procs);
	free(d);
}

const struct devtrace_totals *devtrace_decoder_totals(const struct devtrace_decoder *d)
{
	return &d->totals;
}

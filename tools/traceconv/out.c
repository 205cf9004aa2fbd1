// SPDX-License-Identifier: GPL-2.0-only
/*
 * out.c - write the frames of the devtrace stream
 *
 * The stream begins with INFO, a random number that identifies this run, CLOCK (only if the input
 * is live) and PROC. These frames are repeated after a second or 64 KiB, as a device does, so that
 * a reader that joins late can decode the stream; and at once if the target reports another
 * version or size of pointers.
 * All frames have a CRC-32: the bytes of damaged input frames are copied to the output, where no
 * decoder may take them for an intact frame.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <devtrace.h>
#include <devtrace-decode.h>
#include "traceconv.h"

#define ANNOUNCE_BYTES	65536
#define DRIFT_PPM	2
#define CONV_UNKNOWN_BYTES	32	/* of an unknown record, in its text */

static void put_le(uint8_t *p, uint64_t v, unsigned int bytes)
{
	for (; bytes--; v >>= 8)
		*p++ = (uint8_t)v;
}

void conv_raw(struct conv *c, const void *p, size_t n)
{
	if (!c->err && n)
		c->err = c->put(c->arg, p, n);
	c->out_bytes += n;
}

/* Write a frame. @counted: the frame gets the next sequence number; otherwise its number is 0. */
static void send(struct conv *c, uint8_t type, const uint8_t *body, size_t len, bool counted)
{
	uint8_t out[2 * (DEVTRACE_FRAME_MAX + 1)];
	size_t n = devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_CRC32,
					 counted ? c->out_seq : 0, type, body, len, true);

	conv_raw(c, out, n);
	if (counted) {
		c->out_seq++;
		c->out_frames++;
	}
}

void conv_skip(struct conv *c, unsigned int n)
{
	c->out_seq = (uint8_t)(c->out_seq + n);
	c->out_frames += n;
	c->missing += n;
}

uint64_t conv_now(void)
{
	const uint64_t now = devtrace_now();
	struct timespec raw;

	if (now || clock_gettime(CLOCK_MONOTONIC_RAW, &raw))
		return now;
	return (uint64_t)raw.tv_sec * CONV_NSEC + (uint64_t)raw.tv_nsec;
}

static void send_clock(struct conv *c)
{
	struct timespec mono, boot, real;
	uint8_t body[40];

	put_le(body, c->out_frames, 8);
	put_le(body + 8, conv_now(), 8);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	put_le(body + 16, (uint64_t)mono.tv_sec * CONV_NSEC + (uint64_t)mono.tv_nsec, 8);
	put_le(body + 24, (uint64_t)boot.tv_sec * CONV_NSEC + (uint64_t)boot.tv_nsec, 8);
	put_le(body + 32, (uint64_t)real.tv_sec * CONV_NSEC + (uint64_t)real.tv_nsec, 8);
	send(c, DEVTRACE_T_CLOCK, body, sizeof(body), true);
}

static void send_info(struct conv *c)
{
	uint8_t body[256] = { DEVTRACE_WIRE_VERSION, DEVTRACE_CHECK_CRC32 }, load[8] = { 0 };
	char release[32];
	size_t n = sizeof(struct devtrace_wire_info);

	if (c->version)
		snprintf(release, sizeof(release), "%s %u", c->dialect->name, c->version);
	else
		snprintf(release, sizeof(release), "%s", c->dialect->name);
	body[2] = c->announced ? DEVTRACE_INFO_PERIODIC : DEVTRACE_INFO_OPEN;
	body[3] = (uint8_t)((c->big_endian ? DEVTRACE_INFO_BIG_ENDIAN : 0) |
			    (c->sizes.obj <= 4 ? DEVTRACE_INFO_32BIT : 0) |
			    (c->live ? DEVTRACE_INFO_BOOT_ID : 0));
	put_le(body + 4, 1, 2);
	put_le(body + 6, 1, 2);
	put_le(body + 8, c->out_frames, 8);
	memcpy(body + 16, c->boot_id, sizeof(c->boot_id));
	n += (size_t)snprintf((char *)body + n, 64, "mcu") + 1;
	n += (size_t)snprintf((char *)body + n, 64, "%s", release) + 1;
	n += (size_t)snprintf((char *)body + n, 64, "%.63s", c->name) + 1;
	send(c, DEVTRACE_T_INFO, body, n, true);
	load[0] = DEVTRACE_EMPTY_LOAD;
	put_le(load + 4, c->load, 4);
	send(c, DEVTRACE_T_EMPTY, load, sizeof(load), true);
}

static void send_proc(struct conv *c, uint64_t ts)
{
	uint8_t body[16 + 64];

	put_le(body, CONV_TID, 4);
	put_le(body + 4, CONV_TID, 4);
	put_le(body + 8, ts, 8);
	snprintf((char *)body + 16, 64, "%.63s", c->name);
	send(c, DEVTRACE_T_PROC, body, 16 + strlen((char *)body + 16) + 1, true);
}

/* Write the name that marks a program with devtrace/rkh, so that rkh.fmt is used for its events. */
static void send_mark(struct conv *c)
{
	uint8_t body[sizeof(struct devtrace_wire_dict) + DEVTRACE_NAME_MAX] = { 0 };
	size_t n = sizeof(struct devtrace_wire_dict);

	if (!c->dialect->mark)
		return;
	put_le(body, CONV_TID, 4);
	put_le(body + 4, c->dialect->mark_type, 4);
	n += (size_t)snprintf((char *)body + n, DEVTRACE_NAME_MAX, "%s", c->dialect->mark) + 1;
	send(c, DEVTRACE_T_USR, body, n, true);
}

void conv_announce(struct conv *c, uint64_t ts)
{
	const bool narrow = c->sizes.obj <= 4;

	if (c->announced && c->out_bytes - c->announced_bytes < ANNOUNCE_BYTES &&
	    ts - c->announced_ts < CONV_NSEC && c->announced_version == c->version &&
	    c->announced_narrow == narrow)
		return;
	send_info(c);
	if (c->live)
		send_clock(c);
	send_proc(c, ts);
	send_mark(c);
	c->announced = true;
	c->announced_bytes = c->out_bytes;
	c->announced_ts = ts;
	c->announced_version = c->version;
	c->announced_narrow = narrow;
}

/* Is there room for @n bytes? If not, conv_event() writes a text instead of the event. */
static bool room(struct conv *c, size_t n)
{
	if (!c->len)
		c->len = sizeof(struct devtrace_wire_event);
	if (n > sizeof(c->body) - c->len)
		c->too_large = true;
	return !c->too_large;
}

void conv_signal(struct conv *c, uint64_t sig, uint64_t object)
{
	if (!room(c, 13))
		return;
	c->body[c->len++] = DEVTRACE_E_SIG;
	put_le(c->body + c->len, sig, 4);
	put_le(c->body + c->len + 4, object, 8);
	c->len += 12;
	c->pointers = true;
}

void conv_u(struct conv *c, uint8_t format, uint64_t v, unsigned int bytes)
{
	if (!room(c, bytes + 1))
		return;
	c->body[c->len++] = format;
	put_le(c->body + c->len, v, bytes);
	c->len += bytes;
	switch (format & 0xf) {
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
		c->pointers = true;
	}
}

/*
 * Append a string or a buffer: the format byte, for a buffer its length, the bytes, for a string a
 * NUL.
 */
void conv_mem(struct conv *c, uint8_t format, const void *p, size_t n)
{
	const size_t end = (format & 0xf) == DEVTRACE_E_STR;

	if (!room(c, n + 2))
		return;
	c->body[c->len++] = format;
	if (!end)
		c->body[c->len++] = (uint8_t)n;
	memcpy(c->body + c->len, p, n);
	c->len += n;
	if (end)
		c->body[c->len++] = 0;
}

/*
 * Write a note about the clock, unless uncertainty and drift have hardly changed: the uncertainty
 * has not doubled or halved, and the drift not changed by DRIFT_PPM. The drift is known only from
 * the second window on.
 */
static void tell_clock(struct conv *c)
{
	const struct conv_clock *k = &c->clock;
	const double moved = k->drift - k->said_drift;
	char value[128];

	if (!k->windows || (k->said > 0 && k->uncertainty < 2 * k->said &&
			    k->uncertainty > k->said / 2 &&
			    moved < DRIFT_PPM && moved > -DRIFT_PPM))
		return;
	snprintf(value, sizeof(value), "%.0f Hz, drift %+.1f ppm, uncertainty %.0f us",
		 k->rate, k->drift, k->uncertainty / 1000);
	conv_note(c, "clock", value);
	c->clock.said = k->uncertainty + 1;
	c->clock.said_drift = k->drift;
}

void conv_event(struct conv *c, uint8_t type, uint64_t ts)
{
	static const char text[] = "this record is too long for an event";

	room(c, 0);
	if (c->too_large) {
		c->too_large = c->pointers = false;
		c->len = 0;
		c->unknown++;
		type = DEVTRACE_T_TEXT;
		conv_mem(c, DEVTRACE_E_STR, text, strlen(text));
	}
	conv_announce(c, ts);
	tell_clock(c);
	c->body[0] = (uint8_t)(DEVTRACE_F_USER | (c->pointers ? DEVTRACE_F_PTR : 0));
	c->body[1] = 0;
	put_le(c->body + 2, 0, 2);
	put_le(c->body + 4, CONV_TID, 4);
	put_le(c->body + 8, ts, 8);
	send(c, type, c->body, c->len, true);
	c->len = 0;
	c->pointers = false;
}

void conv_text(struct conv *c, const char *text)
{
	conv_mem(c, DEVTRACE_E_STR, text, strlen(text));
	conv_event(c, DEVTRACE_T_TEXT, c->clock.last);
}

/*
 * Write an unknown record as a text with its first bytes. But if a frame is missing just before
 * it, write nothing and return false: the record may be a truncated frame, one of 256 of which
 * passes its check by chance.
 */
bool conv_unknown(struct conv *c, const char *what, uint8_t number, const uint8_t *p, size_t n)
{
	char text[64 + 3 * CONV_UNKNOWN_BYTES];
	int len = snprintf(text, 64, "%.50s %u:", what, number);
	size_t i;

	if (c->hole)
		return false;
	for (i = 0; i < n && i < CONV_UNKNOWN_BYTES; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, " %02X", p[i]);
	c->unknown++;
	conv_text(c, text);
	return true;
}

/* Write a dictionary entry. QS writes "&name" for some names of objects and functions. */
void conv_name(struct conv *c, uint8_t kind, uint32_t value, uint8_t group, uint64_t key,
	       const char *name, size_t n)
{
	uint8_t body[sizeof(struct devtrace_wire_dict) + DEVTRACE_NAME_MAX] = { 0 };

	conv_announce(c, c->clock.last);
	if (n > 1 && *name == '&') {
		name++;
		n--;
	}
	if (n >= DEVTRACE_NAME_MAX)
		n = DEVTRACE_NAME_MAX - 1;
	put_le(body + 4, value, 4);
	body[8] = group;
	put_le(body + 12, key, 8);
	memcpy(body + 20, name, n);
	send(c, kind, body, 20 + n + 1, true);
}

void conv_note(struct conv *c, const char *name, const char *value)
{
	uint8_t body[512] = { DEVTRACE_EMPTY_NOTE };
	size_t n = 4;

	conv_announce(c, c->clock.last);
	n += (size_t)snprintf((char *)body + n, 128, "%.100s", name) + 1;
	n += (size_t)snprintf((char *)body + n, 256, "%.250s", value) + 1;
	send(c, DEVTRACE_T_EMPTY, body, n, false);
}

void conv_odd_target(struct conv *c, const char *format, ...)
{
	char text[sizeof(c->odd)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (!strcmp(text, c->odd))
		return;
	memcpy(c->odd, text, sizeof(text));
	conv_note(c, "target", text);
}

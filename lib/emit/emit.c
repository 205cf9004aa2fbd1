// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit.c - pass a complete event or a name to the device; complete a record
 *
 * All events enter the library at devtrace_emit_event() in emit_lane.c. The events that are not
 * written to a lane come here. Both files keep errno, so a program may emit an event between a
 * failed call and its check of errno.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <devtrace/record.h>
#include "emit.h"
#include "emit_filter.h"
#include "emit_image.h"
#include "emit_lane.h"

/*
 * Maximum number of clock readings. If the clock ticks every microsecond, they take longer than a
 * tick.
 */
#define TURNS	1000

/*
 * Wait until the clock shows a later time than the last event in the thread's lane. The event to
 * be emitted must not get the same time: readers order events of equal time by CPU, so it could be
 * read before the event in the lane.
 */
static void let_the_clock_go_on(void)
{
	const uint64_t last = dt_lane_mine.count ? dt_lane_mine.last : 0;
	unsigned int turns;
	uint64_t now;

	for (turns = 0; last && turns < TURNS; turns++) {
		now = devtrace_now();
		if (now > last || !now)
			break;
	}
}

/* The device returns only EINVAL. Find out which value of the event is wrong, and print it. */
static void tell_refused(const struct devtrace_emit *event)
{
	if (!devtrace_severity_is_valid(event->severity))
		dt_refused_print(DEVTRACE_BAD_SEVERITY_, event->severity);
	else if (!devtrace_type_is_emittable(event->type) &&
		 !(event->type == DEVTRACE_T_NAMED && event->flags & DEVTRACE_F_CODE))
		dt_refused_print(DEVTRACE_BAD_TYPE_, event->type);
}

int dt_emit_by_call(const struct devtrace_emit *event, size_t size)
{
	int saved = errno;
	int err;

	if (size < sizeof(*event)) {
		err = emit_error(EINVAL);
	} else if (size > sizeof(*event) + DEVTRACE_PAYLOAD_MAX) {
		err = emit_error(EMSGSIZE);
	} else {
		dt_images_follow();
		let_the_clock_go_on();
		err = conn_ioctl(DEVTRACE_IOC_EMIT(size), event);
		if (err == EINVAL)
			tell_refused(event);
	}
	errno = saved;
	return err;
}

/*
 * Return the length of the longest prefix of at most max bytes that does not end inside a
 * character.
 */
static size_t whole_characters(const char *s, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max && ((unsigned char)s[max] & 0xc0) == 0x80)
		max--;
	return max;
}

int devtrace_dict_add(uint8_t kind, uint32_t value, uint8_t group, uint64_t key,
		      const char *name)
{
	struct devtrace_dict dict = {
		.kind = kind,
		.group = group,
		.value = value,
		.key = key,
	};
	int saved = errno;
	size_t len, keep;
	int err;

	if (!name || !*name)
		return emit_error(EINVAL);
	len = strnlen(name, 4 * sizeof(dict.name));
	keep = whole_characters(name, len, sizeof(dict.name) - 1);
	memcpy(dict.name, name, keep);
	if (kind == DEVTRACE_T_OBJ)
		dt_filter_named(key, dict.name);
	err = conn_ioctl(DEVTRACE_IOC_DICT, &dict);
	if (!err && keep < len)
		err = emit_error(ENAMETOOLONG);
	errno = saved;
	return err;
}

/*
 * Append the element that marks a truncated record. Return 0 if the caller put a buffer of
 * negative length, so that devtrace_emit_event() refuses this size and counts the error.
 */
size_t devtrace_cut_(uint8_t *event, size_t pos, size_t cut)
{
	char digits[20];
	size_t n = 0;

	if (cut > INT32_MAX)
		return 0;
	emit_error(EMSGSIZE);
	event[pos++] = DEVTRACE_E_STR;
	event[pos++] = '[';
	do
		digits[n++] = '0' + cut % 10;
	while (cut /= 10);
	while (n)
		event[pos++] = digits[--n];
	memcpy(event + pos, " bytes cut]", 12);
	return pos + 12;
}

/* Append a buffer of any size in pieces of at most 255 bytes. Return the bytes written to out. */
size_t devtrace_pieces_(uint8_t *out, const void *mem, size_t len)
{
	const uint8_t *from = mem;
	uint8_t *to = out;

	while (len > 255) {
		*to++ = DEVTRACE_E_MEM | DEVTRACE_E_MEM_MORE;
		*to++ = 255;
		memcpy(to, from, 255);
		to += 255;
		from += 255;
		len -= 255;
	}
	*to++ = DEVTRACE_E_MEM;
	*to++ = len;
	memcpy(to, from, len);
	return to + len - out;
}

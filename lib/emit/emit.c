// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit.c - hand a complete event or a name to the device; finish a record
 *
 * Every event of every idiom passes devtrace_emit_event() of emit_lane.c, and those that
 * do not go into a lane come here. Both keep errno, so that an event can stand between
 * a failing call and the look at its errno.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <devtrace/record.h>
#include "emit.h"
#include "emit_filter.h"
#include "emit_lane.h"

/* Of a clock that ticks once in a microsecond, more than one. */
#define TURNS	1000

/*
 * Where the clock is coarse, an event could get the time of the one before it in the
 * lane, and would be read before that one: of equal times CPUs come first.
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

/* As in the kernel's emit_check_type(). */
static bool is_no_type(uint8_t type)
{
	return devtrace_type_is_transport(type) ||
	       (type >= DEVTRACE_T_KERNEL && type < DEVTRACE_T_USER2);
}

/* The device has not said what of an event is wrong. */
static void tell_refused(const struct devtrace_emit *event)
{
	if (event->severity && event->severity >> 3 != 1)
		dt_refused_print(DEVTRACE_BAD_SEVERITY_, event->severity);
	else if (is_no_type(event->type))
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
		let_the_clock_go_on();
		err = conn_ioctl(DEVTRACE_IOC_EMIT(size), event);
		if (err == EINVAL)
			tell_refused(event);
	}
	errno = saved;
	return err;
}

/* Of len bytes at s, how many make up at most max without half a character. */
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
 * Append the element that marks a truncated record. A buffer of a negative size has no length
 * that could be told, and there is no room for so many digits: then return 0, a size that the
 * emitting function refuses and counts.
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

/* A buffer of more than 255 bytes, in pieces. Returns the bytes of out taken. */
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

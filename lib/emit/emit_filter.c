// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_filter.c - the program's own filters
 *
 * Three bitmaps contain the types, objects and signals that the program discards; at first they
 * are empty. So that a program without filters pays nothing, the fast path reads two derived
 * tables. dt_filter_easy[] contains the types that a program may emit and that this program does
 * not discard; it decides about events without object and signal. dt_filter_easy_ids[] decides
 * about the other events. It equals dt_filter_easy[] until the program filters objects or signals;
 * then it becomes empty, so that these events take the slow path, which searches the bitmaps.
 *
 * An event of a type that is registered by name has the type DEVTRACE_T_NAMED and a number. Such an
 * event always has a code, so only dt_filter_easy_ids[] has the bit of this type; the bit is clear
 * once the program filters such a number.
 *
 * Invariants. Bits change atomically. A thread that has changed a bitmap derives the two tables
 * anew, and the last such thread sees all changes. Until then an extra bit in the tables may let a
 * discarded event pass; a missing bit only costs a search. Object 0 and signal 0 mean "none" and
 * always pass.
 */
#include <errno.h>
#include <string.h>
#include <devtrace/filter.h>
#include "emit.h"
#include "emit_filter.h"
#include "type_groups.h"

#define NAMES		256

#define NAMED_WORD	(DEVTRACE_T_NAMED >> 5)
#define NAMED_BIT	((uint32_t)1 << (DEVTRACE_T_NAMED & 31))

/*
 * The types that a program may emit: one 32-bit word for 32 types, computed from the rule in
 * <linux/devtrace.h>.
 */
#define TYPE_1(t)	((uint32_t)DEVTRACE_TYPE_IS_EMITTABLE_(t) << ((t) & 31))
#define TYPES_4(t)	(TYPE_1(t) | TYPE_1((t) + 1) | TYPE_1((t) + 2) | TYPE_1((t) + 3))
#define TYPES_16(t)	(TYPES_4(t) | TYPES_4((t) + 4) | TYPES_4((t) + 8) | TYPES_4((t) + 12))
#define TYPES_32(t)	(TYPES_16(t) | TYPES_16((t) + 16))
#define PROGRAMS_TYPES {							\
	TYPES_32(0), TYPES_32(32), TYPES_32(64), TYPES_32(96),			\
	TYPES_32(128), TYPES_32(160), TYPES_32(192), TYPES_32(224),		\
}

/* The same, and DEVTRACE_T_NAMED */
#define PROGRAMS_IDS {								\
	TYPES_32(0), TYPES_32(32), TYPES_32(64) | NAMED_BIT, TYPES_32(96),	\
	TYPES_32(128), TYPES_32(160), TYPES_32(192), TYPES_32(224),		\
}

static const uint32_t programs_types[8] = PROGRAMS_TYPES;

uint32_t dt_filter_easy[8] = PROGRAMS_TYPES;
uint32_t dt_filter_easy_ids[8] = PROGRAMS_IDS;
uint32_t dt_filter_objects[65536 / 32], dt_filter_signals[65536 / 32];

static uint32_t types[8];
static uint32_t numbers[65536 / 32];	/* of types that are registered by name */
static bool by_id;	/* true once the program has filtered an object or a signal */
static bool by_number;	/* true once the program has filtered such a number */

/*
 * Named objects: the upper 48 bits are a hash of the name, the lower 16 the object's number. 0:
 * unused entry.
 */
static uint64_t names[NAMES];
static unsigned int nr_names;

static bool filter_bit(const uint32_t *bits, unsigned int n)
{
	return __atomic_load_n(&bits[n >> 5], __ATOMIC_RELAXED) >> (n & 31) & 1;
}

static void filter_set(uint32_t *bits, unsigned int n, bool on)
{
	if (on)
		__atomic_fetch_or(&bits[n >> 5], 1u << (n & 31), __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&bits[n >> 5], ~(1u << (n & 31)), __ATOMIC_SEQ_CST);
}

static void set_all(uint32_t *bits, size_t words, uint32_t first, bool on)
{
	size_t i;

	for (i = 0; i < words; i++)
		__atomic_store_n(&bits[i], !on ? 0 : i ? ~0u : first, __ATOMIC_SEQ_CST);
}

static uint32_t easy_word(unsigned int i, bool ids)
{
	uint32_t word = programs_types[i];

	if (ids && __atomic_load_n(&by_id, __ATOMIC_SEQ_CST))
		return 0;
	if (ids && i == NAMED_WORD && !__atomic_load_n(&by_number, __ATOMIC_SEQ_CST))
		word |= NAMED_BIT;
	return word & ~__atomic_load_n(&types[i], __ATOMIC_SEQ_CST);
}

/*
 * Derive one word of a table. If another thread or a signal handler changes a bitmap between the
 * load and the store, the stored word is out of date; so compute it again after the store. To
 * compare with easy[i] instead would not help: another thread may have stored the same outdated
 * word there.
 */
static void make_one(uint32_t *easy, unsigned int i, bool ids)
{
	uint32_t now;

	do {
		now = easy_word(i, ids);
		__atomic_store_n(&easy[i], now, __ATOMIC_SEQ_CST);
	} while (easy_word(i, ids) != now);
}

static void make_easy(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		make_one(dt_filter_easy, i, false);
		make_one(dt_filter_easy_ids, i, true);
	}
}

bool dt_filter_type_is_programs(uint8_t type)
{
	return type == DEVTRACE_T_NAMED || (programs_types[type >> 5] >> (type & 31) & 1);
}

bool devtrace_own_wants(uint8_t type, uint16_t object, uint16_t sig)
{
	return !filter_bit(types, type) && !filter_bit(dt_filter_objects, object) &&
	       !filter_bit(dt_filter_signals, sig);
}

/* Does the program discard the type that is registered by name? */
static bool number_is_off(const struct devtrace_emit *event, size_t len)
{
	return event->type == DEVTRACE_T_NAMED && event->flags & DEVTRACE_F_CODE && len >= 4 &&
	       filter_bit(numbers, event->data[0] | (unsigned int)event->data[1] << 8);
}

bool dt_filter_event(const struct devtrace_emit *event, size_t len)
{
	if (number_is_off(event, len))
		return false;
	return !filter_bit(types, event->type) && dt_filter_ids(event, len);
}

/* Pass or discard a type that is registered by name. */
static int own_number(unsigned int number, bool wanted)
{
	if (number > DEVTRACE_NAMED_LAST)
		return EINVAL;
	filter_set(numbers, number, !wanted);
	if (!wanted)
		__atomic_store_n(&by_number, true, __ATOMIC_SEQ_CST);
	make_easy();
	return 0;
}

int devtrace_own_type(int type, bool wanted)
{
	if (type >= DEVTRACE_NAMED_FIRST)
		return own_number((unsigned int)type, wanted);
	if (type != DEVTRACE_ALL &&
	    (type < 0 || type > UINT8_MAX || !dt_filter_type_is_programs((uint8_t)type)))
		return EINVAL;
	if (type == DEVTRACE_ALL)
		set_all(types, 8, ~0u, !wanted);
	else
		filter_set(types, (unsigned int)type, !wanted);
	make_easy();
	return 0;
}

int devtrace_own_group(const char *group, bool wanted)
{
	int err = EINVAL;
	unsigned int n;
	size_t i;

	for (i = 0; group && i < TYPE_GROUPS; i++) {
		/* Skip the kernel's groups: a program cannot emit their types. */
		if (strcmp(group, type_groups[i].upper) ||
		    type_group_has(&type_groups[i], DEVTRACE_T_FAULT))
			continue;
		for (n = 0; n < 256; n++)
			if (type_group_has(&type_groups[i], n))
				filter_set(types, n, !wanted);
		err = 0;
	}
	make_easy();
	return err;
}

/*
 * Pass or discard an object or signal. From the first such call on, the bitmaps decide about all
 * events that have an object or a signal.
 */
static int set_id(uint32_t *bits, int id, bool wanted)
{
	if (id != DEVTRACE_ALL && (id < 1 || id > UINT16_MAX))
		return EINVAL;
	if (id == DEVTRACE_ALL)
		set_all(bits, 65536 / 32, ~1u, !wanted);
	else
		filter_set(bits, (unsigned int)id, !wanted);
	if (!wanted)
		__atomic_store_n(&by_id, true, __ATOMIC_SEQ_CST);
	make_easy();
	return 0;
}

int devtrace_own_object(int object, bool wanted)
{
	return set_id(dt_filter_objects, object, wanted);
}

int devtrace_own_signal(int sig, bool wanted)
{
	return set_id(dt_filter_signals, sig, wanted);
}

static uint64_t filter_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3;
	return (h ^ h >> 48) << 16;
}

void dt_filter_named(uint64_t key, const char *name)
{
	const uint64_t h = filter_hash(name);
	unsigned int i, n;

	if (!key || key > UINT16_MAX)
		return;
	n = __atomic_load_n(&nr_names, __ATOMIC_ACQUIRE);
	for (i = 0; i < n && i < NAMES; i++) {
		if ((__atomic_load_n(&names[i], __ATOMIC_RELAXED) ^ h) >> 16 == 0) {
			__atomic_store_n(&names[i], h | key, __ATOMIC_RELAXED);
			return;
		}
	}
	/* nr_names never decreases, and no program adds enough names to make it wrap. */
	if (n < NAMES)
		n = __atomic_fetch_add(&nr_names, 1, __ATOMIC_ACQ_REL);
	if (n < NAMES)
		__atomic_store_n(&names[n], h | key, __ATOMIC_RELEASE);
}

int devtrace_own_object_name(const char *name, bool wanted)
{
	unsigned int i, n = __atomic_load_n(&nr_names, __ATOMIC_ACQUIRE);
	uint64_t h;

	if (!name)
		return EINVAL;
	h = filter_hash(name);
	for (i = 0; i < n && i < NAMES; i++) {
		const uint64_t v = __atomic_load_n(&names[i], __ATOMIC_ACQUIRE);

		if ((v ^ h) >> 16 == 0 && v & UINT16_MAX)
			return devtrace_own_object((int)(v & UINT16_MAX), wanted);
	}
	return ENOENT;
}

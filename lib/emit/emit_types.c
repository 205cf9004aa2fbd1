// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_types.c - the types that the program has registered by name
 *
 * The kernel has the table of names, and gives the same number to each caller that asks for the
 * same name. So this file only remembers the numbers that the program has got: a second
 * devtrace_type() of the same name makes no system call.
 *
 * If the device is removed and comes again, because the module was loaded again, the library
 * registers all remembered names when it connects. A name gets the same number, unless another name
 * has got this number first. Then the program's number is stale: its events would be printed under
 * the other name, so the program's own filter (emit_filter.c) discards them. The program gets the
 * new number from devtrace_type().
 *
 * Invariants. An entry is written before its state is set to TYPE_READY, and its name is not
 * changed afterwards. A signal handler may interrupt the writing of an entry, and then finds the
 * entry in state TYPE_BUSY and skips it. If the table is full, or an entry was skipped, the kernel
 * is asked again, which gives the same number. After fork(2) all entries stay valid.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <devtrace/emit.h>
#include <devtrace/filter.h>
#include "emit.h"
#include "emit_type.h"

#define TYPES	256	/* a power of two */

enum type_state { TYPE_EMPTY, TYPE_BUSY, TYPE_READY };

static struct type {
	int		state;
	uint32_t	number;
	char		name[DEVTRACE_NAME_MAX];
} types[TYPES];

/* A name of this process has got another number. */
static bool types_moved;

static unsigned int type_hash(const char *name)
{
	uint32_t h = 0x811c9dc5;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x01000193;
	return (h ^ h >> 16) % TYPES;
}

static struct type *type_find(const char *name)
{
	const unsigned int first = type_hash(name);
	unsigned int i;
	int state;

	for (i = 0; i < TYPES; i++) {
		struct type *t = &types[(first + i) % TYPES];

		state = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE);
		if (state == TYPE_EMPTY)
			return NULL;
		if (state == TYPE_READY && !strcmp(t->name, name))
			return t;
	}
	return NULL;
}

/* A stale number of another name may be the same: let it pass. */
static void type_pass(uint32_t number)
{
	if (__atomic_load_n(&types_moved, __ATOMIC_RELAXED))
		devtrace_own_type((int)number, true);
}

uint32_t dt_type_known(const char *name)
{
	struct type *t = type_find(name);
	const uint32_t number = t ? __atomic_load_n(&t->number, __ATOMIC_RELAXED) : 0;

	if (t)
		type_pass(number);
	return number;
}

void dt_type_remember(const struct devtrace_type_name *asked)
{
	const unsigned int first = type_hash(asked->name);
	unsigned int i;

	for (i = 0; i < TYPES; i++) {
		struct type *t = &types[(first + i) % TYPES];
		int empty = TYPE_EMPTY;

		if (!__atomic_compare_exchange_n(&t->state, &empty, TYPE_BUSY, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		memcpy(t->name, asked->name, sizeof(t->name));
		__atomic_store_n(&t->number, asked->number, __ATOMIC_RELAXED);
		__atomic_store_n(&t->state, TYPE_READY, __ATOMIC_RELEASE);
		break;
	}
	type_pass(asked->number);
}

void dt_types_send(int fd)
{
	struct devtrace_type_name asked;
	uint32_t before;
	unsigned int i;

	for (i = 0; i < TYPES; i++) {
		struct type *t = &types[i];

		if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != TYPE_READY)
			continue;
		memset(&asked, 0, sizeof(asked));
		memcpy(asked.name, t->name, sizeof(asked.name));
		if (ioctl(fd, DEVTRACE_IOC_TYPE, &asked) < 0) {
			emit_error(errno);
			asked.number = 0;
		}
		before = __atomic_load_n(&t->number, __ATOMIC_RELAXED);
		if (!asked.number || before == asked.number)
			continue;
		emit_error(ESTALE);
		devtrace_own_type((int)before, false);
		__atomic_store_n(&t->number, asked.number, __ATOMIC_RELAXED);
		__atomic_store_n(&types_moved, true, __ATOMIC_RELAXED);
	}
}

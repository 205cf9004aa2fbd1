// SPDX-License-Identifier: GPL-2.0-only
/*
 * in_lane.c - operations of inputs on lanes
 *
 * Events are written by ../device/lanes.c. Other operations change the memory and the mappings,
 * while the other thread of the input reads.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dev.h"
#include "in_lane.h"
#include "lanes.h"

#define SLOTS	2

static struct lane *slots[SLOTS];

static struct lane *take(unsigned int slot)
{
	return __atomic_exchange_n(&slots[slot % SLOTS], NULL, __ATOMIC_ACQ_REL);
}

static void unmap(struct lane *l)
{
	if (!l)
		return;
	lane_close(l);
	free(l);
}

static void put(unsigned int slot, struct lane *l)
{
	unmap(__atomic_exchange_n(&slots[slot % SLOTS], l, __ATOMIC_ACQ_REL));
}

int in_lane_ask(int fd, const uint8_t *a, void *bad)
{
	static const uint32_t bytes[] = {
		DEVTRACE_LANE_MIN, 65536, 0, DEVTRACE_LANE_MIN + 1, DEVTRACE_LANE_MIN - 1, 1,
		16384, DEVTRACE_LANE_MAX, DEVTRACE_LANE_MAX + 1, 0x80000000, UINT32_MAX,
	};
	/* Mostly a valid size. */
	const unsigned int kind = a[0] & 0x80 ? a[1] % (sizeof(bytes) / sizeof(bytes[0])) : a[1] % 2;
	struct devtrace_lane_ask ask = {
		.bytes = bytes[kind], .source = a[3],
		.flags = a[0] & 0x08 ? DEVTRACE_LANE_NO_CALLS : 0,
	};
	struct lane *l;
	int got;

	if (a[0] & 0x40) {
		ioctl(fd, DEVTRACE_IOC_LANE, bad);
		/* Another size in the number of the call, and the old call. */
		close(ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, DEVTRACE_IOC_MAGIC, 5 + a[4] % 2, a[4]),
			    &ask));
		/* Undefined flags. */
		if (a[0] & 0x80 && a[5] & 2)
			ask.flags |= 1U << a[4] % 32;
		if (a[0] & 0x80 && a[5] & 4)
			ask.reserved = a[4];
	}
	got = ioctl(fd, DEVTRACE_IOC_LANE, &ask);
	if (got < 0 || a[0] & 0x20)
		return got;
	l = malloc(sizeof(*l));
	if (l && !lane_map(l, got, ask.bytes))
		put(a[2], l);
	else
		free(l);
	return got;
}

static uint32_t odd(uint8_t kind, uint32_t right)
{
	static const uint32_t values[] = {
		0, 1, 63, 64, 65, DEVTRACE_LANE_BLOCK - 1, DEVTRACE_LANE_BLOCK,
		DEVTRACE_LANE_BLOCK + 2, 0x7fffffff, UINT32_MAX,
	};

	return kind & 0x80 ? values[kind % 10] : right + (int8_t)(kind << 1) / 2;
}

static void emit_odd(struct lane *l, const uint8_t *a)
{
	static const uint8_t types[] = { DEVTRACE_T_USER, DEVTRACE_T_CLOCK, 0, 127 };
	static const int64_t off[] = {
		0, -1000, -20000, 20000, -1000000000, 1000000000, -10000000000000, 1000000000000000,
	};
	const uint32_t word = DEVTRACE_LANE_CPU | (uint32_t)(a[1] & 1 ? a[5] : (int8_t)a[5])
			      << DEVTRACE_LANE_NS_SHIFT;
	uint8_t data[DEVTRACE_PAYLOAD_MAX + 8];

	/* With any CPU, from here on. */
	if (a[1] & 0x80 && l->used && l->used + sizeof(word) <= DEVTRACE_LANE_BLOCK) {
		struct devtrace_lane_block *b = lane_block(l, l->n);

		memcpy((uint8_t *)b + l->used, &word, sizeof(word));
		l->used += sizeof(word);
		b->used = l->used;
	}
	memset(data, a[5], sizeof(data));
	lane_emit_at(l, dev_now() + off[a[2] % 8], a[3] & 0x80 ? a[3] : types[a[3] % 4], data,
		     a[4] & 0x80 ? sizeof(data) - a[4] % 16 : a[4]);
}

/* Change a field of the lane, or of one of its blocks. */
static void number_wrong(struct lane *l, const uint8_t *a)
{
	struct devtrace_lane_block *b = lane_block(l, l->n - a[2] % 8);

	switch (a[3] % 8) {
	case 0:
		l->head->open = odd(a[4], l->n);
		break;
	case 1:
		l->head->busy = a[4];
		break;
	case 2:
		b->time += odd(a[4], 0) * (a[5] & 1 ? 1ULL << 32 : 1ULL);
		break;
	case 3:
		b->count = odd(a[4], b->count) * (a[5] & 1 ? 1ULL << 32 : 1ULL);
		break;
	case 4:
		b->number = odd(a[4], b->number);
		break;
	case 5:
		b->used = odd(a[4], b->used);
		break;
	case 6:
		b->cpu = odd(a[4], 0);
		break;
	default:
		/* The writer itself takes a wrong number. */
		l->n = odd(a[4], l->n);
		l->used = 0;
		break;
	}
}

/* Change bytes of a block, at intervals or all. */
static void scribble(struct lane *l, const uint8_t *a)
{
	uint8_t *b = (uint8_t *)lane_block(l, l->n - a[2] % 2);
	unsigned int at = a[3] * 8, step = 1 + a[4] * 4;

	for (; at < DEVTRACE_LANE_BLOCK; at += step)
		b[at] ^= a[5] ?: at * 167;
}

static void mapping(struct lane *l, const uint8_t *a)
{
	const size_t page = getpagesize();
	uint8_t *p = l->blocks, *q;

	switch (a[2] % 10) {
	case 0:
		if (mremap(p, l->bytes, l->bytes + page, MREMAP_MAYMOVE) != MAP_FAILED)
			abort();
		break;
	case 1:
		/* If it succeeded, the mapping could not be unmapped any more. */
		q = mremap(p, l->bytes, l->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
			   (void *)(uintptr_t)(0x10000000 + a[3] * page));
		if (q != MAP_FAILED)
			abort();
		break;
	case 2:
		if (mremap(p, l->bytes, page, 0) != MAP_FAILED)
			abort();
		break;
	case 3:
		if (!munmap(p + page * (a[3] % 2), page))
			abort();
		break;
	case 4:
		mprotect(p, l->bytes, PROT_READ);
		mprotect(p, page, PROT_READ | PROT_WRITE);
		mprotect(p, l->bytes, PROT_READ | PROT_WRITE | (a[3] & 1 ? PROT_EXEC : 0));
		/* It must be writable again. */
		if (mprotect(p, l->bytes, PROT_READ | PROT_WRITE))
			abort();
		break;
	case 5:
		/* Fields of the kernel that the writer relies on. */
		if (a[3] & 1)
			l->head->source = odd(a[4], l->head->source);
		else
			l->head->state = a[4];
		break;
	case 6:
		madvise(p, l->bytes, a[3] % 26);
		break;
	case 7:
		madvise(p + page, page, a[3] % 26);
		break;
	case 8:
		if (a[3] & 1 ? mlock(p, l->bytes) : munlock(p, l->bytes))
			return;
		break;
	default:
		msync(p, l->bytes, MS_SYNC);
		break;
	}
}

/* Calls to the device with the lane as their memory, which may fault there first. */
static void be_memory(int fd, struct lane *l, const uint8_t *a)
{
	uint8_t *p = l->blocks + (a[3] % l->nr) * DEVTRACE_LANE_BLOCK;
	const size_t n = 1 + a[4] * 64;
	struct devtrace_stats *s = (void *)p;

	switch (a[2] % 5) {
	case 0:
		(void)!read(fd, p, n);
		break;
	case 1:
		(void)!write(fd, p, n);
		break;
	case 2:
		ioctl(fd, DEVTRACE_IOC_EMIT(4 + a[4]), p);
		break;
	case 3:
		s->cpu = -1;
		ioctl(fd, DEVTRACE_IOC_STATS, s);
		break;
	default:
		/* Unless it is dead; not a third time. */
		close(ioctl(fd, DEVTRACE_IOC_LANE, p));
		break;
	}
}

void in_lane_use(int fd, const uint8_t *a)
{
	struct lane *l = take(a[0] >> 7);
	unsigned int i;

	if (!l)
		return;
	switch (a[0] % 8) {
	case 0:
	case 1:
		/* With a descriptor that may not be the device, or none. */
		l->dev = a[3] & 1 ? fd : -1;
		for (i = 0; i <= a[1]; i++)
			lane_mark(l, DEVTRACE_T_USER, i, a[2]);
		if (a[0] & 1)
			ioctl(fd, DEVTRACE_IOC_HAND, (unsigned long)odd(a[4], l->head->source));
		break;
	case 2:
		emit_odd(l, a);
		break;
	case 3:
		number_wrong(l, a);
		break;
	case 4:
		scribble(l, a);
		break;
	case 5:
		mapping(l, a);
		break;
	case 6:
		be_memory(fd, l, a);
		break;
	default:
		unmap(l);
		return;
	}
	put(a[0] >> 7, l);
}

void in_lane_end(void)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		put(i, NULL);
}

// SPDX-License-Identifier: GPL-2.0-only
/* lanes.c - write a lane without the library */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/devtrace.h>

#include "lanes.h"

#define LIMITS	"/sys/module/devtrace/parameters/lane_limits"

int lane_limits_read(uint64_t bytes[LANE_LIMITS])
{
	FILE *f = fopen(LIMITS, "r");
	int n;

	if (!f)
		return -1;
	n = fscanf(f, "%" SCNu64 ",%" SCNu64 ",%" SCNu64, &bytes[LANE_LIMIT_ALL],
		   &bytes[LANE_LIMIT_USER], &bytes[LANE_LIMIT_PROCESS]);
	fclose(f);
	return n == LANE_LIMITS ? 0 : -1;
}

static int limits_write(const uint64_t bytes[LANE_LIMITS])
{
	FILE *f = fopen(LIMITS, "w");
	int ret;

	if (!f)
		return -1;
	ret = fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, bytes[LANE_LIMIT_ALL],
		      bytes[LANE_LIMIT_USER], bytes[LANE_LIMIT_PROCESS]);
	return fclose(f) || ret < 0 ? -1 : 0;
}

int lane_limit(enum lane_limit which, uint64_t bytes)
{
	uint64_t limits[LANE_LIMITS];

	if (lane_limits_read(limits))
		return -1;
	limits[which] = bytes;
	return limits_write(limits);
}

int lane_no_limits(void)
{
	static const uint64_t limits[LANE_LIMITS] = { 1 << 30, 1 << 30, 1 << 30 };

	return limits_write(limits);
}

int lane_fd(int dev, uint32_t bytes, struct devtrace_lane_ask *l)
{
	memset(l, 0, sizeof(*l));
	l->bytes = bytes;
	return ioctl(dev, DEVTRACE_IOC_LANE, l);
}

int lane_map(struct lane *l, int fd, uint32_t bytes)
{
	uint8_t *p;

	memset(l, 0, sizeof(*l));
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -1;
	l->dev = -1;
	l->bytes = bytes;
	l->head = &((struct devtrace_lane_block *)p)->head;
	l->blocks = p;
	l->nr = l->head->blocks;
	l->n = l->head->first - 1;
	return 0;
}

int lane_open(struct lane *l, int dev, uint32_t bytes)
{
	struct devtrace_lane_ask arg;
	int fd = lane_fd(dev, bytes, &arg);
	int ret;

	if (fd < 0)
		return -1;
	ret = lane_map(l, fd, arg.bytes);
	close(fd);
	l->dev = dev;
	return ret;
}

void lane_close(struct lane *l)
{
	munmap(l->blocks, l->bytes);
	memset(l, 0, sizeof(*l));
}

int lane_hand(const struct lane *l)
{
	return ioctl(l->dev, DEVTRACE_IOC_HAND, (unsigned long)l->head->source);
}

struct devtrace_lane_block *lane_block(const struct lane *l, uint32_t number)
{
	return (void *)(l->blocks + (size_t)(number & (l->nr - 1)) * DEVTRACE_LANE_BLOCK);
}

static void enter(struct lane *l, uint64_t ts)
{
	struct devtrace_lane_block *b;

	/* Before a block is overwritten, unless the caller cannot hand over. */
	if (l->dev >= 0 && l->n - l->head->first + 1 >= l->nr)
		lane_hand(l);
	b = lane_block(l, ++l->n);
	__atomic_store_n(&l->head->open, l->n, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	l->used = sizeof(*b);
	b->time = ts;
	b->count = l->count;
	b->cpu = DEVTRACE_LANE_NO_CPU;
	__atomic_store_n(&b->used, l->used, __ATOMIC_RELAXED);
	__atomic_store_n(&b->number, l->n, __ATOMIC_RELEASE);
	l->last = ts;
}

/* Use the form with 48 bits of time unless the short one suffices: both are tested. */
static size_t put_head(uint8_t *p, uint64_t ns, uint8_t type, size_t len)
{
	uint32_t w[3] = { (uint32_t)type << DEVTRACE_LANE_TYPE_SHIFT };
	size_t n = 1;

	if (len <= DEVTRACE_LANE_SHORT && ns <= DEVTRACE_LANE_NS_MAX) {
		w[0] |= len | (uint32_t)ns << DEVTRACE_LANE_NS_SHIFT;
	} else {
		w[0] |= DEVTRACE_LANE_LATE | (uint32_t)len << DEVTRACE_LANE_NS_SHIFT;
		w[1] = (uint32_t)(ns >> 32) << 16;
		w[2] = (uint32_t)ns;
		n = 3;
	}
	memcpy(p, w, n * sizeof(w[0]));
	return n * sizeof(w[0]);
}

void lane_emit_at(struct lane *l, uint64_t ts, uint8_t type, const void *data, size_t len)
{
	struct devtrace_lane_block *b;
	uint8_t *p;
	size_t n;

	if (!l->used || l->used + 12 + len + 1 > DEVTRACE_LANE_BLOCK)
		enter(l, ts);
	b = lane_block(l, l->n);
	p = (uint8_t *)b + l->used;
	n = put_head(p, ts - l->last, type, len);
	memcpy(p + n, data, len);
	l->last = ts;
	l->count++;
	l->used += n + len + (len & 1);
	__atomic_store_n(&b->used, l->used, __ATOMIC_RELEASE);
}

void lane_mark_at(struct lane *l, uint64_t ts, uint8_t type, uint32_t tag, uint32_t nr)
{
	/* record heads have native byte order, elements are little-endian */
	const uint32_t mark[2] = { htole32(tag), htole32(nr) };
	uint8_t d[10] = { DEVTRACE_E_U32 };

	memcpy(d + 1, &mark[0], 4);
	d[5] = DEVTRACE_E_U32;
	memcpy(d + 6, &mark[1], 4);
	lane_emit_at(l, ts, type, d, sizeof(d));
}

void lane_mark(struct lane *l, uint8_t type, uint32_t tag, uint32_t nr)
{
	l->head->busy = 1;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	lane_mark_at(l, dev_now(), type, tag, nr);
	__atomic_store_n(&l->head->busy, 0, __ATOMIC_RELEASE);
}

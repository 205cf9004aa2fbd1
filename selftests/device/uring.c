// SPDX-License-Identifier: GPL-2.0-only
/*
 * uring.c - io_uring(7) without a library; see uring.h
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uring.h"

static uint32_t *ring_word(const struct uring *u, uint32_t off)
{
	return (uint32_t *)(u->ring + off);
}

static void *map(const struct uring *u, size_t size, off_t what)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd, what);
}

int uring_open(struct uring *u)
{
	size_t sq, cq;

	memset(u, 0, sizeof(*u));
	u->fd = syscall(__NR_io_uring_setup, URING_ENTRIES, &u->p);
	if (u->fd < 0)
		return -1;
	if (!(u->p.features & IORING_FEAT_SINGLE_MMAP)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	sq = u->p.sq_off.array + u->p.sq_entries * sizeof(uint32_t);
	cq = u->p.cq_off.cqes + u->p.cq_entries * sizeof(struct io_uring_cqe);
	u->ring = map(u, sq > cq ? sq : cq, IORING_OFF_SQ_RING);
	u->sqes = map(u, u->p.sq_entries * sizeof(*u->sqes), IORING_OFF_SQES);
	return u->ring == MAP_FAILED || (void *)u->sqes == MAP_FAILED ? -1 : 0;
}

struct io_uring_sqe *uring_next(struct uring *u)
{
	uint32_t *tail = ring_word(u, u->p.sq_off.tail);
	const uint32_t at = *tail & *ring_word(u, u->p.sq_off.ring_mask);

	memset(&u->sqes[at], 0, sizeof(u->sqes[at]));
	ring_word(u, u->p.sq_off.array)[at] = at;
	/* The kernel reads it during io_uring_enter(2) only. */
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return &u->sqes[at];
}

int uring_enter(const struct uring *u, unsigned int n, unsigned int wait)
{
	return syscall(__NR_io_uring_enter, u->fd, n, wait, IORING_ENTER_GETEVENTS, NULL, 0);
}

void uring_take(struct uring *u, void (*fn)(uint64_t user_data, int32_t res))
{
	const struct io_uring_cqe *cqes = (void *)(u->ring + u->p.cq_off.cqes);
	uint32_t *head = ring_word(u, u->p.cq_off.head);
	const uint32_t mask = *ring_word(u, u->p.cq_off.ring_mask);
	const uint32_t tail = __atomic_load_n(ring_word(u, u->p.cq_off.tail), __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = *head; i != tail; i++)
		fn(cqes[i & mask].user_data, cqes[i & mask].res);
	__atomic_store_n(head, tail, __ATOMIC_RELEASE);
}

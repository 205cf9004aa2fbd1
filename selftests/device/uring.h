/* SPDX-License-Identifier: GPL-2.0-only */
/* uring.h - io_uring(7) without a library, for reads and polls */
#ifndef URING_H
#define URING_H

#include <stdint.h>
#include <linux/io_uring.h>

#define URING_ENTRIES	8

struct uring {
	int			fd;
	struct io_uring_params	p;
	uint8_t			*ring;
	struct io_uring_sqe	*sqes;
};

int uring_open(struct uring *u);		/* 0, or -1 and errno */
/* The next free request; at most URING_ENTRIES per uring_enter(). */
struct io_uring_sqe *uring_next(struct uring *u);
/* Submit the last @n requests, and wait for @wait completions or a signal. */
int uring_enter(const struct uring *u, unsigned int n, unsigned int wait);
/* Take all completions. */
void uring_take(struct uring *u, void (*fn)(uint64_t user_data, int32_t res));

#endif /* URING_H */

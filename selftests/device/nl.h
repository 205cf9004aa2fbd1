/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl.h - a client of the netlink family, on raw sockets
 *
 * The tests must be able to send invalid messages, and to see the complete replies.
 * <linux/devtrace_netlink.h> has the numbers.
 */
#ifndef NL_H
#define NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include <linux/devtrace_netlink.h>
#include <linux/netlink.h>

struct nl {
	int fd;
	uint16_t family;
	uint32_t group;			/* number of the multicast group */
	uint32_t seq;
	size_t len;			/* of the request */
	uint8_t request[65536] __attribute__((aligned(8)));
	uint8_t answer[65536] __attribute__((aligned(8)));
	/* from the last reply */
	char why[1024];			/* text of the extended acknowledgment, or "" */
	uint32_t where;			/* offset of the attribute concerned, or 0 */
	bool policy;			/* the reply has the violated policy */
	uint32_t missing;		/* number of a missing attribute, or 0 */
	bool interrupted;		/* a change interrupted the dump */
};

/* A reply or a notification. */
struct nl_reply {
	uint8_t cmd;
	const struct nlattr *a[DEVTRACE_A_MAX + 1];
};

typedef void nl_fn(const struct nl_reply *r, void *arg);

/* Returns 0 or -1; uses the network namespace of this thread. */
int nl_open(struct nl *nl);
void nl_close(struct nl *nl);

/* Make a request. */
void nl_begin(struct nl *nl, int cmd);
void nl_put(struct nl *nl, int attr, const void *data, size_t len);
void nl_put_u32(struct nl *nl, int attr, uint32_t v);
void nl_put_u64(struct nl *nl, int attr, uint64_t v);
void nl_put_str(struct nl *nl, int attr, const char *s);
size_t nl_nest(struct nl *nl, int attr);
void nl_nest_end(struct nl *nl, size_t nest);

/* Send it and wait for the end; returns 0 or the kernel's negative error number. */
int nl_do(struct nl *nl, nl_fn *fn, void *arg);
int nl_dump(struct nl *nl, nl_fn *fn, void *arg);
/*
 * The two halves: send, with NLM_F_ACK or NLM_F_DUMP; then take the reply, which the kernel made
 * before send returned. Returns 1 if the reply has no end.
 */
int nl_send(struct nl *nl, int flags);
int nl_answers(struct nl *nl, nl_fn *fn, void *arg);
/* A dump in parts: send, then read one part; returns 1 if more follow. */
int nl_dump_begin(struct nl *nl);
int nl_dump_part(struct nl *nl, nl_fn *fn, void *arg);
/*
 * Send @sent bytes of a request whose header has length @len, and take the reply, which the
 * kernel makes at once. Returns 1 if there is none.
 */
int nl_raw(struct nl *nl, int flags, size_t len, size_t sent);

/*
 * Listen; returns 0 or a negative error number. Then take the notifications; returns their
 * number or -errno.
 */
int nl_listen(struct nl *nl);
int nl_heard(struct nl *nl, nl_fn *fn, void *arg);

const void *nl_data(const struct nlattr *a);
size_t nl_len(const struct nlattr *a);
uint32_t nl_u32(const struct nlattr *a);
uint64_t nl_u64(const struct nlattr *a);
/* Iterate over a nest: start with NULL; returns NULL after the last. */
const struct nlattr *nl_next(const struct nlattr *nest, const struct nlattr *a);

#endif /* NL_H */

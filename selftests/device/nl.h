/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl.h - a client of the netlink family, on raw sockets
 *
 * The tests of the kernel's side must be able to send what no library would, and
 * to see all that comes back. Numbers are those of <linux/devtrace_netlink.h>.
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
	/* of the last answer */
	char why[1024];			/* extended acknowledgment, or empty */
	uint32_t where;			/* offset of the attribute it is about, or 0 */
	bool policy;			/* and with the policy that it does not meet */
	uint32_t missing;		/* number of one that is missing, or 0 */
	bool interrupted;		/* a dump across a change */
};

/* A reply or a notification. */
struct nl_reply {
	uint8_t cmd;
	const struct nlattr *a[DEVTRACE_A_MAX + 1];
};

typedef void nl_fn(const struct nl_reply *r, void *arg);

/* 0 or -1; in the network namespace that this thread is in. */
int nl_open(struct nl *nl);
void nl_close(struct nl *nl);

/* A request. */
void nl_begin(struct nl *nl, int cmd);
void nl_put(struct nl *nl, int attr, const void *data, size_t len);
void nl_put_u32(struct nl *nl, int attr, uint32_t v);
void nl_put_u64(struct nl *nl, int attr, uint64_t v);
void nl_put_str(struct nl *nl, int attr, const char *s);
size_t nl_nest(struct nl *nl, int attr);
void nl_nest_end(struct nl *nl, size_t nest);

/* Send it and wait for the end: 0, or a negative error number of the kernel's. */
int nl_do(struct nl *nl, nl_fn *fn, void *arg);
int nl_dump(struct nl *nl, nl_fn *fn, void *arg);
/*
 * The two halves of these: send, with NLM_F_ACK or NLM_F_DUMP; then take what the
 * kernel answered, which it did before send returned. 1: there is no end of it.
 */
int nl_send(struct nl *nl, int flags);
int nl_answers(struct nl *nl, nl_fn *fn, void *arg);
/* A dump in pieces: send, then one read; 1: there is more. */
int nl_dump_begin(struct nl *nl);
int nl_dump_part(struct nl *nl, nl_fn *fn, void *arg);
/*
 * Send that many bytes of a request that says it has len, and take what the kernel
 * answers at once, as it does. 1: there was no answer.
 */
int nl_raw(struct nl *nl, int flags, size_t len, size_t sent);

/* Listen: 0 or a negative error number. Then what has come: how many, or -errno. */
int nl_listen(struct nl *nl);
int nl_heard(struct nl *nl, nl_fn *fn, void *arg);

const void *nl_data(const struct nlattr *a);
size_t nl_len(const struct nlattr *a);
uint32_t nl_u32(const struct nlattr *a);
uint64_t nl_u64(const struct nlattr *a);
/* Walk a nest: NULL: the first; NULL is returned after the last. */
const struct nlattr *nl_next(const struct nlattr *nest, const struct nlattr *a);

#endif /* NL_H */

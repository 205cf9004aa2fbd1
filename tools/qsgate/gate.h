/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - from the events of a stream to records of QS or RKH, and from a host to a program
 *
 *	stream -> item.c -> record.c -> target.c (frames, to QSPY)
 *				     -> front.c (datagrams, to qutest.py; words of text.c)
 *		         -> rkh.c    -> target.c (frames, to Trazer)
 *	host -> target.c, front.c -> request.c -> libdevtrace-rx -> program
 *
 * Invariants
 * - Nothing waits for a host: what a host does not take is dropped, counted, and leaves a hole
 *   in the numbers of the frames, so that the host counts it, too.
 * - A request that is not laid out as QS has it never reaches the program.
 */
#ifndef QSGATE_H
#define QSGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <netinet/in.h>
#include <devtrace-decode.h>
#include <devtrace-rx.h>
#include "common/link.h"

#define GATE_VALUES	12		/* the longest record has 9 */
#define GATE_BYTES	2048		/* a record without number, check and escapes */
#define GATE_LINE	4096
#define GATE_NAMES	65536
#define GATE_FRONTS	4
#define GATE_BUFFER	(256 * 1024)	/* frames that wait for a host */

/* The target that the gate is: sizes of its things on the wire. */
#define GATE_VERSION	815
#define GATE_DATE	260715
#define GATE_OLD	734
enum { GATE_TIME = 4, GATE_SIG = 4, GATE_PTR = 8, GATE_CTR = 4 };

struct gate_name {
	uint8_t		kind, group;
	uint32_t	value, scope;
	uint64_t	key;
	char		name[DEVTRACE_NAME_MAX];
};

struct gate_names {
	struct gate_name *v;
	size_t		nr, room;
	uint32_t	*index;		/* 1 + place in v, by hash; 0: empty */
	uint32_t	*signals;	/* likewise, the first signal of each value */
	size_t		slots;
};

/**
 * struct gate_record - a record of QS
 * @layout: what @v holds, see common/qs.h; NULL: elements of the application in @data
 * @v: numbers in the order of the layout; the object of a signal is in @object
 * @s: of a layout that ends in s; of PEEK_DATA the bytes
 */
struct gate_record {
	uint8_t		id;
	uint32_t	time;		/* us */
	const char	*layout;
	uint64_t	v[GATE_VALUES], object;
	const uint8_t	*s;
	size_t		len;
	const uint8_t	*data;
	size_t		data_len;
	uint8_t		bytes[1024];	/* of PEEK_DATA, in one piece */
};

struct target {
	struct link	link;
	const char	*where;
	bool		is_link;
	int		fd, listen;
	uint64_t	next_try;	/* ms */
	uint8_t		seq;
	uint8_t		*buf;
	size_t		len, room;
	uint64_t	dropped;
	/* What the host sends */
	uint8_t		in[GATE_BYTES];
	size_t		in_len;
	bool		escaped, too_long, have_seq;
	uint8_t		in_seq;
};

struct front {
	int		fd;
	uint16_t	port;
	struct { struct sockaddr_in at; uint8_t channels, seq; } v[GATE_FRONTS];
	unsigned int	nr;
	uint64_t	dropped;
};

struct gate {
	struct devtrace_decoder *decoder;
	struct gate_names names;
	struct target	target;
	struct front	front;
	bool		rkh, echo, quiet, test;
	bool		old;		/* as a target before QP 8 */
	uint32_t	test_time;	/* of the last record, in a test */
	const char	*program;
	pid_t		pid;
	struct devtrace_rx_host *host;
	uint64_t	records, others, missing, requests, refused;
};

/* names.c: dictionaries. Those of one process may be taken out again. */
/* The name as it is kept; NULL: there is no room. */
const struct gate_name *gate_name_add(struct gate_names *n, const struct devtrace_name *d);
void gate_names_forget(struct gate_names *n, uint32_t scope);
void gate_names_free(struct gate_names *n);
/* NULL: no such name. A signal is that of its object or of none; without an object, of any. */
const char *gate_name(const struct gate_names *n, uint8_t kind, uint32_t value, uint8_t group,
		      uint64_t key);
/* By its name; group counts for enumerations alone. */
const struct gate_name *gate_named(const struct gate_names *n, uint8_t kind, uint8_t group,
				   const char *name);

/* record.c. false: the event is no record of QS. */
bool gate_record(const struct devtrace_event *e, bool old, struct gate_record *r);
/* Another time; false: the record has none. */
bool gate_stamp(struct gate_record *r, uint32_t time);
void gate_status(struct gate_record *r, uint8_t status, uint32_t time);
/* What stands behind the record's number: how many bytes. */
size_t gate_bytes(const struct gate_record *r, uint8_t *out);
size_t gate_name_bytes(const struct gate_name *n, uint8_t *out);
size_t gate_target_info(bool reset, bool old, uint8_t *out);

/* text.c: the line that QSPY prints; 0: it prints none. */
size_t gate_text(const struct gate_names *n, const struct gate_record *r, char *out, size_t size);

/* item.c: what the decoder gives, and what the gate says itself. */
int gate_item(const struct devtrace_item *item, void *arg);
void gate_send(struct gate *g, const struct gate_record *r);
void gate_send_info(struct gate *g, bool reset);
void gate_error(struct gate *g, uint8_t code);

/* target.c */
/* 0, or 1: there is nowhere to send to. A host that is not there yet is tried again. */
int target_open(struct gate *g);
void target_close(struct target *t);
/* One record as a frame of QS. false: it was dropped. */
bool target_qs(struct target *t, uint8_t record, const uint8_t *p, size_t n);
/* One of RKH, whose number and check are made here. */
bool target_rkh(struct target *t, uint8_t id, const uint8_t *p, size_t n);
/* Events to wait for, and what to do when they are there, or a peer is to be tried. */
short target_events(const struct target *t, int *fd);
void target_run(struct gate *g, short events, uint64_t now);

/* front.c */
int front_open(struct front *f, const char *word, const char **problem);
void front_close(struct front *f);
void front_record(struct front *f, uint8_t record, const uint8_t *p, size_t n);
void front_text(struct front *f, uint8_t record, const char *line, size_t n);
void front_run(struct gate *g);

/* request.c: a record of a host. */
void gate_request(struct gate *g, uint8_t record, const uint8_t *p, size_t n);
void gate_disconnect(struct gate *g);

/* rkh.c */
void rkh_event(struct gate *g, const struct devtrace_event *e);
void rkh_name(struct gate *g, const struct gate_name *n);
void rkh_begin(struct gate *g);

uint64_t gate_now_ms(void);

static inline void gate_put(uint8_t **p, uint64_t v, unsigned int bytes)
{
	for (; bytes--; v >>= 8)
		*(*p)++ = (uint8_t)v;
}

static inline uint64_t gate_le(const uint8_t *p, unsigned int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

#endif

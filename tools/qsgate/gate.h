/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - events of a stream become records of QS or RKH; requests of a host go to a program
 *
 *	stream -> item.c -> record.c -> target.c (frames, to QSPY)
 *				     -> front.c (datagrams, to qutest.py; words of text.c)
 *		         -> rkh.c    -> target.c (frames, to Trazer)
 *	names  -> announce.c -> target.c, as there is room
 *	host -> target.c, front.c -> request.c -> libdevtrace-rx -> program
 *
 * Invariants
 * - The traced program never waits for a host. A frame for which the buffer of a host has no
 *   room is dropped and counted, and uses up a sequence number: so the host sees the gap.
 * - The gate never passes a request on to the program whose layout is not that of QS.
 * - Each program obeys root. So as root the gate passes on no request that any user may have
 *   sent, unless --allow-requests is given or the program allows it by DEVTRACE_RX_ANYBODY.
 */
#ifndef QSGATE_H
#define QSGATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <netinet/in.h>
#include <devtrace-decode.h>
#include <devtrace-rx.h>
#include "common/hash.h"
#include "common/link.h"

#define GATE_VALUES	12		/* the longest record has 9 */
#define GATE_BYTES	2048		/* of a record, without numbers, check and escapes */
#define GATE_LINE	4096
#define GATE_NAMES	65536
#define GATE_NAME_BYTES	128		/* of a name's record */
#define GATE_SYMBOLS	4096
#define GATE_FRONTS	4
#define GATE_KNOWN	64		/* other processes whose name was asked for lately */
#define GATE_BUFFER	(256 * 1024)	/* bytes of frames that wait for a host */

/*
 * The gate acts as a target: its version, and the sizes of its fields in bytes. Pointers have those
 * of the machine that recorded, GATE_PTR at most.
 */
#define GATE_VERSION	815
#define GATE_DATE	260715
#define GATE_OLD	734
enum { GATE_TIME = 4, GATE_SIG = 4, GATE_PTR = 8, GATE_CTR = 4 };

struct gate_name {
	uint8_t		kind, group;
	uint32_t	value, scope;	/* scope: of this process; 0: of all */
	uint64_t	key;
	char		name[DEVTRACE_NAME_MAX];
};

struct gate_names {
	struct gate_name *v;
	size_t		nr, room;
	struct hash_key	key;		/* of both tables */
	uint32_t	*index;		/* hash table of 1 + index in v; 0: empty */
	/* hash table: process and number of a signal -> 1 + index of its first name in v */
	uint32_t	*signals;
	size_t		slots;
	size_t		told;		/* names before this index were sent to the host of --to */
};

/* A name of RKH that has a kind and maybe an owner; the last event that gave it. */
struct gate_symbol {
	uint64_t	ts, symbol, owner;
	uint32_t	process;
	uint8_t		kind, group;	/* group: of an enumeration */
	bool		is_enum;
};

struct gate_symbols {
	struct gate_symbol *v;
	size_t		nr, told;
};

/**
 * struct gate_record - a record of QS
 * @layout: the fields in @v, see common/qs.h; NULL: @data has elements of the application
 * @v: numbers in the order of the layout
 * @object: the object of a signal
 * @s: the string of a layout that ends in s; the bytes of PEEK_DATA
 */
struct gate_record {
	uint8_t		id;
	uint32_t	process;	/* the fields refer to names of this process */
	uint32_t	time;		/* us */
	uint8_t		ptr;		/* bytes of a pointer */
	const char	*layout;
	uint64_t	v[GATE_VALUES], object;
	const uint8_t	*s;
	size_t		len;
	const uint8_t	*data;
	size_t		data_len;
	uint8_t		bytes[1024];	/* of PEEK_DATA, pieces joined */
};

/* RKH's configuration record: its options, as common/rkh.h has them, and sizes in bytes. */
struct gate_rkh {
	uint32_t	flags;
	uint16_t	version, hz;
	uint8_t		time, sig, ptr, tick, nblk, ne, es, bsize, pools;
	bool		by_program;	/* the program's; else the gate's own */
	bool		told;		/* the host has it */
};

struct target {
	struct link	link;
	const char	*where;
	bool		is_link;
	int		fd, listen;
	uint64_t	next_try;	/* ms; of a listening socket: 0, or until when it rests */
	bool		rested;		/* a message has said that hosts wait */
	uint8_t		seq;
	uint8_t		*buf;
	size_t		len;		/* of GATE_BUFFER */
	uint64_t	dropped;
	bool		failed;		/* the file, or the end of the trace, is incomplete */
	/* The frame that the host is sending */
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

/* A namesake of the program may be its successor, or a second one beside it. */
enum gate_whose { GATE_OTHERS, GATE_NAMESAKE, GATE_OURS };

struct gate_known {
	uint32_t	process;
	enum gate_whose	whose;
	uint64_t	until;		/* ms */
};

struct gate {
	struct devtrace_decoder *decoder;
	struct gate_names names;
	struct gate_symbols symbols;
	struct gate_rkh	layout;		/* of frames, with --rkh */
	uint8_t		ptr;		/* bytes of a pointer in records */
	bool		begun;		/* the stream has begun: ptr is that of its machine */
	struct target	target;
	struct front	front;
	bool		rkh, echo, quiet, test;
	bool		allow, told_refusal;	/* requests of anybody, as root */
	bool		old;		/* --old: like a target before QP 8 */
	uint32_t	test_time;	/* --test: stamp of the last record */
	const char	*program;
	bool		by_name;
	/* the process that is followed, and the one that was followed before */
	pid_t		pid, before;
	/* user of the program; its successor must have the same user */
	uid_t		user;
	bool		user_known;
	bool		saved;		/* the stream is a file, whose processes may have ended */
	bool		by_stream;	/* the stream says which process the program is */
	/* if no program was named: the process that emitted the last record */
	uint32_t	mixed;
	bool		told_mixed;
	struct gate_known known[GATE_KNOWN];
	struct devtrace_rx_host *host;
	uint8_t		asked;		/* the last request, and whether it has no answer yet */
	bool		waits;
	uint64_t	records, others, missing, requests, refused;
};

/* names.c: dictionaries. */
/* Add or replace a name. Returns the stored one; NULL: there is no room. */
const struct gate_name *gate_name_add(struct gate_names *n, const struct devtrace_name *d);
/* Remove the names of one process. */
void gate_names_forget(struct gate_names *n, uint32_t scope);
void gate_names_free(struct gate_names *n);
/*
 * The name of a number or key of the process @scope; NULL: unknown. A signal of the object @key may
 * also have its name without an object; with @key 0, the name of the signal of any object will do.
 */
const char *gate_name(const struct gate_names *n, uint8_t kind, uint32_t scope, uint32_t value,
		      uint8_t group, uint64_t key);
/*
 * Find an entry by its name. scope 0: the entry of any process. group: of an enumeration;
 * otherwise 0.
 */
const struct gate_name *gate_named(const struct gate_names *n, uint8_t kind, uint32_t scope,
				   uint8_t group, const char *name);

/*
 * record.c: convert an event, with pointers of so many bytes. Return false if it is not a record of
 * QS, or if one of its pointers is larger.
 */
bool gate_record(const struct devtrace_event *e, bool old, uint8_t ptr, struct gate_record *r);
/* Replace the time stamp. Return false if the record has no time stamp. */
bool gate_stamp(struct gate_record *r, uint32_t time);
/* Make an RX_STATUS record. */
void gate_status(struct gate_record *r, uint8_t status, uint32_t time);
/* Encode what follows the record's number on the wire. Returns the number of bytes. */
size_t gate_bytes(const struct gate_record *r, uint8_t *out);
/* Return 0 for a name that the host cannot have: its key is larger than a pointer. */
size_t gate_name_bytes(const struct gate_name *n, uint8_t ptr, uint8_t *out);
size_t gate_target_info(bool reset, bool old, uint8_t ptr, uint8_t *out);

/* text.c: the line that QSPY prints for a record. Returns its length. */
size_t gate_text(const struct gate_names *n, const struct gate_record *r, char *out, size_t size);

/* item.c: items of the decoder, and records that the gate itself makes. */
int gate_item(const struct devtrace_item *item, void *arg);
void gate_send(struct gate *g, const struct gate_record *r);
/* Print a line. Other programs chose its strings, so escape control characters of the terminal. */
void gate_print(const struct gate *g, const void *line, size_t n);
void gate_send_info(struct gate *g, bool reset);
void gate_error(struct gate *g, uint8_t code);
/* Tell all hosts the names that the program has given so far. */
void gate_tell_names(struct gate *g);
/*
 * The stream has begun, or another machine's follows: pointers have so many bytes from here on.
 * Hosts that were told another size are told anew.
 */
void gate_set_pointer(struct gate *g, uint8_t bytes);
/* Note that this process emits records, and report once that several do. */
void gate_note_process(struct gate *g, uint32_t process);

/* target.c */
/*
 * Open the file or port. Return 0, or 1 if that fails. A connection to a host is retried later.
 * The input is open already; the output must be another file.
 */
int target_open(struct gate *g, int input);
/*
 * Write the waiting frames and names until the host takes no more or a signal comes. If some are
 * left, print their number and set failed.
 */
void target_close(struct gate *g, const volatile sig_atomic_t *stop);
/* Send what comes before the first event: the target's description, and all names. */
void target_greet(struct gate *g);
/* Queue a record as a frame of QS. Return false if it was dropped. */
bool target_qs(struct target *t, uint8_t record, const uint8_t *p, size_t n);
/* Queue an event as a frame of RKH. Return false if it was dropped. */
bool target_rkh(struct target *t, const struct gate_rkh *layout, uint8_t id, const uint8_t *p,
		size_t n);
/*
 * Queue RKH's configuration record, which has no sequence number. If @anew, a new stream begins,
 * and sequence numbers begin with 0.
 */
bool target_rkh_begin(struct target *t, const struct gate_rkh *layout, bool anew, uint8_t id,
		      const uint8_t *p, size_t n);
/* Is there a host, and room for a name? */
bool target_has_room(const struct target *t);
/* The poll(2) events to wait for; target_run() handles them, and retries a connection. */
short target_events(const struct target *t, int *fd);
/* Must target_run() soon try something again that poll(2) does not report? */
bool target_waits(const struct target *t);
void target_run(struct gate *g, short events, uint64_t now);

/* front.c */
int front_open(struct front *f, const char *word, const char **problem);
void front_close(struct front *f);
void front_record(struct front *f, uint8_t record, const uint8_t *p, size_t n);
void front_text(struct front *f, uint8_t record, const char *line, size_t n);
void front_run(struct gate *g);

/*
 * announce.c: queue names for the host of --to while the buffer has room.
 * Return true if some names are left.
 */
bool gate_announce(struct gate *g);
/* Send all names again, to a host that has no names yet. */
void gate_announce_all(struct gate *g);
/* Send an entry of the table that has just come from the stream. */
void gate_announce_name(struct gate *g, const struct gate_name *n);
void gate_announce_symbol(struct gate *g, const struct gate_symbol *s);

/* whose.c: is this process the program? If it is the program's successor, follow it from now on. */
enum gate_whose gate_whose(struct gate *g, uint32_t process);
/* Is this a process of the program's user? The first process asked for determines the user. */
bool gate_same_user(struct gate *g, pid_t pid);
/* From now on the program is this process. */
void gate_follow(struct gate *g, pid_t pid);

/* request.c: handle a request of a host. @anybody: any user may have sent it, as a datagram */
void gate_request(struct gate *g, bool anybody, uint8_t record, const uint8_t *p, size_t n);
/* Take the answers that the program has sent, and note when it is gone. */
void gate_answers(struct gate *g);
void gate_disconnect(struct gate *g);

/* rkh.c */
void rkh_event(struct gate *g, const struct devtrace_event *e);
void rkh_name(struct gate *g, const struct gate_name *n);
void rkh_symbol(struct gate *g, const struct gate_symbol *s);
/* A host begins to listen: send the configuration before the first frame. */
void rkh_begin(struct gate *g);
/* Remove the symbols of one process. */
void rkh_forget(struct gate *g, uint32_t process);

uint64_t gate_now_ms(void);

/* The process of an event; the thread, if its process is not known yet. */
static inline uint32_t gate_process(const struct devtrace_event *e)
{
	return e->tgid ? e->tgid : e->tid;
}

/* Does the value fit in so many bytes? */
static inline bool gate_fits(uint64_t v, unsigned int bytes)
{
	return bytes >= 8 || !(v >> 8 * bytes);
}

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

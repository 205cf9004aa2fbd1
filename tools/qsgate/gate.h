/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - convert events to records of QS or RKH for a host, and pass the host's requests on
 *
 *	stream -> item.c -> record.c -> target.c (frames for QSPY)
 *				     -> front.c (datagrams for qutest.py; lines of common/qspy)
 *		         -> rkh.c    -> target.c (frames for Trazer)
 *	names  -> announce.c -> target.c (when its buffer has room)
 *	host -> target.c, front.c -> request.c -> libdevtrace-rx -> program
 *
 * Invariants
 * - The traced program never waits for a host. A frame that does not fit the buffer of a host is
 *   dropped and counted. It uses up a sequence number, so the host sees that a frame is missing.
 * - A request reaches the program only in the layout that QS defines for it.
 * - If the gate runs as root, it refuses requests that any user may have sent, because every
 *   program obeys root. Exceptions: the option --allow-requests, or a program that allows such
 *   requests with DEVTRACE_RX_ANYBODY.
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
#include "common/link.h"
#include "common/qspy.h"

/* limit of a record in bytes, without its numbers, check and escapes */
#define GATE_BYTES	2048
#define GATE_NAME_BYTES	128		/* of a name's record */
#define GATE_SYMBOLS	4096
#define GATE_FRONTS	4
/* number of other processes about which the result of gate_whose() is remembered */
#define GATE_KNOWN	64
/* size in bytes of the buffer for frames that the host has not read yet */
#define GATE_BUFFER	(256 * 1024)

/*
 * The gate acts as a target with this version and these sizes of fields, in bytes. Pointers are as
 * wide as on the machine that recorded the stream, GATE_PTR at most.
 */
#define GATE_VERSION	815
#define GATE_DATE	260715
#define GATE_OLD	734
enum { GATE_SIG = 4, GATE_PTR = 8, GATE_CTR = 4 };

/* A name of RKH that has a kind and may have an owner. @ts: time of the event that gave it last. */
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

/*
 * RKH's configuration record: its options, with the bits of common/rkh.h, and sizes of fields in
 * bytes.
 */
struct gate_rkh {
	uint32_t	flags;
	uint16_t	version, hz;
	uint8_t		time, sig, ptr, tick, nblk, ne, es, bsize, pools;
	/* by_program: the program has sent this configuration; false: the gate made it up */
	bool		by_program;
	bool		told;		/* the host has it */
};

struct target {
	struct link	link;
	const char	*where;
	bool		is_link;
	int		fd, listen;
	/* next_try: time in ms before which a listening socket accepts no host, or 0 */
	uint64_t	next_try;
	bool		rested;		/* a message has said that hosts wait */
	uint8_t		seq;
	uint8_t		*buf;
	size_t		len;		/* of GATE_BUFFER */
	uint64_t	dropped;
	/* failed: the file lacks frames, or the host did not get the end of the trace */
	bool		failed;
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

/*
 * Whose is a process? A namesake has the program's name, and may be another instance of it or its
 * successor.
 */
enum gate_whose { GATE_OTHERS, GATE_NAMESAKE, GATE_OURS };

struct gate_known {
	uint32_t	process;
	enum gate_whose	whose;
	uint64_t	until;		/* ms */
};

struct gate {
	struct devtrace_decoder *decoder;
	struct qspy_names names;
	struct gate_symbols symbols;
	struct gate_rkh	layout;		/* of frames, with --rkh */
	uint8_t		ptr;		/* bytes of a pointer in records */
	/*
	 * begun: the stream has begun, so @ptr is the width of pointers on the machine that
	 * recorded
	 */
	bool		begun;
	struct target	target;
	struct front	front;
	bool		rkh, echo, quiet, test;
	bool		allow, told_refusal;	/* requests of anybody, as root */
	bool		old;		/* --old: like a target before QP 8 */
	uint32_t	test_time;	/* --test: stamp of the last record */
	const char	*program;
	bool		by_name;
	/* the process that the gate follows, and the process that it followed before */
	pid_t		pid, before;
	/* effective user of the program; only a process of this user can be its successor */
	uid_t		user;
	bool		user_known;
	/* saved: the stream is a file, whose processes may have ended */
	bool		saved;
	/* by_stream: the stream shows which process the program is */
	bool		by_stream;
	/* mixed: if no program was named, the process that emitted a record last */
	uint32_t	mixed;
	bool		told_mixed;
	struct gate_known known[GATE_KNOWN];
	struct devtrace_rx_host *host;
	/* asked: the request that was passed on last; @waits: it was not answered yet */
	uint8_t		asked;
	bool		waits;
	uint64_t	records, others, missing, requests, refused;
};

/* record.c: replace the record's time stamp. Return false if the record has none. */
bool gate_stamp(struct qspy_record *r, uint32_t time);
/* Make an RX_STATUS record. */
void gate_status(struct qspy_record *r, uint8_t status, uint32_t time);
/* Encode the part of a record that follows its number. Return the number of bytes. */
size_t gate_bytes(const struct qspy_record *r, uint8_t *out);
/* Encode the record of a name. Return 0 if the name's key needs more bytes than a pointer. */
size_t gate_name_bytes(const struct qspy_name *n, uint8_t ptr, uint8_t *out);
size_t gate_target_info(bool reset, bool old, uint8_t ptr, uint8_t *out);

/*
 * item.c: gate_item() processes items of the decoder; gate_send() sends records made by the gate
 * itself.
 */
int gate_item(const struct devtrace_item *item, void *arg);
void gate_send(struct gate *g, const struct qspy_record *r);
/* Print a line. Control characters in it are escaped, because other programs chose its strings. */
void gate_print(const struct gate *g, const void *line, size_t n);
void gate_send_info(struct gate *g, bool reset);
void gate_error(struct gate *g, uint8_t code);
/* Send the names that the program has given so far to all hosts. */
void gate_tell_names(struct gate *g);
/*
 * Set the size of pointers, in bytes, when the stream begins, or when one of another machine
 * follows. Hosts that know another size are informed.
 */
void gate_set_pointer(struct gate *g, uint8_t bytes);
/* Note that this process emits records. If a second process does, report that once. */
void gate_note_process(struct gate *g, uint32_t process);

/* target.c */
/*
 * Open the file or port. Return 0, or 1 if that fails. If a host cannot be reached, the gate tries
 * again later. @input is the descriptor of the input, which must not be the same file.
 */
int target_open(struct gate *g, int input);
/*
 * Write waiting frames and names until the host reads no more, or until a signal. If frames
 * remain, print their number and set @failed.
 */
void target_close(struct gate *g, const volatile sig_atomic_t *stop);
/* Send the records that precede the first event: the target's description and all names. */
void target_greet(struct gate *g);
/* Queue a record of QS as a frame. Return false if the frame was dropped. */
bool target_qs(struct target *t, uint8_t record, const uint8_t *p, size_t n);
/* Queue an event as a frame of RKH. Return false if the frame was dropped. */
bool target_rkh(struct target *t, const struct gate_rkh *layout, uint8_t id, const uint8_t *p,
		size_t n);
/*
 * Queue RKH's configuration record, which has no sequence number. If @anew, a new stream begins,
 * and sequence numbers begin at 0 again.
 */
bool target_rkh_begin(struct target *t, const struct gate_rkh *layout, bool anew, uint8_t id,
		      const uint8_t *p, size_t n);
/* Is a host connected, and does the buffer have room for a name? */
bool target_has_room(const struct target *t);
/*
 * Return the events for which to wait with poll(2); then target_run() must be called. It also
 * tries again to connect.
 */
short target_events(const struct target *t, int *fd);
/* Must target_run() be called soon even if poll(2) reports nothing? */
bool target_waits(const struct target *t);
void target_run(struct gate *g, short events, uint64_t now);

/* front.c */
int front_open(struct front *f, const char *word, const char **problem);
void front_close(struct front *f);
void front_record(struct front *f, uint8_t record, const uint8_t *p, size_t n);
void front_text(struct front *f, uint8_t record, const char *line, size_t n);
void front_run(struct gate *g);

/*
 * announce.c: queue names for the host of --to while its buffer has room. Return true if some
 * names are left.
 */
bool gate_announce(struct gate *g);
/* Begin to send all names again, because the host has none yet. */
void gate_announce_all(struct gate *g);
/* Queue a name that the stream has just given. */
void gate_announce_name(struct gate *g, const struct qspy_name *n);
void gate_announce_symbol(struct gate *g, const struct gate_symbol *s);

/* whose.c: whose is this process? If it is the successor of the program, follow it from now on. */
enum gate_whose gate_whose(struct gate *g, uint32_t process);
/*
 * Does the process belong to the program's user? At the first call, its user becomes the
 * program's.
 */
bool gate_same_user(struct gate *g, pid_t pid);
/* Follow this process as the program from now on. */
void gate_follow(struct gate *g, pid_t pid);

/*
 * request.c: process a request of a host. @anybody: any user may have sent it, e.g. as a datagram.
 */
void gate_request(struct gate *g, bool anybody, uint8_t record, const uint8_t *p, size_t n);
/* Read the answers of the program. If the program has ended, note that. */
void gate_answers(struct gate *g);
void gate_disconnect(struct gate *g);

/* rkh.c */
void rkh_event(struct gate *g, const struct devtrace_event *e);
void rkh_name(struct gate *g, const struct qspy_name *n);
void rkh_symbol(struct gate *g, const struct gate_symbol *s);
/* A host was connected: send RKH's configuration before the first frame. */
void rkh_begin(struct gate *g);
/* Remove the symbols of one process. */
void rkh_forget(struct gate *g, uint32_t process);

uint64_t gate_now_ms(void);

static inline void gate_put(uint8_t **p, uint64_t v, unsigned int bytes)
{
	for (; bytes--; v >>= 8)
		*(*p)++ = (uint8_t)v;
}

#endif

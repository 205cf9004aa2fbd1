/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracelogger.h - save a trace stream in files
 */
#ifndef TRACELOGGER_H
#define TRACELOGGER_H

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "common/dial.h"
#include "common/link.h"
#include "devtrace-decode.h"

#define TL_NSEC		((int64_t)1000000000)
/* A file is closed while this many bytes still fit: for what was read, and not yet written. */
#define TL_RESERVE	(16 * 1024)
#define TL_SIZE_MIN	(64 * 1024)
#define TL_NOTES	16
#define TL_NOTE_LAST	"last-boot"
#define TL_HEAD_MAX	4096	/* bytes of flag and notes */

struct tl_options {
	const char	*device;
	const char	*file;		/* NULL: standard output, or a link */
	const char	*to, *listen;	/* links */
	const char	*spool;		/* a directory, while a peer is away */
	struct link	link;		/* that of to, or listen */
	int		served;		/* a peer that has connected, or -1 */
	uint64_t	size, limit;	/* bytes; limit 0: none */
	uint64_t	keep_free;	/* bytes */
	unsigned int	keep_percent;	/* if keep_free is 0 */
	int64_t		age;		/* ns; 0: any */
	int64_t		every;		/* ns */
	unsigned int	percent;	/* of the buffer of a CPU; 0: as events come */
	int		open_flags;
	mode_t		perm;
	bool		keep_open, once, json, quiet;
	bool		sync_always;
	int		sync_severity;	/* -1: none */
	int64_t		sync_every;	/* ns; 0: never */
	const char	*trigger;	/* a file each time that it fires */
	const char	*exec, *match;	/* a command, and for which events */
	int64_t		interval;	/* ns: at most one of either in that time */
	bool		zstd;
	bool		compact;
	int		zstd_level;
	const char	*last_boot;	/* its device, or NULL */
	const char	*notes[TL_NOTES + 1];	/* NAME=VALUE; one of our own */
	size_t		nr_notes;
};

/* Signals, and the next of those that came, or 0; stop stays. */
/* tl_stop: how many signals have come that end us. */
extern volatile sig_atomic_t tl_stop, tl_reopen, tl_save, tl_tell;
void tl_signals(sigset_t *waiting);
int tl_signalled(void);

void tl_options_parse(struct tl_options *opt, int argc, char **argv);

/* Names: strftime(3) sequences, and .N behind where a name is taken. */
#define TL_SUFFIX_MAX	24	/* bytes of .N, and of what a lock has more */

struct tl_name {
	char	dir[PATH_MAX];
	char	base[NAME_MAX + 1];	/* with its sequences */
	bool	periodic;		/* it changes by the day or hour: then a file ends */
};

/* 0, or -1 and why in *problem. */
int tl_name_parse(struct tl_name *n, const char *path, const char **problem);
/* Of now, without a suffix. */
void tl_name_make(const struct tl_name *n, char out[NAME_MAX + 1]);
bool tl_name_ours(const struct tl_name *n, const char *name);

/* The thread that syncs; nothing here waits for a disk. */
struct tl_sync;
struct tl_sync *tl_sync_new(int64_t every, int dirfd);
void tl_sync_file(struct tl_sync *s, int fd);	/* this is the file now; -1: none */
void tl_sync_written(struct tl_sync *s, bool now);
void tl_sync_dir(struct tl_sync *s);		/* a file came or went */
void tl_sync_close(struct tl_sync *s, int fd);	/* sync and close it */
/* How many syncs have failed since this was called before, and the error of the last; or 0. */
uint64_t tl_sync_errors(struct tl_sync *s, int *err);
void tl_sync_end(struct tl_sync *s);		/* when all is on the disk */
void tl_sync_free(struct tl_sync *s);		/* behind that */

/* zstd frames, one for each write. */
struct tl_zip;
extern const bool tl_zip_built;		/* is there libzstd? */

struct tl_zip *tl_zip_new(int level);
void tl_zip_free(struct tl_zip *z);
void tl_zip_reset(struct tl_zip *z);	/* forget a frame that is written in part */
/* How many of these bytes certainly fit; and the most that n can become. */
size_t tl_zip_fits(const struct tl_zip *z, uint64_t room, size_t want);
size_t tl_zip_bound(size_t n);
/* Bytes that were given, all of which are written; or -1. written: bytes of the file. */
ssize_t tl_zip_write(struct tl_zip *z, int fd, const uint8_t *p, size_t n, uint64_t *written);

/* A file of ours that is closed. */
struct tl_own {
	char		*name, *last;	/* last: the boot it is of, with --last-boot; or NULL */
	uint64_t	size, number;
	struct timespec	mtime;
	bool		stuck;		/* of the spool: it cannot be read, and stays */
};

struct tl_store {
	const struct tl_options *opt;
	struct tl_name	name;
	bool		linked;		/* a link in place of files */
	struct link	link;
	struct dial	*dial;		/* it connects; or NULL */
	int64_t		patience;	/* ns: wait so long for that here */
	int64_t		rested;		/* when the next peer may be tried */
	const sigset_t	*mask;		/* meanwhile */
	struct tl_sync	*sync;		/* NULL: nothing is synced */
	int		sync_err;	/* that was said; 0: it works */
	struct tl_zip	*zip;		/* NULL: as it is */
	int		dirfd, fd;
	bool		shared;		/* others may write into the directory */
	int		lock;		/* of the pattern, or -1 */
	char		current[NAME_MAX + 1];
	dev_t		dev;
	ino_t		ino;
	char		stem[NAME_MAX + 1];	/* of the current file, without a suffix */
	uint64_t	size, head, total, number;
	int64_t		begun;
	struct tl_own	*own;		/* oldest first */
	size_t		nr;
	uint64_t	bytes, files, removed, errors;
	uint64_t	gone;		/* bytes of files that others removed or cut meanwhile */
	bool		left;		/* a peer that had connected has gone */
	bool		told;		/* that this file is one of these */
	uint64_t	resent;		/* bytes that no peer had acknowledged when it went */
	uint64_t	unacked;	/* and when we went */
};

/* own.c: may others write there? */
bool tl_own_shares(int dirfd);
/*
 * A file of ours, without waiting; or a negative error number, for which tl_own_error() has
 * words. For a FIFO or socket that is what open(2) may say; for another owner it says no such.
 */
#define TL_NOT_REGULAR	ENXIO
#define TL_NOT_OURS	EBADFD
int tl_own_open(const struct tl_store *s, const char *name, int flags);
const char *tl_own_error(int err);
int tl_own_add(struct tl_store *s, const char *name, uint64_t size, uint64_t number,
	       struct timespec mtime);
/* All that are there, the oldest first. 0, or a negative error number. */
int tl_own_scan(struct tl_store *s);

int tl_store_init(struct tl_store *s, const struct tl_options *opt);
/* No other logger has this pattern: 0; -EBUSY if one has, or another error. */
int tl_store_lock(struct tl_store *s);
void tl_store_unlock(struct tl_store *s);
/* How many of these bytes may be written; old files go for them. */
uint64_t tl_store_room(struct tl_store *s, uint64_t want);
/* Bytes, or a negative error number. */
ssize_t tl_store_write(struct tl_store *s, const uint8_t *p, size_t n);
int tl_store_begin(struct tl_store *s);
void tl_store_end(struct tl_store *s);		/* of this file */
void tl_store_spoilt(struct tl_store *s);	/* an error: no more into this file */
bool tl_store_drop(struct tl_store *s);		/* the oldest file, if there is one */
bool tl_store_remove(struct tl_store *s, size_t i);
bool tl_store_full(const struct tl_store *s);	/* it is time for another file */
/* What stands between the directory and the name of a file, in messages. */
const char *tl_store_slash(const struct tl_store *s);
/* Somebody moved this file away, removed or cut it: nothing more is to be written into it. */
bool tl_store_left(const struct tl_store *s);
/*
 * The same of what was just written behind the first @size bytes: true if that is gone. These
 * bytes do not count any more.
 */
bool tl_store_took_away(struct tl_store *s, uint64_t size);
/* Errors of the thread that syncs are counted, and said once. */
void tl_store_synced(struct tl_store *s);
void tl_store_free(struct tl_store *s);

/*
 * A link. How many of the bytes that were written are perhaps not at the other end; whether
 * the peer has gone; write whole frames.
 */
int tl_peer_open(struct tl_store *s);
void tl_peer_close(struct tl_store *s);
size_t tl_peer_unsure(const struct tl_store *s);
bool tl_peer_gone(const struct tl_store *s);
/* Can it be told that a peer has gone, while nothing is written? Else poll(2) may always wake. */
bool tl_peer_tells(const struct tl_store *s);
ssize_t tl_peer_write(const struct tl_store *s, const uint8_t *p, size_t n);
/*
 * Take peers, each in a process of its own: there it returns the descriptor; a negative
 * error number else, -ECANCELED at SIGTERM.
 */
int tl_serve(struct tl_options *opt, const sigset_t *mask, int64_t ping);

/* Files in place of a link whose peer is away, and then to it, oldest first. */
struct tl_spool {
	struct tl_options opt;
	char		path[PATH_MAX];
	struct tl_store	files;		/* handed over to who writes */
	int		fd;		/* of the file that is being sent */
	uint64_t	number;
	char		name[NAME_MAX + 1];
	off_t		sent;		/* of its bytes */
	off_t		from;		/* where the part for this peer begins */
	off_t		told;		/* of what is before that: looked at */
	size_t		part;		/* bytes behind told that go to the peer */
};

enum tl_spool_next {
	TL_SPOOL_MORE,
	TL_SPOOL_SENT,		/* all that was written and can be read */
	TL_SPOOL_CLOSE,		/* the file that is being written cannot be read: end it */
	TL_SPOOL_BROKEN,	/* the peer has gone */
};

int tl_spool_init(struct tl_spool *p, const struct tl_options *opt);
/* Send a piece, of the file that is being written, too. */
enum tl_spool_next tl_spool_send(struct tl_spool *p, struct tl_store *files, struct tl_store *to);
/* Is the file that is being sent the one that is being written? */
bool tl_spool_current(const struct tl_spool *p, const struct tl_store *files);
/* Up to where it has certainly arrived: the beginning of a frame. */
off_t tl_spool_sure(const struct tl_spool *p, const struct tl_store *to);
/* All is sent: remove the file that is being written. */
void tl_spool_leave(struct tl_spool *p, struct tl_store *files);
/* How many files are left that cannot be read; forget which, and try them again. */
size_t tl_spool_stuck(const struct tl_store *files);
void tl_spool_retry(struct tl_store *files);
/* Keep how much of the file is sent, for the next run; and if the peer has gone. */
void tl_spool_keep(struct tl_spool *p, const struct tl_store *files, const struct tl_store *to);
void tl_spool_broken(struct tl_spool *p, const struct tl_store *files, struct tl_store *to);
void tl_spool_free(struct tl_spool *p, struct tl_store *files);

/* Messages in place of frames. */
#define TL_SYSLOG_MAX	4096	/* bytes of a message at most */

struct tl_syslog;
struct tl_syslog *tl_syslog_new(const struct tl_options *opt);
void tl_syslog_free(struct tl_syslog *s);
void tl_syslog_item(struct tl_syslog *s, const struct devtrace_decoder *d,
		    const struct devtrace_item *item);
/* How many bytes of messages there are; to, if it is not NULL, gets them. */
size_t tl_syslog_take(struct tl_syslog *s, uint8_t *to);
/* Where the last whole message of these ends; the first begins at p. */
size_t tl_syslog_edge(const uint8_t *p, size_t n);

/* Commands for events. */
struct tl_exec;

struct tl_exec_counts {
	uint64_t	matched, started, failed;
};

/* The words of --match; ends the program if they are wrong. */
void tl_exec_check(const char *expression);
struct tl_exec *tl_exec_new(const struct tl_options *opt);
void tl_exec_free(struct tl_exec *x);
/* The device that events come from, for processes that --match names by their ids. */
void tl_exec_device(struct tl_exec *x, int fd);
/* Events before that are old. */
void tl_exec_from(struct tl_exec *x, uint64_t ts);
void tl_exec_event(struct tl_exec *x, const struct devtrace_decoder *d,
		   const struct devtrace_event *ev);
const struct tl_exec_counts *tl_exec_counts(const struct tl_exec *x);

int64_t tl_now(void);				/* CLOCK_BOOTTIME, ns */

/* The state of tracelogger's reports. */
struct tl_report {
	bool	tty, shown;
	int64_t	last, blocked_at, blocked;
	int	err;
	const struct tl_exec_counts *exec;	/* or NULL */
};

void tl_notify(const char *state);		/* systemd, if it listens */
void tl_report_status(struct tl_report *r, const struct tl_store *s,
		      const struct devtrace_totals *t, const char *why);
void tl_report_progress(struct tl_report *r, const struct tl_store *s,
			const struct devtrace_totals *t);
/* The store cannot be written (err), or can again (0): reported once. */
void tl_report_blocked(struct tl_report *r, const struct tl_store *s, int err);

#endif

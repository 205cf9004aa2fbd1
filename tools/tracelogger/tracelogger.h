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
/*
 * A file ends when only this many bytes still fit. They are left for bytes that were read, but not
 * written.
 */
#define TL_RESERVE	(16 * 1024)
#define TL_SIZE_MIN	(64 * 1024)
#define TL_NOTES	16
#define TL_NOTE_LAST	"last-boot"
/* TL_HEAD_MAX: limit of the head of a file (flag and notes), in bytes */
#define TL_HEAD_MAX	4096

struct tl_encoder;

struct tl_options {
	const char	*device;
	const char	*file;		/* NULL: standard output, or a link */
	const char	*to, *listen;	/* links, as given */
	const char	*spool;		/* directory of the spool, or NULL */
	struct link	link;		/* parsed from @to or @listen */
	/* encoder: form of the records that @link gets, or NULL if it gets frames */
	const struct tl_encoder *encoder;
	/* descriptor of the peer that this process serves, or -1 */
	int		served;
	/* bytes of a file, and of all files; limit 0: none */
	uint64_t	size, limit;
	/* keep_free: free space to keep on the file system, in bytes; 0: keep_percent applies */
	uint64_t	keep_free;
	unsigned int	keep_percent;	/* % of the file system */
	int64_t		age;		/* --age, ns; 0: unlimited */
	int64_t		every;		/* --time, ns */
	/* percent: save when a CPU's buffer is filled to this part, in % */
	unsigned int	percent;
	int		open_flags;
	mode_t		perm;
	bool		keep_open, once, json, quiet;
	bool		sync_always;
	/* sync_severity: sync after an event of this severity or above; -1: never */
	int		sync_severity;
	int64_t		sync_every;	/* ns; 0: never */
	/* enterprise: private enterprise number in syslog messages; 0: none */
	uint32_t	enterprise;
	const char	*cacert;	/* file with certificates of authorities, or NULL */
	const char	*trigger;	/* name of the trigger, or NULL */
	const char	*exec, *match;	/* command, and expression that selects its events */
	int64_t		interval;	/* shortest between two commands or files, ns */
	bool		zstd;
	bool		compact;
	int		zstd_level;
	/* last_boot: path of the device that has the previous boot, or NULL */
	const char	*last_boot;
	/* Notes of the form NAME=VALUE. The last element is reserved for TL_NOTE_LAST. */
	const char	*notes[TL_NOTES + 1];
	size_t		nr_notes;
};

/*
 * tl_stop counts the signals that end the program; the other three are flags, set by one signal
 * each. tl_signalled() returns a signal whose flag is set, and clears the flag, or returns 0. It
 * never clears tl_stop.
 */
extern volatile sig_atomic_t tl_stop, tl_reopen, tl_save, tl_tell;
void tl_signals(sigset_t *waiting);
int tl_signalled(void);

void tl_options_parse(struct tl_options *opt, int argc, char **argv);

/*
 * The names of files are made from a pattern with strftime(3) sequences. If a name exists already,
 * it gets a suffix .N.
 */
/* limit, in bytes, of the suffix .N, and of what is added to name the lock file */
#define TL_SUFFIX_MAX	24

struct tl_name {
	char	dir[PATH_MAX];
	char	base[NAME_MAX + 1];	/* with sequences */
	bool	periodic;		/* the name changes by day or hour */
};

/* Parse a pattern. Return 0, or -1 and the reason in *@problem. */
int tl_name_parse(struct tl_name *n, const char *path, const char **problem);
/* Make the name for the current time, without a suffix. */
void tl_name_make(const struct tl_name *n, char out[NAME_MAX + 1]);
bool tl_name_ours(const struct tl_name *n, const char *name);

/* The thread that syncs files. Only tl_sync_end() waits for it. */
struct tl_sync;
struct tl_sync *tl_sync_new(int64_t every, int dirfd);
void tl_sync_file(struct tl_sync *s, int fd);	/* the current file; -1: none */
void tl_sync_written(struct tl_sync *s, bool now);
void tl_sync_dir(struct tl_sync *s);		/* a file was made or removed */
void tl_sync_close(struct tl_sync *s, int fd);	/* sync and close this file */
/*
 * Return how many syncs have failed since the last call. Set *@err to the error of the last sync,
 * or 0.
 */
uint64_t tl_sync_errors(struct tl_sync *s, int *err);
void tl_sync_end(struct tl_sync *s);		/* wait until all is synced */
void tl_sync_free(struct tl_sync *s);		/* after tl_sync_end() */

/* Compression with zstd: each write becomes one zstd frame. */
struct tl_zip;
extern const bool tl_zip_built;		/* built with libzstd */

struct tl_zip *tl_zip_new(int level);
void tl_zip_free(struct tl_zip *z);
void tl_zip_reset(struct tl_zip *z);	/* forget a partly written frame */
/*
 * tl_zip_fits(): how many of @want bytes can be compressed such that the frame fits into @room.
 * tl_zip_bound(): the largest size of a frame for @n bytes.
 */
size_t tl_zip_fits(const struct tl_zip *z, uint64_t room, size_t want);
size_t tl_zip_bound(size_t n);
/*
 * Write one zstd frame. Return @n when the whole frame is written, or -1. Add the number of bytes
 * written to the file to *@written.
 */
ssize_t tl_zip_write(struct tl_zip *z, int fd, const uint8_t *p, size_t n, uint64_t *written);

/* A closed file of ours. */
struct tl_own {
	/* @name; @last: value of the file's note TL_NOTE_LAST, or NULL */
	char		*name, *last;
	uint64_t	size, number;
	struct timespec	mtime;
	/* stuck: the file is in the spool, cannot be read, and is skipped */
	bool		stuck;
};

struct tl_store {
	const struct tl_options *opt;
	struct tl_name	name;
	bool		linked;		/* a link in place of files */
	struct link	link;
	struct dial	*dial;		/* connection in progress, or NULL */
	/* upload: converts frames to requests for this link, or NULL */
	struct tl_upload	*upload;
	/* context: what the head of a file tells a restarted logger about @upload, or NULL */
	const struct tl_upload *context;
	int64_t		patience;	/* longest wait for the connection, ns */
	/* rested: time before which the next peer must not be tried, in ns */
	int64_t		rested;
	const sigset_t	*mask;		/* signal mask during that wait */
	struct tl_sync	*sync;		/* NULL: nothing is synced */
	/* sync_err: the last sync error that was reported; 0: none */
	int		sync_err;
	struct tl_zip	*zip;		/* NULL: no compression */
	int		dirfd, fd;
	bool		shared;		/* others may write into the directory */
	int		lock;		/* descriptor of the lock, or -1 */
	char		current[NAME_MAX + 1];
	dev_t		dev;
	ino_t		ino;
	/* stem: name of the current file without a suffix */
	char		stem[NAME_MAX + 1];
	uint64_t	size, head, total, number;
	int64_t		begun;
	struct tl_own	*own;		/* closed files, oldest first */
	size_t		nr;
	uint64_t	bytes, files, removed, errors;
	/* gone: bytes in files that users removed or cut */
	uint64_t	gone;
	/* left: the peer that had connected to us has disconnected */
	bool		left;
	bool		told;		/* the current file is counted in @gone */
	uint64_t	resent;		/* bytes sent again, not acknowledged before */
	/* unacked: bytes that were not acknowledged at the end of the program */
	uint64_t	unacked;
};

/* own.c: may other users write into this directory? */
bool tl_own_shares(int dirfd);
/*
 * Open one of our files without blocking. Return a descriptor or a negative error number, for
 * which tl_own_error() returns a text. open(2) itself returns ENXIO for a FIFO or a socket.
 */
#define TL_NOT_REGULAR	ENXIO
#define TL_NOT_OURS	EBADFD
#define TL_LINKED	EMLINK
int tl_own_open(const struct tl_store *s, const char *name, int flags);
const char *tl_own_error(int err);
/* Is it an error of a file that is not used, though it could be opened? */
static inline bool tl_own_is_refused(int err)
{
	return err == -TL_NOT_REGULAR || err == -TL_NOT_OURS || err == -TL_LINKED;
}

int tl_own_add(struct tl_store *s, const char *name, uint64_t size, uint64_t number,
	       struct timespec mtime);
/* Find all our files and sort them, oldest first. Return 0 or a negative error number. */
int tl_own_scan(struct tl_store *s);

int tl_store_init(struct tl_store *s, const struct tl_options *opt);
/*
 * Take the lock of the pattern. Return 0, -EBUSY if another logger holds it, or another negative
 * error number.
 */
int tl_store_lock(struct tl_store *s);
void tl_store_unlock(struct tl_store *s);
/*
 * Return how many of @want bytes may be written now. If necessary and possible, old files are
 * removed to make room.
 */
uint64_t tl_store_room(struct tl_store *s, uint64_t want);
/*
 * Write to the current file or link. Return the number of bytes written or a negative error
 * number.
 */
ssize_t tl_store_write(struct tl_store *s, const uint8_t *p, size_t n);
int tl_store_begin(struct tl_store *s);
void tl_store_end(struct tl_store *s);		/* end the current file */
/* After an error, write no more bytes into this file. */
void tl_store_spoilt(struct tl_store *s);
/* Remove the oldest file. Return false if there is none. */
bool tl_store_drop(struct tl_store *s);
bool tl_store_remove(struct tl_store *s, size_t i);
bool tl_store_full(const struct tl_store *s);	/* it is time for another file */
/* Return "/" if messages need it between directory and name, otherwise "". */
const char *tl_store_slash(const struct tl_store *s);
/* Did a user move, remove or cut the current file? If so, nothing more may be written into it. */
bool tl_store_left(const struct tl_store *s);
/*
 * Check the same after a write that began at offset @size. If the result is true, the written
 * bytes are gone, and are not counted.
 */
bool tl_store_took_away(struct tl_store *s, uint64_t size);
/* Fetch the errors of the thread that syncs: count them, and report the first. */
void tl_store_synced(struct tl_store *s);
void tl_store_free(struct tl_store *s);

/*
 * Links. tl_peer_unsure() returns the number of bytes that were sent and may not have arrived.
 * tl_peer_gone(): has the peer disconnected? tl_peer_write() writes @n bytes of whole frames.
 * tl_peer_push() sends what the link has collected; it returns 0 or a negative error number.
 */
int tl_peer_open(struct tl_store *s);
void tl_peer_close(struct tl_store *s);
size_t tl_peer_unsure(const struct tl_store *s);
bool tl_peer_gone(const struct tl_store *s);
/*
 * Can a disconnection of the peer be noticed without a write? On other kinds of links, poll(2) may
 * report one all the time.
 */
bool tl_peer_tells(const struct tl_store *s);
/* The events of poll(2) to wait for on the link; @writing: until it accepts bytes, too. */
short tl_peer_events(const struct tl_store *s, bool writing);
/* After the link was closed: may it be opened again at once? */
bool tl_peer_again(const struct tl_store *s);
int tl_peer_push(struct tl_store *s);
/* Shorten a wait for the link, in ns (< 0: forever), to what tl_upload_nap() allows. */
int64_t tl_peer_nap(const struct tl_store *s, int64_t ns);
ssize_t tl_peer_write(const struct tl_store *s, const uint8_t *p, size_t n);
/*
 * Accept peers, and fork a process for each. The new process returns the peer's descriptor. The
 * process that listens returns a negative error number at the end, -ECANCELED after SIGTERM.
 */
int tl_serve(struct tl_options *opt, const sigset_t *mask, int64_t ping);

/*
 * The spool: while the peer of a link is away, events are written to files. Later these are sent,
 * oldest first.
 */
struct tl_spool {
	struct tl_options opt;
	char		path[PATH_MAX];
	/* files: the spool's files, until they are moved to @store or @other of struct tl_run */
	struct tl_store	files;
	/* fd: descriptor of the file that is being sent, or -1 */
	int		fd;
	uint64_t	number;
	char		name[NAME_MAX + 1];
	off_t		sent;		/* bytes of that file that were sent */
	/* from: offset in the file at which the part for this peer begins */
	off_t		from;
	/* told: offset up to which the context before @from has been sent */
	off_t		told;
	/* part: bytes of context after @told that are still to be sent */
	size_t		part;
};

enum tl_spool_next {
	TL_SPOOL_MORE,
	TL_SPOOL_SENT,		/* everything readable is sent */
	/* the file that is being written cannot be read: end it */
	TL_SPOOL_CLOSE,
	TL_SPOOL_BROKEN,	/* the peer has gone */
};

int tl_spool_init(struct tl_spool *p, const struct tl_options *opt);
/* Send a piece of the spool. The file that is being written is sent, too. */
enum tl_spool_next tl_spool_send(struct tl_spool *p, struct tl_store *files, struct tl_store *to);
/* Is the file that is being sent also the one that is being written? */
bool tl_spool_current(const struct tl_spool *p, const struct tl_store *files);
/* Return the offset of the beginning of a frame, up to which the file has certainly arrived. */
off_t tl_spool_sure(const struct tl_spool *p, const struct tl_store *to);
/* Everything was sent: remove the current file. */
void tl_spool_leave(struct tl_spool *p, struct tl_store *files);
/*
 * tl_spool_stuck() returns the number of files that cannot be read. tl_spool_retry() tries them
 * again.
 */
size_t tl_spool_stuck(const struct tl_store *files);
void tl_spool_retry(struct tl_store *files);
/*
 * tl_spool_keep() stores the position in the file, for a restarted logger. tl_spool_broken() must
 * be called when the peer has disconnected.
 */
void tl_spool_keep(struct tl_spool *p, const struct tl_store *files, const struct tl_store *to);
void tl_spool_broken(struct tl_spool *p, const struct tl_store *files, struct tl_store *to);
void tl_spool_free(struct tl_spool *p, struct tl_store *files);

/*
 * Records, in requests over HTTP or as messages of syslog (upload.c). A function that returns -1
 * sets errno: the link must be closed, and may be opened again after tl_upload_rest() ns.
 * tl_upload_why() returns the reason in words, or NULL.
 */
struct tl_upload;

struct tl_upload_counts {
	/* records: that the receiver accepted; refused: requests that it asked to send again */
	uint64_t	requests, records, rejected, refused;
};

struct tl_upload *tl_upload_new(const struct tl_options *opt);
void tl_upload_free(struct tl_upload *o);
/* Set the device that translates the process IDs in --match. */
void tl_upload_device(struct tl_upload *o, int fd);
/*
 * Keep what the receiver was told about losses in the directory of @files, for a restarted logger;
 * @files must stay.
 */
void tl_upload_keep(struct tl_upload *o, const struct tl_store *files);
/* Accept whole frames. Return how many bytes, or -1; EAGAIN: a request is on its way. */
ssize_t tl_upload_write(struct tl_upload *o, int fd, const uint8_t *p, size_t n);
/* Take frames only for the names, the clock and the boot id that they have. */
void tl_upload_tell(struct tl_upload *o, const uint8_t *p, size_t n);
/* Begin to send a request with the records of all frames so far. Return 0 or -1. */
int tl_upload_push(struct tl_upload *o, int fd);
/* Send and receive without waiting. Return 0 or -1. */
int tl_upload_drive(struct tl_upload *o, int fd);
short tl_upload_events(const struct tl_upload *o, bool writing);
/* How long poll(2) may wait before tl_upload_drive() is called in any case, in ns. */
int64_t tl_upload_nap(const struct tl_upload *o);
size_t tl_upload_unsure(const struct tl_upload *o);
/* The link was closed; it will get the unsure frames again. */
void tl_upload_closed(struct tl_upload *o);
/* The link could not be opened. */
void tl_upload_failed(struct tl_upload *o);
/*
 * Return the time until the logger's turn to send, in ns; or -1 if --time is too short for turns.
 */
int64_t tl_upload_turn(struct tl_upload *o);
/* The first request should wait for tl_upload_rest() ns. Return true only once. */
bool tl_upload_spread(struct tl_upload *o);
int64_t tl_upload_rest(const struct tl_upload *o);
const char *tl_upload_why(const struct tl_upload *o);
const struct tl_upload_counts *tl_upload_counts(const struct tl_upload *o);
/*
 * Write notes "NAME=VALUE" that have the boot id, the stream and a time. Return their number. A
 * file of the spool begins with them, because its first frames may precede the announcement.
 */
#define TL_UPLOAD_NOTES		2
#define TL_UPLOAD_NOTE_MAX	160
#define TL_UPLOAD_NOTE_BOOT	"otlp-boot"
#define TL_UPLOAD_NOTE_TIME	"otlp-time"
size_t tl_upload_notes(const struct tl_upload *o, char out[TL_UPLOAD_NOTES][TL_UPLOAD_NOTE_MAX]);

/* Commands for events (exec.c). */
struct tl_exec;

struct tl_exec_counts {
	uint64_t	matched, started, failed;
};

/* Check --match; an error ends the program. */
void tl_exec_check(const char *expression);
struct tl_exec *tl_exec_new(const struct tl_options *opt);
void tl_exec_free(struct tl_exec *x);
/* Set the device that translates the process IDs in --match. */
void tl_exec_device(struct tl_exec *x, int fd);
/* Events older than @ts are ignored. */
void tl_exec_from(struct tl_exec *x, uint64_t ts);
void tl_exec_event(struct tl_exec *x, const struct devtrace_decoder *d,
		   const struct devtrace_event *ev);
const struct tl_exec_counts *tl_exec_counts(const struct tl_exec *x);

int64_t tl_now(void);				/* CLOCK_BOOTTIME, ns */
int64_t tl_real(void);				/* CLOCK_REALTIME, ns */

/* The state of reports to the user: the progress line, and how long there was no room. */
struct tl_report {
	bool	tty, shown;
	int64_t	last, blocked_at, blocked;
	int	err;
	const struct tl_exec_counts *exec;	/* or NULL */
	const struct tl_upload_counts *upload;	/* or NULL */
};

void tl_notify(const char *state);		/* to systemd, if it listens */
void tl_report_status(struct tl_report *r, const struct tl_store *s,
		      const struct devtrace_totals *t, const char *why);
void tl_report_progress(struct tl_report *r, const struct tl_store *s,
			const struct devtrace_totals *t);
/*
 * Report, once, that the store cannot be written because of @err. If @err is 0, report that it can
 * be written again.
 */
void tl_report_blocked(struct tl_report *r, const struct tl_store *s, int err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracelogger.h - save a trace stream in files
 */
#ifndef TRACELOGGER_H
#define TRACELOGGER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "devtrace-decode.h"

#define TL_NSEC		((int64_t)1000000000)
/* A file is closed while this many bytes still fit: for what was read, and not yet written. */
#define TL_RESERVE	(16 * 1024)
#define TL_SIZE_MIN	(64 * 1024)
#define TL_NOTES	16
#define TL_HEAD_MAX	4096	/* bytes of flag and notes */

struct tl_options {
	const char	*device;
	const char	*file;		/* NULL: standard output */
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
	const char	*notes[TL_NOTES];	/* NAME=VALUE */
	size_t		nr_notes;
};

void tl_options_parse(struct tl_options *opt, int argc, char **argv);

/* Names: strftime(3) sequences, and .N behind where a name is taken. */
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
void tl_sync_free(struct tl_sync *s);		/* when all is on the disk */

/* A file of ours that is closed. */
struct tl_own {
	char		*name;
	uint64_t	size, number;
	struct timespec	mtime;
};

struct tl_store {
	const struct tl_options *opt;
	struct tl_name	name;
	struct tl_sync	*sync;		/* NULL: nothing is synced */
	int		dirfd, fd;
	char		current[NAME_MAX + 1];
	dev_t		dev;
	ino_t		ino;
	char		stem[NAME_MAX + 1];	/* of the current file, without a suffix */
	uint64_t	size, head, total, number;
	int64_t		begun;
	struct tl_own	*own;		/* oldest first */
	size_t		nr;
	uint64_t	bytes, files, removed, errors;
};

int tl_store_init(struct tl_store *s, const struct tl_options *opt);
/* How many of these bytes may be written; old files go for them. */
uint64_t tl_store_room(struct tl_store *s, uint64_t want);
/* Bytes, or a negative error number. */
ssize_t tl_store_write(struct tl_store *s, const uint8_t *p, size_t n);
int tl_store_begin(struct tl_store *s);
void tl_store_end(struct tl_store *s);		/* of this file */
void tl_store_spoilt(struct tl_store *s);	/* an error: no more into this file */
bool tl_store_full(const struct tl_store *s);	/* it is time for another file */
void tl_store_free(struct tl_store *s);

int64_t tl_now(void);				/* CLOCK_BOOTTIME, ns */

/* What it says of itself. */
struct tl_report {
	bool	tty, shown;
	int64_t	last, blocked_at, blocked;
	int	err;
};

void tl_notify(const char *state);		/* systemd, if it listens */
void tl_report_status(struct tl_report *r, const struct tl_store *s,
		      const struct devtrace_totals *t, const char *why);
void tl_report_progress(struct tl_report *r, const struct tl_store *s,
			const struct devtrace_totals *t);
/* It cannot be written (err), or can again (0): says so once. */
void tl_report_blocked(struct tl_report *r, const struct tl_store *s, int err);

#endif

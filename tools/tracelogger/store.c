// SPDX-License-Identifier: GPL-2.0-only
/*
 * store.c - write files within their limits
 *
 * Invariants
 * - Before bytes are written, room is made for them: all our files together stay below --limit,
 *   and the file system's free space above --keep-free. To make room the oldest files are removed,
 *   but never the current one.
 * - Only our files (own.c) are counted and removed.
 * - No byte is written into a file that a user moved, removed or cut. This is checked before and
 *   after each write. Bytes that were lost with the file are reported.
 * - A file begins with a flag, which ends a frame cut in the file before. Notes follow: the file's
 *   number, which shows the order even if the clock is wrong, the accuracy of the clock, and the
 *   user's attributes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "common/accuracy.h"
#include "tracelogger.h"

#define NAMES_TRIED	100000
/* Number of blocks that a file system may need in addition to the data. */
#define SPARE_BLOCKS	4
/* Time to wait after the link broke before connecting again. */
#define REST		(TL_NSEC * 9 / 10)

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * TL_NSEC + t.tv_nsec;
}

int64_t tl_now(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

int64_t tl_real(void)
{
	return clock_ns(CLOCK_REALTIME);
}

int tl_store_init(struct tl_store *s, const struct tl_options *opt)
{
	const char *problem;
	int err;

	memset(s, 0, sizeof(*s));
	s->opt = opt;
	s->fd = -1;
	s->dirfd = -1;
	s->lock = -1;
	s->link = opt->link;
	s->linked = opt->to || opt->served >= 0;
	if (s->linked) {
		snprintf(s->name.dir, sizeof(s->name.dir), "%s", opt->to ? opt->to : "peer");
		return 0;
	}
	if (!opt->file) {
		strcpy(s->name.dir, "standard output");
		return 0;
	}
	if (tl_name_parse(&s->name, opt->file, &problem))
		return -EINVAL;
	s->dirfd = open(s->name.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dirfd < 0)
		return -errno;
	s->shared = tl_own_shares(s->dirfd);
	/* If the disk is full, the lock is taken later, when the first file is made. */
	err = tl_store_lock(s);
	if (err == -EBUSY || err == -EACCES || tl_own_is_refused(err))
		return err;
	if (opt->zstd) {
		s->zip = tl_zip_new(opt->zstd_level);
		if (!s->zip)
			return -ENOMEM;
	}
	if (opt->sync_always || opt->sync_every || opt->sync_severity >= 0) {
		s->sync = tl_sync_new(opt->sync_every, s->dirfd);
		if (!s->sync)
			return -ENOMEM;
	}
	return tl_own_scan(s);
}

bool tl_store_remove(struct tl_store *s, size_t i)
{
	struct tl_own *own = s->own + i;

	if (i >= s->nr || (unlinkat(s->dirfd, own->name, 0) && errno != ENOENT))
		return false;
	s->total -= own->size;
	s->removed++;
	free(own->name);
	free(own->last);
	memmove(own, own + 1, (--s->nr - i) * sizeof(*own));
	if (s->sync)
		tl_sync_dir(s->sync);
	return true;
}

bool tl_store_drop(struct tl_store *s)
{
	return tl_store_remove(s, 0);
}

static uint64_t room_now(const struct tl_store *s)
{
	uint64_t room = UINT64_MAX, keep = s->opt->keep_free, block, have;
	struct statvfs v;

	if (s->opt->limit)
		room = s->opt->limit > s->total ? s->opt->limit - s->total : 0;
	if (fstatvfs(s->dirfd, &v))
		return room;
	if (!keep)
		keep = (uint64_t)v.f_blocks * v.f_frsize / 100 * s->opt->keep_percent;
	if (!keep)
		return room;
	block = v.f_frsize;
	have = (uint64_t)v.f_bavail * block;
	keep += SPARE_BLOCKS * block;
	have = have > keep ? have - keep : 0;
	return have < room ? have : room;
}

uint64_t tl_store_room(struct tl_store *s, uint64_t want)
{
	uint64_t room;

	if (!s->opt->file)
		return UINT64_MAX;
	while ((room = room_now(s)) < want)
		if (!tl_store_drop(s))
			break;
	return room;
}

static size_t put_note(uint8_t *out, size_t size, const char *name, size_t len, const char *value)
{
	uint8_t body[TL_HEAD_MAX] = { DEVTRACE_EMPTY_NOTE };
	size_t n = sizeof(struct devtrace_wire_note), rest = strlen(value) + 1;

	if (n + len + 1 + rest > sizeof(body))
		return 0;
	memcpy(body + n, name, len);
	n += len + 1;
	memcpy(body + n, value, rest);
	return devtrace_frame_encode(out, size, DEVTRACE_CHECK_CRC32, 0, DEVTRACE_T_EMPTY, body,
				     n + rest, true);
}

/* Describe how accurate the wall clock is now, for users who merge files of several boards. */
static void clock_words(char *out, size_t size)
{
	struct devtrace_accuracy a;

	if (accuracy_read(&a))
		*out = 0;
	else if (accuracy_unsync(&a))
		snprintf(out, size, "not synchronized");
	else
		snprintf(out, size, "exact to %llu us", (unsigned long long)a.max / 1000);
}

/* @note is NAME=VALUE. */
static size_t put_attribute(uint8_t *out, size_t size, const char *note)
{
	const char *value = strchr(note, '=');

	return put_note(out, size, note, (size_t)(value - note), value + 1);
}

static size_t make_head(const struct tl_store *s, uint8_t out[TL_HEAD_MAX])
{
	char number[24], clock[48], notes[TL_UPLOAD_NOTES][TL_UPLOAD_NOTE_MAX];
	size_t n = 1, i, nr;

	out[0] = DEVTRACE_FLAG;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)s->number);
	n += put_note(out + n, TL_HEAD_MAX - n, DEVTRACE_NOTE_FILE, strlen(DEVTRACE_NOTE_FILE),
		      number);
	clock_words(clock, sizeof(clock));
	if (*clock)
		n += put_note(out + n, TL_HEAD_MAX - n, DEVTRACE_NOTE_CLOCK,
			      strlen(DEVTRACE_NOTE_CLOCK), clock);
	for (i = 0; i < s->opt->nr_notes; i++)
		n += put_attribute(out + n, TL_HEAD_MAX - n, s->opt->notes[i]);
	nr = s->context ? tl_upload_notes(s->context, notes) : 0;
	for (i = 0; i < nr; i++)
		n += put_attribute(out + n, TL_HEAD_MAX - n, notes[i]);
	return n;
}

/* Does one of our files have the current name, with or without a suffix? */
static bool taken(const struct tl_store *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strncmp(s->own[i].name, s->stem, strlen(s->stem)))
			return true;
	return false;
}

static void add_suffix(struct tl_store *s, uint64_t n)
{
	snprintf(s->current, sizeof(s->current), "%.*s.%06llu", NAME_MAX - TL_SUFFIX_MAX, s->stem,
		 (unsigned long long)n);
}

static int open_new(struct tl_store *s)
{
	const int flags = O_WRONLY | O_CREAT | O_APPEND | O_EXCL | O_CLOEXEC | O_NOFOLLOW |
			  s->opt->open_flags;
	uint64_t suffix = s->number;
	int err = tl_store_lock(s);
	struct stat st;

	if (err)
		return err;

	tl_name_make(&s->name, s->stem);
	if (taken(s))
		add_suffix(s, suffix++);
	else
		strcpy(s->current, s->stem);
	for (;;) {
		s->fd = openat(s->dirfd, s->current, flags, s->opt->perm);
		if (s->fd >= 0 || errno != EEXIST || suffix > s->number + NAMES_TRIED)
			break;
		add_suffix(s, suffix++);
	}
	if (s->fd < 0)
		return -errno;
	if (!fstat(s->fd, &st)) {
		s->dev = st.st_dev;
		s->ino = st.st_ino;
	}
	return 0;
}

int tl_store_begin(struct tl_store *s)
{
	uint8_t head[TL_HEAD_MAX];
	size_t n, most;
	ssize_t done;
	int err;

	s->number++;
	n = s->linked && s->upload ? 0 : make_head(s, head);
	most = s->zip ? tl_zip_bound(n) : n;
	err = tl_store_room(s, most) < most ? -ENOSPC : 0;
	if (!err && s->opt->file)
		err = open_new(s);
	else if (!err)
		s->fd = s->linked ? tl_peer_open(s) : STDOUT_FILENO;
	if (s->linked && s->fd < 0)
		err = s->fd;
	if (err) {
		s->number--;
		s->fd = -1;
		return err;
	}
	s->size = 0;
	s->told = false;
	s->head = most;
	if (s->zip)
		tl_zip_reset(s->zip);
	s->begun = tl_now();
	s->files++;
	if (s->sync) {
		tl_sync_file(s->sync, s->fd);
		tl_sync_dir(s->sync);
	}
	/* If only a part of the head was written, the bytes after it could not be decoded. */
	done = tl_store_write(s, head, n);
	if (done == (ssize_t)n) {
		s->head = s->size;
		return 0;
	}
	tl_store_spoilt(s);
	return done < 0 ? (int)done : -ENOSPC;
}

ssize_t tl_store_write(struct tl_store *s, const uint8_t *p, size_t n)
{
	uint64_t written = 0;
	ssize_t done;

	if (s->zip)
		done = tl_zip_write(s->zip, s->fd, p, n, &written);
	else
		done = s->linked ? tl_peer_write(s, p, n) : write(s->fd, p, n);
	if (!s->zip && done > 0)
		written = (uint64_t)done;
	s->size += written;
	s->total += written;
	s->bytes += written;
	return done < 0 ? -errno : done;
}

const char *tl_store_slash(const struct tl_store *s)
{
	const size_t n = strlen(s->name.dir);

	return n && s->name.dir[n - 1] == '/' ? "" : "/";
}

/* Was the current file moved or removed? */
static bool is_moved(const struct tl_store *s)
{
	struct stat st;

	return fstatat(s->dirfd, s->current, &st, AT_SYMLINK_NOFOLLOW) ||
	       st.st_dev != s->dev || st.st_ino != s->ino;
}

/*
 * Return how many of the first @size bytes are gone: all of them if the file was removed, or those
 * after the new end if it was cut.
 */
static uint64_t bytes_gone(const struct tl_store *s, uint64_t size)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return 0;
	if (!st.st_nlink)
		return size;
	return (uint64_t)st.st_size < size ? size - (uint64_t)st.st_size : 0;
}

static void tell_gone(struct tl_store *s, uint64_t n)
{
	/* A file that only has a head has no events to report. */
	if (!n || s->told || s->size <= s->head)
		return;
	s->told = true;
	s->gone += n;
	fprintf(stderr, "tracelogger: %s%s%s: a user %s this file while it was written; %llu bytes are lost unless they were copied before\n",
		s->name.dir, tl_store_slash(s), s->current, is_moved(s) ? "removed" : "cut",
		(unsigned long long)n);
}

bool tl_store_left(const struct tl_store *s)
{
	return s->fd >= 0 && s->opt->file && !s->opt->keep_open &&
	       (is_moved(s) || bytes_gone(s, s->size));
}

bool tl_store_took_away(struct tl_store *s, uint64_t size)
{
	if (s->fd < 0 || !s->opt->file || s->opt->keep_open || !bytes_gone(s, s->size))
		return false;
	s->total -= s->size - size;
	s->bytes -= s->size - size;
	s->size = size;
	return true;
}

void tl_store_end(struct tl_store *s)
{
	struct timespec now = { 0 };
	uint64_t lost;
	bool gone;

	/* A link stays open. After the announcement, its age is counted anew. */
	s->begun = tl_now();
	if (s->fd < 0 || !s->opt->file)
		return;
	gone = is_moved(s);
	lost = bytes_gone(s, s->size);
	tell_gone(s, lost);
	/* The part of a cut file that is left still counts for the limit. */
	if (!gone) {
		s->total -= lost;
		s->size -= lost;
	}
	if (s->sync)
		tl_sync_close(s->sync, s->fd);
	else
		close(s->fd);
	s->fd = -1;
	clock_gettime(CLOCK_REALTIME, &now);
	if (gone || tl_own_add(s, s->current, s->size, s->number, now))
		s->total -= s->size;
}

void tl_store_spoilt(struct tl_store *s)
{
	/* A peer that connected to us may disconnect at any time; this is not an error. */
	s->left = s->opt->served >= 0;
	s->errors += !s->left;
	if (s->linked) {
		tl_peer_close(s);
		s->rested = tl_now() + (s->upload ? tl_upload_rest(s->upload) : REST);
	}
	if (s->fd < 0 || !s->opt->file)
		return;
	if (s->size > s->head) {
		tl_store_end(s);
		return;
	}
	/*
	 * Remove the file, which has no events. Otherwise a failing disk would fill with such
	 * files.
	 */
	unlinkat(s->dirfd, s->current, 0);
	if (s->sync)
		tl_sync_file(s->sync, -1);
	close(s->fd);
	s->fd = -1;
	s->total -= s->size;
	s->files--;
	s->number--;
}

bool tl_store_full(const struct tl_store *s)
{
	char name[NAME_MAX + 1];

	if (s->fd >= 0 && s->linked)
		return s->opt->age && tl_now() - s->begun >= s->opt->age;
	if (s->fd < 0 || !s->opt->file)
		return false;
	if (s->size + TL_RESERVE + TL_HEAD_MAX > s->opt->size ||
	    (s->opt->age && tl_now() - s->begun >= s->opt->age) || tl_store_left(s))
		return true;
	if (!s->name.periodic)
		return false;
	tl_name_make(&s->name, name);
	return strcmp(name, s->stem) != 0;
}

void tl_store_synced(struct tl_store *s)
{
	uint64_t n;
	int err;

	if (!s->sync)
		return;
	n = tl_sync_errors(s->sync, &err);
	s->errors += n;
	if (n && !s->sync_err)
		fprintf(stderr, "tracelogger: %s: %s; written events may not be on the disk\n",
			s->name.dir, strerror(err ? err : EIO));
	s->sync_err = err;
}

void tl_store_free(struct tl_store *s)
{
	size_t i;

	tl_store_end(s);
	s->unacked += tl_peer_unsure(s);
	if (s->linked)
		tl_peer_close(s);
	dial_drop(s->dial);
	if (s->sync) {
		tl_sync_end(s->sync);
		tl_store_synced(s);
		tl_sync_free(s->sync);
	}
	s->sync = NULL;
	tl_zip_free(s->zip);
	for (i = 0; i < s->nr; i++) {
		free(s->own[i].name);
		free(s->own[i].last);
	}
	free(s->own);
	tl_store_unlock(s);
	if (s->dirfd >= 0)
		close(s->dirfd);
}

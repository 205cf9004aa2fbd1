// SPDX-License-Identifier: GPL-2.0-only
/*
 * own.c - find the files of the pattern in a directory, in the order in which they were written
 *
 * A file is ours if the pattern can produce its name (name.c) and if it is a regular file. In a
 * directory that others may write, it must also belong to us or to root. Any other file with such
 * a name is never counted, removed, sent or read. In such a directory, a file that has another name
 * is neither sent, read nor written.
 *
 * Another process may replace a file at any time. So a file is checked after it was opened, and it
 * is opened without blocking, because it may be a FIFO.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/zread.h"
#include "tracelogger.h"

/*
 * Largest plausible step between the numbers of two consecutive files. After a larger step the
 * number is ignored as wrong: otherwise one file with the largest possible number would leave no
 * number for later files.
 */
#define JUMP	1000000000

bool tl_own_shares(int dirfd)
{
	struct stat st;

	return fstat(dirfd, &st) || st.st_mode & 0022 ||
	       (st.st_uid && st.st_uid != geteuid());
}

static bool is_others(const struct tl_store *s, const struct stat *st)
{
	return s->shared && st->st_uid && st->st_uid != geteuid();
}

/* Another user may have given this name to any file of ours, or of root. */
static bool is_linked(const struct tl_store *s, const struct stat *st)
{
	return s->shared && st->st_nlink > 1;
}

int tl_own_open(const struct tl_store *s, const char *name, int flags)
{
	int fd = openat(s->dirfd, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat st;
	int err;

	if (fd < 0)
		return errno == ELOOP ? -TL_NOT_REGULAR : -errno;
	err = fstat(fd, &st) ? -errno : !S_ISREG(st.st_mode) ? -TL_NOT_REGULAR :
	      is_others(s, &st) ? -TL_NOT_OURS : is_linked(s, &st) ? -TL_LINKED : 0;
	if (!err)
		return fd;
	close(fd);
	return err;
}

const char *tl_own_error(int err)
{
	if (err == TL_NOT_REGULAR)
		return "is not a regular file";
	if (err == TL_NOT_OURS)
		return "belongs to another user and is in a directory that others may write";
	if (err == TL_LINKED)
		return "has another name (a hard link) and is in a directory that others may write";
	return strerror(err);
}

static int own_note(const struct devtrace_item *item, void *arg)
{
	struct tl_own *own = arg;

	if (item->kind != DEVTRACE_ITEM_NOTE)
		return 1;
	if (!strcmp(item->u.note.name, DEVTRACE_NOTE_FILE))
		own->number = strtoull(item->u.note.value, NULL, 10);
	else if (!strcmp(item->u.note.name, TL_NOTE_LAST) && !own->last)
		own->last = strdup(item->u.note.value);
	return 0;
}

/* Read the notes of a file. A file without a number counts as older than all files with one. */
static void read_notes(const struct tl_store *s, struct tl_own *own)
{
	int fd = tl_own_open(s, own->name, O_RDONLY);
	struct devtrace_decoder *d;
	char buf[TL_HEAD_MAX];
	struct zread *z;
	ssize_t n;

	if (fd < 0)
		return;
	z = zread_new(NULL, NULL);
	do
		n = z ? zread_read(z, fd, buf, sizeof(buf)) : 0;
	while (n < 0 && errno == EINTR);
	zread_free(z);
	close(fd);
	d = devtrace_decoder_new(own_note, own);
	if (d && n > 0)
		devtrace_decoder_feed(d, buf, (size_t)n, NULL);
	devtrace_decoder_free(d);
}

static int older(const void *a, const void *b)
{
	const struct tl_own *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->mtime.tv_sec != y->mtime.tv_sec)
		return x->mtime.tv_sec < y->mtime.tv_sec ? -1 : 1;
	return strcmp(x->name, y->name);
}

int tl_own_add(struct tl_store *s, const char *name, uint64_t size, uint64_t number,
	       struct timespec mtime)
{
	struct tl_own *own = realloc(s->own, (s->nr + 1) * sizeof(*own));
	char *copy = own ? strdup(name) : NULL;

	if (own)
		s->own = own;
	if (!copy)
		return -ENOMEM;
	own[s->nr++] = (struct tl_own){
		.name = copy, .size = size, .number = number, .mtime = mtime,
	};
	return 0;
}

/* Sort the files, oldest first. Files with a wrong number count as files without a number. */
static void sort(struct tl_store *s)
{
	size_t i;

	if (!s->nr)
		return;
	qsort(s->own, s->nr, sizeof(*s->own), older);
	for (i = 0; i < s->nr && s->own[i].number - s->number <= JUMP; i++)
		s->number = s->own[i].number;
	if (i == s->nr)
		return;
	for (; i < s->nr; i++)
		s->own[i].number = 0;
	qsort(s->own, s->nr, sizeof(*s->own), older);
}

int tl_own_scan(struct tl_store *s)
{
	int fd = dup(s->dirfd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned int others = 0;
	struct dirent *e;
	struct stat st;
	int err = 0;

	if (!dir)
		return -errno;
	rewinddir(dir);
	while ((e = readdir(dir))) {
		struct tl_own *own;

		if (!tl_name_ours(&s->name, e->d_name) ||
		    fstatat(s->dirfd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (is_others(s, &st)) {
			others++;
			continue;
		}
		err = tl_own_add(s, e->d_name, (uint64_t)st.st_size, 0, st.st_mtim);
		if (err)
			break;
		own = &s->own[s->nr - 1];
		read_notes(s, own);
		s->total += own->size;
	}
	closedir(dir);
	sort(s);
	if (others)
		fprintf(stderr, "tracelogger: %s: other users may write there; %u file%s with names of this logger belong%s to them and will not be touched\n",
			s->name.dir, others, others == 1 ? "" : "s", others == 1 ? "s" : "");
	return err;
}

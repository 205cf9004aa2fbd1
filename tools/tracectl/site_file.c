// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_file.c - /run/devtrace/sites, which programs read when they start
 *
 * Each line is a build-id, the index of a site and the word "off". lib/emit/emit_sites.c reads it,
 * and ignores a file that others than root may change. So does this file.
 *
 * Invariant: programs see the old file or the new one, never a part. Two tracectl that run at the
 * same time do not lose each other's changes, because each locks the directory while it reads and
 * writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "site.h"

#define DIRECTORY	"/run/devtrace"
#define NAME		"sites"
#define NEW_NAME	".sites.new"
#define FILE_MAX	(64u * 1024 * 1024)	/* bytes; a larger file is not read further */

static void line_add(struct sites *s, const char *id, uint32_t index)
{
	struct site_line *l;

	if (!(s->nr_lines & (s->nr_lines - 1)))
		s->lines = tc_alloc(s->lines,
				    (s->nr_lines ? 2 * s->nr_lines : 1) * sizeof(*s->lines));
	l = &s->lines[s->nr_lines++];
	snprintf(l->id, sizeof(l->id), "%s", id);
	l->index = index;
}

/* Take a line of the file, "BUILDID INDEX off". Other lines are ignored. */
static void line_take(struct sites *s, char *line)
{
	static const char blanks[] = " \t\n";
	char *rest, *end, *id = strtok_r(line, blanks, &rest);
	const char *number = strtok_r(NULL, blanks, &rest);
	const char *word = strtok_r(NULL, blanks, &rest);
	unsigned long index;

	if (!word || strcmp(word, "off") || strtok_r(NULL, blanks, &rest) || !log_id_valid(id))
		return;
	index = strtoul(number, &end, 10);
	if (*number >= '0' && *number <= '9' && !*end && index <= LOG_INDEX_MAX)
		line_add(s, id, (uint32_t)index);
}

/* Read the lines of a file that only root may change. */
static void lines_read_from(struct sites *s, int fd)
{
	struct stat st;
	char line[160];
	FILE *f;

	s->nr_lines = 0;
	if (fd < 0)
		return;
	f = !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid && !(st.st_mode & 022) &&
	    st.st_size <= FILE_MAX ? fdopen(fd, "r") : NULL;
	if (!f) {
		close(fd);
		return;
	}
	while (fgets(line, sizeof(line), f))
		line_take(s, line);
	fclose(f);
}

void site_lines_read(struct sites *s)
{
	lines_read_from(s, open(DIRECTORY "/" NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

static bool is_chosen(const struct sites *s, const struct site_line *l)
{
	const struct site_image *image = site_image_find(s, l->id, false);
	const struct site *site = image ? site_find(image, l->index) : NULL;

	return site && site->chosen;
}

static void put_line(struct out *o, const char *id, uint32_t index)
{
	out_str(o, id);
	out_char(o, ' ');
	out_u64(o, index);
	OUT_LIT(o, " off\n");
}

static void put_lines(struct out *o, const struct sites *old, const struct sites *s, bool off)
{
	const struct site_image *image;
	size_t i;

	for (i = 0; i < old->nr_lines; i++)
		if (!is_chosen(s, &old->lines[i]))
			put_line(o, old->lines[i].id, old->lines[i].index);
	for (image = s->images; off && image; image = image->next)
		for (i = 0; !image->driver && i < image->nr; i++)
			if (image->sites[i].chosen)
				put_line(o, image->id, image->sites[i].index);
}

/* Write the new file and give it its name. Return 0 or -1 with errno. */
static int replace(int dir, struct out *o)
{
	int fd, err;

	/* The lock is held, so a file with this name is one that an interrupted tracectl left. */
	if (unlinkat(dir, NEW_NAME, 0) && errno != ENOENT)
		return -1;
	fd = openat(dir, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	o->fd = fd;
	err = out_flush(o) ? o->err : 0;
	if (!err && fchmod(fd, 0644))
		err = errno;
	if (close(fd) && !err)
		err = errno;
	if (!err && renameat(dir, NEW_NAME, dir, NAME))
		err = errno;
	if (err)
		unlinkat(dir, NEW_NAME, 0);
	errno = err;
	return err ? -1 : 0;
}

static int fail(const struct sites *s)
{
	fprintf(stderr, "tracectl: %s: " DIRECTORY "/" NAME ": %s; nothing was changed\n",
		s->tc->command, strerror(errno));
	return 1;
}

int site_lines_write(const struct sites *s, bool off)
{
	struct sites old = { .tc = s->tc };
	struct stat st;
	struct out o;
	int dir, ret = 1;

	if (!mkdir(DIRECTORY, 0755) && chmod(DIRECTORY, 0755))
		return fail(s);
	dir = open(DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0)
		return fail(s);
	if (fstat(dir, &st) || flock(dir, LOCK_EX)) {
		ret = fail(s);
	} else if (st.st_uid || (st.st_mode & 022)) {
		fprintf(stderr, "tracectl: %s: " DIRECTORY " must belong to root, and only root may write to it\n",
			s->tc->command);
	} else {
		lines_read_from(&old, openat(dir, NAME, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
					     O_NOCTTY));
		out_init(&o, -1);
		put_lines(&o, &old, s, off);
		ret = replace(dir, &o) ? fail(s) : 0;
		out_free(&o);
		free(old.lines);
	}
	close(dir);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * board.c - which inputs are of which board
 *
 * A board is told by the attribute board of its files (tracelogger -A board=NAME), else by
 * the boot that INFO names. The head of a regular file is read for that; a pipe, a device
 * or a link is a board by itself. A board without the attribute is named after its file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "board.h"
#include "common/link.h"

#define HEAD	(64 * 1024)	/* what names a file stands in its first bytes */

struct head {
	char	name[TI_BOARD_NAME];
	bool	known;		/* it has a whole frame */
	bool	has_boot;
	uint8_t	boot[16];
	int64_t	real;		/* of its first CLOCK */
};

static int head_item(const struct devtrace_item *item, void *arg)
{
	struct head *h = arg;

	h->known |= item->kind != DEVTRACE_ITEM_DAMAGE && item->kind != DEVTRACE_ITEM_GAP;
	switch (item->kind) {
	case DEVTRACE_ITEM_NOTE:
		ti_board_note(h->name, &item->u.note);
		return 0;
	case DEVTRACE_ITEM_INFO:
		h->has_boot = item->u.info.flags & DEVTRACE_INFO_BOOT_ID;
		memcpy(h->boot, item->u.info.boot_id, sizeof(h->boot));
		return 0;
	case DEVTRACE_ITEM_CLOCK:
		h->real = item->u.clock.real;
		return 1;
	default:
		return item->kind == DEVTRACE_ITEM_EVENT;
	}
}

bool ti_board_note(char name[TI_BOARD_NAME], const struct devtrace_note *note)
{
	if (strcmp(note->name, TI_NOTE_BOARD) || !*note->value)
		return false;
	snprintf(name, TI_BOARD_NAME, "%s", note->value);
	return true;
}

static void read_head(const char *path, struct head *h)
{
	struct stat st;
	int fd;

	memset(h, 0, sizeof(*h));
	h->known = !strcmp(path, "-") || link_is(path) ||
		   (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
	if (h->known)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ti_read_ahead(fd, HEAD, head_item, h);
	close(fd);
}

/* An input that is no stream, or not there, is no board: it is reported when it is read. */
static bool same(const struct head *a, const struct head *b)
{
	if (!a->known || !b->known)
		return true;
	if (*a->name && *b->name)
		return !strcmp(a->name, b->name);
	return a->has_boot && b->has_boot && !memcmp(a->boot, b->boot, sizeof(a->boot));
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && !link_is(path) ? slash + 1 : path;
}

/* Two files may have one name in two directories. */
static const char *own_part(const struct ti_words *files, const char *path)
{
	size_t i;

	for (i = 0; i < files->n; i++)
		if (strcmp(files->v[i], path) && !strcmp(last_part(files->v[i]), last_part(path)))
			return path;
	return last_part(path);
}

/* The older one first, whatever the order on the command line is. */
static void add_file(struct ti_board *b, const char *path, int64_t real)
{
	size_t i = b->nr++;

	b->files = ti_alloc(b->files, b->nr * sizeof(*b->files));
	for (; i && real && b->files[i - 1].real > real; i--)
		b->files[i] = b->files[i - 1];
	b->files[i].path = path;
	b->files[i].real = real;
}

size_t ti_boards_find(const struct ti_words *files, struct ti_board **boards)
{
	struct head *heads = ti_alloc(NULL, files->n * sizeof(*heads));
	size_t n = 0, i, k;

	*boards = ti_alloc(NULL, files->n * sizeof(**boards));
	for (i = 0; i < files->n; i++) {
		struct head h;
		struct ti_board *b;

		read_head(files->v[i], &h);
		for (k = 0; k < n && !same(&heads[k], &h); k++)
			;
		b = &(*boards)[k];
		if (k == n)
			memset(b, 0, sizeof(*b));
		n += k == n;
		if (!b->nr || *h.name || !heads[k].known)
			heads[k] = h;
		if (*h.name)
			strcpy(b->name, h.name);
		else if (h.known && !*b->name)
			snprintf(b->name, sizeof(b->name), "%s", own_part(files, files->v[i]));
		add_file(b, files->v[i], h.real);
	}
	free(heads);
	return n;
}

void ti_boards_free(struct ti_board *boards, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(boards[i].files);
	free(boards);
}

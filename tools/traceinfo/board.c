// SPDX-License-Identifier: GPL-2.0-only
/*
 * board.c - group the inputs by board
 *
 * The attribute "board" of a file (tracelogger -A board=NAME) names its board. Without the
 * attribute, a board is named after its file, and files belong to the same board if their INFO
 * frames have the same boot id, or if one tracelogger continued after a reboot. To group the
 * files, only their heads are read. Each pipe, device or link is a board of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "board.h"
#include "common/link.h"

/* bytes read from the head of a file: INFO and CLOCK frames follow at least every 64 KiB */
#define HEAD	TI_BLOCK

struct head {
	char	name[TI_BOARD_NAME];
	/* known: the head has a whole frame, or the input is not a regular file */
	bool	known;
	struct ti_piece_head read;
};

static int head_item(const struct devtrace_item *item, void *arg)
{
	struct head *h = arg;

	h->known |= item->kind != DEVTRACE_ITEM_DAMAGE && item->kind != DEVTRACE_ITEM_GAP;
	if (item->kind == DEVTRACE_ITEM_NOTE)
		ti_board_note(h->name, &item->u.note);
	return ti_piece_item(&h->read, item);
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
	h->read.piece.path = path;
	h->known = !strcmp(path, "-") || link_is(path) ||
		   (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
	if (h->known)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ti_read_ahead(fd, HEAD, head_item, h, &h->read.decoder);
	close(fd);
}

/*
 * Are the files of the same board? A file without a frame in its head is grouped with any board;
 * when the file is read, its error is reported.
 */
static bool same(const struct head *a, const struct head *b)
{
	if (!a->known || !b->known)
		return true;
	if (*a->name && *b->name)
		return !strcmp(a->name, b->name);
	if (!a->read.piece.has_boot || !b->read.piece.has_boot)
		return false;
	return !memcmp(a->read.piece.stream.boot, b->read.piece.stream.boot,
		       sizeof(a->read.piece.stream.boot)) ||
	       ti_piece_same_logger(&a->read.piece, &b->read.piece);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && !link_is(path) ? slash + 1 : path;
}

/*
 * Return the file's name, or the whole path if another directory has a file of the same name.
 */
static const char *own_part(const struct ti_words *files, const char *path)
{
	size_t i;

	for (i = 0; i < files->n; i++)
		if (strcmp(files->v[i], path) && !strcmp(last_part(files->v[i]), last_part(path)))
			return path;
	return last_part(path);
}

static void add_file(struct ti_board *b, const struct ti_piece *piece)
{
	/* Double the array whenever its length reaches a power of two. */
	if (!(b->nr & (b->nr - 1)))
		b->files = ti_alloc(b->files, (b->nr ? 2 * b->nr : 1) * sizeof(*b->files));
	b->files[b->nr++] = *piece;
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
		add_file(b, &h.read.piece);
	}
	for (i = 0; i < n; i++)
		ti_pieces_sort((*boards)[i].files, (*boards)[i].nr);
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

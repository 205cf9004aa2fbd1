// SPDX-License-Identifier: GPL-2.0-only
/*
 * last.c - --last-boot: first save the events of the previous boot from the black box
 *
 * The previous boot gets a file of its own. A note in the file identifies the boot and the load of
 * the module. While a file with this note exists, a restarted logger does not save the boot again.
 * Meanwhile the live device is open already, and its buffer keeps new events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run.h"

#define HEAD	8192		/* enough for INFO and the notes */

struct id {
	struct devtrace_decoder *decoder;
	char	boot[33];
};

static int id_item(const struct devtrace_item *item, void *arg)
{
	struct id *id = arg;
	size_t i;

	if (item->kind == DEVTRACE_ITEM_INFO)
		for (i = 0; i < 16; i++)
			snprintf(id->boot + 2 * i, 3, "%02x", item->u.info.boot_id[i]);
	return 0;
}

/* Make the note from the INFO frame. Return false if there is none. */
static bool name_it(int fd, char *note, size_t size)
{
	struct id id = { 0 };
	char buf[HEAD];
	ssize_t n = read(fd, buf, sizeof(buf));

	id.decoder = devtrace_decoder_new(id_item, &id);
	if (id.decoder && n > 0)
		devtrace_decoder_feed(id.decoder, buf, (size_t)n, NULL);
	if (*id.boot)
		snprintf(note, size, TL_NOTE_LAST "=%s-%08x", id.boot,
			 devtrace_decoder_load(id.decoder));
	devtrace_decoder_free(id.decoder);
	return *id.boot;
}

static bool is_saved(const struct tl_run *r, const char *note)
{
	const char *value = strchr(note, '=') + 1;
	size_t i;

	for (i = 0; i < r->store.nr; i++)
		if (r->store.own[i].last && !strcmp(r->store.own[i].last, value))
			return true;
	return false;
}

static int save_last(struct tl_run *r)
{
	int err;

	for (;;) {
		err = tl_save_all(r);
		if (tl_use_spool(r, err))
			err = tl_save_all(r);
		if (!err) {
			tl_end_file(r);
			err = tl_flush(r);
		}
		if (!err || tl_stop || r->opt.once || (!r->store.opt->file && !r->opt.to))
			return err;
		tl_wait_for(r, -1, TL_RETRY);
	}
}

/*
 * Add the note. On a link, each peer that gets events of that boot gets the note once. In a spool,
 * each file with events of that boot has the note.
 */
static void add_note(struct tl_run *r, const char *note)
{
	if (!*note)
		return;
	r->opt.notes[r->opt.nr_notes++] = note;
	r->spool.opt.notes[r->spool.opt.nr_notes++] = note;
}

static void remove_note(struct tl_run *r, const char *note)
{
	if (!*note)
		return;
	r->opt.nr_notes--;
	r->spool.opt.nr_notes--;
}

int tl_last_boot(struct tl_run *r)
{
	const char *path = r->opt.last_boot;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), live = r->dev, err = 0;
	bool announces = r->announces;
	/* the heads of later files point to this note */
	static char note[64];

	if (fd < 0 && errno == ENOENT)
		return 0;	/* no black box, or an empty one */
	if (fd < 0) {
		fprintf(stderr, "tracelogger: %s: %s\n", path, strerror(errno));
		return 1;
	}
	if (name_it(fd, note, sizeof(note)) && is_saved(r, note)) {
		close(fd);
		return 0;
	}
	add_note(r, note);
	close(fd);
	r->dev = -1;
	err = tl_run_open(r, path);
	r->announces = false;
	if (!err)
		err = save_last(r);
	remove_note(r, note);
	close(r->dev);
	r->dev = live;
	r->mute = false;
	r->announces = announces;
	if (r->failed)
		return 1;
	if (err && !tl_stop) {
		fprintf(stderr, "tracelogger: %s: %s; the previous boot was not saved\n", path,
			strerror(err));
		return 1;
	}
	return tl_run_decoder(r);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * site.c - the site command: list DT_LOG() statements, and turn them on and off
 *
 * Invariant: the file for programs that start later is written before the memory of the programs
 * that run. They are looked up again after that, so a program that starts meanwhile has read the
 * new file or is found.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "site.h"

enum site_do { SITE_LIST, SITE_OFF, SITE_ON };

struct change {
	struct sites	*s;
	bool		off;
	unsigned int	processes;	/* that have a chosen site */
	int		ret;
};

static struct site_image *image_of(struct sites *s, const struct site_mapping *m)
{
	struct site_image *image = site_image_find(s, m->id, false);

	return image ? image : site_image_add(s, m->id, m->path, false, m->nr, NULL, 0, m->fd,
					      NULL);
}

/* Read the states of the sites in a process. */
static void count_states(void *arg, const struct site_mapping *m)
{
	struct site_image *image = image_of(arg, m);
	uint8_t *bytes = tc_alloc(NULL, m->nr);
	size_t i;

	if (pread(m->mem, bytes, m->nr, (off_t)m->address) == (ssize_t)m->nr) {
		image->processes++;
		for (i = 0; i < image->nr; i++)
			if (image->sites[i].index < m->nr && bytes[image->sites[i].index])
				image->sites[i].off++;
	}
	free(bytes);
}

/* Write the chosen sites of a process. */
static void write_states(void *arg, const struct site_mapping *m)
{
	struct change *c = arg;
	const struct site_image *image = site_image_find(c->s, m->id, false);
	const uint8_t byte = c->off;
	bool counted = false;
	size_t i;

	for (i = 0; image && i < image->nr; i++) {
		const struct site *site = &image->sites[i];
		ssize_t n;

		if (!site->chosen || site->index >= m->nr)
			continue;
		n = pwrite(m->mem, &byte, 1, (off_t)(m->address + site->index));
		/* 0, or an address that is not mapped: the process has ended. */
		if (!n || (n < 0 && (errno == EIO || errno == ESRCH)))
			return;
		if (n < 0) {
			fprintf(stderr, "tracectl: %s: process %d: %s\n", c->s->tc->command,
				(int)m->pid, strerror(errno));
			c->ret = 1;
			return;
		}
		c->processes += !counted;
		counted = true;
	}
}

/* Add the images that only the file names: none of the programs that run has them. */
static void add_others(struct sites *s)
{
	size_t i;

	for (i = 0; i < s->nr_lines; i++)
		if (!site_image_find(s, s->lines[i].id, false))
			site_image_add(s, s->lines[i].id, "", false, 0, NULL, 0, -1, NULL);
}

static int find_all(struct sites *s)
{
	const char *process = s->tc->process;

	site_lines_read(s);
	if (!site_each(s, process, false, count_states, s) && process) {
		fprintf(stderr, "tracectl: %s: no process has the id or the name '%s'\n",
			s->tc->command, process);
		return 1;
	}
	if (!process) {
		site_drivers_read(s);
		add_others(s);
	}
	if (s->denied)
		fprintf(stderr, "tracectl: %s: note: %u process%s left out; to look at %s needs CAP_SYS_PTRACE\n",
			s->tc->command, s->denied, s->denied == 1 ? " was" : "es were",
			s->denied == 1 ? "it" : "them");
	if (s->nameless)
		fprintf(stderr, "tracectl: %s: note: %u programs, libraries or drivers have no build-id, so their statements are not known; link them with -Wl,--build-id\n",
			s->tc->command, s->nameless);
	return 0;
}

static bool match_one(struct site_pattern *p, size_t nr, const struct site *site)
{
	bool chosen = false;
	size_t i;

	/* Look at every pattern, because each must match a site. */
	for (i = 0; i < nr; i++)
		if (site_pattern_matches(&p[i], site))
			p[i].used = chosen = true;
	return chosen;
}

/* Choose the sites that match. Return how many. */
static size_t choose(struct sites *s, struct site_pattern *p, size_t nr)
{
	struct site_image *image;
	size_t i, chosen = 0;

	for (image = s->images; image; image = image->next)
		for (i = 0; i < image->nr; i++) {
			image->sites[i].chosen = match_one(p, nr, &image->sites[i]);
			chosen += image->sites[i].chosen;
		}
	return chosen;
}

/* On or off, in all of its programs and later; or else mixed. */
static const char *state_name(const struct site_image *image, const struct site *site, bool all)
{
	const unsigned int places = image->processes + (all && !image->driver);
	const unsigned int off = site->off + (all && !image->driver && site->later);

	return !off ? "on" : off == places ? "off" : "mixed";
}

static void put_json(struct out *o, const struct site_image *image, const struct site *site,
		     const char *state)
{
	const struct log_site *t = site->text;

	tc_json_str(o, "\"state\":", state);
	tc_json_num(o, ",\"processes\":", image->driver ? 0 : image->processes);
	tc_json_num(o, ",\"off\":", image->driver ? 0 : site->off);
	if (image->driver)
		OUT_LIT(o, ",\"later\":null");
	else
		tc_json_str(o, ",\"later\":", site->later ? "off" : "on");
	tc_json_bool(o, ",\"driver\":", image->driver);
	tc_json_str(o, ",\"image\":", image->path);
	tc_json_str(o, ",\"build_id\":", image->id);
	tc_json_num(o, ",\"site\":", site->index);
	if (!t) {
		OUT_LIT(o, ",\"level\":null,\"file\":null,\"line\":null,\"function\":null,\"text\":null");
		return;
	}
	tc_json_str(o, ",\"level\":", log_level_name(t->level));
	tc_json_str(o, ",\"file\":", t->file);
	tc_json_num(o, ",\"line\":", t->line);
	tc_json_str(o, ",\"function\":", t->function);
	tc_json_str(o, ",\"text\":", t->text);
}

static void put_row(struct out *o, const struct site_image *image, const struct site *site,
		    const char *state)
{
	const struct log_site *t = site->text;
	const char *slash = image->driver ? NULL : strrchr(image->path, '/');
	size_t n = t ? strlen(t->text) : 0;

	out_str(o, state);
	out_char(o, '\t');
	out_str(o, t ? log_level_name(t->level) : "?");
	out_char(o, '\t');
	if (t) {
		tc_safe(o, t->file);
		out_char(o, ':');
		out_u64(o, t->line);
	} else {
		OUT_LIT(o, "site ");
		out_u64(o, site->index);
	}
	out_char(o, '\t');
	tc_safe(o, slash ? slash + 1 : *image->path ? image->path : "-");
	out_char(o, '\t');
	if (n && t->text[n - 1] == '\n')
		n--;
	if (t)
		out_safe(o, t->text, n);
	else
		out_char(o, '?');
}

static int list(struct sites *s)
{
	const struct site_image *image;
	struct tc_list l;
	size_t i;

	tc_list_begin(&l, s->tc, "{\"sites\":[", "STATE\tLEVEL\tPLACE\tIMAGE\tTEXT\n", "llccc");
	for (image = s->images; image; image = image->next)
		for (i = 0; i < image->nr; i++) {
			const struct site *site = &image->sites[i];
			const char *state = state_name(image, site, !s->tc->process);

			if (site->chosen)
				(s->tc->json ? put_json : put_row)(tc_list_next(&l), image, site,
								   state);
		}
	return tc_list_end(&l, 0, NULL);
}

static int change(struct sites *s, bool off, size_t chosen)
{
	struct change c = { .s = s, .off = off };
	struct out *o = &s->tc->out;
	unsigned int drivers = 0;

	if (!s->tc->process && site_lines_write(s, off))
		return 1;
	site_each(s, s->tc->process, true, write_states, &c);
	if (!s->tc->process)
		c.ret |= site_drivers_write(s, off, &drivers);
	if (s->tc->json) {
		tc_json_num(o, "{\"sites\":", chosen);
		tc_json_num(o, ",\"processes\":", c.processes);
		tc_json_num(o, ",\"drivers\":", drivers);
		OUT_LIT(o, "}\n");
	} else {
		out_str(o, off ? "off: " : "on: ");
		out_u64(o, chosen);
		OUT_LIT(o, " statements; programs that run: ");
		out_u64(o, c.processes);
		OUT_LIT(o, ", drivers: ");
		out_u64(o, drivers);
		out_char(o, '\n');
	}
	return c.ret;
}

int tc_site(struct tc *tc)
{
	static const char *const names[] = { "site list", "site off", "site on" };
	const size_t what = tc_second(tc, names, NR(names), "is not a site command; they are: list off on");
	struct site_pattern *p, all = { .kind = SITE_ALL, .given = "all", .word = "all" };
	struct sites s;
	size_t nr = 0, i, chosen;
	int ret = 1;

	tc->command = names[what];
	/* One more than there are words, for "all". */
	p = tc_alloc(NULL, ((size_t)tc->nr + 1) * sizeof(*p));
	if (!tc->nr && what == SITE_LIST)
		p[nr++] = all;
	do {
		if (tc->nr || !nr)
			site_pattern_next(tc, &p[nr++]);
	} while (tc->nr);
	if (geteuid()) {
		fprintf(stderr, "tracectl: %s: this needs root, because it looks into the memory of other programs\n",
			tc->command);
		return 1;
	}
	site_begin(&s, tc);
	if (!find_all(&s)) {
		chosen = choose(&s, p, nr);
		for (i = 0; i < nr; i++)
			if (!p[i].used && !(p[i].kind == SITE_ALL && what == SITE_LIST))
				site_pattern_unknown(&s, &p[i]);
		ret = what == SITE_LIST ? list(&s) : change(&s, what == SITE_OFF, chosen);
	}
	site_free(&s);
	for (i = 0; i < nr; i++)
		if (p[i].line)
			free((char *)p[i].word);
	free(p);
	return ret;
}

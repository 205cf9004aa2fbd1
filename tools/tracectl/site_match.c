// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_match.c - the patterns of the site command, and the statements that they mean
 *
 * A pattern is one word, such as 'level debug', or its key and its value are two words. Statements
 * without a text match only "all".
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/near.h"
#include "site.h"

/* If the word begins with @key and a blank, return what follows. */
static const char *after_key(const char *word, const char *key)
{
	const size_t n = strlen(key);

	return !strncmp(word, key, n) && word[n] == ' ' ? word + n + strspn(word + n, " ") : NULL;
}

static void parse_level(struct tc *tc, struct site_pattern *p)
{
	for (p->level = 0; p->level < LOG_LEVELS; p->level++)
		if (!strcmp(p->word, log_level_name(p->level)))
			return;
	tc_usage(tc, p->word, "is not a level; the levels are: log err warn info debug");
}

static void parse_place(struct site_pattern *p)
{
	const char *colon = strrchr(p->word, ':');
	uint64_t line;
	char *file;

	p->kind = SITE_PLACE;
	if (!colon || colon == p->word || !tc_number(colon + 1, UINT32_MAX, &line) || !line)
		return;
	file = tc_alloc(NULL, (size_t)(colon - p->word) + 1);
	memcpy(file, p->word, (size_t)(colon - p->word));
	file[colon - p->word] = 0;
	p->word = file;
	p->line = (uint32_t)line;
}

void site_pattern_next(struct tc *tc, struct site_pattern *p)
{
	static const char *const keys[] = { "level", "func", "text" };
	static const int kinds[] = { SITE_LEVEL, SITE_FUNC, SITE_TEXT };
	size_t i;

	memset(p, 0, sizeof(*p));
	p->given = tc_next(tc, "a pattern");
	p->word = NULL;
	for (i = 0; i < NR(keys) && !p->word; i++) {
		p->kind = kinds[i];
		p->word = after_key(p->given, keys[i]);
		if (!strcmp(p->given, keys[i]))
			p->word = tc_next(tc, "the word after 'level', 'func' or 'text'");
	}
	if (!p->word) {
		p->word = p->given;
		p->kind = SITE_ALL;
		if (strcmp(p->given, "all"))
			parse_place(p);
	}
	if (!*p->word)
		tc_usage(tc, p->given, "is not a pattern: FILE, FILE:LINE, 'level LEVEL', 'func NAME', 'text WORDS' or all");
	if (p->kind == SITE_LEVEL)
		parse_level(tc, p);
}

/* Is it the file, or the end of its path? */
static bool is_file(const char *pattern, const char *path)
{
	while (path && *path) {
		if (!fnmatch(pattern, path, 0))
			return true;
		path = strchr(path, '/');
		path += !!path;
	}
	return false;
}

bool site_pattern_matches(const struct site_pattern *p, const struct site *site)
{
	const struct log_site *t = site->text;

	if (p->kind == SITE_ALL)
		return true;
	if (!t)
		return false;
	switch (p->kind) {
	case SITE_LEVEL:
		return t->level == p->level;
	case SITE_FUNC:
		return *t->function && !fnmatch(p->word, t->function, 0);
	case SITE_TEXT:
		return strstr(t->text, p->word);
	default:
		return (!p->line || t->line == p->line) && is_file(p->word, t->file);
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The result of comparing the known statements with the pattern. */
struct like {
	struct near	near;
	bool		any;		/* a function is known, or a statement is in the file */
	uint32_t	line;		/* the nearest one in the file */
	size_t		texts;
};

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static void compare(struct like *l, const struct site_pattern *p, const struct log_site *t)
{
	l->texts++;
	if (p->kind == SITE_FUNC && *t->function) {
		l->any = true;
		near_try(&l->near, p->word, t->function);
	} else if (p->kind == SITE_PLACE) {
		near_try(&l->near, p->word, last_part(t->file));
		if (is_file(p->word, t->file) &&
		    (!l->any || apart(t->line, p->line) < apart(l->line, p->line))) {
			l->any = true;
			l->line = t->line;
		}
	}
}

static void put_problem(struct out *o, const struct site_pattern *p, const struct like *l)
{
	switch (p->kind) {
	case SITE_ALL:
		return;
	case SITE_LEVEL:
		OUT_LIT(o, "no statement has this level");
		return;
	case SITE_TEXT:
		OUT_LIT(o, "no statement has these words in its text");
		return;
	case SITE_FUNC:
		if (l->any)
			OUT_LIT(o, "no statement is in this function");
		else
			OUT_LIT(o, "no statement's function is known: C has no constant with the name; give FILE or FILE:LINE");
		break;
	case SITE_PLACE:
		if (l->any) {
			OUT_LIT(o, "no statement is in this line; the nearest is in line ");
			out_u64(o, l->line);
			return;
		}
		OUT_LIT(o, "no statement is in a file of this name");
		break;
	}
	near_put(o, &l->near);
}

void site_pattern_unknown(const struct sites *s, const struct site_pattern *p)
{
	const struct site_image *image;
	struct like l = { .any = false };
	size_t i, statements = 0;
	struct out o;

	near_init(&l.near, p->word);
	for (image = s->images; image; statements += image->nr, image = image->next)
		for (i = 0; i < image->nr; i++)
			if (image->sites[i].text)
				compare(&l, p, image->sites[i].text);
	out_init(&o, -1);
	OUT_LIT(&o, "tracectl: ");
	out_str(&o, s->tc->command);
	OUT_LIT(&o, ": '");
	tc_safe(&o, p->given);
	if (p->kind != SITE_PLACE && p->kind != SITE_ALL && !strchr(p->given, ' ')) {
		out_char(&o, ' ');
		tc_safe(&o, p->word);
	}
	OUT_LIT(&o, "': ");
	if (!statements && s->tc->process)
		OUT_LIT(&o, "no program with this id or name has a DT_LOG() statement");
	else if (!statements)
		OUT_LIT(&o, "no program that runs, and no driver, has a DT_LOG() statement");
	else if (!l.texts)
		OUT_LIT(&o, "no text of a statement is known");
	else
		put_problem(&o, p, &l);
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	exit(2);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * zephyr.c - the dictionary of Zephyr's dictionary-based logging, log_dictionary.json
 *
 * The member string_mappings has all strings of the firmware by their addresses, as decimal
 * numbers. The dictionary does not say which of them are formats, and at which level. So each
 * string becomes a site without a level; its number is the address minus the lowest one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "logtext/elf.h"
#include "import.h"

struct zephyr_string {
	uint64_t	address;
	const char	*text;
};

struct zephyr {
	struct zephyr_string *v;
	size_t		nr, room;
	const char	*build_id;
	bool		found;		/* string_mappings */
};

static int by_address(const void *a, const void *b)
{
	const struct zephyr_string *p = a, *q = b;

	return p->address < q->address ? -1 : p->address > q->address;
}

static void read_strings(struct import *x, struct zephyr *z, struct json *j)
{
	const char *key, *text;
	struct zephyr_string *v;
	unsigned long long address;
	char *end;

	z->found = true;
	if (!json_begin(j))
		return;
	while (json_member(j, &key)) {
		text = json_string(j);
		if (j->problem)
			return;
		errno = 0;
		address = strtoull(key, &end, 0);
		if (!text || *end || errno || *key < '0' || *key > '9') {
			import_leave_out(x, j->line, key, "a string and its address expected");
			if (!text)
				json_skip(j);
			continue;
		}
		if (z->nr == z->room) {
			z->room = z->room ? 2 * z->room : 256;
			v = realloc(z->v, z->room * sizeof(*v));
			if (!v) {
				j->problem = strerror(ENOMEM);
				return;
			}
			z->v = v;
		}
		z->v[z->nr++] = (struct zephyr_string){ address, text };
	}
}

static void write_strings(struct import *x, struct zephyr *z)
{
	uint64_t base;
	char word[64];
	size_t i;

	if (z->nr)
		qsort(z->v, z->nr, sizeof(*z->v), by_address);
	base = z->nr ? z->v[0].address : 0;
	if (!import_image(x, z->build_id))
		return;
	snprintf(word, sizeof(word), "\t# site = address - 0x%llx\n", (unsigned long long)base);
	out_str(&x->o, word);
	for (i = 0; i < z->nr; i++)
		import_site(x, z->v[i].address - base, 0, "zephyr", z->v[i].text);
	OUT_LIT(&x->o, "}\n");
}

void import_zephyr(struct import *x, char *text, size_t len)
{
	struct json j = { .p = text, .end = text + len, .line = 1 };
	struct zephyr z = { .nr = 0 };
	const char *key, *word;

	if (json_begin(&j)) {
		while (json_member(&j, &key)) {
			if (!strcmp(key, "string_mappings") && !z.found) {
				read_strings(x, &z, &j);
			} else if (!strcmp(key, "build_id")) {
				word = json_string(&j);
				if (word)
					z.build_id = word;
				else
					json_skip(&j);
			} else {
				json_skip(&j);
			}
		}
	}
	if (j.problem)
		import_fail(x, j.line, j.problem);
	else if (!z.found)
		import_fail(x, 0, "the file has no string_mappings: it is no dictionary of Zephyr");
	else
		write_strings(x, &z);
	free(z.v);
}

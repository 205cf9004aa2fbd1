// SPDX-License-Identifier: GPL-2.0-only
/*
 * defmt.c - the texts of defmt, which are the names of symbols in the section .defmt of an ELF file
 *
 *	{"package":"app","tag":"defmt_info","data":"pump {=u8} runs dry","disambiguator":"1",...}
 *
 * The address of the symbol is the number of the site. A text is said with the conversions of
 * printf(3); a value whose type the text does not name, such as {}, cannot be said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <elf.h>
#include "logtext/elf_file.h"
#include "import.h"

/* The tags of statements, and their levels. Symbols with other tags are no statements. */
static const struct { const char *tag; unsigned int level; } defmt_tags[] = {
	{ "defmt_println", 0 }, { "defmt_trace", 4 }, { "defmt_debug", 4 }, { "defmt_info", 3 },
	{ "defmt_warn", 2 }, { "defmt_error", 1 },
};

/* The types of values, their letters of printf(3), and the length before the letter */
static const struct { const char *type; const char *length; char letter; } defmt_types[] = {
	{ "u8", "", 'u' }, { "u16", "", 'u' }, { "u32", "", 'u' }, { "u64", "ll", 'u' },
	{ "usize", "", 'u' }, { "i8", "", 'd' }, { "i16", "", 'd' }, { "i32", "", 'd' },
	{ "i64", "ll", 'd' }, { "isize", "", 'd' }, { "bool", "", 'd' }, { "char", "", 'c' },
	{ "f32", "", 'g' }, { "f64", "", 'g' }, { "str", "", 's' },
};

/* Convert the hint behind the type: none, "x", "#x", "08x". Return false if it is another one. */
static bool put_hint(struct out *o, const char *hint, size_t n, const char *length, char letter)
{
	size_t i = 0, digits = 0;

	out_char(o, '%');
	if (n) {
		if (letter != 'u' && letter != 'd')
			return false;
		if (hint[i] == '#')
			out_char(o, hint[i++]);
		for (; i < n && hint[i] >= '0' && hint[i] <= '9' && digits < 3; digits++)
			out_char(o, hint[i++]);
		if (i + 1 != n || (hint[i] != 'x' && hint[i] != 'X'))
			return false;
		letter = hint[i];
	}
	out_str(o, length);
	out_char(o, letter);
	return true;
}

/* Convert "=u8:x" between the braces. Return NULL, or why it cannot be said. */
static const char *put_value(struct out *o, const char *p, size_t n)
{
	const char *colon = memchr(p, ':', n);
	const size_t type = colon ? (size_t)(colon - p) : n;
	size_t i;

	if (!n || *p == ':')
		return "the type of a value {} is known only at run time";
	if (*p != '=')
		return "a value has a number: arguments in another order cannot be said";
	for (i = 0; i < sizeof(defmt_types) / sizeof(defmt_types[0]); i++) {
		if (strlen(defmt_types[i].type) != type - 1 ||
		    memcmp(defmt_types[i].type, p + 1, type - 1))
			continue;
		return put_hint(o, colon ? colon + 1 : "", colon ? n - type - 1 : 0,
				defmt_types[i].length, defmt_types[i].letter) ?
		       NULL : "the display hint of a value has no equivalent";
	}
	return "the type of a value has no equivalent";
}

/* Convert a text of defmt to a format of printf(3). */
static const char *put_text(struct out *o, const char *p)
{
	const char *end, *why;

	while (*p) {
		if ((p[0] == '{' && p[1] == '{') || (p[0] == '}' && p[1] == '}')) {
			out_char(o, *p);
			p += 2;
		} else if (*p == '{') {
			end = strchr(p, '}');
			if (!end)
				return "a value does not end";
			why = put_value(o, p + 1, (size_t)(end - p - 1));
			if (why)
				return why;
			p = end + 1;
		} else {
			if (*p == '%')
				out_char(o, '%');
			out_char(o, *p++);
		}
	}
	out_char(o, 0);
	return o->err ? "no memory" : NULL;
}

/* A symbol of the section; @name is changed. */
static void read_symbol(struct import *x, uint64_t address, char *name)
{
	struct json j = { .p = name, .end = name + strlen(name), .line = 0 };
	const char *tag = NULL, *data = NULL, *package = "defmt", *key, *word, *why;
	struct out text;
	size_t i;

	/* Other symbols are versions and the bounds of levels. */
	if (*name != '{' || !json_begin(&j))
		return;
	while (json_member(&j, &key)) {
		word = json_string(&j);
		if (!word)
			json_skip(&j);
		else if (!strcmp(key, "tag"))
			tag = word;
		else if (!strcmp(key, "data"))
			data = word;
		else if (!strcmp(key, "crate_name") || !strcmp(key, "package"))
			package = word;
	}
	if (j.problem || !tag || !data) {
		import_leave_out(x, 0, data ? data : "a symbol of .defmt",
				 j.problem ? j.problem : "it has no tag or no data");
		return;
	}
	for (i = 0; i < sizeof(defmt_tags) / sizeof(defmt_tags[0]); i++)
		if (!strcmp(defmt_tags[i].tag, tag))
			break;
	if (i == sizeof(defmt_tags) / sizeof(defmt_tags[0]))
		return;
	out_init(&text, -1);
	why = put_text(&text, data);
	if (why)
		import_leave_out(x, 0, data, why);
	else
		import_site(x, address, defmt_tags[i].level, package, text.buf);
	out_free(&text);
}

static void read_symbols(struct import *x, struct elf *f, const struct elf_section *s,
			 uint32_t section)
{
	const uint64_t size = elf_symbol_size(f);
	const struct elf_section *names = s->link < f->nr ? &f->sections[s->link] : NULL;
	struct elf_symbol sym;
	uint8_t *p, *n;
	uint64_t i;
	char *name;

	if (!names || names->type == SHT_NOBITS)
		return;
	p = elf_part(f, s->offset, s->size);
	n = p ? elf_part(f, names->offset, names->size) : NULL;
	if (!n)
		import_fail(x, 0, elf_part_error("truncated: no symbols"));
	for (i = 0; n && i < s->size / size; i++) {
		elf_symbol(f, p + i * size, &sym);
		if (sym.section != section || sym.name >= names->size)
			continue;
		/* Names may share their ends: read a copy. */
		if (!elf_take(f, strlen((const char *)n + sym.name))) {
			import_fail(x, 0, elf_shared);
			break;
		}
		name = strdup((const char *)n + sym.name);
		if (name)
			read_symbol(x, sym.value, name);
		else
			import_fail(x, 0, "no memory");
		free(name);
	}
	free(n);
	free(p);
}

void import_defmt(struct import *x, const uint8_t *bytes, size_t len)
{
	const struct log_bytes b = { .fd = -1, .mem = bytes, .size = len };
	const char *problem;
	struct log_elf id;
	struct elf f = { 0 };
	uint32_t i, section = 0;

	problem = log_elf_id(&id, &b);
	if (!problem)
		problem = elf_open(&f, &b);
	for (i = 1; !problem && i < f.nr; i++)
		if (elf_is_named(&f, &f.sections[i], ".defmt"))
			section = i;
	if (!problem && !section)
		problem = "the file has no section .defmt";
	if (problem) {
		import_fail(x, 0, problem);
	} else if (import_image(x, *id.id ? id.id : NULL)) {
		for (i = 1; i < f.nr; i++)
			if (f.sections[i].type == SHT_SYMTAB)
				read_symbols(x, &f, &f.sections[i], section);
		OUT_LIT(&x->o, "}\n");
	}
	if (f.b)
		elf_close(&f);
}

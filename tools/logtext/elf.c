// SPDX-License-Identifier: GPL-2.0-only
/*
 * elf.c - read the DT_LOG() records of an ELF file
 *
 * Documentation/log.rst describes the records. They are in the section .debug_devtrace, and each
 * refers to a site in the section devtrace_sites by its address. elf_file.c reads the tables of the
 * file, and elf_reloc.c the addresses that are not in the records yet.
 *
 * Invariants
 * - Every offset, size and count of the file is compared with the size of the file or section
 *   before it is used.
 * - Memory is limited by a multiple of the size of the file, except that of a compressed section,
 *   which is limited to ELF_SECTION_MAX. Time is n log n in the size of the file.
 * - A record is returned only if its strings are whole and its address is the address of a site.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "logtext/elf_file.h"
#include "logtext/unpack.h"

#define NOTES_MAX	(1024u * 1024)	/* largest section of notes that is searched */
#define RECORD_HEAD	8		/* bytes of a record before the address */
#define RECORD_MAGIC	0xd7
#define LEVEL_MAX	4

/* Find the build-id in one section of notes. */
static bool find_id(struct log_elf *e, struct elf *f, const struct elf_section *s)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t *p = s->size <= NOTES_MAX ? elf_part(f, s->offset, s->size) : NULL;
	uint64_t at = 0, i;
	bool found = false;

	while (p && !found && s->size - at >= 12) {
		uint64_t name = elf_number(f, p + at, 4), desc = elf_number(f, p + at + 4, 4);
		uint64_t type = elf_number(f, p + at + 8, 4);
		uint64_t begin = at + 12 + ((name + 3) & ~3ull);

		if (begin > s->size || desc > s->size - begin)
			break;
		found = type == NT_GNU_BUILD_ID && name == 4 && desc &&
			!memcmp(p + at + 12, "GNU", 4);
		for (i = 0; found && i < desc && i < LOG_ID_MAX / 2; i++) {
			e->id[2 * i] = digits[p[begin + i] >> 4];
			e->id[2 * i + 1] = digits[p[begin + i] & 15];
			e->id[2 * i + 2] = '\0';
		}
		at = begin + ((desc + 3) & ~3ull);
		if (at > s->size)
			break;
	}
	free(p);
	return found;
}

static void read_id(struct log_elf *e, struct elf *f)
{
	uint32_t i;

	e->id[0] = '\0';
	for (i = 0; i < f->nr; i++)
		if (f->sections[i].type == SHT_NOTE && find_id(e, f, &f->sections[i]))
			return;
}

/* Return the problem, or that of a file of which too much would be read. */
static const char *finish(struct elf *f, const char *problem)
{
	if (!problem && f->is_shared)
		problem = elf_shared;
	elf_close(f);
	return problem;
}

const char *log_elf_id(struct log_elf *e, const struct log_bytes *b)
{
	struct elf f = { 0 };
	const char *problem = elf_open(&f, b);

	memset(e, 0, sizeof(*e));
	if (!problem)
		read_id(e, &f);
	return finish(&f, problem);
}

static const char *find_tables(const struct elf *f, struct elf_tables *t)
{
	uint32_t i;

	for (i = 1; i < f->nr; i++) {
		const struct elf_section *s = &f->sections[i];
		const bool old = elf_is_named(f, s, ".zdebug_devtrace");

		if (elf_is_named(f, s, "devtrace_sites") && s->size) {
			if (t->sites)
				return "several sections devtrace_sites: link the file first";
			t->sites = s;
			t->sites_nr = i;
		} else if (old || elf_is_named(f, s, ".debug_devtrace")) {
			if (s->type == SHT_NOBITS || !s->size)
				continue;
			if (t->records)
				return "several sections .debug_devtrace: link the file first";
			t->records = s;
			t->records_nr = i;
			t->old_name = old;
		}
	}
	if (t->records && !t->sites)
		return "the file has .debug_devtrace, but no section devtrace_sites";
	if (t->sites)
		t->base = f->type == ET_REL ? 0 : t->sites->addr;
	return NULL;
}

/* Look for devtrace_sites_base_ in a table of symbols. */
static void find_base(struct elf *f, const struct elf_section *s, struct elf_tables *t)
{
	const uint64_t size = elf_symbol_size(f);
	const struct elf_section *names = s->link < f->nr ? &f->sections[s->link] : NULL;
	uint8_t *p, *n;
	uint64_t i;

	if (!names || names->type == SHT_NOBITS)
		return;
	p = elf_part(f, s->offset, s->size);
	n = p ? elf_part(f, names->offset, names->size) : NULL;
	for (i = 0; n && i < s->size / size && !t->has_base; i++) {
		struct elf_symbol sym;

		elf_symbol(f, p + i * size, &sym);
		if (sym.section == t->sites_nr && sym.name < names->size &&
		    !strcmp((char *)n + sym.name, "devtrace_sites_base_")) {
			t->base = sym.value;
			t->has_base = true;
		}
	}
	free(n);
	free(p);
}

static const char *decompress(uint8_t **data, uint64_t *size, uint64_t head, uint64_t whole,
			      bool zstd)
{
	uint8_t *out;
	bool ok;

	if (whole > ELF_SECTION_MAX || (!zstd && whole / 1040 > *size))
		return "the size of the compressed section .debug_devtrace is not valid";
	if (zstd && !unpack_has_zstd())
		return "compressed with zstd, and this program was built without libzstd";
	out = malloc(whole + 1);
	if (!out)
		return strerror(ENOMEM);
	out[whole] = 0;
	ok = zstd ? unpack_zstd(*data + head, *size - head, out, whole) :
	     unpack_zlib(*data + head, *size - head, out, whole);
	free(*data);
	*data = out;
	*size = whole;
	return ok ? NULL : "the compressed section .debug_devtrace is damaged";
}

/* Read the section of the records, and decompress it. */
static const char *read_records(struct elf *f, const struct elf_tables *t, uint8_t **data,
				uint64_t *size)
{
	const struct elf_section *s = t->records;
	const unsigned int head = f->wide ? 24 : 12;
	uint64_t kind, whole;

	*size = s->size;
	*data = elf_part(f, s->offset, s->size);
	if (!*data)
		return elf_part_error("truncated: the section .debug_devtrace is beyond the end of the file");
	if (t->old_name) {
		if (*size < 12 || memcmp(*data, "ZLIB", 4))
			return "the section .zdebug_devtrace is not compressed with zlib";
		whole = 0;
		for (int i = 4; i < 12; i++)
			whole = whole << 8 | (*data)[i];
		return decompress(data, size, 12, whole, false);
	}
	if (!(s->flags & SHF_COMPRESSED))
		return NULL;
	if (*size < head)
		return "the section .debug_devtrace ends in the head of its compression";
	kind = elf_number(f, *data, 4);
	whole = elf_number(f, *data + (f->wide ? 8 : 4), f->word);
	if (kind != ELFCOMPRESS_ZLIB && kind != 2 /* ELFCOMPRESS_ZSTD */)
		return "the section .debug_devtrace is compressed with an unknown method";
	return decompress(data, size, head, whole, kind == 2);
}

/* Find the three strings of a record. Return false if they do not fill the record. */
static bool record_strings(struct log_record *r, const char *p, size_t n)
{
	const char *end = p + n, *nul;
	const char **const strings[] = { &r->file, &r->function, &r->text };
	size_t i;

	for (i = 0; i < 3; i++) {
		nul = memchr(p, 0, (size_t)(end - p));
		if (!nul)
			return false;
		*strings[i] = p;
		p = nul + 1;
	}
	return p == end;
}

/* Is it the address of a site? It is not if the linker has removed the function of the site. */
static bool record_site(const struct elf *f, const struct elf_tables *t, struct log_record *r,
			uint64_t address)
{
	const uint64_t from = f->type == ET_REL ? 0 : t->sites->addr;

	if (address - from >= t->sites->size)
		return false;
	r->index = (uint32_t)(address - t->base) & LOG_INDEX_MAX;
	return true;
}

static bool record_add(struct log_elf *e, const struct log_record *r)
{
	if (!(e->nr & (e->nr - 1))) {
		struct log_record *v = realloc(e->records, (e->nr ? 2 * e->nr : 1) * sizeof(*v));

		if (!v)
			return false;
		e->records = v;
	}
	e->records[e->nr++] = *r;
	return true;
}

/* Walk through the records. */
static const char *parse_records(struct log_elf *e, const struct elf *f, const struct elf_tables *t,
				 const uint8_t *data, uint64_t size, const struct elf_addresses *a)
{
	const unsigned int head = RECORD_HEAD + f->word;
	uint64_t at = 0;
	char text[200];

	while (at < size) {
		const uint8_t *p = data + at;
		const struct elf_address *address;
		struct log_record r = { 0 };
		uint64_t n, value;

		if (!*p) {
			at++;
			continue;
		}
		n = size - at >= head ? elf_number(f, p + 2, 2) : 0;
		if (*p != RECORD_MAGIC || n < head || n > size - at) {
			snprintf(text, sizeof(text), "no record begins at byte %llu of .debug_devtrace",
				 (unsigned long long)at);
			elf_tell(e, text);
			return NULL;
		}
		r.level = p[1];
		r.line = (uint32_t)elf_number(f, p + 4, 4);
		address = elf_address_find(a, at + RECORD_HEAD);
		value = address ? address->value : elf_number(f, p + RECORD_HEAD, f->word);
		if (!f->wide)
			value &= UINT32_MAX;
		if (r.level > LEVEL_MAX || !record_strings(&r, (const char *)p + head, n - head)) {
			snprintf(text, sizeof(text),
				 "the record at byte %llu of .debug_devtrace is not valid",
				 (unsigned long long)at);
			elf_tell(e, text);
		} else if (f->type == ET_REL && !address) {
			snprintf(text, sizeof(text),
				 "the record at byte %llu of .debug_devtrace has no relocation to a site",
				 (unsigned long long)at);
			elf_tell(e, text);
		} else if (record_site(f, t, &r, value) && !record_add(e, &r)) {
			return strerror(ENOMEM);
		}
		at += n;
	}
	return NULL;
}

const char *log_elf_sites(struct log_elf *e, const struct log_bytes *b)
{
	struct elf_tables t = { 0 };
	struct elf f = { 0 };
	const char *problem = elf_open(&f, b);

	memset(e, 0, sizeof(*e));
	if (!problem)
		problem = find_tables(&f, &t);
	if (!problem)
		read_id(e, &f);
	/* The section has bytes in the file unless something other than the headers made it. */
	if (!problem && t.sites && t.sites->type != SHT_NOBITS && f.type != ET_REL &&
	    t.sites->offset <= b->size && t.sites->size <= b->size - t.sites->offset) {
		e->has_sites = true;
		e->sites_offset = t.sites->offset;
		e->sites_size = t.sites->size;
	}
	return finish(&f, problem);
}

const char *log_elf_read(struct log_elf *e, const struct log_bytes *b)
{
	struct elf_addresses addresses = { 0 };
	struct elf_tables t = { 0 };
	struct elf f = { 0 };
	const char *problem;
	uint64_t size = 0;
	uint32_t i;

	e->id[0] = '\0';
	e->records = NULL;
	e->bytes = NULL;
	e->nr = 0;
	e->has_sites = false;
	problem = elf_open(&f, b);
	if (!problem) {
		read_id(e, &f);
		problem = find_tables(&f, &t);
		e->has_sites = t.sites;
	}
	if (!problem && t.records) {
		for (i = 1; i < f.nr && !t.has_base; i++)
			if (f.sections[i].type == SHT_SYMTAB || f.sections[i].type == SHT_DYNSYM)
				find_base(&f, &f.sections[i], &t);
		problem = read_records(&f, &t, &e->bytes, &size);
		if (!problem)
			problem = elf_addresses(e, &f, &t, e->bytes, size, &addresses);
		if (!problem)
			problem = parse_records(e, &f, &t, e->bytes, size, &addresses);
	}
	free(addresses.v);
	return finish(&f, problem);
}

void log_elf_free(struct log_elf *e)
{
	free(e->records);
	free(e->bytes);
	e->records = NULL;
	e->bytes = NULL;
	e->nr = 0;
}

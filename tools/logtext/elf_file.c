// SPDX-License-Identifier: GPL-2.0-only
/*
 * elf_file.c - the header, the table of sections and the symbols of an ELF file
 *
 * Invariants
 * - Every offset, size and count of the file is compared with the size of the file before it is
 *   used.
 * - A part that is read has at most ELF_SECTION_MAX bytes, and a NUL after them.
 * - All parts together have at most READS times the size of the file: many sections of a malicious
 *   file may be the same bytes.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "logtext/elf_file.h"

/* Each byte of a valid file is read two or three times. */
#define READS	8

const char *const elf_shared = "too many sections share their bytes";

bool log_elf_begins(const void *p, size_t n)
{
	return n >= SELFMAG && !memcmp(p, ELFMAG, SELFMAG);
}

uint64_t elf_number(const struct elf *f, const uint8_t *p, unsigned int n)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		v = v << 8 | p[f->big ? i : n - 1 - i];
	return v;
}

bool elf_take(struct elf *f, uint64_t n)
{
	if (n > f->left) {
		f->left = 0;
		f->is_shared = true;
		return false;
	}
	f->left -= n;
	return true;
}

uint8_t *elf_part(struct elf *f, uint64_t offset, uint64_t n)
{
	const struct log_bytes *b = f->b;
	uint64_t done = 0;
	uint8_t *p;

	if (offset > b->size || n > b->size - offset || n > ELF_SECTION_MAX) {
		errno = EBADMSG;
		return NULL;
	}
	if (!elf_take(f, n)) {
		errno = E2BIG;
		return NULL;
	}
	p = malloc(n + 1);
	if (!p)
		return NULL;
	p[n] = 0;
	if (b->mem) {
		memcpy(p, b->mem + offset, n);
		return p;
	}
	while (done < n) {
		ssize_t r = pread(b->fd, p + done, n - done, (off_t)(offset + done));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			free(p);
			errno = r ? errno : EBADMSG;
			return NULL;
		}
		done += (uint64_t)r;
	}
	return p;
}

const char *elf_part_error(const char *cut)
{
	return errno == EBADMSG ? cut : errno == E2BIG ? elf_shared : strerror(errno);
}

static void parse_section(const struct elf *f, const uint8_t *p, struct elf_section *s)
{
	const unsigned int w = f->word;

	s->name = (uint32_t)elf_number(f, p, 4);
	s->type = (uint32_t)elf_number(f, p + 4, 4);
	s->flags = elf_number(f, p + 8, w);
	s->addr = elf_number(f, p + 8 + w, w);
	s->offset = elf_number(f, p + 8 + 2 * w, w);
	s->size = elf_number(f, p + 8 + 3 * w, w);
	s->link = (uint32_t)elf_number(f, p + 8 + 4 * w, 4);
	s->info = (uint32_t)elf_number(f, p + 12 + 4 * w, 4);
}

static const char *read_sections(struct elf *f, uint64_t at, uint64_t nr, uint32_t names)
{
	const uint64_t size = f->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	struct elf_section first;
	uint8_t *p;

	if (!at)
		return "the file has no sections";
	p = elf_part(f, at, size);
	if (!p)
		return elf_part_error("truncated: the table of sections is beyond the end of the file");
	parse_section(f, p, &first);
	free(p);
	/* Numbers that do not fit into the header are in the first section. */
	if (!nr)
		nr = first.size;
	if (names == SHN_XINDEX)
		names = first.link;
	if (nr > f->b->size / size)
		return "truncated: the table of sections is longer than the file";
	p = elf_part(f, at, nr * size);
	if (!p)
		return elf_part_error("truncated: the table of sections ends beyond the file");
	f->sections = calloc(nr + 1, sizeof(*f->sections));
	if (!f->sections) {
		free(p);
		return strerror(ENOMEM);
	}
	f->nr = (uint32_t)nr;
	for (uint32_t i = 0; i < f->nr; i++)
		parse_section(f, p + i * size, &f->sections[i]);
	free(p);
	if (names >= f->nr || f->sections[names].type == SHT_NOBITS)
		return "the file has no names of sections";
	f->names_size = f->sections[names].size;
	f->names = elf_part(f, f->sections[names].offset, f->names_size);
	return f->names ? NULL : elf_part_error("truncated: the names of sections are beyond the end of the file");
}

const char *elf_open(struct elf *f, const struct log_bytes *b)
{
	const char *problem;
	unsigned int w;
	uint8_t *p;

	f->b = b;
	f->left = b->size < UINT64_MAX / READS ? b->size * READS : UINT64_MAX;
	p = elf_part(f, 0, b->size < sizeof(Elf64_Ehdr) ? b->size : sizeof(Elf64_Ehdr));
	if (!p)
		return elf_part_error("truncated");
	if (!log_elf_begins(p, b->size)) {
		free(p);
		return "not an ELF file";
	}
	f->wide = b->size > EI_CLASS && p[EI_CLASS] == ELFCLASS64;
	f->big = b->size > EI_DATA && p[EI_DATA] == ELFDATA2MSB;
	f->word = w = f->wide ? 8 : 4;
	if (b->size < (f->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		problem = "truncated: the file ends in the ELF header";
	else if ((!f->wide && p[EI_CLASS] != ELFCLASS32) ||
		 (!f->big && p[EI_DATA] != ELFDATA2LSB) ||
		 elf_number(f, p + 34 + 3 * w, 2) != (f->wide ? sizeof(Elf64_Shdr) :
						      sizeof(Elf32_Shdr)))
		problem = "the ELF header is not valid";
	else
		problem = NULL;
	if (!problem) {
		f->type = (uint16_t)elf_number(f, p + 16, 2);
		f->machine = (uint16_t)elf_number(f, p + 18, 2);
		problem = read_sections(f, elf_number(f, p + 24 + 2 * w, w),
					elf_number(f, p + 36 + 3 * w, 2),
					(uint32_t)elf_number(f, p + 38 + 3 * w, 2));
	}
	free(p);
	return problem;
}

void elf_close(struct elf *f)
{
	free(f->sections);
	free(f->names);
}

bool elf_is_named(const struct elf *f, const struct elf_section *s, const char *name)
{
	/* elf_part() put a NUL behind the names. */
	return s->name < f->names_size && !strcmp((const char *)f->names + s->name, name);
}

uint64_t elf_symbol_size(const struct elf *f)
{
	return f->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

void elf_symbol(const struct elf *f, const uint8_t *p, struct elf_symbol *s)
{
	s->name = (uint32_t)elf_number(f, p, 4);
	s->section = (uint16_t)elf_number(f, p + (f->wide ? 6 : 14), 2);
	s->value = elf_number(f, p + (f->wide ? 8 : 4), f->word);
}

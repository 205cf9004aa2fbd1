/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf_file.h - what the files elf*.c of this folder share
 *
 * elf_file.c (header, sections, symbols) -> elf_reloc.c (relocated addresses) -> elf.c (records).
 */
#ifndef LOGTEXT_ELF_FILE_H
#define LOGTEXT_ELF_FILE_H

#include "logtext/elf.h"

#define ELF_SECTION_MAX	(256u * 1024 * 1024)	/* largest section that is read, in bytes */

struct elf_section {
	uint32_t	name, type, link, info;
	uint64_t	flags, addr, offset, size;
};

struct elf {
	const struct log_bytes *b;
	uint64_t	left;		/* bytes that may still be read */
	bool		is_shared;	/* there were not enough */
	bool		wide, big;	/* 64-bit; big-endian */
	unsigned int	word;		/* bytes of an address */
	uint16_t	type, machine;
	struct elf_section *sections;
	uint32_t	nr;
	uint8_t		*names;		/* of the sections */
	size_t		names_size;
};

struct elf_symbol {
	uint32_t	name;
	uint16_t	section;
	uint64_t	value;
};

/* The sections that matter, and the beginning of the sites. */
struct elf_tables {
	const struct elf_section *sites, *records;
	uint32_t	sites_nr, records_nr;	/* their numbers */
	uint64_t	base;			/* address of the site with index 0 */
	bool		has_base;		/* from the symbol */
	bool		old_name;		/* .zdebug_devtrace */
};

/* A relocated address in the section of the records. */
struct elf_address {
	uint64_t	offset, value;
};

struct elf_addresses {
	struct elf_address *v;
	size_t		nr;
};

/* Read the header and the table of sections. Return NULL, or a text that says why not. */
const char *elf_open(struct elf *f, const struct log_bytes *b);
/* Call it after elf_open(), even if that failed. */
void elf_close(struct elf *f);

/* Read a number of @n bytes in the byte order of the file. */
uint64_t elf_number(const struct elf *f, const uint8_t *p, unsigned int n);
/* Take @n of the bytes that may still be read. Return false if fewer are left. */
bool elf_take(struct elf *f, uint64_t n);
/* Return a copy of a part of the file, with a NUL after it; or NULL with errno. */
uint8_t *elf_part(struct elf *f, uint64_t offset, uint64_t n);
/* Say why elf_part() failed; @cut: because the part is not in the file. */
const char *elf_part_error(const char *cut);
/* The words about a file after elf_take() returned false. */
extern const char *const elf_shared;
bool elf_is_named(const struct elf *f, const struct elf_section *s, const char *name);
/* The bytes of a symbol in a table of symbols, and the symbol at @p. */
uint64_t elf_symbol_size(const struct elf *f);
void elf_symbol(const struct elf *f, const uint8_t *p, struct elf_symbol *s);

/*
 * elf_reloc.c: find the addresses that relocations put into the records @data, sorted by offset.
 * The caller frees a->v.
 */
const char *elf_addresses(const struct log_elf *e, struct elf *f,
			  const struct elf_tables *t, const uint8_t *data, uint64_t size,
			  struct elf_addresses *a);
/* Return the address at an offset of the records, or NULL. */
const struct elf_address *elf_address_find(const struct elf_addresses *a, uint64_t offset);

/* Report an invalid record. */
static inline void elf_tell(const struct log_elf *e, const char *text)
{
	if (e->mistake)
		e->mistake(e->arg, text);
}

#endif

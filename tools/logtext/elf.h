/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf.h - read the DT_LOG() records of an ELF file
 *
 * The file may be of any machine, 32-bit or 64-bit, and in either byte order. It may be linked, or
 * relocatable such as a kernel module. It may be malicious.
 */
#ifndef LOGTEXT_ELF_H
#define LOGTEXT_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_ID_MAX	63	/* hexadecimal digits of a build-id; longer ones are cut */
#define LOG_INDEX_MAX	0xffffffu

/* The bytes of a file: in memory, or read from @fd. */
struct log_bytes {
	int		fd;		/* used if @mem is NULL */
	const uint8_t	*mem;
	uint64_t	size;
};

/* A record. The strings are valid as long as the struct log_elf. */
struct log_record {
	uint32_t	index;		/* of the site */
	uint8_t		level;		/* 0 to 4 */
	uint32_t	line;
	const char	*file, *function, *text;
};

struct log_elf {
	char		id[LOG_ID_MAX + 1]; /* the build-id; "" if the file has none */
	struct log_record *records;	/* in the order of the file; a site may have several */
	size_t		nr;
	bool		has_sites;	/* the file has the section devtrace_sites */
	uint64_t	sites_offset, sites_size; /* log_elf_sites(): where it is in the file */
	uint8_t		*bytes;		/* memory of the strings */
	/* mistake: called for each invalid record, with a text; may be NULL */
	void		(*mistake)(void *arg, const char *text);
	void		*arg;
};

/* Is this the magic number of an ELF file? */
bool log_elf_begins(const void *p, size_t n);

/* Read only the build-id. Return NULL, or a text that says why the file cannot be read. */
const char *log_elf_id(struct log_elf *e, const struct log_bytes *b);

/*
 * Read only the build-id, and where the sites are in the file; their size is 0 if it has none.
 * Return NULL, or a text that says why the file cannot be read.
 */
const char *log_elf_sites(struct log_elf *e, const struct log_bytes *b);

/*
 * Read the build-id and all records. The caller has set @mistake and @arg, and calls
 * log_elf_free(). Return NULL, or a text that says why the file cannot be read. A file without
 * records is no mistake.
 */
const char *log_elf_read(struct log_elf *e, const struct log_bytes *b);
void log_elf_free(struct log_elf *e);

#endif

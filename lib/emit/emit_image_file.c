// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_image_file.c - names of images: the build-id of an ELF file of any machine, and paths
 *
 * The file is that of firmware, which has no loader: it may be of 32 or 64 bits and in either byte
 * order. It may be damaged.
 *
 * Invariant: every number of the file is compared with the bytes that were read before it is used.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "emit_image.h"

#define NOTES_MAX	4096	/* bytes of a section or segment of notes that are searched */

struct elf_file {
	int		fd;
	bool		wide, big;	/* 64-bit; big-endian */
};

/* A table of the file: the sections, or the segments. */
struct elf_table {
	uint64_t	at, nr, size;
	unsigned int	type_at, offset_at, size_at;	/* positions in an entry */
	uint32_t	type;				/* of notes */
};

void dt_image_put_id(char *to, const uint8_t *id, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len && 2 * i + 2 < DEVTRACE_NAME_MAX; i++) {
		to[2 * i] = digits[id[i] >> 4];
		to[2 * i + 1] = digits[id[i] & 15];
	}
	to[2 * i] = 0;
}

void dt_image_put_path(char *to, const char *path)
{
	const size_t len = strlen(path);
	const size_t keep = len < DEVTRACE_NAME_MAX ? len : DEVTRACE_NAME_MAX - 1;

	memcpy(to, path + len - keep, keep + 1);
}

static uint64_t image_file_number(const struct elf_file *f, const uint8_t *p, unsigned int n)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		v = v << 8 | p[f->big ? i : n - 1 - i];
	return v;
}

/* Read up to n bytes. Return their number, 0 at the end of the file, or -1 with errno. */
static ssize_t read_at(const struct elf_file *f, void *to, size_t n, uint64_t at)
{
	ssize_t got;

	if (at > INT32_MAX)
		return 0;
	do
		got = pread(f->fd, to, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got;
}

static size_t align_up(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Look for the build-id in notes. */
static bool find_id(const struct elf_file *f, const uint8_t *p, size_t size, char *to)
{
	size_t pos = 0, desc, name_len, desc_len;

	while (size - pos >= 12) {
		name_len = image_file_number(f, p + pos, 4);
		desc_len = image_file_number(f, p + pos + 4, 4);
		if (name_len > size - pos - 12)
			return false;
		desc = align_up(pos + 12 + name_len);
		if (desc > size || desc_len > size - desc)
			return false;
		if (image_file_number(f, p + pos + 8, 4) == NT_GNU_BUILD_ID && name_len == 4 &&
		    desc_len && !memcmp(p + pos + 12, "GNU", 4)) {
			dt_image_put_id(to, p + desc, desc_len);
			return true;
		}
		pos = align_up(desc + desc_len);
		if (pos > size)
			return false;
	}
	return false;
}

/* Search all entries of a table. Return 0 or an errno number. */
static int image_search_table(const struct elf_file *f, const struct elf_table *t, char *to)
{
	uint8_t entry[sizeof(Elf64_Shdr)], notes[NOTES_MAX];
	const unsigned int word = f->wide ? 8 : 4;
	uint64_t i, size;
	ssize_t n;

	if (t->size > sizeof(entry) || t->size < t->size_at + word)
		return ENODATA;
	for (i = 0; i < t->nr; i++) {
		n = read_at(f, entry, t->size, t->at + i * t->size);
		if (n < 0)
			return errno;
		if ((uint64_t)n < t->size)
			return ENODATA;
		if (image_file_number(f, entry + t->type_at, 4) != t->type)
			continue;
		size = image_file_number(f, entry + t->size_at, word);
		if (size > sizeof(notes))
			size = sizeof(notes);
		n = read_at(f, notes, size, image_file_number(f, entry + t->offset_at, word));
		if (n < 0)
			return errno;
		if (find_id(f, notes, n, to))
			return 0;
	}
	return ENODATA;
}

static int read_id(struct elf_file *f, char *to)
{
	struct elf_table t = { 0 };
	uint8_t head[sizeof(Elf64_Ehdr)];
	unsigned int w;
	ssize_t n;
	int err;

	n = read_at(f, head, sizeof(head), 0);
	if (n < 0)
		return errno;
	if ((size_t)n < sizeof(Elf32_Ehdr) || memcmp(head, ELFMAG, SELFMAG))
		return ENOEXEC;
	f->wide = head[EI_CLASS] == ELFCLASS64;
	f->big = head[EI_DATA] == ELFDATA2MSB;
	if ((f->wide && (size_t)n < sizeof(head)) ||
	    (!f->wide && head[EI_CLASS] != ELFCLASS32))
		return ENOEXEC;
	w = f->wide ? 8 : 4;
	t.at = image_file_number(f, head + 24 + 2 * w, w);
	t.size = image_file_number(f, head + 34 + 3 * w, 2);
	t.nr = image_file_number(f, head + 36 + 3 * w, 2);
	t.type = SHT_NOTE;
	t.type_at = 4;
	t.offset_at = 8 + 2 * w;
	t.size_at = 8 + 3 * w;
	err = image_search_table(f, &t, to);
	if (err != ENODATA)
		return err;
	/* A file without sections may have segments. */
	t.at = image_file_number(f, head + 24 + w, w);
	t.size = image_file_number(f, head + 30 + 3 * w, 2);
	t.nr = image_file_number(f, head + 32 + 3 * w, 2);
	t.type = PT_NOTE;
	t.type_at = 0;
	t.offset_at = w;
	t.size_at = 4 * w;
	return image_search_table(f, &t, to);
}

int dt_image_read_id(const char *path, char *to)
{
	struct elf_file f = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) };
	struct stat st;
	int err;

	if (f.fd < 0)
		return errno;
	if (fstat(f.fd, &st))
		err = errno;
	else
		err = S_ISREG(st.st_mode) ? read_id(&f, to) : ENOEXEC;
	close(f.fd);
	return err;
}

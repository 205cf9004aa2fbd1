// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_image_find.c - build-id, path and load address of the image at an address
 *
 * The loader knows its images, and their program headers lead to the note with the build-id. This
 * also works in a static program. The notes are memory of the image, and are read within the
 * limits that the headers give.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "emit_image.h"

struct image_search {
	struct dt_image	*image;
	const uint8_t	*address;
};

static size_t align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* Look for the build-id in a segment of notes. */
static void find_build_id(char *to, const uint8_t *p, size_t size, size_t align)
{
	ElfW(Nhdr) note;
	size_t name, desc, pos = 0;

	align = align == 8 ? 8 : 4;
	while (size - pos >= sizeof(note)) {
		memcpy(&note, p + pos, sizeof(note));
		name = pos + sizeof(note);
		if (note.n_namesz > size - name)
			return;
		desc = align_up(name + note.n_namesz, align);
		if (desc > size || note.n_descsz > size - desc)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz && note.n_namesz == 4 &&
		    !memcmp(p + name, "GNU", 4)) {
			dt_image_put_id(to, p + desc, note.n_descsz);
			return;
		}
		pos = align_up(desc + note.n_descsz, align);
		if (pos > size)
			return;
	}
}

static void find_path(char *to, const char *name)
{
	static const char exe[] = "/proc/self/exe";
	char path[PATH_MAX];

	if (*name && strcmp(name, exe)) {
		dt_image_put_path(to, *name != '/' && realpath(name, path) ? path : name);
	} else {
		/* The loader gives the program no name, or musl's this link. */
		ssize_t n = readlink(exe, path, sizeof(path) - 1);

		if (n > 0) {
			path[n] = 0;
			dt_image_put_path(to, path);
		}
	}
}

static void put_load(char *to, uintptr_t load)
{
	char digits[2 * sizeof(load)];
	size_t n = 0;

	do
		digits[n++] = "0123456789abcdef"[load & 15];
	while (load >>= 4);
	*to++ = '0';
	*to++ = 'x';
	while (n)
		*to++ = digits[--n];
	*to = 0;
}

static bool image_has(const struct dl_phdr_info *info, const uint8_t *address)
{
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    (uintptr_t)address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) <
		    info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct image_search *search = arg;
	struct dt_image *image = search->image;
	unsigned int i;

	(void)size;
	if (!image_has(info, search->address))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			find_build_id(image->names[DT_IMAGE_BUILD_ID],
				      search->address +
				      (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr -
				       (uintptr_t)search->address),
				      info->dlpi_phdr[i].p_memsz, info->dlpi_phdr[i].p_align);
	find_path(image->names[DT_IMAGE_PATH], info->dlpi_name ? info->dlpi_name : "");
	put_load(image->names[DT_IMAGE_LOAD], info->dlpi_addr);
	return 1;
}

void dt_image_find(struct dt_image *image, const void *address)
{
	struct image_search search = { .image = image, .address = address };

	strcpy(image->names[DT_IMAGE_BUILD_ID], "-");
	strcpy(image->names[DT_IMAGE_PATH], "-");
	strcpy(image->names[DT_IMAGE_LOAD], "0x0");
	dl_iterate_phdr(look_at, &search);
}

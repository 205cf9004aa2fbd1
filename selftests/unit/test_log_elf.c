// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_log_elf.c - the reader of ELF files: decompression against zlib, truncated files, images
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kselftest_harness.h"
#include "logtext/elf.h"
#include "logtext/image.h"
#include "logtext/unpack.h"

/* Contents of all kinds: runs, text, random bytes; with all levels and strategies of zlib. */
TEST(zlib)
{
	static uint8_t in[70000], packed[80000], out[70000];
	unsigned int n, i, seed = 1, nr = 0;

	for (n = 0; n < sizeof(in); n = n * 2 + 1) {
		for (int kind = 0; kind < 3; kind++) {
			for (i = 0; i < n; i++) {
				seed = seed * 1103515245 + 12345;
				in[i] = kind == 0 ? 'a' : kind == 1 ? "pump runs dry"[seed >> 16 & 7] :
					(uint8_t)(seed >> 16);
			}
			for (int level = 0; level <= 9; level += 3) {
				for (int strategy = 0; strategy <= Z_FIXED; strategy++) {
					z_stream z = { .next_in = in, .avail_in = n, .next_out = packed,
						       .avail_out = sizeof(packed) };
					size_t len;

					deflateInit2(&z, level, Z_DEFLATED, 15, 8, strategy);
					deflate(&z, Z_FINISH);
					len = z.total_out;
					deflateEnd(&z);
					ASSERT_TRUE(unpack_zlib(packed, len, out, n));
					ASSERT_EQ(0, memcmp(in, out, n));
					EXPECT_FALSE(unpack_zlib(packed, len - 1, out, n));
					EXPECT_FALSE(unpack_zlib(packed, len, out, n + 1));
					if (n)
						EXPECT_FALSE(unpack_zlib(packed, len, out, n - 1));
					/* A wrong bit is found, at least by the checksum. */
					i = seed % len;
					packed[i] ^= 1 << seed % 8;
					EXPECT_FALSE(unpack_zlib(packed, len, out, n) &&
						     memcmp(in, out, n));
					nr++;
				}
			}
		}
	}
	printf("# %u streams\n", nr);
}

#define NAMES "\0.shstrtab\0devtrace_sites\0.debug_devtrace\0.note\0"

struct file {
	Elf64_Ehdr	head;
	uint8_t		names[52];
	uint8_t		note[20];
	uint8_t		records[60];
	Elf64_Shdr	sections[5];
};

static void put_record(struct file *f, unsigned int at, unsigned int site, const char *text)
{
	uint8_t *p = f->records + at;
	const uint16_t size = (uint16_t)(16 + 4 + strlen(text) + 1);
	const uint64_t address = 0x1000 + site;

	p[0] = 0xd7;
	p[1] = 2;
	memcpy(p + 2, &size, 2);
	p[4] = 9;
	memcpy(p + 8, &address, 8);
	memcpy(p + 16, "a\0f", 4);
	memcpy(p + 20, text, strlen(text) + 1);
}

static void make_file(struct file *f)
{
	memset(f, 0, sizeof(*f));
	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_ident[EI_CLASS] = ELFCLASS64;
	f->head.e_ident[EI_DATA] = ELFDATA2LSB;
	f->head.e_type = ET_EXEC;
	f->head.e_machine = EM_X86_64;
	f->head.e_shoff = offsetof(struct file, sections);
	f->head.e_shentsize = sizeof(Elf64_Shdr);
	f->head.e_shnum = 5;
	f->head.e_shstrndx = 1;
	memcpy(f->names, NAMES, sizeof(NAMES));
	memcpy(f->note, "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\x1f\x3a\x77\xaa", 20);
	put_record(f, 0, 1, "one");
	put_record(f, 26, 0, "zero");
	f->sections[1] = (Elf64_Shdr){ 1, SHT_STRTAB, .sh_offset = offsetof(struct file, names),
				       .sh_size = sizeof(f->names) };
	f->sections[2] = (Elf64_Shdr){ 11, SHT_NOBITS, SHF_ALLOC, 0x1000, .sh_size = 2 };
	f->sections[3] = (Elf64_Shdr){ 26, SHT_PROGBITS, .sh_offset = offsetof(struct file, records),
				       .sh_size = sizeof(f->records) };
	f->sections[4] = (Elf64_Shdr){ 42, SHT_NOTE, .sh_offset = offsetof(struct file, note),
				       .sh_size = sizeof(f->note) };
}

TEST(elf)
{
	struct log_elf e = { .mistake = NULL };
	struct file f;
	struct log_bytes b = { .fd = -1, .mem = (uint8_t *)&f, .size = sizeof(f) };

	_Static_assert(sizeof(NAMES) <= sizeof(f.names), "names");
	make_file(&f);
	ASSERT_EQ(NULL, log_elf_read(&e, &b));
	EXPECT_STREQ("1f3a77aa", e.id);
	ASSERT_EQ(2, e.nr);
	EXPECT_EQ(1, e.records[0].index);
	EXPECT_EQ(9, e.records[0].line);
	EXPECT_STREQ("a", e.records[0].file);
	EXPECT_STREQ("f", e.records[0].function);
	EXPECT_STREQ("one", e.records[0].text);
	EXPECT_EQ(0, e.records[1].index);
	EXPECT_STREQ("zero", e.records[1].text);
	log_elf_free(&e);
}

/* A file of any shorter length is refused, or has fewer records; it has never other texts. */
TEST(truncated)
{
	struct file f;
	uint8_t *copy;
	size_t n;

	make_file(&f);
	for (n = 0; n < sizeof(f); n++) {
		struct log_elf e = { .mistake = NULL };
		struct log_bytes b = { .fd = -1, .size = n };

		copy = malloc(n ? n : 1);
		memcpy(copy, &f, n);
		b.mem = copy;
		EXPECT_NE(NULL, log_elf_read(&e, &b));
		EXPECT_EQ(0, e.nr);
		log_elf_free(&e);
		free(copy);
	}
}

static unsigned int told;

static void tell(void *arg, const char *text)
{
	told++;
}

/* A record that is wrong is told, and is not used. */
TEST(mistakes)
{
	static const struct { unsigned int at; uint8_t value; size_t left; unsigned int told; } bad[] = {
		{ 1, 5, 1, 1 },			/* level */
		{ 2, 25, 1, 1 },		/* size: the next record does not begin there */
		{ 2, 15, 0, 1 },		/* size: too small */
		{ 3, 1, 0, 1 },			/* size: beyond the section */
		{ 26, 1, 1, 1 },		/* no magic number */
		{ 8, 2, 1, 0 },			/* address behind the sites: the site was removed */
		{ 9, 0, 1, 0 },			/* a small address */
		{ 19, 1, 1, 1 },		/* the function has no end */
		{ 18, 0, 1, 1 },		/* a string too many */
	};
	struct file f;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct log_bytes b = { .fd = -1, .mem = (uint8_t *)&f, .size = sizeof(f) };
		struct log_elf e = { .mistake = tell };

		told = 0;
		make_file(&f);
		f.records[bad[i].at] = bad[i].value;
		EXPECT_EQ(NULL, log_elf_read(&e, &b));
		EXPECT_EQ(bad[i].left, e.nr);
		EXPECT_EQ(bad[i].told, told);
		log_elf_free(&e);
	}
}

/* Random bytes are changed: no crash, and the sanitizers find nothing. */
TEST(hostile)
{
	unsigned int seed = 7, i, k;

	for (i = 0; i < 200000; i++) {
		struct file f;
		struct log_bytes b = { .fd = -1, .mem = (uint8_t *)&f, .size = sizeof(f) };
		struct log_elf e = { .mistake = tell };

		make_file(&f);
		for (k = 0; k < 1 + i % 4; k++) {
			seed = seed * 1103515245 + 12345;
			((uint8_t *)&f)[(seed >> 8) % sizeof(f)] = (uint8_t)(seed >> 3);
		}
		log_elf_read(&e, &b);
		EXPECT_LE(e.nr, 2);
		log_elf_free(&e);
	}
}

/* Sections that are the same bytes do not multiply the time and the memory. */
TEST(sections_that_share_bytes)
{
	static const uint32_t types[] = { SHT_NOTE, SHT_SYMTAB, SHT_RELA };
	enum { SECTIONS = 2000, BYTES = 240000 };
	struct {
		struct file	file;
		Elf64_Shdr	sections[5 + SECTIONS];
		uint8_t		bytes[BYTES];
	} *all;
	unsigned int i, k;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct log_bytes b = { .fd = -1, .size = sizeof(*all) };
		struct log_elf e = { .mistake = tell };

		all = calloc(1, sizeof(*all));
		b.mem = (uint8_t *)all;
		make_file(&all->file);
		memcpy(all->sections, all->file.sections, sizeof(all->file.sections));
		all->file.head.e_shoff = offsetof(typeof(*all), sections);
		all->file.head.e_shnum = 5 + SECTIONS;
		all->file.head.e_type = ET_REL;
		all->sections[4].sh_type = SHT_SYMTAB;
		for (k = 5; k < 5 + SECTIONS; k++)
			all->sections[k] = (Elf64_Shdr){
				.sh_type = types[i], .sh_offset = offsetof(typeof(*all), bytes),
				.sh_size = BYTES, .sh_link = 4, .sh_info = 3,
			};
		told = 0;
		EXPECT_STREQ("too many sections share their bytes", log_elf_read(&e, &b));
		EXPECT_LT(told, 200000);
		log_elf_free(&e);
		free(all);
	}
}

static unsigned int conflicts;

static void conflict(void *arg, const struct log_site *first, const struct log_site *second)
{
	conflicts++;
}

static struct log_site site(uint32_t index, const char *text, unsigned int place)
{
	return (struct log_site){ .index = index, .text = text, .file = "a", .function = "f",
				  .place = place };
}

TEST(images)
{
	struct log_images *set = log_images_new();
	struct log_image *image;
	struct log_site s;
	char id[16];
	unsigned int i;

	EXPECT_EQ(NULL, log_image_find(set, "1f3a"));
	for (i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "%08x", i);
		ASSERT_NE(NULL, log_image_get(set, id));
	}
	for (i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "%08x", i);
		image = log_image_find(set, id);
		ASSERT_NE(NULL, image);
		EXPECT_STREQ(id, image->id);
		EXPECT_EQ(image, log_image_get(set, id));
	}
	s = site(5, "five", 0);
	log_image_add(image, &s);
	s = site(3, "three", 0);
	log_image_add(image, &s);
	s = site(5, "five", 0);
	log_image_add(image, &s);
	log_image_sort(image, conflict, NULL);
	EXPECT_EQ(0, conflicts);
	EXPECT_EQ(2, image->nr);
	EXPECT_STREQ("three", log_image_site(image, 3)->text);
	EXPECT_STREQ("five", log_image_site(image, 5)->text);
	EXPECT_EQ(NULL, log_image_site(image, 4));
	EXPECT_EQ(NULL, log_image_site(image, 6));
	/* A later place is overridden; in the same place both are wrong. */
	s = site(5, "other", 1);
	log_image_add(image, &s);
	s = site(3, "other", 0);
	log_image_add(image, &s);
	log_image_sort(image, conflict, NULL);
	EXPECT_EQ(1, conflicts);
	EXPECT_STREQ("five", log_image_site(image, 5)->text);
	EXPECT_EQ(NULL, log_image_site(image, 3));
	log_images_free(set);
	EXPECT_TRUE(log_id_valid("1f3a"));
	EXPECT_FALSE(log_id_valid("1f3"));
	EXPECT_FALSE(log_id_valid("-"));
	EXPECT_FALSE(log_id_valid("1f3A"));
	EXPECT_FALSE(log_id_valid("../../etc"));
	EXPECT_FALSE(log_id_valid(""));
}

TEST_HARNESS_MAIN

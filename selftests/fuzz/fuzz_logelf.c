// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_logelf.c - any bytes as an ELF file with texts of DT_LOG(), and events printed with them
 *
 * Besides the sanitizers, it checks that each record has whole strings and a valid index, and
 * that a text which is found right can be printed for elements that fit it, or else is refused.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/out.h"
#include "devtrace-decode.h"
#include "logtext/elf.h"
#include "logtext/image.h"
#include "logtext/printf.h"

#define CHECK(x) do { if (!(x)) abort(); } while (0)

static const uint8_t some[] = {
	0x04, 0xff, 0xff, 0xff, 0xff, 0x08, 'a', 0x1b, '[', 0xff, 0, 0x0e, 1, 2, 3, 4, 5, 6, 7, 8,
	0x07, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0x08, '[', '1', ' ', 'b', 'y', 't', 'e', 's', ' ', 'c',
	'u', 't', ']', 0,
};

static void mistake(void *arg, const char *text)
{
	++*(unsigned int *)arg;
	CHECK(strlen(text));
}

static void conflict(void *arg, const struct log_site *first, const struct log_site *second)
{
	++*(unsigned int *)arg;
	CHECK(first->index == second->index);
}

static void print(const char *text)
{
	size_t at = 0, len = 0, from, n = strlen(text);
	const char *problem = log_format_problem(text, &at, &len);
	struct out o;

	CHECK(!problem || (at + len <= n && text[at] == '%'));
	/* Elements from and to different places: a text that fits, and one that does not. */
	for (from = 0; from <= sizeof(some); from += 5) {
		out_init(&o, -1);
		if (!log_format_print(&o, text, some + from, sizeof(some) - from))
			CHECK(!o.len);
		else
			CHECK(!problem);
		out_free(&o);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct log_bytes b = { .fd = -1, .mem = data, .size = size };
	unsigned int mistakes = 0;
	struct log_elf e = { .mistake = mistake, .arg = &mistakes };
	struct log_images *images = log_images_new();
	struct log_image *image = log_image_get(images, "1f3a");
	char id[LOG_ID_MAX + 1];
	size_t i;

	CHECK(image);
	log_elf_read(&e, &b);
	CHECK(!*e.id || strlen(e.id) % 2 == 0);
	for (i = 0; i < e.nr; i++) {
		const struct log_record *r = &e.records[i];
		const struct log_site site = {
			.index = r->index, .line = r->line, .level = r->level, .file = r->file,
			.function = r->function, .text = r->text,
		};

		CHECK(r->index <= LOG_INDEX_MAX && r->level < LOG_LEVELS);
		CHECK(strlen(r->file) + strlen(r->function) + strlen(r->text) < 65536);
		print(r->text);
		CHECK(log_image_add(image, &site));
	}
	log_image_sort(image, conflict, &mistakes);
	for (i = 0; i < image->nr; i++) {
		const struct log_site *s = log_image_site(image, image->sites[i].index);

		CHECK(!i || image->sites[i - 1].index < image->sites[i].index);
		CHECK(image->sites[i].conflict ? !s : s == &image->sites[i]);
	}
	strcpy(id, e.id);
	log_elf_free(&e);
	if (!log_elf_id(&e, &b))
		CHECK(!strcmp(e.id, id));
	log_images_free(images);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * write.c - write names, images and sites in the language of fmt(5)
 */
#include <string.h>
#include "logtext/elf.h"
#include "logtext/image.h"
#include "logtext/printf.h"
#include "import.h"

#define GIVE	"give that of the ELF file with --build-id"

size_t import_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

void import_name(char to[IMPORT_NAME_MAX + 1], const char *from)
{
	static const char *const words[] = {
		"enum", "flags", "major", "minor", "needs", "record", "severity", "image", "site",
	};
	size_t n = 0, i;

	if (*from >= '0' && *from <= '9')
		to[n++] = '_';
	for (; *from && n < IMPORT_NAME_MAX - 1; from++) {
		const char c = *from;
		const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				  (c >= '0' && c <= '9');

		to[n++] = good ? c : '_';
	}
	if (!n)
		to[n++] = '_';
	to[n] = '\0';
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(to, words[i]))
			strcpy(to + n, "_");
}

bool import_image(struct import *x, const char *build_id)
{
	if (x->build_id)
		build_id = x->build_id;
	if (!build_id || !log_id_valid(build_id)) {
		import_fail(x, 0, build_id ? "its build-id is not hexadecimal: " GIVE :
			    "it has no build-id: " GIVE);
		return false;
	}
	OUT_LIT(&x->o, "\nimage ");
	out_fmt_string(&x->o, build_id);
	out_char(&x->o, ' ');
	out_fmt_string(&x->o, x->path);
	OUT_LIT(&x->o, " {\n");
	return true;
}

void import_site(struct import *x, uint64_t number, unsigned int level, const char *place,
		 const char *text)
{
	const char *problem;
	struct out word;
	size_t at, len;

	if (number > LOG_INDEX_MAX) {
		import_leave_out(x, 0, text, "its number exceeds 24 bits");
		return;
	}
	problem = log_format_problem(text, &at, &len);
	if (problem) {
		import_leave_out(x, 0, text, problem);
		return;
	}
	OUT_LIT(&x->o, "\tsite ");
	out_u64(&x->o, number);
	out_char(&x->o, ' ');
	out_str(&x->o, log_level_name(level));
	out_char(&x->o, ' ');
	out_init(&word, -1);
	out_str(&word, place);
	OUT_LIT(&word, ":0");
	out_char(&word, 0);
	out_fmt_string(&x->o, word.err ? ":0" : word.buf);
	out_free(&word);
	OUT_LIT(&x->o, " \"\" ");
	out_fmt_string(&x->o, text);
	out_char(&x->o, '\n');
}

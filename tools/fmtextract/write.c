// SPDX-License-Identifier: GPL-2.0-only
/*
 * write.c - write an image in the language of fmt(5)
 */
#include "extract.h"

static void put_place(struct out *o, const struct log_site *s)
{
	struct out place;

	out_init(&place, -1);
	out_str(&place, s->file);
	out_char(&place, ':');
	out_u64(&place, s->line);
	out_char(&place, 0);
	out_fmt_string(o, place.err ? "" : place.buf);
	out_free(&place);
}

void extract_write(struct out *o, const struct log_image *image, const char *path)
{
	size_t i;

	OUT_LIT(o, "\nimage ");
	out_fmt_string(o, image->id);
	out_char(o, ' ');
	out_fmt_string(o, path);
	OUT_LIT(o, " {\n");
	for (i = 0; i < image->nr; i++) {
		const struct log_site *s = &image->sites[i];

		OUT_LIT(o, "\tsite ");
		out_u64(o, s->index);
		out_char(o, ' ');
		out_str(o, log_level_name(s->level));
		out_char(o, ' ');
		put_place(o, s);
		out_char(o, ' ');
		out_fmt_string(o, s->function);
		out_char(o, ' ');
		out_fmt_string(o, s->text);
		out_char(o, '\n');
	}
	OUT_LIT(o, "}\n");
}

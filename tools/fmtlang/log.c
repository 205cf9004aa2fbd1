// SPDX-License-Identifier: GPL-2.0-only
/*
 * log.c - print LOG events, the events of DT_LOG() statements
 *
 * Documentation/log.rst describes them. The first element is the number of the site, and the
 * others are the arguments.
 *
 * Invariant: a text is printed only if the file that it is from has the build-id of the image. An
 * event of a program refers to an image of its own process, and an event of the kernel to an image
 * of the kernel.
 */
#include "internal.h"
#include "logtext/printf.h"

#define IMAGE_UNKNOWN	255
#define GIVEN		"the files of -e, -I, DEVTRACE_FMT_PATH and fmt(5)"

/* Find the image and its site. */
static void find_site(struct fmt_log *l, const struct fmt_set *set, uint32_t scope,
		      const struct devtrace_decoder *d)
{
	const char *id = devtrace_decoder_name(d, DEVTRACE_T_IMAGE, scope, l->image,
					       FMT_IMAGE_ID, 0);
	struct log_image *image;

	l->id = id;
	if (!id || !log_id_valid(id) || !set->images)
		return;
	image = log_image_find(set->images, id);
	if (!image || !image->nr)
		image = log_search(set->images, id,
				   devtrace_decoder_name(d, DEVTRACE_T_IMAGE, scope, l->image,
							 FMT_IMAGE_PATH, 0),
				   set->unprinted ? NULL : GIVEN);
	l->site = image ? log_image_site(image, l->index) : NULL;
	if (image && image->nr && !l->site && !set->unprinted)
		log_tell_site(set->images, image, l->index);
}

void fmt_log_find(struct fmt_log *l, const struct fmt_set *set, const struct devtrace_event *ev,
		  const struct devtrace_decoder *d)
{
	struct devtrace_elem e;
	size_t pos = 0;

	l->is_log = false;
	if (ev->type != DEVTRACE_T_LOG || devtrace_elem_next(ev->data, ev->len, &pos, &e) != 1 ||
	    e.is_enum || e.type != DEVTRACE_E_U32)
		return;
	l->is_log = true;
	l->image = (uint8_t)(e.v.u >> 24);
	l->index = (uint32_t)e.v.u & 0xffffff;
	l->args = pos;
	l->id = NULL;
	l->site = NULL;
	if (l->image == IMAGE_UNKNOWN)
		return;
	/* A program whose process is not known yet: scope 0 would be the kernel. */
	if (!(ev->flags & DEVTRACE_F_USER))
		find_site(l, set, 0, d);
	else if (ev->tgid)
		find_site(l, set, ev->tgid, d);
}

static bool print_text(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev)
{
	const char *text = l->site ? l->site->text : NULL;
	const size_t n = text ? strlen(text) : 0;

	if (!text || !log_format_print(o, text, ev->data + l->args, ev->len - l->args))
		return false;
	/* One newline at the end is a habit of printf(): readers end each line themselves. */
	if (n && text[n - 1] == '\n' && o->len && o->buf[o->len - 1] == '\n')
		o->len--;
	return true;
}

/* Print the site and the elements, because there is no text for them. */
static void print_raw(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		      const struct fmt_names *names)
{
	struct out args;

	OUT_LIT(o, "LOG ");
	if (l->id && log_id_valid(l->id)) {
		out_mem(o, l->id, 4);
		OUT_LIT(o, "\xe2\x80\xa6");
	} else {
		OUT_LIT(o, "image ");
		out_u64(o, l->image);
	}
	out_char(o, ':');
	out_u64(o, l->index);
	out_init(&args, -1);
	fmt_print(&args, NULL, ev->data + l->args, ev->len - l->args, names);
	if (args.len) {
		OUT_LIT(o, ": ");
		out_mem(o, args.buf, args.len);
	}
	out_free(&args);
}

void fmt_log_text(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		  const struct fmt_names *names)
{
	if (!print_text(o, l, ev))
		print_raw(o, l, ev, names);
}

void fmt_log_print(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		   const struct fmt_names *names)
{
	struct out text;
	size_t i, begin = 0;

	out_init(&text, -1);
	if (!print_text(&text, l, ev)) {
		print_raw(o, l, ev, names);
		out_free(&text);
		return;
	}
	for (i = 0; i < text.len; i++) {
		if (text.buf[i] != '\n' && text.buf[i] != '\t')
			continue;
		out_safe(o, text.buf + begin, i - begin);
		out_str(o, text.buf[i] == '\n' ? "\n    " : "\t");
		begin = i + 1;
	}
	if (text.len > begin)
		out_safe(o, text.buf + begin, text.len - begin);
	out_free(&text);
}

void fmt_log_json(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		  const struct fmt_names *names)
{
	const struct log_site *s = l->site;
	struct out text;

	if (l->id) {
		OUT_LIT(o, "\"image\":");
		out_json(o, l->id, strlen(l->id));
	} else {
		OUT_LIT(o, "\"image\":");
		out_u64(o, l->image);
	}
	OUT_LIT(o, ",\"site\":");
	out_u64(o, l->index);
	if (s) {
		OUT_LIT(o, ",\"level\":\"");
		out_str(o, log_level_name(s->level));
		OUT_LIT(o, "\",\"file\":");
		out_json(o, s->file, strlen(s->file));
		OUT_LIT(o, ",\"line\":");
		out_u64(o, s->line);
		if (*s->function) {
			OUT_LIT(o, ",\"function\":");
			out_json(o, s->function, strlen(s->function));
		}
	}
	out_char(o, ',');
	fmt_json_elements(o, "\"elements\":[", ev->data, ev->len, l->args, names);
	out_init(&text, -1);
	fmt_log_text(&text, l, ev, names);
	OUT_LIT(o, "\"text\":");
	out_json(o, text.buf, text.len);
	out_free(&text);
}

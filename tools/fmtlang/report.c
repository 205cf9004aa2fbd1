// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c - tell users about format files with errors, and about numbers with two names
 *
 * traceinfo and devtrace-convert print one line for each file, with the command that shows the
 * errors. Place 0 has the files of -e. If the user also named directories (-I of traceinfo), place
 * 1 has their files.
 *
 * All programs that print events report a number with two names when such an event occurs. The
 * names in such a message are safe to print, except those from the stream.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/out.h"
#include "internal.h"

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool fmt_replaced(const struct fmt_set *set, const char *path, unsigned int place)
{
	const struct fmt_file *f;

	for (f = set->files; f && place >= set->given; f = f->next)
		if (!f->place && !strcmp(base(f->path), base(path)))
			return true;
	return false;
}

static void put(struct out *o, const char *path, size_t len)
{
	out_char(o, ' ');
	out_safe(o, path, len);
}

/*
 * Append the arguments of --check-fmt that show the errors of a file. An error may be a conflict
 * with an earlier file of the same place, so name these files, too.
 */
static void arguments(struct out *o, const struct fmt_set *set, const struct fmt_file *file)
{
	const struct fmt_file *f;

	if (file->place >= set->given)
		return;
	if (file->place) {
		OUT_LIT(o, " -I");
		put(o, file->path, (size_t)(base(file->path) - file->path - 1));
		return;
	}
	for (f = set->files; f != file->next; f = f->next)
		if (!f->place)
			put(o, f->path, strlen(f->path));
}

void fmt_say_errors(const struct fmt_set *set, const char *program)
{
	const struct fmt_file *f;
	struct out o;

	out_init(&o, -1);
	for (f = set->files; f; f = f->next) {
		if (!f->errors || fmt_replaced(set, f->path, f->place))
			continue;
		out_str(&o, program);
		OUT_LIT(&o, ":");
		put(&o, f->path, strlen(f->path));
		OUT_LIT(&o, ": ");
		out_u64(&o, f->errors);
		out_str(&o, f->errors == 1 ? " error" : " errors");
		OUT_LIT(&o, "; 'traceinfo --check-fmt");
		arguments(&o, set, f);
		OUT_LIT(&o, "' shows them\n");
	}
	if (o.len)
		fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
}

/* "'NAME' in FILE:LINE" */
static void put_place(struct out *o, const char *name, const struct fmt_place *place)
{
	unsigned int line, column;

	fmt_locate(place, &line, &column);
	out_char(o, '\'');
	out_str(o, name);
	OUT_LIT(o, "' in ");
	out_str(o, place->file->path);
	out_char(o, ':');
	out_u64(o, line);
}

static void put_line(struct out *o)
{
	out_char(o, '\n');
	if (!o->err)
		fwrite(o->buf, 1, o->len, stderr);
	out_free(o);
}

void fmt_tell_rival(enum fmt_kind kind, uint32_t number, const char *name,
		    const struct fmt_place *place, const struct fmt_rival *rival)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o, program_invocation_short_name);
	out_str(&o, kind == FMT_MAJOR ? ": major " : ": record type ");
	if (kind == FMT_MAJOR)
		out_hex(&o, number, 6);
	else
		out_u64(&o, number);
	OUT_LIT(&o, " is ");
	put_place(&o, name, place);
	OUT_LIT(&o, " and ");
	put_place(&o, rival->name, &rival->place);
	OUT_LIT(&o, ": it is printed as '");
	out_str(&o, name);
	OUT_LIT(&o, "'; 'for program NAME' or 'for module NAME' in both files says whose it is");
	put_line(&o);
}

void fmt_tell_name(unsigned int type, const struct fmt_entry *e, const char *name)
{
	struct out o;

	out_init(&o, -1);
	out_str(&o, program_invocation_short_name);
	OUT_LIT(&o, ": record type ");
	out_u64(&o, type);
	OUT_LIT(&o, " is ");
	put_place(&o, e->name, &e->place);
	OUT_LIT(&o, ", but its emitter calls it '");
	out_safe(&o, name, strlen(name));
	OUT_LIT(&o, "': the text is not used; 'for program NAME' or this name in the file uses it");
	put_line(&o);
}

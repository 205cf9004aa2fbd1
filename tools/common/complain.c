// SPDX-License-Identifier: GPL-2.0-only
/*
 * complain.c - messages about inputs, which traceinfo and devtrace-convert print alike
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/complain.h"
#include "common/device.h"
#include "common/out.h"

#define DEVICE		"/dev/trace"
#define DEVICE_LAST	"/dev/trace-last"
#define NO_FILE		" (name a saved stream, or give no argument to read " DEVICE ")"

/* Begin a line with the program and the path. Control characters of the path are escaped. */
static void begin(struct out *o, const char *program, const char *path)
{
	out_init(o, -1);
	out_str(o, program);
	OUT_LIT(o, ": ");
	out_safe(o, path, strlen(path));
	out_str(o, *path ? ": " : "'': ");
}

static int end(struct out *o)
{
	out_char(o, '\n');
	fwrite(o->buf, 1, o->len, stderr);
	out_free(o);
	return 1;
}

int complain(const char *program, const char *path, const char *what, const char *hint)
{
	const int err = errno;
	struct out o;

	begin(&o, program, path);
	out_str(&o, what);
	out_str(&o, *what ? ": " : "");
	out_str(&o, strerror(err));
	out_str(&o, hint);
	return end(&o);
}

void complain_begin(const char *program, const char *path)
{
	struct out o;

	begin(&o, program, path);
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
}

void complain_format(const char *program, const char *path, const char *message, const char *hint)
{
	struct out o;

	begin(&o, program, path);
	out_str(&o, message);
	OUT_LIT(&o, "; ");
	out_str(&o, hint);
	end(&o);
}

_Noreturn void complain_usage(const char *program, const char *option, const char *word,
			      const char *problem)
{
	struct out o;

	begin(&o, program, option);
	out_char(&o, '\'');
	out_safe(&o, word, strlen(word));
	OUT_LIT(&o, "' ");
	out_str(&o, problem);
	end(&o);
	exit(2);
}

int complain_text(const char *program, const char *path, const char *text)
{
	struct out o;

	begin(&o, program, path);
	out_str(&o, text);
	return end(&o);
}

const char *complain_hint(const char *path, int err, bool live)
{
	live |= device_place(path);
	if (err == ENOENT && !strcmp(path, DEVICE_LAST))
		return " (the module devtrace_persist creates it: modprobe devtrace_persist, "
		       "or insmod devtrace_persist.ko region=ADDRESS,SIZE)";
	if (err == ENOENT && live)
		return " (is the module devtrace loaded, and does it have this stream?)";
	if (err == ENOENT)
		return NO_FILE;
	if (err == EACCES && live)
		return device_who_may_read(path);
	if (err == EISDIR)
		return " (name the files in it)";
	if (err == ENOTSUP)
		return " (the file is compressed with zstd, "
		       "and this program was built without libzstd)";
	return "";
}

int complain_input(const char *program, const char *path, bool live)
{
	return complain(program, path, "", complain_hint(path, errno, live));
}

int complain_no_stream(const char *program, const char *path, bool regular, bool live,
		       const struct devtrace_totals *t)
{
	struct out o;

	begin(&o, program, path);
	if (regular && (live || !strncmp(path, DEVICE, sizeof(DEVICE) - 1))) {
		out_str(&o, device_no_file(path));
	} else if (!t->bytes) {
		OUT_LIT(&o, "not a trace stream: the file is empty" NO_FILE);
	} else {
		OUT_LIT(&o, "not a trace stream: no ");
		out_str(&o, t->frames ? "frames in a row" : "whole frame");
		OUT_LIT(&o, " in its ");
		out_u64(&o, t->bytes);
		out_str(&o, t->bytes == 1 ? " byte" : " bytes");
	}
	return end(&o);
}

int complain_link(const char *program, const struct link *l, const char *word, int err)
{
	struct out o;

	begin(&o, program, word);
	out_str(&o, link_error(l, err));
	out_str(&o, err == ECONNREFUSED ? " (does tracelogger --listen run there?)" : "");
	return end(&o);
}

const char *complain_link_word(const char *word)
{
	const char *problem = NULL;
	struct link l;

	if (link_parse(&l, word, &problem))
		return problem;
	if (l.kind == LINK_SYSLOG)
		return "is not a link to read from; only tracelogger uses it, to send events";
	if (l.kind == LINK_UDP && *l.host)
		return "names a host, but udp cannot request events from it; "
		       "write udp::PORT to receive them";
	return NULL;
}

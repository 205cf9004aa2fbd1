// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - fmtimport: turn descriptions of other makers' events into a format file
 *
 * The first bytes of a file tell its kind. An entry that a format file cannot say is named and left
 * out; the rest is written. The result is read once as a format file, so that a mistake is found
 * here and not by traceinfo.
 *
 * Exit status: 0; 1 if an entry was left out, a file cannot be read or the output cannot be
 * written; 2 if the command line is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/opts.h"
#include "common/output.h"
#include "fmtlang/fmt.h"
#include "logtext/elf.h"
#include "logtext/image.h"
#include "import.h"

#define INPUT_MAX	(256u * 1024 * 1024)

static const char help[] =
"Usage: fmtimport [OPTION]... FILE...\n"
"Turn descriptions of events into a format file for traceinfo, see fmt(5). FILE\n"
"is QNX's XML file with <eventformatting>, Zephyr's log_dictionary.json, or an\n"
"ELF file with the texts of defmt. Entries that fmt(5) has no words for are named\n"
"on standard error, and left out.\n"
"\n"
"  -o, --output FILE       write FILE instead of standard output\n"
"  -b, --build-id ID       of the firmware, if the file does not have it\n"
"  -r, --record N          record type of QNX's event 0; default: 192\n"
"  -h, --help\n"
"  -V, --version\n";

/* Read a file to its end, and put a NUL behind it. Return NULL and set *problem. */
static char *read_all(const char *path, size_t *len, const char **problem)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *p = NULL;
	ssize_t n;

	*problem = NULL;
	*len = 0;
	if (fd < 0 || fstat(fd, &st))
		*problem = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		*problem = "not a regular file";
	else if (st.st_size > INPUT_MAX)
		*problem = "larger than 256 MiB";
	else
		p = malloc((size_t)st.st_size + 1);
	while (p && *len < (size_t)st.st_size) {
		n = read(fd, p + *len, (size_t)st.st_size - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			*problem = strerror(errno);
		if (n <= 0)
			break;
		*len += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (!p && !*problem)
		*problem = "no memory";
	if (*problem) {
		free(p);
		return NULL;
	}
	p[*len] = '\0';
	return p;
}

static void import_file(struct import *x, const char *path)
{
	const char *problem;
	size_t len, skip;
	char *p = read_all(path, &len, &problem);

	x->path = path;
	if (!p) {
		import_fail(x, 0, problem);
		return;
	}
	/* A byte order mark may precede text. */
	skip = strncmp(p, "\xef\xbb\xbf", 3) ? 0 : 3;
	skip += strspn(p + skip, " \t\r\n");
	if (log_elf_begins(p, len))
		import_defmt(x, (const uint8_t *)p, len);
	else if (p[skip] == '<')
		import_qnx(x, p, len);
	else if (p[skip] == '{')
		import_zephyr(x, p + skip, len - skip);
	else
		import_fail(x, 0, "neither XML, JSON nor ELF");
	free(p);
}

/* A mistake in the result: two entries with one number, for example. */
static void mistake(void *arg, enum fmt_level level, const char *path, unsigned int line,
		    unsigned int column, const char *message)
{
	struct import *x = arg;

	if (level != FMT_ERROR)
		return;
	x->left_out++;
	fprintf(stderr, "%s:%u:%u: %s\n", path, line, column, message);
}

static void check(struct import *x, const char *output)
{
	struct fmt_set set;

	fmt_set_init(&set, mistake, x);
	if (fmt_add_text(&set, output ? output : "<output>", x->o.buf, x->o.len))
		x->failed = true;
	fmt_set_free(&set);
}

static bool write_all(struct import *x, const char *output)
{
	const char *problem = NULL;
	int fd = output ? output_open(output, -1, &problem) : STDOUT_FILENO;
	struct out o;
	int err;

	if (fd < 0) {
		fprintf(stderr, "fmtimport: %s: %s\n", output, problem ? problem : strerror(errno));
		return false;
	}
	out_init(&o, fd);
	out_mem(&o, x->o.buf, x->o.len);
	out_flush(&o);
	err = o.err;
	out_free(&o);
	if (output && close(fd) && !err)
		err = errno;
	if (err)
		fprintf(stderr, "fmtimport: %s: %s\n", output ? output : "standard output",
			strerror(err));
	return !err;
}

static void parse_record(struct import *x, const char *word)
{
	char *end;

	if (!word)
		return;
	x->record = strtoul(word, &end, 0);
	if (*word >= '0' && *word <= '9' && !*end && x->record <= 255)
		return;
	fprintf(stderr, "fmtimport: --record '%s': give a record type, 0 to 255\n", word);
	exit(2);
}

int main(int argc, char **argv)
{
	struct import x = { .record = 192 };
	const char *output = NULL, *record = NULL;
	const struct opts_note notes[] = {
		{ 'o', .word = &output }, { 'b', .word = &x.build_id }, { 'r', .word = &record },
		{ 0 }
	};
	struct opts opts;
	size_t head;
	int c, i;

	opts_read(&opts, help, "");
	while ((c = opts_next(&opts, argc, argv)) != -1)
		if (!opts_note(notes, c))
			opts_end(c, help, "fmtimport (devtrace) " TI_VERSION,
				 "Try 'fmtimport --help'.");
	parse_record(&x, record);
	if (x.build_id && !log_id_valid(x.build_id)) {
		fprintf(stderr, "fmtimport: --build-id '%s': give 4 to %d hexadecimal digits in lower case\n",
			x.build_id, LOG_ID_MAX);
		return 2;
	}
	if (optind == argc) {
		fputs("fmtimport: no file is given\nTry 'fmtimport --help'.\n", stderr);
		return 2;
	}
	out_init(&x.o, -1);
	OUT_LIT(&x.o, "# Written by fmtimport(1)\n");
	head = x.o.len;
	for (i = optind; i < argc; i++)
		import_file(&x, argv[i]);
	if (x.o.err) {
		fputs("fmtimport: no memory\n", stderr);
		x.failed = true;
	} else if (!x.failed || x.o.len > head) {
		/* If nothing can be read, a file of an earlier run stays as it is. */
		check(&x, output);
		x.failed = !write_all(&x, output) || x.failed;
	}
	out_free(&x.o);
	return x.failed || x.left_out;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - fmtextract: write the texts of DT_LOG() statements in ELF files as a format file
 *
 * Exit status: 0; 1 if a file cannot be read, a text is wrong or the output cannot be written; 2
 * if the command line is wrong. Nothing is written unless all files are right, so that make(1)
 * does not find an incomplete file.
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
#include "extract.h"
#include "logtext/elf.h"
#include "logtext/printf.h"

static const char help[] =
"Usage: fmtextract [-o FILE] ELF...\n"
"Read the texts of DT_LOG() statements in programs, libraries, kernel modules and\n"
"debug files, and write them as a format file for traceinfo, see fmt(5).\n"
"\n"
"  -o, --output FILE       write FILE instead of standard output\n"
"  -h, --help\n"
"  -V, --version\n";

/* An image, and the first file that it was found in. */
struct found {
	struct log_image *image;
	const char	*path;
};

struct extract {
	struct log_images *images;
	struct found	*found;
	size_t		nr;
	const char	*path;		/* of the current file */
	unsigned int	mistakes;
};

/* Print a text from a file, without control characters. */
static void say(const char *s)
{
	struct out safe;

	out_init(&safe, -1);
	out_safe(&safe, s, strlen(s));
	out_char(&safe, 0);
	fputs(safe.err ? "?" : safe.buf, stderr);
	out_free(&safe);
}

static void complain(struct extract *x, const char *path, const char *problem)
{
	x->mistakes++;
	fputs("fmtextract: ", stderr);
	say(path);
	fputs(": ", stderr);
	say(problem);
	fputc('\n', stderr);
}

static void mistake(void *arg, const char *text)
{
	struct extract *x = arg;

	complain(x, x->path, text);
}

/* Print where a site is in the source. */
static void say_place(const char *file, uint32_t line)
{
	say(file);
	fprintf(stderr, ":%u", line);
}

static void conflict(void *arg, const struct log_site *first, const struct log_site *second)
{
	struct extract *x = arg;

	x->mistakes++;
	say_place(second->file, second->line);
	fprintf(stderr, ": error: site %u has the text \"", second->index);
	say(second->text);
	fputs("\", but at ", stderr);
	say_place(first->file, first->line);
	fputs(" the text \"", stderr);
	say(first->text);
	fputs("\"\n", stderr);
}

static void check_text(struct extract *x, const struct log_record *r)
{
	size_t at, len;
	const char *problem = log_format_problem(r->text, &at, &len);
	char word[64];

	if (!problem)
		return;
	x->mistakes++;
	snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), r->text + at);
	say_place(r->file, r->line);
	fputs(": error: '", stderr);
	say(word);
	fprintf(stderr, "': %s\n", problem);
}

static _Noreturn void no_memory(void)
{
	fputs("fmtextract: no memory\n", stderr);
	exit(1);
}

static void add_records(struct extract *x, struct log_elf *e)
{
	struct log_image *image = log_image_find(x->images, e->id);
	size_t i;

	if (!image) {
		image = log_image_get(x->images, e->id);
		x->found = realloc(x->found, (x->nr + 1) * sizeof(*x->found));
		if (!image || !x->found)
			no_memory();
		x->found[x->nr++] = (struct found){ image, x->path };
	}
	for (i = 0; i < e->nr; i++) {
		const struct log_record *r = &e->records[i];
		const struct log_site site = {
			.index = r->index, .level = r->level, .line = r->line, .file = r->file,
			.function = r->function, .text = r->text,
		};

		check_text(x, r);
		if (!log_image_add(image, &site))
			no_memory();
	}
	/* The sites refer to the strings. */
	if (!log_images_keep(x->images, e->bytes))
		no_memory();
	e->bytes = NULL;
	log_image_sort(image, conflict, x);
}

static void read_file(struct extract *x, const char *path)
{
	struct log_bytes b = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	struct log_elf e = { .mistake = mistake, .arg = x };
	const char *problem;
	struct stat st;

	x->path = path;
	if (b.fd < 0 || fstat(b.fd, &st)) {
		complain(x, path, strerror(errno));
		if (b.fd >= 0)
			close(b.fd);
		return;
	}
	b.size = (uint64_t)st.st_size;
	problem = S_ISREG(st.st_mode) ? log_elf_read(&e, &b) : "not a regular file";
	if (!problem && !e.nr && e.has_sites)
		problem =
			"the texts were stripped; give the file before strip(1), or its debug file";
	if (!problem && e.nr && !*e.id)
		problem = "the file has no build-id: link it with -Wl,--build-id";
	if (!problem && e.nr && !log_id_valid(e.id))
		problem = "the build-id is too short: link the file with -Wl,--build-id";
	if (problem)
		complain(x, path, problem);
	else if (e.nr)
		add_records(x, &e);
	log_elf_free(&e);
	close(b.fd);
}

static int write_all(const struct extract *x, const char *output)
{
	const char *problem = NULL;
	struct out o;
	size_t i;
	int fd = output ? output_open(output, -1, &problem) : STDOUT_FILENO;

	if (fd < 0) {
		fprintf(stderr, "fmtextract: %s: %s\n", output,
			problem ? problem : strerror(errno));
		return 1;
	}
	out_init(&o, fd);
	OUT_LIT(&o, "# Texts of DT_LOG() statements, from fmtextract(1)\n");
	for (i = 0; i < x->nr; i++)
		extract_write(&o, x->found[i].image, x->found[i].path);
	out_flush(&o);
	if (output && close(fd) && !o.err)
		o.err = errno;
	if (o.err)
		fprintf(stderr, "fmtextract: %s: %s\n", output ? output : "standard output",
			strerror(o.err));
	out_free(&o);
	return o.err ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *output = NULL;
	const struct opts_note notes[] = { { 'o', .word = &output }, { 0 } };
	struct extract x = { .nr = 0 };
	struct opts opts;
	int c, i, ret;

	opts_read(&opts, help, "");
	while ((c = opts_next(&opts, argc, argv)) != -1)
		if (!opts_note(notes, c))
			opts_end(c, help, "fmtextract (devtrace) " TI_VERSION,
				 "Try 'fmtextract --help'.");
	if (optind == argc) {
		fputs("fmtextract: no ELF file is given\nTry 'fmtextract --help'.\n", stderr);
		return 2;
	}
	x.images = log_images_new();
	if (!x.images)
		no_memory();
	for (i = optind; i < argc; i++)
		read_file(&x, argv[i]);
	if (!x.mistakes && !x.nr)
		fputs("fmtextract: note: the files have no DT_LOG() statements, so the output has no texts\n",
		      stderr);
	ret = x.mistakes ? 1 : write_all(&x, output);
	log_images_free(x.images);
	free(x.found);
	return ret;
}

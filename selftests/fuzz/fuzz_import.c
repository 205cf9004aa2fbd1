// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_import.c - any bytes as descriptions of QNX, Zephyr and defmt
 *
 * Besides the sanitizers, it checks that the only mistakes in the result are entries that the file
 * describes twice or labels that are too long, and that no message is empty.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmtimport/import.h"
#include "fmtlang/fmt.h"

#define CHECK(x) do { if (!(x)) abort(); } while (0)

void import_leave_out(struct import *x, unsigned int line, const char *entry, const char *why)
{
	CHECK(line <= 1u << 24);
	x->left_out += strlen(entry) < SIZE_MAX;
	CHECK(*why);
}

void import_fail(struct import *x, unsigned int line, const char *why)
{
	CHECK(line <= 1u << 24);
	x->failed = true;
	CHECK(*why);
}

static void mistake(void *arg, enum fmt_level level, const char *path, unsigned int line,
		    unsigned int column, const char *message)
{
	const size_t n = strlen(message);

	(void)arg;
	(void)line;
	(void)column;
	CHECK(*path && n);
	/* The syntax is right, whatever the file has. */
	CHECK(level != FMT_ERROR || n < 9 || strcmp(message + n - 9, " expected"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import x = { .path = "fuzz", .record = 192 };
	char *copy = malloc(size + 1);
	struct fmt_set set;

	CHECK(copy);
	memcpy(copy, data, size);
	copy[size] = '\0';
	out_init(&x.o, -1);
	if (size && *data == '<')
		import_qnx(&x, copy, size);
	else if (size && *data == 0x7f)
		import_defmt(&x, data, size);
	else
		import_zephyr(&x, copy, size);
	free(copy);
	fmt_set_init(&set, mistake, NULL);
	CHECK(!fmt_add_text(&set, "fuzz", x.o.buf ? x.o.buf : "", x.o.len));
	fmt_set_free(&set);
	out_free(&x.o);
	return 0;
}

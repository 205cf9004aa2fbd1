// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_fmt.c - any bytes as a format file, and events printed with it
 *
 * The input is the text of a file; an optional NUL separates the elements of the events. Besides
 * the sanitizers, it checks the guarantees of the language: a limited number of messages, each
 * at a place that exists, and no terminal controls in the output.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmtlang/fmt.h"

#define CHECK(x) do { if (!(x)) abort(); } while (0)

/* Elements for inputs without any. */
static const uint8_t some[] = {
	0x04, 0xff, 0xff, 0xff, 0xff, 0x05, 1, 2, 3, 4, 0x08, 'a', 0x1b, '[', 0xff, 0,
	0x09, 3, 0x7e, 0, 1, 0x07, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0x81, 7,
};

static void safe(const char *s, size_t n, const char *also)
{
	size_t i;

	for (i = 0; i < n; i++)
		CHECK(((unsigned char)s[i] >= 0x20 && s[i] != 0x7f) || strchr(also, s[i]));
	for (i = 0; i < n;) {
		size_t len = utf8_len((const uint8_t *)s + i, n - i);

		CHECK(len);
		/* C1 control characters */
		CHECK(len != 2 || (uint8_t)s[i] != 0xc2 || (uint8_t)s[i + 1] >= 0xa0);
		i += len;
	}
}

struct seen {
	size_t len;
	unsigned int errors;
};

static void diag(void *arg, enum fmt_level level, const char *path, unsigned int line,
		 unsigned int column, const char *message)
{
	struct seen *seen = arg;

	CHECK(!strcmp(path, "fuzz.fmt"));
	CHECK(line >= 1 && line <= seen->len + 1 && column >= 1 && column <= seen->len + 1);
	seen->errors += level == FMT_ERROR;
	safe(message, strlen(message), "");
}

static const char *name(const struct fmt_names *names, uint8_t kind, uint32_t value,
			uint8_t group, uint64_t key)
{
	(void)names;
	return (kind + value + group + key) % 3 ? NULL : "a\033\n\xff\xc2\x9b";
}

static void print(const struct fmt_entry *e, const uint8_t *data, size_t len)
{
	static const struct fmt_names names = { .name = name };
	struct out o;

	out_init(&o, -1);
	fmt_print(&o, e, data, len, &names);
	safe(o.buf, o.len, "\n\t");
	o.len = 0;
	fmt_print_json(&o, e, data, len, &names);
	safe(o.buf, o.len, "");
	out_free(&o);
}

/* Print all descriptions of an owner, or those of nobody. */
static void print_claims(const struct fmt_claims *c, const uint8_t *data, size_t len)
{
	const struct fmt_major *m;
	size_t i, b;

	for (i = 0; i < 256; i++)
		if (c->records[i])
			print(c->records[i], data, len);
	for (b = 0; b < c->nr_buckets; b++) {
		for (m = c->majors[b]; m; m = m->next) {
			for (i = 0; i < 256; i++)
				if (m->minors[i])
					print(m->minors[i], data, len);
			for (i = 0; i < 8; i++)
				if (m->severity[i])
					print(m->severity[i], data, len);
			if (m->any)
				print(m->any, data, len);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	struct seen seen = { .len = nul ? (size_t)(nul - data) : size };
	const uint8_t *elems = nul ? nul + 1 : some;
	size_t len = nul ? size - seen.len - 1 : sizeof(some), b;
	const struct fmt_owner *owner;
	const struct fmt_entry *e;
	struct fmt_set set;

	fmt_set_init(&set, diag, &seen);
	fmt_add_text(&set, "fuzz.fmt", (const char *)data, seen.len);
	CHECK(seen.errors == set.errors && set.errors <= FMT_ERRORS_MAX);
	print_claims(&set.unbound, elems, len);
	for (b = 0; b < set.nr_owner_buckets; b++)
		for (owner = set.owners[b]; owner; owner = owner->next)
			print_claims(&owner->claims, elems, len);
	for (b = 0; b < FMT_BUCKETS; b++)
		for (e = set.tracepoints[b]; e; e = e->next)
			print(e, elems, len);
	fmt_set_free(&set);
	return 0;
}

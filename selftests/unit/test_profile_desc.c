// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile_desc.c - the conversion of tracepoint records, as the kernel does it
 *
 * Descriptions of real kernels, in tracepoints/, are compared with golden files. There are also
 * hand-written records, then random descriptions and records, which end where their memory ends,
 * so that the sanitizer sees any access behind them.
 *
 *	test_profile_desc		a random seed, which is printed
 *	SEED=n test_profile_desc	this seed
 *	UPDATE=1 test_profile_desc	write the golden files
 */
#include <stdio.h>
#include <time.h>
#include "element_port_user.h"
#include <linux/devtrace.h>
#include "profile/profile_desc.h"
#include "kselftest_harness.h"

#define DIR	TOP_DIR "/selftests/unit/tracepoints/"
#define ROUNDS	100000

/* Required by the ring's port, but unused here. */
unsigned int ring_port_alloc_fails;
void ring_port_step(void) { }
u64 ring_port_clock(void) { return 0; }
void ring_port_exchanged(const void *w, u64 old, u64 new) { }
void ring_port_released(const void *w, u64 v) { }

static const struct desc_machine x86_64 = { .size = 8 };
static const struct desc_machine arm = { .size = 4, .first = 0xbf000000 };
static const struct desc_machine s390 = { .size = 8, .shared = true };

static u64 random_state;

static u64 rnd(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void seed(void)
{
	const char *s = getenv("SEED");
	u32 n = s && *s ? strtoul(s, NULL, 0) : (u32)time(NULL) * 2654435761u;

	printf("# SEED=%u\n", n);
	fflush(stdout);
	random_state = n;
}

/* A line of tracefs: "field:TYPE NAME[N];offset:O;size:S;signed:X;" */
static bool add_line(struct desc *d, char *line)
{
	unsigned int offset, size, sign;
	char *name, *bracket, type[256];

	line = strstr(line, "field:");
	if (!line)
		return true;
	line += strlen("field:");
	name = strchr(line, ';');
	if (!name || sscanf(name, "; offset:%u; size:%u; signed:%u;", &offset, &size, &sign) != 3)
		return false;
	*name = 0;
	name = strrchr(line, ' ');
	if (!name)
		return false;
	*name++ = 0;
	/* tracefs has the array size behind the name; the kernel's table has it in the type */
	bracket = strchr(name, '[');
	snprintf(type, sizeof(type), "%s%s", line, bracket ? bracket : "");
	if (bracket)
		*bracket = 0;
	return desc_add(d, type, name, offset, size, sign);
}

static char *read_as(const char *name, const struct desc_machine *m)
{
	char path[4096], line[512], *out = NULL;
	struct desc *d = NULL;
	size_t size;
	FILE *in, *o;

	snprintf(path, sizeof(path), DIR "%s.format", name);
	in = fopen(path, "r");
	if (!in)
		return NULL;
	o = open_memstream(&out, &size);
	/* In two pieces, as it is not the licence of this file. */
	fputs("# SPDX-License" "-Identifier: GPL-2.0-only\n", o);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "event: ", 7)) {
			if (d)
				fprintf(o, "\t%s\n", d->words);
			fprintf(o, "%s\n", line + 7);
			free(d);
			d = calloc(1, sizeof(*d));
			d->machine = *m;
		} else if (d && !add_line(d, line)) {
			fprintf(o, "not understood: %s\n", line);
		}
	}
	if (d)
		fprintf(o, "\t%s\n", d->words);
	free(d);
	fclose(in);
	fclose(o);
	return out;
}

static bool is_golden(const char *name, const struct desc_machine *m)
{
	static char want[65536];
	char path[4096], *have;
	bool same;
	size_t n;
	FILE *f;

	have = read_as(name, m);
	if (!have)
		return false;
	snprintf(path, sizeof(path), DIR "%s.expected", name);
	if (getenv("UPDATE")) {
		f = fopen(path, "w");
		fputs(have, f);
		fclose(f);
	}
	f = fopen(path, "r");
	if (!f)
		return false;
	n = fread(want, 1, sizeof(want) - 1, f);
	want[n] = 0;
	fclose(f);
	same = !strcmp(have, want);
	if (!same)
		printf("# %s is now:\n%s", path, have);
	free(have);
	return same;
}

TEST(descriptions_of_kernels)
{
	EXPECT_TRUE(is_golden("6.1", &x86_64));
	EXPECT_TRUE(is_golden("6.12", &x86_64));
	EXPECT_TRUE(is_golden("armhf", &arm));
}

/* The event made from a record, both in memory of the exact size. */
struct made {
	struct desc_sizes s;
	u8	*p;
	const void *seen;
};

static const void *last_seen;

static void seen(const void *fun)
{
	last_seen = fun;
}

static struct made make(const struct desc *d, const void *bytes, unsigned int size)
{
	u8 *record = malloc(size ? size : 1);
	struct made m;

	memcpy(record, bytes, size);
	memset(&m, 0xaa, sizeof(m));
	desc_measure(d, record, size, &m.s);
	m.p = malloc(m.s.total ? m.s.total : 1);
	last_seen = NULL;
	desc_store(d, record, &m.s, m.p, seen);
	m.seen = last_seen;
	free(record);
	return m;
}

static bool made_is(struct made m, const void *want, size_t n)
{
	bool same = m.s.total == n && !memcmp(m.p, want, n);

	for (unsigned int i = 0; !same && i < m.s.total; i++)
		printf("%s%02x%s", i ? " " : "# ", m.p[i], i + 1 == m.s.total ? "\n" : "");
	free(m.p);
	return same;
}

#define MADE(d, record, want) \
	EXPECT_TRUE(made_is(make(d, record, sizeof(record) - 1), want, sizeof(want) - 1))

TEST(numbers)
{
	struct desc d = { .machine = x86_64 };

	EXPECT_TRUE(desc_add(&d, "bool", "a", 0, 1, false));
	EXPECT_TRUE(desc_add(&d, "short", "b", 2, 2, true));
	EXPECT_TRUE(desc_add(&d, "dev_t", "c", 4, 4, false));
	EXPECT_TRUE(desc_add(&d, "s64", "flags", 8, 8, true));
	EXPECT_STREQ("u8 a, i16 b, u32 c, i64 flags_", d.words);
	MADE(&d, "\1\0\2\x80\3\0\0\xff\x10\0\0\0\0\0\0\xff",
	     "\1\1" "\2\2\x80" "\5\3\0\0\xff" "\xd\x10\0\0\0\0\0\0\xff");
	/* a record that is too short gives its whole fields */
	MADE(&d, "\1\0\2\x80\3\0\0", "\1\1" "\2\2\x80");
	MADE(&d, "", "");
}

TEST(addresses_are_no_numbers)
{
	struct desc d = { .machine = x86_64 };
	struct made m;

	EXPECT_TRUE(desc_add(&d, "struct page *", "page", 0, 8, false));
	EXPECT_TRUE(desc_add(&d, "unsigned long", "call_site", 8, 8, false));
	EXPECT_TRUE(desc_add(&d, "u64", "bytes", 16, 8, false));
	EXPECT_STREQ("any page, any call_site, any bytes", d.words);
	m = make(&d, "\x40\x11\0\0\x80\x88\xff\xff\x10\x20\x30\x81\xff\xff\xff\xff\0\0\0\0\1\0\0\x80",
		 24);
	EXPECT_TRUE(m.s.addresses);
	EXPECT_EQ((void *)0xffffffff81302010, m.seen);
	EXPECT_TRUE(made_is(m, "\xb\x40\x11\0\0\x80\x88\xff\xff" "\xc\x10\x20\x30\x81\xff\xff\xff\xff"
			    "\xb\0\0\0\0\1\0\0\x80", 27));
	/* a program's address; an error; a number */
	m = make(&d, "\x40\x11\0\0\x80\x7f\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\1\0\0\0", 24);
	EXPECT_FALSE(m.s.addresses);
	EXPECT_EQ(NULL, m.seen);
	EXPECT_TRUE(made_is(m, "\xfe\x40\x11\0\0\x80\x7f\0\0" "\xfe\xff\xff\xff\xff\xff\xff\xff\xff"
			    "\xe\0\0\0\0\1\0\0\0", 27));
}

TEST(addresses_of_32_bits)
{
	struct desc d = { .machine = arm };

	EXPECT_TRUE(desc_add(&d, "void *", "function", 0, 4, false));
	EXPECT_TRUE(desc_add(&d, "unsigned long", "pfn", 4, 4, false));
	EXPECT_TRUE(desc_add(&d, "unsigned int", "n", 8, 4, false));
	EXPECT_TRUE(desc_add(&d, "u64", "t", 12, 8, false));
	EXPECT_STREQ("any function, any pfn, u32 n, u64 t", d.words);
	MADE(&d, "\x10\x20\x30\xc0\0\0\0\xbf\0\0\0\xbf\0\0\0\0\0\0\0\xff",
	     "\xc\x10\x20\x30\xc0\0\0\0\0" "\xb\0\0\0\xbf\0\0\0\0" "\5\0\0\0\xbf"
	     "\xe\0\0\0\0\0\0\0\xff");
	MADE(&d, "\0\0\1\xb6\xff\xff\xff\xbe\xff\xff\xff\xff\0\0\0\0\0\0\0\xff",
	     "\xf5\0\0\1\xb6" "\5\xff\xff\xff\xbe" "\5\xff\xff\xff\xff" "\xe\0\0\0\0\0\0\0\xff");
}

/* If programs may have the same addresses, all pointers are hidden, but no numbers. */
TEST(addresses_that_are_shared)
{
	struct desc d = { .machine = s390 };

	EXPECT_TRUE(desc_add(&d, "void *", "p", 0, 8, false));
	EXPECT_TRUE(desc_add(&d, "unsigned long", "n", 8, 8, false));
	EXPECT_TRUE(desc_add(&d, "u64", "t", 16, 8, false));
	EXPECT_STREQ("any p, any n, u64 t", d.words);
	MADE(&d, "\0\0\1\0\0\0\0\0\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\xff",
	     "\xb\0\0\1\0\0\0\0\0" "\xe\xff\xff\0\0\0\0\0\0" "\xe\0\0\0\0\0\0\0\xff");
}

TEST(strings_and_buffers)
{
	struct desc d = { .machine = x86_64 };

	EXPECT_TRUE(desc_add(&d, "char[4]", "comm", 0, 4, true));
	EXPECT_TRUE(desc_add(&d, "__data_loc char[]", "name", 4, 4, true));
	EXPECT_TRUE(desc_add(&d, "__rel_loc u8[]", "cmd", 8, 4, false));
	EXPECT_STREQ("str comm, str name, mem cmd", d.words);
	/* no NUL in the first; one in the second, before its end */
	MADE(&d, "abcd" "\xc\0\4\0" "\4\0\3\0" "xy\0z" "\1\2\3", "\x08" "abcd\0" "\x08xy\0" "\x09\3\1\2\3");
	/* exactly to the end, and one byte more; an offset outside */
	MADE(&d, "a\0cd" "\xc\0\2\0" "\1\0\2\0" "xy", "\x08" "a\0" "\x08xy\0" "\x09\0");
	MADE(&d, "a\0cd" "\xd\0\2\0" "\xff\xff\xff\xff" "xy", "\x08" "a\0" "\x08\0" "\x09\0");
	MADE(&d, "a\0cd" "\xff\xff\1\0" "\0\0\2\0" "xy", "\x08" "a\0" "\x08\0" "\x09\2xy");
	/* cut within the offset */
	MADE(&d, "a\0cd" "\xc\0\2", "\x08" "a\0");
}

TEST(unset_bytes_of_a_buffer_are_left_out)
{
	struct desc d = { .machine = x86_64 }, other = { .machine = x86_64 };

	EXPECT_TRUE(desc_add(&d, "__u8", "len", 0, 1, false));
	EXPECT_TRUE(desc_add(&d, "__u8[4]", "buf", 1, 4, false));
	MADE(&d, "\2abcd", "\1\2" "\x09\2ab");
	MADE(&d, "\0abcd", "\1\0" "\x09\0");
	MADE(&d, "\4abcd", "\1\4" "\x09\4abcd");
	/* a number that is too large */
	MADE(&d, "\xff" "abcd", "\1\xff" "\x09\4abcd");
	/* cut within the buffer */
	MADE(&d, "\4abc", "\1\4");
	/* The number comes after the buffer. */
	EXPECT_TRUE(desc_add(&other, "__u8[4]", "buf", 1, 4, false));
	EXPECT_TRUE(desc_add(&other, "__u8", "len", 0, 1, false));
	MADE(&other, "\2abcd", "\x09\4abcd" "\1\2");
}

TEST(addresses_in_buffers)
{
	struct desc d = { .machine = x86_64 };

	EXPECT_TRUE(desc_add(&d, "unsigned long[2]", "args", 0, 16, false));
	EXPECT_TRUE(desc_add(&d, "u8[8]", "hw", 16, 8, false));
	EXPECT_TRUE(desc_add(&d, "struct in6_addr", "to", 24, 16, false));
	MADE(&d, "\1\2\3\4\5\6\7\x08" "\1\2\3\4\5\6\xff\xff" "\1\2\3\4\5\6\xff\xff"
	     "\1\2\3\4\5\6\xff\xff" "\1\2\3\4\5\6\7\x08",
	     "\x09\x10\1\2\3\4\5\6\7\x08\0\0\0\0\0\0\0\0" "\x09\x08\1\2\3\4\5\6\xff\xff"
	     "\x09\x10\0\0\0\0\0\0\0\0\1\2\3\4\5\6\7\x08");
}

TEST(long_ones_are_cut)
{
	struct desc d = { .machine = x86_64 };
	static u8 record[65536];
	struct made m;
	char name[16];

	memset(record, 'x', sizeof(record));
	for (int i = 0; i < DESC_FIELDS_MAX; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		EXPECT_TRUE(desc_add(&d, "char[1000]", name, 1000 * i, 1000, true));
	}
	EXPECT_FALSE(desc_add(&d, "int", "more", 0, 4, true));
	m = make(&d, record, sizeof(record) - 1);
	EXPECT_EQ(DESC_FIELDS_MAX, m.s.nr);
	EXPECT_EQ(DESC_TEXT_MAX, m.s.len[0]);
	EXPECT_EQ(0, m.s.len[DESC_FIELDS_MAX - 1]);
	EXPECT_GE(DESC_EVENT_MAX + 2 * DESC_FIELDS_MAX, m.s.total);
	free(m.p);
}

TEST(nonsense_is_refused)
{
	struct desc d = { .machine = x86_64 };

	EXPECT_FALSE(desc_add(&d, "", "a", 0, 4, false));
	EXPECT_FALSE(desc_add(&d, "  ", "a", 0, 4, false));
	EXPECT_FALSE(desc_add(&d, "[4]", "a", 0, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "", 0, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "a b", 0, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "0a", 0, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "a", 0, 0, false));
	EXPECT_FALSE(desc_add(&d, "int", "a", 65535, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "a", 65536, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "a", ~0U, 4, false));
	EXPECT_FALSE(desc_add(&d, "int", "a", 0, ~0U, false));
	EXPECT_FALSE(desc_add(&d, "__data_loc char[]", "a", 0, 8, false));
	EXPECT_FALSE(desc_add(&d, "__rel_loc ", "a", 0, 4, false));
	EXPECT_EQ(0, d.nr);
	EXPECT_STREQ("", d.words);
}

/* Number of elements; -1 if they are cut, or have an address. */
static int walk(const struct desc *d, const u8 *p, unsigned int len)
{
	static const u8 size[] = { 1, 1, 2, 2, 4, 4, 4, 8, 0, 0, 12, 8, 8, 8, 8, 4 };
	unsigned int i = 0, n;
	int nr = 0;
	u64 v;

	for (; i < len; nr++) {
		u8 f = p[i++];

		if ((f & 0xf) == DEVTRACE_E_STR)
			n = strnlen((const char *)p + i, len - i) + 1;
		else if ((f & 0xf) == DEVTRACE_E_MEM)
			n = i < len ? 1 + p[i] : 1;
		else
			n = size[f & 0xf];
		if (n > len - i)
			return -1;
		if ((f & 0xf) == DEVTRACE_E_U64 && d->machine.size == 8 && !d->machine.shared) {
			memcpy(&v, p + i, 8);
			if (v >> 63 && v < -4096ULL)
				return -1;
		}
		i += n;
	}
	return nr;
}

TEST(random_records)
{
	static const struct desc_machine machines[] = {
		{ .size = 8 }, { .size = 4, .first = 0xc0000000 }, { .size = 8, .shared = true },
	};
	static const char *const types[] = {
		"int", "unsigned long", "char[16]", "__data_loc char[]", "__rel_loc char[]",
		"__data_loc unsigned long[]", "void *", "u8[6]", "struct x", "struct x *",
		"__rel_loc u8[]", "__data_loc cpumask_t", "enum x", "const char *", "u64[3]",
	};
	u8 record[256];

	seed();
	for (int i = 0; i < ROUNDS; i++) {
		struct desc d = { .machine = machines[rnd() % 3] };
		unsigned int size = rnd() % sizeof(record), n = rnd() % 12;
		struct made m;
		char name[16];

		while (n--) {
			snprintf(name, sizeof(name), n == 1 ? "len" : n ? "f%u" : "buf", n);
			desc_add(&d, types[rnd() % (sizeof(types) / sizeof(*types))], name,
				 rnd() % 64, rnd() % 2 ? 1U << rnd() % 4 : rnd() % 40, rnd() & 1);
		}
		for (unsigned int k = 0; k < sizeof(record); k++)
			record[k] = rnd() % 3 ? rnd() % 32 : rnd() % 2 ? 0 : 0xff;
		m = make(&d, record, size);
		ASSERT_LE(m.s.nr, d.nr);
		ASSERT_EQ(m.s.nr, walk(&d, m.p, m.s.total)) {
			TH_LOG("machine of %u, %s", d.machine.size, d.words);
			made_is(m, "", 0);
			fflush(stdout);
		}
		free(m.p);
	}
}

TEST_HARNESS_MAIN

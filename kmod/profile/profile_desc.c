// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert the kernel's description of a tracepoint to elements of events
 *
 * A field is a number, a string or a buffer. Each field becomes exactly one element, so the n-th
 * element is the n-th field. Offsets found in a record are not trusted: nothing outside the record
 * is read. Readers never see a kernel address as a number: a field that may be an address becomes
 * an OBJ or FUN element, which readers see as a hash; an address in a buffer becomes zeros.
 *
 * desc_measure() and desc_store() run in any context. selftests/unit/test_profile_desc.c
 * compiles this file in user space.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/string.h>
#endif

#include <linux/devtrace.h>

#include "profile_desc.h"

/* The highest 4096 values are error numbers, not addresses. */
#define ERRORS		4096
/* Values below this are not kernel addresses; readers see them unchanged. */
#define SMALL		65536

static bool is_one_of(const char *s, size_t len, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == len && !memcmp(s, *list, len))
			return true;
	return false;
}

static size_t skip_const(const char **type, size_t len)
{
	static const char word[] = "const ";

	if (len > strlen(word) && !memcmp(*type, word, strlen(word))) {
		*type += strlen(word);
		len -= strlen(word);
	}
	return len;
}

static bool is_char(const char *type, size_t len)
{
	static const char *const names[] = { "char", NULL };

	len = skip_const(&type, len);
	return is_one_of(type, len, names);
}

/* Is this a type that holds neither 64-bit values nor addresses? */
static bool is_small(const char *type, size_t len)
{
	static const char *const names[] = {
		"char", "signed char", "unsigned char", "bool", "u8", "s8", "__u8", "__s8",
		"uint8_t", "int8_t", "short", "unsigned short", "u16", "s16", "__u16",
		"__s16", "__be16", "__le16", "uint16_t", "int16_t", "int", "unsigned int",
		"unsigned", "u32", "s32", "__u32", "__s32", "__be32", "__le32", "uint32_t",
		"int32_t", "dev_t", "gfp_t", "uid_t", "gid_t", "pid_t", "umode_t",
		"cpumask_t", NULL
	};

	len = skip_const(&type, len);
	return is_one_of(type, len, names);
}

/* Is the type a pointer, or an integer that often holds one? */
static bool is_word(const char *type, size_t len)
{
	static const char *const names[] = {
		"unsigned long", "long unsigned int", "ulong", "size_t", "uintptr_t", NULL
	};

	len = skip_const(&type, len);
	return (len && type[len - 1] == '*') || is_one_of(type, len, names);
}

static bool ends_with(const char *s, const char *end)
{
	const size_t len = strlen(s), n = strlen(end);

	return len >= n && !strcmp(s + len - n, end);
}

/* Does the name of a field suggest the address of code? Tracepoints have no type for that. */
static bool names_code(const char *name)
{
	static const char *const names[] = {
		"function", "func", "fn", "callback", "call_site", "callsite", "caller",
		"caller_ip", "ip", "parent_ip", NULL
	};

	return is_one_of(name, strlen(name), names) || ends_with(name, "_func") ||
	       ends_with(name, "_fn") || ends_with(name, "_function");
}

static bool may_hold_address(const struct desc_machine *m, const char *type, size_t len,
			     unsigned int size)
{
	if (size != m->size)
		return false;
	/* If kernel and user addresses share a range, only the type can tell. */
	if (m->shared)
		return is_word(type, len);
	return m->size == 8 || !is_small(type, len);
}

static void describe_number(struct desc_field *f, const struct desc_machine *m,
			    const char *type, size_t len, const char *name, bool is_signed)
{
	const bool pointer = type[len - 1] == '*';

	if (is_signed && !pointer) {
		f->kind = DESC_SIGNED;
		return;
	}
	f->kind = DESC_UNSIGNED;
	if (may_hold_address(m, type, len, f->size)) {
		f->flags |= DESC_ADDRESS;
		if (names_code(name))
			f->flags |= DESC_FUNCTION | DESC_HEX;
	}
	if (pointer || strstr(name, "addr"))
		f->flags |= DESC_HEX;
}

/* Describe an array, or another field that is not a number. @type: type of its members */
static void describe_array(struct desc_field *f, const char *type, size_t len)
{
	if (is_char(type, len)) {
		f->kind = DESC_STR;
		return;
	}
	f->kind = DESC_MEM;
	if (!is_small(type, len))
		f->flags |= DESC_ADDRESS;
}

static bool desc_begins(const char **s, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return false;
	*s += n;
	return true;
}

static bool describe_field(struct desc_field *f, const struct desc_machine *m, const char *type,
			   const char *name, bool is_signed)
{
	const char *bracket, *s;
	bool structure;
	size_t len;

	if (desc_begins(&type, "__data_loc "))
		f->place = DESC_DATA_LOC;
	else if (desc_begins(&type, "__rel_loc "))
		f->place = DESC_REL_LOC;
	if (f->place != DESC_HERE && f->size != sizeof(u32))
		return false;
	bracket = strchr(type, '[');
	len = bracket ? (size_t)(bracket - type) : strlen(type);
	while (len && type[len - 1] == ' ')
		len--;
	if (!len)
		return false;
	s = type;
	/* Is the field a structure, not a pointer to one? */
	structure = (desc_begins(&s, "struct ") || desc_begins(&s, "union ")) &&
		    type[len - 1] != '*';
	if (f->place == DESC_HERE && !bracket && !structure &&
	    (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		describe_number(f, m, type, len, name, is_signed);
	else
		describe_array(f, type, len);
	return true;
}

/*
 * The SMBus tracepoints set as many bytes of their array "buf" as their field "len" says. The other
 * bytes still have what an earlier record had there, so readers must not see them.
 */
static void describe_count(struct desc *d, struct desc_field *f, const char *name)
{
	const bool number = f->kind == DESC_SIGNED || f->kind == DESC_UNSIGNED;

	if (number && !strcmp(name, "len"))
		d->count = d->nr + 1;
	else if (f->kind == DESC_MEM && f->place == DESC_HERE && !strcmp(name, "buf"))
		f->counted = d->count;
}

/*
 * Make a name that fmt(5) allows: at most 63 bytes, not a keyword. Return its length; -1:
 * impossible.
 */
static int name_for_fmt(const char *name, char *buf)
{
	static const char *const taken[] = {
		"enum", "flags", "major", "minor", "record", "severity", NULL
	};
	const size_t len = strlen(name);
	size_t i;

	if (!len || len > 62 || (name[0] >= '0' && name[0] <= '9'))
		return -1;
	for (i = 0; i < len; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
		      (name[i] >= '0' && name[i] <= '9') || name[i] == '_'))
			return -1;
	memcpy(buf, name, len);
	if (is_one_of(name, len, taken))
		buf[i++] = '_';
	buf[i] = 0;
	return i;
}

static const char *kind_for_fmt(const struct desc_field *f)
{
	switch (f->kind) {
	case DESC_STR:
		return "str";
	case DESC_MEM:
		return "mem";
	case DESC_SIGNED:
		return f->size == 1 ? "i8" : f->size == 2 ? "i16" : f->size == 4 ? "i32" : "i64";
	default:
		if (f->flags & DESC_ADDRESS)
			return "any";
		return f->size == 1 ? "u8" : f->size == 2 ? "u16" : f->size == 4 ? "u32" : "u64";
	}
}

static bool add_words(struct desc *d, const struct desc_field *f, const char *name)
{
	const char *kind = kind_for_fmt(f);
	size_t at = strlen(d->words), n = strlen(kind);
	char word[64];
	int len = name_for_fmt(name, word);

	/* 4: ", ", a blank and the NUL */
	if (len < 0 || at + n + len + 4 > sizeof(d->words))
		return false;
	if (at) {
		memcpy(d->words + at, ", ", 2);
		at += 2;
	}
	memcpy(d->words + at, kind, n);
	d->words[at + n] = ' ';
	memcpy(d->words + at + n + 1, word, len + 1);
	return true;
}

/**
 * desc_add() - add a field to a description
 * @d: the description; before the first call @d->machine is set and the rest is zero
 * @type: declaration of the field, as in a format file of tracefs: "char[16]",
 *	"__data_loc char[]", "struct page *"
 * @name: name of the field
 * @offset: offset of the field in the record, bytes
 * @size: number of bytes that the field has at @offset
 * @is_signed: the number, or each member of the array, is signed
 *
 * Return: false if the field is not valid, or there is no room for it.
 */
bool desc_add(struct desc *d, const char *type, const char *name, unsigned int offset,
	      unsigned int size, bool is_signed)
{
	struct desc_field *f = &d->field[d->nr];

	if (d->nr == DESC_FIELDS_MAX || offset > U16_MAX || !size || size > U16_MAX - offset)
		return false;
	*f = (struct desc_field){ .offset = offset, .size = size };
	if (!describe_field(f, &d->machine, type, name, is_signed) || !add_words(d, f, name))
		return false;
	describe_count(d, f, name);
	d->nr++;
	return true;
}

/* Load a number in the machine's byte order from any alignment. */
static u64 desc_load(const u8 *p, unsigned int size)
{
	u64 v8;
	u32 v4;
	u16 v2;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&v2, p, sizeof(v2));
		return v2;
	case 4:
		memcpy(&v4, p, sizeof(v4));
		return v4;
	default:
		memcpy(&v8, p, sizeof(v8));
		return v8;
	}
}

static bool is_kernel_address(const struct desc_machine *m, u64 v)
{
	if (v < SMALL)
		return false;
	if (m->shared)
		return true;
	if (m->size == 8)
		return v >> 63 && v < -(u64)ERRORS;
	return v >= m->first && v < (u32)-ERRORS;
}

/* Set @at to the offset of a string or buffer in the record. Return its maximum size, bytes. */
static unsigned int desc_find(const struct desc *d, const struct desc_field *f, const u8 *record,
			      unsigned int size, u16 *at)
{
	unsigned int offset, n;
	u32 loc;
	u64 set;

	if (f->place == DESC_HERE) {
		*at = f->offset;
		if (!f->counted)
			return f->size;
		/* That field comes before this one, and so is within the record. */
		set = desc_load(record + d->field[f->counted - 1].offset,
				d->field[f->counted - 1].size);
		return set < f->size ? (unsigned int)set : f->size;
	}
	loc = desc_load(record + f->offset, sizeof(loc));
	offset = loc & 0xffff;
	n = loc >> 16;
	if (f->place == DESC_REL_LOC)
		offset += f->offset + sizeof(loc);
	if (offset > size || n > size - offset || offset > U16_MAX) {
		*at = 0;
		return 0;
	}
	*at = offset;
	return n;
}

/**
 * desc_measure() - compute the sizes of a record's elements
 * @d: description of the record
 * @record: the record
 * @size: bytes of the record
 * @s: filled in
 *
 * A string or buffer outside the record becomes an empty one. A field outside the record is left
 * out, and so are all fields after it.
 *
 * Context: any.
 */
void desc_measure(const struct desc *d, const void *record, unsigned int size,
		  struct desc_sizes *s)
{
	unsigned int i, n, left, total = 0;
	const u8 *r = record;

	s->addresses = false;
	for (i = 0; i < d->nr; i++) {
		const struct desc_field *f = &d->field[i];

		if (f->offset > size || f->size > size - f->offset)
			break;
		if (f->kind == DESC_SIGNED || f->kind == DESC_UNSIGNED) {
			n = f->size;
			if (f->flags & DESC_ADDRESS &&
			    is_kernel_address(&d->machine, desc_load(r + f->offset, n))) {
				s->addresses = true;
				n = sizeof(u64);
			}
			total += 1 + n;
			continue;
		}
		left = total < DESC_EVENT_MAX ? DESC_EVENT_MAX - total : 0;
		left = left < DESC_TEXT_MAX ? left : DESC_TEXT_MAX;
		n = desc_find(d, f, r, size, &s->at[i]);
		n = n < left ? n : left;
		if (f->kind == DESC_STR)
			n = strnlen((const char *)r + s->at[i], n);
		s->len[i] = n;
		/* 2: the format byte, and the length of a buffer or the NUL of a string. */
		total += 2 + n;
	}
	s->nr = i;
	s->total = total;
}

static u8 *put_value(u8 *p, u8 format, u64 v, unsigned int size)
{
	*p++ = format;
	for (; size; size--, v >>= 8)
		*p++ = v;
	return p;
}

static u8 *store_number(u8 *p, const struct desc *d, const struct desc_field *f, u64 v,
			desc_seen_fn *seen)
{
	static const u8 formats[2][9] = {
		{ [1] = DEVTRACE_E_I8, [2] = DEVTRACE_E_I16, [4] = DEVTRACE_E_I32,
		  [8] = DEVTRACE_E_I64 },
		{ [1] = DEVTRACE_E_U8, [2] = DEVTRACE_E_U16, [4] = DEVTRACE_E_U32,
		  [8] = DEVTRACE_E_U64 },
	};
	u8 format = formats[f->kind == DESC_UNSIGNED][f->size];

	if (f->flags & DESC_ADDRESS && is_kernel_address(&d->machine, v)) {
		if (!(f->flags & DESC_FUNCTION))
			return put_value(p, DEVTRACE_E_OBJ, v, sizeof(v));
		if (seen)
			seen((const void *)(unsigned long)v);
		return put_value(p, DEVTRACE_E_FUN, v, sizeof(v));
	}
	if (f->flags & DESC_HEX)
		format |= DEVTRACE_E_HEX;
	return put_value(p, format, v, f->size);
}

/* Overwrite each aligned word of a buffer that may be a kernel address with zeros. */
static void desc_hide(const struct desc_machine *m, u8 *p, unsigned int len)
{
	unsigned int i;

	/* An incomplete word at the end may be a part of an address. */
	if (len % m->size)
		memset(p + len - len % m->size, 0, len % m->size);
	for (i = 0; i + m->size <= len; i += m->size)
		if (is_kernel_address(m, desc_load(p + i, m->size)))
			memset(p + i, 0, m->size);
}

/**
 * desc_store() - write the elements of a record
 * @d: description of the record
 * @record: the record
 * @s: result of desc_measure() for this record
 * @elements: filled in, @s->total bytes
 * @seen: called with each function that a field points to; may be NULL
 *
 * Context: any.
 */
void desc_store(const struct desc *d, const void *record, const struct desc_sizes *s,
		void *elements, desc_seen_fn *seen)
{
	const u8 *r = record;
	u8 *p = elements;
	unsigned int i;

	for (i = 0; i < s->nr; i++) {
		const struct desc_field *f = &d->field[i];

		switch (f->kind) {
		case DESC_STR:
			*p++ = DEVTRACE_E_STR;
			memcpy(p, r + s->at[i], s->len[i]);
			p += s->len[i];
			*p++ = 0;
			break;
		case DESC_MEM:
			*p++ = DEVTRACE_E_MEM;
			*p++ = s->len[i];
			memcpy(p, r + s->at[i], s->len[i]);
			if (f->flags & DESC_ADDRESS)
				desc_hide(&d->machine, p, s->len[i]);
			p += s->len[i];
			break;
		default:
			p = store_number(p, d, f, desc_load(r + f->offset, f->size), seen);
		}
	}
}

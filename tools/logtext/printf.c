// SPDX-License-Identifier: GPL-2.0-only
/*
 * printf.c - print the elements of an event as printf(3) would print the arguments
 *
 * The text is the one of glibc's printf() in the C locale, byte for byte. Only floating-point
 * numbers are given to snprintf(), with a format that is made here from checked parts.
 *
 * Invariant: each conversion takes one element, and fits() is true for both before the conversion
 * is printed.
 */
#include <stdio.h>
#include <devtrace-decode.h>
#include "logtext/printf.h"

/*
 * The length modifier. WORD is l, z and t: its size is 4 or 8 bytes, depending on the machine, and
 * the element has this size. WIDE is ll and j, and L of an integer: 8 bytes.
 */
enum conv_size { SIZE_INT, SIZE_CHAR, SIZE_SHORT, SIZE_WORD, SIZE_WIDE };

struct conv {
	bool	left, plus, space, zero, alt;
	bool	is_long_double;
	int	width;			/* 0: none */
	int	digits;			/* the precision; -1: none */
	enum conv_size size;
	char	letter;
};

static const char *parse_number(const char *s, int *n)
{
	*n = 0;
	while (*s >= '0' && *s <= '9') {
		if (*n <= LOG_WIDTH_MAX)
			*n = *n * 10 + (*s - '0');
		s++;
	}
	return s;
}

static const char *parse_flags(const char *s, struct conv *c)
{
	for (;; s++) {
		switch (*s) {
		case '-':
			c->left = true;
			break;
		case '+':
			c->plus = true;
			break;
		case ' ':
			c->space = true;
			break;
		case '0':
			c->zero = true;
			break;
		case '#':
			c->alt = true;
			break;
		case '\'':		/* the C locale does not group digits */
			break;
		default:
			return s;
		}
	}
}

/* Parse the length modifier. Its letters are copied to @word for the check of the conversion. */
static const char *parse_size(const char *s, struct conv *c, char word[3])
{
	size_t n = 0;

	c->size = SIZE_INT;
	if ((s[0] == 'h' && s[1] == 'h') || (s[0] == 'l' && s[1] == 'l'))
		n = 2;
	else if (*s && strchr("hlLjzt", *s))
		n = 1;
	memcpy(word, s, n);
	word[n] = '\0';
	if (*s == 'h')
		c->size = n == 2 ? SIZE_CHAR : SIZE_SHORT;
	else if (n == 2 || (n && (*s == 'j' || *s == 'L')))
		c->size = SIZE_WIDE;
	else if (n)
		c->size = SIZE_WORD;
	c->is_long_double = *s == 'L';
	return s + n;
}

/* Check the letter of the conversion. Return what is wrong with it, or NULL. */
static const char *check_letter(const struct conv *c, const char *word)
{
	switch (c->letter) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		return NULL;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return !*word || !strcmp(word, "l") || !strcmp(word, "L") ? NULL :
		       "the length modifier does not fit a floating-point number";
	case 'c':
	case 's':
		if (!strcmp(word, "l"))
			return "wide characters are not supported";
		/* fall through */
	case 'p':
		return *word ? "the length modifier does not fit this conversion" : NULL;
	case 'C':
	case 'S':
		return "wide characters are not supported";
	case 'n':
		return "%n writes to memory, which printing an event later cannot do";
	case 'm':
		return "%m is not supported: give strerror(errno) or errno as an argument";
	case '*':
		return "a width or precision * is not supported: write the number";
	case '$':
		return "numbered arguments are not supported";
	case '\0':
		return "the conversion is not complete at the end of the text";
	default:
		return "unknown; the conversions are: d i u o x X c s p a A e E f F g G %";
	}
}

/*
 * Parse the conversion after the '%' before @s. Return its end. *problem is set to NULL or to what
 * is wrong.
 */
static const char *parse_conv(const char *s, struct conv *c, const char **problem)
{
	char word[3];

	memset(c, 0, sizeof(*c));
	c->digits = -1;
	s = parse_flags(s, c);
	s = parse_number(s, &c->width);
	if (*s == '.')
		s = parse_number(s + 1, &c->digits);
	s = parse_size(s, c, word);
	c->letter = *s;
	*problem = check_letter(c, word);
	if (!*problem && (c->width > LOG_WIDTH_MAX || c->digits > LOG_WIDTH_MAX))
		*problem = "a width or precision is at most 4095";
	return *s ? s + 1 : s;
}

/*
 * Go to the next conversion that takes an argument. Return the end of the conversion, or NULL if
 * there is none. Unless @o is NULL, print the text before it.
 */
static const char *next_conv(struct out *o, const char *s, struct conv *c, const char **problem)
{
	size_t n;

	*problem = NULL;
	for (;;) {
		n = strcspn(s, "%");
		if (o)
			out_mem(o, s, n);
		s += n;
		if (!*s)
			return NULL;
		if (s[1] != '%')
			return parse_conv(s + 1, c, problem);
		if (o)
			out_char(o, '%');
		s += 2;
	}
}

const char *log_format_problem(const char *format, size_t *at, size_t *len)
{
	const char *problem, *s = format, *end;
	struct conv c;

	while ((end = next_conv(NULL, s, &c, &problem))) {
		if (problem) {
			const char *begin = end - 1;

			/* No '%' is inside a conversion: the last one begins it. */
			while (begin > s && *begin != '%')
				begin--;
			*at = (size_t)(begin - format);
			*len = (size_t)(end - begin);
			return problem;
		}
		s = end;
	}
	return NULL;
}

/* Return the number of bytes of an integer element, or 0 if the element is no integer. */
static unsigned int integer_bytes(const struct devtrace_elem *e)
{
	if (e->is_enum)
		return 0;
	switch (e->type) {
	case DEVTRACE_E_I8:
	case DEVTRACE_E_U8:
		return 1;
	case DEVTRACE_E_I16:
	case DEVTRACE_E_U16:
		return 2;
	case DEVTRACE_E_I32:
	case DEVTRACE_E_U32:
	case DEVTRACE_E_X32:
		return 4;
	case DEVTRACE_E_I64:
	case DEVTRACE_E_U64:
		return 8;
	default:
		return 0;
	}
}

static bool fits(const struct conv *c, const struct devtrace_elem *e)
{
	unsigned int bytes = integer_bytes(e);

	switch (c->letter) {
	case 's':
		return !e->is_enum && e->type == DEVTRACE_E_STR;
	case 'p':
		/* The kernel sends a hash of the address as OBJ. */
		return bytes >= 4 || (!e->is_enum && e->type == DEVTRACE_E_OBJ);
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'c':
		switch (c->size) {
		case SIZE_WORD:
			return bytes >= 4;
		case SIZE_WIDE:
			return bytes == 8;
		default:
			return bytes && bytes <= 4;
		}
	default:
		return !e->is_enum && (e->type == DEVTRACE_E_F32 || e->type == DEVTRACE_E_F64);
	}
}

/* Return the bits of an integer element, extended by its own sign. */
static uint64_t integer_bits(const struct devtrace_elem *e)
{
	switch (e->type) {
	case DEVTRACE_E_I8:
	case DEVTRACE_E_I16:
	case DEVTRACE_E_I32:
	case DEVTRACE_E_I64:
		return (uint64_t)e->v.i;
	default:
		return e->v.u;
	}
}

/* Return the number of bits that the conversion takes from its argument. */
static unsigned int conv_bits(const struct conv *c, const struct devtrace_elem *e)
{
	switch (c->size) {
	case SIZE_CHAR:
		return 8;
	case SIZE_SHORT:
		return 16;
	case SIZE_INT:
		return 32;
	default:
		return integer_bytes(e) * 8;
	}
}

/* Print @n bytes after a prefix, padded to the width. */
static void print_padded(struct out *o, const struct conv *c, const char *prefix, size_t zeros,
			 const void *p, size_t n)
{
	size_t len = strlen(prefix) + zeros + n, width = (size_t)c->width;
	size_t pad = width > len ? width - len : 0;

	if (!c->left)
		out_fill(o, ' ', pad);
	out_str(o, prefix);
	out_fill(o, '0', zeros);
	out_mem(o, p, n);
	if (c->left)
		out_fill(o, ' ', pad);
}

static void print_number(struct out *o, const struct conv *c, uint64_t v, const char *sign,
			 unsigned int base, bool upper)
{
	static const char small[] = "0123456789abcdef", large[] = "0123456789ABCDEF";
	const char *set = upper ? large : small;
	char digits[24], prefix[4];
	size_t n = 0, zeros = 0, len;
	const bool alt = c->alt || c->letter == 'p';

	for (uint64_t rest = v; rest; rest /= base)
		digits[sizeof(digits) - ++n] = set[rest % base];
	/* Without a precision the number 0 has one digit. */
	if (!v && c->digits)
		digits[sizeof(digits) - ++n] = '0';
	snprintf(prefix, sizeof(prefix), "%s%s", sign,
		 base == 16 && alt && v ? upper ? "0X" : "0x" : "");
	if (c->digits > 0 && (size_t)c->digits > n)
		zeros = (size_t)c->digits - n;
	if (base == 8 && alt && !zeros && (!n || digits[sizeof(digits) - n] != '0'))
		zeros = 1;
	len = strlen(prefix) + zeros + n;
	if (c->zero && !c->left && c->digits < 0 && (size_t)c->width > len)
		zeros += (size_t)c->width - len;
	print_padded(o, c, prefix, zeros, digits + sizeof(digits) - n, n);
}

static void print_integer(struct out *o, const struct conv *c, const struct devtrace_elem *e)
{
	const unsigned int unused = 64 - conv_bits(c, e);
	uint64_t v = integer_bits(e) << unused >> unused;
	const char *sign = c->plus ? "+" : c->space ? " " : "";
	int64_t i;

	switch (c->letter) {
	case 'd':
	case 'i':
		i = (int64_t)(v << unused) >> unused;
		print_number(o, c, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0 ? "-" : sign, 10,
			     false);
		break;
	case 'p':
		/* glibc prints the signs of a pointer, too. */
		v = integer_bits(e);
		if (v)
			print_number(o, c, v, sign, 16, false);
		else
			print_padded(o, c, "", 0, "(nil)", 5);
		break;
	case 'u':
		print_number(o, c, v, "", 10, false);
		break;
	case 'o':
		print_number(o, c, v, "", 8, false);
		break;
	default:
		print_number(o, c, v, "", 16, c->letter == 'X');
	}
}

/*
 * glibc prints the digits exactly, with any precision. The longest text is one of %f: 309 digits
 * before the point, and a precision of LOG_WIDTH_MAX after it.
 */
static void print_float(struct out *o, const struct conv *c, double v)
{
	char format[16], *f = format, text[LOG_WIDTH_MAX + 512];
	int n;

	*f++ = '%';
	if (c->left)
		*f++ = '-';
	if (c->plus)
		*f++ = '+';
	if (c->space)
		*f++ = ' ';
	if (c->zero)
		*f++ = '0';
	if (c->alt)
		*f++ = '#';
	memcpy(f, "*.*", 3);
	f += 3;
	if (c->is_long_double)
		*f++ = 'L';
	*f++ = c->letter;
	*f = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	/* A negative precision is none. */
	if (c->is_long_double)
		n = snprintf(text, sizeof(text), format, c->width, c->digits, (long double)v);
	else
		n = snprintf(text, sizeof(text), format, c->width, c->digits, v);
#pragma GCC diagnostic pop
	if (n > 0 && (size_t)n < sizeof(text))
		out_mem(o, text, (size_t)n);
}

static void print_conv(struct out *o, const struct conv *c, const struct devtrace_elem *e)
{
	size_t n;
	char ch;

	switch (c->letter) {
	case 's':
		n = e->v.mem.len;
		if (c->digits >= 0 && n > (size_t)c->digits)
			n = (size_t)c->digits;
		print_padded(o, c, "", 0, e->v.mem.p, n);
		break;
	case 'c':
		ch = (char)(integer_bits(e) & 0xff);
		print_padded(o, c, "", 0, &ch, 1);
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
	case 'p':
		print_integer(o, c, e);
		break;
	default:
		print_float(o, c, e->v.f);
	}
}

/* Is the element the note "[N bytes cut]" at the end of an event that was too long? */
static bool is_cut(const struct devtrace_elem *e)
{
	static const char tail[] = " bytes cut]";
	const size_t tail_len = sizeof(tail) - 1;
	const char *p = (const char *)e->v.mem.p;
	size_t i;

	if (e->is_enum || e->type != DEVTRACE_E_STR || e->v.mem.len < tail_len + 2 || *p != '[' ||
	    memcmp(p + e->v.mem.len - tail_len, tail, tail_len))
		return false;
	for (i = 1; i < e->v.mem.len - tail_len; i++)
		if (p[i] < '0' || p[i] > '9')
			return false;
	return true;
}

/*
 * Compare the elements with the format. *cut is set to the offset of the note about a cut, or to
 * SIZE_MAX.
 */
static bool all_fit(const char *s, const uint8_t *data, size_t len, size_t *cut)
{
	struct devtrace_elem e = { .type = DEVTRACE_E_U8 };
	const char *problem;
	struct conv c;
	size_t pos = 0, at = 0;

	*cut = SIZE_MAX;
	while ((s = next_conv(NULL, s, &c, &problem))) {
		bool more = pos < len;

		if (more) {
			at = pos;
			if (devtrace_elem_next(data, len, &pos, &e) != 1)
				return false;
		}
		if (problem)
			return false;
		if (more && fits(&c, &e))
			continue;
		/* The elements end before the conversions. */
		*cut = at;
		return is_cut(&e) && pos == len && !log_format_problem(s, &at, &at);
	}
	if (pos == len)
		return true;
	*cut = pos;
	return devtrace_elem_next(data, len, &pos, &e) == 1 && is_cut(&e) && pos == len;
}

bool log_format_print(struct out *o, const char *format, const uint8_t *data, size_t len)
{
	const char *problem, *s = format;
	struct devtrace_elem e;
	size_t pos = 0, cut;
	struct conv c;

	if (!all_fit(format, data, len, &cut))
		return false;
	while ((s = next_conv(o, s, &c, &problem))) {
		/* all_fit() found both to be whole. */
		if (pos == cut || devtrace_elem_next(data, len, &pos, &e) != 1)
			break;
		print_conv(o, &c, &e);
	}
	if (cut != SIZE_MAX && devtrace_elem_next(data, len, &cut, &e) == 1) {
		out_char(o, ' ');
		out_mem(o, e.v.mem.p, e.v.mem.len);
	}
	return true;
}

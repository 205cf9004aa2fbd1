// SPDX-License-Identifier: GPL-2.0-only
/*
 * lex.c - tokens of a .fmt file, and messages about it
 *
 * The lexer reports unknown characters and skips them, so the parser sees only tokens. The offset
 * in the file is known for every token and for every byte of a string; messages compute line and
 * column from it.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "internal.h"

/*
 * Find where each line begins. This is done only once per file, because there may be many
 * messages.
 */
static void find_lines(struct fmt_arena *arena, struct fmt_file *f)
{
	const char *p, *end = f->text + f->len;
	unsigned int n = 1;

	for (p = f->text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		n++;
	f->lines = fmt_alloc(arena, n * sizeof(*f->lines));
	for (p = f->text; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		f->lines[++f->last_line] = (uint32_t)(p + 1 - f->text);
}

void fmt_locate(const struct fmt_place *place, unsigned int *line, unsigned int *column)
{
	const struct fmt_file *f = place->file;
	unsigned int low = 0, high = f->last_line;

	while (low < high) {
		unsigned int mid = high - (high - low) / 2;

		if (f->lines[mid] <= place->offset)
			low = mid;
		else
			high = mid - 1;
	}
	*line = low + 1;
	*column = place->offset - f->lines[low] + 1;
}

static void vreport(struct fmt_set *set, enum fmt_level level, const struct fmt_file *file,
		    size_t offset, const char *format, va_list ap)
{
	struct fmt_place place = { file, offset };
	unsigned int line, column;
	char raw[512];
	struct out safe;

	if (level == FMT_ERROR)
		set->errors++;
	else if (level == FMT_WARNING)
		set->warnings++;
	if (!set->diag)
		return;
	vsnprintf(raw, sizeof(raw), format, ap);
	out_init(&safe, -1);
	out_safe(&safe, raw, strlen(raw));
	out_char(&safe, 0);
	fmt_locate(&place, &line, &column);
	if (!safe.err)
		set->diag(set->diag_arg, level, file->path, line, column, safe.buf);
	out_free(&safe);
}

void fmt_report(struct fmt_set *set, enum fmt_level level, const struct fmt_file *file,
		size_t offset, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vreport(set, level, file, offset, format, ap);
	va_end(ap);
}

/* Report an error. After FMT_ERRORS_MAX errors, the rest of the file is ignored. */
static void verror(struct fmt_parser *p, size_t offset, const char *format, va_list ap)
{
	if (p->file->errors >= FMT_ERRORS_MAX)
		return;
	vreport(p->set, FMT_ERROR, p->file, offset, format, ap);
	if (++p->file->errors == FMT_ERRORS_MAX) {
		fmt_report(p->set, FMT_NOTE, p->file, offset,
			   "too many errors: the rest of this file is ignored");
		p->cur = p->file->len;
		p->tok = TOK_END;
	}
}

/* Report an error in the current declaration, which is then not used. */
void fmt_error(struct fmt_parser *p, size_t offset, const char *format, ...)
{
	va_list ap;

	p->broken = true;
	va_start(ap, format);
	verror(p, offset, format, ap);
	va_end(ap);
}

/*
 * Report an error in the next token, which belongs either to this declaration or to the next one.
 */
__attribute__((format(printf, 3, 4)))
static void token_error(struct fmt_parser *p, size_t offset, const char *format, ...)
{
	va_list ap;

	p->bad = true;
	va_start(ap, format);
	verror(p, offset, format, ap);
	va_end(ap);
}

void fmt_warning(struct fmt_parser *p, size_t offset, const char *format, ...)
{
	va_list ap;

	if (p->file->warnings++ >= FMT_WARNINGS_MAX) {
		p->set->warnings++;
		if (p->file->warnings == FMT_WARNINGS_MAX + 1)
			fmt_report(p->set, FMT_NOTE, p->file, offset,
				   "too many warnings: from here on they are only counted");
		return;
	}
	va_start(ap, format);
	vreport(p->set, FMT_WARNING, p->file, offset, format, ap);
	va_end(ap);
}

static int peek(const struct fmt_parser *p, size_t ahead)
{
	return p->cur + ahead < p->file->len ?
	       (unsigned char)p->file->text[p->cur + ahead] : -1;
}

/* Return the number of bytes of space and comments at p->cur. */
static size_t space(const struct fmt_parser *p)
{
	size_t n = 0;

	for (;; n++) {
		int c = peek(p, n);

		if (c == '#')
			while (c >= 0 && c != '\n')
				c = peek(p, ++n);
		if (c != '\n' && c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f')
			return n;
	}
}

int fmt_ahead(const struct fmt_parser *p)
{
	return peek(p, space(p));
}

static bool line_end(const struct fmt_parser *p, size_t from, size_t to)
{
	return from < to && memchr(p->file->text + from, '\n', to - from);
}

static void skip_space(struct fmt_parser *p)
{
	size_t from = p->cur;

	p->cur += space(p);
	if (line_end(p, from, p->cur))
		p->first = true;
}

static int digit_of(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

static bool name_char(int c)
{
	return c >= 0 && c < 0x80 && (isalnum(c) || c == '_');
}

static void lex_number(struct fmt_parser *p)
{
	unsigned int base = 10, nr = 0;
	bool overflow = false;
	int c;

	p->tok = TOK_NUMBER;
	p->number = 0;
	if (peek(p, 0) == '0' && (peek(p, 1) | 0x20) == 'x')
		base = 16;
	else if (peek(p, 0) == '0' && (peek(p, 1) | 0x20) == 'b')
		base = 2;
	if (base != 10)
		p->cur += 2;
	for (; name_char(c = peek(p, 0)); p->cur++, nr++) {
		unsigned int d = digit_of(c);

		if (d >= base) {
			token_error(p, p->cur, "'%c' is not a digit of a %s number", c,
				    base == 16 ? "hexadecimal" :
				    base == 2 ? "binary" : "decimal");
			while (name_char(peek(p, 0)))
				p->cur++;
			return;
		}
		if (p->number > (UINT64_MAX - d) / base)
			overflow = true;
		p->number = p->number * base + d;
	}
	if (!nr)
		token_error(p, p->start, "digits are missing after 0%c",
			    base == 16 ? 'x' : 'b');
	else if (overflow)
		token_error(p, p->start, "the number does not fit in 64 bits");
}

/* Can a declaration begin with the token? After a '}' or ';' or as the first word of a line. */
static bool may_begin(const struct fmt_parser *p)
{
	return p->first || (p->prev_end && strchr("};", p->file->text[p->prev_end - 1]));
}

/* Is the next word a kind of owner? */
static bool owner_ahead(const struct fmt_parser *p)
{
	static const char *const words[] = { "program", "module", "build" };
	const size_t from = space(p);
	size_t i, n = from;

	while (name_char(peek(p, n)))
		n++;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n - from &&
		    !memcmp(words[i], p->file->text + p->cur + from, n - from))
			return true;
	return false;
}

static bool name_is(const struct fmt_parser *p, const char *word)
{
	return strlen(word) == p->name_len && !memcmp(word, p->name, p->name_len);
}

static void lex_name(struct fmt_parser *p)
{
	static const struct {
		const char *word;
		enum fmt_token tok;
	} words[] = {
		{ "enum", TOK_ENUM }, { "flags", TOK_FLAGS }, { "major", TOK_MAJOR },
		{ "minor", TOK_MINOR }, { "needs", TOK_NEEDS }, { "record", TOK_RECORD },
		{ "severity", TOK_SEVERITY },
	};
	size_t i;

	while (name_char(peek(p, 0)))
		p->cur++;
	p->tok = TOK_NAME;
	p->name = p->file->text + p->start;
	p->name_len = p->cur - p->start;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (name_is(p, words[i].word))
			p->tok = words[i].tok;
	/* Elsewhere these are names: older files may have them for an argument or a value. */
	if (name_is(p, "image") && p->first && fmt_ahead(p) == '"')
		p->tok = TOK_IMAGE;
	if (name_is(p, "for") && may_begin(p) && owner_ahead(p))
		p->tok = TOK_FOR;
	if (p->name_len > FMT_NAME_MAX)
		token_error(p, p->start, "a name has at most %d characters, this one %zu",
			    FMT_NAME_MAX, p->name_len);
}

static void put(struct fmt_parser *p, int c, size_t from)
{
	if (p->str_len == p->str_size) {
		p->str_size = p->str_size ? p->str_size * 2 : 256;
		p->str = realloc(p->str, p->str_size);
		p->pos = realloc(p->pos, p->str_size * sizeof(*p->pos));
		if (!p->str || !p->pos) {
			fputs("traceinfo: out of memory\n", stderr);
			exit(1);
		}
	}
	p->str[p->str_len] = (char)c;
	p->pos[p->str_len++] = from;
}

static void lex_escape(struct fmt_parser *p)
{
	size_t from = p->cur++;
	int c = peek(p, 0);

	switch (c) {
	case '\\':
	case '"':
		break;
	case 'n':
		c = '\n';
		break;
	case 't':
		c = '\t';
		break;
	case 'x':
		if (digit_of(peek(p, 1)) < 16 && digit_of(peek(p, 2)) < 16) {
			c = digit_of(peek(p, 1)) * 16 + digit_of(peek(p, 2));
			p->cur += 2;
			break;
		}
		/* fall through */
	default:
		token_error(p, from, "unknown escape in a string; the escapes are: \\\\ \\\" \\n \\t \\xHH");
		return;
	}
	put(p, c, from);
	p->cur++;
}

/* Read a string. p->cur is at the opening quote, and is moved behind the closing quote. */
static void lex_string(struct fmt_parser *p)
{
	int c;

	p->cur++;
	while ((c = peek(p, 0)) != '"') {
		if (c < 0 || c == '\n') {
			token_error(p, p->start, "the string is not closed on its line: '\"' is missing");
			return;
		}
		if (c == '\\')
			lex_escape(p);
		else
			put(p, c, p->cur++);
	}
	p->cur++;
}

bool fmt_begins(const struct fmt_parser *p)
{
	switch (p->tok) {
	case TOK_FOR:
	case TOK_IMAGE:
	case TOK_MAJOR:
	case TOK_MINOR:
	case TOK_NEEDS:
	case TOK_RECORD:
	case TOK_SEVERITY:
		return true;
	case TOK_ENUM:
	case TOK_FLAGS:
		return p->first && !p->parens;
	default:
		return false;
	}
}

/*
 * Decide which declaration an unknown character breaks; the character is at @at, before the token.
 * If the token does not begin a declaration, the declaration that consumes it is broken. The
 * current declaration is broken, too, if the character is on the line on which the previous token
 * ends (@apart is false), unless the token begins a declaration on the same line.
 */
static void misplaced(struct fmt_parser *p, size_t at, bool apart)
{
	if (!fmt_begins(p))
		p->bad = true;
	if (!apart && (!fmt_begins(p) || line_end(p, at, p->start)))
		p->broken = true;
}

void fmt_next(struct fmt_parser *p)
{
	size_t stray = SIZE_MAX;
	bool apart = false;
	int c;

	/* The current declaration consumes the token; a mistake in the token breaks it. */
	if (p->bad)
		p->broken = true;
	p->bad = false;
	p->prev_end = p->cur;
	p->first = p->cur == 0;
again:
	skip_space(p);
	p->start = p->cur;
	c = peek(p, 0);
	if (c < 0) {
		p->tok = TOK_END;
	} else if (c == '"') {
		p->tok = TOK_STRING;
		if (!p->append)
			p->str_len = 0;
		lex_string(p);
	} else if (c >= '0' && c <= '9') {
		lex_number(p);
	} else if (name_char(c)) {
		lex_name(p);
	} else if (strchr("{}(),;=/:*-<", c) && c) {
		p->tok = TOK_PUNCT;
		p->punct = (char)c;
		p->cur++;
		if (c == '(')
			p->parens++;
		else if (c == ')' && p->parens)
			p->parens--;
	} else {
		size_t n = utf8_len((const uint8_t *)p->file->text + p->cur,
				    p->file->len - p->cur);

		if (stray == SIZE_MAX) {
			stray = p->cur;
			apart = p->first;
		}
		token_error(p, p->cur, "'%.*s' has no meaning here", n ? (int)n : 1,
			    p->file->text + p->cur);
		p->bad = false;
		p->cur += n ? n : 1;
		if (p->cur > p->file->len)
			p->cur = p->file->len;
		goto again;
	}
	if (stray != SIZE_MAX)
		misplaced(p, stray, apart);
}

void fmt_lex_init(struct fmt_parser *p, struct fmt_set *set, struct fmt_file *file)
{
	memset(p, 0, sizeof(*p));
	p->set = set;
	p->file = file;
	find_lines(&set->arena, file);
}

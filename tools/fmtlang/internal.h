/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - what the parts of the .fmt compiler share with each other
 *
 * lexer (fmtlang/lex.c) -> parser (fmtlang/parse.c) -> text compiler (fmtlang/compile.c)
 * -> conflicts (fmtlang/check.c) -> printing (fmtlang/print.c).
 */
#ifndef TRACEINFO_FMT_INT_H
#define TRACEINFO_FMT_INT_H

#include "fmt.h"

enum fmt_token {
	TOK_END,
	TOK_NAME,
	TOK_NUMBER,
	TOK_STRING,
	TOK_PUNCT,		/* its character is in punct */
	/* Words that begin a declaration. */
	TOK_ENUM,
	TOK_FLAGS,
	TOK_MAJOR,
	TOK_MINOR,
	TOK_RECORD,
	TOK_SEVERITY,
};

/*
 * The parser's state for one file. tok and the fields after it describe the
 * token that comes next. A string's bytes are in str, and for each of them the
 * offset in the file from which it came is in pos: errors inside a text are
 * reported where they stand.
 */
struct fmt_parser {
	struct fmt_set	*set;
	struct fmt_file	*file;
	size_t		cur;		/* next byte to look at */

	enum fmt_token	tok;
	size_t		start;		/* of the token */
	size_t		prev_end;	/* where the token before ended */
	bool		first;		/* first on its line */
	char		punct;
	const char	*name;
	size_t		name_len;
	uint64_t	number;

	char		*str;
	uint32_t	*pos;
	size_t		str_len, str_size;
	bool		append;		/* strings in a row are one */

	bool		broken;		/* a mistake in this declaration */
	bool		bad;		/* in the token: of the declaration that takes it */
	unsigned int	parens;		/* round brackets that are open */
	struct fmt_table *tables[FMT_BUCKETS];	/* by the hash of their names */
	unsigned int	nr_tables;
};

/* A copy that is safe to print; *len is its length if not NULL. */
const char *fmt_copy(struct fmt_parser *p, const char *s, size_t n, bool text, size_t *len);
/* Zeroed memory; ends the program with a message if there is none. */
void *fmt_alloc(struct fmt_arena *a, size_t size);

void fmt_lex_init(struct fmt_parser *p, struct fmt_set *set, struct fmt_file *file);
void fmt_next(struct fmt_parser *p);
/* The byte with which what follows the token begins; -1: the end of the file. */
int fmt_ahead(const struct fmt_parser *p);
/* Whether the token begins a declaration: enum and flags are types, too. */
bool fmt_begins(const struct fmt_parser *p);

void fmt_error(struct fmt_parser *p, size_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fmt_warning(struct fmt_parser *p, size_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fmt_report(struct fmt_set *set, enum fmt_level level, const struct fmt_file *file,
		size_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Compile the text in str/pos (has_text) or "name=value" for each argument. */
void fmt_compile(struct fmt_parser *p, struct fmt_entry *e, bool has_text);
const struct fmt_table *fmt_table_find(const struct fmt_parser *p, const char *name, size_t n);
void fmt_table_add(struct fmt_parser *p, struct fmt_table *t);

/* Put a description in its place unless another one has it already. */
void fmt_add_record(struct fmt_parser *p, unsigned int type, struct fmt_entry *e);
void fmt_add_minor(struct fmt_parser *p, struct fmt_major *m, int minor, struct fmt_entry *e);
void fmt_add_severity(struct fmt_parser *p, struct fmt_major *m, unsigned int level,
		      struct fmt_entry *e);
/* The major with this number, made if it is new; NULL if its name differs. */
struct fmt_major *fmt_get_major(struct fmt_parser *p, uint32_t number, const char *name,
				size_t offset);
/* Sort an enum; report values that stand twice. */
void fmt_check_table(struct fmt_parser *p, struct fmt_table *t);

const struct fmt_label *fmt_enum_find(const struct fmt_table *t, uint64_t value);

#endif

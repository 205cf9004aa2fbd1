/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - internal interface of the .fmt compiler
 *
 * lexer (lex.c) -> parser (parse.c) -> text compiler (compile.c) -> conflicts (check.c) ->
 * printing (print.c).
 */
#ifndef TRACEINFO_FMT_INT_H
#define TRACEINFO_FMT_INT_H

#include "fmt.h"

enum fmt_token {
	TOK_END,
	TOK_NAME,
	TOK_NUMBER,
	TOK_STRING,
	TOK_PUNCT,		/* the character is in punct */
	/* Keywords that begin a declaration. */
	TOK_ENUM,
	TOK_FLAGS,
	TOK_MAJOR,
	TOK_MINOR,
	TOK_NEEDS,
	TOK_RECORD,
	TOK_SEVERITY,
};

/*
 * The parser's state for one file. @tok and the fields after it describe the next token. @str has
 * the bytes of a string, and pos[i] is the offset of str[i] in the file, so that an error inside a
 * text is reported at its position.
 */
struct fmt_parser {
	struct fmt_set	*set;
	struct fmt_file	*file;
	size_t		cur;		/* next byte to read */

	enum fmt_token	tok;
	size_t		start;		/* of the token */
	size_t		prev_end;	/* end of the previous token */
	bool		first;		/* first on its line */
	char		punct;
	const char	*name;
	size_t		name_len;
	uint64_t	number;

	char		*str;
	uint32_t	*pos;
	size_t		str_len, str_size;
	bool		append;		/* concatenate adjacent strings */

	bool		broken;		/* a mistake in this declaration */
	/*
	 * bad: the next token contains a mistake, which breaks the declaration that consumes the
	 * token
	 */
	bool		bad;
	unsigned int	parens;		/* open parentheses */
	struct fmt_table *tables[FMT_BUCKETS];	/* by the hash of their names */
	unsigned int	nr_tables;
};

/* Return an escaped copy of @s, and its length in *len. @text: keep line ends and tabs. */
const char *fmt_copy(struct fmt_parser *p, const char *s, size_t n, bool text, size_t *len);
/* Return zeroed memory. If there is none, print a message and end the program. */
void *fmt_alloc(struct fmt_arena *a, size_t size);

void fmt_lex_init(struct fmt_parser *p, struct fmt_set *set, struct fmt_file *file);
void fmt_next(struct fmt_parser *p);
/*
 * Return the first byte after the token that is neither space nor comment, or -1 at the end of the
 * file.
 */
int fmt_ahead(const struct fmt_parser *p);
/*
 * Does the token begin a declaration? The words enum and flags do not if they are an argument's
 * type.
 */
bool fmt_begins(const struct fmt_parser *p);

void fmt_error(struct fmt_parser *p, size_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fmt_warning(struct fmt_parser *p, size_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void fmt_report(struct fmt_set *set, enum fmt_level level, const struct fmt_file *file,
		size_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Compile the text in @str and @pos if @has_text, otherwise "name=value" for each argument. */
void fmt_compile(struct fmt_parser *p, struct fmt_entry *e, bool has_text);
const struct fmt_table *fmt_table_find(const struct fmt_parser *p, const char *name, size_t n);
void fmt_table_add(struct fmt_parser *p, struct fmt_table *t);

/* The declarations of p->file. */
void fmt_parse(struct fmt_parser *p);

/* From here on, the file's descriptions apply only to programs that name the type @type @name. */
void fmt_set_needs(struct fmt_parser *p, unsigned int type, const char *name, size_t offset);
/* Add a description; report a duplicate. */
void fmt_add_record(struct fmt_parser *p, unsigned int type, struct fmt_entry *e);
void fmt_add_minor(struct fmt_parser *p, struct fmt_major *m, int minor, struct fmt_entry *e);
void fmt_add_severity(struct fmt_parser *p, struct fmt_major *m, unsigned int level,
		      struct fmt_entry *e);
/* Find the major, or add it. Return NULL if the number has another name already. */
struct fmt_major *fmt_get_major(struct fmt_parser *p, uint32_t number, const char *name,
				size_t offset);
/* Sort the labels of an enum by value, and report duplicate values. */
void fmt_check_table(struct fmt_parser *p, struct fmt_table *t);

const struct fmt_label *fmt_enum_find(const struct fmt_table *t, uint64_t value);

#endif

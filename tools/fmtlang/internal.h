/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - internal interface of the .fmt compiler
 *
 * lexer (lex.c) -> parser (expect.c; arg.c, image.c and owner.c; parse.c) -> text compiler
 * (compile.c) -> conflicts (check.c) -> search (find.c) -> printing (print.c).
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
	TOK_FOR,		/* only where a declaration may begin and before a kind of owner */
	TOK_IMAGE,		/* only at the beginning of a line and before a string */
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
	unsigned int	nr_tables, nr_tracepoints;
	/* To whom the next descriptions are bound; none: they do not say whose they are. */
	struct fmt_owner *owners[FMT_FOR_MAX];
	unsigned int	nr_owners, nr_all_owners;
	bool		lost;		/* "for" has a mistake: what follows is not used */
	/* The major whose minors are parsed, as each of the owners has it. */
	struct fmt_major *majors[FMT_FOR_MAX];
	unsigned int	nr_majors;
	struct log_image **images;	/* which the file describes */
	size_t		nr_images;
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

/* expect.c: Is the next token this character? fmt_take() also goes to the token after it then. */
bool fmt_is_punct(const struct fmt_parser *p, char c);
bool fmt_take(struct fmt_parser *p, char c);
/* Describe the next token, for the message "... expected, but there is ...". */
const char *fmt_found(const struct fmt_parser *p, char *buf, size_t size);
/* Report that @what is missing here, and that the declaration is broken. */
void fmt_expected(struct fmt_parser *p, const char *what);
/*
 * After a mistake, skip to a keyword that begins a declaration, or to a '}'. enum and flags may be
 * types, so they begin a declaration only as the first word of a line.
 */
void fmt_resync(struct fmt_parser *p);
/* Parse number = NUMBER [ "<<" NUMBER ], at most @max. */
bool fmt_parse_number(struct fmt_parser *p, uint64_t max, const char *what, uint64_t *v);
/* Parse a NAME. Return a copy, and its length in *len; or NULL. */
const char *fmt_parse_name(struct fmt_parser *p, const char *what, size_t *len);

/* arg.c: parse the list of arguments of @e, if there is one. Return false after a mistake. */
bool fmt_parse_args(struct fmt_parser *p, struct fmt_entry *e);

/* The declarations of p->file. */
void fmt_parse(struct fmt_parser *p);

/* From here on, the file's descriptions apply only to programs that name the type @type @name. */
void fmt_set_needs(struct fmt_parser *p, unsigned int type, const char *name, size_t offset);
/* Add a description; report a duplicate. */
void fmt_add_record(struct fmt_parser *p, unsigned int type, struct fmt_entry *e);
/* The same for a tracepoint; its name is the entry's. */
void fmt_add_tracepoint(struct fmt_parser *p, struct fmt_entry *e);
/*
 * Find the major, or add it: its minors and severities are added with the next calls. None is if
 * the number has another name already.
 */
void fmt_begin_major(struct fmt_parser *p, uint32_t number, const char *name, size_t offset);
void fmt_add_minor(struct fmt_parser *p, int minor, struct fmt_entry *e);
void fmt_add_severity(struct fmt_parser *p, unsigned int level, struct fmt_entry *e);
struct fmt_major *fmt_find_major(const struct fmt_claims *claims, uint32_t number);
/* The bucket of a tracepoint. */
unsigned int fmt_bucket(const char *name, size_t n);
/* Does the number of a user record mean something else in every program and driver? */
bool fmt_type_is_shared(unsigned int type);
/* Sort the labels of an enum by value, and report duplicate values. */
void fmt_check_table(struct fmt_parser *p, struct fmt_table *t);

/*
 * owner.c: parse "for" up to its '{', and set p->owners; after a mistake, p->lost.
 */
void fmt_parse_for(struct fmt_parser *p);
#define FMT_COMM_LEN	15	/* the kernel keeps so many bytes of a program's name */

/* Return the owner of this name, or NULL. */
const struct fmt_owner *fmt_owner_find(const struct fmt_set *set, enum fmt_owner_kind kind,
				       const char *name);
/* Return the only program whose longer name the kernel cuts to @name, or NULL. */
const struct fmt_owner *fmt_owner_of_cut(const struct fmt_set *set, const char *name);
/* The module of an object of this name: the name up to its first ':', for example. */
const struct fmt_owner *fmt_owner_of_object(const struct fmt_set *set, const char *object);
bool fmt_module_has_object(const char *module, const char *object);

/*
 * report.c: print once that two files give this number different names, or that the emitter gives
 * its records another name than this description.
 */
void fmt_tell_rival(enum fmt_kind kind, uint32_t number, const char *name,
		    const struct fmt_place *place, const struct fmt_rival *rival);
void fmt_tell_name(unsigned int type, const struct fmt_entry *e, const char *name);

/* Parse a declaration of an image. fmt_images_end() is called at the end of the file. */
void fmt_parse_image(struct fmt_parser *p);
void fmt_images_end(struct fmt_parser *p);

/*
 * print.c: print the elements from offset @pos on as a JSON array with this key, and a comma after
 * it.
 */
void fmt_json_elements(struct out *o, const char *key, const uint8_t *data, size_t len,
		       size_t pos, const struct fmt_names *names);

const struct fmt_label *fmt_enum_find(const struct fmt_table *t, uint64_t value);

#endif

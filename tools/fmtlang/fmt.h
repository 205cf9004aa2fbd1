/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fmt.h - the .fmt language: format files that describe how to print events
 *
 * Files are parsed once, checked, and compiled to small programs of literal texts and
 * conversions; printing an event runs its program. fmt(5) describes the language.
 *
 * A set allocates all memory from its arena. All names and texts in a set are safe to print:
 * control characters are escaped when a file is read.
 */
#ifndef TRACEINFO_FMT_H
#define TRACEINFO_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <devtrace-decode.h>
#include "common/out.h"

#define FMT_FILE_MAX	(1024 * 1024)
#define FMT_NAME_MAX	63
#define FMT_ARGS_MAX	32	/* arguments of one description */
#define FMT_TABLES_MAX	4096	/* enums and flags of one file */
#define FMT_ERRORS_MAX	50	/* for one file; the rest of it is ignored */
#define FMT_WARNINGS_MAX 50	/* for one file; further ones are only counted */

/* The element types that an argument accepts: bit n for type n, and a bit for enumerations. */
#define FMT_BIT(t)	(1u << (t))
#define FMT_M_ENUM	FMT_BIT(16)
#define FMT_M_UINT	(FMT_BIT(DEVTRACE_E_U8) | FMT_BIT(DEVTRACE_E_U16) | \
			 FMT_BIT(DEVTRACE_E_U32) | FMT_BIT(DEVTRACE_E_U64) | \
			 FMT_BIT(DEVTRACE_E_X32))
#define FMT_M_SINT	(FMT_BIT(DEVTRACE_E_I8) | FMT_BIT(DEVTRACE_E_I16) | \
			 FMT_BIT(DEVTRACE_E_I32) | FMT_BIT(DEVTRACE_E_I64))
#define FMT_M_INT	(FMT_M_UINT | FMT_M_SINT | FMT_M_ENUM)
#define FMT_M_FLOAT	(FMT_BIT(DEVTRACE_E_F32) | FMT_BIT(DEVTRACE_E_F64))
#define FMT_M_BYTES	(FMT_BIT(DEVTRACE_E_STR) | FMT_BIT(DEVTRACE_E_MEM))
#define FMT_M_ADDR	(FMT_BIT(DEVTRACE_E_OBJ) | FMT_BIT(DEVTRACE_E_FUN))
#define FMT_M_NAMED	(FMT_M_ADDR | FMT_BIT(DEVTRACE_E_SIG))
#define FMT_M_ANY	0x1ffffu

static inline uint32_t fmt_elem_bit(const struct devtrace_elem *e)
{
	return e->is_enum ? FMT_M_ENUM : FMT_BIT(e->type);
}

struct fmt_file {
	struct fmt_file	*next;
	const char	*path;
	/* number of the file's place in the search order; lower numbers override */
	unsigned int	place;
	uint64_t	dev, ino;	/* identify the file; 0: no file */
	char		*text;
	size_t		len;
	uint32_t	*lines;		/* offset of each line */
	unsigned int	last_line;	/* index into lines */
	unsigned int	errors, warnings;
	/* the file applies to programs that give the type below this name; NULL: to all programs */
	const char	*needs;
	uint8_t		needs_type;
};

struct fmt_place {
	const struct fmt_file *file;
	size_t	offset;			/* offset of the first byte */
};

struct fmt_label {
	struct fmt_label *next;
	const char	*name;
	size_t		len;
	uint64_t	value, mask;
	size_t		offset;
};

/* An enum or flags declaration. */
struct fmt_table {
	struct fmt_table *next;
	const char	*name;
	size_t		name_len;
	bool		is_flags;
	unsigned int	nr;
	struct fmt_label *labels;	/* in the order of the file */
	const struct fmt_label **sorted;/* enum: by value */
};

struct fmt_arg {
	const char	*name;		/* NULL: not declared */
	size_t		name_len;
	const char	*unit;		/* with a space before it; NULL: none */
	size_t		unit_len;
	const struct fmt_table *table;
	const char	*type;		/* declared type, for messages */
	uint32_t	accept;
	uint8_t		scale;		/* digits after the point */
	bool		used;
	size_t		offset;
};

struct fmt_op {
	char		conv;		/* 0: text; '{': by table */
	uint8_t		arg;
	bool		quote;		/* strings in quotes */
	bool		plain;		/* spec has no width, digits or flags */
	struct out_spec	spec;
	const struct fmt_table *table;
	const char	*text;
	size_t		len;
};

/* A minor, a record type or a severity: how to print one kind of event. */
struct fmt_entry {
	struct fmt_entry *next;
	const char	*name;
	struct fmt_place place;
	unsigned int	nargs, nops;
	bool		declared;	/* an argument list was given */
	struct fmt_arg	*args;
	struct fmt_op	*ops;
};

/* A major. A minor without a description is printed by severity[], otherwise by any ("*"). */
struct fmt_major {
	struct fmt_major *next;
	uint32_t	number;
	const char	*name;
	struct fmt_place place;
	struct fmt_entry *minors[256];
	struct fmt_entry *any;
	struct fmt_entry *severity[8];	/* severity byte & 7 */
};

enum fmt_level { FMT_ERROR, FMT_WARNING, FMT_NOTE };

/* Called for every mistake. message is escaped; line is 0 if unknown. */
typedef void fmt_diag_fn(void *arg, enum fmt_level level, const char *path,
			 unsigned int line, unsigned int column, const char *message);

#define FMT_BUCKETS	256

struct fmt_arena {
	struct fmt_chunk *chunks;
};

struct fmt_set {
	struct fmt_arena arena;
	struct fmt_file	*files, **files_end;
	struct fmt_entry *records[256];
	/* descriptions from files that apply to some programs only */
	struct fmt_entry *needing[256];
	struct fmt_major **majors;	/* hash table that grows */
	unsigned int	nr_majors, nr_buckets;
	fmt_diag_fn	*diag;
	void		*diag_arg;
	unsigned int	errors, warnings;
	unsigned int	place;		/* number of the current place */
	unsigned int	given;		/* the user named places below this number */
};

/* diag may be NULL. */
void fmt_set_init(struct fmt_set *set, fmt_diag_fn *diag, void *arg);
void fmt_set_free(struct fmt_set *set);

/*
 * Add the declarations of a text, of a file, or of the *.fmt files of a directory. Mistakes are
 * reported; declarations without a mistake are added. Return 0, or -1 with errno if the file or
 * directory cannot be read (this is reported, too) or there is no memory. missing_ok: it is not a
 * mistake if the directory does not exist.
 */
int fmt_add_text(struct fmt_set *set, const char *path, const char *text, size_t len);
int fmt_add_file(struct fmt_set *set, const char *path);
int fmt_add_dir(struct fmt_set *set, const char *path, bool missing_ok);
/* Add the *.fmt files of directories that are separated by colons. */
int fmt_add_path(struct fmt_set *set, const char *path);
/*
 * Files that are added from now on belong to the next place. Declarations of earlier places
 * override those of later ones, without an error.
 */
void fmt_next_place(struct fmt_set *set);
/*
 * Add the default places, in this order: share/devtrace/fmt of the directory that the program
 * is installed in, /usr/share/devtrace/fmt, /etc/devtrace/fmt, /usr/trace, and the formats
 * built into the program.
 */
void fmt_add_default(struct fmt_set *set);

/* FMT_ANY: "minor *" describes the codes of a major that have no description of their own. */
enum fmt_kind { FMT_RECORD, FMT_MAJOR, FMT_CODE, FMT_ANY };

/* Called with the name and number of a type, of a major, or of a code as MAJOR.MINOR. */
typedef void fmt_name_fn(void *arg, const char *name, enum fmt_kind kind, uint32_t number);

/* Call fn for all names of a set. FMT_ANY has the number of its minor 0. */
void fmt_each_name(const struct fmt_set *set, fmt_name_fn *fn, void *arg);

void fmt_locate(const struct fmt_place *place, unsigned int *line, unsigned int *column);

/* Looks up names in a stream's dictionary; name() returns NULL for an unknown one. */
struct fmt_names {
	const char *(*name)(const struct fmt_names *names, uint8_t kind, uint32_t value,
			    uint8_t group, uint64_t key);
	/* The emitter's own name for its records of this type. */
	const char *(*record)(const struct fmt_names *names, uint8_t type);
};

/*
 * The dictionary of an event's stream: first the names of the event's process, then the names for
 * all processes.
 */
struct fmt_dict {
	struct fmt_names names;		/* must be first */
	const struct devtrace_event *event;
	const struct devtrace_decoder *decoder;
};

void fmt_dict_init(struct fmt_dict *d, const struct devtrace_event *event,
		   const struct devtrace_decoder *decoder);
const char *fmt_dict_name(const struct fmt_dict *d, uint8_t kind, uint32_t value,
			  uint8_t group, uint64_t key);

/*
 * Return the description of an event, or NULL if there is none. A user record that @names names
 * differently has no description, unless the user named the file. For an exception whose major is
 * known, *major is set even if there is no description.
 */
const struct fmt_entry *fmt_find(const struct fmt_set *set, const struct devtrace_event *ev,
				 const struct fmt_names *names, const struct fmt_major **major);

/* Print the text of an event by its description; entry NULL: by the types of its elements. */
void fmt_print(struct out *o, const struct fmt_entry *entry, const uint8_t *data,
	       size_t len, const struct fmt_names *names);
/* Print the event as members of a JSON object, without braces: "args":{...},"text":"...". */
void fmt_print_json(struct out *o, const struct fmt_entry *entry, const uint8_t *data,
		    size_t len, const struct fmt_names *names);

#endif

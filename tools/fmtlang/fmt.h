/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fmt.h - the .fmt language: format files that describe how to print events
 *
 * A format file is parsed once, checked, and compiled to small programs that consist of texts and
 * conversions. To print an event, its program is executed. fmt(5) describes the language.
 *
 * All memory of a set is allocated from its arena. All names and texts in a set are safe to print,
 * because control characters are escaped when a file is read.
 */
#ifndef TRACEINFO_FMT_H
#define TRACEINFO_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <devtrace-decode.h>
#include "common/hash.h"
#include "common/out.h"
#include "logtext/image.h"

#define FMT_FILE_MAX	(16 * 1024 * 1024)
#define FMT_NAME_MAX	63
#define FMT_ARGS_MAX	32	/* arguments of one description */
#define FMT_TABLES_MAX	4096	/* enums and flags of one file */
#define FMT_TRACEPOINTS_MAX 4096	/* tracepoints that one file describes */
#define FMT_OWNERS_MAX	1024	/* programs, modules and builds of one file */
#define FMT_FOR_MAX	16	/* programs, modules or builds of one "for" */
/* limit of errors in a file; the rest of the file is ignored */
#define FMT_ERRORS_MAX	50
/* limit of warnings printed for a file; further warnings are only counted */
#define FMT_WARNINGS_MAX 50

/*
 * Sets of element types that an argument accepts: bit n for type n, and one bit for enumerations.
 */
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

/* The group of an IMAGE frame: what the name says about the image. */
enum fmt_image_group { FMT_IMAGE_ID, FMT_IMAGE_PATH, FMT_IMAGE_BASE };

static inline uint32_t fmt_elem_bit(const struct devtrace_elem *e)
{
	return e->is_enum ? FMT_M_ENUM : FMT_BIT(e->type);
}

struct fmt_file {
	struct fmt_file	*next;
	const char	*path;
	/*
	 * place: number of the file's place in the search order; a lower number overrides a higher
	 * one
	 */
	unsigned int	place;
	uint64_t	dev, ino;	/* identify the file; 0: no file */
	char		*text;
	size_t		len;
	uint32_t	*lines;		/* offset of each line */
	unsigned int	last_line;	/* index into lines */
	unsigned int	errors, warnings;
	/*
	 * needs: name that a program must give to the type @needs_type so that the file applies to
	 * it; NULL: the file applies to all programs
	 */
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
	uint8_t		limit;		/* h: 1 + the argument with the number of bytes; 0: all */
	bool		quote;		/* strings in quotes */
	bool		plain;		/* spec has no width, digits or flags */
	struct out_spec	spec;
	const struct fmt_table *table;
	const char	*text;
	size_t		len;
};

/* Another name that a file gives to the same number, although neither says whose it is. */
struct fmt_rival {
	const char	*name;			/* NULL: there is none */
	struct fmt_place place;
};

/*
 * How to print one kind of event: a minor, a record type, a tracepoint, or a severity of a major.
 */
struct fmt_entry {
	struct fmt_entry *next;		/* tracepoints: the next one in the bucket */
	const char	*name;
	struct fmt_place place;
	struct fmt_rival rival;		/* of a record type */
	bool		told;		/* a message about such an event was printed */
	unsigned int	nargs, nops;
	bool		declared;	/* an argument list was given */
	struct fmt_arg	*args;
	struct fmt_op	*ops;
};

/* A major. A minor that is not described is printed by severity[], or else by any ("minor *"). */
struct fmt_major {
	struct fmt_major *next;
	uint32_t	number;
	const char	*name;
	struct fmt_place place;
	struct fmt_rival rival;
	bool		told;		/* a message about such an event was printed */
	struct fmt_entry *minors[256];
	struct fmt_entry *any;
	struct fmt_entry *severity[8];	/* severity byte & 7 */
};

/* Descriptions by record type and by major: those of one owner, or those of no owner. */
struct fmt_claims {
	struct fmt_entry *records[256];
	struct fmt_major **majors;	/* hash table that grows */
	unsigned int	nr_majors, nr_buckets;
};

enum fmt_owner_kind { FMT_BUILD, FMT_PROGRAM, FMT_MODULE };

/* To whom descriptions after "for" are bound: other events are never printed with them. */
struct fmt_owner {
	struct fmt_owner *next;		/* in the bucket; earlier declarations first */
	enum fmt_owner_kind kind;
	const char	*name;		/* of a module: with _ for - */
	struct fmt_claims claims;
};

enum fmt_level { FMT_ERROR, FMT_WARNING, FMT_NOTE };

/* Called for every mistake. @message is escaped. @line is 0 if the mistake is in no line. */
typedef void fmt_diag_fn(void *arg, enum fmt_level level, const char *path,
			 unsigned int line, unsigned int column, const char *message);

#define FMT_BUCKETS	256

struct fmt_arena {
	struct fmt_chunk *chunks;
};

struct fmt_set {
	struct fmt_arena arena;
	struct fmt_file	*files, **files_end;
	struct log_images *images;	/* texts of DT_LOG() */
	struct fmt_claims unbound;	/* descriptions that do not say whose they are */
	struct fmt_owner **owners;	/* hash table that grows */
	unsigned int	nr_owners, nr_owner_buckets;
	struct hash_key	owner_key;
	/*
	 * bound: kinds of owners that describe a record type, 1 << enum fmt_owner_kind; those of
	 * majors are at DEVTRACE_T_EXC
	 */
	uint8_t		bound[256];
	/* needing: descriptions that apply only to some programs, by record type */
	struct fmt_entry *needing[256];
	/*
	 * tracepoints: tracepoints that were added by name, by the hash of SYSTEM:EVENT; types
	 * that programs register by name, by the hash of the name
	 */
	struct fmt_entry *tracepoints[FMT_BUCKETS];
	unsigned int	nr_tracepoints;
	fmt_diag_fn	*diag;
	void		*diag_arg;
	unsigned int	errors, warnings;
	unsigned int	place;		/* number of the current place */
	unsigned int	given;		/* the user named places below this number */
	/* unprinted: no text of DT_LOG() is printed, so a missing one is not reported */
	bool		unprinted;
};

/*
 * fmtlang/report.c: fmt_replaced() tells whether -e names a file of the same name as this file of a
 * default place. fmt_say_errors() prints a line on standard error for each file with errors that is
 * not replaced, and how to see the errors.
 */
bool fmt_replaced(const struct fmt_set *set, const char *path, unsigned int place);
void fmt_say_errors(const struct fmt_set *set, const char *program);

/* diag may be NULL. */
void fmt_set_init(struct fmt_set *set, fmt_diag_fn *diag, void *arg);
void fmt_set_free(struct fmt_set *set);

/*
 * Add the declarations of a text, of a file, or of all .fmt files in a directory. A file may also
 * be an ELF file with the texts of DT_LOG(). Mistakes are reported, and declarations without a
 * mistake are added. Return 0; or return -1 and set errno if a file or directory cannot be read
 * (which is reported, too), or there is no memory. With @missing_ok, a missing directory is no
 * mistake.
 */
int fmt_add_text(struct fmt_set *set, const char *path, const char *text, size_t len);
int fmt_add_file(struct fmt_set *set, const char *path);
int fmt_add_dir(struct fmt_set *set, const char *path, bool missing_ok);
/* Add all .fmt files of several directories. @path has their names, separated by colons. */
int fmt_add_path(struct fmt_set *set, const char *path);
/*
 * Begin the next place: declarations in files that are added later do not conflict with earlier
 * ones, but are overridden by them.
 */
void fmt_next_place(struct fmt_set *set);
/*
 * Add the default places, in this order: share/devtrace/fmt of the directory that the program
 * is installed in, /usr/share/devtrace/fmt, /etc/devtrace/fmt, /usr/trace, and the formats
 * built into the program.
 */
void fmt_add_default(struct fmt_set *set);

/*
 * FMT_ANY: the description "minor *", for codes of a major that have none of their own.
 * FMT_TRACEPOINT: a tracepoint, or a type that programs register by name; only the dictionary of a
 * stream has its type.
 */
enum fmt_kind { FMT_RECORD, FMT_MAJOR, FMT_CODE, FMT_ANY, FMT_TRACEPOINT };

/* Called with the name and number of a type, a major, or a code in the form MAJOR.MINOR. */
typedef void fmt_name_fn(void *arg, const char *name, enum fmt_kind kind, uint32_t number);

/*
 * Call @fn for all names of a set. For FMT_ANY, @number is the code of minor 0; for FMT_TRACEPOINT
 * it is 0.
 */
void fmt_each_name(const struct fmt_set *set, fmt_name_fn *fn, void *arg);

void fmt_locate(const struct fmt_place *place, unsigned int *line, unsigned int *column);

/* Looks up names in a stream's dictionary. name() returns NULL if it finds none. */
struct fmt_names {
	const char *(*name)(const struct fmt_names *names, uint8_t kind, uint32_t value,
			    uint8_t group, uint64_t key);
	/*
	 * record() returns the name that the program itself gave to its records of this type, or
	 * NULL.
	 */
	const char *(*record)(const struct fmt_names *names, uint8_t type);
	/*
	 * emitter() returns the name of the event's program; or, for an event of the kernel, the
	 * name of the object in its header or in its first OBJ element. NULL: not known.
	 */
	const char *(*emitter)(const struct fmt_names *names);
	/* image() returns what is known of the image @number of the event's process, or NULL. */
	const char *(*image)(const struct fmt_names *names, unsigned int number,
			     enum fmt_image_group group);
};

/*
 * Names for an event: first those of the event's process are searched, then those for all
 * processes.
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

/* A LOG event: the statement that emitted it, and its text. */
struct fmt_log {
	bool		is_log;		/* the event has a site number */
	uint8_t		image;		/* of the process; 255: not known */
	uint32_t	index;		/* of the site in its image */
	size_t		args;		/* offset of the first argument */
	const char	*id;		/* build-id of the image; NULL: not known */
	const struct log_site *site;	/* NULL: there is no text */
};

/*
 * Find the text of a LOG event. If its image is not known yet, its file is searched. For other
 * events, @is_log is false.
 */
void fmt_log_find(struct fmt_log *l, const struct fmt_set *set, const struct devtrace_event *ev,
		  const struct devtrace_decoder *d);
/*
 * Print the text of a LOG event as the program would have printed it, without escaping. If there
 * is no text, or if the elements do not fit it, print the site and the elements.
 */
void fmt_log_text(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		  const struct fmt_names *names);
/* The same, escaped for a terminal. Further lines of a text are indented. */
void fmt_log_print(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		   const struct fmt_names *names);
/* Print the arguments, the statement and the text as members of a JSON object. */
void fmt_log_json(struct out *o, const struct fmt_log *l, const struct devtrace_event *ev,
		  const struct fmt_names *names);

/*
 * Return the description of an event, or NULL if there is none: that for the event's build, for its
 * program or module, or one that does not say whose it is. If @names has another name for a user
 * record than a description of the last kind, the description is not used. If an exception's major
 * is known, *major is set even if the code itself is not described. @names may be NULL: then only
 * exceptions are looked up, and only in descriptions that do not say whose they are.
 *
 * Print on standard error, once for each number, that two files give it different names.
 */
const struct fmt_entry *fmt_find(const struct fmt_set *set, const struct devtrace_event *ev,
				 const struct fmt_names *names, const struct fmt_major **major);

/*
 * Print the text of an event. @entry: its description; NULL: print the elements by their own
 * types.
 */
void fmt_print(struct out *o, const struct fmt_entry *entry, const uint8_t *data,
	       size_t len, const struct fmt_names *names);
/* Print an event as members of a JSON object, without the braces: "args":{...},"text":"...". */
void fmt_print_json(struct out *o, const struct fmt_entry *entry, const uint8_t *data,
		    size_t len, const struct fmt_names *names);

#endif

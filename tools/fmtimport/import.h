/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - the parts of fmtimport: descriptions of other makers, said in the language of fmt(5)
 *
 * main.c reads a file and finds its kind; say.c prints messages. qnx.c, zephyr.c and defmt.c write
 * what can be said and name what cannot; xml.c and json.c read their files. All files may be
 * malicious.
 */
#ifndef FMTIMPORT_IMPORT_H
#define FMTIMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/out.h"

struct import {
	struct out	o;		/* the format file */
	const char	*path;		/* of the current input, for messages */
	const char	*build_id;	/* option; NULL: that of the file */
	unsigned long	record;		/* option: record type of QNX's event 0 */
	unsigned int	left_out;	/* entries that could not be said */
	bool		failed;		/* a file could not be read */
};

/*
 * Name an entry that is left out, on standard error. @line: 0 if there is none. @entry and @why may
 * contain any bytes.
 */
void import_leave_out(struct import *x, unsigned int line, const char *entry, const char *why);
/* Say that the rest of the file cannot be read. */
void import_fail(struct import *x, unsigned int line, const char *why);

/* Write a character as UTF-8. Return the number of bytes, 1 to 4. */
size_t import_utf8(char *to, uint32_t c);
/* Begin an image. Return false, and say why, if the build-id is missing or wrong. */
bool import_image(struct import *x, const char *build_id);
/*
 * Write a site of an image if its text can be printed, otherwise name it. @place: file or module
 * where the statement is; its line is not known.
 */
void import_site(struct import *x, uint64_t number, unsigned int level, const char *place,
		 const char *text);

/* The bytes of a file, which are changed, and a NUL after them */
void import_qnx(struct import *x, char *text, size_t len);
void import_zephyr(struct import *x, char *text, size_t len);
void import_defmt(struct import *x, const uint8_t *bytes, size_t len);

/* Words that a format file cannot contain become '_': make a NAME of fmt(5). */
#define IMPORT_NAME_MAX	48
void import_name(char to[IMPORT_NAME_MAX + 1], const char *from);

#define XML_ATTRIBUTES	16

/* An element of XML: a begin tag, an empty one or an end tag */
struct xml_tag {
	const char	*name;
	unsigned int	line, nr;
	bool		closes;
	struct { const char *name, *value; } attributes[XML_ATTRIBUTES];
};

struct xml {
	char		*p, *end;
	unsigned int	line;
	const char	*problem;	/* NULL: none */
};

/* Read the next tag. Return false at the end, or if there is a problem. */
bool xml_next(struct xml *x, struct xml_tag *t);
/* Return the value of an attribute, or NULL. */
const char *xml_value(const struct xml_tag *t, const char *name);

struct json {
	char		*p, *end;
	unsigned int	line;
	const char	*problem;
};

/* Begin an object. Return false, and set the problem, if the next value is none. */
bool json_begin(struct json *j);
/* Go to the next member, and set *key. Return false at the end of the object, or on a problem. */
bool json_member(struct json *j, const char **key);
/* Read a string, in place. Return NULL, and read nothing, if the next value is none. */
const char *json_string(struct json *j);
/* Skip any value. */
void json_skip(struct json *j);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * qnx.c - the descriptions of user events of QNX: <eventformatting> of its System Profiler
 *
 *	<datakey format="%4u1x state %d seq_id">
 *		<event class="6" id="22" />
 *		<enum name="state" value="0x0" string="idle" />
 *	</datakey>
 *
 * A value of the format is % BYTES SIGN COUNT LETTER and a name; bytes, sign and count may be
 * missing. An event becomes a record of fmt(5), whose type is the id plus that of the option
 * --record.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "import.h"

#define QNX_USER	6	/* the class of user events */
#define QNX_EVENTS	64	/* of a datakey */
#define QNX_ARGS	32	/* of an event of fmt(5) */
#define QNX_LABELS	4096	/* of a datakey */

struct qnx_arg {
	char		name[IMPORT_NAME_MAX + 1];
	char		key[IMPORT_NAME_MAX + 1];	/* the name in the file, as a NAME */
	const char	*type;
	char		letter;
	bool		labels;		/* it has an enum */
};

struct qnx_label {
	char		key[IMPORT_NAME_MAX + 1];
	const char	*string;
	uint64_t	value;
};

struct qnx_key {
	unsigned int	line;
	const char	*why;		/* why the datakey cannot be said; NULL: it can */
	struct qnx_arg	args[QNX_ARGS];
	unsigned int	nr_args, nr_events, nr_labels;
	unsigned long	events[QNX_EVENTS];
	struct qnx_label *labels;
	unsigned int	made;		/* numbers the enums of the file */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *type_of(char bytes, char sign, char letter)
{
	const bool is_signed = sign == 's' || (!sign && (letter == 'd' || letter == 'i'));

	if (letter == 's')
		return "str";
	if (letter == 'f')
		return bytes == '8' ? "f64" : bytes == '4' ? "f32" : "float";
	switch (bytes) {
	case '1':
		return is_signed ? "i8" : "u8";
	case '2':
		return is_signed ? "i16" : "u16";
	case '4':
		return is_signed ? "i32" : "u32";
	case '8':
		return is_signed ? "i64" : "u64";
	default:
		return "int";
	}
}

/* Read one value of the format. Return NULL, and set the reason, if it cannot be said. */
static const char *read_arg(struct qnx_key *k, const char *p)
{
	char bytes = 0, sign = 0, letter, name[256], key[IMPORT_NAME_MAX + 1];
	unsigned long count = 1, i;
	size_t n;

	if (*p && strchr("1248", *p))
		bytes = *p++;
	if (*p == 'u' || *p == 's') {
		/* "%s name" is a string, "%4s1d name" a signed number. */
		if (bytes || is_digit(p[1]))
			sign = *p++;
	}
	if (is_digit(*p)) {
		char *end;

		count = strtoul(p, &end, 10);
		p = end;
	}
	letter = *p;
	if (!letter || !strchr("dixXoucsf", letter) || !count || count > QNX_ARGS) {
		k->why = "a value of the format is not %BYTES SIGN COUNT LETTER";
		return NULL;
	}
	p++;
	if (*p != ' ' && *p != '\t') {
		k->why = "a value of the format has no name";
		return NULL;
	}
	p += strspn(p, " \t");
	n = strcspn(p, " \t%");
	if (!n || n >= sizeof(name)) {
		k->why = "a value of the format has no name, or a very long one";
		return NULL;
	}
	memcpy(name, p, n);
	name[n] = '\0';
	for (i = 0; i < count; i++) {
		struct qnx_arg *a = &k->args[k->nr_args];

		if (k->nr_args == QNX_ARGS) {
			k->why = "the format has more than 32 values";
			return NULL;
		}
		memset(a, 0, sizeof(*a));
		import_name(key, name);
		strcpy(a->key, key);
		if (count > 1)
			snprintf(a->name, sizeof(a->name), "%.40s_%lu", key, i);
		else
			strcpy(a->name, key);
		a->letter = letter;
		a->type = type_of(bytes, sign, letter);
		k->nr_args++;
	}
	return p + n;
}

static void read_format(struct qnx_key *k, const char *p)
{
	unsigned int i, j;

	if (!p) {
		k->why = "the datakey has no format";
		return;
	}
	for (;;) {
		p += strspn(p, " \t");
		if (!*p)
			break;
		if (*p != '%') {
			k->why = "the format has words between its values";
			return;
		}
		p = read_arg(k, p + 1);
		if (!p)
			return;
	}
	for (i = 0; i < k->nr_args; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(k->args[i].name, k->args[j].name))
				k->why = "two values of the format have one name";
}

static bool read_number(const char *s, unsigned long long *v)
{
	char *end;

	if (!s || (!is_digit(*s) && *s != '-'))
		return false;
	errno = 0;
	*v = *s == '-' ? (unsigned long long)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	return !*end && !errno;
}

static void read_event(struct import *x, struct qnx_key *k, const struct xml_tag *t)
{
	unsigned long long class, id;
	char entry[80];

	if (!read_number(xml_value(t, "class"), &class) || !read_number(xml_value(t, "id"), &id)) {
		import_leave_out(x, t->line, "event", "class and id must be numbers");
		return;
	}
	snprintf(entry, sizeof(entry), "event class=\"%llu\" id=\"%llu\"", class, id);
	if (class != QNX_USER)
		import_leave_out(x, t->line, entry, "only user events, of class 6, have a record type");
	else if (id + x->record > 255 || id > 255)
		import_leave_out(x, t->line, entry,
				 "the id plus that of --record exceeds 255, the last record type");
	else if (k->nr_events == QNX_EVENTS)
		import_leave_out(x, t->line, entry, "the datakey has more than 64 events");
	else
		k->events[k->nr_events++] = id;
}

static void read_label(struct import *x, struct qnx_key *k, const struct xml_tag *t)
{
	const char *name = xml_value(t, "name"), *string = xml_value(t, "string");
	struct qnx_label *l;
	unsigned long long v;
	unsigned int i;
	bool found = false;

	if (!name || !string || !*string || !read_number(xml_value(t, "value"), &v)) {
		import_leave_out(x, t->line, "enum", "name, value and string are needed");
		return;
	}
	if (k->nr_labels == QNX_LABELS) {
		import_leave_out(x, t->line, string, "the datakey has more than 4096 labels");
		return;
	}
	l = &k->labels[k->nr_labels];
	import_name(l->key, name);
	for (i = 0; i < k->nr_args; i++) {
		if (strcmp(k->args[i].key, l->key) || k->args[i].letter == 's' ||
		    k->args[i].letter == 'f')
			continue;
		k->args[i].labels = true;
		found = true;
	}
	if (!found) {
		if (!k->why)
			import_leave_out(x, t->line, string, "the format has no number of this name");
		return;
	}
	l->string = string;
	l->value = v;
	k->nr_labels++;
}

static void write_enum(struct import *x, struct qnx_key *k, const struct qnx_arg *a)
{
	unsigned int i;
	char word[40];

	out_str(&x->o, "enum ");
	out_str(&x->o, a->key);
	snprintf(word, sizeof(word), "_%u {\n", k->made);
	out_str(&x->o, word);
	for (i = 0; i < k->nr_labels; i++) {
		if (strcmp(k->labels[i].key, a->key))
			continue;
		out_char(&x->o, '\t');
		out_fmt_string(&x->o, k->labels[i].string);
		snprintf(word, sizeof(word), " = 0x%llx\n", (unsigned long long)k->labels[i].value);
		out_str(&x->o, word);
	}
	OUT_LIT(&x->o, "}\n");
}

static void write_args(struct import *x, const struct qnx_key *k)
{
	unsigned int i;
	char word[24];

	OUT_LIT(&x->o, " (");
	for (i = 0; i < k->nr_args; i++) {
		const struct qnx_arg *a = &k->args[i];

		if (i)
			OUT_LIT(&x->o, ", ");
		if (a->labels) {
			OUT_LIT(&x->o, "enum ");
			out_str(&x->o, a->key);
			snprintf(word, sizeof(word), "_%u", k->made);
			out_str(&x->o, word);
		} else {
			out_str(&x->o, a->type);
		}
		out_char(&x->o, ' ');
		out_str(&x->o, a->name);
	}
	OUT_LIT(&x->o, ")\n\t\"");
	for (i = 0; i < k->nr_args; i++) {
		const struct qnx_arg *a = &k->args[i];

		if (i)
			OUT_LIT(&x->o, ", ");
		out_str(&x->o, a->name);
		out_char(&x->o, ' ');
		if (a->labels)
			OUT_LIT(&x->o, "%v");
		else
			out_str(&x->o, a->letter == 'x' || a->letter == 'X' || a->letter == 'o' ?
				"%#" : "%");
		if (!a->labels)
			out_char(&x->o, a->letter);
	}
	OUT_LIT(&x->o, "\"\n");
}

/* The datakey has ended. */
static void write_key(struct import *x, struct qnx_key *k)
{
	unsigned int i, j;
	char word[64];

	if (k->why) {
		import_leave_out(x, k->line, "datakey", k->why);
	} else if (k->nr_events) {
		out_char(&x->o, '\n');
		for (i = 0; i < k->nr_args; i++) {
			/* Several values of one key share the enum. */
			for (j = 0; j < i && strcmp(k->args[j].key, k->args[i].key); j++)
				;
			if (j == i && k->args[i].labels)
				write_enum(x, k, &k->args[i]);
		}
		for (i = 0; i < k->nr_events; i++) {
			snprintf(word, sizeof(word), "record %lu QNX_%lu", k->events[i] + x->record,
				 k->events[i]);
			out_str(&x->o, word);
			if (k->nr_args)
				write_args(x, k);
			else
				OUT_LIT(&x->o, "\n\t\"\"\n");
		}
		k->made++;
	}
	k->nr_args = 0;
	k->nr_events = 0;
	k->nr_labels = 0;
	k->why = NULL;
}

void import_qnx(struct import *x, char *text, size_t len)
{
	struct xml xml = { .p = text, .end = text + len, .line = 1 };
	struct qnx_key *k = calloc(1, sizeof(*k));
	bool inside = false, any = false;
	struct xml_tag t;

	if (k)
		k->labels = calloc(QNX_LABELS, sizeof(*k->labels));
	if (!k || !k->labels) {
		import_fail(x, 0, "no memory");
		free(k);
		return;
	}
	while (xml_next(&xml, &t)) {
		any = any || !strcmp(t.name, "eventformatting");
		if (!strcmp(t.name, "datakey")) {
			/* A begin tag also ends a datakey that has no end tag. */
			if (inside)
				write_key(x, k);
			inside = !t.closes;
			if (inside) {
				k->line = t.line;
				read_format(k, xml_value(&t, "format"));
			}
		} else if (inside && !t.closes && !strcmp(t.name, "event")) {
			read_event(x, k, &t);
		} else if (inside && !t.closes && !strcmp(t.name, "enum")) {
			read_label(x, k, &t);
		}
	}
	if (inside)
		write_key(x, k);
	if (xml.problem)
		import_fail(x, xml.line, xml.problem);
	else if (!any)
		import_fail(x, 0, "the file has no <eventformatting>");
	free(k->labels);
	free(k);
}

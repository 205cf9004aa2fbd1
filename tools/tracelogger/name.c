// SPDX-License-Identifier: GPL-2.0-only
/*
 * name.c - names of files, and which files are ours
 *
 * A file is ours if its name is one that this pattern makes: nothing else is counted or
 * removed. So only sequences of strftime(3) that make digits are taken.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "tracelogger.h"

/* How many digits a sequence makes; 0: any number of them; -1: it is not taken. */
static int digits(char c)
{
	switch (c) {
	case 'Y':
		return 4;
	case 'y': case 'm': case 'd': case 'H': case 'M': case 'S':
		return 2;
	case 'j':
		return 3;
	case 's':
		return 0;
	default:
		return -1;
	}
}

int tl_name_parse(struct tl_name *n, const char *path, const char **problem)
{
	const char *base = strrchr(path, '/'), *p;
	bool any = false, fine = false;

	base = base ? base + 1 : path;
	memset(n, 0, sizeof(*n));
	if (!*base || strlen(base) > NAME_MAX - 32 || base - path >= PATH_MAX - 1) {
		*problem = *base ? "is too long" : "names no file behind its directory";
		return -1;
	}
	snprintf(n->dir, sizeof(n->dir), "%.*s", (int)(base - path), path);
	if (!*n->dir)
		strcpy(n->dir, ".");
	strcpy(n->base, base);
	if (strchr(n->dir, '%')) {
		*problem = "has a % in its directory; only the name of a file has dates";
		return -1;
	}
	for (p = base; *p; p++) {
		if (*p != '%')
			continue;
		if (digits(*++p) < 0) {
			*problem = "has another sequence than %Y %y %m %d %j %H %M %S %s";
			return -1;
		}
		any = true;
		fine |= *p == 'M' || *p == 'S' || *p == 's';
	}
	n->periodic = any && !fine;
	return 0;
}

void tl_name_make(const struct tl_name *n, char out[NAME_MAX + 1])
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	if (!strftime(out, NAME_MAX + 1, n->base, &tm))
		snprintf(out, NAME_MAX + 1, "trace");
}

static const char *skip_digits(const char *s, int n)
{
	int i = 0;

	while (isdigit((unsigned char)s[i]) && (!n || i < n))
		i++;
	return i && (!n || i == n) ? s + i : NULL;
}

bool tl_name_ours(const struct tl_name *n, const char *name)
{
	const char *p;

	for (p = n->base; *p; p++) {
		if (*p == '%') {
			name = skip_digits(name, digits(*++p));
			if (!name)
				return false;
		} else if (*p != *name++) {
			return false;
		}
	}
	if (*name == '.') {
		name = skip_digits(name + 1, 0);
		return name && !*name;
	}
	return !*name;
}

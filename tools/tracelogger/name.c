// SPDX-License-Identifier: GPL-2.0-only
/*
 * name.c - make names of files from the pattern, and recognize them
 *
 * The logger counts and removes only files whose names its pattern can produce. To recognize these
 * exactly, a pattern may contain only those strftime(3) sequences that produce digits.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "tracelogger.h"

#define SECONDS_MAX	20	/* most digits of %s */

/*
 * Return the number of digits that a sequence such as %Y produces, 0 if it varies, or -1 if the
 * sequence is not allowed.
 */
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
	size_t longest = 0;

	base = base ? base + 1 : path;
	memset(n, 0, sizeof(*n));
	if (!*base || strlen(base) > NAME_MAX - TL_SUFFIX_MAX || base - path >= PATH_MAX - 1) {
		*problem = *base ? "is too long" : "names only a directory; add the name of a file";
		return -1;
	}
	snprintf(n->dir, sizeof(n->dir), "%.*s", (int)(base - path), path);
	if (!*n->dir)
		strcpy(n->dir, ".");
	strcpy(n->base, base);
	if (strchr(n->dir, '%')) {
		*problem = "has a % in the directory; only the file's name may have dates";
		return -1;
	}
	for (p = base; *p; p++) {
		longest++;
		if (*p != '%')
			continue;
		if (digits(*++p) < 0) {
			*problem = "has an unknown %-sequence; write %Y %y %m %d %j %H %M %S or %s";
			return -1;
		}
		any = true;
		longest += (size_t)(digits(*p) ? digits(*p) : SECONDS_MAX) - 1;
		fine |= *p == 'M' || *p == 'S' || *p == 's';
	}
	/*
	 * strftime(3) would fail for such a name, and a truncated name could not be recognized
	 * after a restart.
	 */
	if (longest > NAME_MAX - TL_SUFFIX_MAX) {
		*problem = "makes names that are too long";
		return -1;
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

/*
 * Process one sequence of @n digits of the pattern. at[i] is true if the part of the pattern so
 * far can match the first i bytes of @name.
 */
static void step_digits(bool at[NAME_MAX + 2], const char *name, size_t len, int n)
{
	bool to[NAME_MAX + 2] = { false };
	size_t from, i;

	for (from = 0; from < len; from++)
		for (i = from; at[from] && i < len && isdigit((unsigned char)name[i]) &&
		     (!n || i < from + (size_t)n); i++)
			to[i + 1] |= !n || i + 1 == from + (size_t)n;
	memcpy(at, to, sizeof(to));
}

static void step_letter(bool at[NAME_MAX + 2], const char *name, size_t len, char c)
{
	size_t i;

	for (i = len; i > 0; i--)
		at[i] = at[i - 1] && name[i - 1] == c;
	at[0] = false;
}

/* Is the string empty, or a dot and digits? */
static bool is_suffix(const char *s)
{
	size_t n = *s == '.' ? strspn(s + 1, "0123456789") : 0;

	return !*s || (n && !s[n + 1]);
}

/*
 * Can the pattern produce this name? %s produces any number of digits and another digit may
 * follow, so all possible matches are tracked at once.
 */
bool tl_name_ours(const struct tl_name *n, const char *name)
{
	bool at[NAME_MAX + 2] = { true };
	size_t len = strlen(name), i;
	const char *p;

	if (len > NAME_MAX)
		return false;
	for (p = n->base; *p; p++) {
		if (*p == '%')
			step_digits(at, name, len, digits(*++p));
		else
			step_letter(at, name, len, *p);
	}
	for (i = 0; i <= len; i++)
		if (at[i] && is_suffix(name + i))
			return true;
	return false;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * when.c - parse dates and times
 *
 * Forms: "-5s", "-1h30min", "@1700000000.5", "2026-11-21 03:15:46.5", "03:15", "yesterday", and
 * the dates of the option -d of QNX's traceinfo. The whole word must be valid.
 */
#include <ctype.h>
#include <time.h>
#include "traceinfo.h"

#define NSEC	1000000000ll

/*
 * Parse digits[.digits] and multiply by @unit, in ns. Return false if there is no number, or if it
 * is too large.
 */
static bool decimal(const char **p, int64_t unit, int64_t *ns)
{
	const char *s = *p;
	int64_t v = 0, part = unit;

	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *s - '0', &v))
			return false;
	if (__builtin_mul_overflow(v, unit, &v))
		return false;
	if (*s == '.') {
		if (!isdigit((unsigned char)*++s))
			return false;
		for (; isdigit((unsigned char)*s); s++) {
			part /= 10;
			if (__builtin_add_overflow(v, part * (*s - '0'), &v))
				return false;
		}
	}
	*p = s;
	*ns = v;
	return true;
}

bool ti_parse_span(const char *s, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t unit;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "seconds", NSEC }, { "second", NSEC }, { "sec", NSEC }, { "s", NSEC },
		{ "minutes", 60 * NSEC }, { "minute", 60 * NSEC }, { "min", 60 * NSEC },
		{ "m", 60 * NSEC },
		{ "hours", 3600 * NSEC }, { "hour", 3600 * NSEC }, { "h", 3600 * NSEC },
		{ "days", 86400 * NSEC }, { "day", 86400 * NSEC }, { "d", 86400 * NSEC },
		{ "weeks", 604800 * NSEC }, { "week", 604800 * NSEC }, { "w", 604800 * NSEC },
	};
	int64_t total = 0, v;

	do {
		const char *number = s, *p = s;
		size_t n, i, nr = sizeof(units) / sizeof(units[0]);

		while (isdigit((unsigned char)*p) || *p == '.')
			p++;
		for (n = 0; isalpha((unsigned char)p[n]); n++)
			;
		for (i = 0; i < nr; i++)
			if (strlen(units[i].name) == n && !strncmp(p, units[i].name, n))
				break;
		if (n && i == nr)
			return false;
		if (!decimal(&number, n ? units[i].unit : NSEC, &v) || number != p ||
		    __builtin_add_overflow(total, v, &total))
			return false;
		s = p + n;
		while (*s == ' ')
			s++;
	} while (*s);
	*ns = total;
	return true;
}

static bool digits(const char **p, unsigned int n, int *v)
{
	*v = 0;
	while (n--) {
		if (!isdigit((unsigned char)**p))
			return false;
		*v = *v * 10 + *(*p)++ - '0';
	}
	return true;
}

static bool take(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

/* HH:MM[:SS[.fraction]] */
static bool clock_time(const char **p, struct tm *tm, int64_t *ns)
{
	int64_t fraction = 0;

	tm->tm_sec = 0;
	if (!digits(p, 2, &tm->tm_hour) || !take(p, ':') || !digits(p, 2, &tm->tm_min))
		return false;
	if (take(p, ':')) {
		if (!digits(p, 2, &tm->tm_sec))
			return false;
		if (**p == '.') {
			const char *zero = *p - 1;
			int64_t with_sec;

			/*
			 * Parse the fraction together with the last digit of the seconds, as in
			 * "6.5".
			 */
			if (!decimal(&zero, NSEC, &with_sec))
				return false;
			fraction = with_sec % NSEC;
			*p = zero;
		}
	}
	*ns = fraction;
	return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60;
}

/* Parse a time zone: Z, +01:00 or +0100. Set *seconds to its offset. */
static bool zone(const char **p, int *seconds)
{
	int sign = **p == '-' ? -1 : 1, h, m;

	*seconds = 0;
	if (take(p, 'Z'))
		return true;
	++*p;
	if (!digits(p, 2, &h))
		return false;
	take(p, ':');
	if (!digits(p, 2, &m) || h > 14 || m > 59)
		return false;
	*seconds = sign * (h * 3600 + m * 60);
	return true;
}

/*
 * Convert a date to seconds since 1970. Return false if time_t cannot hold the result. mktime()
 * returns -1 for an error, but also for the last second of 1969.
 */
static bool seconds_of(struct tm *tm, bool utc, time_t *t)
{
	tm->tm_isdst = -1;
	tm->tm_wday = -1;
	*t = utc ? timegm(tm) : mktime(tm);
	return *t != -1 || tm->tm_wday >= 0;
}

static bool real_of(struct tm *tm, bool utc, int offset, int64_t ns, struct ti_when *when)
{
	struct tm copy = *tm;
	time_t t;

	if (!seconds_of(tm, utc, &t))
		return false;
	/* mktime() turns February 30 into March 2: reject such dates. */
	if (tm->tm_mday != copy.tm_mday || tm->tm_mon != copy.tm_mon)
		return false;
	when->kind = TI_REAL;
	return !__builtin_mul_overflow((int64_t)t - offset, NSEC, &when->ns) &&
	       !__builtin_add_overflow(when->ns, ns, &when->ns);
}

static bool absolute(const char *p, struct ti_when *when)
{
	struct tm tm;
	time_t now = time(NULL);
	bool utc = false;
	int year, offset = 0;
	int64_t ns = 0;

	if (!localtime_r(&now, &tm))
		return false;
	if (strlen(p) > 4 && p[4] == '-') {
		tm.tm_hour = 0;
		tm.tm_min = 0;
		tm.tm_sec = 0;
		if (!digits(&p, 4, &year) || !take(&p, '-') || !digits(&p, 2, &tm.tm_mon) ||
		    !take(&p, '-') || !digits(&p, 2, &tm.tm_mday))
			return false;
		tm.tm_year = year - 1900;
		tm.tm_mon--;
		if (tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 || tm.tm_mday > 31)
			return false;
		if (*p == 'T' || *p == ' ') {
			p++;
			if (!clock_time(&p, &tm, &ns))
				return false;
		}
	} else if (!clock_time(&p, &tm, &ns)) {
		return false;
	}
	if (*p == 'Z' || *p == '+' || *p == '-') {
		utc = true;
		if (!zone(&p, &offset))
			return false;
	}
	return !*p && real_of(&tm, utc, offset, ns, when);
}

static bool named_day(const char *word, struct ti_when *when)
{
	time_t now = time(NULL), t;
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_hour = 0;
	tm.tm_min = 0;
	tm.tm_sec = 0;
	if (!strcmp(word, "yesterday"))
		tm.tm_mday--;
	else if (strcmp(word, "today"))
		return false;
	if (!seconds_of(&tm, false, &t))
		return false;
	when->kind = TI_REAL;
	when->ns = (int64_t)t * NSEC;
	return true;
}

bool ti_parse_when(const char *word, struct ti_when *when)
{
	const char *p = word + 1;

	when->word = word;
	when->kind = TI_AGO;
	when->ns = 0;
	if (!strcmp(word, "now"))
		return true;
	/* The trace clock begins with the kernel, so this time is before any event. */
	when->ns = INT64_MAX;
	if (!strcmp(word, "boot"))
		return true;
	when->ns = 0;
	if (*word == '-')
		return ti_parse_span(p, &when->ns);
	when->kind = TI_REAL;
	if (*word == '@')
		return decimal(&p, NSEC, &when->ns) && !*p;
	return named_day(word, when) || absolute(word, when);
}

/*
 * Parse [[[[[[CC]YY]MM]DD]hh]mm][.SS]. Parts that are omitted at the front are taken from the
 * present date. With @is_end, return the end of the smallest unit given, for example of the
 * minute.
 */
static bool parse_qnx(const char *s, size_t n, bool is_end, struct ti_when *when)
{
	const char *dot = memchr(s, '.', n);
	size_t len = dot ? (size_t)(dot - s) : n, i;
	time_t now = time(NULL);
	int v[6], nr = (int)len / 2;
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_sec = 0;
	if (len % 2 || len > 12 || (!len && !dot))
		return false;
	for (i = 0; i < len; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	for (i = 0; i < len / 2; i++)
		v[i] = (s[2 * i] - '0') * 10 + s[2 * i + 1] - '0';
	if (dot) {
		if (s + n - dot != 3 || !isdigit((unsigned char)dot[1]) ||
		    !isdigit((unsigned char)dot[2]))
			return false;
		tm.tm_sec = (dot[1] - '0') * 10 + dot[2] - '0';
	}
	if (nr == 6)
		tm.tm_year = v[0] * 100 + v[1] - 1900;
	else if (nr == 5)
		tm.tm_year = v[0] < 69 ? v[0] + 100 : v[0];
	if (nr >= 4)
		tm.tm_mon = v[nr - 4] - 1;
	if (nr >= 3)
		tm.tm_mday = v[nr - 3];
	if (nr >= 2)
		tm.tm_hour = v[nr - 2];
	if (nr >= 1)
		tm.tm_min = v[nr - 1];
	if (tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	if (!real_of(&tm, false, 0, 0, when))
		return false;
	return !is_end ||
	       !__builtin_add_overflow(when->ns, (dot ? NSEC : 60 * NSEC) - 1, &when->ns);
}

uint64_t ti_when_from(int64_t since, int64_t real, uint64_t ts)
{
	int64_t behind;

	/* The wall clock may drift by 500 ppm from the trace clock: allow 1000 ppm and 1 s. */
	if (__builtin_sub_overflow(real, since, &behind) ||
	    __builtin_add_overflow(behind, NSEC + (behind > 0 ? behind / 1000 : 0), &behind))
		return real < since ? ts : 0;
	return behind <= 0 ? ts : (uint64_t)behind < ts ? ts - (uint64_t)behind : 0;
}

bool ti_parse_dates(const char *word, struct ti_when *since, struct ti_when *until)
{
	const char *colon = strchr(word, ':');
	size_t n = colon ? (size_t)(colon - word) : strlen(word);

	since->word = word;
	until->word = word;
	if (n && !parse_qnx(word, n, false, since))
		return false;
	if (colon && colon[1] && !parse_qnx(colon + 1, strlen(colon + 1), true, until))
		return false;
	return n || (colon && colon[1]);
}

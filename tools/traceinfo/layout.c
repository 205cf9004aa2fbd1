// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout.c - choose the columns before the text of an event
 *
 * Output to a pipe or file has the wide layout, unless --format=short is given. A terminal
 * narrower than WIDE columns gets the short layout, below a line with the column heads. If the
 * user gives the columns with -H, no heads are printed, but dates are. JSON, summaries and
 * --format=qspy have no layout.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "layout.h"
#include "traceinfo.h"

#define WIDE		100	/* columns */
/* columns assumed for a terminal that does not report its width, e.g. a serial line */
#define COLUMNS		80

#define WIDE_HEADER	"%2c %-4x %-3s %-21a %n%o: "
#define SHORT_HEADER	"%-3s %-15a %n%o: "

static volatile sig_atomic_t width_changed;

static void on_winch(int sig)
{
	(void)sig;
	width_changed = 1;
}

unsigned long ti_columns(void)
{
	const char *env = getenv("COLUMNS");
	unsigned long n = 0;
	struct winsize w;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col)
		return w.ws_col;
	if (env && *env >= '0' && *env <= '9')
		n = strtoul(env, NULL, 10);
	return n ? n : COLUMNS;
}

/*
 * Read the environment as setlocale(3) does. setlocale(3) itself fails on a board without the
 * files of the locale.
 */
bool ti_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *term = getenv("TERM"), *locale = NULL;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !(locale && *locale); i++)
		locale = getenv(names[i]);
	return term && *term && strcmp(term, "dumb") && locale &&
	       (strcasestr(locale, ".UTF-8") || strcasestr(locale, ".utf8"));
}

static bool want_short(const struct ti_printer *p)
{
	const struct ti_options *opt = p->opt;

	if (opt->json || opt->summary || opt->timeline)
		return false;
	if (opt->layout != TI_LAYOUT_AUTO)
		return opt->layout == TI_LAYOUT_SHORT;
	return p->terminal && !opt->header && ti_columns() < WIDE;
}

static bool lay_out(struct ti_printer *p)
{
	const struct ti_options *opt = p->opt;
	struct ti_header *h;
	char column[16] = "";

	p->is_short = want_short(p);
	if (p->board_width)
		snprintf(column, sizeof(column), "%%-%ub ", p->board_width);
	snprintf(p->format, sizeof(p->format), "%%t %s%s", column,
		 p->is_short ? SHORT_HEADER : WIDE_HEADER);
	h = ti_header_new(opt->header ? opt->header : p->format,
			  (p->terminal || p->is_short) && !opt->header);
	if (!h)
		return false;
	free(p->header);
	p->header = h;
	p->headed = !p->terminal || opt->header || opt->layout == TI_LAYOUT_QSPY;
	p->clock.date = opt->date ? opt->date :
			p->is_short || p->clock.mode == TI_TIME_REL ? "%T" : "%b %d %T";
	/* The cached second has another format. */
	p->clock.valid = false;
	return true;
}

bool ti_layout_begin(struct ti_printer *p)
{
	const struct ti_options *opt = p->opt;
	struct sigaction winch = { .sa_handler = on_winch, .sa_flags = SA_RESTART };

	p->terminal = !opt->json && !opt->summary && isatty(STDOUT_FILENO);
	p->clock.mode = opt->time;
	if (p->terminal && opt->follow && !opt->time_given && !opt->header)
		p->clock.mode = TI_TIME_REL;
	if (p->terminal && opt->layout == TI_LAYOUT_AUTO)
		sigaction(SIGWINCH, &winch, NULL);
	return lay_out(p);
}

void ti_layout_boards(struct ti_printer *p, unsigned int width)
{
	p->board_width = width;
	p->clock.wall = true;
	lay_out(p);
}

static void heads(struct out *o, struct ti_printer *p)
{
	p->headed = true;
	if (p->color)
		OUT_LIT(o, "\033[1m");
	ti_header_heads(o, p->header, ti_clock_width(&p->clock));
	out_str(o, p->color ? "\033[0m\n" : "\n");
}

void ti_layout_line(struct out *o, struct ti_printer *p)
{
	if (width_changed) {
		width_changed = 0;
		if (want_short(p) != p->is_short)
			lay_out(p);
	}
	if (o && !p->headed)
		heads(o, p);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - the columns before the text of an event, and what the terminal can show
 */
#ifndef TRACEINFO_LAYOUT_H
#define TRACEINFO_LAYOUT_H

#include "traceinfo.h"

/*
 * Choose the layout by the options and the terminal's width. Return false if
 * the format of the header is wrong, after printing a message.
 */
bool ti_layout_begin(struct ti_printer *p);
/*
 * Return the width of the terminal in columns, or 80 if the terminal does not report its width,
 * for example a serial line.
 */
unsigned long ti_columns(void);
/*
 * Return true if the output may have characters that are not ASCII. The locale must have UTF-8, and
 * TERM must name a terminal other than dumb.
 */
bool ti_unicode(void);
/*
 * Choose the layout again, with a column of @width for the board's name. The width is known only
 * after all inputs have been opened.
 */
void ti_layout_boards(struct ti_printer *p, unsigned int width);
/*
 * Call this before each line of text. It adapts the layout to a new terminal width, and prints the
 * column heads if they are due.
 */
void ti_layout_line(struct out *o, struct ti_printer *p);

#endif

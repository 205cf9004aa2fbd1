/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * picks.h - the memory of the options --counter and --slice; see pick.h
 */
#ifndef TRACEINFO_PICKS_H
#define TRACEINFO_PICKS_H

#include "fmtlang/fmt.h"

#define TI_PICKS_MAX	32	/* --counter and --slice, each */

/* --counter EVENT.ARGUMENT, or --slice BEGIN..END */
struct ti_pick {
	const char	*word;		/* the argument of the option */
	char		first[2 * FMT_NAME_MAX + 2];	/* EVENT or BEGIN */
	const char	*second;	/* ARGUMENT or END, a part of @word */
};

struct ti_picks {
	struct ti_pick	v[TI_PICKS_MAX];
	unsigned int	n;
};

#endif

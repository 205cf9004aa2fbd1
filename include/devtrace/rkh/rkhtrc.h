/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc.h - the interface of RKH's trace facility, on /dev/trace
 *
 * A program of RKH 3.4 whose search path has this directory before RKH's source/trc/inc, and
 * that does not link the sources of source/trc, traces into its lanes: the trace points of the
 * framework by rkhtrc_record.h, filters by rkhtrc_filter.h. Only libdevtrace-rkh is linked,
 * which holds the filters. Documentation/frameworks.rst has the numbers of the events.
 */
#ifndef DEVTRACE_RKHTRC_H
#define DEVTRACE_RKHTRC_H

#include "rkhtrc_record.h"
#include "rkhtrc_filter.h"

#endif

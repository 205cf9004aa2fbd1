/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc.h - the interface of RKH's trace facility, on /dev/trace
 *
 * An RKH 3.4 program with this directory before RKH's source/trc/inc on the search path, and
 * without the sources of source/trc, traces into its lanes: trace points by rkhtrc_record.h,
 * filters by rkhtrc_filter.h. It links only libdevtrace-rkh, which holds the filters.
 * Documentation/frameworks.rst has the numbers of the events.
 */
#ifndef DEVTRACE_RKHTRC_H
#define DEVTRACE_RKHTRC_H

#include "rkhtrc_record.h"
#include "rkhtrc_filter.h"

#endif

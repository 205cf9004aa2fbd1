/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc.h - the interface of RKH's trace facility, on /dev/trace
 *
 * An RKH 3.4 program writes its trace to the lanes of its threads if it is compiled with this
 * directory before RKH's source/trc/inc on the search path, and without the source files of
 * source/trc. rkhtrc_record.h has the trace points, rkhtrc_filter.h the filters. The program links
 * libdevtrace-rkh, which holds the filters. Documentation/frameworks.rst lists the numbers of the
 * events.
 */
#ifndef DEVTRACE_RKHTRC_H
#define DEVTRACE_RKHTRC_H

#include "rkhtrc_record.h"
#include "rkhtrc_filter.h"

#endif

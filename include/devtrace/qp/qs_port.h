/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qs_port.h - the port of QS that QP/C's sources include: this machine
 *
 * Its guard is that of the ports of QP/C. A source that stands beside one of those, such
 * as QP/C's own qf_port.c, finds that one first; it includes qs.h, which is ours, too.
 */
#ifndef QS_PORT_H_
#define QS_PORT_H_

/* QP first: what version it is decides which names it brings itself. */
#if !defined(QP_PORT_H_) && defined(__has_include)
#if __has_include("qp_port.h")
#include "qp_port.h"
#endif
#endif

#include "qs.h"

#endif

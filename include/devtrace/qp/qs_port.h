/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qs_port.h - the port of QS that QP/C's sources include
 *
 * It has the include guard of QP/C's ports. A source beside one of those, for example QP/C's
 * qf_port.c, finds that port first, which then includes our qs.h.
 */
#ifndef QS_PORT_H_
#define QS_PORT_H_

/* First, because QP's version decides which names it defines. */
#if !defined(QP_PORT_H_) && defined(__has_include)
#if __has_include("qp_port.h")
#include "qp_port.h"
#endif
#endif

#include "qs.h"

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qs_port.h - the port of QS that QP/C's sources include
 *
 * It has the include guard of the ports in QP/C. A source file beside such a port, for example
 * QP/C's qf_port.c, includes that port instead, which then includes the qs.h of this directory.
 */
#ifndef QS_PORT_H_
#define QS_PORT_H_

/* Include this first: the version of QP decides which names qs.h defines. */
#if !defined(QP_PORT_H_) && defined(__has_include)
#if __has_include("qp_port.h")
#include "qp_port.h"
#endif
#endif

#include "qs.h"

#endif

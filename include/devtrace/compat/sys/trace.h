/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sys/trace.h - the QNX name of devtrace/qnx.h
 *
 * Not on the default search path; use -I$(pkg-config --variable=qnxincludedir libdevtrace)
 */
#include <devtrace/qnx.h>

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sys/trace.h - for sources written for QNX, which include it by this name
 *
 * Not on the default path, so that it is in nobody's way:
 * -I$(pkg-config --variable=qnxincludedir libdevtrace)
 */
#include <devtrace/qnx.h>

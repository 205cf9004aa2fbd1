/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tls.h - links over TLS, by libcurl
 */
#ifndef TL_TLS_H
#define TL_TLS_H

#include <stdbool.h>
#include "common/link.h"

/*
 * Load libcurl. Return false if this machine does not have it. Call it once, before there are other
 * threads.
 */
bool tls_load(void);
/*
 * Connect to the host of the link, and check its certificate with those of @l->ca, or of the system
 * if this is NULL. Wait at most @ms milliseconds, without an end if @ms is negative. Return a
 * non-blocking descriptor, or a negative error number; @l->why then has the reason.
 */
int tls_open(struct link *l, int ms);

#endif

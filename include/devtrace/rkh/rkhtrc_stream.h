/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc_stream.h - RKH's byte stream, which is always empty
 *
 * Events go directly into the thread's lane, and readers open the device.
 */
#ifndef DEVTRACE_RKHTRC_STREAM_H
#define DEVTRACE_RKHTRC_STREAM_H

#include "rkhtrc_out.h"

#ifdef __cplusplus
extern "C" {
#endif

void rkh_trcStream_init(void);
/* Return NULL: there is nothing to send. */
rui8_t *rkh_trc_get(void);
/* Return NULL and 0 bytes. */
rui8_t *rkh_trc_get_block(TRCQTY_T *nget);
TRCQTY_T rkh_trc_getWholeBlock(rui8_t *block, TRCQTY_T size);

#ifdef __cplusplus
}
#endif

#endif

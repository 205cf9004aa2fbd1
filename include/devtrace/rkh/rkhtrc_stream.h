/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc_stream.h - RKH's stream of bytes: there is none
 *
 * Events go into the lane of the thread as they are, and readers open the device. What a
 * port sends from RKH's stream is always empty.
 */
#ifndef DEVTRACE_RKHTRC_STREAM_H
#define DEVTRACE_RKHTRC_STREAM_H

#include "rkhtrc_out.h"

#ifdef __cplusplus
extern "C" {
#endif

void rkh_trcStream_init(void);
/* NULL: no byte is to be sent. */
rui8_t *rkh_trc_get(void);
/* NULL, and 0 bytes. */
rui8_t *rkh_trc_get_block(TRCQTY_T *nget);
TRCQTY_T rkh_trc_getWholeBlock(rui8_t *block, TRCQTY_T size);

#ifdef __cplusplus
}
#endif

#endif

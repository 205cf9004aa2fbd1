/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc_out.h - the output functions of an RKH port
 *
 * libdevtrace-rkh defines these functions, so a port need not. If a port defines them, its own are
 * used.
 */
#ifndef DEVTRACE_RKHTRC_OUT_H
#define DEVTRACE_RKHTRC_OUT_H

#include "rkhtrc_define.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Connect to the device. Without one the program still runs; its events are discarded. */
void rkh_trc_open(void);
/* Does nothing: the connection ends with the program. */
void rkh_trc_close(void);
/* Does nothing: no bytes are buffered. */
void rkh_trc_flush(void);
/* Return the low 32 bits of the trace clock, in ns. Time stamps of events have 64 bits. */
RKH_TS_T rkh_trc_getts(void);

#ifdef __cplusplus
}
#endif

#if RKH_CFG_TRC_EN == RKH_ENABLED
#define RKH_TRC_OPEN()			rkh_trc_open()
#define RKH_TRC_CLOSE()			rkh_trc_close()
#define RKH_TRC_FLUSH()			rkh_trc_flush()
#define RKH_TRC_SEND_CFG(ts_hz)		RKH_TR_FWK_TCFG(ts_hz)
#else
#define RKH_TRC_OPEN()			((void)0)
#define RKH_TRC_CLOSE()			((void)0)
#define RKH_TRC_FLUSH()			((void)0)
#define RKH_TRC_SEND_CFG(ts_hz)		((void)0)
#endif

#endif

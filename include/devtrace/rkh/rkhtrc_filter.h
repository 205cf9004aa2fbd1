/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/rkh/rkhtrc_filter.h - an RKH program's own filters on its events
 *
 * As in RKH, a filter that is on discards events, and at first all filters are on. An event is
 * emitted if the filters of its group, of the event itself and, if it has them, of its active
 * object and its signal are off. These filters need no privilege. The device's filters, which
 * tracectl(8) sets, apply in addition.
 */
#ifndef DEVTRACE_RKHTRC_FILTER_H
#define DEVTRACE_RKHTRC_FILTER_H

#include "rkhtrc_define.h"

typedef rui16_t RKH_TRC_FSLOT;

typedef enum {
	FILTER_ON, FILTER_OFF
} RKH_TRC_FOPT;

typedef enum RKHFilter {
	RKHFilterTrcEvt, RKHFilterSignal, RKHFilterSma, RKHFilterNums
} RKHFilter;

#define RKH_TRC_ALL_FILTERS		0x80
#define RKH_TRC_SET_ALL(mode)		((rui8_t)((mode) | RKH_TRC_ALL_FILTERS))

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All these functions are async-signal-safe. They ignore an unknown group, event, filter or slot.
 * rkh_trc_filter_group_() changes the filters of the group's events only if @mode is ECHANGE.
 * An event passes only if both its own filter and the filter of its group are off: so turning
 * off an event's filter also turns off the filter of its group.
 */
void rkh_trc_filter_group_(rui8_t ctrl, RKH_TG_T grp, rui8_t mode);
void rkh_trc_filter_event_(rui8_t ctrl, rui16_t evt);
void rkh_trc_symFil(RKHFilter fd, RKH_TRC_FSLOT slot, rui8_t mode);
/* Return whether the filters of this event, or this filter, are off. */
rbool_t rkh_trc_isoff_(RKH_TE_ID_T e);
rbool_t rkh_trc_symFil_isoff(RKHFilter fd, RKH_TRC_FSLOT slot);

#ifdef __cplusplus
}
#endif

#if RKH_CFG_TRC_EN == RKH_ENABLED && RKH_CFG_TRC_RTFIL_EN == RKH_ENABLED
#define DEVTRACE_RKH_FILTER_(call)	call
#else
#define DEVTRACE_RKH_FILTER_(call)	((void)0)
#endif
#if RKH_CFG_TRC_RTFIL_EN == RKH_ENABLED && RKH_CFG_TRC_RTFIL_SMA_EN == RKH_ENABLED
#define DEVTRACE_RKH_FILTER_SMA_(call)	DEVTRACE_RKH_FILTER_(call)
#else
#define DEVTRACE_RKH_FILTER_SMA_(call)	((void)0)
#endif
#if RKH_CFG_TRC_RTFIL_EN == RKH_ENABLED && RKH_CFG_TRC_RTFIL_SIGNAL_EN == RKH_ENABLED
#define DEVTRACE_RKH_FILTER_SIG_(call)	DEVTRACE_RKH_FILTER_(call)
#else
#define DEVTRACE_RKH_FILTER_SIG_(call)	((void)0)
#endif

#define RKH_FILTER_ON_GROUP(grp) \
	DEVTRACE_RKH_FILTER_(rkh_trc_filter_group_(FILTER_ON, (grp), EUNCHANGE))
#define RKH_FILTER_OFF_GROUP(grp) \
	DEVTRACE_RKH_FILTER_(rkh_trc_filter_group_(FILTER_OFF, (grp), EUNCHANGE))
#define RKH_FILTER_ON_GROUP_ALL_EVENTS(grp) \
	DEVTRACE_RKH_FILTER_(rkh_trc_filter_group_(FILTER_ON, (grp), ECHANGE))
#define RKH_FILTER_OFF_GROUP_ALL_EVENTS(grp) \
	DEVTRACE_RKH_FILTER_(rkh_trc_filter_group_(FILTER_OFF, (grp), ECHANGE))
#define RKH_FILTER_ON_EVENT(evt) \
	DEVTRACE_RKH_FILTER_(rkh_trc_filter_event_(FILTER_ON, (evt)))
#define RKH_FILTER_OFF_EVENT(evt) \
	DEVTRACE_RKH_FILTER_(rkh_trc_filter_event_(FILTER_OFF, (evt)))
#define RKH_FILTER_ON_SMA(sma) \
	DEVTRACE_RKH_FILTER_SMA_(rkh_trc_symFil(RKHFilterSma,			\
		RKH_SMA_ACCESS_CONST(sma, prio), FILTER_ON))
#define RKH_FILTER_OFF_SMA(sma) \
	DEVTRACE_RKH_FILTER_SMA_(rkh_trc_symFil(RKHFilterSma,			\
		RKH_SMA_ACCESS_CONST(sma, prio), FILTER_OFF))
#define RKH_FILTER_ON_ALL_SMA() \
	DEVTRACE_RKH_FILTER_SMA_(rkh_trc_symFil(RKHFilterSma, 0, RKH_TRC_SET_ALL(FILTER_ON)))
#define RKH_FILTER_OFF_ALL_SMA() \
	DEVTRACE_RKH_FILTER_SMA_(rkh_trc_symFil(RKHFilterSma, 0, RKH_TRC_SET_ALL(FILTER_OFF)))
#define RKH_FILTER_ON_SIGNAL(sig) \
	DEVTRACE_RKH_FILTER_SIG_(rkh_trc_symFil(RKHFilterSignal, (sig), FILTER_ON))
#define RKH_FILTER_OFF_SIGNAL(sig) \
	DEVTRACE_RKH_FILTER_SIG_(rkh_trc_symFil(RKHFilterSignal, (sig), FILTER_OFF))
#define RKH_FILTER_ON_ALL_SIGNALS() \
	DEVTRACE_RKH_FILTER_SIG_(rkh_trc_symFil(RKHFilterSignal, 0, RKH_TRC_SET_ALL(FILTER_ON)))
#define RKH_FILTER_OFF_ALL_SIGNALS() \
	DEVTRACE_RKH_FILTER_SIG_(rkh_trc_symFil(RKHFilterSignal, 0, RKH_TRC_SET_ALL(FILTER_OFF)))

#endif

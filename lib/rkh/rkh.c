// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rkh.c - functions of the headers in devtrace/rkh
 *
 * The RKH filters, the names, and the record of a failed assertion. A name is added to the
 * dictionaries of the stream, and is contained in an event together with the kind and the owner of
 * the named object. Threads may change and test the filters at any time, because each bit changes
 * atomically and is independent of the others.
 *
 * Invariants: a set bit passes events. Only the device's filters apply to names, the configuration
 * and failed assertions.
 */
#include <string.h>
#include <unistd.h>
#include <devtrace/rkh/rkhtrc.h>
#include "bits.h"

struct devtrace_rkh devtrace_rkh;

/*
 * After fork(2), the child must emit this anew: for the stream it is another process without
 * names.
 */
void devtrace_rkh_begin(void)
{
	static pid_t told;
	const pid_t self = getpid();

	if (__atomic_load_n(&told, __ATOMIC_RELAXED) == self)
		return;
	if (!devtrace_dict_usr(DEVTRACE_RKH_SYMBOL, "RKH_SYMBOL"))
		__atomic_store_n(&told, self, __ATOMIC_RELAXED);
}

static void set_all(uint8_t *bits, size_t size, bool wanted)
{
	size_t i;

	for (i = 0; i < size; i++)
		__atomic_store_n(&bits[i], wanted ? 0xff : 0, __ATOMIC_RELAXED);
}

void rkh_trc_filter_group_(rui8_t ctrl, RKH_TG_T grp, rui8_t mode)
{
	const bool wanted = ctrl == FILTER_OFF;

	devtrace_rkh_begin();
	if (grp == RKH_TRC_ALL_GROUPS) {
		set_all(&devtrace_rkh.groups, 1, wanted);
	} else if (grp < RKH_TRC_ALL_GROUPS) {
		bits_set(&devtrace_rkh.groups, grp, wanted);
		if (mode == ECHANGE)
			set_all(&devtrace_rkh.events[4 * grp], 4, wanted);
	}
}

void rkh_trc_filter_event_(rui8_t ctrl, rui16_t evt)
{
	const bool wanted = ctrl == FILTER_OFF;

	devtrace_rkh_begin();
	if (evt == RKH_TRC_ALL_EVENTS) {
		set_all(devtrace_rkh.events, sizeof(devtrace_rkh.events), wanted);
		set_all(&devtrace_rkh.groups, 1, wanted);
	} else if (evt < RKH_TRC_ALL_EVENTS) {
		bits_set(devtrace_rkh.events, evt, wanted);
		if (wanted)
			bits_set(&devtrace_rkh.groups, GETGRP(evt), true);
	}
}

/* Find the bits of a filter. Return their number, or 0 if there is no such filter. */
static unsigned int filter_bits(RKHFilter fd, uint8_t **bits)
{
	if (fd == RKHFilterSma) {
		*bits = devtrace_rkh.sma;
		return 8 * sizeof(devtrace_rkh.sma);
	}
	if (fd == RKHFilterSignal) {
		*bits = devtrace_rkh.signals;
		return 8 * sizeof(devtrace_rkh.signals);
	}
	return 0;
}

void rkh_trc_symFil(RKHFilter fd, RKH_TRC_FSLOT slot, rui8_t mode)
{
	const bool wanted = (mode & ~RKH_TRC_ALL_FILTERS) == FILTER_OFF;
	uint8_t *bits = NULL;
	const unsigned int n = filter_bits(fd, &bits);

	devtrace_rkh_begin();
	if (mode & RKH_TRC_ALL_FILTERS)
		set_all(bits, n / 8, wanted);
	else if (slot < n)
		bits_set(bits, slot, wanted);
}

rbool_t rkh_trc_isoff_(RKH_TE_ID_T e)
{
	return devtrace_rkh_bit_(&devtrace_rkh.groups, GETGRP(e)) &&
	       devtrace_rkh_bit_(devtrace_rkh.events, e);
}

rbool_t rkh_trc_symFil_isoff(RKHFilter fd, RKH_TRC_FSLOT slot)
{
	uint8_t *bits = NULL;

	return slot < filter_bits(fd, &bits) && devtrace_rkh_bit_(bits, slot);
}

/* Remove the "&" at the beginning of a name that was made from the program's source text. */
static const char *rkh_plain(const char *name)
{
	return name + (*name == '&');
}

static void add_name(unsigned int kind, uint64_t key, const char *name)
{
	switch (kind) {
	case RKH_TE_FWK_SIG:
		devtrace_dict_sig((uint32_t)key, 0, name);
		break;
	case RKH_TE_FWK_FUN:
		devtrace_dict_fun(key, name);
		break;
	case RKH_TE_FWK_TUSR:
		devtrace_dict_usr(DEVTRACE_RKH_TYPE(key), name);
		break;
	case RKH_TE_FWK_EPOOL:
		devtrace_dict_enum((uint8_t)key, DEVTRACE_RKH_POOLS, name);
		devtrace_dict_enum((uint8_t)(key + 1), DEVTRACE_RKH_POOLS_FROM_1, name);
		devtrace_dict_enum(0, DEVTRACE_RKH_POOLS_FROM_1, "static");
		break;
	default:
		devtrace_dict_obj(key, name);
	}
}

void devtrace_rkh_symbol(unsigned int kind, uint64_t key, uint64_t owner, const char *name)
{
	DEVTRACE_RECORD(r, 32);

	if (!name)
		return;
	devtrace_rkh_begin();
	add_name(kind, key, rkh_plain(name));
	/* Objects of other kinds need only the dictionary. */
	if (kind < RKH_TE_FWK_AO || kind > RKH_TE_FWK_ACTOR ||
	    !devtrace_enabled(DEVTRACE_RKH_SYMBOL))
		return;
	devtrace_begin_plain_(&r, DEVTRACE_RKH_SYMBOL);
	devtrace_u8(&r, (uint8_t)kind);
	if (kind == RKH_TE_FWK_EPOOL)
		devtrace_enum(&r, DEVTRACE_RKH_POOLS, (uint8_t)key);
	else
		devtrace_obj(&r, key);
	devtrace_obj(&r, owner);
	devtrace_end(&r);
}

void rkh_trc_obj(RKH_TE_ID_T kind, rui8_t *object, const char *name)
{
	devtrace_rkh_symbol(kind, DEVTRACE_KEY_(object), 0, name);
}

void rkh_trc_sig(RKH_SIG_T sig, const char *name)
{
	devtrace_rkh_symbol(RKH_TE_FWK_SIG, sig, 0, name);
}

void devtrace_rkh_assert(const char *module, unsigned int line)
{
	DEVTRACE_RECORD(r, 256);

	if (!devtrace_enabled(DEVTRACE_RKH_TYPE(RKH_TE_FWK_ASSERT)))
		return;
	devtrace_rkh_begin();
	devtrace_begin_plain_(&r, DEVTRACE_RKH_TYPE(RKH_TE_FWK_ASSERT));
	devtrace_str(&r, module);
	devtrace_u16(&r, (uint16_t)line);
	devtrace_end(&r);
}

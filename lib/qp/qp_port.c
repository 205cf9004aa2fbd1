// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * qp_port.c - QS's functions for the buffers of a program or port
 *
 * There is no buffer to send or to parse, because requests arrive over the receive channel. All
 * functions here are weak: if a program defines such a function, its own is used.
 */
#include <devtrace/qp/qs.h>

#define WEAK	__attribute__((weak))

WEAK void QS_initBuf(uint8_t *sto, uint_fast32_t stoSize)
{
	(void)sto;
	(void)stoSize;
}

WEAK uint16_t QS_getByte(void)
{
	return QS_EOD;
}

WEAK uint8_t const *QS_getBlock(uint16_t *pNbytes)
{
	*pNbytes = 0;
	return NULL;
}

WEAK void QS_rxInitBuf(uint8_t *sto, uint16_t stoSize)
{
	(void)sto;
	(void)stoSize;
}

WEAK void QS_rxParse(void)
{
	devtrace_qp_rx_input();
}

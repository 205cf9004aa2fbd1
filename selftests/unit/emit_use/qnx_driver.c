// SPDX-License-Identifier: GPL-2.0-only
/*
 * qnx_driver.c - a driver's trace calls, in the form that QNX sources have: QNX include names,
 * K&R style, all arguments int
 */
#include <stdio.h>
#include <string.h>
#include <sys/trace.h>

#define _TRACE_ACME_UART	__M( 0x000A10 )
#define UART_OVERRUN		1
#define UART_HOT		2

static int overrun( unsigned port, unsigned lost, unsigned char lsr ) {
	return( Trace3( _TRACE_ACME_UART + UART_OVERRUN, _TRACE_HW_SEVERITY2, port, lost, lsr ) );
}

int main( void ) {
	const char	*data = "ABC";
	int		temp = 45;

	if( overrun( 2, 77, 3 ) == -1 ) {
		return( 1 );
	}
	Trace1( _TRACE_ACME_UART + UART_HOT, _TRACE_SW_SEVERITY1, temp );
	if( temp > 40 )
		Trace0( _TRACE_ACME_UART, _TRACE_HW_SEVERITY3 );
	else
		Trace0( _TRACE_ACME_UART, _TRACE_SW_SEVERITY0 );
	Trace1b( _TRACE_ACME_UART + UART_OVERRUN, _TRACE_HW_SEVERITY1, temp, strlen( data ), data );
	return( 0 );
}

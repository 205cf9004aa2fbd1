// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rx_state.c - the one channel of a process
 */
#include "rx.h"

struct rx dt_rx = {
	.listen = -1, .inode = -1, .poll = -1, .stop = -1,
	.lock = PTHREAD_MUTEX_INITIALIZER, .go = PTHREAD_COND_INITIALIZER,
};

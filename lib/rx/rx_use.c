// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rx_use.c - the list of running callbacks, and the objects that they use
 *
 * Invariant: the list changes only with the lock held, and contains each use while its callback
 * runs.
 */
#include "rx.h"

void *dt_rx_enter(struct rx *rx, struct rx_use *use, const struct rx_object *o)
{
	use->object = o ? o->object : NULL;
	if (o) {
		use->by = pthread_self();
		use->outer = rx->uses;
		rx->uses = use;
	}
	pthread_mutex_unlock(&rx->lock);
	return use->object;
}

void dt_rx_leave(struct rx *rx, struct rx_use *use)
{
	struct rx_use **at;

	pthread_mutex_lock(&rx->lock);
	for (at = &rx->uses; *at != use; at = &(*at)->outer)
		;
	*at = use->outer;
	pthread_cond_broadcast(&rx->go);
	pthread_mutex_unlock(&rx->lock);
}

bool dt_rx_used_by_others(const struct rx *rx, const void *object)
{
	const struct rx_use *use;

	for (use = rx->uses; use; use = use->outer)
		if (use->object == object && !pthread_equal(use->by, pthread_self()))
			return true;
	return false;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * signals.c - signals by which users make requests
 *
 * All signals are blocked except during waits. So no signal can arrive after its flag was checked
 * and before the wait begins.
 */
#include "tracelogger.h"

volatile sig_atomic_t tl_stop, tl_reopen, tl_save, tl_tell;

static void on_signal(int sig)
{
	switch (sig) {
	case SIGHUP:
		tl_reopen = 1;
		break;
	case SIGALRM:
		tl_save = 1;
		break;
	case SIGUSR1:
		tl_tell = 1;
		break;
	default:
		if (tl_stop < 100)
			tl_stop++;
	}
}

void tl_signals(sigset_t *waiting)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGUSR1 };
	struct sigaction sa = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };
	sigset_t block;
	size_t i;

	sigemptyset(&block);
	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		sigaction(sigs[i], &sa, NULL);
		sigaddset(&block, sigs[i]);
	}
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &block, waiting);
}

/* Return the flag and clear it. The signal is blocked meanwhile. */
static bool came(volatile sig_atomic_t *flag)
{
	bool is = *flag;

	*flag = 0;
	return is;
}

int tl_signalled(void)
{
	if (tl_stop)
		return SIGTERM;
	return came(&tl_reopen) ? SIGHUP : came(&tl_save) ? SIGALRM : came(&tl_tell) ? SIGUSR1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec.c - --exec: run a command for events that match
 *
 * Invariants
 * - The logger never waits for a command. Before it starts a command, it reaps those that have
 *   ended.
 * - The logger starts at most one command per --interval, and runs at most RUNNING at the same
 *   time. Each command gets the number of events that matched since the previous command.
 * - Values of events are passed as environment variables, never in the command line, so the shell
 *   does not interpret them.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/severity.h"
#include "match.h"
#include "tracelogger.h"

#define RUNNING		4
/* limit of environment variables: the fields of an event get those that other values do not need */
#define VARIABLES	64

struct tl_exec {
	const struct tl_options *opt;
	struct ti_filter filter;
	struct fmt_set	fmts;
	/* words: copy of the expression of --match; @filter points into it */
	char		*words;
	struct out	text;		/* the variables: NAME=VALUE, NUL-terminated */
	size_t		at[VARIABLES], n;
	uint64_t	from;		/* trace clock, ns: older events are ignored */
	/* last: when a command was last started, in ns of tl_now() */
	int64_t		last;
	unsigned int	running;
	/* skipped: events that matched since a command was last started */
	uint64_t	skipped;
	struct tl_exec_counts counts;
};

void tl_exec_check(const char *expression)
{
	struct ti_filter f = { 0 };
	char *words = strdup(expression);

	if (words)
		tl_match_parse(&f, words);
	ti_filter_free(&f);
	free(words);
}

struct tl_exec *tl_exec_new(const struct tl_options *opt)
{
	struct tl_exec *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->words = strdup(opt->match);
	if (!x->words) {
		free(x);
		return NULL;
	}
	x->opt = opt;
	tl_match_parse(&x->filter, x->words);
	/* Errors in format files are ignored here; traceinfo --check-fmt reports them. */
	fmt_set_init(&x->fmts, NULL, NULL);
	fmt_add_default(&x->fmts);
	out_init(&x->text, -1);
	return x;
}

void tl_exec_device(struct tl_exec *x, int fd)
{
	x->filter.pids = ti_pids_new(fd);
}

void tl_exec_from(struct tl_exec *x, uint64_t ts)
{
	x->from = ts;
}

const struct tl_exec_counts *tl_exec_counts(const struct tl_exec *x)
{
	return &x->counts;
}

void tl_exec_free(struct tl_exec *x)
{
	if (!x)
		return;
	fmt_set_free(&x->fmts);
	out_free(&x->text);
	ti_pids_free(x->filter.pids);
	ti_filter_free(&x->filter);
	free(x->words);
	free(x);
}

/* Begin the variable DEVTRACE_name. The caller appends the value and a NUL. */
static struct out *variable(struct tl_exec *x, const char *name)
{
	x->at[x->n++] = x->text.len;
	OUT_LIT(&x->text, "DEVTRACE_");
	out_str(&x->text, name);
	out_char(&x->text, '=');
	return &x->text;
}

static void number(struct tl_exec *x, const char *name, uint64_t value)
{
	out_u64(variable(x, name), value);
	out_char(&x->text, 0);
}

static void string(struct tl_exec *x, const char *name, const char *value)
{
	if (!value)
		return;
	out_safe(variable(x, name), value, strlen(value));
	out_char(&x->text, 0);
}

static void put_value(struct out *o, const struct devtrace_elem *e)
{
	char word[40];
	size_t i;

	if (e->is_enum) {
		out_u64(o, e->v.u);
		return;
	}
	switch (e->type) {
	case DEVTRACE_E_I8:
	case DEVTRACE_E_I16:
	case DEVTRACE_E_I32:
	case DEVTRACE_E_I64:
		out_i64(o, e->v.i);
		break;
	case DEVTRACE_E_F32:
	case DEVTRACE_E_F64:
		snprintf(word, sizeof(word), "%.*g", e->type == DEVTRACE_E_F32 ? 9 : 17, e->v.f);
		out_str(o, word);
		break;
	case DEVTRACE_E_STR:
		out_safe(o, e->v.mem.p, e->v.mem.len);
		break;
	case DEVTRACE_E_MEM:
		for (i = 0; i < e->v.mem.len; i++) {
			snprintf(word, sizeof(word), "%02x", e->v.mem.p[i]);
			out_str(o, word);
		}
		break;
	case DEVTRACE_E_SIG:
		out_u64(o, e->v.sig.sig);
		break;
	case DEVTRACE_E_X32:
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
		out_hex(o, e->v.u, 1);
		break;
	default:
		out_u64(o, e->v.u);
	}
}

static void fields(struct tl_exec *x, const struct devtrace_event *ev)
{
	struct devtrace_elem elem;
	unsigned int n = 0;
	size_t pos = 0;
	char name[24];

	/* Leave room for one more variable, which will hold the number of fields. */
	while (x->n + 1 < VARIABLES && devtrace_elem_next(ev->data, ev->len, &pos, &elem) == 1) {
		snprintf(name, sizeof(name), "FIELD_%u", n++);
		put_value(variable(x, name), &elem);
		out_char(&x->text, 0);
	}
	number(x, "FIELDS", n);
}

static void moment(struct tl_exec *x, const struct devtrace_decoder *d, uint64_t ts)
{
	char words[64];
	int64_t real;
	time_t sec;
	struct tm tm;

	number(x, "TS", ts);
	if (!devtrace_decoder_real(d, ts, &real) || real < 0)
		return;
	sec = (time_t)(real / TL_NSEC);
	gmtime_r(&sec, &tm);
	strftime(words, sizeof(words), "%Y-%m-%dT%H:%M:%S", &tm);
	out_str(variable(x, "TIME"), words);
	snprintf(words, sizeof(words), ".%06dZ", (int)(real % TL_NSEC / 1000));
	out_str(&x->text, words);
	out_char(&x->text, 0);
}

static void describe(struct tl_exec *x, const struct ti_event *e)
{
	const struct devtrace_event *ev = e->ev;
	int lane = ti_event_lane(e);

	x->text.len = 0;
	x->n = 0;
	number(x, "TYPE", ev->number);
	ti_event_name(variable(x, "NAME"), e);
	out_char(&x->text, 0);
	moment(x, e->decoder, ev->ts);
	if (ev->severity & DEVTRACE_SEV_SET)
		string(x, "SEVERITY", severity_name(ev->severity));
	number(x, lane < 0 ? "CPU" : "LANE", lane < 0 ? ev->source : (uint64_t)lane);
	string(x, "CONTEXT", ti_event_context(e));
	number(x, "TID", ev->tid);
	if (e->tgid)
		number(x, "PID", e->tgid);
	string(x, "PROCESS", ti_event_process(e));
	if (ev->flags & DEVTRACE_F_CODE) {
		number(x, "MAJOR", DEVTRACE_CODE_MAJOR(ev->code));
		number(x, "MINOR", DEVTRACE_CODE_MINOR(ev->code));
	}
	if (ev->flags & DEVTRACE_F_OBJSIG) {
		number(x, "OBJECT", ev->object);
		string(x, "OBJECT_NAME", ti_event_object(e));
		number(x, "SIGNAL", ev->signal);
		string(x, "SIGNAL_NAME", ti_event_signal(e));
	}
	variable(x, "TEXT");
	ti_event_text(&x->text, e);
	out_char(&x->text, 0);
	number(x, "SKIPPED", x->skipped);
	fields(x, ev);
}

/*
 * Make the command's environment: our variables, and those of the logger. Variables of the logger
 * that begin with DEVTRACE_ are left out: they describe an event if another logger's command
 * started this logger.
 */
static char **environment(struct tl_exec *x)
{
	size_t n = 0, i, k = 0;
	char **env;

	for (i = 0; environ[i]; i++)
		n++;
	env = malloc((n + x->n + 1) * sizeof(*env));
	if (!env)
		return NULL;
	for (i = 0; i < n; i++)
		if (strncmp(environ[i], "DEVTRACE_", 9) ||
		    !strncmp(environ[i], "DEVTRACE_FMT_PATH=", 18) ||
		    !strncmp(environ[i], "DEVTRACE_DEVICE=", 16))
			env[k++] = environ[i];
	for (i = 0; i < x->n; i++)
		env[k++] = x->text.buf + x->at[i];
	env[k] = NULL;
	return env;
}

/*
 * Start the command. Its standard output goes to standard error, because the logger's standard
 * output may carry the stream.
 */
static int start(struct tl_exec *x, char **env)
{
	char sh[] = "sh", c[] = "-c";
	char *argv[4] = { sh, c, (char *)x->opt->exec };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	pid_t pid;
	int err;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	err = posix_spawn(&pid, "/bin/sh", &files, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return err;
}

static bool may_start(struct tl_exec *x, int64_t now)
{
	if (x->last && now - x->last < x->opt->interval)
		return false;
	while (x->running && waitpid(-1, NULL, WNOHANG) > 0)
		x->running--;
	return x->running < RUNNING;
}

void tl_exec_event(struct tl_exec *x, const struct devtrace_decoder *d,
		   const struct devtrace_event *ev)
{
	struct ti_event e;
	int64_t now;
	char **env;

	if (ev->ts < x->from)
		return;
	ti_event_init(&e, ev, d, &x->fmts);
	if (!ti_filter_wants(&x->filter, &e))
		return;
	x->counts.matched++;
	now = tl_now();
	if (!may_start(x, now)) {
		x->skipped++;
		return;
	}
	describe(x, &e);
	env = x->text.err ? NULL : environment(x);
	if (!env || start(x, env)) {
		x->counts.failed++;
	} else {
		x->counts.started++;
		x->running++;
		x->skipped = 0;
	}
	x->last = now;
	free(env);
}

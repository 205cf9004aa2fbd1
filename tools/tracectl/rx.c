// SPDX-License-Identifier: GPL-2.0-only
/*
 * rx.c - send requests to a program that has a receive channel
 *
 * KIND=NAME before a request makes an object the current one, but only for this connection, so
 * commands that run at the same time do not disturb each other. The kernel module is not involved.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace-rx.h>
#include "common/program.h"
#include "tracectl.h"

#define TIMEOUT_MS	5000
#define DATA_MAX	1024

static const char *const kinds[] = { "sm", "ao", "mp", "eq", "te", "ap", "sm_ao", "ep" };

/* A request being built. */
struct ask {
	struct tc		*tc;
	struct devtrace_rx_host	*host;
	const char		*program;
	uint8_t			data[DATA_MAX];
	size_t			len;
};

static void put(struct ask *a, uint64_t v, unsigned int bytes)
{
	for (; bytes--; v >>= 8)
		a->data[a->len++] = (uint8_t)v;
}

static int fail(const struct ask *a, const char *text)
{
	struct out o;

	out_init(&o, -1);
	OUT_LIT(&o, "tracectl: rx: ");
	out_safe(&o, a->program, strlen(a->program));
	OUT_LIT(&o, ": ");
	out_str(&o, text);
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
	return 1;
}

/* Print the user's name, or the user id if it has no name. */
static void put_user(struct out *o, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		tc_safe(o, user->pw_name);
	else
		out_u64(o, uid);
}

static bool list_one(void *arg, const struct program *p)
{
	struct tc_list *l = arg;
	struct out *o = tc_list_next(l);

	if (l->tc->json) {
		tc_json_num(o, "\"pid\":", (uint64_t)p->pid);
		tc_json_str(o, ",\"program\":", p->name);
		tc_json_num(o, ",\"uid\":", p->uid);
		return false;
	}
	out_u64(o, (uint64_t)p->pid);
	out_char(o, '\t');
	tc_safe(o, p->name);
	out_char(o, '\t');
	put_user(o, p->uid);
	return false;
}

static int list(struct tc *tc)
{
	struct tc_list l;

	tc_list_begin(&l, tc, "{\"programs\":[", "PID\tPROGRAM\tUSER\n", "rll");
	program_each(list_one, &l);
	return tc_list_end(&l, 0, NULL);
}

static uint64_t number(struct ask *a, const char *what, uint64_t max)
{
	const char *word = tc_next(a->tc, what);
	uint64_t v;

	if (!tc_number(word, max, &v))
		tc_usage(a->tc, word, "is not a number, or is too large");
	return v;
}

static int kind_of(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < NR(kinds); i++)
		if (strlen(kinds[i]) == len && !strncmp(kinds[i], word, len))
			return (int)i;
	return -1;
}

static uint8_t kind_word(struct ask *a)
{
	const char *word = tc_next(a->tc, "the kind of the object");
	int kind = kind_of(word, strlen(word));

	if (kind < 0)
		tc_usage(a->tc, word, "is not a kind of object; the kinds are: sm ao mp eq te ap sm_ao ep");
	return (uint8_t)kind;
}

static int call(struct ask *a, uint8_t request, struct devtrace_rx_answer *answer)
{
	int err = devtrace_rx_call(a->host, request, a->data, a->len, TIMEOUT_MS, answer);

	a->len = 0;
	if (err)
		return fail(a, program_error(err));
	if (answer->status)
		return fail(a, devtrace_rx_status_text(answer->status));
	return 0;
}

/* Append an object to the request: first its kind, then its address or name. */
static void object(struct ask *a, uint8_t kind, const char *word)
{
	uint64_t address;

	if (strlen(word) > 31)
		tc_usage(a->tc, word, "is not the name of an object; a name has at most 31 bytes");
	put(a, kind, 1);
	if (tc_number(word, UINT64_MAX, &address) && address) {
		put(a, address, 8);
		return;
	}
	put(a, 0, 8);
	memcpy(a->data + a->len, word, strlen(word) + 1);
	a->len += strlen(word) + 1;
}

/* Send the KIND=NAME words that come before or after the request. */
static int make_current(struct ask *a)
{
	struct devtrace_rx_answer answer;

	while (a->tc->nr) {
		const char *word = *a->tc->words, *value = strchr(word, '=');
		int kind = value ? kind_of(word, (size_t)(value - word)) : -1;

		if (kind < 0)
			return 0;
		tc_next(a->tc, "an object");
		if (!value[1])
			tc_usage(a->tc, word, "names no object; write KIND=NAME or KIND=ADDRESS");
		object(a, (uint8_t)kind, value + 1);
		if (call(a, DEVTRACE_RX_CURRENT, &answer))
			return 1;
	}
	return 0;
}

static void parse_event(struct ask *a)
{
	uint8_t params[512] = { 0 };
	uint64_t to = DEVTRACE_RX_POST, sig = UINT64_MAX, v;
	size_t len = 0;
	uint32_t found[TC_NUMBERS];
	size_t nr;

	while (a->tc->nr) {
		const char *word = tc_next(a->tc, "a word");

		if (!strcmp(word, "publish")) {
			to = DEVTRACE_RX_PUBLISH;
		} else if (!strcmp(word, "post")) {
			to = DEVTRACE_RX_POST;
		} else if (!strcmp(word, "init")) {
			to = DEVTRACE_RX_INIT;
		} else if (!strcmp(word, "dispatch")) {
			to = DEVTRACE_RX_DISPATCH;
		} else if (!strncmp(word, "to=", 3)) {
			if (!tc_number(word + 3, 252, &to) || !to)
				tc_usage(a->tc, word, "is not a priority from 1 to 252");
		} else if (!strncmp(word, "sig=", 4)) {
			if (tc_number(word + 4, UINT32_MAX, &sig))
				continue;
			if (!tc_name(a->tc, DEVTRACE_FA_SIGNALS, word + 4, &nr, found))
				tc_usage(a->tc, word, "is not a signal; write a number, or a name from 'tracectl dict'");
			if (nr > 1)
				tc_usage(a->tc, word, "is the name of several signals; write the number instead");
			sig = found[0];
		} else if (tc_number(word, 255, &v) && len < sizeof(params)) {
			params[len++] = (uint8_t)v;
		} else {
			tc_usage(a->tc, word, "is neither publish, post, init, dispatch, to=PRIORITY, sig=SIGNAL nor a byte");
		}
	}
	if (sig == UINT64_MAX)
		tc_missing(a->tc, "sig=SIGNAL");
	put(a, to, 1);
	put(a, sig, 4);
	put(a, len, 2);
	memcpy(a->data + a->len, params, len);
	a->len += len;
}

/* Parse "all", "none", or numbers and ranges. */
static void parse_filter(struct ask *a)
{
	uint8_t bits[16] = { 0 };
	unsigned long first, last;
	char *end;

	if (!a->tc->nr)
		tc_missing(a->tc, "all, none, a number or a range");
	while (a->tc->nr) {
		const char *word = tc_next(a->tc, "a number");

		if (!strcmp(word, "all") || !strcmp(word, "none")) {
			memset(bits, *word == 'a' ? 0xff : 0, sizeof(bits));
			continue;
		}
		first = last = strtoul(word, &end, 10);
		if (*end == '-' && end != word)
			last = strtoul(end + 1, &end, 10);
		if (end == word || *end || first > last || last > 127)
			tc_usage(a->tc, word, "is not a range of records; write numbers up to 127, all or none");
		for (; first <= last; first++)
			bits[first / 8] |= (uint8_t)(1u << first % 8);
	}
	put(a, sizeof(bits), 1);
	memcpy(a->data + a->len, bits, sizeof(bits));
	a->len += sizeof(bits);
}

static void parse_memory(struct ask *a, uint8_t request)
{
	uint64_t max, nr = 0;
	uint8_t size;
	size_t at;

	put(a, number(a, "the offset", UINT16_MAX), 2);
	size = (uint8_t)number(a, "a size (1, 2 or 4)", 4);
	if (size != 1 && size != 2 && size != 4)
		tc_usage(a->tc, a->tc->words[-1], "is not a size; write 1, 2 or 4");
	put(a, size, 1);
	max = size == 4 ? UINT32_MAX : (1ull << 8 * size) - 1;
	if (request == DEVTRACE_RX_PEEK) {
		put(a, a->tc->nr ? number(a, "how many", 255) : 1, 1);
		return;
	}
	if (request == DEVTRACE_RX_FILL) {
		put(a, number(a, "how many", 255), 1);
		put(a, number(a, "the value", max), size);
		return;
	}
	at = a->len++;
	do {
		put(a, number(a, "a value", max), size);
		nr++;
	} while (a->tc->nr && nr < 255 && a->len + 4 <= DATA_MAX);
	a->data[at] = (uint8_t)nr;
}

static void parse_command(struct ask *a)
{
	int i;

	put(a, number(a, "the number of the command", 255), 1);
	for (i = 0; i < 3; i++)
		put(a, a->tc->nr ? number(a, "a number", UINT32_MAX) : 0, 4);
}

static const struct {
	const char	*name;
	uint8_t		request;
} requests[] = {
	{ "info", DEVTRACE_RX_INFO }, { "command", DEVTRACE_RX_COMMAND },
	{ "reset", DEVTRACE_RX_RESET }, { "tick", DEVTRACE_RX_TICK },
	{ "peek", DEVTRACE_RX_PEEK }, { "poke", DEVTRACE_RX_POKE }, { "fill", DEVTRACE_RX_FILL },
	{ "setup", DEVTRACE_RX_SETUP }, { "teardown", DEVTRACE_RX_TEARDOWN },
	{ "probe", DEVTRACE_RX_PROBE }, { "filter", DEVTRACE_RX_GLB_FILTER },
	{ "local", DEVTRACE_RX_LOC_FILTER }, { "object", DEVTRACE_RX_OBJ_FILTER },
	{ "current", DEVTRACE_RX_CURRENT }, { "continue", DEVTRACE_RX_CONTINUE },
	{ "query", DEVTRACE_RX_QUERY }, { "event", DEVTRACE_RX_EVENT },
};

static void parse(struct ask *a, uint8_t request)
{
	uint64_t v;

	switch (request) {
	case DEVTRACE_RX_COMMAND:
		parse_command(a);
		break;
	case DEVTRACE_RX_TICK:
		put(a, a->tc->nr ? number(a, "the rate", 255) : 0, 1);
		break;
	case DEVTRACE_RX_PEEK:
	case DEVTRACE_RX_POKE:
	case DEVTRACE_RX_FILL:
		parse_memory(a, request);
		break;
	case DEVTRACE_RX_PROBE:
		v = number(a, "the address of the function", UINT64_MAX);
		put(a, number(a, "the data", UINT32_MAX), 4);
		put(a, v, 8);
		break;
	case DEVTRACE_RX_GLB_FILTER:
	case DEVTRACE_RX_LOC_FILTER:
		parse_filter(a);
		break;
	case DEVTRACE_RX_OBJ_FILTER:
		v = number(a, "the address of the object", UINT64_MAX);
		put(a, a->tc->nr && !strcmp(*a->tc->words, "off"), 1);
		if (a->tc->nr && (!strcmp(*a->tc->words, "off") || !strcmp(*a->tc->words, "on")))
			tc_next(a->tc, "on or off");
		put(a, v, 8);
		break;
	case DEVTRACE_RX_CURRENT:
		v = kind_word(a);
		object(a, (uint8_t)v, tc_next(a->tc, "the object"));
		break;
	case DEVTRACE_RX_QUERY:
		put(a, kind_word(a), 1);
		break;
	case DEVTRACE_RX_EVENT:
		parse_event(a);
		break;
	}
	tc_end(a->tc);
}

static int print(struct ask *a, uint8_t request, uint8_t size,
		 const struct devtrace_rx_answer *answer)
{
	struct out *o = &a->tc->out;
	size_t i, k;

	if (request == DEVTRACE_RX_INFO) {
		size_t len = answer->len > 3 ? answer->len - 3 : 0;

		if (answer->len < 2)
			return fail(a, "it does not report its version");
		out_safe(o, answer->data + 2, len);
		OUT_LIT(o, ", version ");
		out_u64(o, (uint64_t)(answer->data[0] | answer->data[1] << 8));
		out_char(o, '\n');
	}
	if (request != DEVTRACE_RX_PEEK && request != DEVTRACE_RX_QUERY)
		return 0;
	for (i = 0; i + size <= answer->len; i += size) {
		uint64_t v = 0;

		for (k = size; k--;)
			v = v << 8 | answer->data[i + k];
		if (i)
			out_char(o, ' ');
		out_hex(o, v, 2u * size);
	}
	out_char(o, '\n');
	return 0;
}

static int request_of(const char *word)
{
	size_t i;

	for (i = 0; i < NR(requests); i++)
		if (!strcmp(requests[i].name, word))
			return requests[i].request;
	return -1;
}

static int one(struct ask *a)
{
	struct devtrace_rx_answer answer;
	const char *word;
	int request;
	uint8_t size;

	if (make_current(a))
		return 1;
	word = a->tc->nr ? tc_next(a->tc, "a request") : "info";
	request = request_of(word);
	if (request < 0)
		tc_usage(a->tc, word, "is not a request; the requests are: info command reset tick peek poke fill setup teardown probe filter local object current continue query event");
	if (make_current(a))
		return 1;
	parse(a, (uint8_t)request);
	size = request == DEVTRACE_RX_PEEK ? a->data[2] : 1;
	if (call(a, (uint8_t)request, &answer))
		return 1;
	return print(a, (uint8_t)request, size, &answer);
}

int tc_rx(struct tc *tc)
{
	struct ask a = { .tc = tc };
	const char *why;
	pid_t pid;
	int err;

	if (!tc->nr)
		return list(tc);
	a.program = tc_next(tc, "a program");
	pid = program_find(a.program, &why);
	if (!pid)
		return fail(&a, why);
	err = devtrace_rx_connect(pid, &a.host);
	if (err)
		return fail(&a, program_error(err));
	err = one(&a);
	devtrace_rx_disconnect(a.host);
	return err;
}

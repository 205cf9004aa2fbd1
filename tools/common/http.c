// SPDX-License-Identifier: GPL-2.0-only
/*
 * http.c - URLs, and the answers of an HTTP/1.1 server
 *
 * Invariants
 * - The answer depends only on the bytes, not on how they are split into pieces.
 * - Memory is bounded for any input: of a line and of the body only the beginning is kept, and a
 *   head longer than HTTP_HEAD_MAX is an error.
 * - No socket is used here. The caller reads and writes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "common/http.h"

static int http_fail(const char **problem, const char *what)
{
	*problem = what;
	return -1;
}

static int http_copy(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return -1;
	memcpy(to, from, n);
	to[n] = 0;
	return 0;
}

int http_url_parse(struct http_url *u, const char *word, const struct http_service *service,
		   const char **problem)
{
	const char *host, *end, *rest;
	size_t i;
	long n;

	u->tls = !strncmp(word, "https://", 8);
	if (!u->tls && strncmp(word, "http://", 7))
		return http_fail(problem, service->no_url);
	host = strstr(word, "://") + 3;
	for (i = 0; word[i]; i++)
		if (word[i] <= ' ' || word[i] >= 0x7f || word[i] == '#')
			return http_fail(problem, "has a character that a URL cannot have; write it as % and two hexadecimal digits");
	rest = host + strcspn(host, "/?");
	if (memchr(host, '@', (size_t)(rest - host)))
		return http_fail(problem, "has a user name or password, which tracelogger cannot send; let an agent on this machine do this");
	if (*host == '[') {
		host++;
		end = memchr(host, ']', (size_t)(rest - host));
		if (!end)
			return http_fail(problem, "has no ']' after its IPv6 address");
	} else {
		end = memchr(host, ':', (size_t)(rest - host));
		end = end ? end : rest;
	}
	if (end == host)
		return http_fail(problem, service->no_host);
	if (http_copy(u->host, sizeof(u->host), host, (size_t)(end - host)))
		return http_fail(problem, "has a host whose name is too long");
	end += *end == ']';
	if (end < rest) {
		const size_t digits = strspn(end + 1, "0123456789");

		n = digits && digits < 6 ? strtol(end + 1, NULL, 10) : 0;
		if (*end != ':' || end + 1 + digits != rest || n < 1 || n > 65535)
			return http_fail(problem, "has no port from 1 to 65535 after its host");
		snprintf(u->port, sizeof(u->port), "%ld", n);
	} else {
		snprintf(u->port, sizeof(u->port), "%s", u->tls ? "443" : service->port);
	}
	if (!*rest || !strcmp(rest, "/"))
		rest = service->path;
	if (strlen(rest) + 2 > sizeof(u->path))
		return http_fail(problem, "has a path that is too long");
	snprintf(u->path, sizeof(u->path), "%s%s", *rest == '/' ? "" : "/", rest);
	return 0;
}

void http_answer_init(struct http_answer *a)
{
	memset(a, 0, offsetof(struct http_answer, line));
	a->line_len = 0;
	a->body_len = 0;
	a->retry = -1;
}

/* Seconds until a date such as "Sun, 06 Nov 1994 08:49:37 GMT"; -1 if it is none. */
static int64_t http_until(const char *date)
{
	struct tm tm = { 0 };
	const char *end = strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	time_t then = end ? timegm(&tm) : 0, now = time(NULL);

	if (!end)
		return -1;
	return then > now ? then - now : 0;
}

/* Read a number that begins with a digit and is less than 2^64. */
static bool http_number(const char *s, int base, uint64_t *v)
{
	if (!(base == 16 ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s)))
		return false;
	errno = 0;
	*v = strtoull(s, NULL, base);
	return !errno;
}

/* A field of the head, whose name ends at @colon. Return the next state. */
static enum http_state http_field(struct http_answer *a, const char *colon)
{
	const size_t n = (size_t)(colon - a->line);
	const char *value = colon + 1;

	value += strspn(value, " \t");
	if (n == 14 && !strncasecmp(a->line, "Content-Length", n)) {
		a->whole = false;
		return http_number(value, 10, &a->left) ? HTTP_FIELD : HTTP_BROKEN;
	}
	if (n == 17 && !strncasecmp(a->line, "Transfer-Encoding", n))
		a->chunked = strcasestr(value, "chunked") != NULL;
	else if (n == 10 && !strncasecmp(a->line, "Connection", n))
		a->closes = strcasestr(value, "close") != NULL;
	else if (n == 11 && !strncasecmp(a->line, "Retry-After", n))
		a->retry = isdigit((unsigned char)*value) ? strtoll(value, NULL, 10) :
			   http_until(value);
	return HTTP_FIELD;
}

static enum http_state http_head_ends(struct http_answer *a)
{
	const int status = a->status;
	const size_t head = a->head;

	if (status < 200) {
		/* An interim answer, such as 100 Continue; the real one follows. */
		http_answer_init(a);
		a->head = head;
		return HTTP_STATUS;
	}
	if (status == 204 || status == 304)
		return HTTP_COMPLETE;
	if (a->chunked) {
		a->left = 0;
		a->whole = false;
		return HTTP_CHUNK_SIZE;
	}
	if (a->whole) {
		a->closes = true;
		return HTTP_BODY;
	}
	return a->left ? HTTP_BODY : HTTP_COMPLETE;
}

/* "HTTP/1.1 200 OK" */
static enum http_state http_status_line(struct http_answer *a)
{
	static const char version[] = "HTTP/1.";
	const size_t n = sizeof(version) - 1;
	const char *s = a->line;
	char *end;

	if (strncmp(s, version, n) || !s[n] || s[n + 1] != ' ')
		return HTTP_BROKEN;
	a->status = (int)strtoul(s + n + 2, &end, 10);
	if (end != s + n + 5 || a->status < 100)
		return HTTP_BROKEN;
	a->closes = s[n] == '0';
	a->whole = true;
	return HTTP_FIELD;
}

static enum http_state http_chunk_size(struct http_answer *a)
{
	if (!http_number(a->line, 16, &a->left))
		return HTTP_BROKEN;
	return a->left ? HTTP_CHUNK : HTTP_TRAILER;
}

/* The line in a->line is complete. */
static enum http_state http_line(struct http_answer *a)
{
	const char *colon;

	switch (a->state) {
	case HTTP_STATUS:
		return http_status_line(a);
	case HTTP_FIELD:
		if (!*a->line)
			return http_head_ends(a);
		colon = strchr(a->line, ':');
		if (!colon)
			return HTTP_BROKEN;
		return http_field(a, colon);
	case HTTP_CHUNK_SIZE:
		return http_chunk_size(a);
	case HTTP_CHUNK_END:
		return *a->line ? HTTP_BROKEN : HTTP_CHUNK_SIZE;
	default:	/* HTTP_TRAILER */
		return *a->line ? HTTP_TRAILER : HTTP_COMPLETE;
	}
}

static size_t http_take_line(struct http_answer *a, const uint8_t *p, size_t n)
{
	const uint8_t *end = memchr(p, '\n', n);
	const size_t len = end ? (size_t)(end - p) : n;
	const size_t room = sizeof(a->line) - 1 - a->line_len;

	memcpy(a->line + a->line_len, p, len < room ? len : room);
	a->line_len += len < room ? len : room;
	a->head += len;
	if (a->head > HTTP_HEAD_MAX) {
		a->state = HTTP_BROKEN;
		return n;
	}
	if (!end)
		return n;
	if (a->line_len && a->line[a->line_len - 1] == '\r')
		a->line_len--;
	a->line[a->line_len] = 0;
	a->line_len = 0;
	a->state = http_line(a);
	if (a->state == HTTP_CHUNK)
		a->head = 0;
	return len + 1;
}

static size_t http_take_body(struct http_answer *a, const uint8_t *p, size_t n)
{
	const size_t len = a->whole || n < a->left ? n : (size_t)a->left;
	const size_t room = HTTP_BODY_MAX - a->body_len;

	memcpy(a->body + a->body_len, p, len < room ? len : room);
	a->body_len += len < room ? len : room;
	if (a->whole)
		return len;
	a->left -= len;
	if (!a->left)
		a->state = a->state == HTTP_CHUNK ? HTTP_CHUNK_END : HTTP_COMPLETE;
	return len;
}

size_t http_answer_feed(struct http_answer *a, const uint8_t *p, size_t n)
{
	size_t at = 0;

	while (at < n && a->state != HTTP_COMPLETE && a->state != HTTP_BROKEN) {
		if (a->state == HTTP_BODY || a->state == HTTP_CHUNK)
			at += http_take_body(a, p + at, n - at);
		else
			at += http_take_line(a, p + at, n - at);
	}
	return at;
}

void http_answer_end(struct http_answer *a)
{
	if (a->state == HTTP_BODY && a->whole)
		a->state = HTTP_COMPLETE;
	else if (a->state != HTTP_COMPLETE)
		a->state = HTTP_BROKEN;
}

const char *http_words(int status)
{
	static const struct {
		int		status;
		const char	*words;
	} known[] = {
		{ 400, "Bad Request" }, { 401, "Unauthorized" }, { 403, "Forbidden" },
		{ 404, "Not Found" }, { 405, "Method Not Allowed" },
		{ 413, "Content Too Large" }, { 415, "Unsupported Media Type" },
		{ 429, "Too Many Requests" }, { 500, "Internal Server Error" },
		{ 501, "Not Implemented" }, { 502, "Bad Gateway" },
		{ 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].status == status)
			return known[i].words;
	return "";
}

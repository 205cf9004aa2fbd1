/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http.h - URLs, and the answers of an HTTP/1.1 server
 */
#ifndef COMMON_HTTP_H
#define COMMON_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/out.h"

#define HTTP_LINE_MAX	1024	/* a longer line of the head is cut */
#define HTTP_HEAD_MAX	65536	/* a longer head, with those of interim answers, is an error */
#define HTTP_BODY_MAX	4096	/* bytes of a body that are kept */

struct http_url {
	char	host[256], port[8];
	char	path[1024];	/* with a query, if there is one; begins with "/" */
	bool	tls;
};

/*
 * A kind of server: its usual port and path, and what is said about URLs that are wrong. The usual
 * port of https is 443 for all.
 */
struct http_service {
	const char	*port, *path;
	const char	*no_url, *no_host;
};

/* Parse http[s]://HOST[:PORT][/PATH]. Return 0, or -1 and the reason in *@problem. */
int http_url_parse(struct http_url *u, const char *word, const struct http_service *service,
		   const char **problem);

enum http_state {
	HTTP_STATUS, HTTP_FIELD, HTTP_BODY, HTTP_CHUNK_SIZE, HTTP_CHUNK, HTTP_CHUNK_END,
	HTTP_TRAILER, HTTP_COMPLETE, HTTP_BROKEN,
};

/* The answer to a POST. http_answer_feed() fills it in, from bytes in pieces of any size. */
struct http_answer {
	enum http_state	state;
	int		status;
	/* retry: value of Retry-After, in seconds; -1: none */
	int64_t		retry;
	bool		closes;		/* the server closes the connection after this answer */
	bool		chunked;
	bool		whole;		/* the body ends with the connection */
	uint64_t	left;		/* bytes of the body or chunk to come */
	size_t		head;		/* bytes of the head so far */
	char		line[HTTP_LINE_MAX];
	size_t		line_len;
	uint8_t		body[HTTP_BODY_MAX + 1];
	size_t		body_len;	/* bytes that are kept; a NUL has room behind them */
};

void http_answer_init(struct http_answer *a);
/* Return the number of bytes that belong to the answer. @a->state tells whether it is complete. */
size_t http_answer_feed(struct http_answer *a, const uint8_t *p, size_t n);
/* The connection has ended: the answer is complete or broken. */
void http_answer_end(struct http_answer *a);
/* Return the usual words for a status, or "" for an unusual one. */
const char *http_words(int status);

#endif

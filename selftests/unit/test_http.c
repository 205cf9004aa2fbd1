// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_http.c - answers of HTTP servers in pieces of any size, hostile ones too, and URLs
 */
#include "kselftest_harness.h"
#include <stdlib.h>
#include "common/http.h"

#define BROKEN	-1

static const struct {
	const char	*text;
	int		status;		/* BROKEN: the answer is not valid */
	int64_t		retry;
	bool		closes;
	const char	*body;
	const char	*rest;		/* bytes behind the answer */
} answers[] = {
	{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, -1, false, "", "" },
	{ "HTTP/1.1 200\r\ncontent-length:2\r\n\r\nabHTTP", 200, -1, false, "ab", "HTTP" },
	{ "HTTP/1.1 200 OK\nContent-Length: 1\n\nx", 200, -1, false, "x", "" },
	{ "HTTP/1.0 200 OK\r\n\r\nabc", 200, -1, true, "abc", "" },
	{ "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", 200, -1, false,
	  "a", "" },
	{ "HTTP/1.1 204 None\r\nConnection: Close\r\n\r\nx", 204, -1, true, "", "x" },
	{ "HTTP/1.1 429 Slow\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n", 429, 17, false, "", "" },
	{ "HTTP/1.1 503 No\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n",
	  503, 0, false, "", "" },
	{ "HTTP/1.1 503 No\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", 503, -1, false, "", "" },
	{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny", 200, -1, false,
	  "y", "" },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n"
	  "0\r\nTrailer: t\r\n\r\nz", 200, -1, false, "abc0123456789", "z" },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", BROKEN, -1, false, NULL, NULL },
	{ "HTTP/1.1 200 OK\r\nContent-Len", BROKEN, -1, false, NULL, NULL },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", BROKEN, -1, false, NULL, NULL },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", BROKEN, -1,
	  false, NULL, NULL },
	{ "HTTP/1.1 429 Slow\r\nRetry-After: 18446744073709551616\r\nContent-Length: 0\r\n\r\n", 429,
	  INT64_MAX, false, "", "" },
	{ "HTTP/2 200\r\n\r\n", BROKEN, -1, false, NULL, NULL },
	{ "HTTP/1.1 20 OK\r\n\r\n", BROKEN, -1, false, NULL, NULL },
	{ "SSH-2.0-OpenSSH\r\n", BROKEN, -1, false, NULL, NULL },
	{ "HTTP/1.1 200 OK\r\nno field\r\n\r\n", BROKEN, -1, false, NULL, NULL },
	{ "", BROKEN, -1, false, NULL, NULL },
};

/* Feed an answer in pieces of @step bytes, from memory of the exact size. */
static size_t feed(struct http_answer *a, const char *text, size_t n, size_t step)
{
	size_t at = 0, len, used;
	uint8_t *piece;

	http_answer_init(a);
	while (at < n && a->state != HTTP_COMPLETE && a->state != HTTP_BROKEN) {
		len = n - at < step ? n - at : step;
		piece = malloc(len);
		memcpy(piece, text + at, len);
		used = http_answer_feed(a, piece, len);
		free(piece);
		at += used;
		if (used < len)
			break;
	}
	if (a->state != HTTP_COMPLETE && a->state != HTTP_BROKEN)
		http_answer_end(a);
	return at;
}

TEST(answers_in_pieces)
{
	struct http_answer a;
	size_t i, step, used;

	memset(&a, 0xa5, sizeof(a));
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const size_t n = strlen(answers[i].text);

		for (step = 1; step <= n + 1; step++) {
			used = feed(&a, answers[i].text, n, step);
			if (answers[i].status == BROKEN) {
				EXPECT_EQ((int)HTTP_BROKEN, (int)a.state)
					TH_LOG("answer %zu by %zu", i, step);
				continue;
			}
			EXPECT_EQ((int)HTTP_COMPLETE, (int)a.state) TH_LOG("answer %zu by %zu", i, step);
			EXPECT_EQ(answers[i].status, a.status);
			EXPECT_EQ(answers[i].retry, a.retry);
			EXPECT_EQ(answers[i].closes, a.closes) TH_LOG("answer %zu by %zu", i, step);
			EXPECT_EQ(strlen(answers[i].body), a.body_len);
			EXPECT_EQ(0, memcmp(a.body, answers[i].body, a.body_len));
			EXPECT_STREQ(answers[i].rest, answers[i].text + used);
		}
	}
}

TEST(memory_is_bounded)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nX: ";
	static char text[200000];
	struct http_answer a;

	memset(text, 'x', sizeof(text));
	memcpy(text, head, sizeof(head) - 1);
	feed(&a, text, sizeof(text), 1000);
	EXPECT_EQ((int)HTTP_BROKEN, (int)a.state);
	/* A long line is cut; a long body is read to its end, and its beginning is kept. */
	memcpy(text + 5000, "\r\nContent-Length: 150000\r\n\r\n", 28);
	EXPECT_EQ(5028 + 150000, feed(&a, text, sizeof(text), 1000));
	EXPECT_EQ((int)HTTP_COMPLETE, (int)a.state);
	EXPECT_EQ(HTTP_BODY_MAX, a.body_len);
}

TEST(interim_answers_end)
{
	static const char one[] = "HTTP/1.1 100 Continue\r\n\r\n";
	static char text[200000];
	struct http_answer a;
	size_t n;

	for (n = 0; n + sizeof(one) <= sizeof(text); n += sizeof(one) - 1)
		memcpy(text + n, one, sizeof(one) - 1);
	EXPECT_LT(feed(&a, text, n, 1000), n);
	EXPECT_EQ((int)HTTP_BROKEN, (int)a.state);
}

/* They are found at once, and not only when the connection ends. */
TEST(numbers_that_are_none)
{
	static const char *const texts[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
	};
	struct http_answer a;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		http_answer_init(&a);
		http_answer_feed(&a, (const uint8_t *)texts[i], strlen(texts[i]));
		EXPECT_EQ((int)HTTP_BROKEN, (int)a.state) TH_LOG("%s", texts[i]);
	}
}

static const struct http_service otlp = {
	.port = "4318", .path = "/v1/logs", .no_url = "is not a URL",
	.no_host = "names no host",
};

static const struct {
	const char	*word, *host, *port, *path;	/* host NULL: refused */
} urls[] = {
	{ "http://h", "h", "4318", "/v1/logs" },
	{ "http://h/", "h", "4318", "/v1/logs" },
	{ "http://h:80/a", "h", "80", "/a" },
	{ "http://10.0.0.1:1/a/b?c=%20", "10.0.0.1", "1", "/a/b?c=%20" },
	{ "http://h?x", "h", "4318", "/?x" },
	{ "http://[::1]:65535/", "::1", "65535", "/v1/logs" },
	{ "http://[fe80::1]", "fe80::1", "4318", "/v1/logs" },
	{ "http://h/a:b@c", "h", "4318", "/a:b@c" },
	{ "https://h", "h", "443", "/v1/logs" },
	{ "https://h:4318/a", "h", "4318", "/a" },
	{ "https://[::1]", "::1", "443", "/v1/logs" },
	{ "https:/h", NULL, NULL, NULL },
	{ "httpss://h", NULL, NULL, NULL },
	{ "ftp://h", NULL, NULL, NULL },
	{ "http:/h", NULL, NULL, NULL },
	{ "http://", NULL, NULL, NULL },
	{ "http:///a", NULL, NULL, NULL },
	{ "http://h:", NULL, NULL, NULL },
	{ "http://h:0", NULL, NULL, NULL },
	{ "http://h:65536", NULL, NULL, NULL },
	{ "http://h:123456789", NULL, NULL, NULL },
	{ "http://h:1x/", NULL, NULL, NULL },
	{ "http://[::1", NULL, NULL, NULL },
	{ "http://[::1]x", NULL, NULL, NULL },
	{ "http://[]:1", NULL, NULL, NULL },
	{ "http://u@h", NULL, NULL, NULL },
	{ "http://h/a b", NULL, NULL, NULL },
	{ "http://h/\xc3\xa4", NULL, NULL, NULL },
	{ "http://h/\r\nX: y", NULL, NULL, NULL },
	{ "http://h/a#b", NULL, NULL, NULL },
};

TEST(urls_of_all_kinds)
{
	const char *problem;
	struct http_url u;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		problem = NULL;
		ret = http_url_parse(&u, urls[i].word, &otlp, &problem);
		if (!urls[i].host) {
			EXPECT_EQ(-1, ret) TH_LOG("%s", urls[i].word);
			EXPECT_TRUE(problem && *problem);
			continue;
		}
		ASSERT_EQ(0, ret) TH_LOG("%s: %s", urls[i].word, problem);
		EXPECT_STREQ(urls[i].host, u.host);
		EXPECT_STREQ(urls[i].port, u.port);
		EXPECT_STREQ(urls[i].path, u.path);
		EXPECT_EQ(!strncmp(urls[i].word, "https:", 6), u.tls) TH_LOG("%s", urls[i].word);
	}
}

TEST(long_urls)
{
	const char *problem;
	struct http_url u;
	char word[4000];

	memset(word, 'h', sizeof(word));
	memcpy(word, "http://", 7);
	word[7 + 256] = 0;
	EXPECT_EQ(-1, http_url_parse(&u, word, &otlp, &problem));
	word[7 + 255] = 0;
	EXPECT_EQ(0, http_url_parse(&u, word, &otlp, &problem));
	word[7 + 255] = '/';
	word[7 + 256] = 'h';
	word[3999] = 0;
	EXPECT_EQ(-1, http_url_parse(&u, word, &otlp, &problem));
	word[7 + 255 + 1022] = 0;
	EXPECT_EQ(0, http_url_parse(&u, word, &otlp, &problem));
	EXPECT_EQ(1022, strlen(u.path));
}

TEST_HARNESS_MAIN

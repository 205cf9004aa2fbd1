// SPDX-License-Identifier: GPL-2.0-only
/*
 * html_record.c - write numbers and strings of a page's records, and encode them as base64
 */
#include "html.h"

void html_put(struct out *o, uint64_t v)
{
	out_varint(o, v);
}

void html_signed(struct out *o, int64_t v)
{
	out_zigzag(o, v);
}

void html_bytes(struct out *o, const char *s, size_t len)
{
	html_put(o, len);
	out_mem(o, s, len);
}

void html_flush(struct html *h, bool all)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789+/";
	const uint8_t *p = (const uint8_t *)h->data.buf;
	struct out *o = &h->view->out;
	size_t n = h->data.len;

	if (!all && n < 30000)
		return;
	for (; n >= 3; p += 3, n -= 3) {
		out_char(o, set[p[0] >> 2]);
		out_char(o, set[(p[0] & 3) << 4 | p[1] >> 4]);
		out_char(o, set[(p[1] & 15) << 2 | p[2] >> 6]);
		out_char(o, set[p[2] & 63]);
	}
	if (all && n) {
		const unsigned int second = n == 2 ? p[1] : 0;

		out_char(o, set[p[0] >> 2]);
		out_char(o, set[(p[0] & 3) << 4 | second >> 4]);
		out_char(o, n == 2 ? set[(second & 15) << 2] : '=');
		out_char(o, '=');
		n = 0;
	}
	if (n)
		memmove(h->data.buf, p, n);
	h->data.len = n;
}

uint64_t html_string(struct html *h, const char *s, size_t len)
{
	uint64_t words[3] = { KEY_STRING, len, 0 }, *seen;
	size_t i;

	for (i = 0; i < len; i += 8) {
		uint64_t word = 0;

		memcpy(&word, s + i, len - i < 8 ? len - i : 8);
		words[2] = hash_words(&h->key, (uint64_t[]){ words[2], word }, 2);
	}
	seen = view_seen(h->seen, hash_words(&h->key, words, 3));
	if (!*seen) {
		*seen = ++h->strings;
		html_put(&h->data, HTML_STRING);
		html_bytes(&h->data, s, len);
	}
	return *seen - 1;
}

uint64_t html_name(struct html *h, const char *s)
{
	return html_string(h, s, strlen(s));
}

void html_time(struct html *h, uint64_t time)
{
	if (!h->timed) {
		h->timed = true;
		h->time = time;
		h->first = time;
	}
	html_signed(&h->data, (int64_t)(time - h->time));
	h->time = time;
}

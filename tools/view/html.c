// SPDX-License-Identifier: GPL-2.0-only
/*
 * html.c - one self-contained HTML file, which a browser shows from a disk, without a network
 *
 * The page is made of view/viewer.html and its scripts. The trace is in the page as records in
 * base64, so no byte of the stream can be taken for HTML. The page's content security policy
 * allows only scripts with a certain random number. The number is chosen after the stream was
 * read, so the stream cannot contain it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include "html.h"

extern const char html_page[];

/* Return the number of a track. The kind of a track is its enum ti_track_kind. */
static uint64_t html_track(struct html *h, struct ti_track *t)
{
	const uint64_t words[] = {
		KEY_TRACK, (uint64_t)h->view->machine->nr << 8 | t->kind, t->id,
	};
	const uint64_t key = hash_words(&h->key, words, 3);
	uint64_t string, *seen = view_seen(h->seen, key);

	if (*seen)
		return *seen - 1;
	string = html_name(h, ti_track_name(t, h->view->decoder));
	seen = view_seen(h->seen, key);
	*seen = ++h->tracks;
	html_put(&h->data, HTML_TRACK);
	html_put(&h->data, t->kind);
	html_put(&h->data, string);
	return h->tracks - 1;
}

static void html_open(struct html *h, uint64_t track, uint64_t time, const char *label)
{
	const uint64_t string = html_name(h, label);

	html_put(&h->data, HTML_OPEN);
	html_put(&h->data, track);
	html_time(h, time);
	html_put(&h->data, string);
}

static void html_close(struct html *h, uint64_t track, uint64_t time)
{
	html_put(&h->data, HTML_CLOSE);
	html_put(&h->data, track);
	html_time(h, time);
}

static void html_value(void *ctx, const struct ti_arg *a)
{
	struct html *h = ctx;
	struct html_arg *to = &h->args[h->nr_args];

	if (h->nr_args == HTML_ARGS)
		return;
	h->nr_args++;
	*to = (struct html_arg){ .name = html_string(h, a->name, a->name_len) };
	switch (a->kind) {
	case TI_ARG_UINT:
		to->kind = HTML_UINT;
		to->number = a->v.u;
		break;
	case TI_ARG_INT:
		to->kind = HTML_INT;
		to->number = (uint64_t)a->v.i;
		break;
	case TI_ARG_DOUBLE:
		to->kind = HTML_DOUBLE;
		memcpy(&to->number, &a->v.f, sizeof(to->number));
		break;
	case TI_ARG_STR:
		to->kind = HTML_STR;
		to->at = h->strs.len;
		to->len = a->len;
		out_mem(&h->strs, a->str, a->len);
		break;
	}
}

/* Write the values after the head of an event. */
static void html_put_values(struct html *h, uint64_t shape)
{
	struct out *o = &h->data;
	unsigned int i, bit;

	for (i = 0; i < h->nr_args; i++) {
		const struct html_arg *a = &h->args[i];
		uint64_t before = 0;

		switch (a->kind) {
		case HTML_UINT:
		case HTML_INT:
			if (shape < HTML_SHAPES && i < HTML_NUMBERS) {
				before = h->before[shape][i];
				h->before[shape][i] = a->number;
			}
			html_signed(o, (int64_t)(a->number - before));
			break;
		case HTML_DOUBLE:
			for (bit = 0; bit < 64; bit += 8)
				out_char(o, (char)(a->number >> bit));
			break;
		case HTML_STR:
			html_bytes(o, h->strs.buf ? h->strs.buf + a->at : "", a->len);
			break;
		}
	}
}

static void html_word(struct html *h, const char *name, const char *s, size_t len)
{
	const struct ti_arg a = {
		.name = name, .name_len = strlen(name), .kind = TI_ARG_STR, .str = s, .len = len,
	};

	html_value(h, &a);
}

/* Collect all fields of an event that the head of the record does not contain. */
static void html_values(struct html *h, const struct ti_event *e)
{
	const char *object, *signal, *process = ti_event_process(e);
	struct devtrace_elem text;
	char number[16];

	h->nr_args = 0;
	h->strs.len = 0;
	if (!ti_event_line(e, &text))
		ti_args(e, html_value, h);
	if (e->ev->flags & DEVTRACE_F_OBJSIG) {
		object = ti_event_object(e);
		signal = ti_event_signal(e);
		snprintf(number, sizeof(number), "%u", e->ev->object);
		object = object ? object : number;
		html_word(h, "object", object, strlen(object));
		snprintf(number, sizeof(number), "%u", e->ev->signal);
		signal = signal ? signal : number;
		html_word(h, "signal", signal, strlen(signal));
	}
	if (ti_event_interrupted(e) && process)
		html_word(h, "interrupted", process, strlen(process));
	if (ti_event_line(e, &text) || e->log.is_log || (e->entry && e->entry->ops)) {
		ti_args_text(&h->text, e);
		html_word(h, "text", h->text.buf, h->text.len - 1);
	}
}

/* Return the number of the shape: a name, a severity, and the names and kinds of the values. */
static uint64_t html_shape(struct html *h, const char *name, unsigned int severity)
{
	uint64_t hash = html_name(h, name), *seen;
	const uint64_t string = hash;
	unsigned int i;

	for (i = 0; i < h->nr_args; i++) {
		const struct html_arg *a = &h->args[i];

		hash = hash_words(&h->key, (uint64_t[]){ hash, a->name << 2 | a->kind }, 2);
	}
	hash = hash_words(&h->key, (uint64_t[]){ KEY_SHAPE, hash, severity }, 3);
	seen = view_seen(h->seen, hash);
	if (!*seen) {
		*seen = ++h->shapes;
		html_put(&h->data, HTML_SHAPE);
		html_put(&h->data, string);
		html_put(&h->data, severity);
		html_put(&h->data, h->nr_args);
		for (i = 0; i < h->nr_args; i++) {
			html_put(&h->data, h->args[i].name);
			html_put(&h->data, h->args[i].kind);
		}
	}
	return *seen - 1;
}

/* A track and a CPU */
static uint64_t html_place(struct html *h, const struct ti_event *e)
{
	const uint64_t cpu = ti_event_lane(e) < 0 ? e->ev->source + 1ull : 0;
	uint64_t words[] = { KEY_PLACE, 0, cpu }, track, *seen;
	struct ti_track t;

	ti_track_of(&t, e);
	track = html_track(h, &t);
	words[1] = track;
	seen = view_seen(h->seen, hash_words(&h->key, words, 3));
	if (!*seen) {
		*seen = ++h->places;
		html_put(&h->data, HTML_PLACE);
		html_put(&h->data, track);
		html_put(&h->data, cpu);
	}
	return *seen - 1;
}

/* A bar begins, or with @label NULL ends, at the time of the current event. */
static void html_bar(void *ctx, struct ti_track *t, const char *label)
{
	struct html *h = ctx;
	const uint64_t track = html_track(h, t);

	if (label)
		html_open(h, track, h->view->last, label);
	else
		html_close(h, track, h->view->last);
}

static void html_event(struct view *v, const struct ti_event *e)
{
	struct html *h = v->state;
	const uint64_t time = view_time(v, e->ev->ts);
	const char *name = ti_args_name(&h->name, e);
	const unsigned int severity = e->ev->severity & DEVTRACE_SEV_SET ?
				      (e->ev->severity & 7) + 1u : 0;
	uint64_t place, shape;

	html_values(h, e);
	place = html_place(h, e);
	shape = html_shape(h, name, severity);
	html_put(&h->data, HTML_EVENT + shape);
	html_put(&h->data, place);
	html_time(h, time);
	html_put_values(h, shape);
	ti_track_bars(e, name, &v->opt->slices, html_bar, h);
	html_flush(h, false);
}

static void html_lost(struct html *h, uint64_t from, uint64_t to, uint64_t count, const char *cause)
{
	const uint64_t string = html_name(h, cause);

	html_put(&h->data, HTML_LOST);
	html_time(h, from);
	html_time(h, to);
	html_put(&h->data, count);
	html_put(&h->data, string);
}

static void html_loss(struct html *h, const struct devtrace_lost *l)
{
	struct view *v = h->view;
	const uint64_t to = l->to ? view_time(v, l->to) : v->last;

	html_lost(h, l->from ? view_time(v, l->from) : to, to, l->count, ti_lost_cause(l->cause));
	/*
	 * A lost event may have been a switch: the running thread is unknown until the next
	 * switch.
	 */
	if (devtrace_decoder_lane(v->decoder, l->source) < 0) {
		struct ti_track cpu = { .kind = TI_TRACK_CPU, .id = l->source };

		html_close(h, html_track(h, &cpu), to);
	}
}

static void html_thread(struct html *h, const struct devtrace_proc *p)
{
	char name[DEVTRACE_NAME_MAX + 16];
	uint64_t string;
	struct ti_track thread = { .kind = TI_TRACK_THREAD, .id = p->tid };
	const uint64_t track = html_track(h, &thread);

	snprintf(name, sizeof(name), "%s[%u]", p->name, p->tid);
	string = html_name(h, name);
	html_put(&h->data, HTML_RENAME);
	html_put(&h->data, track);
	html_put(&h->data, string);
}

static void html_item(struct view *v, const struct devtrace_item *item)
{
	struct html *h = v->state;
	uint64_t one, two;

	switch (item->kind) {
	case DEVTRACE_ITEM_LOST:
		html_loss(h, &item->u.lost);
		break;
	case DEVTRACE_ITEM_GAP:
		html_lost(h, item->u.gap.ts_before ? view_time(v, item->u.gap.ts_before) : v->last,
			  v->last, item->u.gap.count, "frames missing");
		break;
	case DEVTRACE_ITEM_DAMAGE:
		html_lost(h, v->last, v->last, item->u.damage.bytes, "damaged bytes");
		break;
	case DEVTRACE_ITEM_PROC:
		if (item->u.proc.tid)
			html_thread(h, &item->u.proc);
		break;
	case DEVTRACE_ITEM_INFO:
		one = html_name(h, item->u.info.machine);
		two = html_name(h, item->u.info.release);
		html_put(&h->data, HTML_INFO);
		html_put(&h->data, one);
		html_put(&h->data, two);
		break;
	default:
		break;
	}
	html_flush(h, false);
}

/*
 * Copy the page up to @mark, with @nonce in place of each @NONCE@. Return the position after the
 * mark.
 */
static const char *html_copy(struct out *o, const char *p, const char *mark, const char *nonce)
{
	for (; *p && strncmp(p, mark, strlen(mark)); p++) {
		if (strncmp(p, "@NONCE@", 7)) {
			out_char(o, *p);
			continue;
		}
		out_str(o, nonce);
		p += 6;
	}
	return *p ? p + strlen(mark) : p;
}

static const char html_mark[] = "@DATA@";

static void html_start(struct view *v)
{
	struct html *h = view_alloc(NULL, sizeof(*h));
	uint8_t random[16];
	size_t i;

	memset(h, 0, sizeof(*h));
	h->view = v;
	hash_key_init(&h->key);
	h->seen = view_seen_new();
	out_init(&h->data, -1);
	out_init(&h->name, -1);
	out_init(&h->text, -1);
	out_init(&h->strs, -1);
	v->state = h;
	if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
		fputs("devtrace-convert: no random number\n", stderr);
		exit(1);
	}
	for (i = 0; i < sizeof(random); i++)
		snprintf(h->nonce + 2 * i, 3, "%02x", random[i]);
	html_copy(&v->out, html_page, html_mark, h->nonce);
}

static void html_finish(struct view *v)
{
	struct html *h = v->state;
	const char *rest = strstr(html_page, html_mark);
	char wall[24];

	if (v->machines[0].timed) {
		const uint64_t began = v->wall + h->first;

		snprintf(wall, sizeof(wall), "%llu", (unsigned long long)began);
		html_put(&h->data, HTML_WALL);
		html_bytes(&h->data, wall, strlen(wall));
	}
	html_flush(h, true);
	html_copy(&v->out, rest + strlen(html_mark), "\001", h->nonce);
	view_seen_free(h->seen);
	out_free(&h->data);
	out_free(&h->name);
	out_free(&h->text);
	out_free(&h->strs);
	free(h);
}

const struct view_format view_html = {
	.name = "html", .slices = true,
	.begin = html_start, .event = html_event, .item = html_item,
	.end = html_finish,
};

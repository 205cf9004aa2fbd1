// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rx_do.c - requests of hosts, and the program's objects
 *
 * A request is checked completely before it is executed. The host gets the result, and the program
 * emits it as a QS target does: RX_STATUS with the number of the request, or with 0x80 plus an
 * error code; TARGET_DONE after a request that takes time; PEEK_DATA, QUERY_DATA, TARGET_INFO.
 *
 * Invariants
 * - Memory is accessed only with the lock held and only within an object of the table, so never
 *   after devtrace_rx_forget().
 * - A callback gets an object only while the object is in the table. While the callback runs, it
 *   is in the list of uses, because devtrace_rx_forget() waits for the callbacks of other threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "rx.h"
#include "wire/bytes.h"

/* Event types of the records: the numbers of QS plus 24. */
#define T_TEST_PAUSED	82
#define T_PROBE_GET	83
#define T_TARGET_INFO	88
#define T_TARGET_DONE	89
#define T_RX_STATUS	90
#define T_QUERY_DATA	91
#define T_PEEK_DATA	92

/* These functions exist if the program is linked with libdevtrace-qp. */
int devtrace_qp_glb_filter(int record) __attribute__((weak));
int devtrace_qp_loc_filter(int id) __attribute__((weak));

/* A request, and the answer to it. */
struct call {
	struct rx	*rx;
	struct rx_peer	*peer;
	uint8_t		request;
	const uint8_t	*p;
	size_t		n;
	uint8_t		*out;
	size_t		len;
};

static void emit_u8(uint8_t type, uint8_t v)
{
	DEVTRACE_RECORD(r, 8);

	if (!devtrace_begin_type(&r, type))
		return;
	devtrace_u8(&r, v);
	devtrace_end(&r);
}

static void rx_acknowledge(const struct call *c)
{
	emit_u8(T_RX_STATUS, c->request);
}

void dt_rx_paused(void)
{
	DEVTRACE_RECORD(r, 8);

	if (devtrace_begin_type(&r, T_TEST_PAUSED))
		devtrace_end(&r);
}

/*
 * Find an object by kind and key or name. A host's key is only compared with addresses, never used
 * as one.
 */
static struct rx_object *rx_find_exact(struct rx *rx, uint8_t kind, uint64_t key, const char *name)
{
	size_t i;

	for (i = 0; i < rx->nr_objects; i++) {
		struct rx_object *o = &rx->objects[i];

		if (o->kind == kind &&
		    (name ? !strcmp(o->name, name) : (uintptr_t)o->object == key))
			return o;
	}
	return NULL;
}

/* Find an object that was registered for this kind, or for any kind. */
static struct rx_object *rx_find(struct rx *rx, uint8_t kind, uint64_t key, const char *name)
{
	struct rx_object *o = rx_find_exact(rx, kind, key, name);

	return o ? o : rx_find_exact(rx, DEVTRACE_RX_ANY, key, name);
}

/*
 * Return the current object of a kind, or NULL if there is none or the program has removed it.
 * Called with the lock held.
 */
static struct rx_object *rx_current(const struct call *c, uint8_t kind)
{
	void *object = c->peer->current[kind] ? c->peer->current[kind] : c->rx->current[kind];

	return object ? rx_find(c->rx, kind, (uintptr_t)object, NULL) : NULL;
}

static void *enter_current(struct call *c, struct rx_use *use, uint8_t kind)
{
	pthread_mutex_lock(&c->rx->lock);
	return dt_rx_enter(c->rx, use, rx_current(c, kind));
}

static uint8_t do_info(struct call *c)
{
	size_t len = strnlen(program_invocation_short_name, 64);

	DEVTRACE_RECORD(r, 128);

	c->out[0] = (uint8_t)c->rx->ops.version;
	c->out[1] = (uint8_t)(c->rx->ops.version >> 8);
	memcpy(c->out + 2, program_invocation_short_name, len);
	c->out[2 + len] = 0;
	c->len = len + 3;
	if (devtrace_begin_type(&r, T_TARGET_INFO)) {
		devtrace_u8(&r, 0);
		devtrace_u16(&r, c->rx->ops.version);
		devtrace_str(&r, program_invocation_short_name);
		devtrace_end(&r);
	}
	return DEVTRACE_RX_OK;
}

static uint8_t do_command(struct call *c)
{
	uint8_t all[13] = { 0 };

	/* The host may leave out parameters at the end: they are 0. */
	if (c->n < 1 || c->n > 13 || (c->n - 1) % 4)
		return DEVTRACE_RX_BAD;
	if (!c->rx->ops.command)
		return DEVTRACE_RX_UNHANDLED;
	memcpy(all, c->p, c->n);
	rx_acknowledge(c);
	c->rx->ops.command(c->rx->arg, all[0], dt_le32(all + 1), dt_le32(all + 5),
			   dt_le32(all + 9));
	emit_u8(T_TARGET_DONE, c->request);
	return DEVTRACE_RX_OK;
}

/* Execute a request without data by calling one function. */
static uint8_t rx_simple(struct call *c, void (*fn)(void *arg))
{
	if (c->n)
		return DEVTRACE_RX_BAD;
	if (!fn)
		return DEVTRACE_RX_UNHANDLED;
	rx_acknowledge(c);
	fn(c->rx->arg);
	return DEVTRACE_RX_OK;
}

static uint8_t do_tick(struct call *c)
{
	if (c->n != 1)
		return DEVTRACE_RX_BAD;
	if (!c->rx->ops.tick)
		return DEVTRACE_RX_UNHANDLED;
	rx_acknowledge(c);
	c->rx->ops.tick(c->rx->arg, *c->p);
	emit_u8(T_TARGET_DONE, c->request);
	return DEVTRACE_RX_OK;
}

/* Store values, an aligned value by a single access. */
static void rx_store(uint8_t *to, const uint8_t *le, unsigned int size)
{
	uint32_t v32;
	uint16_t v16;

	if (size == 1) {
		__atomic_store_n(to, *le, __ATOMIC_RELAXED);
	} else if (size == 2) {
		v16 = dt_le16(le);
		memcpy(to, &v16, 2);
	} else {
		v32 = dt_le32(le);
		memcpy(to, &v32, 4);
	}
}

static void rx_load(uint8_t *le, const uint8_t *from, unsigned int size)
{
	uint32_t v32 = 0;
	uint16_t v16;
	unsigned int i;

	if (size == 1) {
		v32 = __atomic_load_n(from, __ATOMIC_RELAXED);
	} else if (size == 2) {
		memcpy(&v16, from, 2);
		v32 = v16;
	} else {
		memcpy(&v32, from, 4);
	}
	for (i = 0; i < size; i++)
		le[i] = (uint8_t)(v32 >> 8 * i);
}

static void tell_peek(const struct call *c, size_t offset, uint8_t size, uint8_t number)
{
	DEVTRACE_RECORD(r, 1100);

	if (!devtrace_begin_type(&r, T_PEEK_DATA))
		return;
	devtrace_u16(&r, (uint16_t)offset);
	devtrace_u8(&r, size);
	devtrace_u8(&r, number);
	devtrace_mem(&r, c->out, c->len);
	devtrace_end(&r);
}

/* Execute a PEEK, POKE or FILL request. */
static uint8_t do_memory(struct call *c)
{
	struct rx_object *o;
	size_t offset, bytes, i;
	uint8_t size, number, status = DEVTRACE_RX_OK;
	uint8_t *p;

	if (c->n < 4)
		return DEVTRACE_RX_BAD;
	offset = dt_le16(c->p);
	size = c->p[2];
	number = c->p[3];
	bytes = (size_t)size * number;
	if ((size != 1 && size != 2 && size != 4) || !number ||
	    c->n - 4 != (c->request == DEVTRACE_RX_PEEK ? 0 :
			 c->request == DEVTRACE_RX_POKE ? bytes : size))
		return DEVTRACE_RX_BAD;
	pthread_mutex_lock(&c->rx->lock);
	o = rx_current(c, DEVTRACE_RX_AP);
	if (!o)
		status = DEVTRACE_RX_NO_OBJECT;
	else if (offset > o->size || bytes > o->size - offset)
		status = DEVTRACE_RX_BOUNDS;
	for (i = 0; !status && i < number; i++) {
		p = (uint8_t *)o->object + offset + i * size;
		if (c->request == DEVTRACE_RX_PEEK)
			rx_load(c->out + i * size, p, size);
		else
			rx_store(p, c->p + 4 + (c->request == DEVTRACE_RX_POKE ? i * size : 0),
				 size);
	}
	pthread_mutex_unlock(&c->rx->lock);
	if (status)
		return status;
	if (c->request != DEVTRACE_RX_PEEK) {
		rx_acknowledge(c);
		return DEVTRACE_RX_OK;
	}
	c->len = bytes;
	tell_peek(c, offset, size, number);
	return DEVTRACE_RX_OK;
}

static uint8_t do_probe(struct call *c)
{
	struct rx *rx = c->rx;
	uint8_t status = DEVTRACE_RX_OK;

	if (c->n != 12)
		return DEVTRACE_RX_BAD;
	pthread_mutex_lock(&rx->lock);
	if (rx->nr_probes == RX_PROBES) {
		status = DEVTRACE_RX_BUSY;
	} else {
		rx->probes[rx->nr_probes].data = dt_le32(c->p);
		rx->probes[rx->nr_probes++].function = dt_le64(c->p + 4);
	}
	pthread_mutex_unlock(&rx->lock);
	if (!status)
		rx_acknowledge(c);
	return status;
}

static void qs_filter(uint8_t request, const uint8_t *bits)
{
	int i;

	for (i = 1; i < (request == DEVTRACE_RX_GLB_FILTER ? 125 : 128); i++) {
		int n = bits[i >> 3] >> (i & 7) & 1 ? i : -i;

		if (request == DEVTRACE_RX_GLB_FILTER)
			devtrace_qp_glb_filter(n);
		else
			devtrace_qp_loc_filter(n);
	}
}

static uint8_t do_filter(struct call *c)
{
	if (c->n != 17 || *c->p != 16)
		return DEVTRACE_RX_BAD;
	if (c->rx->ops.filter) {
		if (c->rx->ops.filter(c->rx->arg, c->request, c->p + 1))
			return DEVTRACE_RX_REFUSED;
	} else if (devtrace_qp_glb_filter && devtrace_qp_loc_filter) {
		qs_filter(c->request, c->p + 1);
	} else {
		return DEVTRACE_RX_UNHANDLED;
	}
	rx_acknowledge(c);
	return DEVTRACE_RX_OK;
}

static uint8_t do_object_filter(struct call *c)
{
	struct rx_use use;
	int refused;

	if (c->n != 9 || *c->p > 1)
		return DEVTRACE_RX_BAD;
	if (!c->rx->ops.object_filter)
		return DEVTRACE_RX_UNHANDLED;
	pthread_mutex_lock(&c->rx->lock);
	if (!dt_rx_enter(c->rx, &use, rx_find(c->rx, DEVTRACE_RX_AO, dt_le64(c->p + 1), NULL)))
		return DEVTRACE_RX_NO_OBJECT;
	refused = c->rx->ops.object_filter(c->rx->arg, *c->p, use.object);
	dt_rx_leave(c->rx, &use);
	if (refused)
		return DEVTRACE_RX_REFUSED;
	rx_acknowledge(c);
	return DEVTRACE_RX_OK;
}

/* Make an object current for one kind; called for each kind that the request names. */
static bool make_current(struct call *c, uint8_t kind, uint64_t key, const char *name)
{
	struct rx_object *o = rx_find(c->rx, kind, key, name);

	if (!o)
		return false;
	c->peer->current[kind] = o->object;
	c->rx->current[kind] = o->object;
	return true;
}

static uint8_t do_current(struct call *c)
{
	const char *name = NULL;
	bool found, other;
	uint64_t key;
	uint8_t kind;

	if (c->n < 9 || *c->p >= DEVTRACE_RX_KINDS)
		return DEVTRACE_RX_BAD;
	kind = *c->p;
	key = dt_le64(c->p + 1);
	if (c->n > 9)
		name = (const char *)c->p + 9;
	if (name ? key || memchr(name, 0, c->n - 9) != name + c->n - 10 : !key)
		return DEVTRACE_RX_BAD;
	pthread_mutex_lock(&c->rx->lock);
	if (kind == DEVTRACE_RX_SM_AO) {
		found = make_current(c, DEVTRACE_RX_SM, key, name);
		other = make_current(c, DEVTRACE_RX_AO, key, name);
		found = found || other;
	} else {
		found = make_current(c, kind, key, name);
	}
	pthread_mutex_unlock(&c->rx->lock);
	if (!found)
		return DEVTRACE_RX_NO_OBJECT;
	rx_acknowledge(c);
	return DEVTRACE_RX_OK;
}

static uint8_t do_continue(struct call *c)
{
	if (c->n)
		return DEVTRACE_RX_BAD;
	rx_acknowledge(c);
	pthread_mutex_lock(&c->rx->lock);
	c->rx->continues++;
	pthread_cond_broadcast(&c->rx->go);
	pthread_mutex_unlock(&c->rx->lock);
	return DEVTRACE_RX_OK;
}

static uint8_t do_query(struct call *c)
{
	DEVTRACE_RECORD(r, 512);
	struct rx_use use;
	size_t head;
	int refused;

	if (c->n != 1 || *c->p >= DEVTRACE_RX_KINDS || *c->p == DEVTRACE_RX_SM_AO)
		return DEVTRACE_RX_BAD;
	if (!c->rx->ops.query)
		return DEVTRACE_RX_UNHANDLED;
	if (!enter_current(c, &use, *c->p))
		return DEVTRACE_RX_NO_OBJECT;
	/* The host gets the data even if a filter refuses the event. */
	devtrace_begin_plain_(&r, T_QUERY_DATA);
	head = r.pos;
	devtrace_u8(&r, *c->p);
	devtrace_obj(&r, (uintptr_t)use.object);
	refused = c->rx->ops.query(c->rx->arg, *c->p, use.object, &r);
	dt_rx_leave(c->rx, &use);
	if (refused)
		return DEVTRACE_RX_REFUSED;
	c->len = r.pos - head;
	memcpy(c->out, r.buf + head, c->len);
	if (devtrace_enabled(T_QUERY_DATA))
		devtrace_end(&r);
	return DEVTRACE_RX_OK;
}

static uint8_t do_event(struct call *c)
{
	struct rx_use use = { .object = NULL };
	struct devtrace_rx_event e;
	int refused;

	if (c->n < 7 || dt_le16(c->p + 5) != c->n - 7)
		return DEVTRACE_RX_BAD;
	if (!c->rx->ops.event)
		return DEVTRACE_RX_UNHANDLED;
	e = (struct devtrace_rx_event){
		.to = *c->p, .sig = dt_le32(c->p + 1), .params = c->p + 7, .len = c->n - 7,
	};
	if (e.to >= DEVTRACE_RX_POST)
		e.object = enter_current(c, &use, e.to == DEVTRACE_RX_POST ? DEVTRACE_RX_AO :
					 DEVTRACE_RX_SM);
	if (e.to >= DEVTRACE_RX_POST && !e.object)
		return DEVTRACE_RX_NO_OBJECT;
	rx_acknowledge(c);
	refused = c->rx->ops.event(c->rx->arg, &e);
	if (use.object)
		dt_rx_leave(c->rx, &use);
	if (refused)
		return DEVTRACE_RX_REFUSED;
	emit_u8(T_TARGET_DONE, c->request);
	return DEVTRACE_RX_OK;
}

static uint8_t answer_to(struct call *c)
{
	switch (c->request) {
	case DEVTRACE_RX_INFO:
		return c->n ? DEVTRACE_RX_BAD : do_info(c);
	case DEVTRACE_RX_COMMAND:
		return do_command(c);
	case DEVTRACE_RX_RESET:
		return rx_simple(c, c->rx->ops.reset);
	case DEVTRACE_RX_TICK:
		return do_tick(c);
	case DEVTRACE_RX_PEEK:
	case DEVTRACE_RX_POKE:
	case DEVTRACE_RX_FILL:
		return do_memory(c);
	case DEVTRACE_RX_SETUP:
		return rx_simple(c, c->rx->ops.setup);
	case DEVTRACE_RX_TEARDOWN:
		return rx_simple(c, c->rx->ops.teardown);
	case DEVTRACE_RX_PROBE:
		return do_probe(c);
	case DEVTRACE_RX_GLB_FILTER:
	case DEVTRACE_RX_LOC_FILTER:
		return do_filter(c);
	case DEVTRACE_RX_OBJ_FILTER:
		return do_object_filter(c);
	case DEVTRACE_RX_CURRENT:
		return do_current(c);
	case DEVTRACE_RX_CONTINUE:
		return do_continue(c);
	case DEVTRACE_RX_QUERY:
		return do_query(c);
	case DEVTRACE_RX_EVENT:
		return do_event(c);
	}
	return DEVTRACE_RX_UNKNOWN;
}

size_t dt_rx_request(struct rx *rx, struct rx_peer *peer, const uint8_t *p, size_t n,
		     uint8_t *answer)
{
	struct call c = { .rx = rx, .peer = peer, .out = answer + RX_HEAD + 1 };
	uint8_t status;

	memset(answer, 0, RX_HEAD + 1);
	answer[0] = RX_VERSION;
	if (n < RX_HEAD || p[0] != RX_VERSION) {
		status = DEVTRACE_RX_BAD;
	} else {
		memcpy(answer, p, RX_HEAD);
		c.request = p[1];
		c.p = p + RX_HEAD;
		c.n = n - RX_HEAD;
		status = answer_to(&c);
	}
	if (status)
		c.len = 0;
	/*
	 * QS's error codes: 0x43 for an unknown request, 0x50 for a malformed one, otherwise the
	 * number of the request.
	 */
	if (status)
		emit_u8(T_RX_STATUS, 0x80 | (status == DEVTRACE_RX_UNKNOWN ? 0x43 :
					     status == DEVTRACE_RX_BAD ? 0x50 : c.request));
	answer[RX_HEAD] = status;
	return RX_HEAD + 1 + c.len;
}

int devtrace_rx_object(uint8_t kind, void *object, size_t size, const char *name)
{
	struct rx *rx = &dt_rx;
	struct rx_object *o;

	if ((kind >= DEVTRACE_RX_KINDS && kind != DEVTRACE_RX_ANY) || kind == DEVTRACE_RX_SM_AO ||
	    !object || !name || !*name || strlen(name) >= RX_NAME)
		return EINVAL;
	pthread_mutex_lock(&rx->lock);
	o = rx_find_exact(rx, kind, (uintptr_t)object, NULL);
	if (!o) {
		o = realloc(rx->objects, (rx->nr_objects + 1) * sizeof(*o));
		if (!o) {
			pthread_mutex_unlock(&rx->lock);
			return ENOMEM;
		}
		rx->objects = o;
		o = &rx->objects[rx->nr_objects++];
	}
	*o = (struct rx_object){ .kind = kind, .object = object, .size = size };
	memcpy(o->name, name, strlen(name) + 1);
	pthread_mutex_unlock(&rx->lock);
	devtrace_dict_obj((uintptr_t)object, name);
	return 0;
}

void devtrace_rx_forget(void *object)
{
	struct rx *rx = &dt_rx;
	size_t i;

	pthread_mutex_lock(&rx->lock);
	for (i = 0; i < rx->nr_objects;)
		if (rx->objects[i].object == object)
			rx->objects[i] = rx->objects[--rx->nr_objects];
		else
			i++;
	/* No new callback can get the object now. Wait for those that use it. */
	while (dt_rx_used_by_others(rx, object))
		pthread_cond_wait(&rx->go, &rx->lock);
	pthread_mutex_unlock(&rx->lock);
}

int devtrace_rx_current(uint8_t kind, void *object)
{
	struct rx *rx = &dt_rx;
	int ret = ENOENT;

	if (kind >= DEVTRACE_RX_KINDS)
		return ENOENT;
	pthread_mutex_lock(&rx->lock);
	if (rx_find(rx, kind, (uintptr_t)object, NULL)) {
		rx->current[kind] = object;
		ret = 0;
	}
	pthread_mutex_unlock(&rx->lock);
	return ret;
}

bool devtrace_rx_probe(const void *function, uint32_t *data)
{
	struct rx *rx = &dt_rx;
	unsigned int i;
	bool found = false;

	DEVTRACE_RECORD(r, 32);

	pthread_mutex_lock(&rx->lock);
	for (i = 0; i < rx->nr_probes && !found; i++) {
		if (rx->probes[i].function != (uintptr_t)function)
			continue;
		*data = rx->probes[i].data;
		rx->nr_probes--;
		memmove(&rx->probes[i], &rx->probes[i + 1],
			(rx->nr_probes - i) * sizeof(rx->probes[0]));
		found = true;
	}
	pthread_mutex_unlock(&rx->lock);
	if (found && devtrace_begin_type(&r, T_PROBE_GET)) {
		devtrace_fun(&r, (uintptr_t)function);
		devtrace_u32(&r, *data);
		devtrace_end(&r);
	}
	return found;
}

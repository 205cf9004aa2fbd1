// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfetto_intern.c - names that are written once and then referred to by number
 *
 * When the table is full, it is emptied, and the next packet says that earlier names are no longer
 * valid. A number is never used for a second name.
 */
#include <stdlib.h>
#include "perfetto.h"

#define INTERN_MAX	4096
#define INTERN_BUCKETS	4096
/* limit of the bytes of all names, including the bodies of log messages */
#define INTERN_BYTES	(1024 * 1024)

struct perfetto_intern_name {
	struct perfetto_intern_name *next;
	uint64_t	hash, iid;
	enum perfetto_names kind;
	size_t		len;
	char		name[];
};

struct perfetto_intern {
	struct hash_key	key;
	struct perfetto_intern_name *buckets[INTERN_BUCKETS];
	unsigned int	n;
	size_t		bytes;
	uint64_t	iid;		/* the last one given */
	struct pb	fresh;
};

struct perfetto_intern *perfetto_intern_new(void)
{
	struct perfetto_intern *n = view_alloc(NULL, sizeof(*n));

	memset(n, 0, sizeof(*n));
	hash_key_init(&n->key);
	pb_init(&n->fresh);
	return n;
}

static void intern_empty(struct perfetto_intern *n)
{
	unsigned int i;

	for (i = 0; i < INTERN_BUCKETS; i++)
		while (n->buckets[i]) {
			struct perfetto_intern_name *name = n->buckets[i];

			n->buckets[i] = name->next;
			free(name);
		}
	n->n = 0;
	n->bytes = 0;
}

void perfetto_intern_free(struct perfetto_intern *n)
{
	if (!n)
		return;
	intern_empty(n);
	pb_free(&n->fresh);
	free(n);
}

/* Hash the name; of a long name, only the first 504 bytes. */
static uint64_t intern_hash(const struct perfetto_intern *n, enum perfetto_names kind,
			    const char *name, size_t len)
{
	uint64_t words[64];
	size_t i = 1;

	words[0] = (uint64_t)kind << 32 | (uint32_t)len;
	for (; len && i < 64; i++) {
		const size_t part = len < 8 ? len : 8;

		words[i] = 0;
		memcpy(&words[i], name, part);
		name += part;
		len -= part;
	}
	return hash_words(&n->key, words, i);
}

static uint64_t intern_write(struct perfetto_intern *n, enum perfetto_names kind,
			     const char *name, size_t len)
{
	pb_begin(&n->fresh, kind);
	pb_uint(&n->fresh, 1, ++n->iid);
	if (kind == PERFETTO_SOURCES)
		out_mem(&n->fresh.o, name, len);
	else
		pb_text(&n->fresh, 2, name, len);
	pb_end(&n->fresh);
	n->bytes += len;
	return n->iid;
}

uint64_t perfetto_intern(struct perfetto *f, enum perfetto_names kind, const char *name,
			 size_t len)
{
	struct perfetto_intern *n = f->names;
	struct perfetto_intern_name **bucket, *p;
	uint64_t hash;

	f->named = true;
	/* Two log messages are seldom equal. */
	if (kind == PERFETTO_LOG_BODIES)
		return intern_write(n, kind, name, len);
	hash = intern_hash(n, kind, name, len);
	bucket = &n->buckets[hash % INTERN_BUCKETS];
	for (p = *bucket; p; p = p->next)
		if (p->hash == hash && p->kind == kind && p->len == len &&
		    !memcmp(p->name, name, len))
			return p->iid;
	p = view_alloc(NULL, sizeof(*p) + len);
	*p = (struct perfetto_intern_name){ .next = *bucket, .hash = hash, .kind = kind,
					    .len = len };
	memcpy(p->name, name, len);
	*bucket = p;
	n->n++;
	p->iid = intern_write(n, kind, name, len);
	return p->iid;
}

bool perfetto_intern_anew(struct perfetto *f)
{
	struct perfetto_intern *n = f->names;

	if (f->began && n->n < INTERN_MAX && n->bytes < INTERN_BYTES &&
	    f->names_of == f->view->machine->nr)
		return false;
	intern_empty(n);
	f->names_of = f->view->machine->nr;
	f->began = true;
	return true;
}

void perfetto_intern_put(struct perfetto_intern *n, struct pb *packet)
{
	if (n->fresh.o.len)
		pb_bytes(packet, PACKET_INTERNED_DATA, n->fresh.o.buf, n->fresh.o.len);
	pb_clear(&n->fresh);
}

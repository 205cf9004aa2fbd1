// SPDX-License-Identifier: GPL-2.0-only
/*
 * image.c - the texts of DT_LOG() statements, by the build-id of their image
 *
 * Invariants: an image is in one bucket, that of the hash of its build-id. After log_image_sort()
 * its sites are in the order of their indexes, and each index occurs once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/hash.h"
#include "logtext/elf.h"
#include "logtext/image.h"

#define FIRST_BUCKETS	64

struct log_images {
	struct hash_key	key;
	struct log_image **buckets;
	size_t		nr, nr_buckets;
	void		**kept;
	size_t		nr_kept;
	struct log_searches searches;
};

struct log_images *log_images_new(void)
{
	struct log_images *set = calloc(1, sizeof(*set));

	if (set)
		hash_key_init(&set->key);
	return set;
}

void log_images_free(struct log_images *set)
{
	struct log_image *image, *next;
	size_t i;

	if (!set)
		return;
	for (i = 0; i < set->nr_buckets; i++) {
		for (image = set->buckets[i]; image; image = next) {
			next = image->next;
			free(image->sites);
			free(image);
		}
	}
	for (i = 0; i < set->nr_kept; i++)
		free(set->kept[i]);
	free(set->kept);
	free(set->buckets);
	free(set);
}

bool log_images_keep(struct log_images *set, void *memory)
{
	if (!(set->nr_kept & (set->nr_kept - 1))) {
		void **kept = realloc(set->kept,
				      (set->nr_kept ? 2 * set->nr_kept : 1) * sizeof(*kept));

		if (!kept)
			return false;
		set->kept = kept;
	}
	set->kept[set->nr_kept++] = memory;
	return true;
}

struct log_searches *log_images_searches(struct log_images *set)
{
	return &set->searches;
}

bool log_id_valid(const char *id)
{
	const size_t n = strspn(id, "0123456789abcdef");

	return n >= 4 && n <= LOG_ID_MAX && !id[n];
}

static struct log_image **bucket(const struct log_images *set, const char *id)
{
	return &set->buckets[hash_string(&set->key, 0, id) & (set->nr_buckets - 1)];
}

struct log_image *log_image_find(struct log_images *set, const char *id)
{
	struct log_image *image = set->nr_buckets ? *bucket(set, id) : NULL;

	while (image && strcmp(image->id, id))
		image = image->next;
	return image;
}

/* Enlarge the table so that it has at least as many buckets as images. */
static bool grow(struct log_images *set)
{
	const size_t nr = set->nr_buckets ? 2 * set->nr_buckets : FIRST_BUCKETS;
	struct log_image **old = set->buckets, *image, *next;
	const size_t nr_old = set->nr_buckets;
	size_t i;

	if (set->nr < set->nr_buckets)
		return true;
	set->buckets = calloc(nr, sizeof(*set->buckets));
	if (!set->buckets) {
		set->buckets = old;
		return false;
	}
	set->nr_buckets = nr;
	for (i = 0; i < nr_old; i++) {
		for (image = old[i]; image; image = next) {
			struct log_image **head = bucket(set, image->id);

			next = image->next;
			image->next = *head;
			*head = image;
		}
	}
	free(old);
	return true;
}

struct log_image *log_image_get(struct log_images *set, const char *id)
{
	struct log_image *image = log_image_find(set, id), **head;

	if (image || !grow(set))
		return image;
	image = calloc(1, sizeof(*image) + strlen(id) + 1);
	if (!image)
		return NULL;
	strcpy(image->id, id);
	head = bucket(set, id);
	image->next = *head;
	*head = image;
	set->nr++;
	return image;
}

bool log_image_add(struct log_image *image, const struct log_site *site)
{
	if (image->nr == image->room) {
		size_t room = image->room ? 2 * image->room : 16;
		struct log_site *sites = realloc(image->sites, room * sizeof(*sites));

		if (!sites)
			return false;
		image->sites = sites;
		image->room = room;
	}
	image->sites[image->nr] = *site;
	image->sites[image->nr].order = (uint32_t)image->nr;
	image->nr++;
	return true;
}

static int by_index(const void *a, const void *b)
{
	const struct log_site *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool equal(const struct log_site *a, const struct log_site *b)
{
	return a->level == b->level && a->line == b->line && !strcmp(a->file, b->file) &&
	       !strcmp(a->function, b->function) && !strcmp(a->text, b->text);
}

void log_image_sort(struct log_image *image, log_conflict_fn *fn, void *arg)
{
	struct log_site *kept = image->sites;
	size_t i;

	if (image->sorted == image->nr)
		return;
	qsort(image->sites, image->nr, sizeof(*image->sites), by_index);
	for (i = 1; i < image->nr; i++) {
		struct log_site *s = &image->sites[i];

		if (s->index != kept->index) {
			*++kept = *s;
		} else if (s->place == kept->place && !equal(s, kept)) {
			if (fn)
				fn(arg, kept, s);
			kept->conflict = true;
		}
	}
	image->nr = (size_t)(kept - image->sites) + 1;
	for (i = 0; i < image->nr; i++)
		image->sites[i].order = (uint32_t)i;
	image->sorted = image->nr;
}

const struct log_site *log_image_site(const struct log_image *image, uint32_t index)
{
	const struct log_site key = { .index = index };
	size_t low = 0, high = image->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (image->sites[mid].index < key.index)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == image->nr || image->sites[low].index != index || image->sites[low].conflict)
		return NULL;
	return &image->sites[low];
}

const char *log_level_name(unsigned int level)
{
	static const char *const names[LOG_LEVELS] = { "log", "err", "warn", "info", "debug" };

	return level < LOG_LEVELS ? names[level] : "?";
}

static const char *add_records(struct log_images *set, struct log_elf *e, unsigned int place)
{
	struct log_image *image = log_image_get(set, e->id);
	size_t i;

	if (!image || !log_images_keep(set, e->bytes))
		return strerror(ENOMEM);
	for (i = 0; i < e->nr; i++) {
		const struct log_record *r = &e->records[i];
		const struct log_site site = {
			.index = r->index, .line = r->line, .level = r->level, .place = place,
			.file = r->file, .function = r->function, .text = r->text,
		};

		if (!log_image_add(image, &site))
			break;
	}
	/* The records refer to the memory of the strings, which the set frees. */
	e->bytes = NULL;
	log_image_sort(image, NULL, NULL);
	return i < e->nr ? strerror(ENOMEM) : NULL;
}

const char *log_images_add_elf(struct log_images *set, const char *path, int fd,
			       unsigned int place, const char *want)
{
	struct log_bytes b = { .fd = fd };
	struct log_elf e = { .nr = 0 };
	const char *problem = NULL;
	struct stat st;

	/*
	 * Do not open devices, or wait for a FIFO. Only the type of the file matters: if somebody
	 * replaces it between the calls, the second check finds that.
	 */
	if (fd < 0) {
		if (stat(path, &st))
			return strerror(errno);
		if (!S_ISREG(st.st_mode))
			return "not a regular file";
		b.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	if (b.fd < 0)
		return strerror(errno);
	if (fstat(b.fd, &st))
		problem = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		problem = "not a regular file";
	b.size = problem ? 0 : (uint64_t)st.st_size;
	/* The build-id is read first: most files that are tried have another one. */
	if (!problem && want)
		problem = log_elf_id(&e, &b);
	if (!problem && want && strcmp(e.id, want))
		problem = "has another build-id";
	if (!problem)
		problem = log_elf_read(&e, &b);
	if (!problem && want && strcmp(e.id, want))
		problem = "has another build-id";
	if (!problem && !*e.id)
		problem = "the file has no build-id: link it with -Wl,--build-id";
	if (!problem && !e.nr)
		problem = "has no texts of DT_LOG()";
	if (!problem)
		problem = add_records(set, &e, place);
	log_elf_free(&e);
	if (fd < 0)
		close(b.fd);
	return problem;
}

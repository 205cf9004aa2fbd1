// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_image.c - images and their sites, with the texts of the statements
 *
 * Invariant: the sites of an image are complete when site_image_add() returns, in the order of
 * their indexes, and each index is there once.
 */
#include <stdlib.h>
#include "site.h"

void site_begin(struct sites *s, struct tc *tc)
{
	const char *env = getenv("DEVTRACE_FMT_PATH");

	memset(s, 0, sizeof(*s));
	s->tc = tc;
	fmt_set_init(&s->fmts, NULL, NULL);
	if (env)
		fmt_add_path(&s->fmts, env);
	fmt_add_default(&s->fmts);
}

void site_free(struct sites *s)
{
	struct site_image *image;

	while ((image = s->images)) {
		s->images = image->next;
		free(image->path);
		free(image->sites);
		free(image);
	}
	free(s->lines);
	fmt_set_free(&s->fmts);
}

struct site_image *site_image_find(const struct sites *s, const char *id, bool driver)
{
	struct site_image *i;

	for (i = s->images; i; i = i->next)
		if (i->driver == driver && !strcmp(i->id, id))
			return i;
	return NULL;
}

static int by_index(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

struct site *site_find(const struct site_image *image, uint32_t index)
{
	const struct site key = { .index = index };

	return image->nr ? bsearch(&key, image->sites, image->nr, sizeof(key), by_index) : NULL;
}

static void site_add(struct site_image *image, uint32_t index)
{
	if (!(image->nr & (image->nr - 1)))
		image->sites = tc_alloc(image->sites,
					(image->nr ? 2 * image->nr : 1) * sizeof(*image->sites));
	image->sites[image->nr++] = (struct site){ .index = index };
}

/* Return the texts of an image, or NULL. */
static const struct log_image *find_texts(struct sites *s, const char *id, int fd,
					  const char *file)
{
	struct log_images *set = s->fmts.images;
	const struct log_image *texts;

	if (!set || !log_id_valid(id))
		return NULL;
	texts = log_image_find(set, id);
	if (texts && texts->nr)
		return texts;
	if (fd >= 0 && !log_images_add_elf(set, NULL, fd, 0, id))
		return log_image_find(set, id);
	return log_search(set, id, file, NULL);
}

/* Sort the sites, drop those that are there twice, and look up their texts. */
static void settle(struct site_image *image, const struct log_image *texts)
{
	size_t i, nr = 0;

	if (image->nr)
		qsort(image->sites, image->nr, sizeof(*image->sites), by_index);
	for (i = 0; i < image->nr; i++) {
		if (nr && image->sites[nr - 1].index == image->sites[i].index)
			continue;
		image->sites[nr] = image->sites[i];
		if (texts)
			image->sites[nr].text = log_image_site(texts, image->sites[i].index);
		nr++;
	}
	image->nr = nr;
}

struct site_image *site_image_add(struct sites *s, const char *id, const char *path, bool driver,
				  uint32_t nr, const uint32_t *off, size_t nr_off, int fd,
				  const char *file)
{
	struct site_image *image = tc_alloc(NULL, sizeof(*image)), **end;
	const struct log_image *texts = find_texts(s, id, fd, file);
	struct site *site;
	uint32_t index;
	size_t i;

	memset(image, 0, sizeof(*image));
	strcpy(image->id, id);
	image->path = strcpy(tc_alloc(NULL, strlen(path) + 1), path);
	image->driver = driver;
	for (i = 0; texts && i < texts->nr; i++)
		site_add(image, texts->sites[i].index);
	for (index = 0; index < nr; index++)
		site_add(image, index);
	for (i = 0; i < nr_off; i++)
		site_add(image, off[i]);
	for (i = 0; !driver && i < s->nr_lines; i++)
		if (!strcmp(s->lines[i].id, id))
			site_add(image, s->lines[i].index);
	settle(image, texts);
	for (i = 0; !driver && i < s->nr_lines; i++) {
		site = strcmp(s->lines[i].id, id) ? NULL : site_find(image, s->lines[i].index);
		if (site)
			site->later = true;
	}
	for (end = &s->images; *end; end = &(*end)->next)
		;
	*end = image;
	return image;
}

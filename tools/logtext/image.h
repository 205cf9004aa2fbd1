/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image.h - the texts of DT_LOG() statements, by the build-id of their image
 *
 * Texts come from ELF files and from .fmt files. They are added while files are read, or when an
 * event refers to a build-id that is not known yet: then files with this build-id are searched.
 */
#ifndef LOGTEXT_IMAGE_H
#define LOGTEXT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LEVELS	5	/* levels of sites: log, err, warn, info, debug */

struct log_site {
	uint32_t	index;
	uint32_t	line;
	uint32_t	order;		/* in which it was added */
	uint32_t	offset;		/* in the .fmt file, for messages */
	unsigned int	place;		/* of the .fmt file in the search order */
	uint8_t		level;
	/* conflict: two files of one place have different texts for the site, so none is used */
	bool		conflict;
	const char	*file, *function, *text;
	const void	*owner;		/* the .fmt file; NULL: an ELF file */
};

struct log_image {
	struct log_image *next;		/* in its bucket */
	struct log_site	*sites;
	size_t		nr, room;
	size_t		sorted;		/* sites below this are in order, each with its own index */
	bool		searched;	/* log_search() looked for its files */
	bool		told;		/* log_tell_site() printed a message */
	char		id[];
};

struct log_images;

struct log_images *log_images_new(void);
void log_images_free(struct log_images *set);

/* Is it a build-id: at least four hexadecimal digits? Others never match. */
bool log_id_valid(const char *id);
/* Return the image with this build-id, and add it if there is none. Return NULL without memory. */
struct log_image *log_image_get(struct log_images *set, const char *id);
/* Return the image with this build-id, or NULL. */
struct log_image *log_image_find(struct log_images *set, const char *id);

/* Add a site. The strings must stay valid. Return false if there is no memory. */
bool log_image_add(struct log_image *image, const struct log_site *site);

/* Called for a site that has two different records. @first is used for other places only. */
typedef void log_conflict_fn(void *arg, const struct log_site *first,
			     const struct log_site *second);

/*
 * Sort the sites after some were added. One of equal records is kept, and the earlier one of
 * records from different places. If records of the same place differ, @fn is called unless it is
 * NULL, and the site has no text from then on.
 */
void log_image_sort(struct log_image *image, log_conflict_fn *fn, void *arg);

/* Return the site with this index, or NULL. The image must be sorted. */
const struct log_site *log_image_site(const struct log_image *image, uint32_t index);

/* Return "log", "err", "warn", "info" or "debug". */
const char *log_level_name(unsigned int level);

/*
 * Add the records of an ELF file, of the build-id that the file has. The file is @fd, or if it is
 * -1, the one at @path. Return NULL, or a text that says why there are none. @want: use the file
 * only if it has this build-id; NULL: any.
 */
const char *log_images_add_elf(struct log_images *set, const char *path, int fd,
			       unsigned int place, const char *want);

/*
 * find.c: search for a file with this build-id, once. @path: the path of the image on the board,
 * or NULL. @given: names of the format files that were searched already, for the message on
 * standard error if nothing is found; NULL: print no message. Return the image, or NULL.
 */
struct log_image *log_search(struct log_images *set, const char *id, const char *path,
			     const char *given);

/*
 * find.c: say on standard error, once for each image, that it has no text for a site. Its events
 * are printed without text.
 */
void log_tell_site(struct log_images *set, struct log_image *image, uint32_t index);

/* Keep memory until the set is freed. Return false if there is no memory to note it. */
bool log_images_keep(struct log_images *set, void *memory);
/* How often files were searched, and how many missing images were named on standard error. */
struct log_searches {
	unsigned int	done, said;
};

struct log_searches *log_images_searches(struct log_images *set);

#endif

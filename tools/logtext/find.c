// SPDX-License-Identifier: GPL-2.0-only
/*
 * find.c - search for the file that has the texts of an image
 *
 * The places are searched in this order, until a file with the build-id and with texts is found:
 * - the files and directories of DEVTRACE_DEBUG_PATH. In a directory this is the file
 *   .build-id/xx/yyyy.debug, or else any ELF file directly in it
 * - /usr/lib/debug/.build-id/xx/yyyy.debug
 * - the path that the program gave
 *
 * The build-id of every file is compared: a file with another one is never used. A build-id and a
 * path come from the stream, so they may be malicious. A build-id is only used if it consists of
 * hexadecimal digits.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/out.h"
#include "logtext/image.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define SAY_MAX		20	/* limit of missing images that are named on standard error */
#define SEARCHES_MAX	1000	/* limit of searches: a malicious stream may name many images */

struct search {
	struct log_images *set;
	const char	*id;
	struct out	looked;		/* the places, for the message */
};

/* Try a file. A file that does not exist is only noted. */
static bool try_file(struct search *s, const char *path, bool note)
{
	const char *problem = log_images_add_elf(s->set, path, -1, 0, s->id);

	if (!problem)
		return true;
	if (note) {
		OUT_LIT(&s->looked, "\n  ");
		out_safe(&s->looked, path, strlen(path));
		OUT_LIT(&s->looked, ": ");
		out_str(&s->looked, problem);
	}
	return false;
}

/* Try the file of this build-id in DIR/.build-id. */
static bool try_tree(struct search *s, const char *dir)
{
	char path[4096];

	if ((size_t)snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir, s->id,
			     s->id + 2) >= sizeof(path))
		return false;
	return try_file(s, path, true);
}

/* Try all files directly in a directory. */
static bool try_files(struct search *s, const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	char path[4096];
	bool found = false;

	while (d && !found && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_REG && entry->d_type != DT_LNK &&
		     entry->d_type != DT_UNKNOWN) ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >=
		    sizeof(path))
			continue;
		found = try_file(s, path, false);
	}
	if (d)
		closedir(d);
	if (!found) {
		OUT_LIT(&s->looked, "\n  ");
		out_safe(&s->looked, dir, strlen(dir));
		OUT_LIT(&s->looked, "/*: none has this build-id and texts");
	}
	return found;
}

static bool try_given(struct search *s, const char *list)
{
	bool found = false;

	while (list && *list && !found) {
		const size_t n = strcspn(list, ":");
		char *path = n ? strndup(list, n) : NULL;
		DIR *d = path ? opendir(path) : NULL;

		if (d) {
			closedir(d);
			found = try_tree(s, path) || try_files(s, path);
		} else if (path) {
			found = try_file(s, path, true);
		}
		free(path);
		list += n + (list[n] == ':');
	}
	return found;
}

/* Say once what was looked for. */
static void say(struct search *s, const char *path, const char *given)
{
	unsigned int *said = &log_images_searches(s->set)->said;

	if (*said > SAY_MAX)
		return;
	if ((*said)++ == SAY_MAX) {
		fprintf(stderr, "%s: further images without texts are not named\n",
			program_invocation_short_name);
		return;
	}
	out_char(&s->looked, 0);
	if (s->looked.err)
		return;
	fprintf(stderr, "%s: no texts for the LOG events of the image with the build-id %s",
		program_invocation_short_name, s->id);
	if (path) {
		struct out safe;

		out_init(&safe, -1);
		out_safe(&safe, path, strlen(path));
		out_char(&safe, 0);
		fprintf(stderr, ", %s", safe.err ? "?" : safe.buf);
		out_free(&safe);
	}
	fprintf(stderr, ". Looked in:\n  %s: none has this build-id%s\n"
		"Give the file with -e, or its directory in DEVTRACE_DEBUG_PATH.\n",
		given, s->looked.buf);
}

struct log_image *log_search(struct log_images *set, const char *id, const char *path,
			     const char *given)
{
	struct log_image *image = log_image_get(set, id);
	struct search s = { .set = set, .id = id };

	if (!image || image->searched || image->nr)
		return image;
	image->searched = true;
	if (log_images_searches(set)->done++ >= SEARCHES_MAX)
		return image;
	out_init(&s.looked, -1);
	if (!try_given(&s, getenv("DEVTRACE_DEBUG_PATH")) && !try_tree(&s, DEBUG_DIR) &&
	    !(path && *path == '/' && try_file(&s, path, true)) && given)
		say(&s, path, given);
	out_free(&s.looked);
	return image;
}

void log_tell_site(struct log_images *set, struct log_image *image, uint32_t index)
{
	if (image->told || log_images_searches(set)->said > SAY_MAX)
		return;
	image->told = true;
	log_images_searches(set)->said++;
	fprintf(stderr, "%s: the texts of the image with the build-id %s have none, or two different ones, for site %u\n",
		program_invocation_short_name, image->id, index);
}

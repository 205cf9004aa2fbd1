// SPDX-License-Identifier: GPL-2.0-only
/*
 * image.c - declarations of images: the texts of DT_LOG() statements, which fmtextract(1) writes
 *
 *	image "BUILDID" "path" { site NUMBER LEVEL "file:line" "function" "text" ... }
 *
 * A text is a format of printf(3). It is kept as it is, and escaped when an event is printed.
 */
#include <stdlib.h>
#include "internal.h"
#include "logtext/elf.h"
#include "logtext/printf.h"

static bool is_site(const struct fmt_parser *p)
{
	return p->tok == TOK_NAME && p->name_len == 4 && !memcmp(p->name, "site", 4);
}

static void missing(struct fmt_parser *p, const char *what)
{
	if (!p->broken && !p->bad)
		fmt_error(p, p->start, "%s expected", what);
	p->broken = true;
}

/* Return a copy of the bytes of a string, and go to the next token. */
static char *take_string(struct fmt_parser *p, const char *what)
{
	char *copy;

	if (p->tok != TOK_STRING) {
		missing(p, what);
		return NULL;
	}
	copy = fmt_alloc(&p->set->arena, p->str_len + 1);
	if (p->str_len)
		memcpy(copy, p->str, p->str_len);
	if (strlen(copy) != p->str_len) {
		fmt_error(p, p->pos[strlen(copy)], "a string of an image cannot contain the byte 0");
		return NULL;
	}
	fmt_next(p);
	return copy;
}

static bool parse_level(struct fmt_parser *p, struct log_site *site)
{
	unsigned int i;

	for (i = 0; p->tok == TOK_NAME && i < LOG_LEVELS; i++) {
		const char *name = log_level_name(i);

		if (strlen(name) == p->name_len && !memcmp(name, p->name, p->name_len)) {
			site->level = (uint8_t)i;
			fmt_next(p);
			return true;
		}
	}
	missing(p, "a level (log, err, warn, info or debug)");
	return false;
}

/* Split "file:line" at the last colon. */
static bool parse_line(struct fmt_parser *p, struct log_site *site)
{
	const size_t at = p->start;
	char *s = take_string(p, "\"file:line\""), *colon, *end;
	unsigned long long line;

	if (!s)
		return false;
	colon = strrchr(s, ':');
	line = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoull(colon + 1, &end, 10) : 0;
	if (!colon || colon[1] < '0' || colon[1] > '9' || *end || line > UINT32_MAX) {
		fmt_error(p, at, "\"file:line\" expected, such as \"motor.c:120\"");
		return false;
	}
	*colon = '\0';
	site->file = s;
	site->line = (uint32_t)line;
	return true;
}

/* Check that the text, which is the next token, can be printed. */
static void check_text(struct fmt_parser *p)
{
	const char *problem;
	size_t at, len;
	char *text;

	if (p->tok != TOK_STRING || !p->str_len)
		return;
	text = malloc(p->str_len + 1);
	if (!text)
		return;
	memcpy(text, p->str, p->str_len);
	text[p->str_len] = '\0';
	problem = log_format_problem(text, &at, &len);
	if (problem)
		fmt_error(p, p->pos[at < p->str_len ? at : 0], "'%.*s': %s", (int)len, text + at,
			  problem);
	free(text);
}

static void parse_site(struct fmt_parser *p, struct log_image *image)
{
	struct log_site site = {
		.offset = (uint32_t)p->start, .owner = p->file, .place = p->file->place,
	};

	p->broken = false;
	fmt_next(p);
	if (p->tok != TOK_NUMBER) {
		missing(p, "the number of a site");
		return;
	}
	if (p->number > LOG_INDEX_MAX) {
		fmt_error(p, p->start, "the number of a site is at most %u", LOG_INDEX_MAX);
		return;
	}
	site.index = (uint32_t)p->number;
	fmt_next(p);
	if (!parse_level(p, &site) || !parse_line(p, &site))
		return;
	site.function = take_string(p, "the function, or \"\"");
	check_text(p);
	site.text = site.function ? take_string(p, "the text") : NULL;
	if (!p->broken && site.text && image && !log_image_add(image, &site))
		fmt_error(p, site.offset, "no memory for this site");
}

/* Parse the build-id, and return its image. */
static struct log_image *parse_id(struct fmt_parser *p)
{
	const size_t at = p->start;
	const char *id = take_string(p, "the build-id");
	struct log_image *image, **images;

	if (!id)
		return NULL;
	if (!log_id_valid(id)) {
		fmt_error(p, at, "a build-id has 4 to %d hexadecimal digits, in lower case",
			  LOG_ID_MAX);
		return NULL;
	}
	image = p->set->images ? log_image_get(p->set->images, id) : NULL;
	if (image && !(p->nr_images & (p->nr_images - 1))) {
		images = realloc(p->images,
				 (p->nr_images ? 2 * p->nr_images : 1) * sizeof(*images));
		if (images)
			p->images = images;
		else
			image = NULL;
	}
	if (image)
		p->images[p->nr_images++] = image;
	else
		fmt_error(p, at, "no memory for this image");
	return image;
}

void fmt_parse_image(struct fmt_parser *p)
{
	struct log_image *image;

	p->broken = false;
	fmt_next(p);
	image = parse_id(p);
	if (p->tok == TOK_STRING)
		fmt_next(p);
	if (!fmt_take(p, '{'))
		missing(p, "'{' after the build-id and the path of the image");
	while (!fmt_is_punct(p, '}')) {
		if (p->tok == TOK_END || fmt_begins(p)) {
			p->broken = false;
			missing(p, "'}' at the end of the image");
			return;
		}
		if (is_site(p)) {
			parse_site(p, image);
		} else {
			missing(p, "site or '}'");
			fmt_next(p);
		}
		fmt_take(p, ';');
	}
	fmt_next(p);
}

static void conflict(void *arg, const struct log_site *first, const struct log_site *second)
{
	struct fmt_parser *p = arg;
	const struct fmt_place place = { first->owner, first->offset };
	unsigned int line, column;

	if (second->owner != p->file)
		return;
	if (!first->owner) {
		fmt_error(p, second->offset, "site %u has another text in an ELF file",
			  second->index);
		return;
	}
	fmt_locate(&place, &line, &column);
	fmt_error(p, second->offset, "site %u was described otherwise before, in %s:%u:%u",
		  second->index, place.file->path, line, column);
}

void fmt_images_end(struct fmt_parser *p)
{
	size_t i;

	for (i = 0; i < p->nr_images; i++)
		log_image_sort(p->images[i], conflict, p);
}

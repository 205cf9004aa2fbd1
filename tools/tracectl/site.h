/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site.h - the parts of the site command
 *
 * Documentation/log.rst describes sites and images. An image is known by its build-id. Programs
 * that run, drivers and the lines of /run/devtrace/sites name the images. The texts of an image
 * come from format files, its own file or its debug file.
 */
#ifndef TRACECTL_SITE_H
#define TRACECTL_SITE_H

#include <sys/types.h>
#include "fmtlang/fmt.h"
#include "logtext/elf.h"
#include "tracectl.h"

struct site {
	uint32_t	index;
	const struct log_site *text;	/* NULL: not known */
	unsigned int	off;		/* processes in which it is off; of a driver 0 or 1 */
	bool		later;		/* off in programs that start later */
	bool		chosen;
};

struct site_image {
	struct site_image *next;
	char		id[LOG_ID_MAX + 1];
	char		*path;		/* of a driver its name; "" if nothing runs the image */
	bool		driver;
	unsigned int	processes;	/* that run it; of a driver 1 */
	struct site	*sites;		/* in the order of their indexes */
	size_t		nr;
};

/* A line of /run/devtrace/sites: this site is off. */
struct site_line {
	char		id[LOG_ID_MAX + 1];
	uint32_t	index;
};

struct sites {
	struct tc	*tc;
	struct fmt_set	fmts;		/* with the texts */
	struct site_image *images;
	struct site_line *lines;
	size_t		nr_lines;
	unsigned int	denied;		/* processes that tracectl may not look at */
	unsigned int	nameless;	/* files with sites and without a build-id */
};

/* site_image.c */
void site_begin(struct sites *s, struct tc *tc);
void site_free(struct sites *s);
struct site_image *site_image_find(const struct sites *s, const char *id, bool driver);
/*
 * Add an image. Its sites are those with a text, those below @nr, the @nr_off ones at @off, and
 * those in the lines. @fd: its file, or -1. @file: path of a file that may have its texts, or NULL.
 */
struct site_image *site_image_add(struct sites *s, const char *id, const char *path, bool driver,
				  uint32_t nr, const uint32_t *off, size_t nr_off, int fd,
				  const char *file);
struct site *site_find(const struct site_image *image, uint32_t index);

/* site_process.c: an image in a process. */
struct site_mapping {
	pid_t		pid;
	int		mem;		/* /proc/PID/mem */
	int		fd;		/* the file of the image */
	uint64_t	address;	/* of the sites in the process */
	uint32_t	nr;
	const char	*path, *id;
};

/*
 * Call @fn for each image of each process. @process: only of this process id or name; NULL: of all.
 * @change: the caller writes to @mem. Return the number of processes that @process names.
 */
unsigned int site_each(struct sites *s, const char *process, bool change,
		       void (*fn)(void *arg, const struct site_mapping *m), void *arg);

/* site_file.c: the file that programs read when they start. */
void site_lines_read(struct sites *s);
/* Change the lines of the chosen sites of programs. Return 0, or 1 after printing an error. */
int site_lines_write(const struct sites *s, bool off);

/* site_driver.c */
void site_drivers_read(struct sites *s);
/* Change the chosen sites of drivers. Return 0, or 1 after printing an error. */
int site_drivers_write(const struct sites *s, bool off, unsigned int *drivers);

/* site_match.c: which statements a pattern means. */
struct site_pattern {
	enum { SITE_ALL, SITE_PLACE, SITE_LEVEL, SITE_FUNC, SITE_TEXT } kind;
	const char	*given, *word;
	uint32_t	line;		/* 0: any */
	unsigned int	level;
	bool		used;		/* a site matches */
};

/* Take a pattern from the words, or end the program. */
void site_pattern_next(struct tc *tc, struct site_pattern *p);
bool site_pattern_matches(const struct site_pattern *p, const struct site *site);
/* Print what is wrong with a pattern that no site matches, and end the program. */
_Noreturn void site_pattern_unknown(const struct sites *s, const struct site_pattern *p);

#endif

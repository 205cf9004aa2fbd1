// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_driver.c - the sites of drivers, in the parameter sites of devtrace.ko
 *
 * Reading the parameter gives a line for each driver: its name, the number of its image, and the
 * indexes of the sites that are off. Sites without a text are known only if they are off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "site.h"

#define BLANKS		"\n "
#define PARAMETER	"/sys/module/devtrace/parameters/sites"

/* Read the build-id of a loaded module. */
static bool read_id(const char *module, char *id)
{
	unsigned char note[256];
	size_t n, i, desc;
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(note, 1, sizeof(note), f);
	fclose(f);
	/* The header has three numbers of 4 bytes, and the name "GNU". */
	if (n <= 16 || memcmp(note + 12, "GNU", 4))
		return false;
	desc = n - 16 < LOG_ID_MAX / 2 ? n - 16 : LOG_ID_MAX / 2;
	for (i = 0; i < desc; i++)
		snprintf(id + 2 * i, 3, "%02x", note[16 + i]);
	return true;
}

/* Is it the file of a module of this name? In a name, the kernel replaces '-' by '_'. */
static bool is_file_of(const char *file, const char *module)
{
	while (*module && (*file == *module || (*file == '-' && *module == '_'))) {
		file++;
		module++;
	}
	return !*module && !strcmp(file, ".ko");
}

/* Find the file of a module in the list that depmod(8) writes. */
static bool find_file(const char *module, char *path, size_t size)
{
	char dir[200], *line = NULL, *slash;
	struct utsname u;
	bool found = false;
	size_t room = 0;
	FILE *f;

	if (uname(&u))
		return false;
	snprintf(dir, sizeof(dir), "/lib/modules/%s", u.release);
	snprintf(path, size, "%s/modules.dep", dir);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &room, f) > 0) {
		line[strcspn(line, ":")] = 0;
		slash = strrchr(line, '/');
		found = is_file_of(slash ? slash + 1 : line, module) &&
			(size_t)snprintf(path, size, "%s/%s", *line == '/' ? "" : dir, line) < size;
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static void read_line(struct sites *s, char *line)
{
	char id[LOG_ID_MAX + 1] = "", file[1024], *save;
	const char *name = strtok_r(line, BLANKS, &save), *word;
	struct site_image *image;
	uint32_t *off = NULL;
	size_t nr = 0, i;

	if (!name || !strtok_r(NULL, BLANKS, &save))
		return;
	while ((word = strtok_r(NULL, BLANKS, &save))) {
		off = tc_alloc(off, (nr + 1) * sizeof(*off));
		off[nr++] = (uint32_t)strtoul(word, NULL, 10) & LOG_INDEX_MAX;
	}
	if (!read_id(name, id))
		s->nameless++;
	image = site_image_add(s, id, name, true, 0, off, nr, -1,
			       find_file(name, file, sizeof(file)) ? file : NULL);
	image->processes = 1;
	for (i = 0; i < nr; i++)
		site_find(image, off[i])->off = 1;
	free(off);
}

void site_drivers_read(struct sites *s)
{
	FILE *f = fopen(PARAMETER, "re");
	char *line = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		read_line(s, line);
	free(line);
	if (f)
		fclose(f);
}

static int write_one(const struct sites *s, int fd, const struct site_image *image, uint32_t index,
		     bool off)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%s %u %s", image->path, index, off ? "off" : "on");

	if (pwrite(fd, text, (size_t)n, 0) == n)
		return 0;
	fprintf(stderr, "tracectl: %s: driver %s: site %u: %s\n", s->tc->command, image->path,
		index, errno == ENOENT ? "the driver was removed" : strerror(errno));
	return 1;
}

int site_drivers_write(const struct sites *s, bool off, unsigned int *drivers)
{
	const struct site_image *image;
	int fd = -1, ret = 0;
	size_t i;

	for (image = s->images; image; image = image->next) {
		bool counted = !image->driver;

		for (i = 0; image->driver && i < image->nr; i++) {
			if (!image->sites[i].chosen)
				continue;
			if (fd < 0)
				fd = open(PARAMETER, O_WRONLY | O_CLOEXEC);
			if (fd < 0) {
				fprintf(stderr, "tracectl: %s: " PARAMETER ": %s\n",
					s->tc->command, strerror(errno));
				return 1;
			}
			ret |= write_one(s, fd, image, image->sites[i].index, off);
			*drivers += !counted;
			counted = true;
		}
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

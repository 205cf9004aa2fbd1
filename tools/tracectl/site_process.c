// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_process.c - find the images of running programs, and where their sites are in memory
 *
 * The kernel's list of mappings says which files a process runs. A program that has not emitted
 * anything, that has no trace device, or whose process id is one of another namespace is found as
 * well.
 *
 * Invariant: a site is written only in the memory of the process that runs the file in which it was
 * found. /proc/PID/mem stays that of one address space: if the process ends, or executes another
 * program, reads and writes fail. The list of mappings is opened after it. If the process has
 * another address space by then, the one of /proc/PID/mem is gone.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/program.h"
#include "site.h"

#define SITES_MAX	1048576u	/* most sites of an image; it has a byte for each */
#define NAME_BYTES	15		/* to which the kernel cuts the name of a process */

/* A file that was looked at. */
struct seen {
	char		number[64];	/* its device and inode, as the list of mappings has them */
	char		id[LOG_ID_MAX + 1];
	uint64_t	offset, size;	/* of the sites in the file; size 0: it has none */
};

struct scan {
	struct sites	*s;
	void		(*fn)(void *arg, const struct site_mapping *m);
	void		*arg;
	struct seen	*seen;
	size_t		nr;
};

struct mapping {
	unsigned long long start, end, offset;
	char		number[64];
	char		*path;
};

/* Parse a line of maps. Return whether it is a private file that the process may write to. */
static bool parse(char *line, struct mapping *m)
{
	char *p = line;
	const char *perms, *device, *inode;

	line[strcspn(line, "\n")] = 0;
	m->start = strtoull(p, &p, 16);
	if (*p != '-')
		return false;
	m->end = strtoull(p + 1, &p, 16);
	strsep(&p, " ");
	perms = strsep(&p, " ");
	if (!p || strlen(perms) < 4)
		return false;
	m->offset = strtoull(p, &p, 16);
	strsep(&p, " ");
	device = strsep(&p, " ");
	inode = strsep(&p, " ");
	if (!p)
		return false;
	m->path = p + strspn(p, " ");
	snprintf(m->number, sizeof(m->number), "%s %s", device, inode);
	return perms[1] == 'w' && perms[3] == 'p' && strcmp(inode, "0") && *m->path == '/';
}

/* Open the file of a mapping. Return a descriptor, or -1. */
static int open_file(int proc, const struct mapping *m)
{
	char name[64];
	struct stat st;

	/* The file itself, even if it was removed or is in another mount namespace. */
	snprintf(name, sizeof(name), "map_files/%llx-%llx", m->start, m->end);
	/* Opening a device may have effects. */
	if (fstatat(proc, name, &st, 0) || !S_ISREG(st.st_mode))
		return -1;
	return openat(proc, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static void look(struct scan *scan, struct seen *seen, int fd)
{
	struct log_bytes b = { .fd = fd };
	struct log_elf e = { 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return;
	b.size = (uint64_t)st.st_size;
	if (log_elf_sites(&e, &b) || !e.sites_size || e.sites_size > SITES_MAX)
		return;
	if (!log_id_valid(e.id)) {
		scan->s->nameless++;
		return;
	}
	strcpy(seen->id, e.id);
	seen->offset = e.sites_offset;
	seen->size = e.sites_size;
}

/* Return what is known of the file of a mapping. */
static const struct seen *file_of(struct scan *scan, int proc, const struct mapping *m)
{
	struct seen *seen;
	size_t i;
	int fd;

	for (i = 0; i < scan->nr; i++)
		if (!strcmp(scan->seen[i].number, m->number))
			return &scan->seen[i];
	if (!(scan->nr & (scan->nr - 1)))
		scan->seen = tc_alloc(scan->seen,
				      (scan->nr ? 2 * scan->nr : 1) * sizeof(*scan->seen));
	seen = &scan->seen[scan->nr++];
	memset(seen, 0, sizeof(*seen));
	strcpy(seen->number, m->number);
	fd = open_file(proc, m);
	look(scan, seen, fd);
	if (fd >= 0)
		close(fd);
	return seen;
}

static void one_mapping(struct scan *scan, pid_t pid, int proc, int mem, const struct mapping *m)
{
	const struct seen *seen = file_of(scan, proc, m);
	struct site_mapping found = { .pid = pid, .mem = mem, .path = m->path, .id = seen->id };

	if (!seen->size || seen->offset < m->offset ||
	    seen->offset + seen->size > m->offset + (m->end - m->start))
		return;
	found.address = m->start + (seen->offset - m->offset);
	found.nr = (uint32_t)seen->size;
	found.fd = open_file(proc, m);
	scan->fn(scan->arg, &found);
	if (found.fd >= 0)
		close(found.fd);
}

static void one_process(struct scan *scan, pid_t pid, bool change)
{
	char path[32], *line = NULL;
	struct mapping m;
	size_t size = 0;
	int proc, mem, fd;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return;
	mem = openat(proc, "mem", (change ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (mem < 0 && (errno == EACCES || errno == EPERM))
		scan->s->denied++;
	fd = mem < 0 ? -1 : openat(proc, "maps", O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	while (f && getline(&line, &size, f) > 0)
		if (parse(line, &m))
			one_mapping(scan, pid, proc, mem, &m);
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	if (mem >= 0)
		close(mem);
	close(proc);
}

/* Is it the process that the user named? */
static bool is_process(pid_t pid, const char *process)
{
	char name[64];
	uint64_t number;

	if (!process)
		return true;
	if (tc_number(process, INT32_MAX, &number))
		return (uint64_t)pid == number;
	return program_name(pid, name, sizeof(name)) && !strncmp(name, process, NAME_BYTES);
}

unsigned int site_each(struct sites *s, const char *process, bool change,
		       void (*fn)(void *arg, const struct site_mapping *m), void *arg)
{
	struct scan scan = { .s = s, .fn = fn, .arg = arg };
	const struct dirent *entry;
	DIR *d = opendir("/proc");
	unsigned int nr = 0;

	s->denied = 0;
	s->nameless = 0;
	while (d && (entry = readdir(d))) {
		const pid_t pid = isdigit((unsigned char)*entry->d_name) ?
				  (pid_t)strtol(entry->d_name, NULL, 10) : 0;

		if (pid <= 0 || !is_process(pid, process))
			continue;
		nr++;
		one_process(&scan, pid, change);
	}
	if (d)
		closedir(d);
	free(scan.seen);
	return nr;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * load.c - read format files and directories; the arena of a set
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "internal.h"
#include "logtext/elf.h"

struct fmt_chunk {
	struct fmt_chunk *next;
	size_t		used, size;
	max_align_t	mem[];
};

#define CHUNK	(64 * 1024 - sizeof(struct fmt_chunk))

void *fmt_alloc(struct fmt_arena *a, size_t size)
{
	struct fmt_chunk *c = a->chunks;
	char *p;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!c || c->size - c->used < size) {
		size_t n = size > CHUNK ? size : CHUNK;

		c = calloc(1, sizeof(*c) + n);
		if (!c) {
			fprintf(stderr, "%s: no memory for format files\n",
				program_invocation_short_name);
			exit(1);
		}
		c->size = n;
		c->next = a->chunks;
		a->chunks = c;
	}
	p = (char *)c->mem + c->used;
	c->used += size;
	return p;
}

static void arena_free(struct fmt_arena *a)
{
	while (a->chunks) {
		struct fmt_chunk *c = a->chunks;

		a->chunks = c->next;
		free(c);
	}
}

/*
 * Return an escaped copy of a string. A text keeps its tabs and line ends, and its further lines
 * are indented.
 */
const char *fmt_copy(struct fmt_parser *p, const char *s, size_t n, bool text, size_t *len)
{
	struct out safe;
	size_t i, begin = 0;
	char *copy;

	out_init(&safe, -1);
	for (i = 0; text && i < n; i++) {
		if (s[i] != '\n' && s[i] != '\t')
			continue;
		out_safe(&safe, s + begin, i - begin);
		out_str(&safe, s[i] == '\n' ? "\n    " : "\t");
		begin = i + 1;
	}
	if (n > begin)
		out_safe(&safe, s + begin, n - begin);
	copy = fmt_alloc(&p->set->arena, safe.len + 1);
	if (safe.len)
		memcpy(copy, safe.buf, safe.len);
	if (len)
		*len = safe.len;
	out_free(&safe);
	return copy;
}

void fmt_set_init(struct fmt_set *set, fmt_diag_fn *diag, void *arg)
{
	memset(set, 0, sizeof(*set));
	set->files_end = &set->files;
	set->diag = diag;
	set->diag_arg = arg;
	set->images = log_images_new();
	hash_key_init(&set->owner_key);
}

void fmt_set_free(struct fmt_set *set)
{
	arena_free(&set->arena);
	log_images_free(set->images);
	memset(set, 0, sizeof(*set));
	set->files_end = &set->files;
}

static struct fmt_file *new_file(struct fmt_set *set, const char *path)
{
	struct fmt_file *f = fmt_alloc(&set->arena, sizeof(*f));
	struct out safe;

	out_init(&safe, -1);
	out_safe(&safe, path, strlen(path));
	f->path = memcpy(fmt_alloc(&set->arena, safe.len + 1), safe.len ? safe.buf : "", safe.len);
	out_free(&safe);
	f->place = set->place;
	*set->files_end = f;
	set->files_end = &f->next;
	return f;
}

int fmt_add_text(struct fmt_set *set, const char *path, const char *text, size_t len)
{
	struct fmt_file *f = new_file(set, path);
	struct fmt_parser p;

	f->text = fmt_alloc(&set->arena, len + 1);
	memcpy(f->text, text, len);
	f->len = len;
	fmt_lex_init(&p, set, f);
	fmt_parse(&p);
	free(p.str);
	free(p.pos);
	free(p.images);
	return 0;
}

/* Report an error that concerns a whole file or directory. */
static int path_error(struct fmt_set *set, const char *path, const char *what)
{
	int err = errno;
	struct out safe;

	set->errors++;
	if (set->diag) {
		out_init(&safe, -1);
		out_safe(&safe, path, strlen(path));
		out_char(&safe, 0);
		if (!safe.err)
			set->diag(set->diag_arg, FMT_ERROR, safe.buf, 0, 0, what);
		out_free(&safe);
	}
	errno = err;
	return -1;
}

/* Read a file, up to one byte more than is allowed. Its size is not trusted: it may be a pipe. */
static int read_all(int fd, char **text, size_t *len)
{
	const size_t most = FMT_FILE_MAX + 1;
	size_t n = 0, room = 0;
	char *buf = NULL;
	ssize_t r = 1;

	while (r && n < most) {
		if (n == room) {
			char *grown;

			room = room ? 2 * room : 16384;
			if (room > most)
				room = most;
			grown = realloc(buf, room);
			if (!grown)
				goto failed;
			buf = grown;
		}
		r = read(fd, buf + n, room - n);
		if (r < 0 && errno != EINTR)
			goto failed;
		if (r > 0)
			n += (size_t)r;
	}
	*text = buf;
	*len = n;
	return 0;

failed:
	free(buf);
	return -1;
}

static bool is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       log_elf_begins(magic, sizeof(magic));
}

/* Add an ELF file with texts of DT_LOG(). */
static int add_elf(struct fmt_set *set, const char *path, int fd)
{
	const char *problem = set->images ? log_images_add_elf(set->images, path, fd, set->place,
							       NULL) : strerror(ENOMEM);

	if (problem) {
		errno = EINVAL;
		return path_error(set, path, problem);
	}
	new_file(set, path);
	return 0;
}

int fmt_add_file(struct fmt_set *set, const char *path)
{
	/* O_NONBLOCK: the directory may contain a FIFO, on which open(2) would wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct fmt_file *f, **end = set->files_end;
	struct stat st;
	char *text;
	size_t len;
	int ret;

	if (fd < 0)
		return path_error(set, path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return path_error(set, path, "not a regular file");
	}
	/*
	 * The file was read already, for example because -e names a file of a directory that was
	 * read.
	 */
	for (f = set->files; f; f = f->next) {
		if (f->ino && f->dev == st.st_dev && f->ino == st.st_ino) {
			close(fd);
			return 0;
		}
	}
	if (is_elf(fd)) {
		ret = add_elf(set, path, fd);
		if (*end) {
			(*end)->dev = st.st_dev;
			(*end)->ino = st.st_ino;
		}
		close(fd);
		return ret;
	}
	ret = read_all(fd, &text, &len);
	if (ret) {
		ret = path_error(set, path, strerror(errno));
	} else {
		if (len > FMT_FILE_MAX) {
			errno = EFBIG;
			ret = path_error(set, path, "larger than 16 MiB: not used");
		} else {
			ret = fmt_add_text(set, path, text, len);
			if (*end) {
				(*end)->dev = st.st_dev;
				(*end)->ino = st.st_ino;
			}
		}
		free(text);
	}
	close(fd);
	return ret;
}

static int is_fmt(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 4 && d->d_name[0] != '.' && !strcmp(d->d_name + n - 4, ".fmt");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);	/* the same order in any locale */
}

int fmt_add_dir(struct fmt_set *set, const char *path, bool missing_ok)
{
	struct dirent **list;
	int i, n = scandir(path, &list, is_fmt, by_name), ret = 0;

	if (n < 0) {
		if (missing_ok && errno == ENOENT)
			return 0;
		return path_error(set, path, strerror(errno));
	}
	for (i = 0; i < n; i++) {
		size_t size = strlen(path) + strlen(list[i]->d_name) + 2;
		char *name = malloc(size);

		if (!name) {
			ret = -1;
		} else {
			snprintf(name, size, "%s/%s", path, list[i]->d_name);
			ret |= fmt_add_file(set, name);
			free(name);
		}
		free(list[i]);
	}
	free(list);
	return ret;
}

int fmt_add_path(struct fmt_set *set, const char *path)
{
	int ret = 0;

	while (*path) {
		size_t n = strcspn(path, ":");

		if (n) {
			char *dir = strndup(path, n);

			ret |= dir ? fmt_add_dir(set, dir, true) : -1;
			free(dir);
		}
		path += n + (path[n] == ':');
	}
	return ret;
}

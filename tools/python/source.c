// SPDX-License-Identifier: GPL-2.0-only
/*
 * source.c - the input of a reader: a device, a file, a link, a descriptor, or bytes in memory
 *
 * Bytes are copied to a file in memory, so that all inputs are read by a descriptor.
 */
#include "python.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/zread.h"

/* Raise an OSError that names the input. Return -1. */
static int source_error(const struct source *s, int err)
{
	errno = err;
	PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, s->name);
	return -1;
}

static int source_link(struct source *s, const char *word)
{
	const char *problem = NULL;
	PyThreadState *thread;

	if (link_parse(&s->link, word, &problem) || s->link.kind == LINK_SYSLOG) {
		PyErr_Format(PyExc_ValueError, "%s %s", word,
			     problem ? problem : "is not a link to read from");
		return -1;
	}
	thread = PyEval_SaveThread();
	s->fd = link_open(&s->link, -1, NULL);
	PyEval_RestoreThread(thread);
	if (s->fd < 0) {
		const int err = -s->fd;

		s->fd = -1;
		PyErr_Format(PyExc_OSError, "%s: %s", word, link_error(&s->link, err));
		return -1;
	}
	s->is_link = true;
	fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) & ~O_NONBLOCK);
	return 0;
}

static int source_path(struct source *s, const char *path)
{
	struct stat st;
	int err;

	if (link_is(path))
		return source_link(s, path);
	Py_BEGIN_ALLOW_THREADS
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
		     (!stat(path, &st) && S_ISCHR(st.st_mode) ? O_NONBLOCK : 0));
	err = errno;
	Py_END_ALLOW_THREADS
	return s->fd < 0 ? source_error(s, err) : 0;
}

static int source_bytes(struct source *s, PyObject *from)
{
	size_t done = 0;
	Py_buffer view;
	int ret = 0;

	if (PyObject_GetBuffer(from, &view, PyBUF_SIMPLE))
		return -1;
	s->fd = memfd_create("devtrace", MFD_CLOEXEC);
	s->own = true;
	while (s->fd >= 0 && done < (size_t)view.len) {
		ssize_t n = write(s->fd, (const char *)view.buf + done, (size_t)view.len - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n < 0 ? 0 : (size_t)n;
	}
	if (s->fd < 0 || done < (size_t)view.len || lseek(s->fd, 0, SEEK_SET))
		ret = source_error(s, errno);
	PyBuffer_Release(&view);
	return ret;
}

static int source_any(struct source *s, PyObject *from)
{
	PyObject *path = NULL;
	int ret;

	if (PyObject_CheckBuffer(from)) {
		s->name = PyUnicode_FromString("bytes");
		return s->name ? source_bytes(s, from) : -1;
	}
	Py_INCREF(from);
	s->name = from;
	if (PyLong_Check(from) || PyObject_HasAttrString(from, "fileno")) {
		s->fd = PyObject_AsFileDescriptor(from);
		return s->fd < 0 ? -1 : 0;
	}
	if (!PyUnicode_FSConverter(from, &path))
		return -1;
	s->own = true;
	ret = source_path(s, PyBytes_AsString(path));
	Py_DECREF(path);
	return ret;
}

static void source_damage(void *arg, uint64_t offset, uint64_t bytes)
{
	struct source *s = arg;

	if (!s->damages++)
		s->damage_offset = offset;
	s->damage_bytes += bytes;
}

int source_open(struct source *s, PyObject *from, bool follow)
{
	struct devtrace_stats stats = { .cpu = -1 };
	struct stat st;

	*s = (struct source){ .fd = -1, .follow = follow };
	if (source_any(s, from))
		return -1;
	if (fstat(s->fd, &st))
		return source_error(s, errno);
	/* A terminal may have a stream later, but /dev/null, for example, has none. */
	s->device = S_ISCHR(st.st_mode) &&
		    (!ioctl(s->fd, DEVTRACE_IOC_STATS, &stats) || isatty(s->fd));
	s->regular = S_ISREG(st.st_mode);
	if (S_ISDIR(st.st_mode))
		return source_error(s, EISDIR);
	if (follow && s->regular) {
		PyErr_Format(PyExc_ValueError, "%S: a file cannot be followed; follow a device, "
			     "a pipe or a link", s->name);
		return -1;
	}
	s->zread = zread_new(source_damage, s);
	if (!s->zread)
		PyErr_NoMemory();
	return s->zread ? 0 : -1;
}

void source_close(struct source *s)
{
	if (s->is_link)
		link_close(&s->link, s->fd);
	else if (s->own && s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	zread_free(s->zread);
	s->zread = NULL;
	Py_XDECREF(s->name);
	s->name = NULL;
}

static void source_wait(const struct source *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	poll(&p, 1, -1);
}

Py_ssize_t source_read(struct source *s, void *buf, size_t n)
{
	ssize_t got;
	int err;

	for (;;) {
		Py_BEGIN_ALLOW_THREADS
		got = zread_read(s->zread, s->fd, buf, n);
		err = errno;
		if (got < 0 && err == EAGAIN && s->follow)
			source_wait(s);
		Py_END_ALLOW_THREADS
		if (got >= 0)
			return got;
		if (err == EAGAIN && !s->follow)
			return 0;
		if (err != EINTR && err != EAGAIN)
			return source_error(s, err);
		if (PyErr_CheckSignals())
			return -1;
	}
}

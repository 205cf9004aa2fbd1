// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow.c - memory whose page faults wait until the test releases them
 *
 * A thread of the mapping process resolves page faults of userfaultfd. The FUSE server is a
 * separate process, which alone has /dev/fuse open: when it dies, the kernel ends all requests,
 * so nothing waits without end. It implements the protocol of <linux/fuse.h> for one file in one
 * directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>

#include "slow.h"

#define FILE_NODE	2
#define FILE_NAME	"memory"
#define VALID_S		3600
#define PENDING_MAX	64

struct slow {
	enum slow_kind kind;
	size_t size, page;
	int go;			/* eventfd(2): page faults are resolved */
	atomic_int *waits;	/* number of faults seen, in shared memory */
	/* userfaultfd */
	int uffd;
	uint8_t *mem;
	/* FUSE */
	char dir[32];
	pid_t server;
};

/* State of the FUSE server. */
struct server {
	struct slow *s;
	int fd;
	bool gone;		/* slow_go() was called */
	uint64_t pending[PENDING_MAX];
	unsigned int nr;
};

static bool wait_go(struct slow *s)
{
	struct pollfd p = { .fd = s->go, .events = POLLIN };

	while (poll(&p, 1, -1) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* userfaultfd */

static int uffd_open(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), err;

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
		err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

static void *uffd_serve(void *arg)
{
	struct slow *s = arg;
	struct uffd_msg msg;
	size_t at;

	if (read(s->uffd, &msg, sizeof(msg)) != sizeof(msg))
		return NULL;
	atomic_fetch_add(s->waits, 1);
	if (!wait_go(s))
		return NULL;
	for (at = s->page; at < s->size; at += s->page) {
		struct uffdio_zeropage zero = {
			.range = { .start = (uintptr_t)s->mem + at, .len = s->page },
		};

		ioctl(s->uffd, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

static void *uffd_map(struct slow *s)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t t;

	s->mem = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->uffd = uffd_open();
	if (s->mem == MAP_FAILED || s->uffd < 0)
		return NULL;
	/* A huge page would be present as a whole. */
	madvise(s->mem, s->size, MADV_NOHUGEPAGE);
	memset(s->mem, 0, s->page);
	reg.range.start = (uintptr_t)s->mem;
	reg.range.len = s->size;
	if (ioctl(s->uffd, UFFDIO_REGISTER, &reg) || pthread_create(&t, NULL, uffd_serve, s))
		return NULL;
	return s->mem;
}

/* FUSE */

static void answer(struct server *sv, uint64_t unique, int err, const void *data, size_t n)
{
	struct fuse_out_header out = {
		.len = sizeof(out) + n, .error = -err, .unique = unique,
	};
	struct iovec iov[] = { { &out, sizeof(out) }, { (void *)data, n } };

	/* The kernel drops the reply to an interrupted request. */
	if (writev(sv->fd, iov, 2) < 0 && errno != ENOENT)
		perror("# /dev/fuse");
}

static struct fuse_attr attr_of(const struct server *sv, uint64_t node)
{
	const bool file = node == FILE_NODE;

	return (struct fuse_attr) {
		.ino = node, .size = file ? sv->s->size : 0, .nlink = file ? 1 : 2,
		.mode = file ? S_IFREG | 0600 : S_IFDIR | 0700, .blksize = sv->s->page,
	};
}

/* No read-ahead: each page is requested when it is accessed. */
static void answer_init(struct server *sv, uint64_t unique, const struct fuse_init_in *in)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = in->minor < FUSE_KERNEL_MINOR_VERSION ?
			 in->minor : FUSE_KERNEL_MINOR_VERSION,
		.max_write = sv->s->page, .max_background = 16, .congestion_threshold = 12,
	};

	answer(sv, unique, 0, &out, sizeof(out));
}

static void answer_lookup(struct server *sv, uint64_t unique, const char *name)
{
	struct fuse_entry_out out = {
		.nodeid = FILE_NODE, .entry_valid = VALID_S, .attr_valid = VALID_S,
		.attr = attr_of(sv, FILE_NODE),
	};

	if (strcmp(name, FILE_NAME))
		answer(sv, unique, ENOENT, NULL, 0);
	else
		answer(sv, unique, 0, &out, sizeof(out));
}

static void answer_read(struct server *sv, uint64_t unique, const struct fuse_read_in *in)
{
	static const uint8_t zeros[1 << 17];

	if (sv->gone || in->offset + in->size <= sv->s->page || sv->nr == PENDING_MAX) {
		answer(sv, unique, 0, zeros, in->size < sizeof(zeros) ? in->size : sizeof(zeros));
		return;
	}
	sv->pending[sv->nr++] = unique;
	atomic_fetch_add(sv->s->waits, 1);
}

static void answer_request(struct server *sv, const struct fuse_in_header *in)
{
	struct fuse_attr_out attr = { .attr_valid = VALID_S, .attr = attr_of(sv, in->nodeid) };
	struct fuse_open_out open = { .fh = 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		answer_init(sv, in->unique, (const void *)(in + 1));
		break;
	case FUSE_LOOKUP:
		answer_lookup(sv, in->unique, (const void *)(in + 1));
		break;
	case FUSE_GETATTR:
		answer(sv, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(sv, in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		answer_read(sv, in->unique, (const void *)(in + 1));
		break;
	case FUSE_RELEASE:
		answer(sv, in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(sv, in->unique, ENOSYS, NULL, 0);
	}
}

static void serve(struct server *sv)
{
	static union {
		struct fuse_in_header in;
		uint8_t bytes[1 << 18];
	} buf;
	struct pollfd p[] = {
		{ .fd = sv->fd, .events = POLLIN }, { .fd = sv->s->go, .events = POLLIN },
	};
	ssize_t n;

	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents) {
			static const uint8_t zeros[1 << 16];

			sv->gone = true;
			while (sv->nr)
				answer(sv, sv->pending[--sv->nr], 0, zeros, sv->s->page);
			p[1].fd = -1;
			p[1].revents = 0;
		}
		if (!p[0].revents)
			continue;
		n = read(sv->fd, &buf, sizeof(buf));
		/* The file system is unmounted. */
		if (n < 0 && errno == ENODEV)
			return;
		if (n >= (ssize_t)sizeof(buf.in))
			answer_request(sv, &buf.in);
	}
}

static bool fuse_begin(struct slow *s, char *why, size_t room)
{
	struct server sv = { .s = s };
	const pid_t parent = getpid();
	char options[80];

	sv.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (sv.fd < 0) {
		snprintf(why, room, "no FUSE here: /dev/fuse: %s", strerror(errno));
		return false;
	}
	strcpy(s->dir, "/tmp/slow.XXXXXX");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d", sv.fd,
		 getuid(), getgid());
	if (!mkdtemp(s->dir) || mount("slow", s->dir, "fuse", MS_NOSUID | MS_NODEV, options)) {
		snprintf(why, room, "FUSE cannot be mounted: %s", strerror(errno));
		if (*s->dir)
			rmdir(s->dir);
		close(sv.fd);
		return false;
	}
	s->server = fork();
	if (!s->server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			serve(&sv);
		_exit(0);
	}
	close(sv.fd);
	return true;
}

static void *fuse_map(struct slow *s)
{
	char path[sizeof(s->dir) + sizeof(FILE_NAME)];
	volatile uint8_t *mem;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", s->dir, FILE_NAME);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	mem = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (mem == MAP_FAILED)
		return NULL;
	/* No read-ahead around the accessed page either. */
	madvise((void *)mem, s->size, MADV_RANDOM);
	*mem = 0;
	return (void *)mem;
}

/* Both */

struct slow *slow_new(enum slow_kind kind, size_t size, char *why, size_t room)
{
	struct slow *s = calloc(1, sizeof(*s));
	int fd;

	if (!s)
		abort();
	s->kind = kind;
	s->size = size;
	s->page = sysconf(_SC_PAGESIZE);
	s->go = eventfd(0, EFD_CLOEXEC);
	s->waits = mmap(NULL, s->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->go < 0 || s->waits == MAP_FAILED)
		abort();
	if (kind == SLOW_USERFAULTFD) {
		fd = uffd_open();
		if (fd >= 0) {
			close(fd);
			return s;
		}
		snprintf(why, room, "no userfaultfd(2) here: %s", strerror(errno));
	} else if (fuse_begin(s, why, room)) {
		return s;
	}
	close(s->go);
	munmap(s->waits, s->page);
	free(s);
	return NULL;
}

void *slow_map(struct slow *s)
{
	return s->kind == SLOW_USERFAULTFD ? uffd_map(s) : fuse_map(s);
}

bool slow_waits(const struct slow *s)
{
	return atomic_load(s->waits);
}

void slow_go(struct slow *s)
{
	const uint64_t one = 1;

	if (write(s->go, &one, sizeof(one)) != sizeof(one))
		perror("# eventfd");
}

void slow_free(struct slow *s)
{
	if (!s)
		return;
	if (s->kind == SLOW_FUSE) {
		if (umount2(s->dir, MNT_DETACH) || rmdir(s->dir))
			perror("# FUSE");
		kill(s->server, SIGKILL);
		waitpid(s->server, NULL, 0);
	}
	close(s->go);
	munmap(s->waits, s->page);
	free(s);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rx_socket.c - a listening socket without a name, and how a host connects to it
 *
 * The program binds its socket to a file of mode 0600 with a random name, opens the file with
 * O_PATH, and removes the name before it listens. The only path that is left is /proc/PID/fd/N.
 * The kernel lets a process follow this path only if it may read the program's memory
 * (PTRACE_MODE_READ): if it has the user ids of the program, or CAP_SYS_PTRACE in the program's
 * user namespace. The kernel compares its own ids, not those of a user namespace.
 *
 * Invariants
 * - No other process can get the path of a program: the path ends with the process, and a process
 *   that gets its PID later has other descriptors.
 * - Other users cannot connect, so they cannot fill the backlog.
 * - A killed program leaves no file behind, unless it dies between bind(2) and unlink(2).
 *
 * A descriptor in /proc/PID/fd may be a socket of another process: a child inherits its parent's
 * sockets, a setuid program its caller's, and a daemon may receive one. So the host asks the
 * kernel which process called listen(2). It must be the process that the host looks for, and its
 * user id at that time must be its current one or root.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "rx.h"

#define PREFIX	"devtrace-rx-"
#define ANYBODY	PREFIX "any-"
#define TRIES	8

/* Return a random number; derive it from the clock while the kernel has no random bytes yet. */
static uint64_t random_name(void)
{
	struct timespec t;
	uint64_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) == (ssize_t)sizeof(v))
		return v;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec;
}

/* Is it certain that no other user can remove a file of ours from this directory? */
static bool rx_dir_is_safe(const char *dir)
{
	struct stat st;

	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		return false;
	return st.st_mode & S_ISVTX || !(st.st_mode & 0022);
}

/*
 * Bind the socket to a file in this directory and remove its name. On success *inode is the file's
 * descriptor.
 */
static int rx_bind_in(int fd, const char *dir, const char *prefix, int *inode)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int i, err = EADDRINUSE;

	if (!rx_dir_is_safe(dir))
		return ENOENT;
	for (i = 0; i < TRIES && err == EADDRINUSE; i++) {
		snprintf(a.sun_path, sizeof(a.sun_path), "%s/%s%d-%016llx", dir, prefix,
			 (int)getpid(), (unsigned long long)random_name());
		err = bind(fd, (struct sockaddr *)&a, sizeof(a)) ? errno : 0;
	}
	if (err)
		return err;
	*inode = open(a.sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	err = *inode < 0 ? errno : 0;
	unlink(a.sun_path);
	return err;
}

/*
 * Bind and listen. The socket needs a file only for three system calls, so use the first directory
 * that accepts it: on a board, any of the directories may be read-only or missing.
 */
int dt_rx_listen(struct rx *rx, bool anybody)
{
	char own[32];
	const char *const dirs[] = { own, "/run", "/tmp", "/dev/shm", "/var/tmp" };
	int err = ENOENT, first = 0;
	size_t i;

	rx->listen = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (rx->listen < 0 || fchmod(rx->listen, 0600))
		return errno;
	snprintf(own, sizeof(own), "/run/user/%u", (unsigned int)geteuid());
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		err = rx_bind_in(rx->listen, dirs[i], anybody ? ANYBODY : PREFIX, &rx->inode);
		/*
		 * A socket can be bound only once, so do not try another directory after bind(2)
		 * succeeded.
		 */
		if (!err || rx->inode >= 0)
			break;
		if (!first || first == ENOENT)
			first = err;
	}
	if (err)
		return first ? first : err;
	return listen(rx->listen, RX_PEERS) ? errno : 0;
}

/* A process, as its status file describes it. */
struct rx_process {
	pid_t	pid;
	uid_t	user;		/* effective */
	bool	over;		/* a zombie */
};

/* Parse the line "Uid: REAL EFFECTIVE ..." of /proc/PID/status. */
static bool rx_effective_user(const char *line, uid_t *user)
{
	const char *real = line + strlen("Uid:"), *effective;
	char *end;

	if (strncmp(line, "Uid:", strlen("Uid:")))
		return false;
	strtoul(real, &end, 10);
	effective = end;
	*user = (uid_t)strtoul(effective, &end, 10);
	return end != effective;
}

/* Read the status of a process: of the one with open @fds, or of the one with this PID. */
static int rx_process_read(struct rx_process *p, pid_t pid, DIR *fds)
{
	char path[32], line[256];
	bool found = false;
	FILE *f = NULL;
	int fd;

	*p = (struct rx_process){ .pid = pid };
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = openat(fds ? dirfd(fds) : AT_FDCWD, fds ? "../status" : path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		f = fdopen(fd, "r");
	if (fd >= 0 && !f)
		close(fd);
	while (f && !found && fgets(line, sizeof(line), f)) {
		char state;

		if (sscanf(line, "State: %c", &state) == 1)
			p->over = state == 'Z' || state == 'X';
		else
			found = rx_effective_user(line, &p->user);
	}
	if (f)
		fclose(f);
	if (found && !p->over)
		return 0;
	/* If the process exists nevertheless, /proc is not mounted. */
	return pid > 0 && fd < 0 && !kill(pid, 0) ? ENOENT : ESRCH;
}

/*
 * Read the status of a process and open its directory of descriptors. This directory belongs to
 * the same process even if the PID is reused.
 */
static int rx_process_open(struct rx_process *p, pid_t pid, DIR **fds)
{
	char path[32];
	int why, err;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	*fds = opendir(path);
	why = *fds || errno == EACCES ? EPERM : errno;
	err = rx_process_read(p, pid, *fds);
	if (!*fds)
		return err ? err : why;
	if (err)
		closedir(*fds);
	return err;
}

/* Does the name of the file behind this descriptor begin with prefix? */
static bool rx_fd_is_named(DIR *fds, const char *fd, const char *prefix)
{
	char link[PATH_MAX], *name;
	ssize_t n = readlinkat(dirfd(fds), fd, link, sizeof(link) - 1);

	if (n <= 0)
		return false;
	link[n] = 0;
	name = strrchr(link, '/');
	return name && !strncmp(name + 1, prefix, strlen(prefix));
}

/* Is this descriptor a socket file with the name of a receive channel? */
static bool rx_fd_may_be(DIR *fds, const char *fd)
{
	struct stat st;

	return rx_fd_is_named(fds, fd, PREFIX) && !fstatat(dirfd(fds), fd, &st, 0) &&
	       S_ISSOCK(st.st_mode);
}

/*
 * After connecting, check which process listens. Return 0 if it is @p, ECONNREFUSED if it is
 * another process, or EPERM if @p called listen(2) as another user.
 */
static int rx_proves(int fd, const struct rx_process *p)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return errno;
	if (cred.pid != p->pid)
		return ECONNREFUSED;
	return cred.uid == p->user || cred.uid == 0 ? 0 : EPERM;
}

static int rx_connect_fd(DIR *fds, const char *name, const struct rx_process *p, int *fd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int err;

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%.20s", dirfd(fds), name);
	*fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return errno;
	err = connect(*fd, (struct sockaddr *)&a, sizeof(a)) ? errno : rx_proves(*fd, p);
	if (err) {
		close(*fd);
		*fd = -1;
	}
	return err == EACCES ? EPERM : err == EPROTOTYPE || err == ENOENT ? ECONNREFUSED : err;
}

int dt_rx_connect(pid_t pid, int *fd, bool *anybody)
{
	struct rx_process p;
	const struct dirent *d;
	DIR *fds;
	int err = rx_process_open(&p, pid, &fds), found = ECONNREFUSED;

	if (err)
		return err;
	/* Try all descriptors: a socket of another process must not hide the right one. */
	while (found && (d = readdir(fds))) {
		if (!rx_fd_may_be(fds, d->d_name))
			continue;
		err = rx_connect_fd(fds, d->d_name, &p, fd);
		*anybody = rx_fd_is_named(fds, d->d_name, ANYBODY);
		if (err != ECONNREFUSED)
			found = err;
	}
	closedir(fds);
	return found;
}

int devtrace_rx_listens(pid_t pid)
{
	struct rx_process p;
	const struct dirent *d;
	DIR *fds;
	int err = rx_process_open(&p, pid, &fds);

	if (err)
		return err;
	err = ECONNREFUSED;
	while (err && (d = readdir(fds)))
		err = rx_fd_may_be(fds, d->d_name) ? 0 : ECONNREFUSED;
	closedir(fds);
	return err;
}

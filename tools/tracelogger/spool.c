// SPDX-License-Identifier: GPL-2.0-only
/*
 * spool.c - files that keep events while the peer of a link is away
 *
 * Invariants
 * - While the spool has files, new events are written to it, so that the peer gets events in
 *   order.
 * - A file is removed when the peer has acknowledged its last byte (or when it was sent, if the
 *   link does not report acknowledgements). It is also removed when the limits require its room;
 *   the peer then misses its frames.
 * - The file that is being written is sent, too. When all of it is sent, new events are sent over
 *   the link again; its unacknowledged bytes are copied to memory.
 * - A file that cannot be read is skipped and stays. The logger tries to read it again for the
 *   next peer.
 * - If the peer disconnects in the middle of a file, the next peer gets the rest, from the
 *   beginning of a frame. Before the rest it gets the context: the announcement and all names up
 *   to there.
 * - A restarted logger continues at the same position. The position in a finished file is stored
 *   when a peer disconnects and when the logger ends. After a kill or a power failure, the
 *   position stored last is used.
 * - Reading the device does not wait for a peer: a thread connects to it (common/dial.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tracelogger.h"

#define ACK_MS	5
#define PIECE	(32 * 1024)
#define BACK	(2 * DEVTRACE_FRAME_MAX)
#define PLACE	".spool.trace.sent"

int tl_spool_init(struct tl_spool *p, const struct tl_options *opt)
{
	p->fd = -1;
	p->opt = *opt;
	p->opt.to = NULL;
	p->opt.nr_notes = 0;
	p->opt.age = 0;
	if (snprintf(p->path, sizeof(p->path), "%s/spool.trace", opt->spool) >=
	    (int)sizeof(p->path))
		return -ENAMETOOLONG;
	p->opt.file = p->path;
	return tl_store_init(&p->files, &p->opt);
}

/* Send the peer the file from offset @from on, after the context of this offset. */
static void begin_at(struct tl_spool *p, off_t from)
{
	p->from = from;
	p->told = 0;
	p->part = 0;
}

static void forget_file(struct tl_spool *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->sent = 0;
	begin_at(p, 0);
}

/* Return the offset of the beginning of the frame that contains offset @at. */
static off_t frame_before(int fd, off_t at)
{
	uint8_t buf[BACK];
	off_t from = at > BACK ? at - BACK : 0;
	ssize_t n = pread(fd, buf, (size_t)(at - from), from);
	const uint8_t *flag = n > 0 ? memrchr(buf, DEVTRACE_FLAG, (size_t)n) : NULL;

	return flag ? from + (flag - buf) + 1 : from;
}

/* Write a line that identifies the file, and tells how many bytes of it were sent. */
static bool place_line(int fd, uint64_t number, off_t sent, char *out, size_t size)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	snprintf(out, size, "%llu %llu %lld %lld.%09ld %lld\n", (unsigned long long)number,
		 (unsigned long long)st.st_ino, (long long)st.st_size,
		 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)sent);
	return true;
}

off_t tl_spool_sure(const struct tl_spool *p, const struct tl_store *to)
{
	off_t unsure = (off_t)tl_peer_unsure(to);

	if (p->fd < 0)
		return p->sent;
	/* If more bytes are unacknowledged than this file had, the rest is context. */
	if (unsure >= p->sent - p->from)
		return p->from;
	return frame_before(p->fd, p->sent - unsure);
}

void tl_spool_keep(struct tl_spool *p, const struct tl_store *files, const struct tl_store *to)
{
	char line[160];
	int fd;

	if (p->fd < 0)
		return;
	p->sent = tl_spool_sure(p, to);
	if (!place_line(p->fd, p->number, p->sent, line, sizeof(line)))
		return;
	/*
	 * If the position cannot be stored because the disk is full, the whole file is sent again,
	 * as after a kill.
	 */
	fd = tl_own_open(files, PLACE, O_WRONLY | O_CREAT);
	if (fd < 0)
		return;
	if (!ftruncate(fd, 0))
		(void)!write(fd, line, strlen(line));
	close(fd);
}

/* Return the stored position in the open file, or 0 if no position is stored for it. */
static off_t kept_place(const struct tl_spool *p, const struct tl_store *files)
{
	int fd = tl_own_open(files, PLACE, O_RDONLY);
	char line[160] = "", want[160], *last;
	ssize_t n;
	off_t sent;

	if (fd < 0)
		return 0;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	last = n > 0 ? strrchr(line, ' ') : NULL;
	sent = last ? (off_t)strtoll(last, NULL, 10) : 0;
	if (sent <= 0 || !place_line(p->fd, p->number, sent, want, sizeof(want)) ||
	    strcmp(line, want))
		return 0;
	return sent;
}

void tl_spool_broken(struct tl_spool *p, const struct tl_store *files, struct tl_store *to)
{
	tl_spool_keep(p, files, to);
	begin_at(p, p->sent);
	tl_store_spoilt(to);
}

/* Return the file's index in the list, or files->nr if it is not in the list. */
static size_t find(const struct tl_store *files, const char *name)
{
	size_t i = 0;

	while (i < files->nr && strcmp(files->own[i].name, name))
		i++;
	return i;
}

/* Report that the file cannot be read, and skip it. It stays, so that the user may repair it. */
static void cannot_read(struct tl_store *files, size_t i, int err)
{
	files->own[i].stuck = true;
	fprintf(stderr, "tracelogger: %s%s%s: %s; the file is not sent and not removed\n",
		files->name.dir, tl_store_slash(files), files->own[i].name, tl_own_error(err));
}

size_t tl_spool_stuck(const struct tl_store *files)
{
	size_t i, n = 0;

	for (i = 0; i < files->nr; i++)
		n += files->own[i].stuck;
	return n;
}

void tl_spool_retry(struct tl_store *files)
{
	size_t i;

	for (i = 0; i < files->nr; i++)
		files->own[i].stuck = false;
}

/* Is a file with frames being written? (A file without frames may be removed at any time.) */
static bool written_now(const struct tl_store *files)
{
	return files->fd >= 0 && files->size > files->head;
}

bool tl_spool_current(const struct tl_spool *p, const struct tl_store *files)
{
	return p->fd >= 0 && files->fd >= 0 && p->number == files->number;
}

static int open_file(struct tl_spool *p, const struct tl_store *files, uint64_t number,
		     const char *name)
{
	int fd = tl_own_open(files, name, O_RDONLY);

	p->number = number;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? -fd : 0;
}

/* Open the next file to send. The file that is being written is the last one. */
static bool next_file(struct tl_spool *p, struct tl_store *files)
{
	size_t i = 0;
	int err;

	while (p->fd < 0 && i < files->nr) {
		if (files->own[i].stuck) {
			i++;
			continue;
		}
		err = open_file(p, files, files->own[i].number, files->own[i].name);
		/* ENOENT: a user removed the file, so it is not sent. */
		if (err && (err != ENOENT || !tl_store_remove(files, i)))
			cannot_read(files, i, err);
		if (p->fd >= 0)
			p->sent = kept_place(p, files);
		begin_at(p, p->sent);
	}
	if (p->fd < 0 && written_now(files))
		open_file(p, files, files->number, files->current);
	return p->fd >= 0;
}

/* The file has been sent, or could not be read because of error @err. Close it. */
static void end_file(struct tl_spool *p, struct tl_store *files, int err)
{
	size_t i = find(files, p->name);

	if (i < files->nr && (err || !tl_store_remove(files, i)))
		cannot_read(files, i, err ? err : errno);
	else
		unlinkat(files->dirfd, PLACE, 0);
	forget_file(p);
}

/*
 * Is this frame part of the context that every peer needs? A LOST frame is not, because a loss
 * must be reported only once.
 */
static bool is_told(const uint8_t *p, size_t n)
{
	size_t at = n && p[0] == DEVTRACE_ESCAPE ? 2 : 1;
	uint8_t flip = 0;

	if (at < n && p[at] == DEVTRACE_ESCAPE) {
		flip = DEVTRACE_ESCAPE_XOR;
		at++;
	}
	return at + 1 < n && (p[at] ^ flip) != DEVTRACE_T_LOST &&
	       devtrace_type_is_transport(p[at] ^ flip);
}

/*
 * Return the number of bytes at @p in consecutive whole frames that all belong to the context (if
 * @told), or all do not.
 */
static size_t run_of(const uint8_t *p, size_t n, bool told)
{
	const uint8_t *flag;
	size_t len = 0;

	while (len < n) {
		flag = memchr(p + len, DEVTRACE_FLAG, n - len);
		if (!flag || is_told(p + len, (size_t)(flag - p) - len + 1) != told)
			break;
		len = (size_t)(flag - p) + 1;
	}
	return len;
}

/* Send a piece of the context: all frames before p->from that are not events or losses. */
static enum tl_spool_next tell(struct tl_spool *p, struct tl_store *to)
{
	static uint8_t buf[PIECE];
	off_t left = p->from - p->told;
	ssize_t n = pread(p->fd, buf, left < PIECE ? (size_t)left : PIECE, p->told), done;
	size_t skip;

	if (n < 0 && errno == EINTR)
		return TL_SPOOL_MORE;
	if (n <= 0) {
		/* The error will occur again when the file itself is read, and be reported then. */
		p->told = p->from;
		return TL_SPOOL_MORE;
	}
	if (!p->part) {
		skip = run_of(buf, (size_t)n, false);
		p->part = run_of(buf + skip, (size_t)n - skip, true);
		/*
		 * A piece is longer than any frame. If it has no end of a frame, the file is not a
		 * trace stream: skip the piece.
		 */
		p->told += (off_t)(skip || p->part ? skip : (size_t)n);
		return TL_SPOOL_MORE;
	}
	done = p->part < (size_t)n ? (ssize_t)p->part : n;
	if (to->upload)
		tl_upload_tell(to->upload, buf, (size_t)done);
	else
		done = tl_store_write(to, buf, (size_t)done);
	if (done == -EAGAIN || done == -EINTR)
		return TL_SPOOL_MORE;
	if (done < 0)
		return TL_SPOOL_BROKEN;
	p->told += done;
	p->part -= (size_t)done;
	return TL_SPOOL_MORE;
}

enum tl_spool_next tl_spool_send(struct tl_spool *p, struct tl_store *files, struct tl_store *to)
{
	static uint8_t buf[PIECE];
	ssize_t n, done;

	if (!next_file(p, files))
		return written_now(files) ? TL_SPOOL_CLOSE : TL_SPOOL_SENT;
	if (p->told < p->from)
		return tell(p, to);
	n = pread(p->fd, buf, sizeof(buf), p->sent);
	if (n < 0 && errno == EINTR)
		return TL_SPOOL_MORE;
	if (n > 0) {
		done = tl_store_write(to, buf, (size_t)n);
		if (done == -EAGAIN || done == -EINTR)
			return TL_SPOOL_MORE;
		if (done < 0)
			return TL_SPOOL_BROKEN;
		p->sent += done;
		return TL_SPOOL_MORE;
	}
	if (!n && tl_peer_push(to))
		return TL_SPOOL_BROKEN;
	if (tl_spool_current(p, files))
		return n ? TL_SPOOL_CLOSE : TL_SPOOL_SENT;
	/* Remove the file only after the peer has acknowledged it. */
	if (!n && tl_peer_unsure(to)) {
		if (!to->upload)
			poll(NULL, 0, ACK_MS);
		return TL_SPOOL_MORE;
	}
	end_file(p, files, n ? errno : 0);
	return TL_SPOOL_MORE;
}

void tl_spool_leave(struct tl_spool *p, struct tl_store *files)
{
	if (files->fd < 0)
		return;
	p->number = files->number;
	strcpy(p->name, files->current);
	tl_store_end(files);
	end_file(p, files, 0);
}

void tl_spool_free(struct tl_spool *p, struct tl_store *files)
{
	forget_file(p);
	tl_store_free(files);
}

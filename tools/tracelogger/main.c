// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - start and end of the program
 *
 * Programs that emit never wait for tracelogger; only tracelogger waits for disks and peers.
 *
 * Exit status: 0 on success; 1 if the device cannot be read or the directory cannot be used; 2 if
 * the command line is wrong. A full or failing disk ends the program only with --once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/device.h"
#include "run.h"

/* At the end of the program, save the events that the device holds now, if there is room. */
static int finish(struct tl_run *r)
{
	struct devtrace_stats stats = { .cpu = DEVTRACE_STATS_ALL };
	int64_t begun = tl_now();
	int err, n;

	/* Programs may emit faster than the logger saves: stop at events newer than now. */
	if (!ioctl(r->dev, DEVTRACE_IOC_STATS, &stats))
		r->until = stats.now;
	else if (tl_stop && !ioctl(r->dev, FIONREAD, &n))
		r->quota = (size_t)n;
	for (;;) {
		err = r->gave_up && !r->opt.spool ? ETIMEDOUT : tl_save_all(r);
		if (!err)
			err = tl_settle(r);
		if (tl_use_spool(r, err))
			err = tl_save_all(r);
		if (!err && r->opt.once && !r->ended && r->until == UINT64_MAX) {
			/* The input is a pipe, not the device: read it to its end. */
			tl_wait_for(r, r->dev, -1);
			if (!tl_stop)
				continue;
		}
		if (!err || (!r->store.opt->file && !r->opt.to) || r->opt.once ||
		    r->gave_up || tl_now() - begun >= TL_FAREWELL)
			return err;
		tl_wait_for(r, -1, TL_RETRY / 10);
	}
}

static void watchdog(struct tl_run *r)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	/* WATCHDOG_USEC may be meant for the parent process. */
	if (usec && (!pid || strtoll(pid, NULL, 10) == getpid()))
		r->ping = strtoll(usec, NULL, 10) * 1000 / 2;
}

/*
 * Accept peers. Return the exit status in the process that listens, and -1 in a process that was
 * forked to serve one peer.
 */
static int serve(struct tl_run *r)
{
	int fd = tl_serve(&r->opt, &r->mask, r->ping / 2);

	if (fd == -ECANCELED)
		return 0;
	if (fd < 0) {
		fprintf(stderr, "tracelogger: %s: %s\n", r->opt.listen,
			link_error(&r->opt.link, -fd));
		return 1;
	}
	r->opt.served = fd;
	return -1;
}

int tl_run_decoder(struct tl_run *r)
{
	devtrace_decoder_free(r->decoder);
	r->decoder = devtrace_decoder_new(tl_on_item, r);
	r->len = 0;
	r->done = 0;
	r->edge = 0;
	r->cut = TL_NO_CUT;
	r->last_ts = 0;
	r->ended = false;
	if (r->decoder && !tl_begin_compact(r)) {
		/* Events that are in the buffer at the start do not show that the peer is slow. */
		if (r->opt.spool)
			tl_drained(r);
		return 0;
	}
	fputs("tracelogger: out of memory\n", stderr);
	return 1;
}

int tl_run_open(struct tl_run *r, const char *path)
{
	if (r->dev >= 0)
		close(r->dev);
	r->dev = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r->dev < 0) {
		fprintf(stderr, "tracelogger: %s: %s%s\n", path, strerror(errno),
			errno == ENOENT ? " (is devtrace loaded, and does it have this stream?)" :
			errno == EACCES ? device_who_may_read(path) : "");
		return 1;
	}
	r->mute = false;
	r->looked = 0;
	r->stated = 0;
	return tl_run_decoder(r);
}

/* Run commands only for events emitted from now on. */
static int begin_exec(struct tl_run *r)
{
	struct devtrace_stats stats = { .cpu = DEVTRACE_STATS_ALL };

	if (!r->opt.exec)
		return 0;
	r->exec = tl_exec_new(&r->opt);
	if (!r->exec) {
		fputs("tracelogger: out of memory\n", stderr);
		return 1;
	}
	r->report.exec = tl_exec_counts(r->exec);
	if (r->dev >= 0)
		tl_exec_device(r->exec, r->dev);
	if (r->dev >= 0 && !ioctl(r->dev, DEVTRACE_IOC_STATS, &stats))
		tl_exec_from(r->exec, stats.now);
	return 0;
}

/*
 * Count events with the tally, without decoding, unless an option needs their contents. Only the
 * decoder counts damage, but the stream of a device has none.
 */
static void begin_tally(struct tl_run *r)
{
	struct devtrace_stats stats = { .cpu = DEVTRACE_STATS_ALL };

	r->tallies = !r->exec && r->opt.sync_severity < 0 &&
		     !ioctl(r->dev, DEVTRACE_IOC_STATS, &stats);
}

/*
 * Does the file contain no frame? A saved stream may be given in place of a device, and each of
 * its frames ends with a flag.
 */
static bool holds_no_frame(int fd)
{
	uint8_t buf[4096];
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		if (memchr(buf, DEVTRACE_FLAG, (size_t)n))
			return false;
		at += n;
	}
	return !n;
}

/* Return words for an error of the lock file, which is the first file opened in a directory. */
static const char *lock_words(int err)
{
	return tl_own_is_refused(err) ? "the file of its lock " : "";
}

static int begin(struct tl_run *r)
{
	int err = tl_store_init(&r->store, &r->opt);

	r->store.mask = &r->mask;
	r->store.patience = tl_slice(r, r->opt.spool ? TL_GRACE : TL_CONNECT);
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s%s%s\n", r->store.name.dir,
			lock_words(err), tl_own_error(-err),
			err == -ENOENT ? " (make the directory first)" :
			err == -EBUSY ? " (another tracelogger saves files of this name there)" : "");
		return 1;
	}
	if (r->opt.encoder) {
		r->store.upload = tl_upload_new(&r->opt);
		err = r->store.upload ? 0 : -ENOMEM;
		r->report.upload = err ? NULL : tl_upload_counts(r->store.upload);
	}
	if (r->opt.spool && !err) {
		err = tl_spool_init(&r->spool, &r->opt);
		r->other = r->spool.files;
		r->other.context = r->store.upload;
		if (!err && r->store.upload)
			tl_upload_keep(r->store.upload, &r->spool.files);
	}
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s%s%s\n",
			r->opt.spool ? r->opt.spool : r->opt.to, lock_words(err),
			tl_own_error(-err),
			err == -EBUSY ? " (another tracelogger has this directory for its spool)" : "");
		return 1;
	}
	/* An earlier tracelogger left files in the spool: send these first. */
	if (r->other.nr)
		tl_swap_stores(r);
	if (r->opt.trigger) {
		/*
		 * The file's name has the time at which the file begins. With a trigger, a new
		 * date does not begin a new file.
		 */
		r->store.name.periodic = false;
		return 0;
	}
	if (tl_run_open(r, r->opt.device))
		return 1;
	if (holds_no_frame(r->dev)) {
		fprintf(stderr, "tracelogger: %s: %s\n", r->opt.device,
			device_no_file(r->opt.device));
		return 1;
	}
	if (r->store.upload || r->other.upload)
		tl_upload_device(r->store.upload ? r->store.upload : r->other.upload, r->dev);
	if (begin_exec(r) || (r->opt.last_boot && tl_last_boot(r)))
		return 1;
	begin_tally(r);
	/*
	 * Open the link to a peer that connected, so that its hang-up is noticed even if no event
	 * is emitted. If tl_last_boot() saved a boot, the link has been opened before.
	 */
	return r->opt.served >= 0 && r->store.fd < 0 && tl_store_begin(&r->store) ? 1 : 0;
}

static int run(struct tl_run *r)
{
	struct tl_upload *upload = r->store.upload ? r->store.upload : r->other.upload;
	int err, ret = 0;

	tl_notify("READY=1");
	if (!r->opt.once)
		tl_follow(r);
	tl_notify("STOPPING=1");
	err = finish(r);
	if (r->opt.once && r->opt.spool && tl_empty_spool(r, &err))
		ret = 1;
	if (err == EPIPE || r->opt.served >= 0)
		err = 0;	/* the reader has gone */
	if (r->spooling)
		tl_spool_keep(&r->spool, &r->store, &r->other);
	tl_store_free(&r->store);
	if (r->opt.spool)
		tl_spool_free(&r->spool, &r->other);
	tl_report_status(&r->report, &r->store, tl_totals(r), "ended");
	if (err) {
		fprintf(stderr, "tracelogger: %s: %s; not all events were saved\n",
			r->store.name.dir, link_error(&r->store.link, err));
		ret = 1;
	}
	tl_upload_free(upload);
	return r->failed ? 1 : ret;
}

int main(int argc, char **argv)
{
	static struct tl_run only = {
		.cut = TL_NO_CUT, .announces = true, .until = UINT64_MAX, .dev = -1,
		.drained = true, .quota = SIZE_MAX,
	};
	struct tl_run *r = &only;
	int ret;

	tl_options_parse(&r->opt, argc, argv);
	tzset();
	tl_signals(&r->mask);
	r->report.tty = isatty(STDERR_FILENO);
	watchdog(r);
	ret = r->opt.listen ? serve(r) : -1;
	if (ret >= 0)
		return ret;
	ret = begin(r);
	if (ret)
		return ret;
	if (r->opt.trigger) {
		ret = tl_trigger_run(r);
		tl_notify("STOPPING=1");
		tl_store_free(&r->store);
		tl_report_status(&r->report, &r->store, &r->saved, "ended");
	} else {
		ret = run(r);
	}
	if (r->store.sync_err || r->other.sync_err)
		ret = 1;
	tl_exec_free(r->exec);
	devtrace_decoder_free(r->decoder);
	devtrace_compact_free(r->compact);
	if (r->dev >= 0)
		close(r->dev);
	return ret;
}

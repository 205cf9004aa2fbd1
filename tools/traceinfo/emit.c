// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit.c - --check-emit: would an event of this user arrive?
 *
 * The library opens the device as for any program, and its result is reported; no event is
 * emitted. After a failure, the cause is searched in the order of the kernel's checks: the name is
 * missing, the file is not a device, or a mode, a mount option or a cgroup denies access.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <devtrace.h>
#include <linux/devtrace_lane.h>
#include "common/device.h"
#include "traceinfo.h"

struct check {
	const char	*device;
	const char	*status;
	int		err;
	bool		arrives;
	/* text "user NAME", with the name of the effective user */
	char		user[64];
	char		why[512], cure[512];
};

#define WHY(c, ...)	snprintf((c)->why, sizeof((c)->why), __VA_ARGS__)
#define CURE(c, ...)	snprintf((c)->cure, sizeof((c)->cure), __VA_ARGS__)
#define OTHER_DEVICE	"unset DEVTRACE_DEVICE, or correct it"

static const char *const names[] = {
	[DEVTRACE_OK] = "ok", [DEVTRACE_UNTRIED] = "untried", [DEVTRACE_NO_DEVICE] = "no-device",
	[DEVTRACE_NOT_PERMITTED] = "not-permitted", [DEVTRACE_NOT_A_DEVICE] = "not-a-device",
	[DEVTRACE_LIMIT] = "limit", [DEVTRACE_CLOSED] = "closed",
	[DEVTRACE_DISABLED] = "disabled", [DEVTRACE_FAILED] = "failed",
};

static void user_name(char *buf, size_t size, uid_t uid)
{
	const struct passwd *p = getpwuid(uid);

	if (p)
		snprintf(buf, size, "%s", p->pw_name);
	else
		snprintf(buf, size, "%u", uid);
}

static void group_name(char *buf, size_t size, gid_t gid)
{
	const struct group *g = getgrgid(gid);

	if (g)
		snprintf(buf, size, "%s", g->gr_name);
	else
		snprintf(buf, size, "%u", gid);
}

static bool in_group(gid_t gid)
{
	int i, n = getgroups(0, NULL);
	gid_t *groups = ti_alloc(NULL, (size_t)(n > 0 ? n : 1) * sizeof(*groups));
	bool found = getegid() == gid;

	n = getgroups(n, groups);
	for (i = 0; i < n; i++)
		found |= groups[i] == gid;
	free(groups);
	return found;
}

/* Report that the file's mode does not allow this user to write. */
static void check_mode(struct check *c, const struct stat *st)
{
	bool owner = st->st_uid == geteuid(), member = in_group(st->st_gid);
	char user[64], group[64];

	user_name(user, sizeof(user), st->st_uid);
	group_name(group, sizeof(group), st->st_gid);
	WHY(c, "permission denied: mode %04o, owner %s, group %s; %s is %s", st->st_mode & 07777,
	    user, group, c->user, owner ? "its owner" : member ? "in its group" :
	    "neither its owner nor in its group");
	if (!owner && !member && st->st_mode & 0020 && st->st_gid)
		CURE(c, "add %s to the group %s, and log in again", c->user, group);
	else
		CURE(c, "load the module with gid=GROUP, a group that %s is in, or with another mode=MODE",
		     c->user);
}

static void check_permission(struct check *c)
{
	struct statvfs fs;
	struct stat st;
	int fd;

	if (stat(c->device, &st)) {
		WHY(c, "permission denied: %s may not search its directory", c->user);
		CURE(c, "let %s search it (chmod +x)", c->user);
		return;
	}
	fd = open(c->device, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		WHY(c, "%s may open the device, but a filter of system calls or a security module forbids ioctl(2) on it",
		    c->user);
		CURE(c, "allow ioctl(2) on it in the profile of the container or service");
	} else if (c->err == EPERM) {
		WHY(c, "the device controller of the cgroup, or a filter of system calls, forbids opening the device");
		CURE(c, "let the container or service use the device 'c %u:%u rw'",
		     major(st.st_rdev), minor(st.st_rdev));
	} else if (faccessat(AT_FDCWD, c->device, W_OK, AT_EACCESS)) {
		check_mode(c, &st);
	} else if (!statvfs(c->device, &fs) && fs.f_flag & ST_NODEV) {
		WHY(c, "its file system is mounted with nodev");
		CURE(c, "mount the file system without nodev, or pass the device into the container in another way");
	} else {
		WHY(c, "permission denied by a security module, though the file's mode (%04o) lets %s write",
		    st.st_mode & 07777, c->user);
		CURE(c, "allow it in the policy of the security module (SELinux, AppArmor)");
	}
}

static void check_missing(struct check *c)
{
	bool loaded = !access("/sys/module/devtrace", F_OK);

	if (c->err != ENOENT && c->err != ENOTDIR) {
		WHY(c, "no driver serves this device (%s)", strerror(c->err));
		CURE(c, "%s", loaded ? "remove the file, and load the module devtrace again" :
			      "load the module devtrace (insmod devtrace.ko)");
	} else if (loaded) {
		WHY(c, "this device does not exist here, though the module devtrace is loaded");
		CURE(c, "%s", strcmp(c->device, TI_DEVICE) ? OTHER_DEVICE :
			      "pass the device into this container, or mount devtmpfs on /dev");
	} else {
		WHY(c, "this device does not exist, and the module devtrace is not loaded");
		CURE(c, "load it (insmod devtrace.ko)");
	}
}

static void check_other(struct check *c)
{
	struct stat st;
	mode_t kind = stat(c->device, &st) ? 0 : st.st_mode & S_IFMT;

	WHY(c, "it is %s", kind == S_IFREG && device_place(c->device) ?
	    "a regular file: a program wrote to this path before the module was loaded" :
	    kind == S_IFREG ? "a regular file" :
	    kind == S_IFDIR ? "a directory" : kind == S_IFCHR ? "another device" :
	    "no trace device");
	if (kind == S_IFREG && !strcmp(c->device, TI_DEVICE))
		CURE(c, "remove the file, then load the module devtrace again (rmmod, insmod): "
			"the module creates the device");
	else
		CURE(c, "%s", strcmp(c->device, TI_DEVICE) ? OTHER_DEVICE :
			      "remove the file, and load the module devtrace again");
}

/* Are all types that a program may emit filtered out? */
static bool all_filtered(void)
{
	unsigned int type;

	for (type = 1; type < 256; type++) {
		if (devtrace_type_is_emittable(type) && devtrace_enabled((uint8_t)type))
			return false;
	}
	return true;
}

static void check_wanted(struct check *c)
{
	c->arrives = !all_filtered();
	if (!c->arrives) {
		c->status = "filtered";
		WHY(c, "the filters of all streams exclude every event of programs");
		CURE(c, "look at the filters with 'tracectl filter'; 'tracectl filter clear' lets everything pass");
	} else if (devtrace_control.version != DEVTRACE_WIRE_VERSION) {
		WHY(c, "events of %s arrive; each takes a system call, because %s may not read the device",
		    c->user, c->user);
	} else if (devtrace_lane(DEVTRACE_LANE_MIN) == ENODEV) {
		WHY(c, "events of %s arrive; each takes a system call, because this machine's data caches have aliases",
		    c->user);
	} else {
		WHY(c, "events of %s arrive", c->user);
	}
}

static void find_out(struct check *c)
{
	int status;

	c->err = devtrace_open();
	status = devtrace_status();
	c->status = status >= 0 && (size_t)status < sizeof(names) / sizeof(names[0]) ?
		    names[status] : "failed";
	switch (status) {
	case DEVTRACE_OK:
		check_wanted(c);
		break;
	case DEVTRACE_NO_DEVICE:
		check_missing(c);
		break;
	case DEVTRACE_NOT_PERMITTED:
		check_permission(c);
		break;
	case DEVTRACE_NOT_A_DEVICE:
		check_other(c);
		break;
	case DEVTRACE_LIMIT:
		WHY(c, "%s", strerror(c->err));
		CURE(c, "raise the limit (ulimit -n)");
		break;
	case DEVTRACE_DISABLED:
		WHY(c, "the environment variable DEVTRACE_DEVICE is empty, which turns tracing off");
		CURE(c, "unset DEVTRACE_DEVICE");
		break;
	default:
		WHY(c, "%s", strerror(c->err));
		CURE(c, OTHER_DEVICE);
		break;
	}
}

static void json_string(struct out *o, const char *key, const char *value)
{
	out_str(o, key);
	out_json(o, value, strlen(value));
}

int ti_check_emit(const struct ti_options *opt)
{
	const char *name = secure_getenv("DEVTRACE_DEVICE");
	struct check c = { .device = name ? name : TI_DEVICE };
	struct out o;
	int err;

	strcpy(c.user, "user ");
	user_name(c.user + 5, sizeof(c.user) - 5, geteuid());
	find_out(&c);
	out_init(&o, STDOUT_FILENO);
	if (opt->json) {
		OUT_LIT(&o, "{\"kind\":\"emit\",\"arrives\":");
		out_str(&o, c.arrives ? "true" : "false");
		json_string(&o, ",\"device\":", c.device);
		json_string(&o, ",\"user\":", c.user + 5);
		json_string(&o, ",\"status\":", c.status);
		json_string(&o, ",\"why\":", c.why);
		if (*c.cure)
			json_string(&o, ",\"todo\":", c.cure);
		OUT_LIT(&o, "}\n");
	} else {
		out_str(&o, c.arrives ? "yes: " : "no: ");
		out_safe(&o, c.device, strlen(c.device));
		out_str(&o, *c.device ? ": " : "");
		out_safe(&o, c.why, strlen(c.why));
		out_str(&o, *c.cure ? "; " : "");
		out_safe(&o, c.cure, strlen(c.cure));
		out_char(&o, '\n');
	}
	out_flush(&o);
	err = o.err;
	out_free(&o);
	if (err && err != EPIPE)
		fprintf(stderr, "traceinfo: standard output: %s\n", strerror(err));
	return c.arrives && !err ? 0 : 1;
}

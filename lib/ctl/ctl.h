/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ctl.h - what the files of libdevtrace-ctl share
 *
 * A request is built in the buffer of the handle: ctl_request() begins it,
 * mnl_attr_put_*() adds to it, ctl_do(), ctl_get() or ctl_dump() sends it and
 * waits for what comes back. It stays there until the next one, so that an error
 * can name the attribute that the kernel's offset points to.
 *
 * Nothing of what the kernel sent is used before ctl_parse() has checked it.
 */
#ifndef LIB_CTL_H
#define LIB_CTL_H

#include <libmnl/libmnl.h>
#include <linux/types.h>
#include <devtrace-ctl.h>

/*
 * A request has at most two filters of DEVTRACE_TERMS_MAX entries in each list,
 * which is 9 KiB.
 */
#define CTL_REQUEST_MAX	16384
/* The kernel makes messages of a dump as long as this if it may. */
#define CTL_REPLY_MAX	65536

struct devtrace_ctl {
	struct mnl_socket *nl;
	uint16_t	family;
	uint32_t	group;			/* of notifications */
	uint32_t	seq;
	struct nlmsghdr	*request;
	struct mnl_socket *monitor;		/* NULL: not asked for */
	int		pending, pending_len;	/* of monitor_buf: from, to */
	char		error[512];
	char		warning[1024];
	char		request_buf[CTL_REQUEST_MAX] __attribute__((aligned(4)));
	char		reply[CTL_REPLY_MAX] __attribute__((aligned(4)));
	char		monitor_buf[CTL_REPLY_MAX] __attribute__((aligned(4)));
};

/* Attributes by number, NULL: not there. */
struct ctl_attrs {
	const struct nlattr *a[DEVTRACE_A_MAX + 1];
};

/* Called with the attributes of a reply. */
typedef int ctl_reply_fn(const struct ctl_attrs *attrs, void *arg);

struct nlmsghdr *ctl_request(struct devtrace_ctl *ctl, int cmd);
int ctl_do(struct devtrace_ctl *ctl);
/* Exactly one reply; the function may not use the handle. */
int ctl_get(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg);
int ctl_dump(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg);

/*
 * The function that a program gives to a call that lists, and its argument. The function for
 * the replies knows the type of fn, makes a structure of a reply, and calls fn with that.
 */
typedef void ctl_any_fn(void);

struct ctl_caller {
	ctl_any_fn	*fn;
	void		*arg;
};

/* A dump, of one stream where it is given; reply() gets a struct ctl_caller. */
int ctl_list(struct devtrace_ctl *ctl, int cmd, const char *stream, ctl_reply_fn *reply,
	     ctl_any_fn *fn, void *arg);
/* An error of our own. Returns err. */
int ctl_fail(struct devtrace_ctl *ctl, int err, const char *text);
/* A name as an attribute; what does not fit into one is refused. */
int ctl_put_name(struct devtrace_ctl *ctl, struct nlmsghdr *nlh, int attr, const char *name);
/* A request about the one of that name; NULL if it cannot be a name. */
struct nlmsghdr *ctl_about(struct devtrace_ctl *ctl, int cmd, int attr, const char *name);

/* ctl_attr.c: attributes that the kernel sent. */
int ctl_parse(const struct nlmsghdr *nlh, struct ctl_attrs *attrs);
uint32_t ctl_u32(const struct ctl_attrs *attrs, int attr);
uint64_t ctl_u64(const struct ctl_attrs *attrs, int attr);
uint8_t ctl_u8(const struct ctl_attrs *attrs, int attr);
/* Cut to what fits, always with a NUL. */
void ctl_copy(char *to, size_t size, const struct nlattr *attr);
/* The same into an array. */
#define ctl_str(to, attrs, attr)	ctl_copy(to, sizeof(to), (attrs)->a[attr])

/* Where in a structure of the interface an attribute goes: a member of its type, but for bools. */
struct ctl_field {
	uint16_t	attr, at, size;
	enum ctl_how { CTL_IS_VALUE, CTL_IS_FLAG, CTL_IS_THERE } how;
};

#define CTL_PLACE(what, field, ATTR, how) \
	{ DEVTRACE_A_##ATTR, offsetof(struct devtrace_ctl_##what, field), \
	  sizeof(((struct devtrace_ctl_##what *)0)->field), how }
#define CTL_FIELD(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_VALUE)
/* A bool: whether the number is not 0. */
#define CTL_FLAG(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_FLAG)
/* A bool: whether the attribute is there. */
#define CTL_THERE(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_THERE)

/*
 * All of a structure from the attributes, and 0 what none is there for. The first field names
 * the thing: without it the reply is none, -EBADMSG.
 */
int ctl_fields(const struct ctl_attrs *attrs, const struct ctl_field *fields, size_t nr,
	       void *to, size_t size);
#define CTL_FIELDS(attrs, fields, to) \
	ctl_fields(attrs, fields, sizeof(fields) / sizeof((fields)[0]), to, sizeof(*(to)))
/* Attributes of a nest; tb has max + 1 places. -EBADMSG */
int ctl_parse_nest(const struct nlattr *nest, const struct nlattr **tb, unsigned int max,
		   const uint16_t *least);
/* The attribute that has this byte of a request, and the one that it is in, or 0. */
bool ctl_attr_at(const struct nlmsghdr *request, uint32_t offset, int *nest, unsigned int *type);
/* The name of a top-level attribute, or of one of a nest. */
const char *ctl_attr_word(int nest, unsigned int type);

/* ctl_refused.c: what is wrong with the request, into ctl->error. */
void ctl_refused(struct devtrace_ctl *ctl, int err, const void *tlvs, int len);

/* ctl_filter.c */
void ctl_put_filter(struct nlmsghdr *nlh, int attr, const struct devtrace_filter *f);
int ctl_parse_filter(const struct nlattr *nest, struct devtrace_filter *f);

/* What GET and the notifications tell of each; 0 or -EBADMSG. */
int ctl_parse_stream(const struct ctl_attrs *attrs, struct devtrace_ctl_stream *s);
int ctl_parse_trigger(const struct ctl_attrs *attrs, struct devtrace_ctl_trigger *t);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ctl.h - internal interface of libdevtrace-ctl
 *
 * A request is built in the buffer of the handle: ctl_request() begins it, mnl_attr_put_*()
 * appends, ctl_do(), ctl_get() or ctl_dump() sends it and waits for the reply. The request stays
 * there until the next request, so that an error can name the attribute at the offset which the
 * kernel reports.
 *
 * No byte from the kernel is used before ctl_parse() has checked it.
 */
#ifndef LIB_CTL_H
#define LIB_CTL_H

#include <libmnl/libmnl.h>
#include <linux/types.h>
#include <devtrace-ctl.h>

/* A request has at most two filters, whose lists have DEVTRACE_TERMS_MAX entries: 9 KiB. */
#define CTL_REQUEST_MAX	16384
/* The longest message of a dump that the kernel builds. */
#define CTL_REPLY_MAX	65536

struct devtrace_ctl {
	struct mnl_socket *nl;
	uint16_t	family;
	uint32_t	group;			/* multicast group of notifications */
	uint32_t	seq;
	struct nlmsghdr	*request;
	struct mnl_socket *monitor;		/* NULL: not opened */
	int		pending, pending_len;	/* unread part of monitor_buf: offset, length */
	char		error[512];
	char		warning[1024];
	char		request_buf[CTL_REQUEST_MAX] __attribute__((aligned(4)));
	char		reply[CTL_REPLY_MAX] __attribute__((aligned(4)));
	char		monitor_buf[CTL_REPLY_MAX] __attribute__((aligned(4)));
};

/* Attributes by number; NULL: absent. */
struct ctl_attrs {
	const struct nlattr *a[DEVTRACE_A_MAX + 1];
};

/* Called with the attributes of a reply. */
typedef int ctl_reply_fn(const struct ctl_attrs *attrs, void *arg);

struct nlmsghdr *ctl_request(struct devtrace_ctl *ctl, int cmd);
int ctl_do(struct devtrace_ctl *ctl);
/* Expects exactly one reply; fn must not use the handle. */
int ctl_get(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg);
int ctl_dump(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg);

/*
 * The caller's function for the entries of a list. The reply function knows its type, fills in a
 * structure from the reply, and calls it.
 */
typedef void ctl_any_fn(void);

struct ctl_caller {
	ctl_any_fn	*fn;
	void		*arg;
};

/*
 * Dump a list: of one stream, or of all streams if stream is NULL. reply() gets a struct
 * ctl_caller.
 */
int ctl_list(struct devtrace_ctl *ctl, int cmd, const char *stream, ctl_reply_fn *reply,
	     ctl_any_fn *fn, void *arg);
/*
 * Store an error that the library found. If text is NULL, store the text of the error number.
 * Return err.
 */
int ctl_fail(struct devtrace_ctl *ctl, int err, const char *text);
/* Append a name; a name that is too long is refused. */
int ctl_put_name(struct devtrace_ctl *ctl, struct nlmsghdr *nlh, int attr, const char *name);
/* Begin a request about a name; NULL if the name is too long. */
struct nlmsghdr *ctl_about(struct devtrace_ctl *ctl, int cmd, int attr, const char *name);

/* ctl_attr.c: attributes from the kernel; absent numbers are 0. */
int ctl_parse(const struct nlmsghdr *nlh, struct ctl_attrs *attrs);
uint32_t ctl_u32(const struct ctl_attrs *attrs, int attr);
uint64_t ctl_u64(const struct ctl_attrs *attrs, int attr);
uint8_t ctl_u8(const struct ctl_attrs *attrs, int attr);
/* Copy a string attribute; truncate it if necessary, and always add a NUL. */
void ctl_copy(char *to, size_t size, const struct nlattr *attr);
#define ctl_str(to, attrs, attr)	ctl_copy(to, sizeof(to), (attrs)->a[attr])

/* The member of a public structure that an attribute fills; @how for bools. */
struct ctl_field {
	uint16_t	attr, at, size;
	enum ctl_how { CTL_IS_VALUE, CTL_IS_FLAG, CTL_IS_THERE } how;
};

#define CTL_PLACE(what, field, ATTR, how) \
	{ DEVTRACE_A_##ATTR, offsetof(struct devtrace_ctl_##what, field), \
	  sizeof(((struct devtrace_ctl_##what *)0)->field), how }
#define CTL_FIELD(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_VALUE)
/* A bool: the number is not 0. */
#define CTL_FLAG(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_FLAG)
/* A bool: the attribute is present. */
#define CTL_THERE(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_THERE)

/*
 * Fill in a structure from attributes; an absent attribute gives 0. The first field is the name
 * of the object; if it is absent, return -EBADMSG.
 */
int ctl_fields(const struct ctl_attrs *attrs, const struct ctl_field *fields, size_t nr,
	       void *to, size_t size);
#define CTL_FIELDS(attrs, fields, to) \
	ctl_fields(attrs, fields, sizeof(fields) / sizeof((fields)[0]), to, sizeof(*(to)))
/*
 * Parse a nest's attributes into tb, which has max + 1 entries; least: minimum lengths. Return
 * 0, or -EBADMSG if the nest is malformed.
 */
int ctl_parse_nest(const struct nlattr *nest, const struct nlattr **tb, unsigned int max,
		   const uint16_t *least);
/* Find the attribute at an offset of a request, and the nest that contains it, or 0. */
bool ctl_attr_at(const struct nlmsghdr *request, uint32_t offset, int *nest, unsigned int *type);
/* Name of an attribute: top-level (nest 0) or in a nest. */
const char *ctl_attr_word(int nest, unsigned int type);

/* ctl_refused.c: explain in ctl->error why the kernel refused the request. */
void ctl_refused(struct devtrace_ctl *ctl, int err, const void *tlvs, int len);

/* ctl_filter.c */
void ctl_put_filter(struct nlmsghdr *nlh, int attr, const struct devtrace_filter *f);
int ctl_parse_filter(const struct nlattr *nest, struct devtrace_filter *f);

/* Parse an object of a reply or notification. Return 0 or -EBADMSG. */
int ctl_parse_stream(const struct ctl_attrs *attrs, struct devtrace_ctl_stream *s);
int ctl_parse_trigger(const struct ctl_attrs *attrs, struct devtrace_ctl_trigger *t);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ctl.h - internal interface of libdevtrace-ctl
 *
 * A request is built in a buffer of the handle: ctl_request() begins it, mnl_attr_put_*() append
 * attributes, and ctl_do(), ctl_get() or ctl_dump() sends it and waits for the reply. The request
 * stays in the buffer until the next one, because the kernel reports the refused attribute by its
 * offset in the request.
 *
 * Data from the kernel are used only after ctl_parse() has checked them.
 */
#ifndef LIB_CTL_H
#define LIB_CTL_H

#include <libmnl/libmnl.h>
#include <linux/types.h>
#include <devtrace-ctl.h>

/*
 * Bytes of a request. It has at most two filters with lists of DEVTRACE_TERMS_MAX entries: 9 KiB.
 */
#define CTL_REQUEST_MAX	16384
/* Bytes of the longest message that the kernel builds for a dump. */
#define CTL_REPLY_MAX	65536

struct devtrace_ctl {
	struct mnl_socket *nl;
	uint16_t	family;
	uint32_t	group;			/* multicast group of notifications */
	uint32_t	seq;
	struct nlmsghdr	*request;
	struct mnl_socket *monitor;		/* NULL: not opened */
	int		pending, pending_len;	/* unread part of monitor_buf: offset and length */
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

/* Called with the attributes of one reply. */
typedef int ctl_reply_fn(const struct ctl_attrs *attrs, void *arg);

struct nlmsghdr *ctl_request(struct devtrace_ctl *ctl, int cmd);
int ctl_do(struct devtrace_ctl *ctl);
/* Expects exactly one reply. fn must not use the handle. */
int ctl_get(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg);
int ctl_dump(struct devtrace_ctl *ctl, ctl_reply_fn *fn, void *arg);

/*
 * Any caller's function for the entries of a list. The reply function of the list knows the real
 * type: it fills in a structure from the reply and calls the caller's function with it.
 */
typedef void ctl_any_fn(void);

struct ctl_caller {
	ctl_any_fn	*fn;
	void		*arg;
};

/*
 * Request a list: the entries of one stream, or of all streams if stream is NULL. reply() is
 * called for each entry, with a struct ctl_caller as its argument.
 */
int ctl_list(struct devtrace_ctl *ctl, int cmd, const char *stream, ctl_reply_fn *reply,
	     ctl_any_fn *fn, void *arg);
/*
 * Store the text of an error that the library found; NULL: the text of the error number. Return
 * err.
 */
int ctl_fail(struct devtrace_ctl *ctl, int err, const char *text);
/* Append a name to a request; return an error if it is too long. */
int ctl_put_name(struct devtrace_ctl *ctl, struct nlmsghdr *nlh, int attr, const char *name);
/* Begin a request about the object with this name. Return NULL if the name is too long. */
struct nlmsghdr *ctl_about(struct devtrace_ctl *ctl, int cmd, int attr, const char *name);

/* ctl_attr.c: attributes from the kernel. An absent number is 0. */
int ctl_parse(const struct nlmsghdr *nlh, struct ctl_attrs *attrs);
uint32_t ctl_u32(const struct ctl_attrs *attrs, int attr);
uint64_t ctl_u64(const struct ctl_attrs *attrs, int attr);
uint8_t ctl_u8(const struct ctl_attrs *attrs, int attr);
/* Copy a string attribute, truncated if necessary and always with a NUL. */
void ctl_copy(char *to, size_t size, const struct nlattr *attr);
#define ctl_str(to, attrs, attr)	ctl_copy(to, sizeof(to), (attrs)->a[attr])

/* Which member of a public structure an attribute fills. @how tells how to convert it. */
struct ctl_field {
	uint16_t	attr, at, size;
	enum ctl_how { CTL_IS_VALUE, CTL_IS_FLAG, CTL_IS_THERE } how;
};

#define CTL_PLACE(what, field, ATTR, how) \
	{ DEVTRACE_A_##ATTR, offsetof(struct devtrace_ctl_##what, field), \
	  sizeof(((struct devtrace_ctl_##what *)0)->field), how }
#define CTL_FIELD(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_VALUE)
/* A bool member: true if the attribute's number is not 0. */
#define CTL_FLAG(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_FLAG)
/* A bool member: true if the attribute is present. */
#define CTL_THERE(what, field, ATTR)	CTL_PLACE(what, field, ATTR, CTL_IS_THERE)

/*
 * Fill in a structure from attributes; members without an attribute become 0. The first field is
 * the name of the object: return -EBADMSG if it is absent.
 */
int ctl_fields(const struct ctl_attrs *attrs, const struct ctl_field *fields, size_t nr,
	       void *to, size_t size);
#define CTL_FIELDS(attrs, fields, to) \
	ctl_fields(attrs, fields, sizeof(fields) / sizeof((fields)[0]), to, sizeof(*(to)))
/*
 * Parse the attributes of a nest into tb, which has max + 1 entries. least: their minimum lengths.
 * Return 0, or -EBADMSG if the nest is malformed.
 */
int ctl_parse_nest(const struct nlattr *nest, const struct nlattr **tb, unsigned int max,
		   const uint16_t *least);
/* Find the attribute at this offset of a request. *nest: the nest that contains it, or 0. */
bool ctl_attr_at(const struct nlmsghdr *request, uint32_t offset, int *nest, unsigned int *type);
/* Return the name of an attribute in this nest; nest 0: at the top level. */
const char *ctl_attr_word(int nest, unsigned int type);

/* ctl_refused.c: store in ctl->error why the kernel refused a request. */
void ctl_refused(struct devtrace_ctl *ctl, int err, const void *tlvs, int len);

/* ctl_filter.c */
void ctl_put_filter(struct nlmsghdr *nlh, int attr, const struct devtrace_filter *f);
int ctl_parse_filter(const struct nlattr *nest, struct devtrace_filter *f);

/* Parse a stream or a trigger in a reply or notification. Return 0 or -EBADMSG. */
int ctl_parse_stream(const struct ctl_attrs *attrs, struct devtrace_ctl_stream *s);
int ctl_parse_trigger(const struct ctl_attrs *attrs, struct devtrace_ctl_trigger *t);

#endif

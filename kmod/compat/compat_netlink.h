/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_netlink.h - what differs in generic netlink
 *
 * Not in compat.h, because few files have anything to do with netlink.
 */
#ifndef DEVTRACE_COMPAT_NETLINK_H
#define DEVTRACE_COMPAT_NETLINK_H

#include <linux/version.h>
#include <net/genetlink.h>

/* genl_family.pre_doit took other operations until 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define compat_genl_ops	const struct genl_ops
#else
#define compat_genl_ops	const struct genl_split_ops
#endif

static inline struct nlattr **compat_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return genl_dumpit_info(cb)->attrs;
#else
	return genl_dumpit_info(cb)->info.attrs;
#endif
}

/*
 * Whether an attribute of a nest, or NULL of the top, is not there. Kernels before 6.1
 * cannot tell which it is.
 */
#ifdef NL_REQ_ATTR_CHECK
#define compat_attr_missing(extack, nest, tb, type)			\
	NL_REQ_ATTR_CHECK(extack, nest, tb, type)
#else
#define compat_attr_missing(extack, nest, tb, type)	(!(tb)[type])
#endif

/*
 * Kernels older than the stable ones of December 2023 cannot ask the listeners of
 * a group for any capability. Stable ones have a flag for it or a field, and Kbuild
 * looks into the kernel's header which.
 */
#if defined(GENL_MCAST_CAP_SYS_ADMIN)
#define COMPAT_MCAST_CAP_SYS_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#elif defined(COMPAT_HAVE_MCAST_CAP_FIELD)
#define COMPAT_MCAST_CAP_SYS_ADMIN	.cap_sys_admin = 1
#else
#define COMPAT_MCAST_CAP_SYS_ADMIN
#endif

#endif /* DEVTRACE_COMPAT_NETLINK_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat_netlink.h - differences in generic netlink
 *
 * This is not in compat.h, because few files use netlink.
 */
#ifndef DEVTRACE_COMPAT_NETLINK_H
#define DEVTRACE_COMPAT_NETLINK_H

#include <linux/version.h>
#include <net/genetlink.h>

/* genl_family.pre_doit() took a struct genl_ops before 6.2. */
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
 * Is an attribute missing in @nest (NULL: at the top level)? Kernels before 6.1 cannot report
 * to the caller which attribute is missing.
 */
#ifdef NL_REQ_ATTR_CHECK
#define compat_attr_missing(extack, nest, tb, type)			\
	NL_REQ_ATTR_CHECK(extack, nest, tb, type)
#else
#define compat_attr_missing(extack, nest, tb, type)	(!(tb)[type])
#endif

/*
 * Since December 2023 a multicast group can require CAP_SYS_ADMIN of its listeners, by a
 * flag or, in some stable kernels, by a field. Kbuild looks for the field in the kernel's
 * header. Older kernels have neither.
 */
#if defined(GENL_MCAST_CAP_SYS_ADMIN)
#define COMPAT_MCAST_CAP_SYS_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#elif defined(COMPAT_HAVE_MCAST_CAP_FIELD)
#define COMPAT_MCAST_CAP_SYS_ADMIN	.cap_sys_admin = 1
#else
#define COMPAT_MCAST_CAP_SYS_ADMIN
#endif

#endif /* DEVTRACE_COMPAT_NETLINK_H */

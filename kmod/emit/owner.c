// SPDX-License-Identifier: GPL-2.0-only
/* The user who is charged for what a task names or requests */
#include <linux/cred.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "owner.h"

/**
 * devtrace_owner_of() - the user who is charged for a task
 * @cred: the credentials of the task
 *
 * This is the task's user. All users in a user namespace count as one: as the owner of the
 * outermost namespace around the task below the initial one, or, if this owner is root, as the user
 * whose uid inside it is 0.
 *
 * notrace: see emit/emit.c.
 *
 * Context: any, NMI included.
 * Return: user id, in the initial namespace.
 */
notrace u32 devtrace_owner_of(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	if (ns == &init_user_ns)
		return __kuid_val(uid);
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
		uid = ns->owner;
	else if (uid_valid(make_kuid(ns, 0)))
		uid = make_kuid(ns, 0);
	return __kuid_val(uid);
}

/* The user who is charged for current: see devtrace_owner_of(). Any context, NMI included. */
u32 devtrace_owner(void)
{
	return devtrace_owner_of(current_real_cred());
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults that tracepoints report
 *
 * A probe runs in the context of its tracepoint, possibly with interrupts off and locks
 * held: it reads its arguments and takes no lock. tools/fmt/kernel.fmt describes the elements of
 * the events.
 */
#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/string.h>
#ifdef CONFIG_X86_MCE
#include <asm/mce.h>
#endif

#include "compat/compat.h"
#include "compat/compat_faults.h"
#include "compat/compat_trace_both.h"
#include "faults.h"

static void put_comm(struct devtrace_record *r, const char *comm)
{
	char copy[TASK_COMM_LEN];

	/* The copy may mix two names: the thread may change its name at the same time. */
	data_race(memcpy(copy, comm, sizeof(copy)));
	copy[sizeof(copy) - 1] = 0;
	fault_put_text(r, "%s", copy);
}

/* Is a fault of this user's program wanted, and within the limit of limit.c? */
static bool fault_allowed(kuid_t user)
{
	return devtrace_enabled(DEVTRACE_T_FAULT) && fault_limit(user);
}

/* Tasks that hang; RCU grace periods that do not end */

static void __maybe_unused on_hang(void *data, struct task_struct *p)
{
	struct devtrace_record r;

	if (!fault_begin(&r, DEVTRACE_SW2, DEVTRACE_FAULT_HANG, 0))
		return;
	devtrace_put(&r, dt_u32(p->pid));
	put_comm(&r, p->comm);
	devtrace_end(&r);
}

static void __maybe_unused on_stall(void *data, const char *rcu, const char *msg)
{
	struct devtrace_record r;

	if (!fault_begin(&r, DEVTRACE_SW2, DEVTRACE_FAULT_STALL, 0))
		return;
	fault_put_text(&r, "%.60s", rcu);
	fault_put_text(&r, "%.60s", msg);
	devtrace_end(&r);
}

/* The OOM killer */

static void oom_kill(pid_t pid)
{
	static const char nobody[TASK_COMM_LEN] = "";
	struct devtrace_record r;
	struct task_struct *p;

	rcu_read_lock();
	p = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	/* Limit these: in a memory cgroup, a user can have its own programs killed in a loop. */
	if (fault_allowed(p ? task_uid(p) : GLOBAL_ROOT_UID) &&
	    fault_begin(&r, DEVTRACE_SW2, DEVTRACE_FAULT_OOM, 0)) {
		devtrace_put(&r, dt_u32(pid));
		put_comm(&r, p ? p->comm : nobody);
		devtrace_end(&r);
	}
	rcu_read_unlock();
}

static void on_oom_kill(void *data, struct task_struct *task, uid_t uid)
{
	oom_kill(task->pid);
}

/* Machine checks, and errors of memory and buses */

#ifdef CONFIG_X86_MCE
static void mce_record(const struct mce *m)
{
	struct devtrace_record r;

	/* Corrected errors are expected, so they have only HW1. */
	if (!fault_begin(&r, m->status & MCI_STATUS_PCC ? DEVTRACE_HW3 :
			 m->status & MCI_STATUS_UC ? DEVTRACE_HW2 : DEVTRACE_HW1,
			 DEVTRACE_FAULT_MCE, m->bank))
		return;
	devtrace_put(&r, dt_u16(m->extcpu));
	devtrace_put(&r, dt_u64x(m->status));
	devtrace_put(&r, dt_u64x(m->addr));
	devtrace_put(&r, dt_u64x(m->misc));
	devtrace_end(&r);
}
#endif

/* Return the severity for a value of enum hw_event_mc_err_type. */
static u8 memory_severity(unsigned int type)
{
	static const u8 severity[] = {
		DEVTRACE_HW1, DEVTRACE_HW2, DEVTRACE_HW2, DEVTRACE_HW3, DEVTRACE_HW0,
	};

	return type < ARRAY_SIZE(severity) ? severity[type] : DEVTRACE_HW2;
}

/* Minors of DEVTRACE_FAULT_MEMORY */
#define MEMORY_EDAC	1
#define MEMORY_FAILURE	2
#define MEMORY_OTHER	3

static void __maybe_unused on_mc_event(void *data, const unsigned int err_type,
				       const char *msg, const char *label, const int count,
				       const u8 mc, const s8 top, const s8 mid, const s8 low,
				       unsigned long address, const u8 grain_bits,
				       unsigned long syndrome, const char *detail)
{
	struct devtrace_record r;

	if (!fault_begin(&r, memory_severity(err_type), DEVTRACE_FAULT_MEMORY, MEMORY_EDAC))
		return;
	devtrace_put(&r, dt_u8(err_type));
	devtrace_put(&r, dt_u32(count));
	devtrace_put(&r, dt_u64x(address));
	fault_put_text(&r, "%.60s", msg);
	fault_put_text(&r, "%.60s", label);
	devtrace_end(&r);
}

static void __maybe_unused on_memory_failure(void *data, unsigned long pfn, int type,
					     int result)
{
	struct devtrace_record r;

	if (!fault_begin(&r, DEVTRACE_HW2, DEVTRACE_FAULT_MEMORY, MEMORY_FAILURE))
		return;
	devtrace_put(&r, dt_u64x(pfn));
	devtrace_put(&r, dt_u8(type));
	devtrace_put(&r, dt_i8(result));
	devtrace_end(&r);
}

static void __maybe_unused on_non_standard(void *data, const guid_t *sec_type,
					   const guid_t *fru_id, const char *fru_text,
					   const u8 sev, const u8 *err, const u32 len)
{
	/* Indexed by GHES_SEV_* of acpi/ghes.h: none, corrected, recoverable, panic */
	static const u8 severity[] = { DEVTRACE_HW0, DEVTRACE_HW1, DEVTRACE_HW2, DEVTRACE_HW3 };
	struct devtrace_record r;

	if (!fault_begin(&r, severity[sev & 3], DEVTRACE_FAULT_MEMORY, MEMORY_OTHER))
		return;
	fault_put_text(&r, "%pUl", sec_type);
	/* Firmware may leave out the NUL after the 20 bytes. */
	fault_put_text(&r, "%.20s", fru_text);
	devtrace_end(&r);
}

static void __maybe_unused aer_event(const char *dev, u32 status, u8 kind)
{
	/* Indexed by the severity of linux/aer.h: non-fatal, fatal, corrected */
	static const u8 severity[] = { DEVTRACE_HW2, DEVTRACE_HW3, DEVTRACE_HW1, DEVTRACE_HW1 };
	struct devtrace_record r;

	if (!fault_begin(&r, severity[kind & 3], DEVTRACE_FAULT_AER, kind))
		return;
	devtrace_put(&r, dt_u32x(status));
	fault_put_text(&r, "%.60s", dev);
	devtrace_end(&r);
}

/* Requests of disks. A request without a disk has the device number 0:0. */

static void block_complete(struct request *rq, int error, unsigned int bytes)
{
	struct gendisk *disk;
	struct devtrace_record r;

	/* As the kernel does, skip requests whose submitter expects or handles errors. */
	if (!error || rq->rq_flags & RQF_QUIET || blk_rq_is_passthrough(rq) ||
	    !fault_begin(&r, DEVTRACE_HW2, DEVTRACE_FAULT_BLOCK, 0))
		return;
	disk = compat_request_disk(rq);
	devtrace_put(&r, dt_u16(disk ? disk->major : 0));
	devtrace_put(&r, dt_u32(disk ? disk->first_minor : 0));
	devtrace_put(&r, dt_u64(blk_rq_pos(rq)));
	devtrace_put(&r, dt_u32(bytes));
	devtrace_put(&r, dt_u8((__force u8)req_op(rq)));
	devtrace_put(&r, dt_i32(error));
	fault_put_text(&r, "%s", disk ? disk->disk_name : "");
	devtrace_end(&r);
}

static void on_block_complete(void *data, struct request *rq, blk_status_t error,
			      unsigned int bytes)
{
	/* Without CONFIG_BLOCK there is no blk_status_to_errno(), and no request ever completes. */
	block_complete(rq, IS_ENABLED(CONFIG_BLOCK) ? blk_status_to_errno(error) : 0, bytes);
}

/* Packets dropped by the network */

/* Minors of DEVTRACE_FAULT_NET_DROP */
#define NET_DROP_NUMBER	0	/* the kernel has no word for the reason */
#define NET_DROP_WORD	1

static void net_drop(unsigned int reason, void *where)
{
	struct devtrace_record r;
	const char *word;

	rcu_read_lock();
	word = compat_drop_word(reason);
	if (fault_begin(&r, DEVTRACE_SW1, DEVTRACE_FAULT_NET_DROP,
			word ? NET_DROP_WORD : NET_DROP_NUMBER)) {
		devtrace_put(&r, dt_u32(reason));
		if (word)
			fault_put_text(&r, "%.60s", word);
		fault_put_function(&r, where);
		devtrace_end(&r);
	}
	rcu_read_unlock();
}

/* Thermal zones that reach a trip point */

static void __maybe_unused on_thermal(void *data, struct thermal_zone_device *tz, int trip,
				      enum thermal_trip_type type)
{
	struct devtrace_record r;

	if (!fault_begin(&r, type == THERMAL_TRIP_CRITICAL ? DEVTRACE_HW3 :
			 type == THERMAL_TRIP_HOT ? DEVTRACE_HW2 : DEVTRACE_HW1,
			 DEVTRACE_FAULT_THERMAL, type))
		return;
	devtrace_put(&r, dt_i32(trip));
	fault_put_text(&r, "%s", compat_thermal_type(tz));
	devtrace_end(&r);
}

/*
 * Programs that a signal ends
 *
 * A fatal signal that makes a core dump, or was blocked when it was sent, is delivered to one
 * thread. For other fatal signals the kernel sends SIGKILL to each thread, and keeps the signal in
 * the group's exit code. The other threads of a process that dumps core get SIGKILL, too. Up to
 * Linux 5.15, so do other processes that share its memory. told.c has the processes whose end was
 * already reported.
 */

/* Does the kernel send this signal for an address that a program accessed or executed? */
static bool is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE ||
	       sig == SIGTRAP;
}

/* The address of the fault; 0: another process sent the signal, for example by kill(2). */
static unsigned long address_of(const struct kernel_siginfo *info)
{
	if (info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV || info->si_code <= 0 ||
	    info->si_code >= SI_KERNEL)
		return 0;
	return (unsigned long)info->si_addr;
}

static int code_of(const struct kernel_siginfo *info)
{
	if (info == SEND_SIG_NOINFO)
		return SI_USER;
	return info == SEND_SIG_PRIV ? SI_KERNEL : info->si_code;
}

/* Return the signal that ends the process; 0: no signal does, or another thread reports it. */
static int fatal_signal(int sig, const struct kernel_siginfo *info, const struct k_sigaction *ka)
{
	if (sig == SIGKILL && info == SEND_SIG_NOINFO) {
		/* Without this flag, execve(2) ends only this thread; the process goes on. */
		if (!(current->signal->flags & SIGNAL_GROUP_EXIT))
			return 0;
		/* The exit code has no signal after exit_group(2). */
		return READ_ONCE(current->signal->group_exit_code) & 0x7f;
	}
	if (ka->sa.sa_handler != SIG_DFL || sig_kernel_ignore(sig) || sig_kernel_stop(sig))
		return 0;
	/* Only signals that cannot be caught end init. */
	if (current->signal->flags & SIGNAL_UNKILLABLE && !sig_kernel_only(sig))
		return 0;
	return sig;
}

static void on_signal(void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *ka)
{
	const int fatal = fatal_signal(sig, info, ka);
	struct devtrace_record r;

	/* Skip kernel threads of a process: they have no user registers to report. */
	if (!fatal || current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER) ||
	    !fault_tell_once() ||
	    /* Count against the real user, even for a set-user-ID program. */
	    !fault_allowed(current_uid()) ||
	    !fault_begin(&r, sig_kernel_coredump(fatal) ? DEVTRACE_SW2 : DEVTRACE_SW1,
			 DEVTRACE_FAULT_SIGNAL, fatal))
		return;
	devtrace_put(&r, dt_i32(code_of(info)));
	devtrace_put(&r, dt_u32(current->tgid));
	if (is_fault(fatal))
		fault_put_address(&r, address_of(info));
	fault_put_address(&r, instruction_pointer(task_pt_regs(current)));
	put_comm(&r, current->group_leader->comm);
	devtrace_end(&r);
}

#include "compat/compat_faults_probe.h"

const struct fault_probe fault_probes[] = {
	{ FAULT_HANG, false, "sched_process_hang", probe_hang },
	{ FAULT_STALL, false, "rcu_stall_warning", probe_stall },
	{ FAULT_CONSOLE, false, "console", probe_console },
	{ FAULT_OOM, false, "mark_victim", probe_oom_kill },
	{ FAULT_MCE, false, "mce_record", probe_mce },
	{ FAULT_MEMORY, false, "mc_event", probe_mc_event },
	{ FAULT_MEMORY, false, "memory_failure_event", probe_memory_failure },
	{ FAULT_MEMORY, false, "non_standard_event", probe_non_standard },
	{ FAULT_BLOCK, false, "block_rq_error", probe_block_complete },
	{ FAULT_BLOCK, true, "block_rq_complete", probe_block_complete },
	{ FAULT_AER, false, "aer_event", probe_aer },
	{ FAULT_NET_DROP, false, "kfree_skb", probe_net_drop },
	{ FAULT_THERMAL, false, "thermal_zone_trip", probe_thermal },
	{ FAULT_SIGNAL, false, "signal_deliver", probe_signal },
};

const unsigned int fault_probes_nr = ARRAY_SIZE(fault_probes);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert the arguments of tracepoints to kernel profile events
 *
 * A probe runs in the context of its tracepoint: possibly under locks of the scheduler, of timers
 * or of the console, with interrupts off. It reads its arguments, stores an event and takes no
 * lock. Each event must have the elements of profile_types.h, in the same order.
 */
#include <linux/blkdev.h>
#include <linux/binfmts.h>
#include <linux/compat.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "compat/compat.h"
#include "compat/compat_trace.h"
#include "profile.h"
#include "profile_names.h"
#include "profile_types.h"

/* Maximum length of a string, bytes; longer ones are cut. */
#define TEXT_MAX	240

/*
 * Store an event that ends with a string of len bytes, which must not contain a NUL. The arguments
 * after len are the elements before the string.
 */
#define profile_store(reserve, type, who, key, s, len, ...) do {	\
	const unsigned int __len = (len);				\
	const char *__s = (s);						\
	unsigned char *__p;						\
									\
	__DT_EACH(__DT_LOCAL, ##__VA_ARGS__)				\
	__p = reserve(type, who,					\
		      2 + __len __DT_EACH(__DT_SIZE, ##__VA_ARGS__), key); \
									\
	if (__p) {							\
		__DT_EACH(__DT_STORE, ##__VA_ARGS__)			\
		__p[0] = DEVTRACE_E_STR;				\
		memcpy(__p + 1, __s, __len);				\
		__p[1 + __len] = 0;					\
		__devtrace_commit();					\
	}								\
} while (0)

#define profile_str(type, s, len, ...) do {				\
	if (devtrace_enabled(type))					\
		profile_store(__devtrace_reserve_plain, type, 0, 0, s, len, \
			      ##__VA_ARGS__);				\
} while (0)

/* Store an event with an object (whose number is above 255), a signal and a string. */
#define profile_str_for(type, obj, sig, s, len) do {			\
	const u16 __sig = (sig);					\
									\
	if (devtrace_enabled(type))					\
		profile_store(__devtrace_reserve_for, type, __DEVTRACE_OBJSIG, \
			      (obj) | (u32)__sig << 16, s, len,		\
			      __dt_objsig(obj, __sig));			\
} while (0)

/* Elements for a long, which has 64 or 32 bits. */
#if BITS_PER_LONG == 64
#define dt_long_hex(v)	dt_u64x(v)
#define dt_long(v)	dt_i64(v)
#else
#define dt_long_hex(v)	dt_u32x(v)
#define dt_long(v)	dt_i32(v)
#endif

/* A copy of a thread's name, which may change during the copy. */
struct comm {
	char s[TASK_COMM_LEN];
	unsigned int len;
};

static __always_inline void comm_get(struct comm *c, const char *comm)
{
	/* The copy may mix the old and the new name; the next event has the new one. */
	data_race(memcpy(c->s, comm, TASK_COMM_LEN));
	c->s[TASK_COMM_LEN - 1] = 0;
	c->len = strlen(c->s);
}

/* System calls */

static __always_inline u16 syscall_signal(long nr)
{
#ifdef CONFIG_ARM
	/* Shorten the numbers of calls that only arm has, which have 20 bits. */
	if (unlikely((nr & ~0xfffL) == __ARM_NR_BASE))
		return PROFILE_ARM_CALLS | (nr & 0xfff);
#endif
#ifdef __X32_SYSCALL_BIT
	if (nr >= 0)
		nr &= ~__X32_SYSCALL_BIT;
#endif
	return nr >= 0 && nr < U16_MAX ? nr : U16_MAX;
}

static __always_inline u16 syscall_object(void)
{
#if defined(CONFIG_X86_64) && defined(CONFIG_IA32_EMULATION)
	return unlikely(in_ia32_syscall()) ? DEVTRACE_OBJ_COMPAT : DEVTRACE_OBJ_SYSCALL;
#elif defined(CONFIG_COMPAT) && !defined(CONFIG_X86)
	return unlikely(is_compat_task()) ? DEVTRACE_OBJ_COMPAT : DEVTRACE_OBJ_SYSCALL;
#else
	return DEVTRACE_OBJ_SYSCALL;
#endif
}

static void probe_sys_enter(void *data, struct pt_regs *regs, long nr)
{
	const u16 object = syscall_object(), signal = syscall_signal(nr);
	unsigned long arg[6];

	profile_seen_syscall(object == DEVTRACE_OBJ_COMPAT, signal);
	syscall_get_arguments(current, regs, arg);
	devtrace_rec_for(DEVTRACE_T_SYS_ENTER, object, signal,
			 dt_long_hex(arg[0]), dt_long_hex(arg[1]), dt_long_hex(arg[2]),
			 dt_long_hex(arg[3]), dt_long_hex(arg[4]), dt_long_hex(arg[5]));
}

static void probe_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	const u16 object = syscall_object();
	const u16 signal = syscall_signal(syscall_get_nr(current, regs));

	profile_seen_syscall(object == DEVTRACE_OBJ_COMPAT, signal);
	devtrace_rec_for(DEVTRACE_T_SYS_EXIT, object, signal, dt_long(ret));
}

#ifdef CONFIG_HAVE_SYSCALL_TRACEPOINTS
compat_assert(sys_enter, probe_sys_enter);
compat_assert(sys_exit, probe_sys_exit);
#endif

/* Interrupts */

static void probe_irq_entry(void *data, int irq, struct irqaction *action)
{
	const char *name = action->name ?: "";

	profile_str_for(DEVTRACE_T_IRQ_ENTRY, DEVTRACE_OBJ_IRQ, irq,
			name, strnlen(name, TEXT_MAX));
}

static void probe_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	devtrace_rec_for(DEVTRACE_T_IRQ_EXIT, DEVTRACE_OBJ_IRQ, irq, dt_u8(ret));
}

compat_assert(irq_handler_entry, probe_irq_entry);
compat_assert(irq_handler_exit, probe_irq_exit);

#ifdef CONFIG_X86
/* The vector's name is that of its tracepoint without "_entry" or "_exit". */
static void on_vector_entry(void *data, int vector)
{
	const char *name = ((struct tracepoint *)data)->name;

	profile_str_for(DEVTRACE_T_VECTOR_ENTRY, DEVTRACE_OBJ_VECTOR, vector,
			name, strlen(name) - strlen("_entry"));
}

static void on_vector_exit(void *data, int vector)
{
	const char *name = ((struct tracepoint *)data)->name;

	profile_str_for(DEVTRACE_T_VECTOR_EXIT, DEVTRACE_OBJ_VECTOR, vector,
			name, strlen(name) - strlen("_exit"));
}

#define probe_vector_entry	compat_check(local_timer_entry, on_vector_entry)
#define probe_vector_exit	compat_check(local_timer_exit, on_vector_exit)
#else
static void on_vector_entry(void *data, const char *reason)
{
	profile_str_for(DEVTRACE_T_VECTOR_ENTRY, DEVTRACE_OBJ_VECTOR, 0,
			reason, strnlen(reason, TEXT_MAX));
}

static void on_vector_exit(void *data, const char *reason)
{
	profile_str_for(DEVTRACE_T_VECTOR_EXIT, DEVTRACE_OBJ_VECTOR, 0,
			reason, strnlen(reason, TEXT_MAX));
}

#define probe_vector_entry	compat_check(ipi_entry, on_vector_entry)
#define probe_vector_exit	compat_check(ipi_exit, on_vector_exit)
#endif

static void probe_softirq_raise(void *data, unsigned int nr)
{
	devtrace_rec_for(DEVTRACE_T_SOFTIRQ_RAISE, DEVTRACE_OBJ_SOFTIRQ, nr);
}

static void probe_softirq_entry(void *data, unsigned int nr)
{
	devtrace_rec_for(DEVTRACE_T_SOFTIRQ_ENTRY, DEVTRACE_OBJ_SOFTIRQ, nr);
}

static void probe_softirq_exit(void *data, unsigned int nr)
{
	devtrace_rec_for(DEVTRACE_T_SOFTIRQ_EXIT, DEVTRACE_OBJ_SOFTIRQ, nr);
}

compat_assert(softirq_raise, probe_softirq_raise);
compat_assert(softirq_entry, probe_softirq_entry);
compat_assert(softirq_exit, probe_softirq_exit);

/*
 * The probes below have no compat_assert(): older headers lack their tracepoints, whose arguments
 * never changed.
 */
static void probe_tasklet_entry(void *data, struct tasklet_struct *t, void *func)
{
	profile_seen_fun(func);
	devtrace_rec(DEVTRACE_T_TASKLET_ENTRY, dt_obj(t), dt_fun(func));
}

static void probe_tasklet_exit(void *data, struct tasklet_struct *t, void *func)
{
	devtrace_rec(DEVTRACE_T_TASKLET_EXIT, dt_obj(t), dt_fun(func));
}

/* Timers */

static void probe_timer_init(void *data, struct timer_list *timer)
{
	devtrace_rec(DEVTRACE_T_TIMER_INIT, dt_obj(timer));
}

static void on_timer_start(void *data, struct timer_list *timer, unsigned long expiry)
{
	profile_seen_fun(timer->function);
	devtrace_rec(DEVTRACE_T_TIMER_START, dt_obj(timer), dt_fun(timer->function),
		     dt_i32(timer->expires - jiffies));
}

static void probe_timer_cancel(void *data, struct timer_list *timer)
{
	devtrace_rec(DEVTRACE_T_TIMER_CANCEL, dt_obj(timer));
}

static void probe_timer_entry(void *data, struct timer_list *timer, unsigned long baseclk)
{
	profile_seen_fun(timer->function);
	devtrace_rec(DEVTRACE_T_TIMER_ENTRY, dt_obj(timer), dt_fun(timer->function),
		     dt_i32(jiffies - timer->expires));
}

static void probe_timer_exit(void *data, struct timer_list *timer)
{
	/* Use only the address of the timer, which may be freed already. */
	devtrace_rec(DEVTRACE_T_TIMER_EXIT, dt_obj(timer));
}

compat_assert(timer_init, probe_timer_init);
compat_assert(timer_cancel, probe_timer_cancel);
compat_assert(timer_expire_entry, probe_timer_entry);
compat_assert(timer_expire_exit, probe_timer_exit);

static void probe_hrtimer_init(void *data, struct hrtimer *timer, clockid_t clock,
			       enum hrtimer_mode mode)
{
	devtrace_rec(DEVTRACE_T_HRTIMER_INIT, dt_obj(timer), dt_u8(clock), dt_u8x(mode));
}

static void on_hrtimer_start(void *data, struct hrtimer *timer, enum hrtimer_mode mode,
			     bool was_armed)
{
	profile_seen_fun(timer->function);
	devtrace_rec(DEVTRACE_T_HRTIMER_START, dt_obj(timer), dt_fun(timer->function),
		     dt_i64(ktime_to_ns(hrtimer_get_softexpires(timer))));
}

static void probe_hrtimer_cancel(void *data, struct hrtimer *timer)
{
	devtrace_rec(DEVTRACE_T_HRTIMER_CANCEL, dt_obj(timer));
}

static void on_hrtimer_entry(void *data, struct hrtimer *timer, ktime_t now)
{
	profile_seen_fun(timer->function);
	devtrace_rec(DEVTRACE_T_HRTIMER_ENTRY, dt_obj(timer), dt_fun(timer->function),
		     dt_i64(ktime_to_ns(ktime_sub(now, hrtimer_get_softexpires(timer)))));
}

static void probe_hrtimer_exit(void *data, struct hrtimer *timer)
{
	devtrace_rec(DEVTRACE_T_HRTIMER_EXIT, dt_obj(timer));
}

compat_assert(hrtimer_cancel, probe_hrtimer_cancel);
compat_assert(hrtimer_expire_exit, probe_hrtimer_exit);

/* The scheduler */

/* A task state that only devtrace has; the kernel's indices of states are lower. */
#define STATE_PREEMPTED	9

static void on_sched_switch(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int state)
{
	struct comm c;

	comm_get(&c, next->comm);
	/* wait(2) may change the exit_state from zombie to dead at the same time. */
	profile_str(DEVTRACE_T_SCHED_SWITCH, c.s, c.len,
		    dt_u8(preempt ? STATE_PREEMPTED :
			  compat_task_state_index(state, READ_ONCE(prev->exit_state))),
		    dt_i16(prev->prio), dt_u32(next->pid), dt_i16(next->prio));
}

#define PROBE_WAKE(name, type)						\
static void probe_##name(void *data, struct task_struct *p)		\
{									\
	struct comm c;							\
									\
	comm_get(&c, p->comm);						\
	profile_str(type, c.s, c.len,				\
		    dt_u32(p->pid), dt_i16(p->prio), dt_u16(task_cpu(p))); \
}									\
compat_assert(name, probe_##name)

PROBE_WAKE(sched_waking, DEVTRACE_T_SCHED_WAKING);
PROBE_WAKE(sched_wakeup, DEVTRACE_T_SCHED_WAKEUP);
PROBE_WAKE(sched_wakeup_new, DEVTRACE_T_SCHED_WAKEUP_NEW);

static void probe_sched_migrate(void *data, struct task_struct *p, int cpu)
{
	devtrace_rec(DEVTRACE_T_SCHED_MIGRATE, dt_u32(p->pid), dt_i16(p->prio),
		     dt_u16(task_cpu(p)), dt_u16(cpu));
}

static void probe_sched_fork(void *data, struct task_struct *parent,
			     struct task_struct *child)
{
	struct comm c;

	comm_get(&c, child->comm);
	profile_str(DEVTRACE_T_SCHED_FORK, c.s, c.len,
		    dt_u32(child->pid), dt_u32(child->tgid));
}

static void probe_sched_exec(void *data, struct task_struct *p, pid_t old,
			     struct linux_binprm *bprm)
{
	profile_str(DEVTRACE_T_SCHED_EXEC, bprm->filename,
		    strnlen(bprm->filename, TEXT_MAX), dt_u32(old));
}

static void on_sched_exit(void *data, struct task_struct *p, bool group_dead)
{
	devtrace_rec(DEVTRACE_T_SCHED_EXIT, dt_i32(p->exit_code), dt_i16(p->prio));
}

static void probe_sched_pi(void *data, struct task_struct *p, struct task_struct *pi)
{
	devtrace_rec(DEVTRACE_T_SCHED_PI, dt_u32(p->pid), dt_i16(p->prio),
		     dt_i16(pi ? min(p->normal_prio, pi->prio) : p->normal_prio));
}

static void probe_sched_hang(void *data, struct task_struct *p)
{
	struct comm c;

	comm_get(&c, p->comm);
	profile_str(DEVTRACE_T_SCHED_HANG, c.s, c.len, dt_u32(p->pid));
}

static void probe_task_rename(void *data, struct task_struct *p, const char *comm)
{
	profile_str(DEVTRACE_T_TASK_RENAME, comm, strnlen(comm, TASK_COMM_LEN - 1),
		    dt_u32(p->pid));
}

compat_assert(sched_migrate_task, probe_sched_migrate);
compat_assert(sched_process_fork, probe_sched_fork);
compat_assert(sched_process_exec, probe_sched_exec);
compat_assert(sched_pi_setprio, probe_sched_pi);
#ifdef CONFIG_DETECT_HUNG_TASK
compat_assert(sched_process_hang, probe_sched_hang);
#endif
compat_assert(task_rename, probe_task_rename);

/* Page faults */

#ifdef CONFIG_X86
static void probe_fault_user(void *data, unsigned long address, struct pt_regs *regs,
			     unsigned long error)
{
	/* A program may access a kernel address, which readers must not see. */
	if (likely(address < TASK_SIZE_MAX))
		devtrace_rec(DEVTRACE_T_FAULT_USER, dt_long_hex(address),
			     dt_long_hex(instruction_pointer(regs)), dt_u16x(error));
	else
		devtrace_rec(DEVTRACE_T_FAULT_USER, dt_obj((void *)address),
			     dt_long_hex(instruction_pointer(regs)), dt_u16x(error));
}

static void probe_fault_kernel(void *data, unsigned long address, struct pt_regs *regs,
			       unsigned long error)
{
	void *ip = (void *)instruction_pointer(regs);

	profile_seen_fun(ip);
	if (likely(address < TASK_SIZE_MAX))
		devtrace_rec(DEVTRACE_T_FAULT_KERNEL, dt_long_hex(address), dt_fun(ip),
			     dt_u16x(error));
	else
		devtrace_rec(DEVTRACE_T_FAULT_KERNEL, dt_obj((void *)address), dt_fun(ip),
			     dt_u16x(error));
}

compat_assert(page_fault_user, probe_fault_user);
compat_assert(page_fault_kernel, probe_fault_kernel);
#else
/* These tracepoints are attached only on x86. */
#define probe_fault_user	NULL
#define probe_fault_kernel	NULL
#endif

/* Signals */

static __always_inline int signal_code(const struct kernel_siginfo *info)
{
	if (info == SEND_SIG_NOINFO)
		return SI_USER;
	return info == SEND_SIG_PRIV ? SI_KERNEL : info->si_code;
}

static void probe_signal_generate(void *data, int sig, struct kernel_siginfo *info,
				  struct task_struct *p, int group, int result)
{
	devtrace_rec(DEVTRACE_T_SIGNAL_GENERATE, dt_u8(sig), dt_i32(signal_code(info)),
		     dt_u32(p->pid), dt_u8(!!group), dt_u8(result));
}

static void probe_signal_deliver(void *data, int sig, struct kernel_siginfo *info,
				 struct k_sigaction *ka)
{
	devtrace_rec(DEVTRACE_T_SIGNAL_DELIVER, dt_u8(sig), dt_i32(signal_code(info)),
		     dt_long_hex((unsigned long)ka->sa.sa_handler));
}

compat_assert(signal_generate, probe_signal_generate);
compat_assert(signal_deliver, probe_signal_deliver);

/* Block requests. A request without a disk has the device number 0:0. */

/* The elements that all block events begin with. */
struct dt_block {
	struct dt_elem16 major;
	struct dt_elem32 minor;
	struct dt_elem64 sector;
	struct dt_elem32 bytes;
	struct dt_elem8	op;
} __packed;

static __always_inline struct dt_block dt_block(struct request *rq, unsigned int bytes)
{
	struct gendisk *disk = compat_request_disk(rq);

	return (struct dt_block){
		dt_u16(disk ? disk->major : 0), dt_u32(disk ? disk->first_minor : 0),
		dt_u64(blk_rq_pos(rq)), dt_u32(bytes), dt_u8((__force u8)req_op(rq)),
	};
}

static void on_block_insert(void *data, struct request *rq)
{
	devtrace_rec(DEVTRACE_T_BLOCK_INSERT, dt_block(rq, blk_rq_bytes(rq)));
}

static void on_block_issue(void *data, struct request *rq)
{
	devtrace_rec(DEVTRACE_T_BLOCK_ISSUE, dt_block(rq, blk_rq_bytes(rq)));
}

static __always_inline void block_complete(struct request *rq, int error, unsigned int bytes)
{
	devtrace_rec(DEVTRACE_T_BLOCK_COMPLETE, dt_block(rq, bytes), dt_i32(error));
}

static void on_block_complete(void *data, struct request *rq, blk_status_t error,
			      unsigned int bytes)
{
	/* Without CONFIG_BLOCK there is no blk_status_to_errno(), and no request ever completes. */
	block_complete(rq, IS_ENABLED(CONFIG_BLOCK) ? blk_status_to_errno(error) : 0, bytes);
}

/* Work */

static void on_work_queue(void *data, int cpu, struct pool_workqueue *pwq,
			  struct work_struct *work)
{
	profile_seen_fun(work->func);
	devtrace_rec(DEVTRACE_T_WORK_QUEUE, dt_obj(work), dt_fun(work->func));
}

static void probe_work_start(void *data, struct work_struct *work)
{
	profile_seen_fun(work->func);
	devtrace_rec(DEVTRACE_T_WORK_START, dt_obj(work), dt_fun(work->func));
}

static void probe_work_end(void *data, struct work_struct *work, work_func_t function)
{
	devtrace_rec(DEVTRACE_T_WORK_END, dt_obj(work), dt_fun(function));
}

compat_assert(workqueue_execute_start, probe_work_start);
compat_assert(workqueue_execute_end, probe_work_end);

/* Other types */

static void probe_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	devtrace_rec(DEVTRACE_T_CPU_IDLE, dt_i16(state));
}

static void probe_cpu_freq(void *data, unsigned int frequency, unsigned int cpu)
{
	devtrace_rec(DEVTRACE_T_CPU_FREQ, dt_u32(frequency), dt_u16(cpu));
}

static void on_console(void *data, const char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--;
	profile_str(DEVTRACE_T_CONSOLE, text, strnlen(text, min_t(size_t, len, TEXT_MAX)));
}

#ifdef CONFIG_MODULES
static void probe_module_load(void *data, struct module *module)
{
	profile_str(DEVTRACE_T_MODULE_LOAD, module->name, strlen(module->name));
}

static void probe_module_free(void *data, struct module *module)
{
	profile_str(DEVTRACE_T_MODULE_FREE, module->name, strlen(module->name));
}

compat_assert(module_load, probe_module_load);
compat_assert(module_free, probe_module_free);
#else
/* The table has the probes, but there are no such tracepoints. */
static void probe_module_load(void *data, struct module *module) { }
static void probe_module_free(void *data, struct module *module) { }
#endif

compat_assert(cpu_idle, probe_cpu_idle);
compat_assert(cpu_frequency, probe_cpu_freq);
compat_assert(console, on_console);

static void oom_kill(pid_t tid)
{
	devtrace_rec(DEVTRACE_T_OOM_KILL, dt_u32(tid));
}

static void on_oom_kill(void *data, struct task_struct *p, uid_t uid)
{
	oom_kill(p->pid);
}

const struct profile_probe profile_probes[] = {
#define PROFILE_TYPE(T, n, g, t, o, e) \
	{ DEVTRACE_T_##T, #n, #T, #g, t, probe_##n },
	PROFILE_TYPES
#undef PROFILE_TYPE
};

const unsigned int profile_probes_nr = ARRAY_SIZE(profile_probes);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtskew.c - shift the time-stamp counter of one CPU against the others
 *
 * Parameters, effective when written:
 *
 *	skew		"CPU NS": the counter of this CPU is ahead of the others by NS,
 *			or behind
 *	unstable	the kernel stops using the TSC, as its watchdog would decide
 *
 * QEMU's emulation has no MSR for the counter, but it has SVM, which gives a guest's counter an
 * offset. The CPU becomes a guest in the middle of its kernel, keeps its state, intercepts only
 * VMMCALL, and goes on. To change the offset it leaves the guest and enters it again: VMMCALL
 * continues after VMRUN, which continues the guest after VMMCALL. The CPU stays a guest; an
 * offset of 0 removes the effect.
 *
 * This works only in QEMU's emulation: hypervisors may intercept it, and a CPU may keep host
 * state outside the page for it. Elsewhere the result is -ENODEV.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/debugreg.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/special_insns.h>
#include <asm/svm.h>
#include <asm/tsc.h>

/* Linux 6.16 renamed these. */
#ifdef rdmsrq
#include <asm/cpuid/api.h>
#define rdmsrl			rdmsrq
#define wrmsrl			wrmsrq
#define hypervisor_cpuid_base	cpuid_base_hypervisor
#endif

/* The CPU needs this also after the module is unloaded: it stays a guest. */
struct guest {
	struct vmcb	*vmcb, *host;	/* one page each */
	u8		*stack;		/* stack of the host, which only executes VMRUN again */
	bool		runs;
};

static struct guest guest;
static int guest_cpu = -1;

static bool is_emulated(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR) && boot_cpu_has(X86_FEATURE_SVM) &&
	       hypervisor_cpuid_base("TCGTCGTCGTCG", 0);
}

static void segment(struct vmcb_seg *s, u16 selector, u16 attrib)
{
	s->selector = selector;
	s->attrib = attrib;
	s->limit = ~0U;
	s->base = 0;
}

/* Copy the state of this CPU. Segments are the flat ones of a 64-bit kernel. */
static void copy_state(struct vmcb *v)
{
	struct vmcb_save_area *s = &v->save;
	struct desc_ptr dt;

	asm volatile("sgdt %0" : "=m" (dt));
	s->gdtr.base = dt.address;
	s->gdtr.limit = dt.size;
	store_idt(&dt);
	s->idtr.base = dt.address;
	s->idtr.limit = dt.size;
	segment(&s->cs, __KERNEL_CS, 0xa9b);
	segment(&s->ss, __KERNEL_DS, 0xc93);
	segment(&s->ds, 0, 0xc93);
	segment(&s->es, 0, 0xc93);
	s->cr0 = read_cr0();
	s->cr2 = native_read_cr2();
	s->cr3 = __native_read_cr3();
	s->cr4 = __read_cr4();
	rdmsrl(MSR_EFER, s->efer);
	get_debugreg(s->dr6, 6);
	get_debugreg(s->dr7, 7);
	v->control.intercepts[INTERCEPT_VMRUN / 32] = BIT(INTERCEPT_VMRUN % 32) |
						      BIT(INTERCEPT_VMMCALL % 32);
	v->control.asid = 1;
}

/*
 * The code after label 1: runs as guest, with all registers unchanged. The code between VMRUN
 * and that label is the host's; interrupts are off, and it uses only the flags, RAX and its
 * stack, whose guest values are all in the VMCB.
 */
static noinline void become_guest(struct guest *g)
{
	asm volatile("pushfq\n\t"
		     "popq %c[flags](%[vmcb])\n\t"
		     "leaq 1f(%%rip), %%rax\n\t"
		     "movq %%rax, %c[rip](%[vmcb])\n\t"
		     "movq %%rsp, %c[rsp](%[vmcb])\n\t"
		     "movq %[stack], %%rsp\n\t"
		     "pushq %[vmcb]\n\t"
		     "movq %[pa], %%rax\n"
		     "2:\n\t"
		     "vmrun\n\t"
		     "pushq %%rbx\n\t"
		     "movq 8(%%rsp), %%rbx\n\t"
		     "addq $3, %c[rip](%%rbx)\n\t"
		     "popq %%rbx\n\t"
		     "jmp 2b\n"
		     "1:\n"
		     : : [vmcb] "r" (g->vmcb), [stack] "r" (g->stack + PAGE_SIZE),
			 [pa] "r" (virt_to_phys(g->vmcb)),
			 [flags] "i" (offsetof(struct vmcb, save.rflags)),
			 [rip] "i" (offsetof(struct vmcb, save.rip)),
			 [rsp] "i" (offsetof(struct vmcb, save.rsp))
		     : "rax", "cc", "memory");
}

/* Runs on that CPU with interrupts off. */
static void set_offset(void *cycles)
{
	struct guest *g = &guest;
	u64 efer;

	g->vmcb->control.tsc_offset = *(s64 *)cycles;
	if (g->runs) {
		/* The page tables of the first call may be gone. */
		g->host->save.cr3 = __native_read_cr3();
		g->host->save.cr4 = __read_cr4();
		asm volatile("vmmcall" : : : "memory");
		return;
	}
	g->runs = true;
	rdmsrl(MSR_EFER, efer);
	wrmsrl(MSR_EFER, efer | EFER_SVME);
	wrmsrl(MSR_VM_HSAVE_PA, virt_to_phys(g->host));
	copy_state(g->vmcb);
	become_guest(g);
}

static int set_skew(const char *val, const struct kernel_param *kp)
{
	long long ns;
	s64 cycles;
	int cpu;

	if (sscanf(val, "%d %lld", &cpu, &ns) != 2 || ns > NSEC_PER_SEC * 100 ||
	    ns < -NSEC_PER_SEC * 100)
		return -EINVAL;
	if (!is_emulated())
		return -ENODEV;
	if (guest_cpu >= 0 && cpu != guest_cpu)
		return -EBUSY;
	if (guest_cpu < 0) {
		guest.vmcb = (void *)get_zeroed_page(GFP_KERNEL);
		guest.host = (void *)get_zeroed_page(GFP_KERNEL);
		guest.stack = (void *)get_zeroed_page(GFP_KERNEL);
		if (!guest.vmcb || !guest.host || !guest.stack)
			return -ENOMEM;
		/* This module's code runs between two offsets. */
		__module_get(THIS_MODULE);
		guest_cpu = cpu;
	}
	cycles = div_s64(ns * (s64)tsc_khz, 1000000);
	return smp_call_function_single(cpu, set_offset, &cycles, 1);
}

static int set_unstable(const char *val, const struct kernel_param *kp)
{
	mark_tsc_unstable("a test wants it");
	return 0;
}

static const struct kernel_param_ops skew_ops = { .set = set_skew };
static const struct kernel_param_ops unstable_ops = { .set = set_unstable };

module_param_cb(skew, &skew_ops, NULL, 0200);
module_param_cb(unstable, &unstable_ops, NULL, 0200);

MODULE_DESCRIPTION("Let the counters of two CPUs differ");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * elf_reloc.c - the addresses in the section .debug_devtrace that relocations compute
 *
 * In a relocatable file, such as a kernel module, the linker has not written the addresses of the
 * sites into the records. In a file whose records are loaded, the dynamic loader would.
 *
 * Invariants
 * - An offset of a relocation is compared with the size of the records, and the number of a symbol
 *   with the size of its table, before it is used.
 * - The addresses are sorted by offset. Time is n log n in their number.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "logtext/elf_file.h"

/* Relocation types of each machine: an address that is stored, and the load address added to it */
static const struct machine {
	uint16_t	number;
	bool		wide;
	uint32_t	absolute, relative;
} machines[] = {
	{ EM_386, false, 1, 8 },
	{ EM_X86_64, true, 1, 8 },
	{ EM_X86_64, false, 10, 8 },
	{ EM_ARM, false, 2, 23 },
	{ EM_AARCH64, true, 257, 1027 },
	{ EM_AARCH64, false, 1, 183 },
	{ EM_S390, true, 22, 12 },
	{ EM_S390, false, 4, 12 },
	{ 243 /* RISC-V */, true, 2, 3 },
	{ 243, false, 1, 3 },
	{ EM_PPC, false, 1, 22 },
	{ EM_PPC64, true, 38, 22 },
	{ EM_MIPS, false, 2, 3 },
	{ 258 /* LoongArch */, true, 2, 3 },
	{ 258, false, 1, 3 },
	{ EM_68K, false, 1, 22 },
};

static int by_offset(const void *a, const void *b)
{
	const struct elf_address *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool address_add(struct elf_addresses *a, uint64_t offset, uint64_t value)
{
	if (!(a->nr & (a->nr - 1))) {
		struct elf_address *v = realloc(a->v, (a->nr ? 2 * a->nr : 1) * sizeof(*v));

		if (!v)
			return false;
		a->v = v;
	}
	a->v[a->nr++] = (struct elf_address){ offset, value };
	return true;
}

const struct elf_address *elf_address_find(const struct elf_addresses *a, uint64_t offset)
{
	const struct elf_address key = { .offset = offset };

	return a->nr ? bsearch(&key, a->v, a->nr, sizeof(*a->v), by_offset) : NULL;
}

struct relocations {
	const struct elf_section *s;
	uint8_t		*p, *symbols;
	uint64_t	entry, nr, nr_symbols;
	bool		rela;
};

struct relocation {
	uint64_t	offset, addend;
	uint32_t	type, symbol;
};

static void parse_relocation(const struct elf *f, const struct relocations *r, uint64_t i,
			     struct relocation *x)
{
	const uint8_t *p = r->p + i * r->entry;
	const uint64_t info = elf_number(f, p + f->word, f->word);

	x->offset = elf_number(f, p, f->word);
	x->type = f->wide ? (uint32_t)info : (uint32_t)(info & 0xff);
	x->symbol = (uint32_t)(f->wide ? info >> 32 : info >> 8);
	x->addend = r->rela ? elf_number(f, p + 2 * f->word, f->word) : 0;
}

static const char *open_relocations(struct elf *f, const struct elf_section *s,
				    struct relocations *r)
{
	memset(r, 0, sizeof(*r));
	r->s = s;
	r->rela = s->type == SHT_RELA;
	r->entry = (r->rela ? 3 : 2) * f->word;
	r->nr = s->size / r->entry;
	r->p = elf_part(f, s->offset, s->size);
	return r->p ? NULL : elf_part_error("truncated: relocations are beyond the end of the file");
}

static const char *open_symbols(struct elf *f, struct relocations *r)
{
	const struct elf_section *s = r->s->link < f->nr ? &f->sections[r->s->link] : NULL;

	if (!s || (s->type != SHT_SYMTAB && s->type != SHT_DYNSYM))
		return "the relocations of .debug_devtrace have no symbols";
	r->nr_symbols = s->size / elf_symbol_size(f);
	r->symbols = elf_part(f, s->offset, s->size);
	return r->symbols ? NULL : elf_part_error("truncated: symbols are beyond the end of the file");
}

static const struct machine *machine_of(const struct elf *f)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == f->machine && machines[i].wide == f->wide)
			return &machines[i];
	return NULL;
}

/* Compute the addresses in a relocatable file, in which the linker has not computed them. */
static const char *relocate(const struct log_elf *e, struct elf *f,
			    const struct elf_tables *t, const struct elf_section *s,
			    const uint8_t *data, uint64_t size, struct elf_addresses *a)
{
	const struct machine *m = machine_of(f);
	struct relocations r;
	const char *problem = m ? open_relocations(f, s, &r) :
			      "relocations of this machine are not supported: link the file first";
	uint64_t i;

	if (!m)
		return problem;
	if (!problem)
		problem = open_symbols(f, &r);
	for (i = 0; !problem && i < r.nr; i++) {
		struct relocation x;
		struct elf_symbol sym;
		char text[100];

		parse_relocation(f, &r, i, &x);
		if (x.symbol >= r.nr_symbols || x.offset > size || size - x.offset < f->word) {
			elf_tell(e, "a relocation of .debug_devtrace is not valid");
			continue;
		}
		if (x.type != m->absolute) {
			snprintf(text, sizeof(text),
				 "a relocation of .debug_devtrace has the type %u, not %u", x.type,
				 m->absolute);
			elf_tell(e, text);
			continue;
		}
		elf_symbol(f, r.symbols + x.symbol * elf_symbol_size(f), &sym);
		if (sym.section != t->sites_nr)
			continue;
		if (!r.rela)
			x.addend = elf_number(f, data + x.offset, f->word);
		if (!address_add(a, x.offset, sym.value + x.addend))
			problem = strerror(ENOMEM);
	}
	free(r.p);
	free(r.symbols);
	return problem;
}

/* Find the addresses that the dynamic loader would compute, if the records are loaded. */
static const char *relocate_loaded(struct elf *f, const struct elf_tables *t,
				   const struct elf_section *s, struct elf_addresses *a)
{
	const struct machine *m = machine_of(f);
	const struct elf_section *to = t->records;
	const char *problem = NULL;
	struct relocations r;
	uint64_t i;

	if (!m)
		return NULL;
	problem = open_relocations(f, s, &r);
	for (i = 0; !problem && i < r.nr; i++) {
		struct relocation x;

		parse_relocation(f, &r, i, &x);
		if (x.type == m->relative && x.offset >= to->addr &&
		    x.offset - to->addr < to->size &&
		    !address_add(a, x.offset - to->addr, x.addend))
			problem = strerror(ENOMEM);
	}
	free(r.p);
	return problem;
}

const char *elf_addresses(const struct log_elf *e, struct elf *f,
			  const struct elf_tables *t, const uint8_t *data, uint64_t size,
			  struct elf_addresses *a)
{
	const char *problem = NULL;
	uint32_t i;

	for (i = 1; i < f->nr && !problem; i++) {
		const struct elf_section *s = &f->sections[i];

		if (s->type != SHT_REL && s->type != SHT_RELA)
			continue;
		if (f->type == ET_REL) {
			if (s->info == t->records_nr)
				problem = relocate(e, f, t, s, data, size, a);
		} else if (s->type == SHT_RELA && (t->records->flags & SHF_ALLOC) &&
			   elf_is_named(f, s, ".rela.dyn")) {
			problem = relocate_loaded(f, t, s, a);
		}
	}
	if (a->nr)
		qsort(a->v, a->nr, sizeof(*a->v), by_offset);
	return problem;
}

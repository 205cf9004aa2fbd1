// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tc_symbols.c - the kernel's words for values of a tracepoint's fields, as enums of fmt(5)
 *
 * The descriptions have the form that tracefs prints.
 */
#include "kselftest_harness.h"
#include "tracectl/tracectl.h"

#define ELEMENTS	"any skbaddr, fun location, u16 protocol, u32 reason"

static const struct {
	const char *format, *elements, *enums, *args;
} cases[] = {
	/* kfree_skb of Linux 6.1, shortened */
	{ "\tfield:enum skb_drop_reason reason;\toffset:28;\tsize:4;\tsigned:0;\n\n"
	  "print fmt: \"skbaddr=%p protocol=%u location=%p reason: %s\", REC->skbaddr, "
	  "REC->protocol, REC->location, __print_symbolic(REC->reason, "
	  "{ 1, \"NOT_SPECIFIED\" }, { 2, \"NO_SOCKET\" })\n",
	  ELEMENTS,
	  "enum reason_176 {\n\t\"NOT_SPECIFIED\" = 1,\n\t\"NO_SOCKET\" = 2,\n}\n",
	  "any skbaddr, fun location, u16 protocol, enum reason_176 reason" },
	{ "", ELEMENTS, "", ELEMENTS },
	{ "", "", "", "" },
	/* Other forms of the numbers; two fields; a value with two words */
	{ "__print_symbolic(REC->a, {0x10, \"A\"}, {-2UL, \"B C\"}), "
	  "__print_symbolic(REC->b, { 3, \"D\" }, { 3, \"E\" })",
	  "i8 a, u64 b, u8 c",
	  "enum a_176 {\n\t\"A\" = 16,\n\t\"B C\" = -2,\n}\n"
	  "enum b_176 {\n\t\"D\" = 3,\n}\n",
	  "enum a_176 a, enum b_176 b, u8 c" },
	/* The name begins like that of another field; the field is a string */
	{ "__print_symbolic(REC->ab, { 1, \"A\" }), __print_symbolic(REC->s, { 1, \"S\" })",
	  "u8 a, str s", "", "u8 a, str s" },
	{ "__print_symbolic(REC->ab, { 1, \"A\" }), __print_symbolic(REC->a, { 2, \"B\" })",
	  "u8 a", "enum a_176 {\n\t\"B\" = 2,\n}\n", "enum a_176 a" },
	/* Not the value of a field alone, or not numbers and words: these fields remain numbers */
	{ "__print_symbolic(REC->a & 3, { 1, \"A\" })", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { ONE, \"A\" })", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { 1, \"A\" }, { TWO, \"B\" })", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { 99999999999999999999, \"A\" })", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { 1, \"A\\\"\" })", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { 1, \"A\" }", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { 1, \"A", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a, { 1", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->a,", "u8 a", "", "u8 a" },
	{ "__print_symbolic(REC->", "u8 a", "", "u8 a" },
};

TEST(words_of_fields)
{
	size_t i;

	for (i = 0; i < NR(cases); i++) {
		struct out enums, args;

		out_init(&enums, -1);
		out_init(&args, -1);
		tc_symbols(&enums, &args, cases[i].format, 176, cases[i].elements);
		out_char(&enums, '\0');
		out_char(&args, '\0');
		EXPECT_STREQ(cases[i].enums, enums.buf) TH_LOG("case %zu", i);
		EXPECT_STREQ(cases[i].args, args.buf) TH_LOG("case %zu", i);
		out_free(&enums);
		out_free(&args);
	}
}

TEST_HARNESS_MAIN

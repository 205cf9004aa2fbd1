// SPDX-License-Identifier: GPL-2.0-only
/*
 * part_cxx.hh - the inline functions of part.h that only C++ has
 */
#ifndef PART_CXX_HH
#define PART_CXX_HH

#include <string>

inline void cxx_inline(int n)
{
	SAY("an inline function: %d", n);
}

struct CxxClass {
	CxxClass() { SAY("a constructor"); }
	void method(long n) const { SAY("a method: %ld", n); }
	static void fixed() { SAY("a static method"); }
};

template <typename T> T cxx_template(T n)
{
	SAY("a template: %d", (int)n);
	return n;
}

template <int N> struct CxxTemplate {
	void method() const
	{
		SAY("a method of a template: %d", N);
		/* gcc before 14 puts the site elsewhere and there is no text. */
		auto lambda = [](int n) { SAY("lambda in a template: %d", n); };

		lambda(N);
	}
};

namespace {
inline void nameless()
{
	SAY("a function of a nameless namespace");
}
}

static inline void cxx_part()
{
	std::string s = "std::string";
	CxxClass c;

	cxx_inline(1);
	c.method(2);
	CxxClass::fixed();
	cxx_template(3);
	cxx_template('4');
	CxxTemplate<5>().method();
	nameless();
	auto lambda = [](const char *p) { SAY("a lambda: %s", p); };

	lambda(s.c_str());
}

#endif

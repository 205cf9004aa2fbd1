// SPDX-License-Identifier: GPL-2.0-only
/*
 * use.cc - what C++ adds to use.c: strings, enumerations, references
 *
 * Run without a device it prints nothing and returns 0.
 */
#include <cstdint>
#include <string>
#include <devtrace.h>
#include <devtrace-decode.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>

enum class Colour : std::uint8_t { red, green };
enum Plain { one = 1 };

namespace {

void function()
{
}

template <typename T> void any(const T &value)
{
	devtrace(100, value);
}

struct Pump {
	int rpm = 3;
	void run() const
	{
		devtrace_for(101, 1, 2, rpm, *this_name());
		DEVTRACE_RECORD(r, 32);
		if (devtrace_begin(&r, 100, 1, 2)) {
			devtrace_i32(&r, rpm);
			devtrace_end(&r);
		}
	}
	static const std::string *this_name()
	{
		static const std::string name = "pump";
		return &name;
	}
};

} // namespace

int main()
{
	std::string s = "string";
	char array[] = "array";
	const int &ref = 3;

	devtrace(100, s, std::string("temporary"), array, Colour::green, one, ref, nullptr,
		 static_cast<void *>(&s));
	devtrace(100, function, &s, 1L, 1UL, 1.0L, true, 'c', L'w');
	any(1);
	any(1.5);
	any(s);
	any(Colour::red);
	any("literal");
	Pump().run();
	devtrace_text("%s", s.c_str());
	[&] { devtrace(100, s); QS_BEGIN_ID(100, 0) QS_STR(s.c_str()); QS_END() }();
	Trace3(__M(1) + 1, _TRACE_HW_SEVERITY1, one, true, nullptr);
	return 0;
}

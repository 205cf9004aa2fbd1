#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_fmtimport.sh - descriptions of other makers' events become format files
#
# QNX's XML, Zephyr's dictionary and the symbols of defmt; what cannot be said is named by its place,
# and events are printed with the rest. The files are made here by the makers' documentation.
# shellcheck disable=SC2028,SC1003 # escapes of gen_stream; backslashes
here=$(cd "$(dirname "$0")" && pwd)
. "$here/work.sh"
PATH=$out/san/tools:$PATH
why="said got want"

# imports NAME STATUS [OPTION...] FILE: the output is out.fmt and is right, the messages are those in want
imports()
{
	name=$1 status=$2
	shift 2
	fmtimport -o out.fmt "$@" 2>got
	is $? "$status" "$name: status"
	cmp -s got want
	ok $? "$name: what is left out is named"
	traceinfo --no-default-fmt --check-fmt out.fmt >said 2>&1 && grep -q ' 0 errors, 0 warn' said
	ok $? "$name: --check-fmt accepts the result"
}

# prints NAME: events of the stream in "events" by out.fmt are the lines of want
prints()
{
	gen_stream <events >events.trace
	traceinfo --no-default-fmt -e out.fmt -H '' events.trace >got 2>said
	cmp -s got want
	ok $? "$1"
}

# QNX
cat >user.xml <<'END'
<?xml version="1.0" encoding="UTF-8" ?>
<!-- user events of the pump: 1 > 0 -->
<eventdefinitions>
<eventformatting>
	<datakey format="%4u1x state %d seq_id">
		<event class="6" id="22" />
		<event class="6" id="23"></event>
		<enum name="state" value="0x0" string="idle &amp; dry"/>
		<enum name="state" value='0x10' string="&lt;running&gt; &#228;"/>
	</datakey>
	<datakey format="%1u2x reg %2s1d temp-1 %8u1u count %s who %f load %c mode %4f1f x"><event class="6" id="0x18"/></datakey>
	<datakey format=""><event class="6" id="25"/></datakey>
	<datakey format="%4u1x enum"><event class="6" id="26"/><event class="3" id="1"/>
		<enum name="other" value="1" string="no such value"/></datakey>
	<datakey format="%4u1x flags"><event class="6" id="64"/></datakey>
	<datakey format="%d"><event class="6" id="27"/></datakey>
	<datakey format="%q a"><event class="6" id="28"/></datakey>
	<datakey><event class="6" id="29"/></datakey>
	<datakey format="%d a %d a"><event class="6" id="30"/></datakey>
</eventformatting>
</eventdefinitions>
END
cat >want <<'END'
user.xml:13: event class="3" id="1": left out: only user events, of class 6, have a record type
user.xml:14: no such value: left out: the format has no number of this name
user.xml:15: event class="6" id="64": left out: the id plus that of --record exceeds 255, the last record type
user.xml:16: datakey: left out: a value of the format has no name
user.xml:17: datakey: left out: a value of the format is not %BYTES SIGN COUNT LETTER
user.xml:18: datakey: left out: the datakey has no format
user.xml:19: datakey: left out: two values of the format have one name
END
sed 's/ %4f1f x//' user.xml >good.xml
sed -i 's/user.xml/good.xml/' want
imports "QNX" 1 good.xml
cat >events <<'END'
info 0
clock 1000 1700000000000000000
event 2000 ctx=user type=214 u32:0 i32:5
event 3000 ctx=user type=214 u32:16 i32:6
event 4000 ctx=user type=215 u32:3 i32:-7
event 5000 ctx=user type=216 u8:171 u8:2 i16:-3 u64:9000000000 str:me f32:0.5 u8:65
event 6000 ctx=user type=217
event 7000 ctx=user type=218 u32:255
END
cat >want <<'END'
state idle & dry, seq_id 5
state <running> ä, seq_id 6
state 3, seq_id -7
reg_0 0xab, reg_1 0x2, temp_1 -3, count 9000000000, who me, load 0.500000, mode A

enum_ 0xff
END
prints "QNX: events are printed"
fmtimport --record 100 good.xml 2>/dev/null | grep -c '^record 122 QNX_22 ' >got
is "$(cat got)" 1 "QNX: --record"
printf '<eventformatting><datakey format="%%d a"><event class="6" id="1"/></datakey>' >open.xml
: >want
imports "QNX: end tags are missing" 0 open.xml
printf '<eventformatting><datakey format="%%d a"><event class="6" id="1"/><event class="6" id="1"/></datakey>' >twice.xml
fmtimport -o out.fmt twice.xml 2>got
is "$? $(grep -c '^out.fmt:5:.*193' got)" "1 1" "QNX: two descriptions of one event are named"
for wrong in '<!DOCTYPE a [<!ENTITY b "c">]><eventformatting/>' '<a' '<a b' '<a b=c>' '<a b="c>' '<a b="&none;">' \
	'<a b="<">' '<>' '<!-- ' '<? ' '<eventformating/>' '<a b="&#0;">' '<a b="&#xd800;">' 'text' '[]'; do
	printf '%s' "$wrong" >wrong.xml
	fmtimport wrong.xml >/dev/null 2>got
	is "$? $(grep -c '^fmtimport: wrong.xml:' got)" "1 1" "no XML of QNX: $wrong"
done

# Zephyr
cat >log_dictionary.json <<'END'
{
  "version": 3,
  "target": {"arch": "arm", "bits": 32, "little_endianness": true},
  "log_subsys": {"log_instances": {"0": {"source_id": 0, "name": "ma}in", "level": 3, "addr": 1}, "1": [1.5e3, null, {"a": ["]"]}]}},
  "build_id": "1f3a77aa",
  "sections": {},
  "string_mappings": {
    "134217800": "pump %d runs dry at %s\n",
    "134217728": "\u00e4 \"quoted\" \\ \ud83d\ude00 %u%%",
    "150995100": "%u too far",
    "134217900": "writes %n",
    "134218000": 7,
    "x": "no address"
  }
}
END
cat >want <<'END'
log_dictionary.json:12: 134218000: left out: a string and its address expected
log_dictionary.json:13: x: left out: a string and its address expected
log_dictionary.json: writes %n: left out: %n writes to memory, which printing an event later cannot do
log_dictionary.json: %u too far: left out: its number exceeds 24 bits
END
imports "Zephyr" 1 log_dictionary.json
cat >events <<'END'
info 0
clock 1000 1700000000000000000
proc 70 70 forward
dict image 70 0 0 0 1f3a77aa
event 2000 tid=70 ctx=user type=127 u32:72 i32:3 "str:the gate"
event 3000 tid=70 ctx=user type=127 u32:0 u32:50
END
cat >want <<'END'
pump 3 runs dry at the gate
ä "quoted" \ 😀 50%
END
prints "Zephyr: events are printed"
sed 's/1f3a77aa/v3.7.0-12-g1f3a/' log_dictionary.json >named.json
is "$(fmtimport named.json 2>&1 >/dev/null | tail -n 1)" \
	"fmtimport: named.json: its build-id is not hexadecimal: give that of the ELF file with --build-id" \
	"Zephyr: a build-id that is none"
is "$(fmtimport -b 0011aabb named.json 2>/dev/null | grep -c '^image "0011aabb" "named.json" {')" 1 "Zephyr: --build-id"
for wrong in '{' '{}' '{"a"}' '{"a":' '{"a":"' '{"a":"\x"}' '{"string_mappings":[]}' '{"a":]}' '{"a":"\ud800"}' \
	'{"a":[[[[' '{"string_mappings":{"1"}}' '{,' '{"a":1,"string_mappings":{"1":"'; do
	printf '%s' "$wrong" >wrong.json
	fmtimport -b 0011 wrong.json >/dev/null 2>got
	is "$? $(grep -c '^fmtimport: wrong.json:' got)" "1 1" "no dictionary: $wrong"
done

# defmt: symbols as its macros make them
symbol() # TAG DATA
{
	printf '.globl "{\\"package\\":\\"app\\",\\"tag\\":\\"%s\\",\\"data\\":\\"%s\\",\\"disambiguator\\":\\"%s\\",\\"crate_name\\":\\"app\\"}"\n' \
		"$1" "$2" "$n"
	printf '"{\\"package\\":\\"app\\",\\"tag\\":\\"%s\\",\\"data\\":\\"%s\\",\\"disambiguator\\":\\"%s\\",\\"crate_name\\":\\"app\\"}":\n.byte 0\n' \
		"$1" "$2" "$n"
	n=$((n + 1))
}
n=1
{
	echo '.section .defmt,"",%progbits'
	symbol defmt_info 'pump {=u8} runs dry at {=str}: 100%, {{{=i64}}}'
	symbol defmt_error '{=u32:#010x} {=u16:x} {=bool} {=f32}'
	symbol defmt_println 'runtime {}'
	symbol defmt_warn '{0=u8} {1=u8}'
	symbol defmt_debug '{=[u8]}'
	symbol defmt_trace '{=u8:b}'
	symbol defmt_derived 'Struct {{ a: {=u8} }}'
	symbol defmt_info 'no end {=u8'
	symbol defmt_error plain
	echo '"_defmt_version_ = 4":'
	echo '.text' '.globl _start' '_start: .byte 0' | tr ' ' '\n' | sed 's/^\.globl$/.globl _start/; /^_start$/d; s/^_start:$/_start:/; s/^\.byte$/.byte 0/; /^0$/d'
} >defmt.s
if gcc -nostdlib -static -Wl,--build-id=0x0badcafe -o defmt.elf defmt.s 2>said; then
	cat >want <<'END'
defmt.elf: no end {=u8: left out: a value does not end
defmt.elf: runtime {}: left out: the type of a value {} is known only at run time
defmt.elf: {0=u8} {1=u8}: left out: a value has a number: arguments in another order cannot be said
defmt.elf: {=[u8]}: left out: the type of a value has no equivalent
defmt.elf: {=u8:b}: left out: the display hint of a value has no equivalent
END
	fmtimport -o out.fmt defmt.elf 2>unsorted
	is $? 1 "defmt: status"
	sort unsorted >got
	cmp -s got want
	ok $? "defmt: what is left out is named"
	traceinfo --no-default-fmt --check-fmt out.fmt >said 2>&1
	ok $? "defmt: --check-fmt accepts the result"
	cat >events <<'END'
info 0
clock 1000 1700000000000000000
proc 70 70 forward
dict image 70 0 0 0 0badcafe
event 2000 tid=70 ctx=user type=127 u32:0 u8:3 str:gate i64:-5
event 3000 tid=70 ctx=user type=127 u32:1 u32:255 u16:16 u8:1 f32:0.5
event 4000 tid=70 ctx=user type=127 u32:8
END
	cat >want <<'END'
pump 3 runs dry at gate: 100%, {-5}
0x000000ff 10 1 0.5
plain
END
	prints "defmt: events are printed"
	is "$(sed -n 's/^	site 8 \([a-z]*\) "app:0".*/\1/p' out.fmt)" err "defmt: the level and the package"
else
	skip defmt "the assembler takes no such symbols"
fi
: >empty
is "$(fmtimport empty /nonexistent . /bin/true 2>&1 >/dev/null)" "fmtimport: empty: neither XML, JSON nor ELF
fmtimport: /nonexistent: No such file or directory
fmtimport: .: not a regular file
fmtimport: /bin/true: the file has no section .defmt" "files that are none of these"
printf 'earlier' >earlier
fmtimport -o earlier empty /nonexistent 2>/dev/null
is "$? $(cat earlier)" "1 earlier" "without a file that can be read, the output file stays"
fmtimport 2>/dev/null
is $? 2 "no argument"
fmtimport --record 256 good.xml 2>/dev/null
is $? 2 "--record 256"
fmtimport --build-id xyz good.xml 2>/dev/null
is $? 2 "--build-id xyz"
done_testing

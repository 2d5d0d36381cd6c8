//! Scripts and what the reference answers to them.

mod as_listed;
mod constants;
mod formats;
mod joined;
mod later_members;
mod long_texts;
mod places;
mod refused;
mod seldom_named;
mod told_as_java;
mod units;
mod values_of_java;

use super::*;
use crate::json::Value as Json;

/// The text of a script's result, or the type and reason of its error.
fn run(source: &str) -> String {
    let program = match compile_painless(source, &context::PAINLESS_TEST) {
        Ok(program) => program,
        Err(error) => return shown(&error),
    };
    let params = crate::json::parse(br#"{"a": 1, "s": "text", "l": [1, 2, 3]}"#).unwrap();
    let mut vm = Vm::new(program, &params, Limits::default()).unwrap();
    let variables = [vm.params()];
    match vm.execute(&variables) {
        Ok(value) => {
            let mut out = String::new();
            lib::write_text(&mut vm, &value, &mut out).unwrap();
            out
        }
        Err(failed) => shown(&vm.to_error(&failed)),
    }
}

fn shown(error: &crate::Error) -> String {
    let position = error.field("position").and_then(|p| p.get("offset")).and_then(Json::as_i64);
    let cause = error.cause().expect("script errors have a cause");
    let at = position.map_or(String::new(), |at| format!("@{at} "));
    format!("{at}{}: {}", cause.kind().type_name(), cause.reason())
}

#[test]
fn answers_of_the_reference() {
    for (source, expected) in [
        ("1+1", "2"),
        ("int x = 1; x", "1"),
        ("(true ? 'a' : 'b')", "a"),
        ("false.toString() + 5.5.toString()", "false5.5"),
        ("[1,2.5,'x',true,null,['a':1]]", "[1, 2.5, x, true, null, {a=1}]"),
        ("String s = 'a' + 1 + null + 2.5f + 'b'; s", "a1null2.5b"),
        ("def l=[3,1,2]; l.sort((a,b)->a-b); l", "[1, 2, 3]"),
        ("[1,2,3].stream().map(x->x*2).collect(Collectors.toList())", "[2, 4, 6]"),
        ("def l=[1,2,3]; l.stream().mapToInt(x->x).sum()", "6"),
        ("List l=[1,2,3]; l.stream().map(Integer::toString).collect(Collectors.joining(','))", "1,2,3"),
        ("Map m = new HashMap(); m.a = 1; m['b'] = 2; m", "{a=1, b=2}"),
        ("HashMap m = ['zeta':1,'alpha':2,'beta':3,'gamma':4]; m", "{zeta=1, alpha=2, beta=3, gamma=4}"),
        ("def s = new HashSet(); s.add('zeta'); s.add('b'); s.add(5); s", "[zeta, b, 5]"),
        ("try { throw new RuntimeException('x') } catch (Exception e) { return e.getMessage() }", "x"),
        (
            "int z=0; try { return 1/z } catch (ArithmeticException e) { return e.toString() }",
            "java.lang.ArithmeticException: / by zero",
        ),
        ("int f(int a) { a } f(1)", "1"),
        ("int x = 5; x++ + ++x", "12"),
        ("2147483647 + 1", "-2147483648"),
        ("1 << 33", "2"),
        ("-7 / 2", "-3"),
        ("1 / 3.0f", "0.33333334"),
        ("def a=1; def b=1L; a == b", "true"),
        ("def x = null; x?.length()", "null"),
        ("def x = null; x ?: 5", "5"),
        ("def x = [1,2,3]; x[-1]", "3"),
        ("def x = ['a':1]; x.a++; x", "{a=2}"),
        ("def m = /a(b+)c/.matcher('xabbbcx'); m.find(); m.group(1)", "bbb"),
        ("'abc'.replaceAll(/b/, m -> m.group().toUpperCase())", "aBc"),
        ("int total = 0; for (int i = 0; i < 10; ++i) { if (i == 3) continue; total += i } return total", "42"),
        ("ZonedDateTime.parse('2020-01-02T03:04:05Z').plusDays(1)", "2020-01-03T03:04:05Z"),
        ("ChronoUnit.DAYS.between(LocalDate.of(2020,1,2), LocalDate.of(2020,2,2))", "31"),
        (
            "boolean compare(Supplier s, def v) {return s.get() == v;} compare(() -> { return params.s }, 'text')",
            "true",
        ),
        ("int x = 3; def f = [1,2].stream().map(y -> y + x).collect(Collectors.toList()); f", "[4, 5]"),
        ("def x = 5 > 3 ? 'a' : 'b'; x", "a"),
        ("int fib(int n) { return n < 2 ? n : fib(n-1) + fib(n-2) } fib(15)", "610"),
        ("long s = 0; for (def x : params.l) { s += x } s", "6"),
        ("StringBuilder b = new StringBuilder(); b.append('a').append(1).append(2.5); b.toString()", "a12.5"),
        ("String.format('%05d|%-4s|%.2f', new def[] {42, 'ab', 1.005})", "00042|ab  |1.01"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn casts_and_operators_between_types() {
    for (source, expected) in [
        ("def x = true ? null : 1; return x", "null"),
        ("def x = false ? null : 1.5; return x", "1.5"),
        ("int y = 3; return true ? 1L : (false ? null : y)", "1"),
        ("char c = (char)'c'; boolean b = true; def x = b ? c : 1L; return x", "c"),
        ("boolean b = true; def x = b ? 1 : 'x'; return x", "1"),
        ("boolean b = true; def l = []; l.add(b ? 1 : 'x'); return l", "[1]"),
        ("Integer f(Byte b) { return b } f(Byte.valueOf((byte)3))", "3"),
        ("(String)(char)'c'", "c"),
        ("def x = null; return x ?: 5", "5"),
        (
            "boolean b = true; (b ? 1 : null).hashCode()",
            "@23 class_cast_exception: Cannot cast from [int] to [java.lang.Object].",
        ),
        (
            "byte a = (byte)1; short b = (short)2; (true ? a : b).hashCode()",
            "@39 class_cast_exception: cannot apply the conditional operator [?:] to the types [byte] and [short]",
        ),
        ("int i = 1; (Integer)i", "@20 class_cast_exception: Cannot cast from [int] to [java.lang.Integer]."),
        ("Integer i = null; int j = i ?: 1", "@26 illegal_argument_exception: Elvis operator cannot return primitives"),
        (
            "Integer i = null; Object j = i ?: 1",
            "@34 class_cast_exception: Cannot cast from [int] to [java.lang.Object].",
        ),
        ("1 < [1]", "@4 class_cast_exception: Cannot cast from [java.util.ArrayList] to [int]."),
        ("List l = []; l -= 1.5", "@13 class_cast_exception: Cannot cast from [java.util.List] to [double]."),
        (
            "List l = []; l -= [1]",
            "@13 class_cast_exception: invalid compound assignment: cannot apply [-=] to types [interface java.util.List] and [class java.util.ArrayList]",
        ),
        ("def a = 1; a | 'x'", "@11 class_cast_exception: Cannot convert [java.lang.String] to an integral value."),
        ("def a = true; a + 1", "@14 class_cast_exception: Cannot cast java.lang.Boolean to java.lang.Integer"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn slashes_and_steps() {
    for (source, expected) in [
        ("int x = 4; return x++ / 2", "@22 illegal_argument_exception: unexpected character [/ 2]."),
        ("--2.5", "@2 illegal_argument_exception: invalid assignment: cannot assign a value to decimal constant [2.5]"),
        ("def l = [1]; l.zz", "@14 illegal_argument_exception: Illegal list shortcut value [zz]."),
        // What is made of constants leaves no place behind.
        ("Double.parseDouble('x' + 1)", "@6 number_format_exception: For input string: \"x1\""),
        ("throw new RuntimeException(Objects.toString((byte)5, 'none'))", "@50 runtime_exception: 5"),
        ("--7", "@2 illegal_argument_exception: invalid assignment: cannot assign a value to numeric constant [7]"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn members_of_classes() {
    for (source, expected) in [
        ("IntStream.range(0, 4).mapToDouble(x -> x / 2.0).sum()", "3.0"),
        ("IntStream.of(new int[] {1, 2}).asLongStream().sum()", "3"),
        (
            "IntStream.concat(IntStream.range(0, 2), IntStream.range(5, 6)).boxed().collect(Collectors.toList())",
            "[0, 1, 5]",
        ),
        ("LongStream.of(new long[] {1L, 2L}).mapToInt(x -> (int)x).sum()", "3"),
        ("IntStream.range(1, 4).reduce((a, b) -> a * b).getAsInt()", "6"),
        ("[1, 2, 3].stream().collect(Collectors.summarizingInt(x -> x)).getMax()", "3"),
        ("[1, 2, 3].stream().collect(Collectors.reducing(0, x -> x * 2, (a, b) -> a + b))", "12"),
        ("[[1, 2], [3]].stream().flatMapToInt(l -> l.stream().mapToInt(x -> x)).sum()", "6"),
        ("[3, 1, 2].stream().reduce(BinaryOperator.minBy(Comparator.naturalOrder())).get()", "1"),
        ("StringJoiner j = new StringJoiner(',', '[', ']'); j.setEmptyValue('none'); j.toString()", "none"),
        (
            "StringJoiner j = new StringJoiner(','); j.add('a'); StringJoiner k = new StringJoiner('-', '<', '>'); k.add('b'); k.add('c'); j.merge(k).toString()",
            "a,b-c",
        ),
        ("new StringBuilder('abcabc').indexOf('b', 2)", "4"),
        ("Objects.deepEquals(new int[] {1}, new int[] {1})", "true"),
        (
            "int[] a = new int[] {1, 2, 3}; System.arraycopy(a, 0, a, 1, 2); return Arrays.asList(new def[] {a[0], a[1], a[2]})",
            "[1, 1, 2]",
        ),
        ("DayOfWeek.values().length", "7"),
        ("ChronoUnit.valueOf('DAYS')", "Days"),
        ("ChronoUnit.valueOf('X')", "@10 illegal_argument_exception: No enum constant java.time.temporal.ChronoUnit.X"),
        ("ZoneOffset.ofHoursMinutesSeconds(1, 2, 3)", "+01:02:03"),
        ("List l = [1, 2, 3]; Collections.copy(l, [7, 8]); return l", "[7, 8, 3]"),
        ("String.copyValueOf(new char[] {(char)97, (char)98}, 1, 1)", "b"),
        (
            "IntSummaryStatistics s = new IntSummaryStatistics(); s.combine(IntStream.range(0, 3).summaryStatistics()); return s.getCount() + ',' + s.getMax()",
            "3,2",
        ),
        ("Predicate p = Predicate.isEqual(3); return [1, 3].stream().filter(p).count()", "1"),
        (
            "IntUnaryOperator f = x -> x + 1; return IntStream.range(0, 2).map(f.andThen(x -> x * 10)).sum()",
            "@23 illegal_argument_exception: unexpected token ['->'] was expecting one of [{<EOF>, ';'}].",
        ),
        ("UUID.randomUUID().version() + ',' + UUID.randomUUID().variant()", "4,2"),
        (
            "System.arraycopy(new int[1], 0, new int[1], 0, 2)",
            "@32 array_index_out_of_bounds_exception: arraycopy: last source index 2 out of bounds for int[1]",
        ),
        ("Collections.copy([1], [1, 2])", "@22 index_out_of_bounds_exception: Source does not fit in dest"),
        ("new char[]{(char)65}.length", "1"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn errors_of_the_reference() {
    for (source, expected) in [
        ("foo", "@0 illegal_argument_exception: cannot resolve symbol [foo]"),
        ("int x = 'a'; return x;", "@8 class_cast_exception: Cannot cast from [java.lang.String] to [int]."),
        ("1/0", "@0 arithmetic_exception: / by zero"),
        ("'abc'.foo()", "@5 illegal_argument_exception: member method [java.lang.String, foo/0] not found"),
        (
            "def s='abc'; return s.foo()",
            "@21 illegal_argument_exception: dynamic method [java.lang.String, foo/0] not found",
        ),
        ("def l = [1,2,3]; l.get(5)", "@18 index_out_of_bounds_exception: Index 5 out of bounds for length 3"),
        (
            "int[] a = new int[2]; a[3] = 1",
            "@23 array_index_out_of_bounds_exception: Index 3 out of bounds for length 2",
        ),
        ("throw new IllegalArgumentException('bad')", "@6 illegal_argument_exception: bad"),
        ("while(true){}", "@0 illegal_argument_exception: no paths escape from while loop"),
        (
            "for (int i=0;;i++) {}",
            "@0 painless_error: The maximum number of statements that can be executed in a loop has been reached.",
        ),
        (
            "def x = 'a'; return (int)x",
            "@25 class_cast_exception: cannot explicitly cast def [java.lang.String] to int",
        ),
        ("int x; int x;", "@11 illegal_argument_exception: variable [x] is already defined"),
        ("foo.bar()", "@3 illegal_argument_exception: cannot resolve symbol [foo]"),
        ("new Foo()", "@0 illegal_argument_exception: Not a type [Foo]."),
        ("Math.sqrt('a')", "@10 class_cast_exception: Cannot cast from [java.lang.String] to [double]."),
        ("System.exit(1)", "@6 illegal_argument_exception: static method [java.lang.System, exit/1] not found"),
        ("Object o = 1; return o", "@11 class_cast_exception: Cannot cast from [int] to [java.lang.Object]."),
        (
            "def a='a'; a - 1",
            "@11 class_cast_exception: Cannot apply [-] operation to types [java.lang.String] and [java.lang.Integer].",
        ),
        ("if (1) {return 1}", "@4 class_cast_exception: Cannot cast from [int] to [boolean]."),
        ("return 1; return 2", "@0 illegal_argument_exception: invalid block: unreachable statement"),
        ("5 ?: 6", "@0 illegal_argument_exception: Extraneous elvis operator. LHS is a constant."),
        ("Integer.FOO", "@7 illegal_argument_exception: field [java.lang.Integer, FOO] not found"),
        ("a.b", "@1 illegal_argument_exception: cannot resolve symbol [a.b]"),
        ("int z=0; 1/z", "@9 arithmetic_exception: / by zero"),
        ("null == 5", "@8 class_cast_exception: Cannot cast from [int] to [java.lang.Object]."),
        (
            "int[] a = new int[2]; return a.toString()",
            "@30 illegal_argument_exception: member method [int[], toString/0] not found",
        ),
        ("Arrays.asList('a b'.splitOnToken(' '))", "[a, b]"),
        ("Arrays.asList(1)", "@14 class_cast_exception: Cannot cast from [int] to [java.lang.Object[]]."),
        ("Arrays.deepToString(new def[] {1, 'a', new int[] {2}, null, [1]})", "[1, a, [2], null, [1]]"),
        ("Arrays.deepHashCode(new def[] {1}) + Objects.hash(new String[] {'a'})", "160"),
        ("Math.IEEEremainder(0.5, Double.POSITIVE_INFINITY) + Math.IEEEremainder(5, 3)", "-0.5"),
        (
            "Duration.of(2, ChronoUnit.MONTHS)",
            "@25 unsupported_temporal_type_exception: Unit must not have an estimated duration",
        ),
        ("Integer.sum(1,2)", "@7 illegal_argument_exception: static method [java.lang.Integer, sum/2] not found"),
        ("x y", "@2 illegal_argument_exception: invalid declaration: cannot resolve type [x]"),
        ("'a'.sha1()", "@3 illegal_argument_exception: member method [java.lang.String, sha1/0] not found"),
        (
            " ",
            "@1 illegal_argument_exception: invalid function definition: found no statements for function [execute] with [0] parameters",
        ),
        (
            "def x = 1; x + 1; return 2",
            "@11 illegal_argument_exception: not a statement: result not used from addition operation [+]",
        ),
        ("int x = params.a > 0 ? 'b' : 2", "@23 class_cast_exception: Cannot cast from [java.lang.String] to [int]."),
        // Stages of streams fail where the result is asked for.
        (
            "[[1],[2]].stream().sorted().count()",
            "@27 class_cast_exception: class java.util.ArrayList cannot be cast to class java.lang.Comparable (java.util.ArrayList and java.lang.Comparable are in module java.base of loader 'bootstrap')",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn bombs_end() {
    for bomb in [
        "def f(){ f() } f()",
        "int f(int x){ return f(x+1) } return f(1)",
        "String s='aaaaaaaaaa'; for(int i=0;i<40;i++){s+=s} return s.length()",
        "def s='aaaaaaaaaa'; for(int i=0;i<40;i++){s+=s} return s.length()",
        "def l=[1]; for(int i=0;i<40;i++){l.addAll(l)} return l.size()",
        "for(int i=0;i<1000;i++){for(int j=0;j<1000;j++){for(int k=0;k<1000;k++){}}}",
        "def f = [null]; Function g = null; int[] x = new int[2147483647]; return x.length",
        "IntStream.range(0, 2147483647).sum()",
        "new int[1000][1000][1000]",
        "Collections.nCopies(2147483647, 'a')",
        "StringBuilder b = new StringBuilder('aaaaaaaa'); while(true){b.append(b)}",
        "def l=[1]; for(int i=0;i<60;i++){l=[l,l]} return l.hashCode()",
        "def l=[1]; for(int i=0;i<60;i++){l=[l,l]} def m=[:]; m[l]=1; return m.size()",
        "def l=[1]; def k=[1]; for(int i=0;i<60;i++){l=[l,l]; k=[k,k]} return l.equals(k)",
        "def l=[1]; def k=[1]; for(int i=0;i<60;i++){l=[l,l]; k=[k,k]} return l == k",
        "def l=[1]; for(int i=0;i<60;i++){l=[l,l]} return l.toString().length()",
    ] {
        let answer = run(bomb);
        assert!(answer.starts_with('@'), "{bomb}: {answer}");
    }
    // Deep structures and cycles are freed without recursion.
    assert_eq!(run("def l=[]; for(int i=0;i<200000;i++){l=[l]} return l.size()"), "1");
    assert_eq!(run("def l=[]; l.add(l); def m=[:]; m.m=m; return l.size()"), "1");
    assert!(run("def l=[]; for(int i=0;i<5000;i++){l=[l]} return l.hashCode() + l.toString()").starts_with('@'));
}

/// What fails behind the parts of an expression stands where the last of them does.
#[test]
fn errors_stand_at_the_place_noted_last() {
    for (source, expected) in [
        (r#"throw new RuntimeException("abc".toLowerCase())"#, "@32 runtime_exception: abc"),
        (
            r#"def l = []; l.add(1); return l.get("a".length())"#,
            "@38 index_out_of_bounds_exception: Index 1 out of bounds for length 1",
        ),
        (
            r#"def a = "x"; return a.substring(Integer.parseInt("7"))"#,
            "@39 string_index_out_of_bounds_exception: Range [7, 1) out of bounds for length 1",
        ),
        (
            "def a = [1]; return a.get(2).intValue() + a.size()",
            "@21 index_out_of_bounds_exception: Index 2 out of bounds for length 1",
        ),
        (
            r#"int x = 1; return [1, 2].get(x + "abc".length()) + 1"#,
            "@38 index_out_of_bounds_exception: Index 4 out of bounds for length 2",
        ),
        (r#"def x = [1]; x[0] /= "".length(); return x"#, "@23 arithmetic_exception: / by zero"),
        (
            r#"def f(def a) { return a.get(5) } f([1, "a".length()])"#,
            "@23 index_out_of_bounds_exception: Index 5 out of bounds for length 2",
        ),
        (r#"return 1 / "".length()"#, "@13 arithmetic_exception: / by zero"),
        (r#"return [1, 1 / "".length(), "b".trim()]"#, "@17 arithmetic_exception: / by zero"),
        (
            "LocalDate.ofYearDay(2021, 366)",
            "@9 date_time_exception: Invalid date 'DayOfYear 366' as '2021' is not a leap year",
        ),
        (r#"Byte.parseByte("300")"#, r#"@4 number_format_exception: Value out of range. Value:"300" Radix:10"#),
        (
            "try { (char)'a' } catch (Exception e) { return 1 } return 2",
            "@6 illegal_argument_exception: not a statement: result not used from explicit cast with target type [char]",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

/// What the reference answers, too.
#[test]
fn members_of_numbers_dates_and_collections() {
    for (source, expected) in [
        ("boolean t = true; t &= false; t |= true; t ^= true; return t", "false"),
        ("LocalDate.of(2024, 2, 14).with(TemporalAdjusters.lastDayOfMonth())", "2024-02-29"),
        ("LocalDate.of(2024, 2, 14).with(DayOfWeek.FRIDAY)", "2024-02-16"),
        (
            r#"ZonedDateTime.parse("2021-03-04T05:06:07Z").with(TemporalAdjusters.next(DayOfWeek.MONDAY)).with(LocalTime.NOON)"#,
            "2021-03-08T12:00Z",
        ),
        ("LocalDateTime.of(2021, 5, 6, 7, 8).with(LocalDate.of(2020, 2, 29))", "2020-02-29T07:08"),
        ("LocalDateTime.ofEpochSecond(1600000000L, 5, ZoneOffset.UTC)", "2020-09-13T12:26:40.000000005"),
        ("((List)[1, 2, 3]).size() + ((Map)[:]).size() + ((List)[]).size()", "3"),
        ("LocalDate.ofYearDay(2021, 100)", "2021-04-10"),
        ("LocalTime.ofSecondOfDay(3661).toNanoOfDay()", "3661000000000"),
        (r#"Duration.parse("PT1H30M").multipliedBy(3).dividedBy(2L)"#, "PT2H15M"),
        ("Duration.ofSeconds(5L, -1L)", "PT4.999999999S"),
        (r#"Period.parse("P1Y14M-3D").normalized()"#, "P2Y2M-3D"),
        (r#"Period.parse("-P2W").plusDays(3).multipliedBy(2)"#, "P-22D"),
        ("Period.between(LocalDate.of(2020, 2, 29), LocalDate.of(2021, 3, 28))", "P1Y28D"),
        (
            r#"ZonedDateTime.parse("2021-03-28T01:30:00+01:00[Europe/Berlin]").withFixedOffsetZone()"#,
            "2021-03-28T01:30+01:00",
        ),
        ("ZoneOffset.ofHoursMinutes(5, 30).getTotalSeconds()", "19800"),
        (
            "Month.FEBRUARY.length(true) + Month.MAY.firstMonthOfQuarter().getValue() + Month.MARCH.firstDayOfYear(true)",
            "94",
        ),
        ("Integer.divideUnsigned(-7, 7) + Integer.remainderUnsigned(-7, 7)", "613566759"),
        (r#"Integer.toUnsignedString(-7) + Integer.parseUnsignedInt("4294967289")"#, "4294967289-7"),
        ("Long.divideUnsigned(-7L, 9L) + Long.reverse(1L) + Long.highestOneBit(100L)", "-7173733806442603343"),
        (
            "Double.toHexString(1e-7) + Double.toHexString(-0.5) + Double.toHexString(0.0)",
            "0x1.ad7f29abcaf48p-24-0x1.0p-10x0.0p0",
        ),
        ("Math.nextAfter(1.0, 0.0)", "0.9999999999999999"),
        ("Character.isSurrogate((char)'7')", "false"),
        ("Character.toCodePoint((char)55357, (char)56832)", "128512"),
        ("BigInteger.TEN.shiftLeft(3).or(BigInteger.ONE).gcd(BigInteger.valueOf(27)).pow(5)", "14348907"),
        (
            "BigInteger.TEN.negate().mod(BigInteger.valueOf(7)).toString() + BigInteger.TEN.negate().remainder(BigInteger.valueOf(7))",
            "4-3",
        ),
        (
            r#"new BigInteger("-255").toString(16) + BigInteger.TEN.bitLength() + BigInteger.TEN.testBit(1) + BigInteger.TEN.not()"#,
            "-ff4true-11",
        ),
        ("Collections.binarySearch([1, 3, 5, 7], 4)", "-3"),
        (
            r#"def l = [1, 2, 3, 4]; Collections.rotate(l, 1); Collections.replaceAll(l, 4, 9); return l + " " + Collections.indexOfSubList(l, [1, 2])"#,
            "[9, 1, 2, 3] 1",
        ),
        (
            r#"["b", "a", "b"].stream().collect(Collectors.toMap(x -> x, x -> 1, (a, b) -> a + b, TreeMap::new))"#,
            "{a=1, b=2}",
        ),
        (
            r#"ZonedDateTime.parse("2021-03-28T01:30:00-04:00").format(DateTimeFormatter.ISO_INSTANT)"#,
            "2021-03-28T05:30:00Z",
        ),
        (
            r#"def s = new TreeSet(); s.addAll(["m", "a", "z"]); return [s.lower("m"), s.floor("m"), s.ceiling("n"), s.higher("z"), s.pollFirst(), s.pollLast(), s]"#,
            "[a, m, z, null, a, z, [m]]",
        ),
        (
            r#"def s = new TreeSet(); s.addAll(["m", "a", "z"]); return s.headSet("n").toString() + s.tailSet("m") + s.subSet("b", "n")"#,
            "[a, m][m, z][m]",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn classes_of_java() {
    for (source, expected) in [
        (r#"def x = 3; x += 2.5; x"#, r#"5"#),
        (r#"def x = (byte)127; x += 1; x"#, r#"-128"#),
        (r#"def m = ['a': 1]; m.a += 2.5; m.a"#, r#"3"#),
        (r#"def x = 3L; x -= 0.5; x"#, r#"2"#),
        (r#"def x = (char)65; x += 1; x"#, r#"B"#),
        (r#"def x = 2.5; x *= 2; x"#, r#"5.0"#),
        (r#"def x = [1]; x[0] += 2.7; x"#, r#"[3]"#),
        (r#"def x = null; x += 'a'; x"#, r#"nulla"#),
        (r#"def m = [3: 'a', 1: 'b']; def n = m.clone(); n.remove(3); [m, n]"#, r#"[{1=b, 3=a}, {1=b}]"#),
        (r#"def q = new PriorityQueue(); q.addAll([5, 1, 3]); return [q.poll(), q.peek(), q.size()]"#, r#"[1, 3, 2]"#),
        (r#"def q = new PriorityQueue(); q.addAll([5, 1, 3, 2]); q"#, r#"[1, 2, 3, 5]"#),
        (r#"def s = new Stack(); s.push(1); s.push(2); s.pop() + s.peek() + s.search(1)"#, r#"4"#),
        (r#"def l = [1, 2, 3]; l[1] = new BigDecimal('123.4500').abs(); return l"#, r#"[1, 123.4500, 3]"#),
        (r#"new BigDecimal('123.4500').precision()"#, r#"7"#),
        (r#"new BigDecimal('1.10').hashCode()"#, r#"3412"#),
        (
            r#"new BigDecimal('10').divide(new BigDecimal('4')).setScale(3, RoundingMode.HALF_UP).toString() + BigDecimal.valueOf(2.50)"#,
            r#"2.5002.5"#,
        ),
        (r#"new BigDecimal('5') == new BigDecimal('5.0')"#, r#"false"#),
        (r#"Year.of(2020).isLeap() && Year.of(2020).atDay(366).toString() == '2020-12-31'"#, r#"true"#),
        (r#"YearMonth.parse('2020-02').plusMonths(13)"#, r#"2021-03"#),
        (r#"YearMonth.of(2020, 2).atEndOfMonth().withDayOfYear(200)"#, r#"2020-07-18"#),
        (r#"YearMonth.of(2020, 2).compareTo(YearMonth.of(2021, 1))"#, r#"-1"#),
        (r#"YearMonth.of(2020, 2).format(DateTimeFormatter.ofPattern('MM/yyyy'))"#, r#"02/2020"#),
        (r#"YearMonth.of(2020, 2).until(YearMonth.of(2021, 5), ChronoUnit.MONTHS)"#, r#"15"#),
        (r#"YearMonth.of(-5, 1).toString() + Year.of(-5)"#, r#"-0005-01-5"#),
        (
            r#"def z = ZonedDateTime.parse('2021-01-03T05:06:07Z'); [z.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), z.get(IsoFields.WEEK_BASED_YEAR)]"#,
            r#"[53, 2020]"#,
        ),
        (r#"ZonedDateTime.parse('2021-05-03T05:06:07Z').get(IsoFields.DAY_OF_QUARTER)"#, r#"33"#),
        (r#"LocalDate.of(2020, 5, 5).with(IsoFields.QUARTER_OF_YEAR, 1)"#, r#"2020-02-05"#),
        (r#"LocalDate.of(2020, 5, 5).plus(2, IsoFields.QUARTER_YEARS)"#, r#"2020-11-05"#),
        (
            r#"IsoFields.QUARTER_OF_YEAR.toString() + ChronoField.DAY_OF_WEEK + ChronoUnit.DAYS"#,
            r#"QuarterOfYearDayOfWeekDays"#,
        ),
        (
            r#"Locale.GERMANY.toString() + Locale.GERMANY.getDisplayName() + new Locale('pt', 'BR').toLanguageTag()"#,
            r#"de_DEGerman (Germany)pt-BR"#,
        ),
        (
            r#"Locale.forLanguageTag('zh-TW').toString() + Locale.US.getISO3Country() + Locale.US.getISO3Language()"#,
            r#"zh_TWUSAeng"#,
        ),
        (
            r#"NumberFormat.getInstance(Locale.GERMANY).format(1234567.891) + NumberFormat.getPercentInstance().format(0.256)"#,
            r#"1.234.567,89126%"#,
        ),
        (
            r#"new DecimalFormat('#,##0.00').format([1, 2, 3].stream().mapToInt(x -> x).average().getAsDouble())"#,
            r#"2.00"#,
        ),
        (r#"new SimpleDateFormat('yyyy-MM-dd').format(new Date(1614834367123L))"#, r#"2021-03-04"#),
        (r#"new SimpleDateFormat('yyyy-MM-dd').parse('2021-13-45').getTime()"#, r#"1644796800000"#),
        (r#"Integer.decode('#ff')"#, r#"255"#),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn what_the_reference_refuses() {
    for (source, expected) in [
        ("int i = 0; while (i < 7) { i += 2; if (i == 4) { continue } } return i", "extraneous continue statement"),
        ("do { continue } while (params.a == 2); 1", "extraneous continue statement"),
        ("new TreeSet(['a'])", "Cannot cast from [java.util.ArrayList] to [java.util.Comparator]."),
        ("new BigDecimal('10').divide(new BigDecimal('3'))", "Non-terminating decimal expansion; no exact"),
        ("new BigDecimal('abc')", "Character a is neither a decimal digit number"),
        ("BigDecimal.valueOf(Double.NaN)", "Infinite or NaN"),
        ("new BigDecimal('10').pow(999999)", "BigInteger would overflow supported range"),
        ("YearMonth.of(2020, 13)", "Invalid value for MonthOfYear (valid values 1 - 12): 13"),
        ("YearMonth.parse('2020')", "Text '2020' could not be parsed at index 4"),
        ("Year.of(2019).atDay(366)", "Invalid date 'DayOfYear 366' as '2019' is not a leap year"),
        ("new DecimalFormat('#.##').parse('abc')", "Unparseable number: \"abc\""),
        ("new DecimalFormat('#.##').format('x')", "Cannot format given Object as a Number"),
        ("new SimpleDateFormat('bogus')", "Illegal pattern character 'b'"),
        ("new SimpleDateFormat('yyyy').parse('x')", "Unparseable date: \"x\""),
    ] {
        let shown = run(source);
        assert!(shown.contains(expected), "{source}: {shown}");
    }
}

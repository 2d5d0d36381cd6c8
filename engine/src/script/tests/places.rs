//! Where mistakes are told to be, which of several is told, and what Java says of null and of dates.

use super::run;

#[test]
fn mistakes_of_one_kind_come_before_those_of_another() {
    for (source, expected) in [
        ("int a = 1 / 0; return b", "@22 illegal_argument_exception: cannot resolve symbol [b]"),
        ("int f(int a) { return 1/0; } int b = zz;", "@37 illegal_argument_exception: cannot resolve symbol [zz]"),
        ("int x = 1; return x?.toString() + y", "@34 illegal_argument_exception: cannot resolve symbol [y]"),
        ("return 5 ?: zz", "@12 illegal_argument_exception: cannot resolve symbol [zz]"),
        ("return 'a' ?: (3 ?: 4)", "@15 illegal_argument_exception: Extraneous elvis operator. LHS is a constant."),
        ("return -3 ?: 4", "@7 illegal_argument_exception: Extraneous elvis operator. LHS is a primitive."),
        (
            "while (true) { if (params.a == 1) { int b = 'xx'; continue; } }",
            "@44 class_cast_exception: Cannot cast from [java.lang.String] to [int].",
        ),
        (
            "String s = true ? 1.5f : (true ? 2.5f : 3f); return s",
            "@33 class_cast_exception: Cannot cast from [float] to [java.lang.String].",
        ),
        (
            "int f(int a) { return 1; return 2 } return 1",
            "@0 illegal_argument_exception: invalid block: unreachable statement",
        ),
        ("return -3 == null", "@7 class_cast_exception: Cannot cast from [int] to [java.lang.Object]."),
        ("return 2 ^ -2.5", "@11 class_cast_exception: Cannot cast from [double] to [int]."),
        (
            "for (int i : true) { def q = i; } return 1",
            "@0 illegal_argument_exception: invalid foreach loop: cannot iterate over type [boolean].",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn places_are_those_that_were_noted_last() {
    for (source, expected) in [
        (
            "def x = null; for (String i : x) { def q = i; } return 1",
            r#"null_pointer_exception: Cannot invoke "Object.getClass()" because "callArgs[0]" is null"#,
        ),
        (
            "def x = 5; for (String i : x) { def q = i; } return 1",
            "@8 illegal_argument_exception: Cannot iterate over [java.lang.Integer]",
        ),
        (
            "List l = [1,2]; def z = l.size(); for (def i : l) { l.add(1); } return 1",
            "@25 concurrent_modification_exception: ",
        ),
        (
            "for (String i : [1,2]) { def q = i; } return 1",
            "@19 class_cast_exception: cannot explicitly cast def [int] to java.lang.String",
        ),
        // Of an index the place that was noted before it is used.
        (
            "def d = (short)7; List l = [1]; return d[l]",
            "@27 illegal_argument_exception: Attempting to address a non-array-like type [java.lang.Short] as an array.",
        ),
        (
            "def d = (short)7; List l = [1]; return d[(Object)l]",
            "@49 illegal_argument_exception: Attempting to address a non-array-like type [java.lang.Short] as an array.",
        ),
        (
            "def d = (short)7; int a = 1; return d[--a]",
            "@40 illegal_argument_exception: Attempting to address a non-array-like type [java.lang.Short] as an array.",
        ),
        (
            "def d = (short)7; List l = [1]; int a; d[a = 1] = l",
            "@27 illegal_argument_exception: Attempting to address a non-array-like type [java.lang.Short] as an array.",
        ),
        (
            "def v = 'a'; v |= [1,2,3]; return v",
            "@18 class_cast_exception: Cannot convert [java.lang.String] to an integral value.",
        ),
        (
            "def v = 'a'; v |= 1; return v",
            "@18 class_cast_exception: Cannot convert [java.lang.String] to an integral value.",
        ),
        (
            "def v = 'a'; v -= 'b'; return v",
            "@18 class_cast_exception: Cannot apply [-] operation to types [java.lang.String] and [java.lang.String].",
        ),
        (
            "def v = 'a'; --v; return v",
            "@13 class_cast_exception: Cannot apply [-] operation to types [java.lang.String] and [java.lang.Integer].",
        ),
        (
            "Map m = [:]; m.a++; return m",
            r#"@13 null_pointer_exception: Cannot invoke "Object.getClass()" because "left" is null"#,
        ),
        (
            "Map m=['a':null]; return m['a']['d']",
            r#"@26 null_pointer_exception: Cannot invoke "Object.getClass()" because "callArgs[0]" is null"#,
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn what_is_said_of_null() {
    for (source, expected) in [
        (
            "def o = []; for (def x : ['a', null]) { o.add(x.length()) } return o",
            r#"@47 null_pointer_exception: Cannot invoke "Object.getClass()" because "receiver" is null"#,
        ),
        (
            "def m = null; m[params.a] = params.b.c; return m",
            r#"@22 null_pointer_exception: Cannot invoke "Object.getClass()" because "callArgs[0]" is null"#,
        ),
        (
            "def l = [null, 'a']; l.sort(Comparator.reverseOrder()); return l",
            r#"@38 null_pointer_exception: Cannot invoke "java.lang.Comparable.compareTo(Object)" because "c2" is null"#,
        ),
        (
            "def l = ['a', null]; l.sort(Comparator.naturalOrder()); return l",
            r#"@38 null_pointer_exception: Cannot invoke "java.lang.Comparable.compareTo(Object)" because "c1" is null"#,
        ),
        ("int i = params.x; return i", "@14 null_pointer_exception: "),
        (
            "int i = (int)params.x; return i",
            r#"@19 null_pointer_exception: Cannot invoke "Object.getClass()" because "value" is null"#,
        ),
        (
            "boolean b = params.x; return b",
            r#"@18 null_pointer_exception: Cannot invoke "Object.getClass()" because "value" is null"#,
        ),
        (
            "return -params.x",
            r#"@14 null_pointer_exception: Cannot invoke "Object.getClass()" because "args[0]" is null"#,
        ),
        (
            "String s = params.x; return s.substring(1)",
            r#"@29 null_pointer_exception: Cannot invoke "String.substring(int)" because "<local3>" is null"#,
        ),
        (
            "def f(String s) { return s.length() } return f(null)",
            r#"@26 null_pointer_exception: Cannot invoke "java.lang.CharSequence.length()" because "<parameter1>" is null"#,
        ),
        (
            "return [1].stream().map(x -> { String s = null; return s.trim() }).collect(Collectors.toList())",
            r#"@56 null_pointer_exception: Cannot invoke "String.trim()" because "<local2>" is null"#,
        ),
        (
            "Map m = null; return m.a",
            r#"@22 null_pointer_exception: Cannot invoke "java.util.Map.get(Object)" because "<local2>" is null"#,
        ),
        (
            "List l = null; l[0] = 1",
            r#"@16 null_pointer_exception: Cannot invoke "java.util.List.set(int, Object)" because "<local2>" is null"#,
        ),
        (
            "int[] a = null; return a[0]",
            r#"@24 null_pointer_exception: Cannot load from int array because "<local2>" is null"#,
        ),
        (
            "int[] a = null; return a.length",
            r#"@24 null_pointer_exception: Cannot read the array length because "<local2>" is null"#,
        ),
        (
            "return ((String)params.get('x')).length()",
            r#"@32 null_pointer_exception: Cannot invoke "java.lang.CharSequence.length()" because the return value of "org.opensearch.painless.Def.defToStringExplicit(Object)" is null"#,
        ),
        (
            "return ((List)params.x).size()",
            r#"@23 null_pointer_exception: Cannot invoke "java.util.Collection.size()" because the return value of "java.util.Map.get(Object)" is null"#,
        ),
        ("def e = null; throw e", r#"@20 null_pointer_exception: Cannot throw exception because "<local2>" is null"#),
        (
            "Map m = null; for (def x : m.keySet()) { return x } return 1",
            "@14 illegal_argument_exception: extraneous foreach loop",
        ),
        ("Long.parseLong(null)", "@4 number_format_exception: Cannot parse null string"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn what_else_is_refused() {
    for (source, expected) in [
        (
            "return [1,2,3].stream().collect(Collectors.joining(','))",
            "@51 class_cast_exception: class java.lang.Integer cannot be cast to class java.lang.CharSequence (java.lang.Integer and java.lang.CharSequence are in module java.base of loader 'bootstrap')",
        ),
        (
            "def b = new StringBuilder('abc'); b.insert(-1, 'x'); return b",
            "@35 string_index_out_of_bounds_exception: Range [-1, 3) out of bounds for length 3",
        ),
        (
            "return 'abc'.codePointAt(-4)",
            "@12 string_index_out_of_bounds_exception: Index -4 out of bounds for length 3",
        ),
        ("return String.format('%.1e', new def[] {null})", "n"),
        ("params = [:]; params.q = 1; return params", "{q=1}"),
        (
            "'a'.contains(params.x)",
            r#"@19 null_pointer_exception: Cannot invoke "java.lang.CharSequence.toString()" because "s" is null"#,
        ),
        (
            "'a'.replace('a', params.x)",
            r#"@23 null_pointer_exception: Cannot invoke "java.lang.CharSequence.toString()" because "replacement" is null"#,
        ),
        (
            "new ArrayList(params.x)",
            r#"@20 null_pointer_exception: Cannot invoke "java.util.Collection.toArray()" because "c" is null"#,
        ),
        ("ZonedDateTime.parse(params.x)", "@26 null_pointer_exception: text"),
        ("String.join(',', params.x)", "@23 null_pointer_exception: "),
        (
            "LocalDate.of(2020,1,1).isBefore(params.x)",
            r#"@38 null_pointer_exception: Cannot invoke "java.time.chrono.ChronoLocalDate.toEpochDay()" because "other" is null"#,
        ),
        ("ChronoUnit.valueOf(params.x)", "@25 null_pointer_exception: Name is null"),
        (
            "def l = [1]; l.addAll(params.x); return l",
            r#"@28 null_pointer_exception: Cannot invoke "java.util.Collection.toArray()" because "c" is null"#,
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn zones_that_texts_tell() {
    for (source, expected) in [
        (r#"ZonedDateTime.parse("2020-02-01T00:00:00Z[UTC]").format(DateTimeFormatter.ofPattern("VV"))"#, "UTC"),
        (
            r#"ZonedDateTime.parse("2020-01-01T00:00:00Z[Europe/London]").format(DateTimeFormatter.ofPattern("VV XXX"))"#,
            "Europe/London Z",
        ),
        (
            r#"OffsetDateTime.parse("2020-01-01T10:00:00+02:00", DateTimeFormatter.ISO_OFFSET_DATE_TIME)"#,
            "2020-01-01T10:00+02:00",
        ),
        (
            r#"ZonedDateTime.parse("2020-01-01 10:00:00 +0200", DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss Z"))"#,
            "2020-01-01T10:00+02:00",
        ),
        (
            r#"LocalDateTime.parse("2020-01-01 10:00:00 +0200", DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss Z"))"#,
            "2020-01-01T10:00",
        ),
        (
            r#"ZonedDateTime.parse("2020-01-01 10:00", DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.of("Europe/Paris")))"#,
            "2020-01-01T10:00+01:00[Europe/Paris]",
        ),
        (
            r#"ZonedDateTime.parse("2020-01-01 10:00", DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm"))"#,
            "@57 date_time_parse_exception: Text '2020-01-01 10:00' could not be parsed: Unable to obtain ZonedDateTime from TemporalAccessor: {},ISO resolved to 2020-01-01T10:00 of type java.time.format.Parsed",
        ),
        (
            r#"LocalDateTime.parse("2020-01-01T10:00:00.123", DateTimeFormatter.ISO_LOCAL_DATE_TIME)"#,
            "2020-01-01T10:00:00.123",
        ),
        (
            r#"LocalDateTime.parse("2020-01-01", DateTimeFormatter.ofPattern("yyyy-MM-dd"))"#,
            "@51 date_time_parse_exception: Text '2020-01-01' could not be parsed: Unable to obtain LocalDateTime from TemporalAccessor: {},ISO resolved to 2020-01-01 of type java.time.format.Parsed",
        ),
        (
            r#"LocalDate.parse("2020-01", DateTimeFormatter.ofPattern("yyyy-MM"))"#,
            "@44 date_time_parse_exception: Text '2020-01' could not be parsed: Unable to obtain LocalDate from TemporalAccessor: {MonthOfYear=1, Year=2020},ISO of type java.time.format.Parsed",
        ),
        (r#"LocalDate.from(DateTimeFormatter.ofPattern("dd/MM/yyyy").parse("02/01/2020"))"#, "2020-01-02"),
        (r#"Instant.from(DateTimeFormatter.ISO_DATE_TIME.parse("2020-01-01T10:00:00+01:00"))"#, "2020-01-01T09:00:00Z"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn dates_of_any_calendar_and_their_weeks() {
    for (source, expected) in [
        (
            "ChronoLocalDate d = LocalDate.of(2020, 2, 29); d.plus(1L, ChronoUnit.DAYS).isLeapYear() + ' ' + d.until(LocalDate.of(2021, 4, 1))",
            "true P1Y1M3D",
        ),
        ("ChronoZonedDateTime.from(OffsetDateTime.parse('2020-01-01T10:00:00+02:00')).getOffset()", "+02:00"),
        (
            "LocalDate.of(2021, 1, 3).get(WeekFields.ISO.weekOfWeekBasedYear()) + ' ' + LocalDate.of(2021, 1, 3).get(WeekFields.SUNDAY_START.weekOfYear())",
            "53 2",
        ),
        ("LocalDate.of(2020, 2, 29).with(WeekFields.ISO.weekBasedYear(), 2021)", "2021-03-06"),
        (
            "LocalDate.of(2020, 2, 29).with(WeekFields.ISO.weekOfYear(), 99)",
            "@45 date_time_exception: Invalid value for WeekOfYear[WeekFields[MONDAY,4]] (valid values 0/1 - 52/54): 99",
        ),
        (
            "WeekFields.of(Locale.US).toString() + WeekFields.of(Locale.GERMANY).dayOfWeek()",
            "WeekFields[SUNDAY,1]DayOfWeek[WeekFields[MONDAY,4]]",
        ),
        ("LocalDate.of(2020, 1, 1).getLong(JulianFields.MODIFIED_JULIAN_DAY)", "58849"),
        (
            "LocalDate.of(2020, 1, 1).get(JulianFields.JULIAN_DAY)",
            "@41 unsupported_temporal_type_exception: Invalid field JulianDay for get() method, use getLong() instead",
        ),
        (
            "LocalTime.NOON.get(WeekFields.ISO.weekOfYear())",
            "@33 unsupported_temporal_type_exception: Unsupported field: DayOfWeek",
        ),
        (
            "LocalDateTime.of(2020, 1, 1, 1, 1).until(LocalDate.of(2020, 1, 1), ChronoUnit.DAYS)",
            "@77 date_time_exception: Unable to obtain LocalDateTime from TemporalAccessor: 2020-01-01 of type java.time.LocalDate",
        ),
        (
            "Duration.between(LocalDate.of(2020, 1, 1), LocalDate.of(2020, 1, 2))",
            "@52 unsupported_temporal_type_exception: Unsupported unit: Seconds",
        ),
        (
            "LocalTime.from(LocalDate.of(2020, 1, 1))",
            "@24 date_time_exception: Unable to obtain LocalTime from TemporalAccessor: 2020-01-01 of type java.time.LocalDate",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

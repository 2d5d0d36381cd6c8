//! Numbers of their own classes, zones, sorted sets, formatters, and where errors are.

use super::run;

#[test]
fn numbers_of_other_classes_are_calculated_with_as_what_they_stand_beside() {
    for (source, expected) in [
        ("def a = new BigInteger('12345678901234567890'); a * 2", "-700574300"),
        ("def a = new BigInteger('12345678901234567890'); a + 2L", "-6101065172474983724"),
        ("def a = new BigInteger('12345678901234567890'); a - 2.5", "1.2345678901234567E19"),
        ("def a = new BigInteger('4294967303'); def b = new BigInteger('7'); a == b", "true"),
        ("def a = new BigInteger('4294967303'); a == 7L", "false"),
        ("def a = new BigDecimal('-7.9'); a % 3", "-1"),
        ("def a = new BigDecimal('7.9'); a > 7.5", "true"),
        (
            "def a = new BigInteger('7'); a & 3",
            "@29 class_cast_exception: Cannot convert [java.math.BigInteger] to an integral value.",
        ),
        (
            "def a = new BigInteger('5'); 3 << a",
            "@29 class_cast_exception: Cannot cast java.math.BigInteger to java.lang.Long",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn floating_point_numbers_are_ints_before_they_are_shorter() {
    for (source, expected) in [
        ("def a = (float)Integer.MAX_VALUE; a.byteValue()", "-1"),
        ("def a = 1e10; a.shortValue()", "-1"),
        ("def a = 1e10; a.intValue()", "2147483647"),
        ("def a = Long.MAX_VALUE - 300; a.byteValue()", "-45"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn zones_are_offsets_or_regions() {
    for (source, expected) in [
        ("ZonedDateTime.parse('2021-03-04T05:06:07Z')", "2021-03-04T05:06:07Z"),
        (
            "ZonedDateTime.parse('2021-03-04T05:06:07Z').withZoneSameLocal(ZoneId.of('UTC'))",
            "2021-03-04T05:06:07Z[UTC]",
        ),
        (
            "ZonedDateTime.parse('2021-03-04T05:06:07Z').withZoneSameInstant(ZoneId.of('GMT+2'))",
            "2021-03-04T07:06:07+02:00[GMT+02:00]",
        ),
        (
            "[ZoneId.of('UTC-3:30'.replace('3:', '03:')), ZoneId.of('UT'), ZoneId.of('Z'), ZoneOffset.of('+2')]",
            "[UTC-03:30, UT, Z, +02:00]",
        ),
        ("ZoneId.of('GMT+2').getId() + ZoneOffset.ofHours(-1).getId()", "GMT+02:00-01:00"),
        (
            "ZonedDateTime.parse('2021-03-04T05:06:07Z').withDayOfMonth(0)",
            "@43 date_time_exception: Invalid value for DayOfMonth (valid values 1 - 28/31): 0",
        ),
        (
            "LocalDate.of(2021, 2, 3).withDayOfMonth(29)",
            "@24 date_time_exception: Invalid date 'February 29' as '2021' is not a leap year",
        ),
        ("LocalDate.of(2021, 2, 30)", "@9 date_time_exception: Invalid date 'FEBRUARY 30'"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn sorted_sets_are_seen_from_either_end() {
    let set = "def s = new TreeSet(); s.addAll(['b', 'd', 'a', 'c']); ";
    for (expression, expected) in [
        ("s.descendingSet()", "[d, c, b, a]"),
        ("s.descendingSet().descendingSet().first()", "a"),
        ("s.headSet('b', true)", "[a, b]"),
        ("s.headSet('b')", "[a]"),
        ("s.tailSet('b', false)", "[c, d]"),
        ("s.subSet('a', false, 'd', false)", "[b, c]"),
        ("def r = []; for (def i = s.descendingIterator(); i.hasNext();) { r.add(i.next()) } r", "[d, c, b, a]"),
    ] {
        assert_eq!(run(&format!("{set}{expression}")), expected, "{expression}");
    }
}

#[test]
fn what_is_wrong_first_is_told() {
    let (slash, none) = ("def a = ((def)/(\\w)/.matcher('x')); return a", "invalid sequence of tokens near ['/'].");
    assert_eq!(run(slash), format!("@14 illegal_argument_exception: {none}"));
    assert_eq!(run("/a+/.matcher('xaay')"), "java.util.regex.Matcher[pattern=a+ region=0,4 lastmatch=]");
    assert_eq!(
        run("def m = /a+/.matcher('xaay'); m.find(); m"),
        "java.util.regex.Matcher[pattern=a+ region=0,4 lastmatch=aa]"
    );
    // That a text is no list shows before it is asked for what it holds.
    let reason =
        "illegal_argument_exception: Attempting to address a non-array-like type [java.lang.String] as an array.";
    assert_eq!(run("params.s[0]"), format!("@6 {reason}"));
}

#[test]
fn formatters_that_have_names() {
    let zoned = "ZonedDateTime.parse('2021-03-28T01:30:00.120+01:00[Europe/Berlin]')";
    for (name, expected) in [
        ("BASIC_ISO_DATE", "20210328+0100"),
        ("ISO_DATE", "2021-03-28+01:00"),
        ("ISO_LOCAL_TIME", "01:30:00.12"),
        ("ISO_LOCAL_DATE_TIME", "2021-03-28T01:30:00.12"),
        ("ISO_OFFSET_DATE_TIME", "2021-03-28T01:30:00.12+01:00"),
        ("ISO_ZONED_DATE_TIME", "2021-03-28T01:30:00.12+01:00[Europe/Berlin]"),
        ("ISO_INSTANT", "2021-03-28T00:30:00.120Z"),
        ("ISO_ORDINAL_DATE", "2021-087+01:00"),
        ("ISO_WEEK_DATE", "2021-W12-7+01:00"),
        ("RFC_1123_DATE_TIME", "Sun, 28 Mar 2021 01:30:00 +0100"),
    ] {
        assert_eq!(run(&format!("{zoned}.format(DateTimeFormatter.{name})")), expected, "{name}");
    }
    let local = "LocalDateTime.of(2021, 5, 6, 7, 8).format(DateTimeFormatter.ISO_OFFSET_DATE_TIME)";
    assert_eq!(run(local), "@59 unsupported_temporal_type_exception: Unsupported field: OffsetSeconds");
}

#[test]
fn what_is_wrong_with_times_and_types_is_told_as_java_does() {
    for (source, expected) in [
        (
            "LocalDate.parse('2020-13-01')",
            "@16 date_time_parse_exception: Text '2020-13-01' could not be parsed: Invalid value for MonthOfYear (valid values 1 - 12): 13",
        ),
        (
            "LocalDate.parse('2020-1-30')",
            "@16 date_time_parse_exception: Text '2020-1-30' could not be parsed at index 5",
        ),
        (
            "LocalDateTime.parse('2020-01-01T25:00:00')",
            "@20 date_time_parse_exception: Text '2020-01-01T25:00:00' could not be parsed: Invalid value for HourOfDay (valid values 0 - 23): 25",
        ),
        (
            "ZonedDateTime.parse('2020-01-01')",
            "@20 date_time_parse_exception: Text '2020-01-01' could not be parsed at index 10",
        ),
        ("LocalTime.of(1, 60)", "@9 date_time_exception: Invalid value for MinuteOfHour (valid values 0 - 59): 60"),
        ("Period.between(LocalDate.parse('2021-12-31'), LocalDate.of(2020, 2, 29))", "P-1Y-10M-2D"),
        ("Period.between(LocalDate.of(2020, 3, 1), LocalDate.of(2020, 1, 31))", "P-1M-1D"),
        ("('a' === 'a') + '' + ('a' + 'b' !== 'ab')", "falsetrue"),
        ("0x1F", "@0 illegal_state_exception: Illegal tree structure."),
        (
            "return Map.Entry",
            "@10 illegal_argument_exception: value required: instead found unexpected type [java.util.Map.Entry]",
        ),
        ("return foo['x']", "@7 illegal_argument_exception: cannot resolve symbol [foo]"),
        ("foo.x = 1", "@3 illegal_argument_exception: cannot resolve symbol [foo.x]"),
        ("[1, 2].x = 1", "@6 illegal_argument_exception: invalid list index [x]"),
        ("params = 1", "@9 class_cast_exception: Cannot cast from [int] to [java.util.Map]."),
        ("1 instanceof Foo", "@0 illegal_argument_exception: Not a type [Foo]."),
        ("((def)[1]).foo()", "@6 illegal_argument_exception: dynamic method [java.util.ArrayList, foo/0] not found"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn sorted_maps_and_sets_know_keys_by_their_order() {
    let by_length = "new TreeMap(Comparator.comparing(x -> x.length())); m.put('a', 1);";
    for (source, expected) in [
        (format!("TreeMap m = {by_length} return m.get('b')"), "1"),
        (format!("TreeMap m = {by_length} return m.containsKey('b')"), "true"),
        (format!("TreeMap m = {by_length} return m.remove('b')"), "1"),
        (format!("TreeMap m = {by_length} return m.getOrDefault('bb', 2)"), "2"),
        (
            "TreeSet s = new TreeSet(Comparator.comparing(x -> x.length())); s.add('a'); return s.contains('b')".into(),
            "true",
        ),
        (
            "TreeSet s = new TreeSet(Comparator.comparing(x -> x.length())); s.add('a'); return s.remove('b') + '' + s"
                .into(),
            "true[]",
        ),
        ("return new TreeSet().contains(1)".into(), "false"),
        ("return new TreeSet().contains(null)".into(), "@20 null_pointer_exception: "),
        ("TreeMap m = new TreeMap(); m.put('a', 1); return m.get(null)".into(), "@50 null_pointer_exception: "),
        (
            "TreeSet s = new TreeSet(); s.add('a'); return s.contains(1)".into(),
            "@57 class_cast_exception: class java.lang.String cannot be cast to class java.lang.Integer (java.lang.String and java.lang.Integer are in module java.base of loader 'bootstrap')",
        ),
        (
            "TreeSet s = new TreeSet(); s.add('a'); s.add('b'); return s.removeAll([1])".into(),
            "@70 class_cast_exception: class java.lang.String cannot be cast to class java.lang.Integer (java.lang.String and java.lang.Integer are in module java.base of loader 'bootstrap')",
        ),
    ] {
        assert_eq!(run(&source), expected, "{source}");
    }
}

#[test]
fn deques_are_no_lists() {
    for (then, expected) in [
        ("return o.equals(new ArrayDeque([1, 2]))", "false"),
        ("return [1, 2].equals(o)", "false"),
        ("return o == o", "true"),
        ("return o instanceof List", "false"),
        ("return o instanceof Deque", "true"),
        ("return o.remove(null)", "false"),
        ("return o.add(null)", "@40 null_pointer_exception: "),
        ("return o.get(0)", "@40 illegal_argument_exception: dynamic method [java.util.ArrayDeque, get/1] not found"),
        ("return o.length", "@40 illegal_argument_exception: dynamic getter [java.util.ArrayDeque, length] not found"),
        (
            "return (String)o",
            "@47 class_cast_exception: cannot explicitly cast def [java.util.ArrayDeque] to java.lang.String",
        ),
    ] {
        let source = format!("def o = new ArrayDeque([1, 2]); {then}");
        assert_eq!(run(&source), expected, "{source}");
    }
    assert_eq!(run("new ArrayDeque([null])"), "@15 null_pointer_exception: ");
}

#[test]
fn lengths_below_nothing_are_cut_into_whole_seconds() {
    for (then, expected) in [
        ("getSeconds()", "-62"),
        ("getNano()", "999999995"),
        ("toMinutes()", "-1"),
        ("toMillis()", "-61000"),
        ("toString()", "PT-1M-1.000000005S"),
    ] {
        assert_eq!(run(&format!("return Duration.ofSeconds(-61, -5).{then}")), expected, "{then}");
    }
    assert_eq!(run("return MonthDay.of(2, 29).range(IsoFields.QUARTER_OF_YEAR)"), "1 - 4");
    assert_eq!(run("return YearMonth.of(2020, 5).get(IsoFields.QUARTER_OF_YEAR)"), "2");
}

#[test]
fn what_filters_maps_keeps_their_order() {
    let source = "return ((def)new HashMap(['x': 1])).findAll((k, v) -> true).nonsense()";
    assert!(run(source).ends_with("dynamic method [java.util.LinkedHashMap, nonsense/0] not found"), "{}", run(source));
}

#[test]
fn streams_of_other_streams_fail_when_somebody_wants_something_of_them() {
    let source = "Stream o = [3, 1, 2].stream(); return o.flatMap(x -> x).collect(Collectors.toList())";
    assert_eq!(
        run(source),
        "@74 class_cast_exception: class java.lang.Integer cannot be cast to class java.util.stream.Stream (java.lang.Integer and java.util.stream.Stream are in module java.base of loader 'bootstrap')"
    );
    let late = "Stream o = [3, 1, 2].stream(); return o.flatMap(x -> x).map(x -> x).sorted().limit(1).count()";
    assert!(run(late).starts_with("@85 class_cast_exception"), "{}", run(late));
}

#[test]
fn objects_characters_and_offsets() {
    assert_eq!(run("return Objects.hash(null)"), "0");
    assert_eq!(run("ZoneOffset o = ZoneOffset.UTC; return o.query(t -> t.toString())"), "Z");
    let berlin = "return ZoneOffset.from(ZonedDateTime.parse('2021-03-28T01:30:00+01:00[Europe/Berlin]'))";
    assert_eq!(run(berlin), "+01:00");
    assert_eq!(run("return Character.toChars(0x1f600).length"), "2");
    assert_eq!(
        run("return Character.toChars(-1)"),
        "@16 illegal_argument_exception: Not a valid Unicode code point: 0xFFFFFFFF"
    );
}

#[test]
fn matchers_that_looked_for_nothing_asked_for_no_end() {
    for (source, expected) in [
        ("Matcher o = /^.*$/m.matcher('abc'); return [o.requireEnd(), o.hitEnd()]", "[false, false]"),
        ("Matcher o = /a+/.matcher('bb'); return [o.find(), o.requireEnd(), o.hitEnd()]", "[false, false, true]"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn collections_are_told_by_classes_that_scripts_cannot_name() {
    for (made, class) in [
        ("Collections.emptyList()", "java.util.Collections.EmptyList"),
        ("Collections.singletonList(1)", "java.util.Collections.SingletonList"),
        ("Collections.nCopies(2, 1)", "java.util.Collections.CopiesList"),
        ("Collections.unmodifiableList([1])", "java.util.Collections.UnmodifiableRandomAccessList"),
        ("Collections.unmodifiableList(new LinkedList([1]))", "java.util.Collections.UnmodifiableList"),
        ("Collections.unmodifiableSet(new HashSet([1]))", "java.util.Collections.UnmodifiableSet"),
        ("Collections.emptyMap()", "java.util.Collections.EmptyMap"),
        ("Collections.singletonMap(1, 2)", "java.util.Collections.SingletonMap"),
        ("[1, 2].subList(0, 1)", "java.util.ArrayList.SubList"),
        ("[1: 2].keySet()", "java.util.HashMap.KeySet"),
        ("[1: 2].values()", "java.util.HashMap.Values"),
        (
            "[1].stream().collect(Collectors.toMap(x -> x, x -> x, (a, b) -> a, TreeMap::new)).headMap(2)",
            "java.util.TreeMap.AscendingSubMap",
        ),
        (
            "[1].stream().collect(Collectors.toMap(x -> x, x -> x, (a, b) -> a, TreeMap::new)).descendingMap().tailMap(2)",
            "java.util.TreeMap.DescendingSubMap",
        ),
        (
            "[1].stream().collect(Collectors.toMap(x -> x, x -> x, (a, b) -> a, TreeMap::new)).descendingMap().descendingMap()",
            "java.util.TreeMap.AscendingSubMap",
        ),
        ("[1].stream()", "java.util.stream.ReferencePipeline.Head"),
        ("[1].stream().map(x -> x)", "$anonymous"),
        ("[1].stream().sorted()", "java.util.stream.SortedOps.OfRef"),
        ("IntStream.range(0, 4)", "java.util.stream.IntPipeline.Head"),
        ("IntStream.range(0, 4).unordered()", "$anonymous"),
    ] {
        let told = run(&format!("def o = {made}; return (String)o"));
        let expected = format!("cannot explicitly cast def [{class}] to java.lang.String");
        assert!(told.ends_with(&expected), "{made}: {told}");
    }
    for (source, expected) in [
        ("Collections.nCopies(-1, null)", "@11 illegal_argument_exception: List length = -1"),
        ("Collections.emptySet().remove(1)", "false"),
        ("Collections.singleton(1).remove(2)", "false"),
        ("Collections.singleton(1).remove(1)", "@32 unsupported_operation_exception: "),
        ("Collections.emptyMap().remove(1)", "null"),
        ("Collections.emptyMap().clear(); return 1", "1"),
        ("Collections.singletonMap(1, 2).remove(3)", "null"),
        ("Collections.singletonMap(1, 2).remove(1)", "@38 unsupported_operation_exception: "),
        ("Collections.singletonMap(1, 2).keySet().remove(1)", "@47 unsupported_operation_exception: "),
        ("Collections.emptyMap().entrySet().remove(1)", "false"),
        ("Collections.unmodifiableSet(new HashSet()).remove(1)", "@50 unsupported_operation_exception: "),
        (
            "'a'.replaceAll(/b*/, x -> [1].stream())",
            "@21 class_cast_exception: class java.util.stream.ReferencePipeline$Head cannot be cast to class java.lang.String (java.util.stream.ReferencePipeline$Head and java.lang.String are in module java.base of loader 'bootstrap')",
        ),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
    for (made, told) in [
        ("Collections.emptyList()", "index_out_of_bounds_exception: Index: 7"),
        ("Collections.singletonList(1)", "index_out_of_bounds_exception: Index: 7, Size: 1"),
        ("Arrays.asList(new def[] {1})", "array_index_out_of_bounds_exception: Index 7 out of bounds for length 1"),
    ] {
        let answer = run(&format!("return {made}.get(7)"));
        assert!(answer.ends_with(told), "{made}: {answer}");
    }
}

#[test]
fn texts_are_searched_from_behind_their_end() {
    for of in ["'été'", "new StringBuffer('été')"] {
        assert_eq!(run(&format!("return {of}.indexOf('', Integer.MAX_VALUE)")), "3");
        assert_eq!(run(&format!("return {of}.lastIndexOf('t', Integer.MAX_VALUE)")), "1");
    }
}

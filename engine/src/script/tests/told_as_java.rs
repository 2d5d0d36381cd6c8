//! What lists, builders, paths and Base64 answer, and how they refuse.

use super::run;

#[test]
fn what_a_class_overrides_counts() {
    for (source, expected) in [
        ("def l = [5, 6]; l.remove(0); return l", "[6]"),
        ("def l = new LinkedList([5, 6]); return l.remove(0)", "5"),
        ("def s = new HashSet([5, 6]); s.remove(5); return s", "[6]"),
        ("1e400", "Infinity"),
        ("-1e40f", "-Infinity"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn refusals() {
    for (source, expected) in [
        ("['a': ['b': [1, 2]]].getByPath('a.c')", "Could not find value at path [a.c]"),
        ("['a': [:]].getByPath('a.b.c', 9)", "Container does not have [b], for non-terminal index [1] in path [a.b.c]"),
        ("[1, 2].getByPath('0.x')", "Non-container [java.lang.Integer] at [x], index [1] in path [0.x]"),
        ("[1, 2].getByPath('2', 9)", "Index 2 out of bounds for length 2"),
        ("[1, 2].getByPath('x')", "Could not parse [x] as a int index into list at path [x] and index [0]"),
        ("[:].getByPath('')", "Missing path"),
        ("[:].getByPath('a..b')", "Extra '.' in path [a..b] at index [1]"),
        ("[:].getByPath('.')", "Trailing '.' in path [.]"),
        ("'!!!'.decodeBase64()", "Illegal base64 character 21"),
        ("'é'.decodeBase64()", "Illegal base64 character -3d"),
        ("'a'.decodeBase64()", "Input byte[] should at least have 2 bytes for base64 bytes"),
        ("'ab=c'.decodeBase64()", "Input byte array has wrong 4-byte ending unit"),
        ("'abcde'.decodeBase64()", "Last unit does not have enough valid bits"),
        ("'ab==cd'.decodeBase64()", "Input byte array has incorrect ending byte at 4"),
        ("new StringBuilder('abc').deleteCharAt(3)", "Index 3 out of bounds for length 3"),
        ("new StringBuilder('abc').delete(5, 9)", "Range [5, 3) out of bounds for length 3"),
        ("int f() { 1 } int f() { 2 } 1", "invalid function definition: found duplicate function [f/0]."),
        ("try { return 1 } x", "unexpected token ['x'] was expecting one of ['catch']."),
    ] {
        let answer = run(source);
        assert!(answer.ends_with(expected), "{source}: {answer}");
    }
}

#[test]
fn what_is_not_used_is_named() {
    for (source, expected) in [
        (
            "(true ? 1 : 2); return 1",
            "@1 illegal_argument_exception: not a statement: result not used from conditional operation [?:]",
        ),
        (
            "def x = 1; x ?: 2; return 1",
            "@11 illegal_argument_exception: not a statement: result not used from elvis operation [?:]",
        ),
        (
            "def x = 1; x instanceof java.util.List; return 1",
            "@11 illegal_argument_exception: not a statement: result not used from instanceof with target type [java.util.List]",
        ),
        (
            "/a/imx; return 1",
            "@0 illegal_argument_exception: not a statement: regex constant [a] with flags [imx] not used",
        ),
        ("new Foo[2]; return 1", "@0 illegal_argument_exception: not a statement: result not used from new array"),
        ("Math; return 1", "@0 illegal_argument_exception: not a statement: static type [java.lang.Math] not used"),
        ("Math.ulp(Double.MAX_VALUE)", "1.99584030953472E292"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn what_fails_stands_where_its_last_part_does() {
    for (source, expected) in [
        ("return Integer.parseInt((true ? 'x' : 'y'))", "@25 number_format_exception: For input string: \"x\""),
        ("return Integer.parseInt(((def)'x').toString())", "@34 number_format_exception: For input string: \"x\""),
        (
            "int x = ((def)'ab').toString(); return x",
            "@14 wrong_method_type_exception: cannot convert MethodHandle(Object)String to (Object)int",
        ),
        ("String x = 'q'; throw new RuntimeException(x ?: 'b')", "@43 runtime_exception: q"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn what_could_never_be_the_index_of_an_item_is_not_looked_at() {
    let joined = |to: &str| format!("wrong_method_type_exception: cannot convert MethodHandle({to}");
    for (source, expected) in [
        ("def l = [1, 2]; return l[Math.floor(1)]", joined("List,int)int to (Object,double)double")),
        ("def l = [1, 2]; long at = 1; return l[at]", joined("List,int)int to (Object,long)long")),
        ("def l = new int[2]; return l[Math.floor(1)]", joined("int[],int)int to (Object,double)double")),
        ("def l = [1, 2]; def at = 1.0; return l[at]", "Cannot cast java.lang.Double to java.lang.Integer".to_owned()),
        ("def m = [:]; return m[1.5]", "null".to_owned()),
        ("def l = [1, 2]; int at = -1; return l[at]", "2".to_owned()),
    ] {
        assert!(run(source).ends_with(&expected), "{source}: {}", run(source));
    }
}

#[test]
fn whole_numbers_are_summed_up_exactly() {
    let many = "def o = new LongSummaryStatistics(); o.accept(1314564453825188563L); ";
    for (source, expected) in [
        (
            format!("{many} return o"),
            "LongSummaryStatistics{count=1, sum=1314564453825188563, min=1314564453825188563, \
             average=1314564453825188600.000000, max=1314564453825188563}",
        ),
        (format!("{many} o.combine(o); return o.max + 1"), "1314564453825188564"),
        (
            "def o = new DoubleSummaryStatistics(); o.accept(Double.NaN); o.accept(0.1234565); return o".to_owned(),
            "DoubleSummaryStatistics{count=2, sum=NaN, min=NaN, average=NaN, max=NaN}",
        ),
        (
            "new IntSummaryStatistics()".to_owned(),
            "IntSummaryStatistics{count=0, sum=0, min=2147483647, average=0.000000, max=-2147483648}",
        ),
        (
            "[0.5, 0.0000005].stream().collect(Collectors.summarizingDouble(d -> d))".to_owned(),
            "DoubleSummaryStatistics{count=2, sum=0.500001, min=0.000001, average=0.250000, max=0.500000}",
        ),
    ] {
        assert_eq!(run(&source), expected, "{source}");
    }
}

#[test]
fn texts_that_are_no_numbers() {
    for (source, expected) in [
        ("Double.parseDouble(' 1.2.5-3')", "multiple points"),
        ("Double.parseDouble('1.2x.3')", "For input string: \"1.2x.3\""),
        ("Float.parseFloat(' ')", "empty String"),
        ("(int)Character.forDigit(10, 37)", "0"),
        ("Character.forDigit(10, 36)", "a"),
    ] {
        assert!(run(source).ends_with(expected), "{source}: {}", run(source));
    }
}

#[test]
fn numbers_and_times_beyond_what_there_is() {
    for (source, expected) in [
        ("Long.parseLong('x', 5)", "For input string: \"x\" under radix 5"),
        ("Byte.parseByte('x', 0)", "radix 0 less than Character.MIN_RADIX"),
        ("new BigInteger('-ff', 16)", "-255"),
        ("new BigInteger('3').modPow(new BigInteger('-1'), new BigInteger('7'))", "5"),
        ("new BigInteger('4').modInverse(new BigInteger('8'))", "BigInteger not invertible."),
        ("new BigInteger('256').toByteArray().length", "2"),
        ("Year.of(2021).plusYears(Long.MAX_VALUE)", "(valid values -999999999 - 999999999): -9223372036854773788"),
        ("LocalDate.of(2021, 5, 6).plusDays(Long.MAX_VALUE)", "arithmetic_exception: long overflow"),
        ("LocalTime.of(23, 59).minusHours(Long.MAX_VALUE)", "16:59"),
        ("Instant.EPOCH.minus(Long.MAX_VALUE, ChronoUnit.DAYS)", "arithmetic_exception: long overflow"),
        ("Period.ofWeeks(Integer.MAX_VALUE)", "arithmetic_exception: integer overflow"),
        ("Instant.EPOCH.plus(2, ChronoUnit.DAYS)", "1970-01-03T00:00:00Z"),
        ("MonthDay.of(2, 3).format(DateTimeFormatter.ISO_DATE)", "Unsupported field: Year"),
        ("MonthDay.of(2, 3).format(DateTimeFormatter.ofPattern('yyyy-MM HH'))", "Unsupported field: YearOfEra"),
        ("MonthDay.of(2, 29).format(DateTimeFormatter.ofPattern('MM-dd'))", "02-29"),
        ("Period.of(1, 2, 3).getChronology()", "ISO"),
        (
            "Duration.ofSeconds(Long.MAX_VALUE).multipliedBy(3)",
            "Exceeds capacity of Duration: 27670116110564327421000000000",
        ),
        ("ZonedDateTime.parse('2021-03-04T05:06:07Z').with(MonthDay.of(2, 29))", "2021-02-28T05:06:07Z"),
        ("YearMonth.of(2020, 1).with(t -> t.plus(1, ChronoUnit.YEARS))", "2021-01"),
        ("Month.from(LocalDate.of(2021, 5, 6)).getLong(IsoFields.QUARTER_OF_YEAR)", "2"),
        ("IsoFields.QUARTER_OF_YEAR.getBaseUnit()", "QuarterYears"),
        ("def m = [:]; m.putAll([5: 1, 3: 2]); m", "{5=1, 3=2}"),
        ("Character.getType(65) + ':' + Character.isJavaIdentifierPart(45)", "1:false"),
        ("StringBuffer b = new StringBuffer('a').append('b'); b.reverse()", "ba"),
        (
            "String.join(',', [1])",
            "class java.lang.Integer cannot be cast to class java.lang.CharSequence (java.lang.Integer and java.lang.CharSequence are in module java.base of loader 'bootstrap')",
        ),
        ("Arrays.asList([1, 2].stream().toArray(x -> new def[x]))", "[1, 2]"),
    ] {
        let answer = run(source);
        assert!(answer.ends_with(expected), "{source}: {answer}");
    }
}

#[test]
fn dates_and_times_with_another_field() {
    let of_time = |field: &str, value: &str| format!("LocalTime.of(13, 2, 3).with(ChronoField.{field}, {value})");
    let of_date = |field: &str, value: &str| format!("LocalDate.of(2020, 1, 31).with(ChronoField.{field}, {value})");
    for (source, expected) in [
        (of_time("MILLI_OF_DAY", "77L"), "00:00:00.077"),
        (of_time("CLOCK_HOUR_OF_AMPM", "12L"), "12:02:03"),
        (of_time("AMPM_OF_DAY", "0L"), "01:02:03"),
        (of_time("DAY_OF_MONTH", "7L"), "Unsupported field: DayOfMonth"),
        (of_date("EPOCH_DAY", "77L"), "1970-03-19"),
        (of_date("PROLEPTIC_MONTH", "24241L"), "2020-02-29"),
        (of_date("ALIGNED_WEEK_OF_YEAR", "7L"), "2020-02-14"),
        ("Year.of(2020).with(ChronoField.MINUTE_OF_HOUR, 300L)".to_owned(), "(valid values 0 - 59): 300"),
        ("Year.of(2020).with(ChronoField.MINUTE_OF_HOUR, 3L)".to_owned(), "Unsupported field: MinuteOfHour"),
        ("Year.of(2020).with(IsoFields.QUARTER_OF_YEAR, 0L)".to_owned(), "Unsupported field: QuarterOfYear"),
        ("LocalDate.of(2020, 1, 1).plus(Duration.ofMillis(1))".to_owned(), "Unsupported unit: Nanos"),
    ] {
        let answer = run(&source);
        assert!(answer.ends_with(expected), "{source}: {answer}");
    }
}

#[test]
fn what_a_pattern_shows_has_to_be_there() {
    let shown = |of: &str, pattern: &str| format!("{of}.format(DateTimeFormatter.ofPattern('{pattern}'))");
    for (source, expected) in [
        (shown("LocalDate.of(2020, 1, 1)", "yyyy-MM-dd HH"), "Unsupported field: HourOfDay"),
        (shown("LocalDate.of(2020, 1, 1)", "yyyy-MM-dd XXX"), "Unsupported field: OffsetSeconds"),
        (shown("LocalTime.of(1, 2)", "HH VV"), "Unable to extract ZoneId from temporal 01:02"),
        (shown("LocalDate.of(2020, 1, 1)", "yyyy-MM-dd"), "2020-01-01"),
        ("Byte.valueOf('x', 42)".to_owned(), "radix 42 greater than Character.MAX_RADIX"),
    ] {
        let answer = run(&source);
        assert!(answer.ends_with(expected), "{source}: {answer}");
    }
}

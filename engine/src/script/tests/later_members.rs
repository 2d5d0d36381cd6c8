//! Members that are seldom used of classes that are used often: iterators, regions of matchers, queries of times.

use super::run;

#[test]
#[rustfmt::skip]
fn answers_of_members_that_are_seldom_used() {
    for (source, expected) in [
        ("List l = ['a', 'b', 'c']; ListIterator i = l.listIterator(1); i.next(); i.set('x'); i.add('y'); return l.toString() + i.nextIndex() + i.previousIndex() + i.hasPrevious() + i.hasNext()", "[a, x, y, c]32truetrue"),
        ("List l = ['a']; ListIterator i = l.listIterator(); i.set('x')", "@57 illegal_state_exception: "),
        ("List l = ['a']; def i = l.listIterator(2)", "@25 index_out_of_bounds_exception: Index: 2, Size: 1"),
        ("List l = ['a', 'b']; def i = l.listIterator(); i.next(); i.remove(); i.add('z'); return l", "[z, b]"),
        ("List l = ['a', 'b']; def i = l.listIterator(); i.next(); i.remove(); i.remove()", "@70 illegal_state_exception: "),
        ("PrimitiveIterator.OfInt i = IntStream.range(3, 6).iterator(); int s = 0; while (i.hasNext()) { s += i.nextInt() } return s", "12"),
        ("def i = LongStream.of(new long[] {4L, 5L}).iterator(); return i.nextLong() + i.next()", "9"),
        ("Stream.builder().add('a').add(2).build().collect(Collectors.toList())", "[a, 2]"),
        ("IntStream.Builder b = IntStream.builder(); b.accept(4); b.add(6); return b.build().sum()", "10"),
        ("def e = new AbstractMap.SimpleEntry('k', 1); e.setValue(5); return e.toString() + e.getKey() + e.getValue()", "k=5k5"),
        ("new AbstractMap.SimpleImmutableEntry('k', 1).setValue(2)", "@54 unsupported_operation_exception: "),
        ("IntSummaryStatistics s = new IntSummaryStatistics(); s.accept(4); s.accept(8); return s.getSum() + ' ' + s.getAverage() + ' ' + s.getMax()", "12 6.0 8"),
        ("Collections.list(Collections.enumeration([1, 2])).toString() + Collections.emptySortedMap() + Collections.emptyNavigableSet()", "[1, 2]{}[]"),
        ("Hashtable h = new Hashtable(['a': 1]); Enumeration k = h.keys(); return k.nextElement() + h.elements().nextElement() + k.hasMoreElements()", "a1false"),
        ("Matcher m = /b+/.matcher('abbabbb'); m.region(3, 6); def r = m.find() + ' ' + m.start() + ' ' + m.end() + ' ' + m.regionStart() + ' ' + m.regionEnd(); return r + m.reset().find() + m.start()", "true 4 6 3 6true1"),
        ("Matcher m = /^b$/.matcher('abc'); m.region(1, 2); return m.matches() + ' ' + m.lookingAt() + ' ' + m.hasAnchoringBounds() + m.hasTransparentBounds()", "true true truefalse"),
        ("Matcher m = /b/.matcher('abc'); m.region(2, 1)", "@33 index_out_of_bounds_exception: start > end"),
        ("Matcher m = /b/.matcher('abc'); m.region(0, 4)", "@33 index_out_of_bounds_exception: end"),
        ("Matcher m = /a/.matcher('abc'); m.usePattern(/c/); return m.find() + ' ' + m.start()", "true 2"),
        (r#"Matcher.quoteReplacement('a$1\\b')"#, r#"a\$1\\b"#),
        ("ZonedDateTime.parse('2021-03-04T05:06:07+01:00[Europe/Paris]').query(TemporalQueries.zoneId())", "Europe/Paris"),
        ("LocalDate.of(2020, 1, 2).query(TemporalQueries.precision()) + ' ' + LocalTime.NOON.query(TemporalQueries.precision()) + ' ' + LocalDate.of(2020, 1, 2).query(TemporalQueries.offset())", "Days Nanos null"),
        ("LocalDate.of(2020, 1, 2).query(t -> t.get(ChronoField.YEAR))", "2020"),
        ("LocalDate.of(2020, 1, 2).getChronology().getId() + LocalDate.of(2020, 1, 2).getEra() + IsoChronology.INSTANCE.isLeapYear(2020L) + IsoEra.of(0)", "ISOCEtrueBCE"),
        ("DateTimeFormatter.ofPattern('yyyy-MM-dd').parse('2020-02-03', LocalDate::from)", "2020-02-03"),
        ("StringBuilder b = new StringBuilder('at '); DateTimeFormatter.ISO_LOCAL_DATE.formatTo(LocalDate.of(2020, 1, 2), b); return b", "at 2020-01-02"),
        ("Temporal t = LocalDate.of(2020, 1, 2); return t.plus(1L, ChronoUnit.DAYS).with(ChronoField.DAY_OF_MONTH, 9L).minus(Period.ofDays(2)).until(LocalDate.of(2020, 2, 9), ChronoUnit.DAYS)", "33"),
        ("ZoneId.of('Europe/Berlin').getRules().getOffset(Instant.EPOCH) + ' ' + ZoneId.of('Europe/Berlin').getRules().isDaylightSavings(Instant.parse('2020-07-01T00:00:00Z')) + ZoneOffset.UTC.getRules().isFixedOffset()", "+01:00 truetrue"),
        ("ZoneId.of('Europe/Berlin').getRules().getValidOffsets(LocalDateTime.of(2020, 10, 25, 2, 30))", "[+02:00, +01:00]"),
        ("ZonedDateTime.ofLocal(LocalDateTime.of(2020, 10, 25, 2, 30), ZoneId.of('Europe/Berlin'), ZoneOffset.ofHours(1))", "2020-10-25T02:30+01:00[Europe/Berlin]"),
        ("ZonedDateTime.ofStrict(LocalDateTime.of(2020, 10, 25, 2, 30), ZoneOffset.ofHours(3), ZoneId.of('Europe/Berlin'))", "@91 date_time_exception: ZoneOffset '+03:00' is not valid for LocalDateTime '2020-10-25T02:30' in zone 'Europe/Berlin'"),
        ("LocalDateTime.of(2020, 10, 25, 2, 30).toEpochSecond(ZoneOffset.ofHours(2))", "1603585800"),
        ("ZoneId.from(LocalDate.of(2020, 1, 2))", "@21 date_time_exception: Unable to obtain ZoneId from TemporalAccessor: 2020-01-02 of type java.time.LocalDate"),
        ("ZoneId.ofOffset('UTC', ZoneOffset.ofHours(2)).toString() + ZoneId.of('UTC').normalized() + ZoneOffset.from(OffsetDateTime.parse('2020-03-01T10:15:30+02:00')) + ZoneOffset.UTC.compareTo(ZoneOffset.ofHours(1))", "UTC+02:00Z+02:003600"),
        ("Year.of(2021).atMonthDay(MonthDay.of(2, 29)).toString() + Year.of(2021).isValidMonthDay(MonthDay.of(2, 29))", "2021-02-28false"),
        ("Duration.from(Period.ofDays(2)).toString() + Period.from(Period.ofDays(3))", "@20 unsupported_temporal_type_exception: Unit must not have an estimated duration"),
        ("Duration.from(Period.ofMonths(2))", "@20 unsupported_temporal_type_exception: Unit must not have an estimated duration"),
        ("TextStyle.FULL_STANDALONE.asNormal().toString() + TextStyle.SHORT.asStandalone() + TextStyle.NARROW.isStandalone() + TextStyle.NARROW.ordinal() + DayOfWeek.MONDAY.getDisplayName(TextStyle.SHORT_STANDALONE, Locale.ROOT)", "FULLSHORT_STANDALONEfalse4Mon"),
        ("char[] c = new char[5]; 'hello'.getChars(1, 4, c, 1); return (int) c[0] + ' ' + c[1] + c[2] + c[3]", "0 ell"),
        ("char[] c = new char[2]; 'hello'.getChars(1, 4, c, 1)", "@31 string_index_out_of_bounds_exception: Range [1, 1 + 3) out of bounds for length 2"),
        ("UUID.fromString('123e4567-e89b-12d3-a456-426614174000').timestamp() + ' ' + UUID.fromString('123e4567-e89b-12d3-a456-426614174000').clockSequence() + ' ' + UUID.fromString('123e4567-e89b-12d3-a456-426614174000').node()", "203762160885450087 9302 73006191165440"),
        ("UUID.fromString('123e4567-e89b-42d3-a456-426614174000').timestamp()", "@55 unsupported_operation_exception: Not a time-based UUID"),
        ("new ScriptedAvg(5.0, 2L).getSum() + new ScriptedAvg(5.0, 2L).getCount()", "7.0"),
        ("Optional.empty().orElseThrow(() -> 's')", "@29 class_cast_exception: class java.lang.String cannot be cast to class java.lang.Throwable (java.lang.String and java.lang.Throwable are in module java.base of loader 'bootstrap')"),
        ("Math.ulp(Double.MAX_VALUE)", "1.99584030953472E292"),
        ("'abc'.codePointBefore(0)", "@5 string_index_out_of_bounds_exception: Index -1 out of bounds for length 3"),
        ("Character.codePointBefore('abc', 2) + Character.codePointCount('abc', 0, 3) + Character.offsetByCodePoints('abc', 0, 2)", "103"),
        ("[1, 2].stream().sequential().collect(Collectors.toList())", "@28 illegal_argument_exception: member method [java.util.stream.BaseStream, collect/1] not found"),
        ("LocalDate.of(2020, 1, 2).isAfter(LocalDate.of(2020, 1, 1))", "true"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
#[rustfmt::skip]
fn what_is_cast_joined_compared_and_refused_as_java_does_it() {
    for (source, expected) in [
        ("new Date(253402300800000L)", "Sat Jan 01 00:00:00 UTC 10000"),
        ("new Date(Long.MAX_VALUE)", "Sun Aug 17 07:12:55 UTC 292278994"),
        ("new Date(Long.MIN_VALUE)", "Sun Dec 02 16:47:04 UTC 292269055"),
        ("new Date(-62135596800001L)", "Sun Jan 02 23:59:59 UTC 1"),
        ("BigDecimal.ONE.setScale(Integer.MIN_VALUE)", "@31 arithmetic_exception: Underflow"),
        ("BigDecimal.ONE.setScale(-2147483647)", "@14 arithmetic_exception: BigInteger would overflow supported range"),
        ("BigDecimal.ZERO.setScale(-2147483647)", "0E+2147483647"),
        ("def o = 5L; double d = 3; o.compareTo(d)", "@27 class_cast_exception: cannot implicitly cast def [double] to java.lang.Long"),
        ("def o = 5; o.compareTo('3')", "@12 class_cast_exception: cannot implicitly cast def [java.lang.String] to java.lang.Integer"),
        ("def o = true; o.compareTo('3')", "@15 class_cast_exception: Cannot cast java.lang.String to java.lang.Boolean"),
        ("List x = ((def)LocalDate.of(2020, 1, 1)).hashCode(); return x", "@24 wrong_method_type_exception: cannot convert MethodHandle(Object)int to (Object)List"),
        ("def o = ChronoUnit.DAYS; o.isSupportedBy(5)", "@26 wrong_method_type_exception: cannot convert MethodHandle(TemporalUnit,Temporal)boolean to (Object,int)Object"),
        ("def b = new BigInteger('5'); (double)(false ? 0 : b)", "@50 class_cast_exception: cannot explicitly cast def [java.math.BigInteger] to byte"),
        ("(char)(true ? 'a' : 98)", "a"),
        ("Month.FEBRUARY.query(t -> t.toString())", "FEBRUARY"),
        ("Integer.parseUnsignedInt('x', 3)", "@7 number_format_exception: For input string: \"x\" under radix 3"),
        ("Integer.parseUnsignedInt('4294967296')", "@7 number_format_exception: String value 4294967296 exceeds range of unsigned int."),
        ("LocalTime.MIDNIGHT.until(LocalDateTime.of(2020, 1, 1, 1, 1), ChronoUnit.MINUTES)", "61"),
        ("Period.ofDays(1).plus(Period.of(1, 2, 3)).minus(Period.ofMonths(1))", "P1Y1M4D"),
        ("Period.ofDays(1).plus(Duration.ofHours(5))", "@30 date_time_exception: Unit must be Years, Months or Days, but was Seconds"),
        ("TreeSet o = new TreeSet(); o.floor(null)", "null"),
        ("TreeSet o = new TreeSet(); o.add(1); o.floor(null)", "@38 null_pointer_exception: Cannot invoke \"java.lang.Comparable.compareTo(Object)\" because \"k1\" is null"),
        ("Collections.max([1, 2.5])", "@16 class_cast_exception: class java.lang.Integer cannot be cast to class java.lang.Double (java.lang.Integer and java.lang.Double are in module java.base of loader 'bootstrap')"),
        ("def l = [1, 2, 3]; l.sort((x, y) -> -1); l", "[3, 2, 1]"),
        ("Float.toHexString(42.0f) + Float.toHexString(Float.MIN_VALUE) + Float.toHexString(-0.0f)", "0x1.5p50x0.000002p-126-0x0.0p0"),
        ("new StringBuilder().capacity() + new StringBuilder('it is').append('Quick Brown Fox').capacity()", "37"),
        ("StringBuilder o = new StringBuilder('0123456789'); o.insert(3, '0123456789'); o.insert(3, '0123456789'); o.capacity()", "54"),
        ("def o = new StringBuffer(); for (int i = 0; i < 100; i++) o.append('abc'); o.delete(0, 50); o.setLength(300); o.capacity()", "574"),
        ("['b', 'a', 'c'].stream().min(Comparator.naturalOrder()).get() + ['b', 'a', 'c'].stream().max(Comparator.naturalOrder()).get()", "ac"),
        ("[1, 'a'].stream().min(Comparator.naturalOrder())", "@32 class_cast_exception: class java.lang.String cannot be cast to class java.lang.Integer (java.lang.String and java.lang.Integer are in module java.base of loader 'bootstrap')"),
        ("ZoneId.of('')", "@6 date_time_exception: Invalid ID for ZoneOffset, invalid format: "),
        ("ZoneOffset.ofHoursMinutes(1, -5)", "@10 date_time_exception: Zone offset minutes and seconds must be positive because hours is positive"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

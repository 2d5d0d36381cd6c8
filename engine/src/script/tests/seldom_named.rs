//! Classes that scripts name seldom: bit sets, tokenizers, moments at offsets, sorted maps, random numbers.

use super::run;

#[test]
#[rustfmt::skip]
fn bit_sets_and_tokenizers() {
    for (source, expected) in [
        (r#"BitSet b = new BitSet(10); b.set(1,5); b.clear(2); b.flip(0,3); return b.toString() + b.nextSetBit(0) + b.nextClearBit(0) + b.previousSetBit(9) + b.previousClearBit(9) + " " + b.size()"#, "{0, 2, 3, 4}0149 64"),
        ("BitSet b = new BitSet(10); b.set(-1)", "@28 index_out_of_bounds_exception: bitIndex < 0: -1"),
        ("BitSet b = new BitSet(-1); return 1", "@11 negative_array_size_exception: nbits < 0: -1"),
        ("BitSet b = new BitSet(10); b.set(5,3)", "@28 index_out_of_bounds_exception: fromIndex: 5 > toIndex: 3"),
        ("BitSet b = new BitSet(10); b.clear(5,-3)", "@28 index_out_of_bounds_exception: toIndex < 0: -3"),
        (r#"def a = new BitSet(); def b = new BitSet(); a.set(1); a.set(2); b.set(2); b.set(200); a.or(b); def c = a.clone(); c.and(b); a.xor(b); return [a,b,c,a.intersects(b), c.equals(b), a.isEmpty()] + """#, "[{1}, {2, 200}, {2, 200}, false, true, false]"),
        (r#"def a = BitSet.valueOf(new long[] {5L, 0L, 1L, 0L}); return a + " " + a.size() + " " + a.toLongArray().length + " " + a.toByteArray().length"#, "{0, 2, 128} 192 3 17"),
        (r#"def a = new BitSet(); a.set(200); def c = a.clone(); return c.size() + " " + a.size()"#, "256 256"),
        ("def a = new BitSet(); a.set(1, 4, true); a.set(2, 3, false); a.andNot(BitSet.valueOf(new long[] {8L})); return a.toString()", "{1}"),
        (r#"StringTokenizer t = new StringTokenizer("a b,c"); return t.countTokens() + t.nextToken() + t.hasMoreTokens() + t.nextToken() + t.hasMoreTokens()"#, "2atrueb,cfalse"),
        (r#"StringTokenizer t = new StringTokenizer("a,b;c", ",;", true); def l = []; while (t.hasMoreTokens()) { l.add(t.nextToken()) } return l + " ""#, "[a, ,, b, ;, c] "),
        (r#"def t = new StringTokenizer("x-y z", "-"); return t.nextElement() + "|" + t.nextToken(" ") + t.hasMoreElements()"#, "x|-ytrue"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
#[rustfmt::skip]
fn moments_at_offsets_and_days_of_months() {
    for (source, expected) in [
        (r#"OffsetDateTime o = OffsetDateTime.parse("2020-03-01T10:15:30+02:00"); return o + " " + o.getOffset() + " " + o.toInstant() + " " + o.plusDays(1) + " " + o.withHour(3) + o.toEpochSecond()"#, "2020-03-01T10:15:30+02:00 +02:00 2020-03-01T08:15:30Z 2020-03-02T10:15:30+02:00 2020-03-01T03:15:30+02:001583050530"),
        ("OffsetDateTime.of(2020,2,30,1,1,1,0,ZoneOffset.UTC)", "@46 date_time_exception: Invalid date 'FEBRUARY 30'"),
        (r#"OffsetDateTime o = OffsetDateTime.of(2020,2,29,1,1,1,5,ZoneOffset.ofHours(-3)); return o + " " + o.withOffsetSameInstant(ZoneOffset.UTC) + " " + o.withOffsetSameLocal(ZoneOffset.UTC) + " " + o.atZoneSameInstant(ZoneId.of("Europe/Berlin")) + " " + o.atZoneSimilarLocal(ZoneId.of("Europe/Berlin")) + o.toZonedDateTime() + o.getDayOfWeek() + o.getMonth() + o.getNano()"#, "2020-02-29T01:01:01.000000005-03:00 2020-02-29T04:01:01.000000005Z 2020-02-29T01:01:01.000000005Z 2020-02-29T05:01:01.000000005+01:00[Europe/Berlin] 2020-02-29T01:01:01.000000005+01:00[Europe/Berlin]2020-02-29T01:01:01.000000005-03:00SATURDAYFEBRUARY5"),
        (r#"def z = ZonedDateTime.parse("2020-03-29T01:30:00+01:00[Europe/Berlin]"); return z.toOffsetDateTime().plusHours(1) + " " + z.plusHours(1)"#, "2020-03-29T02:30+01:00 2020-03-29T03:30+02:00[Europe/Berlin]"),
        (r#"def a = OffsetDateTime.parse("2020-03-01T10:15:30+02:00"); def b = OffsetDateTime.parse("2020-03-01T08:15:30Z"); return a.isEqual(b) + " " + a.equals(b) + " " + a.compareTo(b) + " " + a.isAfter(b) + ChronoUnit.HOURS.between(a,b) + a.until(b, ChronoUnit.MINUTES)"#, "true false 1 false00"),
        ("Instant.ofEpochMilli(12345L).atOffset(ZoneOffset.ofHours(2)).toString()", "1970-01-01T02:00:12.345+02:00"),
        (r#"OffsetDateTime.parse("2020-03-01T10:15:30+02:00").format(DateTimeFormatter.ISO_OFFSET_DATE_TIME)"#, "2020-03-01T10:15:30+02:00"),
        (r#"OffsetDateTime.parse("2020-03-01T10:15:30+02:00[Europe/Berlin]")"#, "@21 date_time_parse_exception: Text '2020-03-01T10:15:30+02:00[Europe/Berlin]' could not be parsed, unparsed text found at index 25"),
        (r#"OffsetDateTime.parse("2020-03-01T10:15:30")"#, "@21 date_time_parse_exception: Text '2020-03-01T10:15:30' could not be parsed at index 19"),
        (r#"OffsetDateTime.parse("2020-03-01T10:15:30+02:00").truncatedTo(ChronoUnit.HOURS)"#, "2020-03-01T10:00+02:00"),
        (r#"OffsetDateTime.parse("2020-03-01T10:15:30+02:00").get(ChronoField.OFFSET_SECONDS)"#, "7200"),
        (r#"OffsetDateTime.ofInstant(Instant.EPOCH, ZoneId.of("Asia/Tokyo"))"#, "1970-01-01T09:00+09:00"),
        (r#"OffsetDateTime.from(ZonedDateTime.parse("2020-03-29T01:30:00+01:00[Europe/Berlin]")).toString()"#, "2020-03-29T01:30+01:00"),
        (r#"MonthDay.of(2,29).atYear(2021).toString() + MonthDay.of(12,3) + MonthDay.parse("--04-30").isValidYear(2020)"#, "2021-02-28--12-03true"),
        ("MonthDay.of(2,30)", "@8 date_time_exception: Illegal value for DayOfMonth field, value 30 is not valid for month FEBRUARY"),
        ("MonthDay.of(13,30)", "@8 date_time_exception: Invalid value for MonthOfYear: 13"),
        (r#"MonthDay.parse("4-30")"#, "@15 date_time_parse_exception: Text '4-30' could not be parsed at index 0"),
        ("MonthDay.of(2,3).withDayOfMonth(31)", "@16 date_time_exception: Illegal value for DayOfMonth field, value 31 is not valid for month FEBRUARY"),
        (r#"MonthDay.from(LocalDate.of(2020,5,6)).format(DateTimeFormatter.ofPattern("dd/MM"))"#, "06/05"),
        ("MonthDay.of(1,2).get(ChronoField.YEAR)", "@32 unsupported_temporal_type_exception: Unsupported field: Year"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
#[rustfmt::skip]
fn sorted_maps_are_navigable() {
    for (source, expected) in [
        (r#"TreeMap m = new TreeMap(); for (int i = 0; i < 10; i += 2) { m.put(i, "v" + i) } return m.floorKey(3) + " " + m.ceilingKey(3) + " " + m.higherKey(4) + " " + m.floorEntry(-1) + m.lowerEntry(4) + m.higherEntry(8) + m.ceilingEntry(8)"#, "2 4 6 null2=v2null8=v8"),
        (r#"TreeMap m = new TreeMap(); for (int i = 0; i < 10; i += 2) { m.put(i, "v" + i) } return m.headMap(4) + " " + m.headMap(4, true) + " " + m.tailMap(4) + m.tailMap(4, false) + m.subMap(2, 6) + m.subMap(2, false, 6, true) + m.descendingMap() + m.descendingKeySet() + m.navigableKeySet() + m.comparator()"#, "{0=v0, 2=v2} {0=v0, 2=v2, 4=v4} {4=v4, 6=v6, 8=v8}{6=v6, 8=v8}{2=v2, 4=v4}{4=v4, 6=v6}{8=v8, 6=v6, 4=v4, 2=v2, 0=v0}[8, 6, 4, 2, 0][0, 2, 4, 6, 8]null"),
        (r#"def m = new TreeMap(Comparator.reverseOrder()); m.put(1,2); m.put(3,4); return m.firstEntry() + " " + m.pollFirstEntry() + m + m.firstKey() + m.lastKey() + m.headMap(1) + m.floorKey(2)"#, "3=4 3=4{1=2}11{}null"),
        ("NavigableMap m = new TreeMap(); return m.firstEntry()", "null"),
        (r#"SortedMap m = new TreeMap(); m.put("a", 1); return m.subMap("a", "b") + """#, "{a=1}"),
        ("SortedMap m = new TreeMap(); m.put(1,1); return m.firstEntry()", "@49 illegal_argument_exception: member method [java.util.SortedMap, firstEntry/0] not found"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
#[rustfmt::skip]
fn random_numbers_exceptions_and_enumerations() {
    for (source, expected) in [
        (r#"def r = new Random(42); byte[] b = new byte[6]; r.nextBytes(b); return b[0] + " " + b[3] + " " + b[5]"#, "53 -70 -118"),
        (r#"def r = new Random(42); r.setSeed(7); return r.ints(3).boxed().collect(Collectors.toList()) + " " + r.longs(2).boxed().collect(Collectors.toList()) + r.doubles(2).boxed().collect(Collectors.toList())"#, "[-1156638823, -1552468968, -1077308326] [177623051241444105, 9050065214052234305][0.7425885008003883, 0.5691496335255319]"),
        ("def r = new Random(42); return r.ints(-1)", "@32 illegal_argument_exception: size must be non-negative"),
        ("def l = [1,2,3,4,5,6]; Collections.shuffle(l, new Random(3)); return l.toString()", "[6, 4, 2, 5, 1, 3]"),
        ("Character.UPPERCASE_LETTER + Character.DIRECTIONALITY_UNDEFINED + Character.MATH_SYMBOL", "25"),
        ("return Character.MAX_HIGH_SURROGATE + 0", "56319"),
        (r#"return "" + Collections.EMPTY_MAP + Collections.EMPTY_SET"#, "{}[]"),
        (r#"ArrayDeque d = new ArrayDeque([1,2,3,1]); d.removeLastOccurrence(1); def i = d.descendingIterator(); return d + " " + i.next() + d.removeFirstOccurrence(7)"#, "[1, 2, 3] 3false"),
        (r#"return OptionalInt.of(3).orElseThrow(() -> new IllegalStateException("x"))"#, "3"),
        (r#"return OptionalInt.empty().orElseThrow(() -> new IllegalStateException("x"))"#, "@45 illegal_state_exception: x"),
        (r#"Normalizer.normalize("e\u0301 ﬁ", Normalizer.Form.NFKC)"#, r#"@21 illegal_argument_exception: unexpected character ["e\u]. The only valid escape sequences in strings starting with ["] are [\\] and [\"]."#),
        (r#"Normalizer.isNormalized("e\u0301", Normalizer.Form.NFC)"#, r#"@24 illegal_argument_exception: unexpected character ["e\u]. The only valid escape sequences in strings starting with ["] are [\\] and [\"]."#),
        (r#"Normalizer.Form.valueOf("NFX")"#, "@15 illegal_argument_exception: No enum constant java.text.Normalizer.Form.NFX"),
        (r#"return FormatStyle.values().length + " " + ResolverStyle.valueOf("SMART") + SignStyle.NEVER.ordinal()"#, "4 SMART2"),
        ("Locale.Category.DISPLAY.toString() + Collector.Characteristics.UNORDERED.name()", "DISPLAYUNORDERED"),
        ("throw new IllegalFormatWidthException(4)", "@6 illegal_format_width_exception: 4"),
        (r#"try { throw new IllegalFormatFlagsException("abc") } catch (IllegalFormatException e) { return e.getMessage() }"#, "Flags = 'abc'"),
        (r#"def e = new IllegalFormatFlagsException("abc"); return e.getFlags() + e.getMessage()"#, "abcFlags = 'abc'"),
        (r#"def e = new MissingFormatArgumentException("abc"); return e.getFormatSpecifier() + e.getMessage()"#, "abcFormat specifier 'abc'"),
        (r#"def e = new UnknownFormatConversionException("q"); return e.getConversion() + e.getMessage()"#, "qConversion = 'q'"),
        (r#"def e = new UnknownFormatFlagsException("q"); return e.getFlags() + e.getMessage()"#, "qFlags = q"),
        (r#"def e = new DuplicateFormatFlagsException("q"); return e.getFlags() + e.getMessage()"#, "qFlags = 'q'"),
        ("def e = new IllegalFormatPrecisionException(8); return e.getPrecision() + e.getMessage()", "88"),
        (r#"throw new IllegalThreadStateException("x")"#, "@6 illegal_thread_state_exception: x"),
        ("RandomAccess r = new ArrayList(); return r instanceof RandomAccess", "true"),
        (r#"AbstractSet s = new TreeSet([3,1]); AbstractCollection c = s; return c + """#, "@28 class_cast_exception: Cannot cast from [java.util.ArrayList] to [java.util.Comparator]."),
        (r#"ZonedDateTime a = ZonedDateTime.parse("2020-03-01T10:15:30+02:00"); ZonedDateTime b = ZonedDateTime.parse("2020-03-01T08:15:30Z"); return a.equals(b) + " " + a.isEqual(b) + " " + [a].contains(b)"#, "false true false"),
        ("return [LocalDate.of(2020,1,2).getDayOfWeekEnum()]", "@30 illegal_argument_exception: member method [java.time.LocalDate, getDayOfWeekEnum/0] not found"),
        (r#"return ZonedDateTime.parse("2020-03-01T10:15:30+02:00").getDayOfWeekEnum()"#, "SUNDAY"),
        (r#"Set s = new HashSet(); s.add(OffsetDateTime.parse("2020-03-01T10:15:30+02:00")); return s.contains(OffsetDateTime.parse("2020-03-01T08:15:30Z"))"#, "false"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn ranges_of_values_have_hashes() {
    for (bounds, expected) in [
        ("1L, 5L", "262148"),
        ("1L, 7L, 9L", "524294"),
        ("-5L, 9223372036854775807L, 9223372036854775807L", "-2147123193"),
        ("-70000L, -2L, 5000000000L, 90000000000L", "773067003"),
    ] {
        assert_eq!(run(&format!("ValueRange.of({bounds}).hashCode()")), expected, "{bounds}");
    }
}

#[test]
fn names_in_no_language_are_short() {
    let at = "LocalDateTime.of(2020, 9, 7, 3, 4)";
    for (source, expected) in [
        ("Month.SEPTEMBER.getDisplayName(TextStyle.FULL, Locale.ROOT)".to_owned(), "Sep"),
        ("Month.SEPTEMBER.getDisplayName(TextStyle.NARROW, Locale.ROOT)".to_owned(), "9"),
        ("DayOfWeek.MONDAY.getDisplayName(TextStyle.FULL_STANDALONE, Locale.ROOT)".to_owned(), "Mon"),
        ("DayOfWeek.MONDAY.getDisplayName(TextStyle.FULL, Locale.ENGLISH)".to_owned(), "Monday"),
        (format!("DateTimeFormatter.ofPattern('MMMM EEEE GGGG QQQQ', Locale.ROOT).format({at})"), "Sep Mon CE Q3"),
        (format!("DateTimeFormatter.ofPattern('MMMM').withLocale(Locale.ROOT).format({at})"), "Sep"),
        (format!("DateTimeFormatter.ofPattern('MMMM EEEE GGGGG').format({at})"), "September Monday A"),
    ] {
        assert_eq!(run(&source), expected, "{source}");
    }
}

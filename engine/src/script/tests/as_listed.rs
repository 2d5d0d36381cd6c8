//! Members that the reference lists, and some that it does not though Java has them.

use super::run;

#[test]
#[rustfmt::skip]
fn members_that_are_listed() {
    for (source, expected) in [
        ("try { LocalDate.parse('2020-12-01x') } catch (DateTimeParseException e) { return e.getParsedString() + '|' + e.getErrorIndex() }", "2020-12-01x|10"),
        ("try { throw new DateTimeParseException('a', 'b', 3) } catch (DateTimeParseException e) { return e.getMessage() + e.getParsedString() + e.getErrorIndex() }", "ab3"),
        ("try { throw new ParseException('a', -7) } catch (ParseException e) { return e.getErrorOffset() + e.getMessage() }", "-7a"),
        ("try { throw new MissingResourceException('a', 'b', null) } catch (MissingResourceException e) { return e.getMessage() + e.getClassName() + e.getKey() }", "abnull"),
        ("def e = new FormatFlagsConversionMismatchException('#', (char)'d'); return e.getMessage() + e.getFlags() + e.getConversion()", "Conversion = d, Flags = ##d"),
        ("def e = new IllegalFormatCodePointException(65); return e.getMessage() + ' ' + e.getCodePoint()", "Code point = 0x41 65"),
        ("Vector v = new Vector([1,2,1]); return v.lastIndexOf(1, 1) + ' ' + v.lastIndexOf(1, 2) + ' ' + v.lastIndexOf(3, 2) + ' ' + v.lastIndexOf(1, -1)", "0 2 -1 -1"),
        ("Vector v = new Vector(); return v.lastIndexOf(null, 0)", "@33 index_out_of_bounds_exception: 0 >= 0"),
        ("return new Random(3L).ints(20L, 0, 16).sum() + ' ' + new Random(3L).ints(20L, -5, 17).sum()", "141 117"),
        ("return new Random(3L).longs(20L, 0L, 16L).sum() + ' ' + new Random(3L).longs(20L, -5L, 17L).sum()", "125 145"),
        ("return new Random(3L).doubles(20L, 0.5, 16.0).sum()", "170.5031826793858"),
        ("return new Random(3L).ints(2L, 5, 5).sum()", "@21 illegal_argument_exception: bound must be greater than origin"),
        ("return TimeZone.getTimeZone('Europe/Paris').getRawOffset() + ' ' + TimeZone.getTimeZone('Australia/Lord_Howe').getDSTSavings() + ' ' + TimeZone.getTimeZone('Asia/Kolkata').useDaylightTime()", "3600000 1800000 false"),
        ("return TimeZone.getTimeZone('Europe/Paris').inDaylightTime(new Date(1500000000000L))", "true"),
        ("Calendar c = Calendar.getInstance(TimeZone.getTimeZone('Europe/Berlin')); c.setTimeInMillis(1614834367123L); c.add(Calendar.MONTH, 12); c.set(Calendar.DAY_OF_WEEK, Calendar.MONDAY); return c.get(Calendar.YEAR) + ' ' + c.get(Calendar.MONTH) + ' ' + c.get(Calendar.DATE) + ' ' + c.get(Calendar.HOUR_OF_DAY) + ' ' + c.getTimeInMillis()", "2022 1 28 6 1646024767123"),
        ("Calendar c = new GregorianCalendar(2020, Calendar.JANUARY, 31); c.add(Calendar.MONTH, 1); return c.getActualMaximum(Calendar.DAY_OF_MONTH) + ' ' + c.get(Calendar.DAY_OF_MONTH) + ' ' + c.get(Calendar.WEEK_OF_YEAR) + ' ' + c.getDisplayName(Calendar.DAY_OF_WEEK, Calendar.LONG, Locale.US)", "29 29 9 Saturday"),
        ("Calendar c = new GregorianCalendar(2021, 1, 31); c.setLenient(false); return c.getTime()", "@78 illegal_argument_exception: MONTH: 1 -> 2"),
        ("return ((def)[0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1]).stream().collect(Collectors.summingDouble(x -> x))", "1.0"),
        ("def s = ['a': 2].entrySet(); return s.remove(2) + ' ' + s", "false [a=2]"),
        ("def s = ['a': 2].entrySet(); return s.remove(new AbstractMap.SimpleEntry('a', 2)) + ' ' + s", "true []"),
        ("return Collections.emptyList()[3]", "@30 index_out_of_bounds_exception: Index: 3"),
        ("return Collections.singletonList(1)[3]", "@35 index_out_of_bounds_exception: Index: 3, Size: 1"),
        ("Set s = new HashSet([1, 2]); return s.remove(1)", "true"),
        ("Deque s = new LinkedList([5, 1, 2]); return s.remove(1) + ' ' + s", "true [5, 2]"),
    ] {
        assert_eq!(run(source), expected, "{source}");
    }
}

#[test]
fn members_that_are_not_listed() {
    for source in [
        "Character.isLowSurrogate((char)'a')",
        "Collection c = [1, 2]; c.remove(1)",
        "PriorityQueue c = new PriorityQueue(); c.comparator()",
        "Stream.generate(() -> 1)",
        "Stream.iterate(1, x -> x + 1)",
        "DoubleStream.range(1.0, 2.0)",
        "Collectors.filtering(x -> x > 1, Collectors.toList())",
        "ZoneId.UTC",
        "LocalDateTime.of(2020, 1, 1, 1, 1).withNano(5)",
        "throw new ParseException('a')",
        "throw new DateTimeException()",
        "throw new EmptyStackException('a')",
        "throw new IllegalFormatException()",
    ] {
        assert!(run(source).contains(" not found"), "{source}: {}", run(source));
    }
}

//! `String.format`, and how it refuses.

use super::run;

const PLACES: &[(&str, &str)] = &[
    (r#"String.format("%-d", new def[] {1})"#, "@32 missing_format_width_exception: %-d"),
    (r#"String.format("%.2d", new def[] {1})"#, "@33 illegal_format_precision_exception: 2"),
    (
        r#"String.format("%#s", new def[] {1})"#,
        "@32 format_flags_conversion_mismatch_exception: Conversion = s, Flags = #",
    ),
    (
        r#"String.format("%+s", new def[] {1})"#,
        "@32 format_flags_conversion_mismatch_exception: Conversion = s, Flags = +",
    ),
    (r#"String.format("%-05d", new def[] {1})"#, "@34 illegal_format_flags_exception: Flags = '-0'"),
    (r#"String.format("%+ d", new def[] {1})"#, "@33 illegal_format_flags_exception: Flags = '+ '"),
    (r#"String.format("%--5d", new def[] {1})"#, "@34 duplicate_format_flags_exception: Flags = '-'"),
    (r#"String.format("%5n", new def[] {1})"#, "@32 illegal_format_width_exception: 5"),
    (r#"String.format("%5%", new def[] {1})"#, "    %"),
    (r#"String.format("%-%", new def[] {1})"#, "@32 missing_format_width_exception: %-%"),
    (r#"String.format("%<s", new def[] {1})"#, "@32 missing_format_argument_exception: Format specifier '%<s'"),
    (r#"String.format("%3$s", new def[] {1})"#, "@33 missing_format_argument_exception: Format specifier '%3$s'"),
    (
        r#"String.format("%0$s", new def[] {1})"#,
        "@33 illegal_format_argument_index_exception: Illegal format argument index = 0",
    ),
    (r#"String.format("%#x %#o", new def[] {255, 8})"#, "0xff 010"),
    (
        r#"String.format("%+x", new def[] {255})"#,
        "@32 format_flags_conversion_mismatch_exception: Conversion = x, Flags = +",
    ),
    (r#"String.format("%x", new def[] {(byte)-1})"#, "ff"),
    (r#"String.format("%c", new def[] {65})"#, "A"),
    (r#"String.format("%c", new def[] {"a"})"#, "@31 illegal_format_conversion_exception: c != java.lang.String"),
    (r#"String.format("%C", new def[] {(char)97})"#, "A"),
    (r#"String.format("%.2c", new def[] {(char)97})"#, "@39 illegal_format_precision_exception: 2"),
    (r#"String.format("%g", new def[] {123456789.0})"#, "1.23457e+08"),
    (r#"String.format("%g", new def[] {0.0})"#, "0.00000"),
    (r#"String.format("%.3g", new def[] {12.345})"#, "12.3"),
    (r#"String.format("%(,.2f", new def[] {-1234.5})"#, "(1,234.50)"),
    (
        r#"String.format("%010.2f|%+.1e|%(8.1f|% .1f", new def[] {-1234.5, 12345.0, -2.25, 2.25})"#,
        "-001234.50|+1.2e+04|   (2.3)| 2.3",
    ),
    (r#"String.format("%f", new def[] {0.0/0})"#, "NaN"),
    (r#"String.format("%08f|%+f|%(f", new def[] {1.0/0, 1.0/0, -1.0/0})"#, "Infinity|+Infinity|(Infinity)"),
    (r#"String.format("%a", new def[] {0.1})"#, "0x1.999999999999ap-4"),
    (r#"String.format("%.2a", new def[] {0.1})"#, "0x1.9ap-4"),
    (r#"String.format("%#.0f", new def[] {3.0})"#, "3."),
    (
        r#"String.format("%d", new def[] {new BigInteger("123456789012345678901234567890")})"#,
        "123456789012345678901234567890",
    ),
    (r#"String.format("%x", new def[] {new BigInteger("-255")})"#, "-ff"),
    (r#"String.format("%.3f", new def[] {new BigDecimal("1.23456")})"#, "1.235"),
    (r#"String.format("%e", new def[] {new BigDecimal("12345.6789")})"#, "1.234568e+04"),
    (r#"String.format("%b", new def[] {"x"})"#, "true"),
    (r#"String.format("%10b|%-10b|", new def[] {true, false})"#, "      true|false     |"),
    (r#"String.format("%h", new def[] {null})"#, "null"),
    (r#"String.format("%5c|", new def[] {null})"#, " null|"),
    (r#"String.format("%d", new def[] {null})"#, "null"),
    (r#"String.format("%05d", new def[] {null})"#, " null"),
    (r#"String.format("%.1s", new def[] {null})"#, "n"),
    (r#"String.format("%", new def[] {1})"#, "@30 unknown_format_conversion_exception: Conversion = '%'"),
    (r#"String.format("%5", new def[] {1})"#, "@31 unknown_format_conversion_exception: Conversion = '5'"),
    (r#"String.format("%d %d", new def[] {1})"#, "@34 missing_format_argument_exception: Format specifier '%d'"),
    (r#"String.format("%.f", new def[] {1.0})"#, "@32 unknown_format_conversion_exception: Conversion = '.'"),
    (r#"String.format("%tQ", new def[] {1000L})"#, "1000"),
    (r#"String.format(Locale.GERMANY, "abc %s %3$5s|%%", null)"#, "abc null  null|%"),
    (
        r#"String.format("%tF %<tT %<tp %<tZ %<tz %<tc %<tD %<tr %<tR %<tj %<te %<tC %<ty %<tB %<tb %<tA %<ta %<tL %<tN %<ts %<tI %<tl %<tk", new def[] {ZonedDateTime.parse("2020-03-05T15:04:05.678Z")})"#,
        "2020-03-05 15:04:05 pm Z +0000 Thu Mar 05 15:04:05 Z 2020 03/05/20 03:04:05 PM 15:04 065 5 20 20 March Mar Thursday Thu 678 678000000 1583420645 03 3 15",
    ),
    (r#"String.format("%tF", new def[] {1583420645678L})"#, "2020-03-05"),
    (r#"String.format("%TA", new def[] {LocalDate.of(2020,3,5)})"#, "THURSDAY"),
    (
        r#"String.format("%tH", new def[] {LocalDate.of(2020,3,5)})"#,
        "@41 illegal_format_conversion_exception: H != java.time.LocalDate",
    ),
    (r#"String.format("%ta", new def[] {"x"})"#, "@32 illegal_format_conversion_exception: a != java.lang.String"),
    (r#"String.format("%tx", new def[] {1L})"#, "@32 unknown_format_conversion_exception: Conversion = 'tx'"),
    (r#"String.format("%.1tA", new def[] {1L})"#, "@34 illegal_format_precision_exception: 1"),
    (r#"String.format("%12tA|", new def[] {1L})"#, "    Thursday|"),
    (r#"String.format("%,d", new def[] {-1234567})"#, "-1,234,567"),
    (r#"String.format("%,05d", new def[] {12})"#, "00012"),
    (
        r#"String.format("%,x", new def[] {12})"#,
        "@32 format_flags_conversion_mismatch_exception: Conversion = x, Flags = ,",
    ),
    (
        r#"String.format(Locale.GERMANY, "%,.2f %e %d %,d", new def[] {1234.5, 1234.5, 1234, 1234})"#,
        "1.234,50 1,234500e+03 1234 1.234",
    ),
    (r#"String.format("%s %S %10s %-10s|", new def[] {true, "ß", [1], [:]})"#, "true SS        [1] {}        |"),
    (r#"String.format("%o", new def[] {-8})"#, "37777777770"),
    (r#"String.format("%1$s %s %2$s %s", new def[] {1,2})"#, "1 1 2 2"),
    (
        r#"String.format("%015e|%15.2e|%-12.1f|", new def[] {1.5, 1.5, 2.5})"#,
        "0001.500000e+00|       1.50e+00|2.5         |",
    ),
    (r#"String.format("%012a", new def[] {1.0})"#, "0x000001.0p0"),
    (r#"String.format("%c", new def[] {-5})"#, "@32 illegal_format_code_point_exception: Code point = 0xfffffffb"),
    (
        r#"String.format("%tZ", new def[] {LocalDate.of(2020,1,1)})"#,
        "@41 illegal_format_conversion_exception: Z != java.time.LocalDate",
    ),
    (r#"String.format("%tZ", new def[] {ZonedDateTime.parse("2020-03-05T15:04:05+01:00[Europe/Paris]")})"#, "CET"),
    (r#"String.format("%tc", new def[] {new Date(0L)})"#, "Thu Jan 01 00:00:00 UTC 1970"),
    (r#"String.format("%tp %<Tp %<TB %<tr", new def[] {0L})"#, "am AM JANUARY 12:00:00 AM"),
    (r#"String.format("%tN %<tQ %<ts", new def[] {Instant.ofEpochSecond(5, 7)})"#, "000000007 5000 5"),
    (
        r#"String.format("%tY", new def[] {Instant.ofEpochSecond(5, 7)})"#,
        "@39 illegal_format_conversion_exception: Y != java.time.Instant",
    ),
    (
        r#"String.format("%g|%g|%.0g|%10.3g|%G", new def[] {1e-5, 999999.5, 12.0, 1e10, 1e-10})"#,
        "1.00000e-05|1.00000e+06|1e+01|  1.00e+10|1.00000E-10",
    ),
    (
        r#"String.format("%e|%E|%.0e|%#.0e", new def[] {0.0, 1e100, 15.0, 15.0})"#,
        "0.000000e+00|1.000000E+100|2e+01|2.e+01",
    ),
    (r#"String.format("%.20f", new def[] {0.1})"#, "0.10000000000000000000"),
    (r#"String.format("%.1f|%.1f|%.2f|%.0f|%.0f", new def[] {0.25, 0.35, 1.005, 0.5, 1.5})"#, "0.3|0.4|1.01|1|2"),
    (
        r#"String.format("%.3a|%a|%a|%.1a", new def[] {1.999999, 0.0, 4.9e-324, 15.99})"#,
        "0x1.000p1|0x0.0p0|0x0.0000000000001p-1022|0x1.0p4",
    ),
    (r#"String.format("%99999999999d", new def[] {1})"#, "@42 illegal_format_width_exception: -2147483648"),
    (
        r#"String.format("%99999999999$d", new def[] {1})"#,
        "@43 illegal_format_argument_index_exception: Format argument index: (not representable as int)",
    ),
    (
        r#"String.format("%(x|%(,d|%o", new def[] {new BigInteger("-255"), new BigInteger("-1234567"), new BigInteger("8")})"#,
        "(ff)|(1,234,567)|10",
    ),
    (r#"String.format("%#010x|%08d|%-8d|", new def[] {255, -42, 42})"#, "0x000000ff|-0000042|42      |"),
    (r#"String.format("%.15a", new def[] {0.1})"#, "0x1.999999999999a00p-4"),
    (
        r#"String.format(Locale.FRANCE, "%tA %<te %<tB|%,d", new def[] {LocalDate.of(2020, 3, 5), 1234567})"#,
        "jeudi 5 mars|1 234 567",
    ),
];

#[test]
fn places_are_filled_as_they_ask() {
    for (source, expected) in PLACES {
        assert_eq!(run(source), *expected, "{source}");
    }
}

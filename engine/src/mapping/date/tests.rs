//! Formats: what they read and write, and what they refuse.

use super::format::DateFormat;
use super::items::Names;
use super::zone::Zone;

fn parse(pattern: &str, text: &str) -> String {
    let format = DateFormat::parse(pattern).unwrap();
    match format.parse_instant(text, false, &Zone::Utc) {
        Ok(instant) => instant.text(),
        Err(error) => error.cause().map_or(error.reason(), |cause| cause.reason()).to_owned(),
    }
}

#[test]
fn names_are_those_of_a_language() {
    let format = |language, pattern: &str| DateFormat::parse_in(pattern, language).unwrap();
    let (all, at) = ("MMM MMMM MMMMM EEE EEEE EEEEE G GGGG GGGGG QQQQ a", 1_598_918_400_000);
    assert_eq!(format(Names::Root, all).format(at, &Zone::Utc), "Sep Sep 9 Tue Tue T CE CE CE Q3 AM");
    let english = "Sep September S Tue Tuesday T AD Anno Domini A 3rd quarter AM";
    assert_eq!(format(Names::English, all).format(at, &Zone::Utc), english);
    for (language, text, is_read) in [
        (Names::Root, "01 Sep 2020", true),
        (Names::Root, "01 September 2020", false),
        (Names::English, "01 September 2020", true),
        (Names::English, "01 Sep 2020", false),
    ] {
        let read = format(language, "dd MMMM yyyy").parse_millis(text, false, &Zone::Utc);
        assert_eq!(read.ok(), is_read.then_some(at), "{text}");
    }
    let german = format(Names::of_locale("de_DE"), "EEEE, d. MMMM yyyy; E d. MMM; cccc LLL");
    assert_eq!(german.format(at, &Zone::Utc), "Dienstag, 1. September 2020; Di. 1. Sept.; Dienstag Sep");
    let french = format(Names::of_locale("fr"), "d MMM yyyy");
    assert_eq!(french.parse_millis("1 sept. 2020", false, &Zone::Utc).ok(), Some(at));
    assert_eq!(
        format(Names::Root, "d.MMMMM.yyyy").parse_millis("1.12.2020", false, &Zone::Utc).ok(),
        Some(1_606_780_800_000)
    );
}

#[test]
fn quarters_have_names() {
    let format = DateFormat::parse_in("uuuu QQQ QQQQ QQQQQ", Names::English).unwrap();
    assert_eq!(format.format(1_616_889_600_000, &Zone::Utc), "2021 Q1 1st quarter 1");
}

#[test]
fn default_format_as_the_reference() {
    let default = "strict_date_optional_time||epoch_millis";
    let failed = "Failed to parse with all enclosed parsers";
    let cases = [
        ("2020", "2020-01-01T00:00:00Z"),
        ("2020-02", "2020-02-01T00:00:00Z"),
        ("2020-02-29", "2020-02-29T00:00:00Z"),
        ("2020-02-30", failed),
        ("2020-13-01", failed),
        ("2020-1-1", failed),
        ("2020-01-01T", "2020-01-01T00:00:00Z"),
        ("2020-01-01T10Z", "2020-01-01T10:00:00Z"),
        ("2020-01-01T10:11", "2020-01-01T10:11:00Z"),
        ("2020-01-01T10:00:00+01", "2020-01-01T09:00:00Z"),
        ("2020-01-01T10:00:00+01:30", "2020-01-01T08:30:00Z"),
        ("2020-01-01T10:00:00-0130", "2020-01-01T11:30:00Z"),
        ("2020-06-01T10:00:00Europe/Paris", "2020-06-01T08:00:00Z"),
        ("2020-01-01T10:00:00.123456789Z", "2020-01-01T10:00:00.123456789Z"),
        ("2020-01-01T10:00:00,5Z", "2020-01-01T10:00:00.500Z"),
        ("2020-01-01T25:00:00Z", failed),
        ("20200101", "1970-01-01T05:36:40.101Z"),
        ("5.5", "1970-01-01T00:00:00.005500Z"),
        ("-5", "1969-12-31T23:59:59.995Z"),
        ("now", failed),
        ("99999999999999999999", failed),
        ("", "cannot parse empty date"),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(default, text), expected, "{text}");
    }
}

#[test]
fn java_patterns() {
    let late_hour = "Text '2020-02-30 25' could not be parsed: Invalid value for HourOfDay (valid values 0 - 23): 25";
    let cases = [
        ("yyyy-MM-dd", "2020", "Text '2020' could not be parsed at index 4"),
        ("yyyy-MM-dd", "-3", "Text '-3' could not be parsed at index 1"),
        ("yyyy", &"x".repeat(65), &format!("Text '{}...' could not be parsed at index 0", "x".repeat(64))),
        ("SSS", "12", "Text '12' could not be parsed at index 0"),
        // Fields must agree with each other, and say of which day and time.
        (
            "uuuu-MM-dd E",
            "2020-01-01 Mon",
            "Text '2020-01-01 Mon' could not be parsed: Conflict found: Field DayOfWeek 3 differs from DayOfWeek 1 derived from 2020-01-01",
        ),
        (
            "HH:mm h",
            "10:20 3",
            "Text '10:20 3' could not be parsed: Conflict found: Field HourOfAmPm 10 differs from HourOfAmPm 3 derived from 10:20",
        ),
        ("uuuu-MM-W-e", "2020-01-2-1", "2020-01-05T00:00:00Z"),
        ("g", "58908", "2020-02-29T00:00:00Z"),
        ("yyyy G", "0020 BCE", "-0019-01-01T00:00:00Z"),
        ("yyyy-dd HH", "2020-05 10", "1970-01-01T10:00:00Z"),
        ("uuuu-MM-dd h B", "2020-01-01 3 PM", "2020-01-01T15:00:00Z"),
        ("uuuu-MM-dd HH O", "2020-01-01 10 GMT+3:30", "2020-01-01T06:30:00Z"),
        // The day of a year of an era is put together late, and no other format is tried then.
        ("yyyy-MM-dd", "2020-02-30", "Invalid date 'FEBRUARY 30'"),
        ("yyyy-MM-dd||dd", "2020-02-30", "Invalid date 'FEBRUARY 30'"),
        ("yyyy-MM-dd HH", "2020-02-30 25", late_hour),
        ("uuuu-MM-dd", "2020-02-30", "Text '2020-02-30' could not be parsed: Invalid date 'FEBRUARY 30'"),
        ("basic_date_time", "20200230T000000.000Z", "Failed to parse with all enclosed parsers"),
        ("yyyy-MM-dd", "2020-1-1", "Text '2020-1-1' could not be parsed at index 5"),
        (
            "yyyy-MM-dd",
            "2020-01-01T10:00:00",
            "Text '2020-01-01T10:00:00' could not be parsed, unparsed text found at index 10",
        ),
        ("yyyyMMdd", "20200203", "2020-02-03T00:00:00Z"),
        ("dd/MM/yy", "03/02/20", "2020-02-03T00:00:00Z"),
        ("d MMM yyyy", "3 Feb 2020", "2020-02-03T00:00:00Z"),
        ("EEE, dd MMM yyyy HH:mm:ss Z", "Mon, 03 Feb 2020 10:00:00 +0100", "2020-02-03T09:00:00Z"),
        ("yyyy-MM-dd hh:mm a", "2020-02-03 12:30 AM", "2020-02-03T00:30:00Z"),
        ("yyyy-MM-dd['T'HH:mm]", "2020-02-03", "2020-02-03T00:00:00Z"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2020-02-03T04:05:06.789+02:00", "2020-02-03T02:05:06.789Z"),
        ("yyyy-DDD", "2020-060", "2020-02-29T00:00:00Z"),
        ("HH:mm", "10:20", "1970-01-01T10:20:00Z"),
        ("yyyyMMddHHmmss", "20200203040506", "2020-02-03T04:05:06Z"),
    ];
    for (pattern, text, expected) in cases {
        assert_eq!(parse(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn what_names_no_day_is_no_date() {
    for (pattern, text, parts) in [
        ("ss", "10", "{SecondOfMinute=10, NanoOfSecond=0, MicroOfSecond=0, MilliOfSecond=0},ISO"),
        ("VV", "Europe/Berlin", "{},ISO,Europe/Berlin,-1"),
        ("XXX", "+01:00", "{OffsetSeconds=3600},ISO"),
        ("dd", "30", "{DayOfMonth=30},ISO"),
    ] {
        let error = DateFormat::parse(pattern).unwrap().parse_instant(text, false, &Zone::Utc).unwrap_err();
        assert_eq!(error.reason(), format!("temporal accessor [{parts}] cannot be converted to zoned date time"));
    }
    let month = DateFormat::parse("yyyy-MM").unwrap().parse_instant("2020-13", false, &Zone::Utc).unwrap_err();
    assert_eq!(month.reason(), "Invalid value for MonthOfYear (valid values 1 - 12): 13");
}

#[test]
fn ends_are_looked_for_smartly() {
    let up = |pattern: &str, text: &str| {
        let format = DateFormat::parse(pattern).unwrap();
        match format.parse_instant(text, true, &Zone::Utc) {
            Ok(instant) => instant.text(),
            Err(error) => error.cause().and_then(|cause| cause.cause()).map_or("", |cause| cause.reason()).to_owned(),
        }
    };
    for (pattern, text, expected) in [
        ("yyyy-MM-dd", "2020-02-30", "2020-02-29T23:59:59.999999999Z"),
        ("MM", "05", "1970-05-01T23:59:59.999999999Z"),
        ("uuuu-DDD", "2020-060", "2020-02-29T23:59:59.999999999Z"),
        ("hh a", "10 AM", "Conflict found: HourOfDay 23 differs from HourOfDay 10 while resolving  AmPmOfDay"),
        (
            "QQQ uuuu",
            "Q2 2020",
            "Conflict found: Field QuarterOfYear 1 differs from QuarterOfYear 2 derived from 2020-01-01",
        ),
    ] {
        assert_eq!(up(pattern, text), expected, "{pattern}");
    }
}

#[test]
fn seconds_before_1970_count_from_the_second_before() {
    let format = DateFormat::parse("epoch_second").unwrap();
    for (text, ms) in [("-1.5", -500), ("-1", -1000), ("1.5", 1500), ("0.5", 500)] {
        assert_eq!(format.parse_millis(text, false, &Zone::Utc).ok(), Some(ms), "{text}");
    }
    assert_eq!(format.format(-1500, &Zone::Utc), "-2.5");
    for text in ["-0", "-0.5"] {
        assert!(format.parse_millis(text, false, &Zone::Utc).is_err(), "{text}");
    }
    assert_eq!(format.parse_millis("1.", true, &Zone::Utc).ok(), Some(1000));
}

#[test]
fn named_formats_there_and_back() {
    // 2020-02-03T04:05:06.789Z
    let ms = 1_580_702_706_789;
    let cases = [
        ("strict_date_optional_time", "2020-02-03T04:05:06.789Z"),
        ("epoch_millis", "1580702706789"),
        ("epoch_second", "1580702706.789"),
        ("date", "2020-02-03"),
        ("basic_date", "20200203"),
        ("basic_date_time", "20200203T040506.789Z"),
        ("basic_ordinal_date", "2020034"),
        ("basic_week_date", "2020W061"),
        ("week_date", "2020-W06-1"),
        ("date_hour_minute_second_millis", "2020-02-03T04:05:06.789"),
        ("t_time_no_millis", "T04:05:06Z"),
        ("year_month", "2020-02"),
        ("strict_ordinal_date_time", "2020-034T04:05:06.789Z"),
    ];
    for (name, text) in cases {
        let format = DateFormat::parse(name).unwrap();
        assert_eq!(format.format(ms, &Zone::Utc), text, "{name}");
        let back = format.parse_millis(text, false, &Zone::Utc).unwrap();
        assert_eq!(format.format(back, &Zone::Utc), text, "{name}");
    }
    let format = DateFormat::parse("strict_date_optional_time").unwrap();
    assert_eq!(format.format(ms, &Zone::parse("Europe/Paris").unwrap()), "2020-02-03T05:05:06.789+01:00");
    assert_eq!(parse("date", "2020-2-3"), "2020-02-03T00:00:00Z");
}

#[test]
fn the_quick_reader_agrees() {
    let format = DateFormat::parse("strict_date_optional_time||epoch_millis").unwrap();
    for text in [
        "2020-02-29",
        "1969-12-31T23:59:59Z",
        "2020-02-03T04:05:06.789Z",
        "2021-02-29",
        "2020-00-01",
        "0000-01-01",
        "2020-01-01T24:00:00Z",
        "2020-01-01T10:00:00",
        "x",
        "12345678901",
    ] {
        let slow = format.parse_millis(text, false, &Zone::Utc).ok();
        let fast = format.parse_fast(text);
        assert!(fast.is_none() || fast == slow, "{text}: {fast:?} {slow:?}");
    }
    assert_eq!(format.parse_fast("1969-12-31T23:59:59.999Z"), Some(-1));
}

#[test]
fn formats_that_are_none() {
    let cases = [
        ("", "No date pattern provided"),
        ("yyyy||", "Cannot have empty element in multi date format pattern: yyyy||"),
        ("foo", "Invalid format: [foo]: Unknown pattern letter: f"),
    ];
    for (pattern, reason) in cases {
        assert_eq!(DateFormat::parse(pattern).unwrap_err().reason(), reason);
    }
    assert!(DateFormat::parse("8yyyy").is_ok());
}

#[test]
fn rounding_up_fills_times_only() {
    let format = DateFormat::parse("strict_date_optional_time||epoch_second").unwrap();
    let up = |text| format.format(format.parse_millis(text, true, &Zone::Utc).unwrap(), &Zone::Utc);
    assert_eq!(up("2020"), "2020-01-01T23:59:59.999Z");
    assert_eq!(up("2020-02-03T04"), "2020-02-03T04:59:59.999Z");
    assert_eq!(up("12345"), "1970-01-01T03:25:45.999Z");
}

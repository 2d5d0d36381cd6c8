//! The formats that have names: one row per name, its pattern beside it.

use super::pattern::Style;

/// A named format: what is read, and what is written if that differs.
pub struct Named {
    pub pattern: &'static str,
    pub print: Option<&'static str>,
    pub style: Style,
    /// It is one of those with optional times, which most texts are read by.
    pub iso: bool,
    /// Months and days that there are not are counted on from those that there are.
    pub lenient: bool,
}

/// What dates look like when they are written in full.
pub const FULL: &str = "yyyy-MM-dd'T'HH:mm:ss.SSSZ";

/// Formats that exist with fixed widths under `strict_…` and with fewer digits allowed under the plain name.
static PAIRS: &[(&str, &str)] = &[
    ("date", "yyyy-MM-dd"),
    ("date_hour", "yyyy-MM-dd'T'HH"),
    ("date_hour_minute", "yyyy-MM-dd'T'HH:mm"),
    ("date_hour_minute_second", "yyyy-MM-dd'T'HH:mm:ss"),
    ("date_hour_minute_second_fraction", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
    ("date_hour_minute_second_millis", "yyyy-MM-dd'T'HH:mm:ss.SSS"),
    ("date_time", FULL),
    ("date_time_no_millis", "yyyy-MM-dd'T'HH:mm:ssZ"),
    ("hour", "HH"),
    ("hour_minute", "HH:mm"),
    ("hour_minute_second", "HH:mm:ss"),
    ("hour_minute_second_fraction", "HH:mm:ss.SSS"),
    ("hour_minute_second_millis", "HH:mm:ss.SSS"),
    ("ordinal_date", "yyyy-DDD"),
    ("ordinal_date_time", "yyyy-DDD'T'HH:mm:ss.SSSZ"),
    ("ordinal_date_time_no_millis", "yyyy-DDD'T'HH:mm:ssZ"),
    ("time", "HH:mm:ss.SSSZ"),
    ("time_no_millis", "HH:mm:ssZ"),
    ("t_time", "'T'HH:mm:ss.SSSZ"),
    ("t_time_no_millis", "'T'HH:mm:ssZ"),
    ("week_date", "xxxx'-W'ww-e"),
    ("week_date_time", "xxxx'-W'ww-e'T'HH:mm:ss.SSSZ"),
    ("week_date_time_no_millis", "xxxx'-W'ww-e'T'HH:mm:ssZ"),
    ("weekyear", "xxxx"),
    ("weekyear_week", "xxxx'-W'ww"),
    ("weekyear_week_day", "xxxx'-W'ww-e"),
    ("year", "yyyy"),
    ("year_month", "yyyy-MM"),
    ("year_month_day", "yyyy-MM-dd"),
    ("basic_week_date", "xxxx'W'wwe"),
    ("basic_week_date_time", "xxxx'W'wwe'T'HHmmss.SSSZ"),
    ("basic_week_date_time_no_millis", "xxxx'W'wwe'T'HHmmssZ"),
];

/// What is read of formats with fewer digits, or of strict ones, where it differs from the pattern above, which is written. Of these five
/// letters of a year stand for up to five digits, three for up to four, and `uuuu` and `YYYY` for four.
static READ: &[(&str, &str)] = &[
    ("date", "yyyyy[-MM[-dd]]"),
    ("date_hour", "yyyyy[-MM[-dd]]'T'HH"),
    ("date_hour_minute", "yyyyy[-MM[-dd]]'T'HH:mm"),
    ("date_hour_minute_second", "yyyyy[-MM[-dd]]'T'HH:mm:ss"),
    ("date_hour_minute_second_fraction", "yyyyy[-MM[-dd]]'T'HH:mm:ss.SSS"),
    ("date_hour_minute_second_millis", "yyyyy[-MM[-dd]]'T'HH:mm:ss.SSS"),
    ("ordinal_date", "uuuu-DDD"),
    ("week_date", "YYYY'-W'ww-e"),
    ("strict_date_time", "yyyy-MM-dd'T'HH:mm:ss[.SSS]Z"),
    ("strict_year_month_day", "yyyy[-MM[-dd]]"),
];

/// Formats that exist in one form only.
static SINGLES: &[(&str, &str)] = &[
    ("basic_date", "yyyyMMdd"),
    ("basic_date_time", "yyyyMMdd'T'HHmmss.SSSZ"),
    ("basic_date_time_no_millis", "yyyyMMdd'T'HHmmssZ"),
    ("basic_ordinal_date", "yyyyDDD"),
    ("basic_ordinal_date_time", "yyyyDDD'T'HHmmss.SSSZ"),
    ("basic_ordinal_date_time_no_millis", "yyyyDDD'T'HHmmssZ"),
    ("basic_time", "HHmmss.SSSZ"),
    ("basic_time_no_millis", "HHmmssZ"),
    ("basic_t_time", "'T'HHmmss.SSSZ"),
    ("basic_t_time_no_millis", "'T'HHmmssZ"),
];

/// Formats whose times are optional, piece by piece.
const OPTIONAL_TIME: &str = "yyyy[-MM[-dd]]['T'[HH[:mm[:ss[.SSS][,SSS]]][Z]]]";
const OPTIONAL_TIME_LENIENT: &str = "yyyyy[-MM[-dd]]['T'[HH[:mm[:ss[.SSS][,SSS]]][Z]]]";
const RFC_3339: &str = "yyyy[-MM[-dd['T'[HH:mm[:ss[.SSS][,SSS]]]Z]]]";

/// Whether a named format writes more of a second than milliseconds.
pub fn prints_nanos(name: &str) -> bool {
    matches!(&*to_snake(name), "strict_date_optional_time_nanos" | "strict_date_time")
}

/// Whether the reference reads a named format with several formatters, one for each way to write a zone.
pub fn is_several(name: &str) -> bool {
    let snake = to_snake(name);
    let base = snake.strip_prefix("strict_").unwrap_or(&snake);
    let zoned = |(row, pattern): &(&str, &str)| *row == base && pattern.ends_with('Z');
    PAIRS.iter().chain(SINGLES).any(zoned)
}

/// Whether a named format takes every zone that is an offset for nothing more than that.
pub fn tells_offsets(name: &str) -> bool {
    matches!(&*to_snake(name), "date_time" | "date_time_no_millis" | "rfc3339_lenient")
}

/// The format of this name, in `snake_case` or the older `camelCase`.
pub fn find(name: &str) -> Option<Named> {
    let snake = to_snake(name);
    let snake = snake.as_str();
    let optional = |pattern, style| Some(Named { pattern, print: Some(FULL), style, iso: true, lenient: false });
    match snake {
        "strict_date_optional_time" | "iso8601" | "strict_date_optional_time_nanos" => {
            return optional(OPTIONAL_TIME, Style::Strict);
        }
        "date_optional_time" => return optional(OPTIONAL_TIME_LENIENT, Style::Lenient),
        "rfc3339_lenient" => return optional(RFC_3339, Style::Strict),
        _ => {}
    }
    let plain = |pattern, style| Named { pattern, print: None, style, iso: false, lenient: false };
    // An older name, of which there is no other spelling.
    if name == "week_year" {
        return Some(plain("xxxx", Style::Lenient));
    }
    if snake == "basic_date" {
        return Some(Named { print: Some("yyyyMMdd"), ..plain("yyyMMdd", Style::Lenient) });
    }
    if let Some((_, pattern)) = SINGLES.iter().find(|(single, _)| *single == snake) {
        return Some(plain(pattern, Style::Strict));
    }
    let (base, style) = match snake.strip_prefix("strict_") {
        Some(base) => (base, Style::Strict),
        None if snake == "basic_week_date" => (snake, Style::Lenient),
        // Numbers without separators cannot have fewer digits.
        None if snake.starts_with("basic_") => (snake, Style::Strict),
        None => (snake, Style::Lenient),
    };
    let (_, written) = PAIRS.iter().find(|(pair, _)| *pair == base)?;
    let read = READ.iter().find(|(row, _)| *row == snake).map(|(_, pattern)| *pattern);
    let lenient = snake == "strict_date";
    Some(Named { print: Some(written), lenient, ..plain(read.unwrap_or(written), style) })
}

/// `dateOptionalTime` to `date_optional_time`. Patterns contain upper case too, but no row matches them.
fn to_snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::pattern::compile;
    use super::*;

    #[test]
    fn every_row_compiles() {
        for (name, _) in PAIRS.iter().chain(SINGLES) {
            let named = find(name).unwrap();
            compile(named.pattern, named.style).unwrap();
            compile(named.print.unwrap_or(named.pattern), Style::Strict).unwrap();
        }
        assert!(find("strict_date").is_some() && find("dateOptionalTime").is_some());
        assert!(find("week_year").is_some() && find("weekYear").is_none() && find("strict_week_year").is_none());
        assert!(is_several("strict_time") && is_several("date_time") && !is_several("date"));
        assert!(find("yyyy-MM-dd").is_none() && find("strict_basic_date").is_none());
    }
}

//! Date math in names: `<logs-{now/d{yyyy.MM.dd|+01:00}}>`.

use pith_engine::mapping::date::{DateFormat, Resolution, Zone};
use pith_engine::{Error, ErrorKind, Result};

const DEFAULT_FORMAT: &str = "uuuu.MM.dd";

/// The name that `expression` stands for at `now_ms`; `None` if it is not written in angle brackets.
///
/// Braces that belong to the name itself are escaped by a backslash.
pub fn resolve_date_math(expression: &str, now_ms: i64) -> Result<Option<String>> {
    let Some(inner) = expression.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return Ok(None) };
    let mut name = String::with_capacity(expression.len());
    let mut placeholder = String::new();
    let mut depth = 0;
    // Positions count from the bracket before the name, as in the reference.
    let mut chars = inner.chars().enumerate().map(|(at, c)| (at + 1, c)).peekable();
    while let Some((at, c)) = chars.next() {
        let escaped = c == '\\' && matches!(chars.peek(), Some((_, '{' | '}')));
        let (c, literal) = if escaped { (chars.next().map_or(c, |(_, next)| next), true) } else { (c, false) };
        match (depth, c) {
            (0, _) if literal => name.push(c),
            (0, '{') => depth = 1,
            (0, '}') => {
                return Err(invalid(
                    expression.get(1..).unwrap_or_default(),
                    &format!(
                        "invalid character at position [{at}]. `{{` and `}}` are reserved characters and should be escaped when used as part of the index name using `\\` (e.g. `\\{{text\\}}`)"
                    ),
                ));
            }
            (0, _) => name.push(c),
            (_, _) if literal => placeholder.push(c),
            (1, '{') => {
                depth = 2;
                placeholder.push(c);
            }
            (1, '}') => {
                depth = 0;
                name.push_str(&date(&placeholder, now_ms)?);
                placeholder.clear();
            }
            (_, '{') => {
                return Err(invalid(
                    expression.get(1..).unwrap_or_default(),
                    &format!("invalid character in placeholder at position [{at}]"),
                ));
            }
            (_, '}') => {
                depth = 1;
                placeholder.push(c);
            }
            (_, _) => placeholder.push(c),
        }
    }
    if depth > 0 {
        return Err(invalid(expression.get(1..).unwrap_or_default(), "date math placeholder is open ended"));
    }
    if name.is_empty() {
        return Err(Error::new(ErrorKind::Parse, "nothing captured"));
    }
    Ok(Some(name))
}

/// The text that a placeholder (`now/d{yyyy|zone}`, without its outer braces) stands for.
fn date(placeholder: &str, now_ms: i64) -> Result<String> {
    let (math, pattern, zone) = match placeholder.split_once('{') {
        None => (placeholder, DEFAULT_FORMAT, None),
        Some((math, rest)) => {
            let rest = rest
                .strip_suffix('}')
                .ok_or_else(|| invalid(placeholder, "missing closing `}` for date math format"))?;
            let (pattern, zone) = rest.split_once('|').map_or((rest, None), |(pattern, zone)| (pattern, Some(zone)));
            (math, pattern, zone)
        }
    };
    if pattern.is_empty() {
        return Err(invalid(placeholder, "missing date format"));
    }
    let zone = zone.map(zone_of).transpose()?.unwrap_or_default();
    let format = DateFormat::parse(pattern)?;
    if math.is_empty() {
        return Err(Error::new(ErrorKind::Parse, "cannot parse empty date"));
    }
    let at_ms = format.parse_math(math, now_ms, false, &zone, Resolution::Millis)?;
    Ok(format.format(at_ms, &zone))
}

/// The error of an unknown zone is here the bare cause.
fn zone_of(text: &str) -> Result<Zone> {
    Zone::parse(text).map_err(|error| error.cause().cloned().unwrap_or(error))
}

#[cold]
fn invalid(expression: &str, problem: &str) -> Error {
    Error::new(ErrorKind::Parse, format!("invalid dynamic name expression [{expression}]. {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21T08:30:00Z
    const NOW_MS: i64 = 1_795_249_800_000;

    fn name(expression: &str) -> String {
        match resolve_date_math(expression, NOW_MS) {
            Ok(name) => name.unwrap_or_else(|| "as it is".into()),
            Err(error) => error.reason().to_owned(),
        }
    }

    #[test]
    fn dates_in_names() {
        assert_eq!(name("plain"), "as it is");
        assert_eq!(name("<a-{now/d}>"), "a-2026.11.21");
        assert_eq!(name("<a-{now/M{yyyy.MM}}>"), "a-2026.11");
        assert_eq!(name("<a-{now-1h{HH}}-{now{dd}}>"), "a-07-21");
        assert_eq!(name(r"<a-\{x\}-{now+1d/d{uuuu-MM-dd|+12:00}}>"), "a-{x}-2026-11-22");
    }

    #[test]
    fn mistakes() {
        assert_eq!(name("<>"), "nothing captured");
        assert_eq!(
            name("<a-{now/d>"),
            "invalid dynamic name expression [a-{now/d>]. date math placeholder is open ended"
        );
        assert_eq!(name("<a-{now/d{}}>"), "invalid dynamic name expression [now/d{}]. missing date format");
        assert_eq!(
            name("<a-{now/d{y{y}}}>"),
            "invalid dynamic name expression [a-{now/d{y{y}}}>]. invalid character in placeholder at position [11]"
        );
    }
}

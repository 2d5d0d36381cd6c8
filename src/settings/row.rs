//! One setting: its row in the table, and the checks of its values in the reference's words.

use super::map::Setting;
use super::units::{parse_bytes, parse_time_ms};
use pith_engine::json::{Map, Value, java_text};
use pith_engine::{Error, ErrorKind, Result};

/// A setting, or with a `*` in its key a family of them.
#[derive(Debug)]
pub struct Row {
    /// A `*` stands for one or more parts of the key.
    pub key: &'static str,
    pub kind: Kind,
    /// As the reference shows it; lists are separated by commas.
    pub default: &'static str,
    pub mode: Mode,
    pub doc: &'static str,
}

/// When a setting may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Dynamic,
    /// Of an index: while it is closed. Of a node: in its configuration file.
    Static,
    /// Only when the index is made.
    Final,
    /// When the index is made; afterwards by operations that are made for it.
    Managed,
    /// By Pith alone.
    Private,
    /// By Pith alone, and requests that name it are told that there is no such setting.
    Unnamed,
}

impl Mode {
    /// Whether only Pith sets it.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Private | Self::Unnamed)
    }
}

/// What values a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool,
    /// 32 bits.
    Int(i64, i64),
    /// 64 bits.
    Long(i64, i64),
    Float(f64, f64),
    /// A time value that is at least the given one; `-1` is meant by it too, unless there is a least value.
    Time(Option<&'static str>),
    /// A size in bytes between the given ones.
    Bytes(Option<&'static str>, Option<&'static str>),
    /// A size in bytes or a share of the memory (`40%`).
    Memory,
    /// A used share (`85%`, `0.85`) or a free size in bytes.
    Watermark,
    Text,
    List,
    /// One of some words, upper or lower case; the second is how the reference complains.
    Choice(&'static [&'static str], Complaint),
    /// A list of such words.
    Choices(&'static [&'static str], Complaint),
    Custom(fn(&str, &str) -> Result<()>),
}

/// How the reference names a word that is none of the choices.
#[derive(Clone, Copy, Debug)]
pub enum Complaint {
    /// `No enum constant <class>.<WORD>`
    Enum(&'static str),
    /// The text with `{}` for the word; `{^}` for the word in upper case.
    Says(&'static str),
}

impl Complaint {
    fn check(self, words: &[&str], text: &str) -> Result<()> {
        if words.iter().any(|word| word.eq_ignore_ascii_case(text)) {
            return Ok(());
        }
        Err(Error::illegal_argument(match self {
            Self::Enum(class) => format!("No enum constant {class}.{}", text.to_uppercase()),
            Self::Says(says) => says.replace("{}", text).replace("{^}", &text.to_uppercase()),
        }))
    }
}

impl Row {
    pub fn is_dynamic(&self) -> bool {
        self.mode == Mode::Dynamic
    }

    pub fn is_final(&self) -> bool {
        self.mode == Mode::Final
    }

    /// The default as it is shown.
    pub fn default_value(&self) -> Setting {
        let default = Setting::from(self.default);
        if self.kind.is_list() { Setting::List(default.list()) } else { default }
    }

    /// Checks a value for `key`, which is this row's or one that its pattern matches.
    pub fn check(&self, key: &str, value: &Setting) -> Result<()> {
        self.kind.check(key, value)
    }
}

impl Kind {
    /// Checks a value for `key`.
    pub fn check(self, key: &str, value: &Setting) -> Result<()> {
        let text = match (value, self) {
            (Setting::List(items), kind) if kind.is_single() => format!("[{}]", items.join(", ")),
            _ => value.text(),
        };
        match self {
            Kind::Bool => match text.as_str() {
                "true" | "false" => Ok(()),
                _ => Err(Error::illegal_argument(format!(
                    "Failed to parse value [{text}] as only [true] or [false] are allowed."
                ))),
            },
            Kind::Int(min, max) => {
                let number = text.parse::<i32>().map_err(|_| not_a_number(key, &text))?;
                check_range(key, &text, i64::from(number), min, max)
            }
            Kind::Long(min, max) => {
                let number = text.parse::<i64>().map_err(|_| not_a_number(key, &text))?;
                check_range(key, &text, number, min, max)
            }
            Kind::Float(min, max) => {
                let number = text.trim().parse::<f64>().map_err(|_| not_a_fraction(key, &text))?;
                check_float_range(key, &text, number, min, max)
            }
            Kind::Time(least) => check_time(key, &text, least),
            Kind::Bytes(least, most) => check_bytes(key, &text, least, most),
            Kind::Watermark if is_share(&text) => Ok(()),
            Kind::Memory if text.ends_with('%') => check_percentage(&text),
            Kind::Memory => check_bytes(key, &text, None, None),
            Kind::Watermark => check_bytes(key, &text, None, None).map_err(|error| no_share_either(error, &text)),
            Kind::Text | Kind::List => Ok(()),
            Kind::Choice(words, complaint) => match value {
                Setting::List(items) => complaint.check(words, &format!("[{}]", items.join(", "))),
                Setting::Text(_) => complaint.check(words, &text),
            },
            Kind::Choices(words, complaint) => value.list().iter().try_for_each(|text| complaint.check(words, text)),
            Kind::Custom(check) => check(key, &text),
        }
    }

    /// Whether a list is no value, and shown as one.
    fn is_single(self) -> bool {
        !matches!(self, Self::Text | Self::List | Self::Choice(..) | Self::Choices(..))
    }

    /// Whether lists are what it is about.
    pub fn is_list(self) -> bool {
        matches!(self, Self::List | Self::Choices(..))
    }
}

/// As [`not_a_number`], for one that may have a fraction.
#[cold]
fn not_a_fraction(key: &str, text: &str) -> Error {
    let error = not_a_number(key, text);
    match text.trim() {
        "" => error.caused_by(Error::new(ErrorKind::NumberFormat, "empty String")),
        _ => error,
    }
}

#[cold]
fn not_a_number(key: &str, text: &str) -> Error {
    let shown = format!("For input string: \"{text}\"");
    Error::illegal_argument(format!("Failed to parse value [{text}] for setting [{key}]"))
        .caused_by(Error::new(ErrorKind::NumberFormat, shown))
}

fn check_range(key: &str, text: &str, number: i64, min: i64, max: i64) -> Result<()> {
    if number < min {
        return Err(out_of_range(key, text, ">=", &min.to_string()));
    }
    if number > max {
        return Err(out_of_range(key, text, "<=", &max.to_string()));
    }
    Ok(())
}

fn check_float_range(key: &str, text: &str, number: f64, min: f64, max: f64) -> Result<()> {
    let shown = |bound: f64| format!("{bound:?}");
    if number < min {
        return Err(out_of_range(key, text, ">=", &shown(min)));
    }
    if number > max {
        return Err(out_of_range(key, text, "<=", &shown(max)));
    }
    Ok(())
}

#[cold]
fn out_of_range(key: &str, text: &str, relation: &str, bound: &str) -> Error {
    Error::illegal_argument(format!("Failed to parse value [{text}] for setting [{key}] must be {relation} {bound}"))
}

fn check_time(key: &str, text: &str, least: Option<&str>) -> Result<()> {
    let ms = parse_time_ms(key, text)?;
    let Some(least) = least else { return Ok(()) };
    if ms < parse_time_ms(key, least)? {
        return Err(Error::illegal_argument(format!(
            "failed to parse value [{text}] for setting [{key}], must be >= [{least}]"
        )));
    }
    Ok(())
}

fn check_bytes(key: &str, text: &str, least: Option<&str>, most: Option<&str>) -> Result<()> {
    let bytes = parse_bytes(key, text)?;
    let outside = |relation: &str, bound: &str| {
        Err(Error::illegal_argument(format!(
            "failed to parse value [{text}] for setting [{key}], must be {relation} [{bound}]"
        )))
    };
    match (least, most) {
        (Some(least), _) if bytes < parse_bytes(key, least)? => outside(">=", least),
        (_, Some(most)) if bytes > parse_bytes(key, most)? => outside("<=", most),
        _ => Ok(()),
    }
}

/// The error of a size that could have been a share, with why it is none beside its cause.
#[cold]
fn no_share_either(error: Error, text: &str) -> Error {
    let Some(cause) = error.cause().cloned() else { return error };
    let mut suppressed = Map::from_iter([("type", ErrorKind::Parse.type_name())]);
    let reason = match (text.strip_suffix('%'), text.trim_end_matches('%').trim().parse::<f64>()) {
        (Some(number), Ok(_)) => format!("Percentage should be in [0-100], got [{number}]"),
        (Some(number), Err(_)) => format!("Failed to parse [{number}] as a double"),
        (None, Ok(ratio)) => format!("Ratio should be in [0-1.0], got [{}]", java_text(&Value::Float(ratio))),
        (None, Err(_)) => format!("Invalid ratio or percentage [{text}]"),
    };
    suppressed.insert("reason", reason);
    error.caused_by(cause.with("suppressed", vec![Value::Object(suppressed)]))
}

/// Whether the text is a share: a percentage, or a number from 0 to 1.
fn is_share(text: &str) -> bool {
    match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().is_ok_and(|percent| (0.0..=100.0).contains(&percent)),
        None => text.parse::<f64>().is_ok_and(|share| (0.0..=1.0).contains(&share)),
    }
}

/// A share of the memory.
fn check_percentage(text: &str) -> Result<()> {
    let number = text.trim_end_matches('%');
    let (reason, cause) = match number.trim().parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => return Ok(()),
        Ok(_) => (format!("percentage should be in [0-100], got [{number}]"), None),
        Err(_) => {
            let cause =
                if number.is_empty() { "empty String".to_owned() } else { format!("For input string: \"{number}\"") };
            (format!("failed to parse [{number}] as a double"), Some(Error::new(ErrorKind::NumberFormat, cause)))
        }
    };
    let parse = Error::new(ErrorKind::Parse, reason.clone());
    Err(Error::illegal_argument(reason).caused_by(match cause {
        Some(cause) => parse.caused_by(cause),
        None => parse,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(kind: Kind, value: &str) -> String {
        let row = Row { key: "a.b", kind, default: "", mode: Mode::Dynamic, doc: "" };
        row.check("a.b", &Setting::from(value)).map_or_else(|error| error.reason().to_owned(), |()| "ok".to_owned())
    }

    #[test]
    fn a_size_that_is_no_share_either_says_so() {
        let row = Row { key: "a.b", kind: Kind::Watermark, default: "", mode: Mode::Dynamic, doc: "" };
        let suppressed = |value: &str| {
            let error = row.check("a.b", &Setting::from(value)).unwrap_err();
            let mut w = pith_engine::json::Writer::new();
            error.cause().unwrap().write(&mut w);
            let cause = pith_engine::json::parse(&w.finish()).unwrap();
            cause.get("suppressed").map(|list| list.as_array().unwrap()[0].get("reason").unwrap().to_text())
        };
        assert_eq!(suppressed("x").as_deref(), Some("Invalid ratio or percentage [x]"));
        assert_eq!(suppressed("1.5").as_deref(), Some("Ratio should be in [0-1.0], got [1.5]"));
        assert_eq!(suppressed("101%").as_deref(), Some("Percentage should be in [0-100], got [101]"));
        assert_eq!(suppressed("99999999999").as_deref(), Some("Ratio should be in [0-1.0], got [9.9999999999E10]"));
    }

    #[test]
    fn lists_are_no_single_values() {
        let list = Setting::List(vec!["a".into(), "b".into()]);
        let row = Row { key: "a.b", kind: Kind::Memory, default: "", mode: Mode::Dynamic, doc: "" };
        assert_eq!(
            row.check("a.b", &list).unwrap_err().reason(),
            "failed to parse setting [a.b] with value [[a, b]] as a size in bytes: unit is missing or unrecognized"
        );
    }

    #[test]
    fn complaints_are_the_references() {
        let int = Kind::Int(1, 1024);
        assert_eq!(complaint(int, "0"), "Failed to parse value [0] for setting [a.b] must be >= 1");
        assert_eq!(complaint(int, "1025"), "Failed to parse value [1025] for setting [a.b] must be <= 1024");
        assert_eq!(complaint(int, "x"), "Failed to parse value [x] for setting [a.b]");
        assert_eq!(complaint(int, "7"), "ok");
        assert_eq!(complaint(Kind::Bool, "yes"), "Failed to parse value [yes] as only [true] or [false] are allowed.");
        assert_eq!(
            complaint(Kind::Time(None), "abc"),
            "failed to parse setting [a.b] with value [abc] as a time value: unit is missing or unrecognized"
        );
        assert_eq!(complaint(Kind::Time(None), "-1"), "ok");
        assert_eq!(
            complaint(Kind::Time(Some("100ms")), "0ms"),
            "failed to parse value [0ms] for setting [a.b], must be >= [100ms]"
        );
        assert_eq!(complaint(Kind::Memory, "40%"), "ok");
        assert_eq!(complaint(Kind::Watermark, "0.9"), "ok");
        assert_eq!(complaint(Kind::Memory, "101%"), "percentage should be in [0-100], got [101]");
        assert_eq!(complaint(Kind::Memory, "x%"), "failed to parse [x] as a double");
        assert_eq!(
            complaint(Kind::Memory, "0.9"),
            "failed to parse setting [a.b] with value [0.9] as a size in bytes: unit is missing or unrecognized"
        );
    }
}

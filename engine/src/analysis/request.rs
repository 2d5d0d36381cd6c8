//! The request of the `_analyze` operation: body and URL parameters, and what it may combine.

use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_ordered;
use crate::json::{self, Entry, Map, Value, line_col};

/// A component of a custom chain: a name, or a definition in place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Name(String),
    Definition(Map),
}

/// What is asked of `_analyze`. Parameters may come in the URL or in the body; the body wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalyzeRequest {
    pub(crate) text: Vec<String>,
    pub(crate) analyzer: Option<String>,
    pub(crate) tokenizer: Option<Part>,
    pub(crate) filters: Vec<Part>,
    pub(crate) char_filters: Vec<Part>,
    pub(crate) field: Option<String>,
    pub(crate) normalizer: Option<String>,
    pub(crate) explain: bool,
    pub(crate) attributes: Vec<String>,
}

/// The parameters that the operation takes in the URL.
pub const ANALYZE_PARAMS: &[&str] =
    &["analyzer", "attributes", "char_filter", "explain", "field", "filter", "normalizer", "text", "tokenizer"];

impl AnalyzeRequest {
    /// Reads the body, which may be empty if `params` (decoded names and values of the URL) give a text. Parameters that
    /// are not in [`ANALYZE_PARAMS`] are none of its business.
    pub fn parse(body: &[u8], params: &[(&str, &str)]) -> Result<Self> {
        let mut request = Self::default();
        let given = params.iter().any(|(name, _)| ANALYZE_PARAMS.contains(name));
        for (name, value) in params {
            request.set_param(name, value)?;
        }
        if !body.is_empty() {
            if body.iter().all(u8::is_ascii_whitespace) {
                let reason = "[1:0] [analyze_request] Expected START_OBJECT but was: null";
                return Err(Error::new(ErrorKind::XContentParse, reason));
            }
            request.read_body(body)?;
        } else if !given {
            return Err(Error::new(ErrorKind::Parse, "request body or source parameter is required"));
        }
        Ok(request)
    }

    /// Whether it asks for few parts that are built in: what these cost follows from the length of the text.
    pub fn is_plain(&self) -> bool {
        const PLAIN_FILTERS_MAX: usize = 4;
        let built_in = |part: &Part| matches!(part, Part::Name(_));
        self.filters.len() + self.char_filters.len() <= PLAIN_FILTERS_MAX
            && self.tokenizer.iter().chain(&self.filters).chain(&self.char_filters).all(built_in)
    }

    /// The field whose analyzer is asked for, if one is.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    fn set_param(&mut self, name: &str, value: &str) -> Result<()> {
        let list = || value.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned);
        match name {
            "text" => self.text = vec![value.to_owned()],
            "analyzer" => self.analyzer = Some(value.to_owned()),
            "tokenizer" => self.tokenizer = Some(Part::Name(value.to_owned())),
            "filter" => self.filters = list().map(Part::Name).collect(),
            "char_filter" => self.char_filters = list().map(Part::Name).collect(),
            "field" => self.field = Some(value.to_owned()),
            "normalizer" => self.normalizer = Some(value.to_owned()),
            "attributes" => self.attributes = list().collect(),
            "explain" => self.explain = value.is_empty() || parse_bool(value)?,
            _ => {}
        }
        Ok(())
    }

    fn read_body(&mut self, body: &[u8]) -> Result<()> {
        // What follows the object is not looked at.
        let declares = |path: &[&str]| (path.len() == 1).then_some("analyze_request");
        let (value, _) = json::parse_declared_prefix(body, declares).map_err(|misread| misread.error)?;
        let Value::Object(map) = value else {
            let start = body.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
            let reason = format!("[analyze_request] Expected START_OBJECT but was: {}", value.token());
            return Err(error_at(body, start as u32, &reason));
        };
        for entry in map.entries {
            self.set(body, entry)?;
        }
        Ok(())
    }

    fn set(&mut self, body: &[u8], entry: Entry) -> Result<()> {
        let field = Field { body, name: &entry.key, pos: entry.value_pos };
        match entry.key.as_str() {
            "text" => self.text = field.strings(entry.value)?,
            "attributes" => self.attributes = field.strings(entry.value)?,
            "analyzer" => self.analyzer = Some(field.string(entry.value)?),
            "field" => self.field = Some(field.string(entry.value)?),
            "normalizer" => self.normalizer = Some(field.string(entry.value)?),
            "explain" => self.explain = field.bool(entry.value)?,
            "tokenizer" => self.tokenizer = Some(field.part(entry.value, entry.value_pos)?),
            "filter" => self.filters = field.parts(entry.value)?,
            "char_filter" => self.char_filters = field.parts(entry.value)?,
            name => {
                let known = did_you_mean::suffix(name, ANALYZE_PARAMS.iter().copied());
                let reason = format!("[analyze_request] unknown field [{name}]{known}");
                return Err(error_at(body, entry.key_pos, &reason));
            }
        }
        Ok(())
    }

    /// What may not be combined.
    pub fn validate(&self, index: Option<&str>) -> Result<()> {
        let parts = !self.filters.is_empty() || !self.char_filters.is_empty();
        let checks = [
            (self.text.is_empty(), "text is missing"),
            (index.is_none() && self.normalizer.is_some(), "index is required if normalizer is specified"),
            (
                self.normalizer.is_some() && (self.tokenizer.is_some() || self.analyzer.is_some()),
                "tokenizer/analyze should be null if normalizer is specified",
            ),
            (
                self.analyzer.is_some() && (self.tokenizer.is_some() || parts),
                "cannot define extra components on a named analyzer",
            ),
            (
                self.normalizer.is_some() && (self.tokenizer.is_some() || parts),
                "cannot define extra components on a named normalizer",
            ),
            (
                self.field.is_some() && (self.tokenizer.is_some() || parts),
                "cannot define extra components on a field-specific analyzer",
            ),
        ];
        let failed = checks.iter().filter(|(failed, _)| *failed);
        let reasons: String = failed.enumerate().map(|(n, (_, reason))| format!("{}: {reason};", n + 1)).collect();
        match reasons.is_empty() {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::ActionRequestValidation, format!("Validation Failed: {reasons}"))),
        }
    }
}

/// One field of the body, for conversions and their errors.
struct Field<'a> {
    body: &'a [u8],
    name: &'a str,
    /// Where the value begins.
    pos: u32,
}

impl Field<'_> {
    fn unsupported(&self, value: &Value) -> Error {
        let reason = format!("[analyze_request] {} doesn't support values of type: {}", self.name, value.token());
        error_at(self.body, self.pos, &reason)
    }

    fn failed(&self, pos: u32, cause: Error) -> Error {
        error_at(self.body, pos, &format!("[analyze_request] failed to parse field [{}]", self.name)).caused_by(cause)
    }

    fn string(&self, value: Value) -> Result<String> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(self.unsupported(&other)),
        }
    }

    fn bool(&self, value: Value) -> Result<bool> {
        match value {
            Value::Bool(b) => Ok(b),
            Value::String(text) if text.is_empty() => Ok(false),
            Value::String(text) => parse_bool(&text).map_err(|cause| self.failed(self.pos, cause)),
            other => Err(self.unsupported(&other)),
        }
    }

    /// A text, or an array of scalars.
    fn strings(&self, value: Value) -> Result<Vec<String>> {
        let items = match value {
            Value::String(text) => return Ok(vec![text]),
            Value::Array(items) => items,
            other => return Err(self.unsupported(&other)),
        };
        let text = |(n, item): (usize, Value)| match item {
            Value::Array(_) => Err(self.element_failed(n, |_| "expected value but got [START_ARRAY]".to_owned())),
            Value::Null | Value::Object(_) => {
                let kind = item.token();
                Err(self.element_failed(n, |(line, col)| format!("Can't get text on a {kind} at {line}:{col}")))
            }
            Value::String(text) => Ok(text),
            // Numbers keep the digits they were written with.
            _ => Ok(self.element_text(n).unwrap_or_else(|| item.to_text())),
        };
        items.into_iter().enumerate().map(text).collect()
    }

    fn element_failed(&self, n: usize, reason: impl Fn((u32, u32)) -> String) -> Error {
        let pos = element_pos(self.body, self.pos, n);
        self.failed(pos, Error::new(ErrorKind::IllegalState, reason(line_col(self.body, pos))))
    }

    fn element_text(&self, n: usize) -> Option<String> {
        let rest = self.body.get(element_pos(self.body, self.pos, n) as usize..)?;
        let end = rest.iter().position(|b| matches!(b, b',' | b']') || b.is_ascii_whitespace())?;
        String::from_utf8(rest[..end].to_vec()).ok()
    }

    /// The component that begins at `pos`.
    fn part(&self, value: Value, pos: u32) -> Result<Part> {
        match value {
            Value::String(name) => Ok(Part::Name(name)),
            Value::Object(definition) => {
                if let Some(error) = refused_settings(&definition) {
                    return Err(self.failed(object_end(self.body, pos), error));
                }
                Ok(Part::Definition(flatten(&definition)))
            }
            other => Err(self.unsupported(&other)),
        }
    }

    fn parts(&self, value: Value) -> Result<Vec<Part>> {
        let items = match value {
            Value::Array(items) => items,
            Value::Object(_) => return Ok(vec![self.part(value, self.pos)?]),
            other => return Err(self.unsupported(&other)),
        };
        let part = |(n, item): (usize, Value)| match item {
            Value::String(_) | Value::Object(_) => self.part(item, element_pos(self.body, self.pos, n)),
            Value::Array(_) => Err(self.element_failed(n, |_| "expected value but got [START_ARRAY]".to_owned())),
            other => {
                let pos = element_pos(self.body, self.pos, n);
                let reason = format!("Expected [VALUE_STRING] or [START_OBJECT], got {}", other.token());
                let cause = error_at(self.body, pos, &reason);
                Err(self.failed(pos, cause.clone()).with_root_causes(vec![cause]))
            }
        };
        items.into_iter().enumerate().map(part).collect()
    }
}

fn parse_bool(text: &str) -> Result<bool> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Error::illegal_argument(format!(
            "Failed to parse value [{text}] as only [true] or [false] are allowed."
        ))),
    }
}

/// An error of the parser, which names line and column.
fn error_at(body: &[u8], pos: u32, reason: &str) -> Error {
    let (line, col) = line_col(body, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] {reason}"))
}

/// Where the `n`th element of the array that begins at `array_pos` begins. The text is known to be well-formed.
fn element_pos(body: &[u8], array_pos: u32, n: usize) -> u32 {
    let (mut depth, mut commas, mut at) = (0, 0, array_pos as usize);
    while let Some(&byte) = body.get(at) {
        match byte {
            b'[' | b'{' if depth == 1 && commas == n => break,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b',' if depth == 1 => commas += 1,
            _ if byte.is_ascii_whitespace() => {}
            _ if depth == 1 && commas == n => break,
            b'"' => {
                at += 1;
                while body.get(at).is_some_and(|b| *b != b'"') {
                    at += 1 + usize::from(body[at] == b'\\');
                }
            }
            _ => {}
        }
        at += 1;
    }
    at as u32
}

/// The error of a definition that holds what settings cannot: lists of anything but values.
fn refused_settings(definition: &Map) -> Option<Error> {
    let is_value = |item: &Value| !matches!(item, Value::Null | Value::Array(_) | Value::Object(_));
    let refused = |value: &Value| matches!(value, Value::Array(items) if !items.iter().all(is_value));
    let inner = |value: &Value| matches!(value, Value::Object(map) if refused_settings(map).is_some());
    if !definition.iter().any(|(_, value)| refused(value) || inner(value)) {
        return None;
    }
    let cause = Error::new(ErrorKind::IllegalState, "only value lists are allowed in serialized settings");
    let shown = Value::Object(java_ordered(definition.clone()));
    let settings = Error::new(ErrorKind::Settings, format!("Failed to load settings from [{}]", shown.to_text()));
    let reason = format!("Failed to parse [{}]", json::java_text(&shown));
    Some(Error::illegal_argument(reason).caused_by(settings.caused_by(cause)))
}

/// Where the object that begins at `pos` ends: at its last brace. The text is known to be well-formed.
fn object_end(body: &[u8], pos: u32) -> u32 {
    let (mut depth, mut at, mut quoted) = (0u32, pos as usize, false);
    while let Some(&byte) = body.get(at) {
        match byte {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    at as u32
}

/// Settings are flat: objects become keys with dots, sorted, and values texts.
fn flatten(definition: &Map) -> Map {
    fn add(prefix: &str, map: &Map, flat: &mut Map) {
        for (key, value) in map.iter() {
            let key = format!("{prefix}{key}");
            match value {
                Value::Object(inner) => add(&format!("{key}."), inner, flat),
                Value::Array(items) => {
                    flat.insert(key, items.iter().map(|v| v.to_text().into()).collect::<Vec<Value>>())
                }
                Value::Null => flat.insert(key, Value::Null),
                value => flat.insert(key, value.to_text()),
            }
        }
    }
    let mut flat = Map::new();
    add("", definition, &mut flat);
    flat.sort();
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<AnalyzeRequest> {
        AnalyzeRequest::parse(body.as_bytes(), &[])
    }

    #[test]
    fn body_wins_over_url() {
        let params = [("analyzer", "simple"), ("text", "x"), ("filter", "a,b")];
        let request = AnalyzeRequest::parse(br#"{"text":["y",1.50]}"#, &params).unwrap();
        assert_eq!((request.text, request.analyzer), (vec!["y".into(), "1.50".into()], Some("simple".into())));
        assert_eq!(request.filters, [Part::Name("a".into()), Part::Name("b".into())]);
        assert!(AnalyzeRequest::parse(b"", &[("text", "x")]).is_ok());
    }

    #[test]
    fn errors_name_line_and_column() {
        let cases = [
            (r#"{"analyzer":"standard","text":"a","foo":1}"#, "[1:35] [analyze_request] unknown field [foo]"),
            (r#"{"text":5}"#, "[1:9] [analyze_request] text doesn't support values of type: VALUE_NUMBER"),
            (r#"{"explain":"yes","text":"a"}"#, "[1:12] [analyze_request] failed to parse field [explain]"),
            (r#"{"text":"a","attributes":["x",{}]}"#, "[1:31] [analyze_request] failed to parse field [attributes]"),
            ("[]", "[1:1] [analyze_request] Expected START_OBJECT but was: START_ARRAY"),
            (
                r#"{"text":"a","tokenizer":"standard","filter":["lowercase",[]]}"#,
                "[1:58] [analyze_request] failed to parse field [filter]",
            ),
            ("", "request body or source parameter is required"),
        ];
        for (body, reason) in cases {
            assert_eq!(parse(body).unwrap_err().reason(), reason, "{body}");
        }
        let error = parse(r#"{"text":[null]}"#).unwrap_err();
        assert_eq!(error.cause().unwrap().reason(), "Can't get text on a VALUE_NULL at 1:10");
    }

    #[test]
    fn refuses_combinations() {
        let request = parse(r#"{"text":"a","filter":["x"],"analyzer":"y","tokenizer":"z","normalizer":"n"}"#).unwrap();
        assert_eq!(
            request.validate(Some("i")).unwrap_err().reason(),
            "Validation Failed: 1: tokenizer/analyze should be null if normalizer is specified;2: cannot define extra components on a named analyzer;3: cannot define extra components on a named normalizer;"
        );
        assert_eq!(parse("{}").unwrap().validate(None).unwrap_err().reason(), "Validation Failed: 1: text is missing;");
    }
}

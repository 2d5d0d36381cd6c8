//! What can go wrong: while compiling, and while running; and how both are told to clients.

use super::class::{ClassId, registry};
use super::op::NO_PLACE;
use super::value::Value;
use crate::error::{Error, ErrorKind};
use crate::json;

/// UTF-16 units of a script shown around the place of a compile error.
const AROUND: usize = 25;

/// An error of compilation, at a byte of the script if it has a place.
#[derive(Clone, Debug)]
pub struct Compile {
    pub at: Option<u32>,
    pub kind: &'static str,
    pub reason: String,
    pub cause: Option<(&'static str, String)>,
}

impl Compile {
    #[cold]
    pub fn new(at: u32, kind: &'static str, reason: impl Into<String>) -> Self {
        Self { at: Some(at), kind, reason: reason.into(), cause: None }
    }

    /// What the reference says of a lambda with nothing in it, which it trips over.
    #[cold]
    pub fn empty_lambda() -> Self {
        Self { at: None, kind: "null_pointer_exception", reason: String::new(), cause: None }
    }

    /// What the reference refuses without telling where it stands.
    #[cold]
    pub fn nowhere(kind: &'static str, reason: impl Into<String>) -> Self {
        Self { at: None, kind, reason: reason.into(), cause: None }
    }

    /// What the reference says of what gives nothing, where it does not look at it before it keeps it.
    #[cold]
    pub fn of_nothing() -> Self {
        Self::nowhere("array_index_out_of_bounds_exception", "Index -1 out of bounds for length 0")
    }

    #[cold]
    pub fn illegal(at: u32, reason: impl Into<String>) -> Self {
        Self::new(at, "illegal_argument_exception", reason)
    }

    #[cold]
    pub fn cast(at: u32, reason: impl Into<String>) -> Self {
        Self::new(at, "class_cast_exception", reason)
    }

    /// The same of a declaration of what is caught.
    #[cold]
    pub fn of_catch(self) -> Self {
        Self { reason: format!("invalid catch declaration: {}", self.reason), ..self }
    }

    /// Adds a cause that has no message.
    pub fn because(mut self, kind: &'static str) -> Self {
        self.cause = Some((kind, String::new()));
        self
    }

    /// The error of the interface.
    pub fn to_error(&self, source: &str, lang: &str) -> Error {
        let told = |reason: &'_ str| Some(reason.to_owned()).filter(|reason| !reason.is_empty());
        let mut cause = kind_error(self.kind, told(&self.reason).as_deref());
        if let Some((kind, reason)) = &self.cause {
            cause = cause.caused_by(kind_error(kind, told(reason).as_deref()));
        }
        let Some(at) = self.at else {
            return script_error("compile error", source, lang, None, vec![], (String::new(), 0)).caused_by(cause);
        };
        let at = floor(source, at as usize);
        let before: usize = around(source[..at].chars().rev()).sum();
        let after: usize = around(source[at..].chars()).sum();
        let (start, end) = (at - before, at + after);
        let snippet =
            [if start > 0 { "... " } else { "" }, &source[start..end], if end < source.len() { " ..." } else { "" }];
        let lead = if start > 0 { 4 } else { 0 };
        script_error("compile error", source, lang, Some((at, start, end)), vec![], (snippet.concat(), lead))
            .caused_by(cause)
    }
}

/// The lengths of the characters that are shown on one side of an error.
fn around(chars: impl Iterator<Item = char>) -> impl Iterator<Item = usize> {
    let shown = chars.scan(0, |units, c| {
        *units += c.len_utf16();
        (*units <= AROUND).then(|| c.len_utf8())
    });
    shown.fuse()
}

fn floor(source: &str, mut at: usize) -> usize {
    at = at.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// An exception or error thrown while running.
#[derive(Debug)]
pub struct Thrown {
    pub class: ClassId,
    pub message: Option<String>,
    /// The script object, if there is one.
    pub object: Option<Value>,
    /// Byte of the script; set by the machine when the error leaves an instruction.
    pub at: Option<u32>,
    /// What `Debug.explain` tells: fields of the error object.
    pub explained: Vec<(&'static str, String)>,
    /// What made it, what made that, and so on: classes and what they say.
    pub causes: Vec<(ClassId, String)>,
}

pub type Failed = Box<Thrown>;
pub type Outcome = Result<Value, Failed>;

/// An exception of the class with this simple name.
#[cold]
pub fn throw(class: &str, message: impl Into<String>) -> Failed {
    thrown(class, Some(message.into()))
}

#[cold]
pub fn thrown(class: &str, message: Option<String>) -> Failed {
    let class = registry().find(class).expect("exceptions that are thrown have a row");
    Box::new(Thrown { class, message, object: None, at: None, explained: vec![], causes: vec![] })
}

/// What is said of null where nothing else is known of it.
pub const UNTOLD_NULL: &str = "Cannot invoke \"Object.getClass()\" because \"callArgs[0]\" is null";

#[cold]
pub fn null_pointer() -> Failed {
    throw("NullPointerException", UNTOLD_NULL)
}

/// A value of the class `from` is taken for one of `to`.
#[cold]
pub fn no_cast(from: &str, to: &str) -> Failed {
    // What a stream is that nothing was done with yet.
    let from = if from == "java.util.stream.Stream" { "java.util.stream.ReferencePipeline$Head" } else { from };
    throw("ClassCastException", json::cast_text(from, to))
}

#[cold]
pub fn illegal(message: impl Into<String>) -> Failed {
    throw("IllegalArgumentException", message)
}

impl Thrown {
    /// Adds what made it.
    #[cold]
    pub fn made_by(mut self: Box<Self>, cause: Self) -> Box<Self> {
        self.causes = vec![(cause.class, cause.message.unwrap_or_default())];
        self.causes.extend(cause.causes);
        self
    }

    /// The error of the interface. `statements` are the bytes at which statements begin, ascending.
    pub fn to_error(&self, source: &str, lang: &str, statements: &[u32]) -> Error {
        let position = self.at.filter(|at| *at != NO_PLACE).map(|at| {
            let at = floor(source, at as usize);
            let before = statements.partition_point(|s| *s as usize <= at);
            let start = before.checked_sub(1).map_or(0, |i| statements[i] as usize);
            let end = statements.get(before).map_or(source.len(), |end| *end as usize);
            (at, floor(source, start), floor(source, end))
        });
        let explained = self.explained.clone();
        let error_of = |class, message| kind_error(&type_name(registry().class(class).simple), message);
        let mut cause = error_of(self.class, self.message.as_deref());
        let deeper = self.causes.iter().rev().fold(None, |deeper, (class, message)| {
            let error = error_of(*class, Some(message.as_str()));
            Some(match deeper {
                Some(deeper) => error.caused_by(deeper),
                None => error,
            })
        });
        if let Some(deeper) = deeper {
            cause = cause.caused_by(deeper);
        }
        let snippet = position.map_or_else(String::new, |(_, start, end)| source[start..end.max(start)].to_owned());
        let mut error = script_error("runtime error", source, lang, position, explained, (snippet, 0));
        if self.at == Some(NO_PLACE) {
            error = error.with("script_stack", vec![json::Value::from("<<< unknown portion of script >>>")]);
        }
        error.caused_by(cause)
    }
}

fn script_error(
    reason: &str,
    source: &str,
    lang: &str,
    position: Option<(usize, usize, usize)>,
    explained: Vec<(&'static str, String)>,
    (snippet, lead): (String, usize),
) -> Error {
    let mut error = Error::new(ErrorKind::Script, reason);
    for (name, value) in explained {
        error = error.with(name, value);
    }
    let stack = position.map_or(vec![], |(at, start, _)| {
        let blanks = lead + source[start..at.max(start)].encode_utf16().count();
        vec![json::Value::from(snippet), json::Value::from(format!("{}^---- HERE", " ".repeat(blanks)))]
    });
    error = error.with("script_stack", stack).with("script", source).with("lang", lang);
    if let Some((at, start, end)) = position {
        let units = |byte: usize| source[..byte].encode_utf16().count();
        let fields = [("offset", units(at)), ("start", units(start)), ("end", units(end))];
        error = error.with("position", fields.into_iter().collect::<json::Map>());
    }
    error
}

fn kind_error(kind: &str, message: Option<&str>) -> Error {
    match ErrorKind::from_type_name(kind) {
        Some(kind) => match message {
            Some(message) => Error::new(kind, message),
            None => Error::without_reason(kind),
        },
        // Exceptions that no part of the interface throws by itself.
        None => Error::new(ErrorKind::Runtime, format!("{kind}: {}", message.unwrap_or("null"))),
    }
}

/// `IllegalArgumentException` as `illegal_argument_exception`.
fn type_name(simple: &str) -> String {
    let mut out = String::with_capacity(simple.len() + 8);
    for (i, c) in simple.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

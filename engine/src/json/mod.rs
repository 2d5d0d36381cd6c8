//! JSON: a position-keeping reader for requests, and a writer of bytes.
//!
//! - [`Value`]: a tree for request bodies, mappings and settings; objects ([`Map`]) keep the order and the position of their keys.
//! - [`parse`]: bytes to [`Value`], with bounded depth; refuses duplicate keys, accepts comments, as the reference does.
//! - [`Writer`]: values straight to bytes, numbers in the reference's (Java's) notation.
//! - [`scanner`]: documents read without a tree, as their reader asks for it.
//! - [`tokens`]: checked bytes as tokens that keep their spelling; on them work [`filter`] (`filter_path`), [`Select`]
//!   (`_source` filters), [`to_pretty`] and [`to_yaml`].
//! - [`java_text`], [`java_class`]: values as Java prints and names them.
//!
//! What this room does not know: what any key means. Documents do not pass through [`Value`] on their way into the index
//! (see `mapping`).

pub mod base64;
mod filter;
mod java;
mod map;
mod misread;
mod pretty;
mod read;
pub mod scanner;
mod select;
pub mod tokens;
mod write;
mod yaml;

pub use filter::filter;
pub(crate) use filter::glob;
pub use java::{cast_text, java_class, java_double, java_int, java_long, java_simple_class, java_text, no_cast};
pub use map::{Entries, Entry, Map};
pub use misread::{Misread, check_begins_object, located, not_binary, of_text};
pub use pretty::{to_pretty, to_pretty_throughout};
pub use read::{
    MAX_DEPTH, leading_token, line_col, parse, parse_declared, parse_declared_objects, parse_declared_prefix,
    parse_prefix,
};
pub use select::{Select, hashed};
pub(crate) use write::write_string;
pub use write::{Writer, write_f32, write_f64};
pub use yaml::to_yaml;

use std::borrow::Cow;

/// A JSON value. Numbers keep the distinction between integers and decimals that the reference makes.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    /// Only values above `i64::MAX`.
    UInt(u64),
    Float(f64),
    /// The digits of an integer that fits no 64 bits.
    BigInt(String),
    String(String),
    Array(Vec<Value>),
    Object(Map),
}

impl Value {
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(s) => Some(s),
            _ => None,
        }
    }

    /// What the reference calls the token that the value begins with.
    pub fn token(&self) -> &'static str {
        match self {
            Self::Null => "VALUE_NULL",
            Self::Bool(_) => "VALUE_BOOLEAN",
            Self::Int(_) | Self::UInt(_) | Self::Float(_) | Self::BigInt(_) => "VALUE_NUMBER",
            Self::String(_) => "VALUE_STRING",
            Self::Array(_) => "START_ARRAY",
            Self::Object(_) => "START_OBJECT",
        }
    }

    /// The integer, if this is one (decimals and strings are not).
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// The number as a double, whatever its kind.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(i) => Some(*i as f64),
            Self::UInt(u) => Some(*u as f64),
            Self::Float(f) => Some(*f),
            Self::BigInt(s) => s.parse().ok(),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(m) => Some(m),
            _ => None,
        }
    }

    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(m) => Some(m),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(a) => Some(a),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The value under `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// Scalars as the text that the reference makes of them (`Object.toString`); JSON for arrays and objects.
    pub fn to_text(&self) -> String {
        self.text().into_owned()
    }

    /// The same, borrowed from a string.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::String(s) => Cow::Borrowed(s),
            other => Cow::Owned(String::from_utf8(other.to_bytes()).expect("the writer writes UTF-8")),
        }
    }

    /// Compact JSON.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.value(self);
        w.finish()
    }
}

macro_rules! from {
    ($($t:ty => |$v:ident| $e:expr;)*) => { $(impl From<$t> for Value { fn from($v: $t) -> Self { $e } })* };
}
from! {
    bool => |v| Value::Bool(v);
    i32 => |v| Value::Int(v.into());
    u32 => |v| Value::Int(v.into());
    i64 => |v| Value::Int(v);
    u64 => |v| i64::try_from(v).map_or(Value::UInt(v), Value::Int);
    usize => |v| Value::from(v as u64);
    f64 => |v| Value::Float(v);
    &str => |v| Value::String(v.to_owned());
    &String => |v| Value::String(v.clone());
    String => |v| Value::String(v);
    Vec<Value> => |v| Value::Array(v);
    Map => |v| Value::Object(v);
}

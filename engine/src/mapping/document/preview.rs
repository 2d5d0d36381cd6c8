//! A value as error messages show it.

use crate::json;
use crate::mapping::params::java_text;

/// The JSON value that `text` begins with, in Java's notation of maps and lists.
#[cold]
pub fn preview(text: &str) -> String {
    match json::parse_prefix(text.as_bytes()) {
        Ok((value, _)) => java_text(&value),
        Err(_) => String::new(),
    }
}

//! A value as error messages show it.

use crate::java_order::java_hashed_text;
use crate::json;

/// The JSON value that `text` begins with, in Java's notation of maps and lists; `None` if it is malformed.
#[cold]
pub fn preview(text: &[u8]) -> Option<String> {
    json::parse_prefix(text).ok().map(|(value, _)| java_hashed_text(&value))
}

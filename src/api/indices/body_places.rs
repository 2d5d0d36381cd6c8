//! Where in a body things stand, for the errors that tell it.

use pith_engine::json::line_col;
use pith_engine::json::tokens::value_end;
use pith_engine::{Error, ErrorKind};

/// Where the value that begins at `pos` ends.
pub fn last_byte(text: &[u8], pos: u32) -> u32 {
    let length = text.get(pos as usize..).map_or(0, value_end);
    pos + (length as u32).saturating_sub(1)
}

/// The error of what stands at `pos`.
#[cold]
pub fn at(text: &[u8], pos: u32, what: &str) -> Error {
    let (line, col) = line_col(text, pos);
    Error::new(ErrorKind::XContentParse, format!("[{line}:{col}] {what}"))
}

//! What became of one delivery.

use pith_engine::json::Writer;

/// The destination's answer, or why there is none; codes are those of HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub code: u16,
    pub text: String,
}

/// The codes of what goes wrong on this side.
pub const REFUSED: u16 = 403;
pub const NOT_FOUND: u16 = 404;
pub const TOO_LARGE: u16 = 413;
pub const MUTED: u16 = 423;
pub const FAILED_DEPENDENCY: u16 = 424;
pub const TOO_MANY: u16 = 429;
pub const SEND_FAILED: u16 = 500;
pub const BAD_GATEWAY: u16 = 502;
pub const UNAVAILABLE: u16 = 503;

impl Status {
    pub fn new(code: u16, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// Writes `{"status_code":…,"status_text":…}`.
    pub fn write(&self, w: &mut Writer) {
        w.begin_object().key("status_code").string(&self.code.to_string());
        w.key("status_text").string(&self.text).end_object();
    }
}

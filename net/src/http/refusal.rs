//! Requests that never reach a handler.

use std::borrow::Cow;

/// Why a request is refused. `error_page` turns it into a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    /// The name that the reference gives to this kind of error, in snake case.
    pub kind: &'static str,
    pub reason: Cow<'static, str>,
    /// A more exact reason behind the first, of kind `illegal_argument_exception`.
    pub cause: Option<String>,
    /// Whether the connection goes on: only where it is certain where the next request begins.
    pub(super) keep: bool,
}

impl Refusal {
    pub(super) fn new(status: u16, kind: &'static str, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { status, kind, reason: reason.into(), cause: None, keep: false }
    }

    pub(super) fn bad_request(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::new(400, "illegal_argument_exception", reason)
    }

    pub(super) fn not_http() -> Self {
        Self::bad_request("text is empty (possibly HTTP/0.9)")
    }

    pub(super) fn line_separator() -> Self {
        Self::new(
            400,
            "invalid_line_separator_exception",
            "Line Feed must be preceded by Carriage Return when terminating HTTP start- and header field-lines",
        )
    }

    pub(super) fn line_too_long(limit: usize) -> Self {
        Self::new(400, "too_long_http_line_exception", format!("An HTTP line is larger than {limit} bytes."))
    }

    pub(super) fn headers_too_long(limit: usize) -> Self {
        Self::new(400, "too_long_http_header_exception", format!("HTTP header is larger than {limit} bytes."))
    }

    pub(super) fn chunk_size() -> Self {
        Self::new(400, "number_format_exception", "Invalid character in chunk size")
    }

    pub(super) fn body_too_large(limit: usize, keep: bool) -> Self {
        let mut refusal =
            Self::new(413, "too_long_http_content_exception", format!("content length exceeded [{limit}] bytes"));
        refusal.keep = keep;
        refusal
    }

    pub(super) fn inflight(wanted: usize, limit: usize) -> Self {
        Self::new(
            429,
            "circuit_breaking_exception",
            format!(
                "[in_flight_requests] Data too large, data for [<http_request>] would be [{wanted}b], which is larger than the \
                 limit of [{limit}b]"
            ),
        )
    }

    pub(super) fn expectation() -> Self {
        Self::new(417, "expectation_failed_exception", "the only expectation that can be met is 100-continue")
    }

    pub(super) fn timeout() -> Self {
        Self::new(408, "timeout_exception", "the request did not arrive in time")
    }

    pub(super) fn panicked() -> Self {
        let mut refusal = Self::new(500, "exception", "the request met a bug; see the log");
        refusal.keep = true;
        refusal
    }
}

//! What a handler gives back, and how it becomes bytes in the form that the client asked for.

use super::binary;
use super::body::MediaType;
use super::request::Common;
use pith_engine::Error;
use pith_engine::json::{self, Writer};
use std::borrow::Cow;

/// An answer: status, further headers, and a body that is JSON until the client asks for another form.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub content: Content,
    /// Whether JSON is laid out for reading even when the client does not say so.
    pub pretty_by_default: bool,
}

#[derive(Debug, PartialEq)]
pub enum Content {
    /// One complete JSON value without needless spaces (stored documents inside may have them).
    Json(Vec<u8>),
    /// JSON that is sent as it is, whatever the common parameters say: a stored document by itself. Laid out for reading, it is a line.
    Verbatim(Vec<u8>),
    /// Text that stays as it is, such as the tables of `_cat`.
    Text(String),
    Empty,
}

/// As long as most errors are when they are written.
const ERROR_BYTES: usize = 640;

impl Reply {
    pub fn json(status: u16, body: Vec<u8>) -> Self {
        Self { status, headers: vec![], content: Content::Json(body), pretty_by_default: false }
    }

    /// 200 with what `writer` has written.
    pub fn ok(writer: Writer) -> Self {
        Self::json(200, writer.finish())
    }

    pub fn text(status: u16, text: impl Into<String>) -> Self {
        Self { status, headers: vec![], content: Content::Text(text.into()), pretty_by_default: false }
    }

    /// Without a body: answers to OPTIONS and to some HEAD requests.
    pub fn empty(status: u16) -> Self {
        Self { status, headers: vec![], content: Content::Empty, pretty_by_default: false }
    }

    /// `{"acknowledged":…}`.
    pub fn acknowledged(acknowledged: bool) -> Self {
        let mut w = Writer::new();
        w.begin_object().key("acknowledged").bool(acknowledged).end_object();
        Self::ok(w)
    }

    /// The `error` object of `error` and its status.
    pub fn error(error: &Error) -> Self {
        let mut w = Writer::with_capacity(ERROR_BYTES);
        w.begin_object().key("error");
        error.write_with_root_cause(&mut w);
        w.key("status").u64(error.status().into()).end_object();
        Self::json(error.status(), w.finish())
    }

    /// An error whose `error` is a bare sentence: those that never reach a handler.
    pub fn plain_error(status: u16, message: &str, with_status: bool) -> Self {
        let mut w = Writer::new();
        w.begin_object().key("error").string(message);
        if with_status {
            w.key("status").u64(status.into());
        }
        w.end_object();
        Self::json(status, w.finish())
    }

    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Adds a `Warning` header, as the reference does for what is deprecated.
    pub fn with_warning(self, text: &str) -> Self {
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        self.with_header("Warning", format!("299 OpenSearch-3.8.0-{} \"{quoted}\"", crate::REFERENCE_BUILD_HASH))
    }

    pub fn pretty_by_default(mut self) -> Self {
        self.pretty_by_default = true;
        self
    }

    /// How many bytes [`Self::render`] has to work through; none where the body is sent as it is.
    pub fn layout_bytes(&self, common: &Common, media: MediaType) -> usize {
        let Content::Json(body) = &self.content else { return 0 };
        let as_it_is = media == MediaType::Json
            && common.filter_path.is_empty()
            && !common.pretty.unwrap_or(self.pretty_by_default);
        if as_it_is { 0 } else { body.len() }
    }

    /// The content type and the bytes to send: filtered by `filter_path`, laid out, in JSON or YAML.
    pub fn render(self, common: &Common, media: MediaType) -> (Cow<'static, str>, Vec<u8>) {
        let body = match self.content {
            Content::Empty => return ("text/plain; charset=UTF-8".into(), vec![]),
            Content::Text(text) => return ("text/plain; charset=UTF-8".into(), text.into_bytes()),
            Content::Verbatim(mut body) if media == MediaType::Json || body.is_empty() => {
                if common.pretty == Some(true) && !body.is_empty() {
                    body.push(b'\n');
                }
                return (media.response_type(), body);
            }
            Content::Json(body) | Content::Verbatim(body) => body,
        };
        let filtered = !common.filter_path.is_empty();
        let body = if filtered { json::filter(&body, &common.filter_path) } else { body };
        // Of a list that nothing is left of, nothing is left.
        if body == b"[]" && media == MediaType::Json && filtered {
            return (media.response_type(), vec![]);
        }
        let body = match media {
            MediaType::Yaml => json::to_yaml(&body),
            MediaType::Cbor => binary::to_cbor(&body),
            MediaType::Smile => binary::to_smile(&body),
            _ if common.pretty.unwrap_or(self.pretty_by_default) => match filtered {
                true => json::to_pretty_throughout(&body),
                false => json::to_pretty(&body),
            },
            _ => body,
        };
        (media.response_type(), body)
    }
}

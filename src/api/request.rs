//! What a handler is given: path and query parameters with typed getters, and the body.

use super::body::MediaType;
use super::{Method, Route, params};
use bytes::Bytes;
use pith_engine::json::{self, Value};
use pith_engine::{Error, ErrorKind, Result};
use std::cell::RefCell;
use std::net::SocketAddr;

/// A request that found its route. Its parameters are known to the route, its body is JSON (or lines of it).
#[derive(Debug)]
pub struct ApiRequest {
    pub method: Method,
    /// The path as it was received, still escaped, without the query string.
    pub path: String,
    pub route: &'static Route,
    /// Query parameters first, then path parameters: the last of a name counts.
    pub(super) params: Vec<(String, String)>,
    /// JSON, or lines of JSON. A YAML body has been turned into JSON.
    pub body: Bytes,
    /// What the body was sent as.
    pub media: MediaType,
    /// The `Accept` header, for replies whose form depends on it.
    pub accept: Option<String>,
    /// The client's `X-Opaque-Id`.
    pub opaque_id: Option<String>,
    /// The other end of the connection.
    pub remote: Option<SocketAddr>,
    /// Values of the common parameters that the reply depends on.
    pub common: Common,
    /// What is said of parameters that nobody reads, where what is read is checked before.
    pub(super) unknown: Option<Error>,
    /// The body as a tree, where it was read off the core beforehand: for the first that asks.
    pub(super) tree: RefCell<Option<Result<Value>>>,
}

/// The parameters that every route knows.
#[derive(Clone, Debug, Default)]
pub struct Common {
    pub pretty: Option<bool>,
    pub human: bool,
    pub error_trace: bool,
    pub filter_path: Vec<String>,
}

impl ApiRequest {
    /// Refuses parameters that nobody reads: for handlers that read the others first.
    pub fn check_known(&self) -> Result<()> {
        self.unknown.clone().map_or(Ok(()), Err)
    }

    /// The value of a path or query parameter.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    pub fn has(&self, name: &str) -> bool {
        self.param(name).is_some()
    }

    /// Whether any index is named. A path of commas alone names none, and is not to be taken for all of them where something is
    /// changed that nobody named.
    pub fn names_indexes(&self) -> bool {
        !self.names("index").is_empty()
    }

    /// Says a parameter, whatever was said of it before.
    pub fn set_param(&mut self, name: &str, value: String) {
        self.params.push((name.to_owned(), value));
    }

    /// The value of a path parameter of this route.
    pub fn path_param(&self, name: &str) -> &str {
        self.param(name).unwrap_or_default()
    }

    /// All parameters, in the order in which they were given; of a repeated name the last counts.
    pub fn params(&self) -> &[(String, String)] {
        &self.params
    }

    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        Ok(self.flag_opt(name)?.unwrap_or(default))
    }

    pub fn flag_opt(&self, name: &str) -> Result<Option<bool>> {
        self.param(name).map_or(Ok(None), params::boolean_opt)
    }

    /// The same for a flag that says nothing where it stands without a value.
    pub fn given_flag(&self, name: &str) -> Result<Option<bool>> {
        self.param(name).filter(|value| !value.trim().is_empty()).map(params::boolean).transpose()
    }

    pub fn int(&self, name: &str, default: i32) -> Result<i32> {
        Ok(self.int_opt(name)?.unwrap_or(default))
    }

    pub fn int_opt(&self, name: &str) -> Result<Option<i32>> {
        self.param(name).map(|value| params::int(name, value)).transpose()
    }

    pub fn long_opt(&self, name: &str) -> Result<Option<i64>> {
        self.param(name).map(|value| params::long(name, value)).transpose()
    }

    pub fn float_opt(&self, name: &str) -> Result<Option<f32>> {
        self.param(name).map(|value| params::float(name, value)).transpose()
    }

    /// A time value in milliseconds; -1 stands for "none".
    pub fn time_ms(&self, name: &str, default_ms: i64) -> Result<i64> {
        Ok(self.time_ms_opt(name)?.unwrap_or(default_ms))
    }

    /// A time that errors name as that of a request.
    pub fn time_ms_of(&self, request: &str, name: &str) -> Result<Option<i64>> {
        self.param(name).map(|value| params::time_ms(&format!("{request}.{name}"), value)).transpose()
    }

    pub fn time_ms_opt(&self, name: &str) -> Result<Option<i64>> {
        self.param(name).map(|value| params::time_ms(name, value)).transpose()
    }

    /// The items of a comma-separated parameter; empty when it is not given.
    pub fn list(&self, name: &str) -> Vec<&str> {
        match (name, self.param(name)) {
            ("index", _) => self.names(name),
            (_, Some(value)) => params::list(value).collect(),
            (_, None) => vec![],
        }
    }

    /// The names of a list as they stand there.
    pub fn names(&self, name: &str) -> Vec<&str> {
        self.param(name).map(params::names).unwrap_or_default()
    }

    /// The routing of a document that is written: an empty one is none.
    pub fn write_routing(&self) -> Option<&str> {
        self.param("routing").filter(|routing| !routing.is_empty())
    }

    /// The body, or the `source` parameter that stands for it; `None` when neither is there.
    pub fn body_opt(&self) -> Result<Option<Bytes>> {
        if !self.body.is_empty() {
            return Ok(Some(self.body.clone()));
        }
        let Some(source) = self.param("source") else { return Ok(None) };
        let Some(content_type) = self.param("source_content_type") else {
            return Err(Error::new(ErrorKind::IllegalState, "source and source_content_type parameters are required"));
        };
        if !super::serve::is_media_type(content_type) {
            return Err(Error::illegal_argument(format!("invalid Content-Type header [{content_type}]")));
        }
        match MediaType::parse(content_type) {
            // A parameter that is there is a body, if one with nothing in it.
            Some(_) if source.is_empty() => Ok(Some(Bytes::from_static(b" "))),
            Some(media) => super::body::to_json(media, Bytes::copy_from_slice(source.as_bytes())).map(Some),
            None => Err(Error::new(
                ErrorKind::IllegalState,
                format!("Unknown value for source_content_type [{content_type}]"),
            )),
        }
    }

    /// The body, or the `source` parameter that stands for it.
    pub fn body_or_source(&self) -> Result<Bytes> {
        self.body_opt()?.ok_or_else(|| Error::new(ErrorKind::Parse, "request body or source parameter is required"))
    }

    /// The body itself.
    pub fn required_body(&self) -> Result<&Bytes> {
        if self.body.is_empty() {
            return Err(Error::new(ErrorKind::Parse, "request body is required"));
        }
        Ok(&self.body)
    }

    /// The body as a tree, with nothing behind it; `None` when there is none.
    pub fn whole_json_opt(&self) -> Result<Option<Value>> {
        if self.body.is_empty() { Ok(None) } else { json::parse(&self.body).map(Some) }
    }

    /// The body as a tree; `None` when there is none.
    pub fn json_opt(&self) -> Result<Option<Value>> {
        if self.body.is_empty() { Ok(None) } else { self.tree_of(&self.body).map(Some) }
    }

    /// The body as a tree. What stands behind it is not looked at, here as in all that follow.
    pub fn json(&self) -> Result<Value> {
        self.tree_of(self.required_body()?)
    }

    fn tree_of(&self, body: &[u8]) -> Result<Value> {
        match self.tree.take() {
            Some(read) => read,
            None => json::parse_prefix(body).map(|(value, _)| value),
        }
    }

    /// The same where fields are declared, which errors within them tell.
    pub fn json_declared(&self, declares: fn(&[&str]) -> Option<&'static str>) -> Result<Value> {
        let body = self.required_body()?;
        if let Some(Ok(read)) = self.tree.take() {
            return Ok(read);
        }
        let read = json::parse_declared_prefix(body, declares);
        read.map(|(value, _)| value).map_err(|misread| misread.error)
    }

    /// The body as a tree, for requests that take it as a map.
    pub fn json_map(&self) -> Result<Value> {
        self.map_of(self.required_body()?)
    }

    /// What the reference reads as a map: the body, or what stands for it. What stands behind it is not looked at.
    pub fn map_of(&self, body: &[u8]) -> Result<Value> {
        // Whether it may be compressed is asked before it is read, and its first characters tell.
        let is_yaml = body.starts_with(b"---");
        if !is_yaml && !body.trim_ascii_start().starts_with(b"{") {
            return Err(Error::not_x_content());
        }
        self.tree_of(body)
            .map_err(|error| Error::new(ErrorKind::Parse, "Failed to parse content to map").caused_by(error))
    }
}

#[cfg(test)]
impl ApiRequest {
    /// A request as the router would make it, for tests of handlers' parsing.
    pub fn for_test(route: &'static Route, params: &[(&str, &str)], body: &str) -> Self {
        Self {
            method: route.method,
            path: route.path.to_owned(),
            route,
            params: params.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            body: Bytes::copy_from_slice(body.as_bytes()),
            media: MediaType::Json,
            accept: None,
            opaque_id: None,
            remote: None,
            common: Common::default(),
            unknown: None,
            tree: RefCell::default(),
        }
    }
}

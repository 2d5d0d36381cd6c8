//! HTTP/1.1: what arrives, what is answered, what is refused.
//!
//! ```text
//! limits      every bound and time limit, by name
//! request     method, target, headers, body: what a handler gets
//! response    what a handler gives, and its bytes
//! refusal     what never reaches a handler, and why
//! head        start line and header lines, strictly (sans-IO, on httparse)
//! chunked     chunked bodies (sans-IO)
//! parser      bytes in, requests and refusals out (sans-IO)
//! coding      gzip and deflate, both ways, in slices
//! watch       deadlines of all connections of a core
//! affinity    which core a connection should live on
//! connection  one socket: read, parse, handle, write
//! client      asking other servers, answers of bounded size
//! server      accepting, handing sockets to cores in turn and on between cores, draining
//! ```
//!
//! What this room does not know: routes, JSON, users. The handler decides every answer except those to requests that are no
//! requests; what those look like is decided by the caller's `error_page`. No `Date`, `Server` or `Connection` header is sent.
//!
//! Forms that two parsers could read differently are refused and the connection is closed: Content-Length beside
//! Transfer-Encoding, several Content-Lengths, codings other than chunked, folded header lines, bare CR or LF, a space before
//! the colon, chunk sizes that are not plain hexadecimal.

mod affinity;
mod chunked;
mod client;
mod coding;
mod connection;
mod head;
mod limits;
mod parser;
mod refusal;
mod request;
mod response;
mod server;
mod watch;

pub use self::{
    client::{Ask, Client, ClientConfig, Reply},
    limits::{BodyBudget, Limits},
    parser::{Event, Parser},
    refusal::Refusal,
    request::{Headers, Method, Request, Version},
    response::{Body, Response},
    server::{Config, Gone, Handler, Seat, ServerStats, seats, serve},
    watch::Peer,
};
pub use crate::rt::listen;

#[cfg(test)]
mod tests;

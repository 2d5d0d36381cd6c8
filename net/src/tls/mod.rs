//! TLS over the sockets of a core: rustls (with ring) does the protocol, the core's own sockets carry it.
//!
//! ```text
//! config   what a server shows and a client trusts, from PEM
//! session  one connection under TLS: handshake, records in and out
//! stream   a connection that is plain or not, read and written alike
//! ```
//!
//! A client that talks to others:
//!
//! ```ignore
//! let connector = Connector::system()?;             // reads files: once, in `offload`
//! let stream = Stream::from(TcpStream::connect(address, limit).await?);
//! let mut stream = stream.secure(&connector, "mail.example.org", limit).await?;
//! stream.write_all(&[b"EHLO here\r\n"]).await?;
//! ```
//!
//! What this room does not know: HTTP, files (but for the system's roots), settings. It takes no lock that is held for longer than it takes to read a key.

mod config;
mod session;
mod stream;

pub use self::{
    config::{Acceptor, ClientCertificates, Connector, ServerTls, Versions},
    stream::{Released, Stream},
};

#[cfg(test)]
pub(crate) mod tests;

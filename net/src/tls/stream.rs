//! A connection that is plain or not, read and written alike.

use std::{
    future::poll_fn,
    io,
    net::{Shutdown, SocketAddr},
    os::fd::RawFd,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_lite::AsyncRead;
use rustls::Connection;

use super::{
    config::{Acceptor, Connector},
    session::Session,
};
use crate::rt::{self, Accepted, TcpStream};

/// A connection of one core, under TLS or not. Dropping it closes it.
pub struct Stream(Kind);

enum Kind {
    Plain(TcpStream),
    Secure(Box<Session>),
}

impl From<TcpStream> for Stream {
    fn from(stream: TcpStream) -> Self {
        Self(Kind::Plain(stream))
    }
}

/// A connection that belongs to no core, with the keys that were agreed on.
pub struct Released {
    accepted: Accepted,
    records: Option<Box<Connection>>,
}

impl From<Accepted> for Released {
    fn from(accepted: Accepted) -> Self {
        Self { accepted, records: None }
    }
}

impl Released {
    /// Binds the connection to the core that calls.
    pub fn into_stream(self) -> Stream {
        let socket = self.accepted.into_stream();
        Stream(match self.records {
            None => Kind::Plain(socket),
            Some(records) => Kind::Secure(Box::new(Session { socket, records: *records })),
        })
    }
}

impl Stream {
    /// Goes on under TLS, with a server that must prove within `limit` that it is `name` (a host's name or an address).
    pub async fn secure(self, connector: &Connector, name: &str, limit: Duration) -> io::Result<Self> {
        let mut session = Box::new(Session::client(self.plain()?, connector, name)?);
        let agreed = rt::timeout(limit, session.handshake()).await;
        agreed.unwrap_or_else(|| {
            let what = format!("[{name}] has not agreed on keys within {} ms", limit.as_millis());
            Err(io::Error::new(io::ErrorKind::TimedOut, what))
        })?;
        Ok(Self(Kind::Secure(session)))
    }

    /// Becomes a connection whose client must begin a handshake; [`Stream::handshake`] then waits for it.
    pub(crate) fn accept(self, acceptor: &Acceptor) -> io::Result<Self> {
        Ok(Self(Kind::Secure(Box::new(Session::server(self.plain()?, acceptor)?))))
    }

    /// Waits until keys are agreed on. Nothing bounds it but the end of the connection.
    pub(crate) async fn handshake(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(_) => Ok(()),
            Kind::Secure(session) => session.handshake().await,
        }
    }

    fn plain(self) -> io::Result<TcpStream> {
        match self.0 {
            Kind::Plain(socket) => Ok(socket),
            Kind::Secure(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "the connection is secure already")),
        }
    }

    pub fn is_secure(&self) -> bool {
        matches!(self.0, Kind::Secure(_))
    }

    /// Reads what is there, at most `buf.len()`; 0 is the end of the stream.
    pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| self.poll_read(cx, buf)).await
    }

    pub fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        match &mut self.0 {
            Kind::Plain(socket) => Pin::new(socket).poll_read(cx, buf),
            Kind::Secure(session) => session.poll_read(cx, buf),
        }
    }

    /// Writes all of `slices` in order, without joining them first.
    pub async fn write_all(&mut self, slices: &[&[u8]]) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(socket) => socket.write_all(slices).await,
            Kind::Secure(session) => session.write_all(slices).await,
        }
    }

    /// Tells the other side that nothing follows.
    pub fn end(&mut self) {
        match &mut self.0 {
            Kind::Plain(socket) => socket.shutdown(Shutdown::Write),
            Kind::Secure(session) => session.end(),
        }
    }

    /// Reads bytes as they are on the wire, for those who only wait for their end.
    pub(crate) async fn read_raw(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(socket) => socket.read(buf).await,
            Kind::Secure(session) => session.socket.read(buf).await,
        }
    }

    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr()
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr()
    }

    /// Unbinds the connection from this core, to be sent to another. What it has not read goes with it.
    pub(crate) fn release(self) -> Released {
        match self.0 {
            Kind::Plain(socket) => socket.release().into(),
            Kind::Secure(session) => {
                let Session { socket, records } = *session;
                Released { accepted: socket.release(), records: Some(Box::new(records)) }
            }
        }
    }

    /// See [`TcpStream::raw`].
    pub(crate) fn raw(&self) -> RawFd {
        self.socket().raw()
    }

    fn socket(&self) -> &TcpStream {
        match &self.0 {
            Kind::Plain(socket) => socket,
            Kind::Secure(session) => &session.socket,
        }
    }
}

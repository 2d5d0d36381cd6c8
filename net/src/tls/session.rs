//! One connection under TLS: the handshake, and records in and out.

use std::{
    future::poll_fn,
    io::{self, IoSlice, Read, Write},
    net::Shutdown,
    pin::Pin,
    task::{Context, Poll},
};

use futures_lite::{AsyncRead, AsyncWrite};
use rustls::{ClientConnection, Connection, ServerConnection};

use super::config::{Acceptor, Connector, server_name};
use crate::rt::{self, TcpStream};

/// Plain text that is made into records before they are sent.
const PIECE: usize = 64 << 10;

/// Reads in a row that may bring no data (but messages of the protocol) before others have their turn.
const FRUITLESS_MAX: usize = 16;

/// A connection whose bytes are encrypted.
pub(super) struct Session {
    pub socket: TcpStream,
    pub records: Connection,
}

/// The socket as rustls wants it: a call that would have to wait says so, and the task is woken when it need not.
struct Polled<'a, 'b, 'c> {
    socket: &'a mut TcpStream,
    cx: &'b mut Context<'c>,
}

fn ready(polled: Poll<io::Result<usize>>) -> io::Result<usize> {
    match polled {
        Poll::Ready(result) => result,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

impl Read for Polled<'_, '_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        ready(Pin::new(&mut *self.socket).poll_read(self.cx, buf))
    }
}

impl Write for Polled<'_, '_, '_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        ready(Pin::new(&mut *self.socket).poll_write(self.cx, buf))
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        ready(Pin::new(&mut *self.socket).poll_write_vectored(self.cx, slices))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn invalid(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl Session {
    /// Not secure before [`Session::handshake`].
    pub fn server(socket: TcpStream, acceptor: &Acceptor) -> io::Result<Self> {
        let records = ServerConnection::new(acceptor.0.clone()).map_err(invalid)?;
        Ok(Self::new(socket, records.into()))
    }

    /// The server must prove that it is `name`.
    pub fn client(socket: TcpStream, connector: &Connector, name: &str) -> io::Result<Self> {
        let records = ClientConnection::new(connector.0.clone(), server_name(name)?).map_err(invalid)?;
        Ok(Self::new(socket, records.into()))
    }

    fn new(socket: TcpStream, records: Connection) -> Self {
        let mut records = records;
        // What is written is sent before more is: `write_all` bounds it.
        records.set_buffer_limit(None);
        Self { socket, records }
    }

    /// Agrees on keys. Takes as long as the other side wants: the caller bounds it. Signing takes up to a millisecond of the core,
    /// with a key for RSA.
    pub async fn handshake(&mut self) -> io::Result<()> {
        loop {
            self.flush().await?;
            if !self.records.is_handshaking() {
                return Ok(());
            }
            if poll_fn(|cx| self.poll_records(cx)).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Err(error) = self.records.process_new_packets() {
                // Who speaks something else altogether does not understand the alert either.
                if !matches!(error, rustls::Error::InvalidMessage(_)) {
                    self.send_what_fits();
                }
                return Err(invalid(error));
            }
            rt::yield_if_needed().await;
        }
    }

    /// Reads records as they are; 0 is the end of the stream.
    fn poll_records(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match self.records.read_tls(&mut Polled { socket: &mut self.socket, cx }) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            read => Poll::Ready(read),
        }
    }

    /// Reads plain text that is there. The end of the stream is 0 when the other side has said that it is the end, and also at a server when
    /// it has not: whether a request is whole, its framing tells.
    pub fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        for _ in 0..FRUITLESS_MAX {
            match self.records.reader().read(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error)
                    if error.kind() == io::ErrorKind::UnexpectedEof
                        && matches!(self.records, Connection::Server(_)) =>
                {
                    return Poll::Ready(Ok(0));
                }
                read => return Poll::Ready(read),
            }
            match self.poll_records(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(read) => _ = read?,
            }
            if let Err(error) = self.records.process_new_packets() {
                self.send_what_fits();
                return Poll::Ready(Err(invalid(error)));
            }
            // Answers of the protocol to what was read. What does not fit goes with the next that is written.
            self.send_what_fits();
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Writes all of `slices` in order.
    pub async fn write_all(&mut self, slices: &[&[u8]]) -> io::Result<()> {
        let mut pending = 0;
        for piece in slices.iter().flat_map(|slice| slice.chunks(PIECE)) {
            self.records.writer().write_all(piece)?;
            pending += piece.len();
            if pending >= PIECE {
                pending = 0;
                self.flush().await?;
                rt::yield_if_needed().await;
            }
        }
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| {
            while self.records.wants_write() {
                match self.records.write_tls(&mut Polled { socket: &mut self.socket, cx }) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                    Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    Ok(_) => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    /// Sends what the socket takes at once, and waits for nothing.
    fn send_what_fits(&mut self) {
        if self.records.wants_write() {
            // An error will be met again by whoever writes next.
            let _ = self.records.write_tls(&mut self.socket.unwaiting());
        }
    }

    /// Tells the other side that nothing follows, if the socket takes it at once.
    pub fn end(&mut self) {
        if !self.records.is_handshaking() {
            self.records.send_close_notify();
            self.send_what_fits();
        }
        self.socket.shutdown(Shutdown::Write);
    }
}

//! TCP streams and listening.

use std::{
    io::{self, IoSlice},
    mem,
    net::{self, Shutdown, SocketAddr, ToSocketAddrs},
    os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_lite::{AsyncRead, AsyncWrite, future::poll_fn};

/// Connections that the kernel holds until they are accepted.
const BACKLOG: libc::c_int = 1024;

/// Slices handed to the kernel in one call.
const IOV_MAX: usize = 64;

/// Binds and listens. The port is not shared with other sockets: one in use is an error at once. Returns the address that was
/// bound, which tells the port when port 0 was asked for.
pub fn listen(addr: SocketAddr) -> io::Result<(net::TcpListener, SocketAddr)> {
    // Std's bind sets SO_REUSEADDR and, unlike glommio's, not SO_REUSEPORT. Its backlog of 128 is raised by listening again.
    let listener = net::TcpListener::bind(addr)?;
    // SAFETY: the descriptor is open; listening on a listening socket changes its backlog.
    if unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// The addresses of a name, in the order in which they should be tried. An address is its own name. Asks the system's resolver, which
/// blocks and therefore runs on a pool thread.
pub async fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let name = host.to_owned();
    let addrs = super::offload(move || (name.as_str(), port).to_socket_addrs().map(Vec::from_iter)).await;
    addrs.map_err(|error| io::Error::new(error.kind(), format!("cannot resolve [{host}]: {error}")))
}

/// Accepts connections on one core. What it accepts may be sent to another core before it becomes a [`TcpStream`].
pub struct TcpListener {
    inner: glommio::net::TcpListener,
}

impl TcpListener {
    pub fn from_std(listener: net::TcpListener) -> Self {
        // SAFETY: ownership of the descriptor moves from one wrapper to the other.
        Self { inner: unsafe { glommio::net::TcpListener::from_raw_fd(listener.into_raw_fd()) } }
    }

    pub async fn accept(&self) -> io::Result<Accepted> {
        let stream = self.inner.shared_accept().await.map_err(io::Error::from)?;
        Ok(Accepted { stream: Some(stream) })
    }
}

/// A connection that does not belong to a core yet.
pub struct Accepted {
    stream: Option<glommio::net::AcceptedTcpStream>,
}

impl Accepted {
    /// Binds the connection to the core that calls.
    pub fn into_stream(mut self) -> TcpStream {
        let stream = self.stream.take().expect("taken here only");
        let stream = TcpStream { inner: stream.bind_to_executor() };
        // Glommio accepts without SOCK_CLOEXEC. Neither call can fail on a connected socket; a lost race with the peer shows at
        // the first read.
        // SAFETY: the descriptor is open and owned by `stream`.
        unsafe { libc::fcntl(stream.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
        let _ = stream.inner.set_nodelay(true);
        stream
    }
}

impl Drop for Accepted {
    fn drop(&mut self) {
        // Glommio's type does not close its descriptor, only a stream does, and that can be made on a core only. Off a core the
        // process is about to end.
        if let Some(stream) = self.stream.take()
            && super::on_core()
        {
            drop(stream.bind_to_executor());
        }
    }
}

/// A TCP connection of one core. Dropping it closes it.
pub struct TcpStream {
    inner: glommio::net::TcpStream,
}

impl TcpStream {
    /// Connects within `limit`. Names are resolved by the caller, in [`super::offload`].
    pub async fn connect(addr: SocketAddr, limit: Duration) -> io::Result<Self> {
        let inner = glommio::net::TcpStream::connect_timeout(addr, limit).await.map_err(io::Error::from)?;
        inner.set_nodelay(true).map_err(io::Error::from)?;
        Ok(Self { inner })
    }

    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.inner.peer_addr().map_err(io::Error::from)
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr().map_err(io::Error::from)
    }

    /// Reads what is there, at most `buf.len()`; 0 is the end of the stream.
    pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| Pin::new(&mut self.inner).poll_read(cx, buf)).await
    }

    /// Writes all of `slices` in order, without joining them first.
    pub async fn write_all(&mut self, slices: &[&[u8]]) -> io::Result<()> {
        let mut rest: Vec<IoSlice<'_>> = Vec::new();
        let mut rest = match slices {
            // The ordinary small answer needs no list.
            [one] => return self.write_slice(one).await,
            _ => {
                rest.extend(slices.iter().filter(|slice| !slice.is_empty()).map(|slice| IoSlice::new(slice)));
                &mut rest[..]
            }
        };
        while !rest.is_empty() {
            let sent = match self.send_vectored(rest) {
                Ok(sent) => sent,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    // Glommio knows how to wait until the socket takes more: let it send the first slice.
                    poll_fn(|cx| Pin::new(&mut self.inner).poll_write(cx, &rest[0])).await?
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            IoSlice::advance_slices(&mut rest, sent);
        }
        Ok(())
    }

    async fn write_slice(&mut self, mut rest: &[u8]) -> io::Result<()> {
        while !rest.is_empty() {
            let sent = poll_fn(|cx| Pin::new(&mut self.inner).poll_write(cx, rest)).await?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    fn send_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let count = slices.len().min(IOV_MAX);
        // SAFETY: an all-zero msghdr is valid; `IoSlice` has the layout of iovec by its documentation, and the slices live until
        // the call returns, which never blocks.
        let sent = unsafe {
            let mut message: libc::msghdr = mem::zeroed();
            message.msg_iov = slices.as_ptr().cast_mut().cast();
            message.msg_iovlen = count as _;
            libc::sendmsg(self.as_raw_fd(), &message, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
        };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
    }

    /// Closes one or both directions while others may still hold the stream.
    pub fn shutdown(&self, how: Shutdown) {
        shutdown(self.as_raw_fd(), how);
    }

    /// A way to end reads and writes of this stream from elsewhere on its core. It must not outlive the stream.
    pub(crate) fn raw(&self) -> RawFd {
        self.as_raw_fd()
    }
}

/// Fails only when the peer was faster, which the next read or write tells.
pub(crate) fn shutdown(fd: RawFd, how: Shutdown) {
    let how = match how {
        Shutdown::Read => libc::SHUT_RD,
        Shutdown::Write => libc::SHUT_WR,
        Shutdown::Both => libc::SHUT_RDWR,
    };
    // SAFETY: shutdown(2) touches no memory; on a descriptor that is not a socket it fails.
    unsafe { libc::shutdown(fd, how) };
}

impl AsRawFd for TcpStream {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.as_raw_fd()
    }
}

impl AsyncRead for TcpStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for TcpStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_close(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rt;

    #[test]
    fn slices_arrive_joined_and_a_slow_reader_is_waited_for() {
        rt::block_on(|| async {
            let (listener, addr) = listen("127.0.0.1:0".parse().expect("an address")).expect("a free port");
            let listener = TcpListener::from_std(listener);
            let writer = rt::spawn(async move {
                let mut stream = TcpStream::connect(addr, Duration::from_secs(1)).await.expect("it listens");
                let big = vec![7u8; 8 << 20];
                stream.write_all(&[b"head ", b"", &big, b" tail"]).await.expect("it reads");
            });
            let mut stream = listener.accept().await.expect("a connection").into_stream();
            let (mut buf, mut got) = (vec![0u8; 1 << 20], Vec::new());
            loop {
                match stream.read(&mut buf).await.expect("it writes") {
                    0 => break,
                    len => got.extend_from_slice(&buf[..len]),
                }
            }
            writer.await;
            assert_eq!(got.len(), 5 + (8 << 20) + 5);
            assert!(got.starts_with(b"head \x07") && got.ends_with(b"\x07 tail"));
        });
    }

    #[test]
    fn names_are_resolved() {
        rt::block_on(|| async {
            assert_eq!(resolve("127.0.0.1", 9).await.expect("an address"), vec![SocketAddr::from(([127, 0, 0, 1], 9))]);
            assert!(
                resolve("no such name", 9)
                    .await
                    .expect_err("a name with blanks")
                    .to_string()
                    .contains("[no such name]")
            );
        });
    }

    #[test]
    fn a_port_in_use_is_an_error() {
        let (_listener, addr) = listen("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        assert_eq!(listen(addr).expect_err("in use").kind(), io::ErrorKind::AddrInUse);
    }
}

//! TCP streams and listening.
//!
//! Sockets are read and written by plain calls that do not wait; the ring only tells when there is something to read, by one watch
//! that lives as long as the stream. Memory is thus needed for what is there, not for what may come.

use std::{
    io::{self, IoSlice},
    marker::PhantomData,
    mem,
    net::{self, Shutdown, SocketAddr, ToSocketAddrs},
    os::fd::{AsRawFd, RawFd},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_lite::{AsyncRead, AsyncWrite, future::poll_fn};
use socket2::{Domain, Protocol, Socket, Type};

use super::reactor::{Operation, Watch, poll_once};

/// Connections that the kernel holds until they are accepted.
const BACKLOG: libc::c_int = 1024;

/// Of what one connection has written, the kernel keeps this much beyond what its client has room for.
const UNSENT_MAX: libc::c_int = 512 << 10;

/// Slices handed to the kernel in one call.
const IOV_MAX: usize = 64;

/// Binds and listens. The port is not shared with other sockets: one in use is an error at once. Returns the address that was
/// bound, which tells the port when port 0 was asked for.
pub fn listen(addr: SocketAddr) -> io::Result<(net::TcpListener, SocketAddr)> {
    // Std's bind sets SO_REUSEADDR and not SO_REUSEPORT. Its backlog of 128 is raised by listening again.
    let listener = net::TcpListener::bind(addr)?;
    // SAFETY: the descriptor is open; listening on a listening socket changes its backlog.
    if unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) } != 0 {
        return Err(io::Error::last_os_error());
    }
    bound_unsent(&listener)?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// Connections inherit it: a client that does not read costs no more than that, instead of the megabytes that the kernel would
/// gather (and the work of making them).
fn bound_unsent(listener: &net::TcpListener) -> io::Result<()> {
    let (level, name) = (libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT);
    let len = mem::size_of_val(&UNSENT_MAX) as libc::socklen_t;
    // SAFETY: the kernel reads one integer of this length.
    match unsafe {
        libc::setsockopt(listener.as_raw_fd(), level, name, (&UNSENT_MAX as *const libc::c_int).cast(), len)
    } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
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
    /// Before the listener, whose descriptor it watches.
    watch: Watch,
    inner: net::TcpListener,
}

impl TcpListener {
    pub fn from_std(listener: net::TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self { watch: Watch::new(listener.as_raw_fd()), inner: listener })
    }

    pub async fn accept(&self) -> io::Result<Accepted> {
        let (stream, _) = poll_fn(|cx| self.watch.poll(cx, || Ok((self.inner.accept()?, true)))).await?;
        // It fails only when the peer is gone, which the first read tells.
        let _ = stream.set_nodelay(true);
        Ok(Accepted { stream })
    }
}

/// A connection that does not belong to a core yet.
pub struct Accepted {
    stream: net::TcpStream,
}

impl Accepted {
    /// Binds the connection to the core that calls.
    pub fn into_stream(self) -> TcpStream {
        TcpStream::new(self.stream)
    }
}

/// A TCP connection of one core. Dropping it closes it.
pub struct TcpStream {
    /// Before the stream, whose descriptor it watches.
    watch: Watch,
    /// While the socket takes no more.
    writable: Option<Operation>,
    inner: net::TcpStream,
}

impl TcpStream {
    fn new(inner: net::TcpStream) -> Self {
        Self { watch: Watch::new(inner.as_raw_fd()), writable: None, inner }
    }

    /// Connects within `limit`. Names are resolved by the caller, in [`super::offload`].
    pub async fn connect(addr: SocketAddr, limit: Duration) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        match socket.connect(&addr.into()) {
            Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {
                let connected = super::timeout(limit, poll_once(socket.as_raw_fd(), libc::POLLOUT)).await;
                connected.ok_or(io::ErrorKind::TimedOut)??;
                socket.take_error()?.map_or(Ok(()), Err)?;
            }
            connected => connected?,
        }
        socket.set_tcp_nodelay(true)?;
        Ok(Self::new(socket.into()))
    }

    /// Connects to the first of the addresses that takes the connection, each within `limit`; the error is that of the last one.
    pub async fn connect_any(addrs: &[SocketAddr], limit: Duration) -> io::Result<Self> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for addr in addrs {
            match Self::connect(*addr, limit).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Unbinds the connection from this core, to be sent to another. What it has not read stays in the kernel.
    pub fn release(self) -> Accepted {
        let Self { watch, writable, inner } = self;
        drop((watch, writable));
        Accepted { stream: inner }
    }

    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.inner.peer_addr()
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    /// Reads what is there, at most `buf.len()`; 0 is the end of the stream.
    pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        poll_fn(|cx| self.poll_recv(cx, buf)).await
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
            let sent = poll_fn(|cx| self.poll_send(cx, |fd| send_vectored(fd, rest))).await?;
            IoSlice::advance_slices(&mut rest, sent);
        }
        Ok(())
    }

    async fn write_slice(&mut self, mut rest: &[u8]) -> io::Result<()> {
        while !rest.is_empty() {
            let sent = poll_fn(|cx| self.poll_send(cx, |fd| send(fd, rest))).await?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    fn poll_recv(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let fd = self.inner.as_raw_fd();
        self.watch.poll(cx, || {
            // SAFETY: the kernel writes into the buffer, at most its length, and the call does not wait.
            let got = unsafe { libc::recv(fd, buf.as_mut_ptr().cast(), buf.len(), libc::MSG_DONTWAIT) };
            // A read that was not filled has emptied the socket; at the end of the stream there is always more of it.
            checked(got).map(|got| (got, got == 0 || got == buf.len()))
        })
    }

    /// Calls `attempt` until the socket takes something.
    fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        attempt: impl Fn(RawFd) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            if let Some(writable) = &mut self.writable {
                let waited = ready!(Pin::new(writable).poll(cx));
                self.writable = None;
                waited?;
            }
            match attempt(self.inner.as_raw_fd()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.writable = Some(poll_once(self.inner.as_raw_fd(), libc::POLLOUT));
                }
                sent => return Poll::Ready(sent),
            }
        }
    }

    /// Closes one or both directions while others may still hold the stream.
    pub fn shutdown(&self, how: Shutdown) {
        shutdown(self.as_raw_fd(), how);
    }

    /// Writes what the socket takes now, and does not tell when it takes more.
    pub(crate) fn unwaiting(&self) -> impl io::Write + '_ {
        Unwaiting(self.as_raw_fd(), PhantomData)
    }

    /// A way to end reads and writes of this stream from elsewhere on its core. It must not outlive the stream.
    pub(crate) fn raw(&self) -> RawFd {
        self.as_raw_fd()
    }
}

/// The sending side of a stream that lives longer.
struct Unwaiting<'a>(RawFd, PhantomData<&'a TcpStream>);

impl io::Write for Unwaiting<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        send(self.0, buf)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        send_vectored(self.0, slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn send(fd: RawFd, data: &[u8]) -> io::Result<usize> {
    // SAFETY: the kernel reads the slice, and the call does not wait.
    checked(unsafe { libc::send(fd, data.as_ptr().cast(), data.len(), libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL) })
}

fn send_vectored(fd: RawFd, slices: &[IoSlice<'_>]) -> io::Result<usize> {
    let count = slices.len().min(IOV_MAX);
    // SAFETY: an all-zero msghdr is valid; `IoSlice` has the layout of iovec by its documentation, and the slices live until
    // the call returns, which does not wait.
    checked(unsafe {
        let mut message: libc::msghdr = mem::zeroed();
        message.msg_iov = slices.as_ptr().cast_mut().cast();
        message.msg_iovlen = count as _;
        libc::sendmsg(fd, &message, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
    })
}

fn checked(result: isize) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Fails only when the peer was faster, which the next read or write tells.
/// Whether the other side has closed the connection or its half of it. Says no where the kernel does not know.
pub(crate) fn has_hung_up(fd: RawFd) -> bool {
    let mut asked = libc::pollfd { fd, events: libc::POLLRDHUP, revents: 0 };
    // SAFETY: poll(2) writes the one `pollfd` that it was given, and with no time to wait it returns at once.
    let found = unsafe { libc::poll(&mut asked, 1, 0) };
    found == 1 && asked.revents & (libc::POLLRDHUP | libc::POLLHUP | libc::POLLERR) != 0
}

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
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_recv(cx, buf)
    }
}

impl AsyncWrite for TcpStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_send(cx, |fd| send(fd, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_send(cx, |fd| send_vectored(fd, slices))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shutdown(Shutdown::Write);
        Poll::Ready(Ok(()))
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
            let listener = TcpListener::from_std(listener).expect("it is open");
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

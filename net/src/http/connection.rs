//! One socket: read, parse, handle, write.
//!
//! Answers to pipelined requests gather in one buffer and go out together; a large body goes out beside the buffer, without a
//! copy. Requests of one connection are handled one after the other.

use std::{
    cell::RefCell,
    future::{Future, poll_fn},
    io,
    net::SocketAddr,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    rc::Rc,
    task::Poll,
    time::{Duration, Instant},
};

use super::{
    affinity::Affinity,
    coding,
    head::Head,
    parser::{Event, Parser, Phase},
    refusal::Refusal,
    request::{Method, Request, Version},
    response::{Response, sends_body},
    server::{Handed, Service},
    watch::{Doing, Watched},
};
use crate::{
    mesh::Visits,
    rt,
    tls::{Acceptor, Stream},
};

/// Bytes read at once. The buffer is the core's, not the connection's: an idle connection owns none.
const READ: usize = 64 << 10;

/// Bodies up to this size are copied behind their headers; larger ones are sent as they are.
const JOIN_MAX: usize = 16 << 10;

/// Gathered answers are sent when they reach this size.
const OUT_MAX: usize = 64 << 10;

/// How long, and for how many bytes, a connection that is closed by us lingers: closing with unread bytes resets it, and the
/// client may lose the answer.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 1 << 20;

thread_local! {
    static READ_BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Serves one connection until either side ends it, or until it goes on on another core.
pub(super) async fn run(stream: Stream, remote: SocketAddr, affinity: Affinity, service: Rc<Service>) {
    let watched = service.watch.add(&stream);
    let mut stream = stream;
    // One that comes from another core is secure already.
    if let Some(acceptor) = service.tls.as_ref().filter(|_| !stream.is_secure()) {
        stream = match agree(stream, acceptor, &watched, &service).await {
            Some(stream) => stream,
            None => return,
        };
    }
    let parser = Parser::new(service.limits.clone());
    let share = Share { service: service.clone(), bytes: 0 };
    let mut connection =
        Connection { watched, stream, remote, affinity, service, parser, share, out: Vec::new(), answered: 0 };
    // A client that goes away is no news; nobody is left to hear of the error.
    match connection.serve().await {
        Ok(End::Linger) => linger(&mut connection.stream, &connection.watched).await,
        Ok(End::Move(core)) => connection.hand_on(core),
        Ok(End::Now) | Err(_) => {}
    }
}

/// The connection with keys that are agreed on. Whoever does not speak TLS gets no answer.
async fn agree(stream: Stream, acceptor: &Acceptor, watched: &Watched, service: &Service) -> Option<Stream> {
    let mut stream = stream.accept(acceptor).ok()?;
    let limits = &service.limits;
    watched.agree(Instant::now() + limits.handshake_timeout, limits.handshakes_per_core);
    let agreed = Box::pin(stream.handshake()).await;
    watched.agreed();
    match agreed {
        Ok(()) => Some(stream),
        Err(error) => {
            tracing::debug!("no keys were agreed on: {error}");
            if error.kind() == io::ErrorKind::InvalidData {
                linger(&mut stream, watched).await;
            }
            None
        }
    }
}

/// Ends our side and lets the client do the same.
async fn linger(stream: &mut Stream, watched: &Watched) {
    stream.end();
    watched.set(Doing::Writing, Some(Instant::now() + LINGER));
    let (mut total, mut buffer) = (0, [0u8; 4096]);
    while total < LINGER_BYTES {
        match stream.read_raw(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(len) => total += len,
        }
    }
}

/// How a connection ends.
enum End {
    /// The client has closed it or has to be cut off.
    Now,
    /// We close it: the client gets time to read the last answer.
    Linger,
    /// It goes on on this core.
    Move(usize),
}

/// Body bytes of one connection within the core's budget.
struct Share {
    service: Rc<Service>,
    bytes: usize,
}

impl Share {
    /// Claims this many bytes in place of those claimed before; a refusal leaves nothing claimed.
    fn claim(&mut self, bytes: usize) -> Result<(), Refusal> {
        let (inflight, bodies) = (&self.service.inflight, &self.service.limits.bodies);
        let (wanted, limit) = (inflight.get() - self.bytes + bytes, bodies.bytes_max());
        if bytes > self.bytes && wanted > limit {
            bodies.refuse();
            self.release();
            return Err(Refusal::inflight(wanted, limit));
        }
        inflight.set(wanted);
        bodies.change(self.bytes, bytes);
        self.bytes = bytes;
        Ok(())
    }

    fn release(&mut self) {
        self.service.inflight.set(self.service.inflight.get() - self.bytes);
        self.service.limits.bodies.change(self.bytes, 0);
        self.bytes = 0;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.release();
    }
}

struct Connection {
    /// Before the stream, whose descriptor it watches.
    watched: Watched,
    stream: Stream,
    remote: SocketAddr,
    affinity: Affinity,
    service: Rc<Service>,
    parser: Parser,
    share: Share,
    /// Answers that are not sent yet.
    out: Vec<u8>,
    /// Requests since others last had their turn.
    answered: usize,
}

impl Connection {
    async fn serve(&mut self) -> io::Result<End> {
        loop {
            match self.parser.next_event() {
                Event::NeedMore => {
                    if let Err(refusal) = self.share.claim(self.parser.body_len()) {
                        self.refuse(&refusal).await?;
                        self.flush().await?;
                        return Ok(End::Linger);
                    }
                    self.flush().await?;
                    // Nothing of the next request is here yet: all that there is of the connection is its socket.
                    if self.parser.is_empty()
                        && let Some(core) = self.service.wish(&self.affinity)
                    {
                        return Ok(End::Move(core));
                    }
                    if !self.read().await? {
                        return self.end_of_input().await;
                    }
                    // A fast client always has more to read; its turn ends all the same. What it asks for may be short, or may be
                    // refused: it does not wait for those who have more to do than most.
                    if rt::need_preempt() {
                        rt::yield_now().await;
                    }
                }
                Event::Continue => self.out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n"),
                Event::Request(head, body) => {
                    let keep_alive = head.keep_alive;
                    self.answer(head, body).await?;
                    if !keep_alive || self.service.is_stopping() {
                        self.flush().await?;
                        return Ok(End::Linger);
                    }
                    self.give_way().await?;
                }
                Event::Refused(refusal) => {
                    self.refuse(&refusal).await?;
                    if !refusal.keep {
                        self.flush().await?;
                        return Ok(End::Linger);
                    }
                }
                Event::Close => {
                    self.flush().await?;
                    return Ok(End::Now);
                }
            }
        }
    }

    /// Lets others have the core between two requests. The answer does not wait for them.
    async fn give_way(&mut self) -> io::Result<()> {
        self.answered += 1;
        if self.answered >= self.service.limits.pipelined {
            self.answered = 0;
            self.flush().await?;
            rt::give_way().await;
        } else if !self.parser.is_empty() && rt::need_preempt() {
            self.flush().await?;
            rt::yield_now().await;
        }
        Ok(())
    }

    /// False at the end of the stream.
    async fn read(&mut self) -> io::Result<bool> {
        self.set_read_deadline();
        let (stream, parser, mut waited) = (&mut self.stream, &mut self.parser, false);
        let len = poll_fn(|cx| {
            READ_BUFFER.with_borrow_mut(|buffer| {
                buffer.resize(READ, 0);
                match stream.poll_read(cx, buffer) {
                    Poll::Ready(Ok(len)) => {
                        parser.feed(&buffer[..len]);
                        Poll::Ready(Ok(len))
                    }
                    other => {
                        waited |= other.is_pending();
                        other
                    }
                }
            })
        })
        .await?;
        if waited {
            // Others had the core meanwhile: whoever asks one thing at a time never has to give way for long.
            self.answered = 0;
        }
        Ok(len > 0)
    }

    /// The deadline of a head counts from its first byte, those of a body and of idleness begin anew with every read.
    fn set_read_deadline(&self) {
        let limits = &self.service.limits;
        let now = Instant::now();
        match self.parser.phase() {
            Phase::Idle => self.watched.set(Doing::Waiting, Some(now + limits.idle_timeout)),
            Phase::Body => self.watched.set(Doing::Reading, Some(now + limits.body_timeout)),
            Phase::Head if self.watched.doing() == Doing::Reading => {}
            Phase::Head => self.watched.set(Doing::Reading, Some(now + limits.header_timeout)),
        }
    }

    async fn end_of_input(&mut self) -> io::Result<End> {
        if self.watched.is_late() && self.watched.doing() == Doing::Reading {
            self.refuse(&Refusal::timeout()).await?;
            self.flush().await?;
        }
        Ok(End::Now)
    }

    async fn answer(&mut self, head: Head, body: Vec<u8>) -> io::Result<()> {
        self.watched.set(Doing::Handling, None);
        let (method, version) = (head.method, head.version);
        let coding = coding::wanted(&head.headers);
        let inflated = coding::inflate(&head.headers, body, self.service.limits.body_bytes).await;
        // The body was received whole, so that the connection goes on whatever becomes of the request.
        let claimed = inflated.and_then(|body| self.share.claim(body.len()).map(|()| body));
        let response = match claimed {
            Ok(body) => {
                let request = Request {
                    method,
                    version,
                    headers: head.headers,
                    body,
                    remote: self.remote,
                    peer: self.watched.peer(),
                };
                self.service.count_request();
                let mut visits = Visits::None;
                let answer = catch(async { (self.service.handler)(request).await }, &mut visits).await;
                self.affinity.served(self.service.core(), visits);
                match answer {
                    Some(response) => response,
                    None => (self.service.error_page)(&Refusal::panicked()),
                }
            }
            Err(refusal) => (self.service.error_page)(&refusal),
        };
        self.share.release();
        let coding = coding.filter(|_| method != Method::Head && coding::applies(&response));
        match coding {
            None => self.write(Some(method), version, &response, None).await,
            Some(coding) => {
                let coded = coding::compress(coding, &response.body).await;
                let response = Response { body: coded.into(), ..response };
                self.write(Some(method), version, &response, Some(coding.name())).await
            }
        }
    }

    async fn refuse(&mut self, refusal: &Refusal) -> io::Result<()> {
        let response = (self.service.error_page)(refusal);
        // Whatever it was, it did not say which version it speaks.
        let version = if refusal.keep { Version::Http11 } else { Version::Http10 };
        self.write(None, version, &response, None).await
    }

    async fn write(
        &mut self,
        method: Option<Method>,
        version: Version,
        response: &Response,
        coding: Option<&str>,
    ) -> io::Result<()> {
        let length = response.body.len();
        response.write_head(version, length, coding, &mut self.out);
        if !sends_body(method, response.status) {
            return Ok(());
        }
        if length <= JOIN_MAX {
            for chunk in response.body.chunks() {
                self.out.extend_from_slice(chunk);
            }
            return if self.out.len() >= OUT_MAX { self.flush().await } else { Ok(()) };
        }
        // Piece by piece, so that a client that reads slowly is told from one that does not read.
        let mut slices: Vec<&[u8]> = vec![&self.out];
        slices.extend(response.body.chunks().iter().flat_map(|chunk| chunk.chunks(1 << 20)));
        for group in slices.chunks(16) {
            self.watched.set(Doing::Writing, Some(Instant::now() + self.service.limits.body_timeout));
            self.stream.write_all(group).await?;
            rt::yield_if_needed().await;
        }
        self.out.clear();
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        self.watched.set(Doing::Writing, Some(Instant::now() + self.service.limits.body_timeout));
        self.stream.write_all(&[&self.out]).await?;
        self.out.clear();
        self.out.shrink_to(JOIN_MAX);
        Ok(())
    }

    fn hand_on(self, core: usize) {
        let Self { watched, stream, affinity, service, .. } = self;
        // It ends its watching of the descriptor.
        drop(watched);
        service.hand_on(core, Handed { stream: stream.release(), affinity: affinity.moved() });
    }
}

/// The handler's answer, or `None` when it panicked: a request never takes its core down. `visits` are the cores that it called.
async fn catch(answer: impl Future<Output = Response>, visits: &mut Visits) -> Option<Response> {
    let mut answer = pin!(answer);
    poll_fn(|cx| match visits.add_during(|| catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx)))) {
        Ok(Poll::Ready(response)) => Poll::Ready(Some(response)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(payload) => {
            rt::report_panic(payload, "request");
            Poll::Ready(None)
        }
    })
    .await
}

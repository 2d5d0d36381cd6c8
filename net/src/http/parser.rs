//! Bytes in, requests and refusals out. Opens nothing, waits for nothing, reads no clock.

use super::{
    chunked::Chunked,
    head::{self, Framing, Head, Outcome, Scan},
    limits::Limits,
    refusal::Refusal,
};

/// What [`Parser::next_event`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing before more bytes are fed.
    NeedMore,
    /// The client waits for `100 Continue` before it sends the body.
    Continue,
    Request(Head, Vec<u8>),
    Refused(Refusal),
    /// The connection is to be closed without a word.
    Close,
}

/// Where a connection stands, for its deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Idle,
    Head,
    Body,
}

/// The parser of one connection.
pub struct Parser {
    limits: Limits,
    /// Fed and not consumed, from `at` on. Bodies are moved out of it as they come.
    buf: Vec<u8>,
    at: usize,
    state: State,
}

enum State {
    Head(Scan),
    Body {
        head: Box<Head>,
        body: Vec<u8>,
        rest: Rest,
    },
    /// The body of a request that was refused for its size.
    Discard {
        rest: Rest,
        budget: u64,
    },
    Dead,
}

/// What is still to come of a body.
enum Rest {
    Length(u64),
    Chunked(Chunked),
}

/// Capacity that an idle connection keeps.
const KEEP_CAPACITY: usize = 4 << 10;

/// Capacity that the mere announcement of a body gets; more comes with the bytes themselves.
const FIRST_CAPACITY: u64 = 64 << 10;

impl Parser {
    pub fn new(limits: Limits) -> Self {
        Self { limits, buf: Vec::new(), at: 0, state: State::Head(Scan::default()) }
    }

    /// Takes bytes that arrived. To be called after [`Event::NeedMore`], so that what is buffered stays bounded by one read.
    pub fn feed(&mut self, bytes: &[u8]) {
        // The plain case of a large upload goes straight to its body.
        if let State::Body { body, rest: Rest::Length(left), .. } = &mut self.state
            && self.at == self.buf.len()
        {
            let len = take_len(*left, bytes.len());
            append_body(body, &bytes[..len], *left);
            *left -= len as u64;
            self.buf.clear();
            self.at = 0;
            self.buf.extend_from_slice(&bytes[len..]);
            return;
        }
        self.buf.extend_from_slice(bytes);
    }

    pub(super) fn phase(&self) -> Phase {
        match &self.state {
            State::Head(scan) if self.buf.len() - self.at <= scan.start => Phase::Idle,
            State::Head(_) | State::Dead => Phase::Head,
            State::Body { .. } | State::Discard { .. } => Phase::Body,
        }
    }

    /// Whether the next request has not begun at all.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.state, State::Head(_)) && self.buf.len() == self.at
    }

    /// Bytes of the body that is arriving.
    pub(super) fn body_len(&self) -> usize {
        match &self.state {
            State::Body { body, .. } => body.len(),
            _ => 0,
        }
    }

    pub fn next_event(&mut self) -> Event {
        let event = self.step();
        if let Event::Refused(refusal) = &event
            && !refusal.keep
        {
            self.state = State::Dead;
        }
        if self.at == self.buf.len() {
            self.buf.clear();
            self.at = 0;
            self.buf.shrink_to(KEEP_CAPACITY);
        } else if self.at > KEEP_CAPACITY {
            self.buf.drain(..self.at);
            self.at = 0;
        }
        event
    }

    fn step(&mut self) -> Event {
        loop {
            match &mut self.state {
                State::Dead => return Event::Close,
                State::Head(scan) => match scan.find_end(&self.buf[self.at..], &self.limits) {
                    Ok(Some(end)) => {
                        let head = &self.buf[self.at + scan.start..self.at + end];
                        let outcome = head::parse(head, &self.limits);
                        self.at += end;
                        match outcome {
                            Ok(Outcome::Head(head)) => {
                                if let Some(event) = self.begin_body(head) {
                                    return event;
                                }
                            }
                            Ok(Outcome::Unknown) => {
                                self.state = State::Dead;
                                return Event::Close;
                            }
                            Err(refusal) => return Event::Refused(refusal),
                        }
                    }
                    Ok(None) => {
                        // Empty lines before a request are dropped, lest they gather.
                        self.at += scan.skip_start();
                        return Event::NeedMore;
                    }
                    Err(refusal) => return Event::Refused(refusal),
                },
                State::Body { .. } => return self.step_body(),
                State::Discard { .. } => match self.step_discard() {
                    Some(true) => self.state = State::Head(Scan::default()),
                    Some(false) => return Event::NeedMore,
                    None => {
                        self.state = State::Dead;
                        return Event::Close;
                    }
                },
            }
        }
    }

    /// Decides about the body of a request. An event ends the step; otherwise the body follows.
    fn begin_body(&mut self, head: Head) -> Option<Event> {
        let limit = self.limits.body_bytes;
        let rest = match head.framing {
            Framing::Length(length) if length > limit as u64 => {
                // A client that expects 100 Continue may or may not send the body now; only closing is safe.
                let keep = !head.expects_continue && head.keep_alive && length <= self.limits.discard_bytes;
                self.state = State::Discard { rest: Rest::Length(length), budget: self.limits.discard_bytes };
                return Some(Event::Refused(Refusal::body_too_large(limit, keep)));
            }
            Framing::Length(length) => Rest::Length(length),
            Framing::Chunked => Rest::Chunked(Chunked::new()),
        };
        let nothing_yet = self.at == self.buf.len();
        let expects_continue = head.expects_continue && !matches!(rest, Rest::Length(0));
        self.state = State::Body { head: Box::new(head), body: Vec::new(), rest };
        // A client that did not wait needs no invitation.
        (expects_continue && nothing_yet).then_some(Event::Continue)
    }

    fn step_body(&mut self) -> Event {
        let State::Body { body, rest, .. } = &mut self.state else { unreachable!("asked in this state only") };
        let input = &self.buf[self.at..];
        let limit = self.limits.body_bytes;
        let done = match rest {
            Rest::Length(left) => {
                let len = take_len(*left, input.len());
                append_body(body, &input[..len], *left);
                *left -= len as u64;
                self.at += len;
                *left == 0
            }
            Rest::Chunked(chunked) => {
                let mut too_large = false;
                let read = chunked.feed(input, &self.limits, |data| {
                    // Beyond the limit the framing is still followed, to find the next request.
                    too_large |= body.len() + data.len() > limit;
                    if !too_large {
                        body.extend_from_slice(data);
                    }
                });
                match read {
                    Ok(read) => self.at += read,
                    Err(refusal) => return Event::Refused(refusal),
                }
                if too_large {
                    return self.refuse_chunked();
                }
                chunked.is_done()
            }
        };
        if !done {
            return Event::NeedMore;
        }
        match std::mem::replace(&mut self.state, State::Head(Scan::default())) {
            State::Body { head, body, .. } => Event::Request(*head, body),
            _ => unreachable!("matched above"),
        }
    }

    fn refuse_chunked(&mut self) -> Event {
        let State::Body { head, rest, .. } = std::mem::replace(&mut self.state, State::Dead) else {
            unreachable!("asked in this state only")
        };
        let keep = head.keep_alive;
        self.state = State::Discard { rest, budget: self.limits.discard_bytes };
        Event::Refused(Refusal::body_too_large(self.limits.body_bytes, keep))
    }

    /// Whether all of the refused body has passed. `None` when there is no end to it: its refusal was answered already, so that
    /// closing is all that is left.
    fn step_discard(&mut self) -> Option<bool> {
        let State::Discard { rest, budget } = &mut self.state else { unreachable!("asked in this state only") };
        let input = &self.buf[self.at..];
        let (read, done) = match rest {
            Rest::Length(left) => {
                let len = take_len(*left, input.len());
                *left -= len as u64;
                (len, *left == 0)
            }
            Rest::Chunked(chunked) => {
                let read = chunked.feed(input, &self.limits, |_| {}).ok()?;
                (read, chunked.is_done())
            }
        };
        self.at += read;
        *budget = budget.saturating_sub(read as u64);
        (done || *budget > 0).then_some(done)
    }
}

fn take_len(left: u64, available: usize) -> usize {
    usize::try_from(left).unwrap_or(usize::MAX).min(available)
}

/// Appends to a body of which `left` bytes are to come, these included. Memory grows with what really arrives, by doubling, and
/// never beyond what was announced.
fn append_body(body: &mut Vec<u8>, bytes: &[u8], left: u64) {
    if body.capacity() - body.len() < bytes.len() {
        let wanted = left.min(FIRST_CAPACITY.max(body.len() as u64)).max(bytes.len() as u64);
        body.reserve_exact(wanted as usize);
    }
    body.extend_from_slice(bytes);
}

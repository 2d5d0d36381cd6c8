//! The door: what would have to wait for too long is refused before anything is made of it, as refusing must cost little when there is
//! too much to do. A search is refused while one of the cores that it needs has too many waiting, a write while too many bytes of writes
//! are being handled.
//!
//! Who is refused is told when to come again (`Retry-After`), and who comes as told finds places that strangers do not get.

use super::serve::Incoming;
use super::{Reply, Route};
use crate::coordinate::Core;
use crate::coordinate::admission::{EXPECTED_MAX, WAITING_MAX, rejected_search};
use crate::observe::bookings::{Fingerprint, Lane, Visitor};
use crate::observe::{Facts, Pressure};
use pith_engine::shard::WriteOp;
use pith_engine::{Error, ErrorKind};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Of a long body the beginning and the end are looked at, each as long as this.
const LOOKED_AT_MAX: usize = 4 << 10;

/// Of a bulk request so much is gone through for its lines.
const LINES_COUNTED_MAX: usize = 64 << 10;

/// About what the id of a document takes: as much as one that is made for it.
const ID_BYTES: usize = 20;

/// A request that was let in. A write counts until this is dropped.
pub struct Entered {
    write: Option<(Arc<Pressure>, usize)>,
}

/// What a request has to pass, by its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Search,
    Write,
}

fn kind_of(route: &Route) -> Option<Kind> {
    match route.name {
        "search" | "search_template" | "msearch" | "msearch_template" | "count" | "scroll" => Some(Kind::Search),
        "bulk" | "index" | "create" | "update" | "delete" => Some(Kind::Write),
        _ => None,
    }
}

/// Searches that may wait on a core when such a one comes.
fn searches_max(visitor: Visitor) -> usize {
    match visitor {
        Visitor::Stranger => WAITING_MAX,
        Visitor::Alike => WAITING_MAX + EXPECTED_MAX / 2,
        Visitor::Expected => WAITING_MAX + EXPECTED_MAX,
    }
}

/// The same of writes: hundredths of what shards admit. What is let in here must not be refused there, item by item and after all the work
/// of taking it apart.
fn writes_max_percent(visitor: Visitor) -> u64 {
    match visitor {
        Visitor::Stranger => 60,
        Visitor::Alike => 70,
        Visitor::Expected => 80,
    }
}

/// Lets a request in, or gives the answer that sends it away.
pub fn enter(
    core: &Core,
    route: &Route,
    segments: &[(&'static str, String)],
    request: &Incoming,
) -> Result<Entered, Box<Reply>> {
    let (Some(kind), Ok(facts)) = (kind_of(route), core.facts()) else { return Ok(Entered { write: None }) };
    let index = segments.iter().find(|(name, _)| *name == "index").map(|(_, value)| value.as_str());
    match kind {
        Kind::Search => search(core, facts, index, request).map(|()| Entered { write: None }),
        Kind::Write => write(core, facts, route, index, request),
    }
}

fn search(core: &Core, facts: &Facts, index: Option<&str>, request: &Incoming) -> Result<(), Box<Reply>> {
    let bookings = &facts.pressure.bookings;
    let cores = core.mesh().map_or(1, |mesh| mesh.cores());
    let is_full = |core: &usize, visitor| bookings.searches(*core).waiting() >= searches_max(visitor);
    if !(0..cores).any(|core| is_full(&core, Visitor::Stranger)) {
        return Ok(());
    }
    // Without a part of its shards a search would be of little use; where they are is not known of every request.
    let needed = cores_of(core, index);
    let full = |visitor| match &needed {
        Some(needed) => needed.iter().copied().find(|core| is_full(core, visitor)),
        None => (0..cores).all(|core| is_full(&core, visitor)).then_some(0),
    };
    if full(Visitor::Stranger).is_none() {
        return Ok(());
    }
    let fingerprint = fingerprint(request);
    let Some(full) = full(bookings.recognise(fingerprint)) else { return Ok(()) };
    let lane = bookings.searches(full);
    core.count_refused_search();
    Err(refused(&rejected_search(lane.waiting()), bookings.refuse(lane, fingerprint)))
}

fn write(
    core: &Core,
    facts: &Facts,
    route: &Route,
    index: Option<&str>,
    request: &Incoming,
) -> Result<Entered, Box<Reply>> {
    let bookings = &facts.pressure.bookings;
    let (lane, bytes) = (&bookings.writes, held_bytes(route, &request.body));
    let cores = core.mesh().map_or(1, |mesh| mesh.cores());
    let needed = cores_of(core, index).map_or(cores, |needed| needed.len().max(1)) as u64;
    let max = facts.write_pressure.limit_bytes.load(Relaxed) / cores as u64 * needed;
    // One that is too large by itself is let in while nothing else is there.
    let is_full = |visitor| {
        let waiting = lane.waiting();
        waiting > 0 && (waiting + bytes) as u64 > max / 100 * writes_max_percent(visitor)
    };
    if is_full(Visitor::Stranger) {
        let fingerprint = fingerprint(request);
        if is_full(bookings.recognise(fingerprint)) {
            facts.write_pressure.rejections.fetch_add(1, Relaxed);
            return Err(refused(&rejected_write(lane, bytes, max), bookings.refuse(lane, fingerprint)));
        }
    }
    lane.add_waiting(bytes);
    Ok(Entered { write: Some((facts.pressure.clone(), bytes)) })
}

/// About what the operations of a request are held with by their shards ([`WriteOp::bytes`]), which is several times its body where documents
/// are small.
fn held_bytes(route: &Route, body: &[u8]) -> usize {
    let operations = match route.name {
        "bulk" => {
            // Most operations are of two lines. The beginning of a long body stands for all of it.
            let part = &body[..body.len().min(LINES_COUNTED_MAX)];
            let lines = memchr::memchr_iter(b'\n', part).count();
            lines.div_ceil(2) * body.len() / part.len().max(1)
        }
        _ => 1,
    };
    body.len() + operations * (size_of::<WriteOp>() + ID_BYTES)
}

fn rejected_write(lane: &Lane, bytes: usize, max: u64) -> Error {
    let waiting = lane.waiting();
    Error::new(
        ErrorKind::RejectedExecution,
        format!(
            "rejected execution of coordinating operation [coordinating_and_primary_bytes={waiting}, replica_bytes=0, \
             all_bytes={waiting}, coordinating_operation_bytes={bytes}, max_coordinating_and_primary_bytes={max}]"
        ),
    )
}

#[cold]
fn refused(error: &Error, away: u64) -> Box<Reply> {
    Box::new(Reply::error(error).with_header(RETRY_AFTER, away.to_string()))
}

/// Says when to come again, in whole seconds.
pub const RETRY_AFTER: &str = "Retry-After";

/// The cores that hold shards of what the path names; `None` where it names more than an index or an alias.
fn cores_of(core: &Core, name: Option<&str>) -> Option<BTreeSet<usize>> {
    let (state, name) = (core.state(), name?);
    if let Some(index) = state.index(name) {
        return Some(index.cores.iter().copied().collect());
    }
    let named = state.indices.values().filter(|index| index.aliases.contains_key(name));
    let cores: BTreeSet<usize> = named.flat_map(|index| index.cores.iter().copied()).collect();
    (!cores.is_empty()).then_some(cores)
}

fn fingerprint(request: &Incoming) -> Fingerprint {
    let body = &request.body;
    let mut content = DefaultHasher::new();
    (request.method, &request.target, &request.opaque_id, body.len()).hash(&mut content);
    let (head, rest) = body.split_at(body.len().min(LOOKED_AT_MAX));
    head.hash(&mut content);
    rest[rest.len().saturating_sub(LOOKED_AT_MAX)..].hash(&mut content);
    let content = content.finish();
    let mut exact = DefaultHasher::new();
    (content, request.remote).hash(&mut exact);
    Fingerprint { exact: exact.finish(), content }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some((pressure, bytes)) = &self.write {
            pressure.bookings.writes.take_waiting(*bytes);
            pressure.bookings.done(&pressure.bookings.writes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;
    use bytes::Bytes;
    use pith_net::http::Peer;

    fn request(body: &'static str, port: u16) -> Incoming {
        Incoming {
            method: Method::Post,
            target: "/a/_search".into(),
            content_type: None,
            accept: None,
            opaque_id: None,
            authorization: None,
            tenant: None,
            peer: Peer::default(),
            remote: Some(([127, 0, 0, 1], port).into()),
            body: Bytes::from_static(body.as_bytes()),
        }
    }

    #[test]
    fn requests_are_known_by_what_they_say_and_whence_they_come() {
        let first = fingerprint(&request("{\"size\":1}", 1));
        assert_eq!(first, fingerprint(&request("{\"size\":1}", 1)));
        let elsewhere = fingerprint(&request("{\"size\":1}", 2));
        assert_eq!(first.content, elsewhere.content);
        assert_ne!(first.exact, elsewhere.exact);
        assert_ne!(first.content, fingerprint(&request("{\"size\":2}", 1)).content);
    }

    #[test]
    fn a_bulk_request_counts_as_what_its_operations_are_held_with() {
        let bulk = super::super::bulk::ROUTES.iter().find(|route| route.name == "bulk").expect("there is one");
        let each = size_of::<WriteOp>() + ID_BYTES;
        let body = b"{\"index\":{}}\n{\"a\":1}\n".repeat(3);
        assert_eq!(held_bytes(bulk, &body), body.len() + 3 * each);
        assert_eq!(held_bytes(bulk, b""), 0);
        let long = body.repeat(100_000);
        let found = held_bytes(bulk, &long) as f64 / (long.len() + 300_000 * each) as f64;
        assert!((0.95..1.05).contains(&found), "{found}");
    }

    #[test]
    fn who_was_told_to_come_finds_more_room() {
        let order = [Visitor::Stranger, Visitor::Alike, Visitor::Expected];
        assert!(order.map(searches_max).is_sorted() && order.map(writes_max_percent).is_sorted());
    }
}

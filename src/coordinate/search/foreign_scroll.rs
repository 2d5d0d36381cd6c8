//! Ids of scrolls that a node of the reference made, as clients bring them along that spoke to one before.
//!
//! ```text
//! string   `include_context_uuid`, where contexts have one;  string  how the search was made
//! varint   contexts, each:
//!   string  its uuid, where contexts have one;  8  its number;  string  the node that has it, behind the name of its cluster and `:`
//! ```
//!
//! A string is its length and its bytes; all of it in base64 of the URL alphabet.

use super::context_id::{LENIENT, undecodable};
use super::failures::phase_failed;
use base64::Engine;
use pith_engine::codec::varint::Reader;
use pith_engine::json::Value;
use pith_engine::{Error, ErrorKind, Result};

/// What stands in front of ids whose contexts have a uuid.
const WITH_UUIDS: &str = "include_context_uuid";

/// More contexts than an id of any length has are not counted to.
const CONTEXTS_MAX: u64 = 1 << 20;

/// What an id says.
struct ForeignScroll {
    made_by: String,
    /// The node of each context.
    nodes: Vec<String>,
}

/// Whether the id is one of the reference's: its contexts are not here, and nothing is to be freed. An error if it is none.
pub fn check(text: &str) -> Result<()> {
    read(text).map(drop)
}

/// Why there is no next page.
pub fn refusal(text: &str) -> Error {
    let ForeignScroll { made_by, nodes } = match read(text) {
        Ok(scroll) => scroll,
        Err(error) => return error,
    };
    if !matches!(made_by.as_str(), "queryThenFetch" | "queryAndFetch") {
        return Error::illegal_argument(format!("Scroll id type [{made_by}] unrecognized"));
    }
    let mut gone: Vec<Error> = vec![];
    for node in &nodes {
        let reason = format!("scroll_id references node [{node}] which was not found in the cluster");
        if gone.iter().all(|error| error.reason() != reason) {
            gone.push(Error::illegal_argument(reason));
        }
    }
    let Some(first) = gone.first().cloned() else { return phase_failed("query", "no nodes to search on", &[]) };
    let failed = gone.iter().map(|error| {
        let mut failure = pith_engine::json::Map::default();
        failure.insert("shard", -1i64);
        failure.insert("index", Value::Null);
        failure.insert("reason", error.to_value());
        Value::Object(failure)
    });
    phase_failed("query", "all shards failed", &[])
        .with("failed_shards", Value::Array(failed.collect()))
        .with_status(first.status())
        .with_root_causes(gone)
        .caused_by(first)
}

fn read(text: &str) -> Result<ForeignScroll> {
    let unread = || Error::illegal_argument("Cannot parse scroll id");
    if let Some(cause) = undecodable(text) {
        return Err(unread().caused_by(cause));
    }
    let Ok(bytes) = LENIENT.decode(text.trim_end_matches('=')) else { return Err(unread()) };
    read_bytes(&bytes).map_err(|cause| unread().caused_by(cause))
}

/// The content of an id, or where it breaks off.
fn read_bytes(bytes: &[u8]) -> Result<ForeignScroll> {
    let ended = || Error::without_reason(ErrorKind::EndOfFile);
    let mut reader = Reader::new(bytes);
    let first = string(&mut reader, bytes.len())?;
    let with_uuids = first == WITH_UUIDS;
    let made_by = if with_uuids { string(&mut reader, bytes.len())? } else { first };
    let contexts = reader.varint().ok_or_else(ended)?;
    let mut nodes = vec![];
    for _ in 0..contexts.min(CONTEXTS_MAX) {
        if with_uuids {
            string(&mut reader, bytes.len())?;
        }
        reader.u64().ok_or_else(ended)?;
        let target = string(&mut reader, bytes.len())?;
        nodes.push(target.split_once(':').map_or(target.as_str(), |(_, node)| node).to_owned());
    }
    match reader.is_at_end() {
        true => Ok(ForeignScroll { made_by, nodes }),
        false => Err(Error::illegal_argument("Not all bytes were read")),
    }
}

fn string(reader: &mut Reader<'_>, len: usize) -> Result<String> {
    let Some(wanted) = reader.varint() else { return Err(Error::without_reason(ErrorKind::EndOfFile)) };
    let left = len - reader.position();
    let bytes = usize::try_from(wanted).ok().and_then(|wanted| reader.bytes(wanted));
    let bytes = bytes.ok_or_else(|| {
        let reason = format!("attempting to read {wanted} bytes but only {left} bytes are available");
        Error::new(ErrorKind::EndOfFile, reason)
    })?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_the_nodes_that_it_was_made_on() {
        let id = "DXF1ZXJ5QW5kRmV0Y2gBAAAAAAAAAD4WYm9laVYtZndUQlNsdDcwakFMNjU1QQ==";
        assert!(check(id).is_ok());
        let error = refusal(id);
        assert_eq!((error.status(), error.reason()), (400, "all shards failed"));
        let cause = "scroll_id references node [boeiV-fwTBSlt70jAL655A] which was not found in the cluster";
        assert_eq!(error.cause().unwrap().reason(), cause);
    }

    #[test]
    fn broken_ids_tell_where_they_break_off() {
        let cause =
            |text: &str| check(text).err().and_then(|error| error.cause().map(|cause| cause.reason().to_owned()));
        assert_eq!(cause("a").as_deref(), Some("Input byte[] should at least have 2 bytes for base64 bytes"));
        assert_eq!(cause("bogus").as_deref(), Some("Last unit does not have enough valid bits"));
        assert_eq!(cause("ab$d").as_deref(), Some("Illegal base64 character 24"));
        assert_eq!(cause("abc").as_deref(), Some("attempting to read 105 bytes but only 1 bytes are available"));
        assert_eq!(cause("AAAAAAAAAAAAAAAA").as_deref(), Some("Not all bytes were read"));
        assert!(check("ü").is_err());
        assert!(check("DnF1ZXJ5VGhlbkZldGNoBQ==").is_err());
        assert_eq!(refusal("AAA=").reason(), "Scroll id type [] unrecognized");
        assert_eq!(refusal("DnF1ZXJ5VGhlbkZldGNoAA==").status(), 503);
    }
}

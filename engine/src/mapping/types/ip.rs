//! `ip`: addresses as 16 bytes, those of version 4 mapped into version 6, in address order.

use super::{Built, FieldContext, FieldType, TypeRow, note_no_null_value};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::doc_value::DocValueFormat;
use crate::mapping::document::{Scalar, Sink, Token};
use crate::mapping::field::{
    DateContext, DocValues, Exact, Family, Field, FieldRange, IndexSpec, Indexed, RangeBounds,
};
use crate::mapping::params::{
    DOC_VALUES, Default, IGNORE_MALFORMED, INDEX, Kind, META, Param, Params, STORE, java_text,
};
use crate::segment::StoredValue;
use crate::writer::FieldOp;
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Bound;

pub static ROW: TypeRow = TypeRow { name: "ip", params: PARAMS, fields_before: None, plain: true, check, build };

static PARAMS: &[Param] =
    &[INDEX, DOC_VALUES, STORE, IGNORE_MALFORMED, Param::new("null_value", Kind::Text, Default::None).nullable(), META];

struct Ip {
    indexed: bool,
    doc_values: bool,
    stored: bool,
    ignore_malformed: bool,
    null_value: Option<Value>,
    null_address: Option<[u8; 16]>,
}

fn check(params: &mut Params, cx: &FieldContext) -> Result<()> {
    if let Some(text) = params.given(PARAMS, "null_value").and_then(Value::as_str)
        && parse_ip(text).is_err()
    {
        note_no_null_value(text, "IP", cx);
    }
    Ok(())
}

fn build(params: &Params, _: &FieldContext) -> Result<Built> {
    let flag = |name| params.get(PARAMS, name) == &Value::Bool(true);
    let null_value = params.given(PARAMS, "null_value").cloned();
    let kind = Ip {
        indexed: flag("index"),
        doc_values: flag("doc_values"),
        stored: flag("store"),
        ignore_malformed: flag("ignore_malformed"),
        // One that is no address stands for nothing.
        null_address: null_value.as_ref().and_then(|value| parse_ip(value.as_str()?).ok()),
        null_value,
    };
    let spec = IndexSpec {
        indexed: if kind.indexed {
            Indexed::Terms { freqs: false, positions: false, offsets: false }
        } else {
            Indexed::No
        },
        doc_values: if kind.doc_values { DocValues::Ordinals } else { DocValues::None },
        norms: false,
        stored: kind.stored,
        analyzer: None,
        count_overlaps: false,
        position_increment_gap: 0,
    };
    Ok(Built { spec, kind: Box::new(kind) })
}

/// The 16 bytes of an address.
pub fn parse_ip(text: &str) -> Result<[u8; 16]> {
    // A zone (`%eth0`) says which link an address is on, not which address it is.
    let address = match text.split_once('%') {
        Some((address, _)) => address.parse::<Ipv6Addr>().map(IpAddr::V6),
        None => text.parse::<IpAddr>(),
    };
    match address {
        Ok(IpAddr::V4(v4)) => Ok(v4.to_ipv6_mapped().octets()),
        Ok(IpAddr::V6(v6)) => Ok(v6.octets()),
        Err(_) => Err(Error::illegal_argument(format!("'{text}' is not an IP string literal."))),
    }
}

/// An address of 16 bytes as Java writes it: without leaving out zeros, and of four numbers if it is mapped.
pub fn java_ip(bytes: &[u8]) -> String {
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else { return String::new() };
    let address = Ipv6Addr::from(bytes);
    match address.to_ipv4_mapped() {
        Some(address) => address.to_string(),
        None => address.segments().map(|segment| format!("{segment:x}")).join(":"),
    }
}

/// The address as text; version 4 addresses in their own notation.
pub fn format_ip(bytes: &[u8]) -> String {
    let Ok(octets) = <[u8; 16]>::try_from(bytes) else { return String::new() };
    let v6 = Ipv6Addr::from(octets);
    match v6.to_ipv4_mapped() {
        Some(v4) => v4.to_string(),
        None => format_v6(v6),
    }
}

/// As the reference: the longest run of zero groups shortened, and never dotted quads.
fn format_v6(address: Ipv6Addr) -> String {
    let groups = address.segments();
    let (mut best, mut at) = (0..0, 0);
    while at < 8 {
        let run = groups[at..].iter().take_while(|group| **group == 0).count();
        if run > best.len() {
            best = at..at + run;
        }
        at += run.max(1);
    }
    let join = |groups: &[u16]| groups.iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":");
    if best.len() < 2 {
        return join(&groups);
    }
    format!("{}::{}", join(&groups[..best.start]), join(&groups[best.end..]))
}

/// Refuses blocks of addresses of the fourth version that are written as ones of the sixth: their length could be meant either way.
pub(crate) fn check_block(address: &str, octets: &[u8; 16]) -> Result<()> {
    if !address.contains(':') || Ipv6Addr::from(*octets).to_ipv4_mapped().is_none() {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "CIDR notation is not allowed with IPv6-mapped IPv4 address [{address} as it introduces ambiguity as to whether the prefix length should be interpreted as a v4 prefix length or a v6 prefix length"
    )))
}

/// First and last address of a block such as `10.0.0.0/8`.
pub(super) fn parse_block(text: &str) -> Result<Option<([u8; 16], [u8; 16])>> {
    let mut parts = text.trim_end_matches('/').split('/');
    let (Some(address), Some(length), None) = (parts.next(), parts.next(), parts.next()) else { return Ok(None) };
    let refuse = |length: &str| {
        Error::illegal_argument(format!(
            "Illegal prefix length [{length}] in [{text}]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges"
        ))
    };
    let octets = parse_ip(address)?;
    check_block(address, &octets)?;
    let wrong = || Error::new(ErrorKind::NumberFormat, format!("For input string: \"{length}\""));
    let bits: i32 = length.parse().map_err(|_| wrong())?;
    let v4 = address.parse::<Ipv4Addr>().is_ok();
    let most = if v4 { 32 } else { 128 };
    let Some(bits) = u32::try_from(bits).ok().filter(|bits| *bits <= most) else { return Err(refuse(length)) };
    let prefix = if v4 { bits + 96 } else { bits };
    let host = if prefix == 0 { u128::MAX } else { (1u128 << (128 - prefix)) - 1 };
    let network = u128::from_be_bytes(octets) & !host;
    Ok(Some((network.to_be_bytes(), (network | host).to_be_bytes())))
}

impl Ip {
    /// The last address below or the first above, where there is one.
    fn step(octets: [u8; 16], up: bool) -> Option<[u8; 16]> {
        let number = u128::from_be_bytes(octets);
        if up { number.checked_add(1) } else { number.checked_sub(1) }.map(u128::to_be_bytes)
    }
}

impl FieldType for Ip {
    fn family(&self) -> Family {
        Family::Ip
    }

    fn index<'a>(&self, field: &Field, token: &Token<'a>, sink: &mut Sink<'_, 'a>) -> Result<()> {
        let parsed = match &token.value {
            Scalar::Null => match self.null_address {
                None => return Ok(()),
                Some(address) => Ok(address),
            },
            _ => token.text().and_then(|text| parse_ip(&text)),
        };
        let octets = match parsed {
            Ok(octets) => octets,
            Err(_) if self.ignore_malformed => {
                sink.ignore_scalar(field, token);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if self.indexed {
            sink.push(FieldOp::Term { field: field.id, value: Cow::Owned(octets.to_vec()) });
        }
        if self.stored {
            sink.push(FieldOp::Stored { field: field.id, value: StoredValue::String(format_ip(&octets)) });
        }
        if self.doc_values {
            sink.push(FieldOp::Ordinal { field: field.id, value: Cow::Owned(octets.to_vec()) });
        } else if self.indexed || self.stored {
            sink.push(FieldOp::Exists { field: field.id });
        }
        Ok(())
    }

    fn term(&self, _field: &Field, value: &Value, _cx: &DateContext) -> Result<Exact> {
        let text = java_text(value);
        Ok(match parse_block(&text)? {
            Some((first, last)) => Exact::BytesRange(first.to_vec(), last.to_vec()),
            None => Exact::Bytes(parse_ip(&text)?.to_vec()),
        })
    }

    fn range(&self, _field: &Field, bounds: &RangeBounds, _now_ms: i64) -> Result<FieldRange> {
        let read = |end: Option<(&Value, bool)>, up: bool| -> Result<Option<Option<[u8; 16]>>> {
            let Some((value, included)) = end else { return Ok(None) };
            let octets = parse_ip(&java_text(value))?;
            Ok(Some(if included { Some(octets) } else { Self::step(octets, up) }))
        };
        let bound = |octets: Option<[u8; 16]>| octets.map_or(Bound::Unbounded, |o| Bound::Included(o.to_vec()));
        let (lower, upper) = (read(bounds.lower(), true)?, read(bounds.upper(), false)?);
        if lower == Some(None) || upper == Some(None) {
            return Ok(FieldRange::Nothing);
        }
        let (lower, upper) = (lower.flatten(), upper.flatten());
        Ok(FieldRange::Bytes(bound(lower), bound(upper)))
    }

    fn doc_value_format(&self, field: &Field, format: Option<&str>, time_zone: Option<&str>) -> Result<DocValueFormat> {
        super::no_format(field, format, time_zone)?;
        Ok(DocValueFormat::Ip)
    }

    fn null_value(&self) -> Option<&Value> {
        self.null_value.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_there_and_back() {
        for text in ["1.2.3.4", "::1", "::", "2001:db8::ff00:42:8329", "1:0:0:2::3", "1:2:3:4:5:6:7:8"] {
            assert_eq!(format_ip(&parse_ip(text).unwrap()), text);
        }
        assert_eq!(format_ip(&parse_ip("::ffff:1.2.3.4").unwrap()), "1.2.3.4");
        assert_eq!(format_ip(&parse_ip("fe80::1%eth0").unwrap()), "fe80::1");
        for text in ["x", "", "1.2.3", "01.2.3.4", "1.2.3.4/8", "1.2.3.4%x"] {
            assert_eq!(parse_ip(text).unwrap_err().reason(), format!("'{text}' is not an IP string literal."));
        }
    }

    #[test]
    fn blocks() {
        let (first, last) = parse_block("10.1.2.3/8").unwrap().unwrap();
        assert_eq!((format_ip(&first), format_ip(&last)), ("10.0.0.0".into(), "10.255.255.255".into()));
        let (first, last) = parse_block("::/0").unwrap().unwrap();
        assert_eq!((first, last), ([0; 16], [255; 16]));
        assert_eq!(
            parse_block("1.2.3.4/33").unwrap_err().reason(),
            "Illegal prefix length [33] in [1.2.3.4/33]. Must be 0-32 for IPv4 ranges, 0-128 for IPv6 ranges"
        );
    }
}

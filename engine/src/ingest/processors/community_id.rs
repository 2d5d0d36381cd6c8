//! `community_id`: the hash by which tools call a network flow, whichever way it goes.

use super::super::Document;
use super::super::compile::Compiler;
use super::super::config::Config;
use super::super::document::no_cast;
use super::super::processor::{Processor, Work};
use crate::error::{Error, Result};
use crate::json::Value;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};
use std::net::IpAddr;

struct CommunityId {
    source_ip: String,
    source_port: Option<String>,
    destination_ip: String,
    destination_port: Option<String>,
    iana_number: Option<String>,
    protocol: Option<String>,
    icmp_type: Option<String>,
    icmp_code: Option<String>,
    seed: u16,
    target: String,
    ignore_missing: bool,
}

pub fn build(config: &mut Config, _: &mut Compiler<'_>) -> Result<Work> {
    let id = CommunityId {
        source_ip: config.text("source_ip_field")?,
        source_port: config.text_opt("source_port_field")?.filter(|field| !field.is_empty()),
        destination_ip: config.text("destination_ip_field")?,
        destination_port: config.text_opt("destination_port_field")?.filter(|field| !field.is_empty()),
        iana_number: config.text_opt("iana_protocol_number_field")?,
        protocol: config.text_opt("protocol_field")?,
        icmp_type: config.text_opt("icmp_type_field")?.filter(|field| !field.is_empty()),
        icmp_code: config.text_opt("icmp_code_field")?.filter(|field| !field.is_empty()),
        seed: match u16::try_from(config.int_opt("seed")?.unwrap_or(0)) {
            Ok(seed) => seed,
            Err(_) => return Err(config.property("seed", "seed must be between 0 and 65535")),
        },
        target: config.text_or("target_field", "community_id")?,
        ignore_missing: config.flag("ignore_missing", false)?,
    };
    Ok(Work::Simple(Box::new(id)))
}

const ICMP: u8 = 1;
const ICMP_V6: u8 = 58;

/// Names and numbers of protocols.
const PROTOCOLS: &[(&str, u8)] = &[("icmp", ICMP), ("tcp", 6), ("udp", 17), ("ipv6-icmp", ICMP_V6), ("sctp", 132)];

/// Types of messages that answer one another.
const ICMP_PAIRS: &[(u8, u8)] = &[(0, 8), (9, 10), (13, 14), (15, 16), (17, 18)];
const ICMP_V6_PAIRS: &[(u8, u8)] = &[(128, 129), (130, 131), (133, 134), (135, 136), (139, 140), (144, 145)];

/// Two ports, or what stands for them.
struct Ports {
    source: u16,
    destination: u16,
    /// Nothing goes the other way.
    one_way: bool,
}

impl Processor for CommunityId {
    fn run(&self, doc: &mut Document, _: i64) -> Result<()> {
        let Some(protocol) = self.number(doc)? else { return Ok(()) };
        let Some(source) = self.address(doc, &self.source_ip)? else { return Ok(()) };
        let Some(destination) = self.address(doc, &self.destination_ip)? else { return Ok(()) };
        if source.is_ipv4() != destination.is_ipv4() {
            return Err(Error::illegal_argument("source ip and destination ip must have same format"));
        }
        let ports = match protocol {
            ICMP | ICMP_V6 => self.messages(doc, protocol)?,
            _ => self.ports(doc)?,
        };
        let Some(ports) = ports else { return Ok(()) };
        let (mut from, mut to) = ((bytes(source), ports.source), (bytes(destination), ports.destination));
        if !ports.one_way && from > to {
            (from, to) = (to, from);
        }
        let mut hash = Sha1::new();
        hash.update(self.seed.to_be_bytes());
        hash.update(&from.0);
        hash.update(&to.0);
        hash.update([protocol, 0]);
        hash.update(from.1.to_be_bytes());
        hash.update(to.1.to_be_bytes());
        let id = format!("1:{}", STANDARD.encode(hash.finalize()));
        doc.set(&self.target, Value::String(id))
    }
}

fn bytes(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

impl CommunityId {
    /// The protocol's number; `None` if it may be missing.
    fn number(&self, doc: &Document) -> Result<Option<u8>> {
        if let Some(number) = int(doc, self.iana_number.as_deref())? {
            let known = PROTOCOLS.iter().find(|(_, known)| i64::from(*known) == number);
            return match known {
                Some((_, number)) => Ok(Some(*number)),
                None => Err(Error::illegal_argument(format!("unsupported iana protocol number [{number}]"))),
            };
        }
        let name = match self.protocol.as_deref() {
            None | Some("") => None,
            Some(field) => doc.text(field, true)?,
        };
        let Some(name) = name else {
            if self.ignore_missing {
                return Ok(None);
            }
            let shown = |field: &Option<String>| field.clone().unwrap_or_else(|| "null".to_owned());
            return Err(Error::illegal_argument(format!(
                "cannot resolve protocol by neither iana protocol number field [{}] nor protocol name field [{}]",
                shown(&self.iana_number),
                shown(&self.protocol)
            )));
        };
        match PROTOCOLS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)) {
            Some((_, number)) => Ok(Some(*number)),
            None => Err(Error::illegal_argument(format!("unsupported protocol [{name}]"))),
        }
    }

    fn address(&self, doc: &Document, field: &str) -> Result<Option<IpAddr>> {
        let text = if field.is_empty() { None } else { doc.text(field, true)?.filter(|text| !text.is_empty()) };
        let Some(text) = text else {
            if self.ignore_missing {
                return Ok(None);
            }
            if field.is_empty() {
                let reason = "both source ip field path and destination ip field path cannot be null nor empty";
                return Err(Error::illegal_argument(reason));
            }
            return Err(Error::illegal_argument(format!("ip address in the field [{field}] is null or empty")));
        };
        text.parse().map(Some).map_err(|_| {
            Error::illegal_argument(format!(
                "ip address [{text}] in the field [{field}] is not a valid ipv4/ipv6 address"
            ))
        })
    }

    /// The ports; `None` if they may be missing. The one is looked at before the other.
    fn ports(&self, doc: &Document) -> Result<Option<Ports>> {
        let Some(source) = self.port(doc, self.source_port.as_deref())? else { return Ok(None) };
        let Some(destination) = self.port(doc, self.destination_port.as_deref())? else { return Ok(None) };
        Ok(Some(Ports { source, destination, one_way: false }))
    }

    fn port(&self, doc: &Document, field: Option<&str>) -> Result<Option<u16>> {
        let Some(number) = int(doc, field)? else {
            return match field {
                _ if self.ignore_missing => Ok(None),
                None => {
                    let reason = "both source port and destination port field path cannot be null nor empty";
                    Err(Error::illegal_argument(reason))
                }
                Some(field) => Err(Error::illegal_argument(format!(
                    "both source port and destination port cannot be null, but port in the field path [{field}] is null"
                ))),
            };
        };
        u16::try_from(number).map(Some).map_err(|_| {
            let field = field.unwrap_or_default();
            Error::illegal_argument(format!(
                "both source port and destination port must be between 0 and 65535, but port in the field path \
                 [{field}] is [{number}]"
            ))
        })
    }

    /// What an ICMP message says of itself, its `part`; `None` if it may be missing.
    fn said(&self, doc: &Document, field: Option<&str>, part: &str) -> Result<Option<i64>> {
        let number = int(doc, field)?;
        if number.is_some() || self.ignore_missing {
            return Ok(number);
        }
        let what = if field.is_none() { " field path cannot be null nor empty" } else { " cannot be null" };
        Err(Error::illegal_argument(format!("icmp message {part}{what}")))
    }

    /// What stands for the ports of ICMP: the types of a message and of its answer, or type and code; `None` if they may be missing.
    fn messages(&self, doc: &Document, protocol: u8) -> Result<Option<Ports>> {
        let Some(number) = self.said(doc, self.icmp_type.as_deref(), "type")? else { return Ok(None) };
        let kind = u8::try_from(number)
            .map_err(|_| Error::illegal_argument(format!("invalid icmp message type [{number}]")))?;
        let pairs = if protocol == ICMP { ICMP_PAIRS } else { ICMP_V6_PAIRS };
        let answer = pairs.iter().find_map(|(a, b)| match kind {
            kind if kind == *a => Some(*b),
            kind if kind == *b => Some(*a),
            _ => None,
        });
        if let Some(answer) = answer {
            return Ok(Some(Ports { source: kind.into(), destination: answer.into(), one_way: false }));
        }
        let Some(number) = self.said(doc, self.icmp_code.as_deref(), "code")? else { return Ok(None) };
        let code = u8::try_from(number)
            .map_err(|_| Error::illegal_argument(format!("invalid icmp message code [{number}]")))?;
        Ok(Some(Ports { source: kind.into(), destination: code.into(), one_way: true }))
    }
}

fn int(doc: &Document, field: Option<&str>) -> Result<Option<i64>> {
    let Some(field) = field.filter(|field| !field.is_empty()) else { return Ok(None) };
    match doc.get_or_none(field, true)? {
        None => Ok(None),
        Some(Value::Int(number)) if i32::try_from(*number).is_ok() => Ok(Some(*number)),
        Some(other) => Err(no_cast(field, other, "java.lang.Integer")),
    }
}

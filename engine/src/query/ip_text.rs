//! Queries for addresses, as explanations show them.

use crate::mapping::{Exact, Field, java_ip};
use crate::score::{Automaton, MultiTerm, Plan, TermSet};
use std::ops::Bound;
use std::sync::Arc;

fn hex(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:x}")).collect();
    format!("[{}]", hex.join(" "))
}

/// An address as terms are shown: the few whose bytes are a text as that text.
fn term_text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| hex(bytes), str::to_owned)
}

/// The addresses of a field within bounds.
pub fn ip_range(field: &Field, lo: &[u8], hi: &[u8]) -> MultiTerm {
    let text = format!("{}:[{} TO {}]", field.name, hex(lo), hex(hi));
    let set = TermSet::Range(Bound::Included(lo.to_vec()), Bound::Included(hi.to_vec()));
    MultiTerm { field: field.name.clone(), set, text }
}

/// Under the text of a query that the reference may answer from points or from values.
pub fn ip_shown(range: MultiTerm, lo: &[u8], hi: &[u8]) -> Plan {
    let (name, of_values) = (&range.field, &range.text);
    let of_points = format!("{name}:[{} TO {}]", java_ip(lo), java_ip(hi));
    let text = format!("IndexOrDocValuesQuery(indexQuery={of_points}, dvQuery={of_values})");
    let like = Plan::term(name, Vec::new());
    Plan::MultiTerm(range).shown_like(text, like)
}

/// Any of several addresses and networks.
pub fn addresses(field: &Field, exacts: Vec<Exact>) -> Plan {
    let (mut single, mut networks) = (vec![], vec![]);
    for exact in exacts {
        match exact {
            Exact::Bytes(address) => single.push(address),
            Exact::BytesRange(lo, hi) => networks.push((lo, hi)),
            _ => {}
        }
    }
    single.sort_unstable();
    single.dedup();
    let name = &field.name;
    let points: Vec<String> = single.iter().map(|address| java_ip(address)).collect();
    if networks.is_empty() {
        let values: Vec<String> = single.iter().map(|address| term_text(address)).collect();
        let set_text = format!("{name}:({})", values.join(" "));
        let of_values = format!("ConstantScore({set_text})");
        let both = |of_values: &str| {
            format!("IndexOrDocValuesQuery(indexQuery={name}:{{{}}}, dvQuery={of_values})", points.join(" "))
        };
        let (asked, text) = (both(&set_text), both(&of_values));
        return Plan::MultiTerm(MultiTerm { field: name.clone(), set: TermSet::Terms(single), text: of_values })
            .shown_as(text)
            .written_as(asked);
    }
    let of_points = |(lo, hi): &(Vec<u8>, Vec<u8>)| format!("[{} TO {}]", java_ip(lo), java_ip(hi));
    let apart: Vec<String> = merged(networks.clone()).iter().map(of_points).collect();
    let of_networks = match networks.as_slice() {
        [only] => format!("{name}:{}", of_points(only)),
        _ => format!("{name}:{{{}}}", apart.join("},{")),
    };
    let of_single = match points.as_slice() {
        [only] => format!("{name}:[{only} TO {only}]"),
        _ => format!("{name}:{{{}}}", points.join(" ")),
    };
    let index = match points.is_empty() {
        true => of_networks,
        false => format!("ConstantScore({of_single} {of_networks})"),
    };
    let mut ranges: Vec<_> = single.iter().map(|address| (address.clone(), address.clone())).chain(networks).collect();
    ranges.sort_unstable();
    let values: Vec<String> = ranges.iter().map(|(lo, hi)| format!("{}..{}", hex(lo), hex(hi))).collect();
    let of_values = format!("{name}:[{}]", values.join(", "));
    let set = TermSet::Pattern(Arc::new(Within(merged(ranges))));
    let plan = Plan::MultiTerm(MultiTerm { field: name.clone(), set, text: of_values.clone() });
    let text = format!("IndexOrDocValuesQuery(indexQuery={index}, dvQuery={of_values})");
    // Of sets alone the reference does not know which fields they look at.
    match index.contains(":{") {
        true => plan.shown_as(text),
        false => plan.shown_like(text, Plan::term(name, Vec::new())),
    }
}

/// Ascending ranges that do not touch.
fn merged(mut ranges: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<(Vec<u8>, Vec<u8>)> {
    ranges.sort_unstable();
    let mut out: Vec<(Vec<u8>, Vec<u8>)> = vec![];
    for (lo, hi) in ranges {
        match out.last_mut() {
            Some((_, last)) if lo <= *last => *last = hi.max(std::mem::take(last)),
            _ => out.push((lo, hi)),
        }
    }
    out
}

/// Addresses within any of some ranges, which ascend and do not touch.
#[derive(Debug)]
struct Within(Vec<(Vec<u8>, Vec<u8>)>);

impl Automaton for Within {
    fn matches(&self, term: &[u8]) -> bool {
        let after = self.0.partition_point(|(lo, _)| lo.as_slice() <= term);
        after.checked_sub(1).is_some_and(|at| term <= self.0[at].1.as_slice())
    }

    fn prefix(&self) -> &[u8] {
        b""
    }
}

/// The first and the last address within bounds.
pub fn ends(lo: &Bound<Vec<u8>>, hi: &Bound<Vec<u8>>) -> (Vec<u8>, Vec<u8>) {
    let number = |bytes: &[u8]| bytes.iter().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    let first = match lo {
        Bound::Included(bytes) => number(bytes),
        Bound::Excluded(bytes) => number(bytes).saturating_add(1),
        Bound::Unbounded => 0,
    };
    let last = match hi {
        Bound::Included(bytes) => number(bytes),
        Bound::Excluded(bytes) => number(bytes).saturating_sub(1),
        Bound::Unbounded => u128::MAX,
    };
    (first.to_be_bytes().to_vec(), last.to_be_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_java_writes_them() {
        let mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 27];
        assert_eq!(java_ip(&mapped), "10.0.0.27");
        assert_eq!(java_ip(&[0; 16]), "0:0:0:0:0:0:0:0");
        let (first, last) = ends(&Bound::Excluded(mapped.to_vec()), &Bound::Unbounded);
        assert_eq!((java_ip(&first).as_str(), last), ("10.0.0.28", vec![0xff; 16]));
    }
}

//! Queries for addresses, as explanations show them.

use crate::mapping::Field;
use crate::score::{MultiTerm, Plan, TermSet};
use std::net::Ipv6Addr;
use std::ops::Bound;

/// An address of 16 bytes as Java writes it: without leaving out zeros, and of four numbers if it is mapped.
pub fn java_ip(bytes: &[u8]) -> String {
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else { return String::new() };
    let address = Ipv6Addr::from(bytes);
    match address.to_ipv4_mapped() {
        Some(address) => address.to_string(),
        None => address.segments().map(|segment| format!("{segment:x}")).join(":"),
    }
}

/// The addresses of a field within bounds.
pub fn ip_range(field: &Field, lo: &[u8], hi: &[u8]) -> MultiTerm {
    let show = |bytes: &[u8]| {
        let hex: Vec<String> = bytes.iter().map(|b| format!("{b:x}")).collect();
        format!("[{}]", hex.join(" "))
    };
    let text = format!("{}:[{} TO {}]", field.name, show(lo), show(hi));
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

//! Addresses as explanations show them.

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

//! Routing values that processors make.

use crate::murmur3::hash128;

/// The first half as a number without a sign, in decimal.
pub(crate) fn routing_number(text: &str) -> String {
    (hash128(text.as_bytes()).0 as i64).checked_abs().unwrap_or(0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_the_reference_makes_them() {
        assert_eq!(routing_number("a"), "8839064797231613815");
    }
}

//! Edit distances: how far a term may be from what was asked for.

use super::node::Node;
use crate::error::{Error, Result};

/// `0`, `1`, `2`, `AUTO` or `AUTO:low,high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fuzziness {
    Edits(u8),
    /// No edit below `low` characters, one below `high`, two from there on.
    Auto {
        low: usize,
        high: usize,
    },
}

pub const AUTO: Fuzziness = Fuzziness::Auto { low: 3, high: 6 };

impl Fuzziness {
    pub fn parse(node: Node) -> Result<Self> {
        Self::of(&node.text()?)
    }

    pub fn of(text: &str) -> Result<Self> {
        let invalid = || Error::illegal_argument(format!("Invalid fuzziness value: {text}"));
        let upper = text.to_ascii_uppercase();
        if upper == "AUTO" {
            return Ok(AUTO);
        }
        if let Some(limits) = upper.strip_prefix("AUTO:") {
            let (low, high) = limits.split_once(',').ok_or_else(|| {
                Error::illegal_argument(format!("failed to find low and high distance values in [{text}]"))
            })?;
            let (low, high) = (low.trim().parse().map_err(|_| invalid())?, high.trim().parse().map_err(|_| invalid())?);
            return Ok(Self::Auto { low, high });
        }
        match upper.parse::<f32>() {
            // Fractions between none and one are one; more than two are two.
            Ok(0.0) => Ok(Self::Edits(0)),
            Ok(edits) if edits > 0.0 => Ok(Self::Edits(edits.clamp(1.0, 2.0) as u8)),
            _ => Err(invalid()),
        }
    }

    /// The distance allowed for `term`.
    pub fn edits(self, term: &str) -> u8 {
        match self {
            Self::Edits(edits) => edits,
            Self::Auto { low, high } => match term.chars().count() {
                length if length < low => 0,
                length if length < high => 1,
                _ => 2,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        assert_eq!(Fuzziness::of("auto").unwrap().edits("abcdef"), 2);
        assert_eq!(Fuzziness::of("AUTO:4,7").unwrap().edits("abc"), 0);
        assert_eq!(Fuzziness::of("1").unwrap(), Fuzziness::Edits(1));
        assert_eq!(Fuzziness::of("3.7").unwrap(), Fuzziness::Edits(2));
        assert_eq!(Fuzziness::of("0.5").unwrap(), Fuzziness::Edits(1));
        assert_eq!(Fuzziness::of("-1").unwrap_err().reason(), "Invalid fuzziness value: -1");
        assert_eq!(Fuzziness::of("zz").unwrap_err().reason(), "Invalid fuzziness value: zz");
    }
}

//! Edit distances: how far a term may be from what was asked for.

use super::node::{Node, number_format};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

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
        if matches!(node.value, Value::Bool(_) | Value::Null) {
            let reason = format!("Can't parse fuzziness on token: [{}]", node.token());
            return Err(Error::illegal_argument(reason).at(node.pos()));
        }
        Self::of(&node.text()?).map_err(|error| error.at(node.pos()))
    }

    pub fn of(text: &str) -> Result<Self> {
        let invalid = || Error::illegal_argument(format!("Invalid fuzziness value: {text}"));
        let upper = text.to_ascii_uppercase();
        if upper == "AUTO" {
            return Ok(AUTO);
        }
        if let Some(limits) = upper.strip_prefix("AUTO:") {
            return Self::auto(text, &text[text.len() - limits.len()..]);
        }
        match java_float(upper.trim()) {
            // Fractions between none and one are one; more than two are two.
            Some(0.0) => Ok(Self::Edits(0)),
            Some(edits) if edits > 0.0 && edits.is_finite() => Ok(Self::Edits(edits.clamp(1.0, 2.0) as u8)),
            _ => Err(invalid()),
        }
    }

    /// What stands behind `AUTO:`.
    fn auto(text: &str, limits: &str) -> Result<Self> {
        // As Java splits: what is empty at the end is no part.
        let parts: Vec<&str> = limits.trim_end_matches(',').split(',').collect();
        let [low, high] = parts[..] else {
            return Err(Error::new(ErrorKind::Parse, "failed to find low and high distance values"));
        };
        let failed = |cause| {
            Error::new(ErrorKind::Parse, format!("failed to parse [{text}] as a \"auto:int,int\"")).caused_by(cause)
        };
        let whole = |part: &str| part.parse::<i32>().map_err(|_| failed(number_format(part)));
        let (low, high) = (whole(low)?, whole(high)?);
        match (usize::try_from(low), usize::try_from(high)) {
            (Ok(low), Ok(high)) if low <= high => Ok(Self::Auto { low, high }),
            _ => Err(Error::illegal_argument(
                "fuzziness wrongly configured, must be: lowDistance > 0, highDistance > 0 and lowDistance <= highDistance ",
            )),
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

/// What stands behind the `~` of a query string: `AUTO`, or a number of which the whole part counts, 2 at most.
pub fn written_distance(text: &str) -> Result<Fuzziness> {
    let upper = text.to_uppercase();
    if upper == "AUTO" {
        return Ok(AUTO);
    }
    let edits = java_float(&upper).ok_or_else(|| number_format(&upper))?.min(2.0) as i32;
    match u8::try_from(edits) {
        Ok(edits) => Ok(Fuzziness::Edits(edits)),
        Err(_) => Err(Error::illegal_argument(format!("Valid edit distances are [0, 1, 2] but was [{edits}]"))),
    }
}

/// A float as Java reads it: a letter behind it may name its type.
pub fn java_float(text: &str) -> Option<f32> {
    let number = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    // Names of what is no number are Rust's, not Java's.
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    if plain { number.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_as_query_strings_write_them() {
        let edits = |text: &str| written_distance(text).map(|fuzziness| fuzziness.edits("the"));
        for (text, expected) in [("0.9", 0), ("1.5", 1), ("3", 2), ("+1", 1), ("1f", 1), ("-0.5", 0), ("auto", 1)] {
            assert_eq!(edits(text).expect("a distance"), expected, "{text}");
        }
        let reason = |text: &str| edits(text).expect_err("no distance").reason().to_owned();
        assert_eq!(reason("x"), "For input string: \"X\"");
        assert_eq!(reason("-1"), "Valid edit distances are [0, 1, 2] but was [-1]");
    }

    #[test]
    fn forms() {
        assert_eq!(Fuzziness::of("auto").unwrap().edits("abcdef"), 2);
        assert_eq!(Fuzziness::of("AUTO:4,7").unwrap().edits("abc"), 0);
        assert_eq!(Fuzziness::of("1").unwrap(), Fuzziness::Edits(1));
        assert_eq!(Fuzziness::of("3.7").unwrap(), Fuzziness::Edits(2));
        assert_eq!(Fuzziness::of("0.5").unwrap(), Fuzziness::Edits(1));
        assert_eq!(Fuzziness::of("-1").unwrap_err().reason(), "Invalid fuzziness value: -1");
        assert_eq!(Fuzziness::of("zz").unwrap_err().reason(), "Invalid fuzziness value: zz");
        assert_eq!(Fuzziness::of("AUTO:3").unwrap_err().reason(), "failed to find low and high distance values");
        let reversed = Fuzziness::of("AUTO:6,3").unwrap_err();
        assert!(reversed.reason().starts_with("fuzziness wrongly configured"), "{}", reversed.reason());
    }
}

//! How Lucene writes an expression that it has parsed: errors of intervals show it.

use super::syntax::Expr;
use std::fmt;

const LAST: u32 = 0x10_ffff;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("\"\""),
            Self::Never => f.write_str("#"),
            Self::Set(ranges) => set(f, ranges),
            Self::Concat(parts) => concat(f, parts),
            Self::Union(parts) => union(f, parts),
            Self::Intersection(a, b) => write!(f, "({a}&{b})"),
            Self::Complement(inner) => write!(f, "~({inner})"),
            Self::Repeat { inner, min, max } => match (min, max) {
                (0, None) => write!(f, "({inner})*"),
                (0, Some(1)) => write!(f, "({inner})?"),
                (min, None) => write!(f, "({inner}){{{min},}}"),
                (min, Some(max)) => write!(f, "({inner}){{{min},{max}}}"),
            },
            Self::Named(name) => write!(f, "<{name}>"),
            Self::Numbers { min, max, digits } => write!(f, "<{min:0digits$}-{max:0digits$}>"),
        }
    }
}

fn letter(point: u32) -> char {
    char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn set(f: &mut fmt::Formatter<'_>, ranges: &[(u32, u32)]) -> fmt::Result {
    match ranges {
        [(0, LAST)] => f.write_str("."),
        [(a, b)] if a == b => write!(f, "\\{}", letter(*a)),
        _ => {
            f.write_str("[")?;
            for (a, b) in ranges {
                match a == b {
                    true => write!(f, "\\{}", letter(*a))?,
                    false => write!(f, "\\{}-\\{}", letter(*a), letter(*b))?,
                }
            }
            f.write_str("]")
        }
    }
}

/// Characters that follow each other are a text.
fn concat(f: &mut fmt::Formatter<'_>, parts: &[Expr]) -> fmt::Result {
    let single = |part: &Expr| match part {
        Expr::Set(ranges) => match ranges.as_slice() {
            [(a, b)] if a == b => Some(letter(*a)),
            _ => None,
        },
        _ => None,
    };
    let mut rest = parts;
    while let Some(first) = rest.first() {
        let text: String = rest.iter().map_while(single).collect();
        let length = text.chars().count();
        if length > 1 {
            write!(f, "\"{text}\"")?;
            rest = &rest[length..];
        } else {
            write!(f, "{first}")?;
            rest = &rest[1..];
        }
    }
    Ok(())
}

/// Two at a time, from the end.
fn union(f: &mut fmt::Formatter<'_>, parts: &[Expr]) -> fmt::Result {
    match parts {
        [] => Ok(()),
        [only] => write!(f, "{only}"),
        [first, rest @ ..] => {
            write!(f, "({first}|")?;
            union(f, rest)?;
            f.write_str(")")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::{Flags, parse};

    #[test]
    fn expressions_as_lucene_writes_them() {
        for (text, written) in [("ca.*", "\"ca\"(.)*"), ("a[b-d]+", "\\a([\\b-\\d]){1,}"), ("ab|c", "(\"ab\"|\\c)")] {
            assert_eq!(parse(text, Flags::ALL, false).unwrap().to_string(), written);
        }
    }
}

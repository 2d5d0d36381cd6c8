//! `minimum_should_match`: `3`, `-2`, `75%`, `-25%`, `2<75%` and several of the last separated by spaces.

use super::node::number_format;
use crate::error::{Error, ErrorKind, Result};

/// How many of `clauses` optional clauses must match. Never more than there are, unless a plain number asks for more.
pub fn minimum(clauses: usize, spec: &str) -> Result<usize> {
    let result = calculate(clauses as i64, spec.trim())?;
    Ok(usize::try_from(result).unwrap_or(0))
}

fn calculate(clauses: i64, spec: &str) -> Result<i64> {
    if spec.contains('<') {
        let mut result = clauses;
        // White space around `<` does not separate conditions.
        let spec = spec.split('<').map(str::trim).collect::<Vec<_>>().join("<");
        for condition in spec.split_ascii_whitespace() {
            let (upper, below) = condition.split_once('<').ok_or_else(|| number_format(condition))?;
            let lacks = |length| {
                let reason = format!("Index {length} out of bounds for length {length}");
                Err(Error::new(ErrorKind::ArrayIndexOutOfBounds, reason))
            };
            if upper.is_empty() && below.is_empty() {
                return lacks(0);
            }
            if clauses <= parse(upper)? {
                return Ok(result);
            }
            if below.is_empty() {
                return lacks(1);
            }
            result = calculate(clauses, below)?;
        }
        return Ok(result);
    }
    let result = match spec.strip_suffix('%') {
        Some(percent) => {
            let percent = parse(percent)?;
            let part = (clauses as f64 * percent as f64 * (1.0 / 100.0)) as f32 as i64;
            if percent < 0 { clauses + part } else { part }
        }
        None => {
            let number = parse(spec)?;
            if number < 0 { clauses + number } else { number }
        }
    };
    Ok(result.max(0))
}

fn parse(text: &str) -> Result<i64> {
    text.parse::<i32>().map(i64::from).map_err(|_| number_format(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms() {
        for (clauses, spec, expected) in [
            (5, "2", 2),
            (5, "-2", 3),
            (5, "75%", 3),
            (5, "-25%", 4),
            (4, "3<90%", 3),
            (3, "3<90%", 3),
            (12, "2<-25% 9<-3", 9),
            (5, "2<-25% 9<-3", 4),
            (2, "2<-25% 9<-3", 2),
            (2, "7", 7),
            (2, "-7", 0),
            (10, "3 < 50%", 5),
            // What stands behind is not looked at.
            (3, "3<", 3),
        ] {
            assert_eq!(minimum(clauses, spec).unwrap(), expected, "{clauses} {spec}");
        }
        assert_eq!(minimum(1, "x").unwrap_err().reason(), "For input string: \"x\"");
    }
}

//! How the values of several functions are joined, and how their value and the query's score are.

use super::super::Explanation;
use crate::error::{Error, Result};

/// `score_mode`: the values of the functions that apply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScoreMode {
    First,
    Avg,
    Max,
    Sum,
    Min,
    Multiply,
}

impl ScoreMode {
    pub fn of(text: &str) -> Result<Self> {
        Ok(match text.to_uppercase().as_str() {
            "FIRST" => Self::First,
            "AVG" => Self::Avg,
            "MAX" => Self::Max,
            "SUM" => Self::Sum,
            "MIN" => Self::Min,
            "MULTIPLY" => Self::Multiply,
            other => {
                return Err(Error::illegal_argument(format!(
                    "No enum constant org.opensearch.common.lucene.search.function.FunctionScoreQuery.ScoreMode.{other}"
                )));
            }
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Avg => "avg",
            Self::Max => "max",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Multiply => "multiply",
        }
    }

    /// Joins values, each with what it counts for in an average. 1 without any.
    pub fn join(self, mut values: impl Iterator<Item = Result<(f64, f64)>>) -> Result<f64> {
        let Some(first) = values.next().transpose()? else { return Ok(1.0) };
        let (mut joined, mut weights) = first;
        if self == Self::First {
            return Ok(joined);
        }
        for value in values {
            let (value, weight) = value?;
            weights += weight;
            joined = match self {
                Self::First => joined,
                Self::Avg | Self::Sum => joined + value,
                Self::Max => max(joined, value),
                Self::Min => min(joined, value),
                Self::Multiply => joined * value,
            };
        }
        Ok(match self {
            Self::Avg if weights != 0.0 => joined / weights,
            Self::Avg | Self::Sum if weights == 0.0 => 1.0,
            // What the reference begins with, which it takes for no value at all.
            Self::Min if joined == f64::INFINITY => 1.0,
            Self::Max if joined == f64::NEG_INFINITY => 1.0,
            _ => joined,
        })
    }
}

/// The smaller of two, which is no number if one of them is none: it must not get lost on the way to the score.
fn min(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

/// The larger of two, as [`min`] has it.
fn max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// `boost_mode`: the query's score and the functions' value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoostMode {
    Multiply,
    Replace,
    Sum,
    Avg,
    Min,
    Max,
}

impl BoostMode {
    pub fn of(text: &str) -> Result<Self> {
        Ok(match text.to_uppercase().as_str() {
            "MULTIPLY" => Self::Multiply,
            "REPLACE" => Self::Replace,
            "SUM" => Self::Sum,
            "AVG" => Self::Avg,
            "MIN" => Self::Min,
            "MAX" => Self::Max,
            other => {
                return Err(Error::illegal_argument(format!(
                    "No enum constant org.opensearch.common.lucene.search.function.CombineFunction.{other}"
                )));
            }
        })
    }

    pub fn combine(self, query: f32, value: f64, max_boost: f32) -> f32 {
        let (query, value) = (f64::from(query), min(value, f64::from(max_boost)));
        (match self {
            Self::Multiply => query * value,
            Self::Replace => value,
            Self::Sum => query + value,
            Self::Avg => (value + query) / 2.0,
            Self::Min => min(query, value),
            Self::Max => max(query, value),
        }) as f32
    }

    pub fn explain(self, query: Explanation, value: Explanation, max_boost: f32) -> Explanation {
        let limited = value.score().min(max_boost);
        let limit = Explanation::matching(max_boost, "maxBoost", vec![]);
        let score = self.combine(query.score(), f64::from(value.score()), max_boost);
        let limited = Explanation::matching(limited, "min of:", vec![value, limit]);
        let description = match self {
            Self::Replace => return limited,
            Self::Multiply => "function score, product of:",
            Self::Sum => "sum of",
            Self::Avg => "avg of",
            Self::Min => "min of",
            Self::Max => "max of:",
        };
        Explanation::matching(score, description, vec![query, limited])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_joined() {
        let values = || [Ok((2.0, 1.0)), Ok((4.0, 3.0))].into_iter();
        let joined = |mode: ScoreMode| mode.join(values()).unwrap();
        assert_eq!([ScoreMode::First, ScoreMode::Avg, ScoreMode::Max].map(joined), [2.0, 1.5, 4.0]);
        assert_eq!([ScoreMode::Sum, ScoreMode::Min, ScoreMode::Multiply].map(joined), [6.0, 2.0, 8.0]);
        assert_eq!(ScoreMode::Sum.join(std::iter::empty()).unwrap(), 1.0);
        let infinite = |mode: ScoreMode| mode.join(std::iter::once(Ok((f64::INFINITY, 1.0)))).unwrap();
        assert_eq!((infinite(ScoreMode::Min), infinite(ScoreMode::Max)), (1.0, f64::INFINITY));
        assert_eq!(BoostMode::Multiply.combine(2.0, 9.0, 4.0), 8.0);
        assert_eq!(BoostMode::Avg.combine(2.0, 3.0, 4.0), 2.5);
        assert!(BoostMode::of("nope").is_err() && ScoreMode::of("avg").is_ok());
    }
}

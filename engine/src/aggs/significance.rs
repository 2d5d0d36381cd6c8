//! How significant a value is: by its share of the documents looked at and of all.
//!
//! Mutual information and chi square as in Manning, Raghavan and Schütze, "Introduction to Information Retrieval" (2008),
//! 13.5; the normalized distance as in Cilibrasi and Vitányi, "The Google Similarity Distance" (2007).

use super::parse::ParseContext;
use crate::error::{Error, Result};
use crate::json::{Entry, Value};
use crate::query::declared::{Declared, OBJECT, STRING};
use crate::query::script::script_of;
use crate::query::{Node, Source};
use crate::script::{Script, Significance};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) enum Heuristic {
    Formula(Formula),
    Script(Arc<Script>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Formula {
    Jlh,
    Percentage,
    Gnd { within: bool },
    ChiSquare { within: bool, negatives: bool },
    MutualInformation { within: bool, negatives: bool },
}

/// Judges one value after the other.
pub(crate) enum Judge {
    Formula(Formula),
    Script(Box<Significance>),
}

impl Judge {
    /// How significant a value is, or what the background lacks: `count` of `subset` documents have the value,
    /// `superset_count` of `superset`.
    pub(crate) fn score(&mut self, count: u64, subset: u64, superset_count: u64, superset: u64) -> Result<f64> {
        match self {
            Self::Formula(formula) => {
                formula.check(count, subset, superset_count, superset)?;
                Ok(formula.score(count, subset, superset_count, superset))
            }
            Self::Script(script) => script.score([
                ("_subset_freq", count),
                ("_superset_freq", superset_count),
                ("_subset_size", subset),
                ("_superset_size", superset),
            ]),
        }
    }
}

/// How the object of a script is read.
const SCRIPT_HEURISTIC: Declared = Declared { name: "script_heuristic", fields: &[("script", STRING | OBJECT)] };

impl Heuristic {
    pub(crate) const NAMES: &[&str] =
        &["chi_square", "gnd", "jlh", "mutual_information", "percentage", "script_heuristic"];

    /// What judges by it; a script is compiled.
    pub(crate) fn judge(&self) -> Result<Judge> {
        Ok(match self {
            Self::Script(script) => Judge::Script(Box::new(Significance::new(script)?)),
            Self::Formula(formula) => Judge::Formula(*formula),
        })
    }
}

impl Formula {
    /// Refuses a background that does not hold what it should.
    fn check(self, count: u64, subset: u64, superset_count: u64, superset: u64) -> Result<()> {
        let (class, within) = match self {
            Self::Jlh => ("JLHScore", false),
            Self::Percentage => ("PercentageScore", false),
            Self::Gnd { within } => ("GND", within),
            Self::ChiSquare { within, .. } => ("ChiSquare", within),
            Self::MutualInformation { within, .. } => ("MutualInformation", within),
        };
        // Values count for what the documents say, the subset for the documents.
        if !within && count > subset {
            return Err(Error::illegal_argument(format!("subsetFreq > subsetSize, in {class}")));
        }
        let wrong = match () {
            () if !within => return Ok(()),
            () if count > superset_count => "subsetFreq > supersetFreq",
            () if subset > superset => "subsetSize > supersetSize",
            () if superset_count - count > superset - subset => "supersetFreq - subsetFreq > supersetSize - subsetSize",
            () => return Ok(()),
        };
        Err(Error::illegal_argument(format!(
            "{wrong}, does your background filter not include all documents in the bucket? If so and it is intentional, set \"background_is_superset\": false"
        )))
    }

    fn score(self, count: u64, subset: u64, superset_count: u64, superset: u64) -> f64 {
        let [count, subset, superset_count, superset] = [count, subset, superset_count, superset].map(|n| n as f64);
        match self {
            Self::Jlh => {
                if subset == 0.0 || superset == 0.0 {
                    return 0.0;
                }
                // A background that lacks the value is taken to have it once.
                let (share, share_of_all) = (count / subset, superset_count.max(1.0) / superset);
                let change = share - share_of_all;
                if change <= 0.0 { 0.0 } else { change * (share / share_of_all) }
            }
            Self::Percentage if superset_count == 0.0 => 0.0,
            Self::Percentage => count / superset_count,
            Self::Gnd { within } => {
                let table = Table::new(count, subset, superset_count, superset, within);
                gnd(&table)
            }
            Self::ChiSquare { within, negatives } => {
                let t = Table::new(count, subset, superset_count, superset, within);
                if !negatives && t.is_negative() {
                    return f64::MIN;
                }
                t.all * (t.n11 * t.n00 - t.n01 * t.n10).powi(2) / (t.subset * t.with * t.without * t.rest)
            }
            Self::MutualInformation { within, negatives } => {
                let t = Table::new(count, subset, superset_count, superset, within);
                let score = information(t.n00, t.without, t.rest, t.all)
                    + information(t.n01, t.without, t.subset, t.all)
                    + information(t.n10, t.with, t.rest, t.all)
                    + information(t.n11, t.with, t.subset, t.all);
                if score.is_nan() || (!negatives && t.is_negative()) { f64::MIN } else { score }
            }
        }
    }
}

/// Documents with and without the value, inside and outside the subset.
struct Table {
    n11: f64,
    n01: f64,
    n10: f64,
    n00: f64,
    with: f64,
    without: f64,
    subset: f64,
    rest: f64,
    all: f64,
}

impl Table {
    /// `within`: the subset is part of the background, else they are disjoint.
    fn new(count: f64, subset: f64, superset_count: f64, superset: f64, within: bool) -> Self {
        let (n11, n01) = (count, subset - count);
        if within {
            return Self {
                n11,
                n01,
                n10: superset_count - count,
                n00: superset - superset_count - n01,
                with: superset_count,
                without: superset - superset_count,
                subset,
                rest: superset - subset,
                all: superset,
            };
        }
        Self {
            n11,
            n01,
            n10: superset_count,
            n00: superset - superset_count,
            with: superset_count + count,
            without: superset - superset_count + n01,
            subset,
            rest: superset,
            all: superset + subset,
        }
    }

    /// Whether the value is rarer inside the subset than outside.
    fn is_negative(&self) -> bool {
        self.n11 / self.subset < self.n10 / self.rest
    }
}

fn gnd(t: &Table) -> f64 {
    let (fx, fy, fxy, n) = (t.subset.ln(), t.with.ln(), t.n11.ln(), t.all.ln());
    let score = (fx.max(fy) - fxy) / (n - fx.min(fy));
    // Nothing in common.
    if score.is_infinite() || t.n11 == 0.0 {
        return 0.0;
    }
    // The value and the subset are the same documents.
    let score = if score.is_nan() || (t.n11 == t.subset && t.n11 == t.with) { 0.0 } else { score };
    (-score).exp()
}

fn information(both: f64, x: f64, y: f64, n: f64) -> f64 {
    const NOTHING: f64 = 1e-7;
    let (numerator, denominator, factor) = ((n * both).abs(), (x * y).abs(), (both / n).abs());
    if numerator < NOTHING && factor < NOTHING {
        return 0.0;
    }
    factor * (numerator / denominator).log2()
}

/// The heuristic that a field of the request names, if it names one.
pub(crate) fn parse_heuristic(entry: &Entry, cx: &ParseContext<'_>) -> Result<Option<Heuristic>> {
    let Some(name) = Heuristic::NAMES.iter().find(|name| **name == entry.key) else { return Ok(None) };
    if entry.key == SCRIPT_HEURISTIC.name {
        return parse_script(entry, cx).map(Some);
    }
    let Value::Object(options) = &entry.value else {
        Declared { name, fields: &[] }.check_next_object(Node::of_entry(entry, &Source::new(cx.body)))?;
        return Err(cx.wrong_type(entry));
    };
    // It has a parser of its own.
    let cx = &ParseContext { body: cx.body, name: cx.name, kind: name };
    let (mut within, mut negatives) = (true, false);
    let counts_table = matches!(entry.key.as_str(), "chi_square" | "mutual_information");
    for option in &options.entries {
        match option.key.as_str() {
            "background_is_superset" if counts_table || entry.key == "gnd" => within = cx.bool(option)?,
            "include_negatives" if counts_table => negatives = cx.bool(option)?,
            _ => return Err(cx.unknown_field(option, &["background_is_superset", "include_negatives"])),
        }
    }
    Ok(Some(Heuristic::Formula(match entry.key.as_str() {
        "chi_square" => Formula::ChiSquare { within, negatives },
        "gnd" => Formula::Gnd { within },
        "mutual_information" => Formula::MutualInformation { within, negatives },
        "percentage" => Formula::Percentage,
        _ => Formula::Jlh,
    })))
}

fn parse_script(entry: &Entry, cx: &ParseContext<'_>) -> Result<Heuristic> {
    let source = Source::new(cx.body);
    let node = Node::of_entry(entry, &source);
    SCRIPT_HEURISTIC.check_next_object(node)?;
    let mut script = None;
    for field in node.fields() {
        script = Some(SCRIPT_HEURISTIC.read(&field, script_of)?);
    }
    script.map(Heuristic::Script).ok_or_else(|| Error::illegal_argument("Required [script]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_the_reference_s() {
        let within = true;
        let negatives = false;
        let cases = [
            (Formula::Jlh, 0.444_444_444_444_444_3),
            (Formula::MutualInformation { within, negatives }, 0.419_973_094_021_975),
            (Formula::ChiSquare { within, negatives }, 2.222_222_222_222_222_3),
            (Formula::Gnd { within }, 0.642_423_812_282_009_8),
            (Formula::Percentage, 1.0),
        ];
        for (heuristic, score) in cases {
            let found = heuristic.score(2, 3, 2, 5);
            assert!((found - score).abs() < 1e-12, "{heuristic:?}: {found}");
        }
    }
}

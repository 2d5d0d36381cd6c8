//! The measures of rank evaluation.

use pith_engine::json::{Map, Value};
use pith_engine::query::Node;
use pith_engine::query::declared::{Declared, FLAG, NUMERIC, unbuildable};
use pith_engine::{Error, ErrorKind, Result};

/// A hit, with its rating if it has one.
pub struct Rated {
    pub index: String,
    pub id: String,
    pub rating: Option<i32>,
    pub object: Vec<u8>,
}

/// What a metric says about one search.
pub struct Judged {
    pub score: f64,
    pub details: Map,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Precision { ignore_unlabeled: bool },
    Recall,
    ReciprocalRank,
    Gain { normalize: bool },
    Expected { maximum: i32 },
}

/// How hits are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    kind: Kind,
    /// Hits that are looked at.
    k: i32,
    /// The least rating of relevant documents.
    threshold: i32,
    /// What documents without a rating count for.
    unknown: Option<i32>,
}

const PRECISION: Declared = Declared {
    name: "precision",
    fields: &[("relevant_rating_threshold", NUMERIC), ("ignore_unlabeled", FLAG), ("k", NUMERIC)],
};
const RECALL: Declared = Declared { name: "recall", fields: &[("relevant_rating_threshold", NUMERIC), ("k", NUMERIC)] };
const RECIPROCAL_RANK: Declared =
    Declared { name: "reciprocal_rank", fields: &[("relevant_rating_threshold", NUMERIC), ("k", NUMERIC)] };
const GAIN: Declared =
    Declared { name: "dcg", fields: &[("normalize", FLAG), ("unknown_doc_rating", NUMERIC), ("k", NUMERIC)] };
/// The reference's parser of this metric bears the name of the one before it.
const EXPECTED: Declared = Declared {
    name: "dcg",
    fields: &[("maximum_relevance", NUMERIC), ("unknown_doc_rating", NUMERIC), ("k", NUMERIC)],
};

impl Metric {
    /// The metric of an object with its name alone.
    pub fn parse_only(node: Node) -> Result<Self> {
        let expected = |token: &str, found: &str| {
            format!("Failed to parse object: expecting token of type [{token}] but found [{found}]")
        };
        let mut fields = node.fields();
        let Some(kind) = fields.next() else {
            return Err(node.error_at_end(expected("FIELD_NAME", "END_OBJECT")));
        };
        let metric = Self::parse(kind.key, kind.key_pos, kind.node).map_err(|error| error.at(kind.node.pos()))?;
        match fields.next() {
            Some(second) => Err(node.error_at(second.key_pos, expected("END_OBJECT", "FIELD_NAME"))),
            None => Ok(metric),
        }
    }

    fn parse(name: &str, name_pos: u32, node: Node) -> Result<Self> {
        let (kind, parser) = match name {
            "precision" => (Kind::Precision { ignore_unlabeled: false }, &PRECISION),
            "recall" => (Kind::Recall, &RECALL),
            "mean_reciprocal_rank" => (Kind::ReciprocalRank, &RECIPROCAL_RANK),
            "dcg" => (Kind::Gain { normalize: false }, &GAIN),
            "expected_reciprocal_rank" => (Kind::Expected { maximum: 0 }, &EXPECTED),
            _ => {
                let reason = format!("{} unknown field [{name}]", node.location(name_pos));
                return Err(Error::new(ErrorKind::NamedObjectNotFound, reason).at(name_pos));
            }
        };
        parser.check_object(node)?;
        let mut metric = Self { kind, k: 10, threshold: 1, unknown: None };
        let mut has_maximum = false;
        for field in node.fields() {
            parser.check(&field)?;
            let number = || parser.read(&field, |node| node.i32());
            let flag = || parser.read(&field, |node| node.bool());
            match (field.key, &mut metric.kind) {
                ("k", _) => metric.k = number()?,
                ("relevant_rating_threshold", _) => metric.threshold = number()?,
                ("unknown_doc_rating", _) => metric.unknown = Some(number()?),
                (_, Kind::Precision { ignore_unlabeled }) => *ignore_unlabeled = flag()?,
                (_, Kind::Gain { normalize }) => *normalize = flag()?,
                (_, Kind::Expected { maximum }) => (*maximum, has_maximum) = (number()?, true),
                (_, Kind::Recall | Kind::ReciprocalRank) => {}
            }
        }
        if matches!(metric.kind, Kind::Expected { .. }) && !has_maximum {
            return Err(Error::illegal_argument("Required [maximum_relevance]").at(node.end_pos()));
        }
        let any_window = matches!(metric.kind, Kind::Gain { .. } | Kind::Expected { .. });
        let problem = match () {
            () if metric.k <= 0 && !any_window => "Window size k must be positive.",
            () if metric.threshold < 0 => "Relevant rating threshold for precision must be positive integer.",
            () => return Ok(metric),
        };
        Err(unbuildable(parser.name, Error::illegal_argument(problem)).at(node.end_pos()))
    }

    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Precision { .. } => "precision",
            Kind::Recall => "recall",
            Kind::ReciprocalRank => "mean_reciprocal_rank",
            Kind::Gain { .. } => "dcg",
            Kind::Expected { .. } => "expected_reciprocal_rank",
        }
    }

    /// How many hits are looked at.
    pub fn window(&self) -> Result<usize> {
        usize::try_from(self.k)
            .map_err(|_| Error::illegal_argument(format!("[size] parameter cannot be negative, found [{}]", self.k)))
    }

    /// Judges hits, best first; `all`: the ratings of all documents that have one.
    pub fn judge(&self, hits: &[Rated], all: &[i32]) -> Judged {
        let relevant = |hit: &&Rated| hit.rating.is_some_and(|rating| rating >= self.threshold);
        let found = hits.iter().filter(relevant).count();
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let mut details = Map::new();
        let count = |number: usize| Value::UInt(number as u64);
        let score = match self.kind {
            Kind::Precision { ignore_unlabeled } => {
                let seen = hits.iter().filter(|hit| !ignore_unlabeled || hit.rating.is_some()).count();
                details.insert("relevant_docs_retrieved", count(found));
                details.insert("docs_retrieved", count(seen));
                share(found, seen)
            }
            Kind::Recall => {
                let whole = all.iter().filter(|rating| **rating >= self.threshold).count();
                details.insert("relevant_docs_retrieved", count(found));
                details.insert("relevant_docs", count(whole));
                share(found, whole)
            }
            Kind::ReciprocalRank => {
                let first = hits.iter().position(|hit| relevant(&hit));
                details.insert("first_relevant", first.map_or(Value::Int(-1), |at| count(at + 1)));
                first.map_or(0.0, |at| 1.0 / (at + 1) as f64)
            }
            Kind::Gain { normalize } => self.gain(hits, all, normalize, &mut details),
            Kind::Expected { maximum } => self.expected(hits, maximum, &mut details),
        };
        Judged { score, details }
    }

    fn ratings<'h>(&self, hits: &'h [Rated]) -> impl Iterator<Item = Option<i32>> + use<'h> {
        let unknown = self.unknown;
        hits.iter().map(move |hit| hit.rating.or(unknown))
    }

    /// Gains, discounted by how late they come.
    fn gain(&self, hits: &[Rated], all: &[i32], normalize: bool, details: &mut Map) -> f64 {
        let sum = |ratings: &mut dyn Iterator<Item = Option<i32>>| {
            let gain = |(at, rating): (usize, Option<i32>)| {
                rating.map_or(0.0, |rating| (f64::from(rating).exp2() - 1.0) / ((at + 2) as f64).log2())
            };
            ratings.enumerate().map(gain).sum::<f64>()
        };
        let dcg = sum(&mut self.ratings(hits));
        details.insert("dcg", Value::Float(dcg));
        let mut score = dcg;
        if normalize {
            let mut best = all.to_vec();
            best.sort_unstable_by(|a, b| b.cmp(a));
            best.truncate(hits.len());
            let ideal = sum(&mut best.into_iter().map(Some));
            score = if ideal == 0.0 { 0.0 } else { dcg / ideal };
            if ideal != 0.0 {
                details.insert("ideal_dcg", Value::Float(ideal));
                details.insert("normalized_dcg", Value::Float(score));
            }
        }
        details.insert("unrated_docs", Value::UInt(hits.iter().filter(|hit| hit.rating.is_none()).count() as u64));
        score
    }

    /// How early someone who reads down the list is content.
    fn expected(&self, hits: &[Rated], maximum: i32, details: &mut Map) -> f64 {
        let (mut reads_on, mut score) = (1.0, 0.0);
        for (at, rating) in self.ratings(hits).enumerate() {
            let Some(rating) = rating else { continue };
            let content = (f64::from(rating).exp2() - 1.0) / f64::from(maximum).exp2();
            score += reads_on * content / (at + 1) as f64;
            reads_on *= 1.0 - content;
        }
        details.insert("unrated_docs", Value::UInt(hits.iter().filter(|hit| hit.rating.is_none()).count() as u64));
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(ratings: &[Option<i32>]) -> Vec<Rated> {
        let hit = |rating: &Option<i32>| Rated { index: "i".into(), id: "1".into(), rating: *rating, object: vec![] };
        ratings.iter().map(hit).collect()
    }

    #[test]
    fn scores_of_the_reference() {
        let score = |kind: Kind, ratings: &[Option<i32>], all: &[i32]| {
            let metric = Metric { kind, k: 10, threshold: 1, unknown: None };
            metric.judge(&hits(ratings), all).score
        };
        let six = [3, 2, 3, 0, 1, 2].map(Some);
        let gain = score(Kind::Gain { normalize: false }, &six, &[]);
        assert!((13.848_263..13.848_264).contains(&gain), "{gain}");
        let found = [Some(3), None, None];
        assert_eq!(score(Kind::Gain { normalize: true }, &found, &[3, 1]), 0.9173194127129571);
        assert_eq!(score(Kind::Precision { ignore_unlabeled: false }, &found, &[]), 1.0 / 3.0);
        assert_eq!(score(Kind::Precision { ignore_unlabeled: true }, &found, &[]), 1.0);
        assert_eq!(score(Kind::ReciprocalRank, &[None, Some(0), Some(1)], &[]), 1.0 / 3.0);
        assert_eq!(score(Kind::Expected { maximum: 3 }, &[Some(1), None], &[]), 0.125);
    }
}

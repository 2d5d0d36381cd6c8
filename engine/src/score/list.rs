//! The scorer of documents that were found before, each with its score.

use super::Scorer;
use crate::segment::NO_MORE_DOCS;

/// Documents with their scores.
pub struct ListScorer {
    docs: Vec<(u32, f32)>,
    at: usize,
}

impl ListScorer {
    /// None if there are no documents; they ascend.
    pub fn boxed(docs: Vec<(u32, f32)>) -> Option<Box<dyn Scorer>> {
        (!docs.is_empty()).then(|| Box::new(Self { docs, at: 0 }) as Box<dyn Scorer>)
    }
}

impl Scorer for ListScorer {
    fn doc(&self) -> u32 {
        self.docs.get(self.at).map_or(NO_MORE_DOCS, |(doc, _)| *doc)
    }

    fn next(&mut self) -> u32 {
        self.at += 1;
        self.doc()
    }

    fn advance(&mut self, target: u32) -> u32 {
        let rest = self.docs.get(self.at..).unwrap_or_default();
        self.at += rest.partition_point(|(doc, _)| *doc < target);
        self.doc()
    }

    fn score(&mut self) -> f32 {
        self.docs.get(self.at).map_or(0.0, |(_, score)| *score)
    }

    fn cost(&self) -> u64 {
        self.docs.len() as u64
    }
}

//! `boolean`: whatever matches scores the boost.

use super::SimScorer;
use crate::score::Explanation;

pub struct BooleanScorer {
    boost: f32,
}

impl BooleanScorer {
    pub fn new(boost: f32) -> Self {
        Self { boost }
    }
}

impl SimScorer for BooleanScorer {
    fn score(&self, _freq: f32, _norm: u8) -> f32 {
        self.boost
    }

    fn max_score(&self) -> f32 {
        self.boost
    }

    fn explain(&self, _freq: Explanation, _norm: u8) -> Explanation {
        let boost = Explanation::matching(self.boost, "boost, query boost", vec![]);
        Explanation::matching(self.boost, "score(BooleanWeight), computed from:", vec![boost])
    }
}

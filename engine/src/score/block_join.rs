//! Documents by what is nested in them: the matches of a query among nested documents, joined to the documents that they
//! stand in.

use super::candidate::Candidate;
use super::constant::ConstantWeight;
use super::late::Late;
use super::script::doc_bases;
use super::{Explanation, Plan, PlanNode, Scorer, Weight, WeightContext, takes};
use crate::error::Result;
use crate::segment::{NO_MORE_DOCS, Roots, SegmentView};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// How the scores of several documents become that of the one that they are joined to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinScore {
    None,
    Avg,
    Max,
    Min,
    Total,
}

impl JoinScore {
    /// The score of `count` documents with these figures.
    pub fn combine(self, sum: f64, count: u64, min: f32, max: f32) -> f32 {
        match self {
            Self::None => 0.0,
            Self::Avg => (sum / count.max(1) as f64) as f32,
            Self::Max => max,
            Self::Min => min,
            Self::Total => sum as f32,
        }
    }
}

/// Documents in which one is nested that `child` matches.
#[derive(Debug)]
pub struct BlockJoin {
    /// Matches documents nested under `path` only.
    pub child: Plan,
    pub path: Arc<str>,
    /// The nested object whose documents are joined to; none for root documents.
    pub parent: Option<Arc<str>>,
    pub score: JoinScore,
}

impl fmt::Display for BlockJoin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToParentBlockJoinQuery ({})", self.child)
    }
}

impl PlanNode for BlockJoin {
    fn type_name(&self) -> String {
        "OpenSearchToParentBlockJoinQuery".to_owned()
    }

    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        let counts = self.score != JoinScore::None;
        // Only where it is scored the inner query has no entry of its own in a profile.
        let child = match scores && counts {
            true => self.child.bind(cx, true, boost)?,
            false => match self.child.clone().constant().simplify() {
                Plan::Constant(inner) => {
                    let text = format!("ConstantScore({inner})");
                    Box::new(ConstantWeight::over(inner.weight(cx, false, 0.0)?, text, 0.0))
                }
                nothing => nothing.bind(cx, false, 0.0)?,
            },
        };
        let (parent, score, doc_bases) = (self.parent.clone(), self.score, doc_bases(cx));
        // The reference makes a constant of what nobody scores, whose explanation is its text.
        let constant = (!counts).then(|| format!("{}^0.0", self.child.clone().constant().simplify()));
        Ok(Box::new(JoinWeight { child, constant, parent, score, scores, doc_bases }))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn scored_through(&self) -> Vec<&Plan> {
        vec![&self.child]
    }

    fn scores_by_them(&self) -> bool {
        self.score != JoinScore::None
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.child.clone()]
    }

    fn simplify(&self) -> Option<Plan> {
        match self.child.clone().simplify() {
            child if child == self.child => None,
            child => {
                let (path, parent, score) = (self.path.clone(), self.parent.clone(), self.score);
                Some(Plan::custom(Self { child, path, parent, score }))
            }
        }
    }
}

struct JoinWeight {
    child: Box<dyn Weight>,
    /// What explains matches that nobody scores.
    constant: Option<String>,
    parent: Option<Arc<str>>,
    score: JoinScore,
    scores: bool,
    /// The number that the first document of each segment has, by the segment's name.
    doc_bases: Vec<(String, u64)>,
}

impl JoinWeight {
    /// The documents that are joined to; none if nothing of the segment is nested.
    fn parents(&self, view: &SegmentView) -> Option<Arc<Roots>> {
        let roots = view.segment.roots()?;
        Some(match &self.parent {
            None => roots.clone(),
            Some(path) => Arc::new(view.nested_docs(path)),
        })
    }

    fn join(&mut self, view: &SegmentView) -> Result<Option<JoinScorer>> {
        self.join_as(view, false)
    }

    /// `counts`: whether to go over all matches, so that it is known how many there are.
    fn join_as(&mut self, view: &SegmentView, counts: bool) -> Result<Option<JoinScorer>> {
        let Some(parents) = self.parents(view) else { return Ok(None) };
        let Some(child) = self.child.scorer(view)? else { return Ok(None) };
        let late = child.goes_by_candidates();
        let mut scorer = JoinScorer {
            child: Candidate::of(child),
            late,
            parents,
            mode: self.score,
            scores: self.scores && self.score != JoinScore::None,
            counts,
            doc: 0,
            score: 0.0,
            count: 0,
            best: NO_MORE_DOCS,
            tallied: false,
        };
        match late {
            true => scorer.propose(),
            false => scorer.settle(),
        };
        Ok(Some(scorer))
    }
}

impl Weight for JoinWeight {
    fn prepare(&mut self, view: &SegmentView, spent: &mut u32) -> Result<bool> {
        self.child.prepare(view, spent)
    }

    fn scorer(&mut self, view: &SegmentView) -> Result<Option<Box<dyn Scorer>>> {
        let scorer = self.join(view)?.filter(|scorer| scorer.doc != NO_MORE_DOCS);
        Ok(scorer.map(|scorer| if scorer.late { Late::boxed(scorer) } else { Box::new(scorer) }))
    }

    fn explain(&mut self, view: &SegmentView, doc: u32) -> Result<Explanation> {
        let counted = self.join_as(view, true)?;
        let found = counted.and_then(|mut scorer| takes(&mut scorer, doc).then_some(scorer));
        let Some(scorer) = found else { return Ok(Explanation::no_match("Not a match", vec![])) };
        let first = scorer.parents.before(doc).map_or(0, |before| before + 1);
        let (count, mode) = (scorer.count, scorer.mode);
        let base = self.doc_bases.iter().find(|(name, _)| name == view.segment.name()).map_or(0, |(_, base)| *base);
        let (first, last) = (base + u64::from(first), base + u64::from(doc.saturating_sub(1)));
        let description =
            format!("Score based on {count} child docs in range from {first} to {last}, using score mode {mode:?}");
        let best = match &self.constant {
            Some(text) => Explanation::matching(0.0, text.clone(), vec![]),
            None => self.child.explain(view, scorer.best)?,
        };
        Ok(Explanation::matching(scorer.score, description, vec![best]))
    }
}

struct JoinScorer {
    child: Box<dyn Scorer>,
    /// Whether the child stands on candidates, as then does this.
    late: bool,
    parents: Arc<Roots>,
    mode: JoinScore,
    scores: bool,
    /// Whether somebody wants to know how many match, beside their scores.
    counts: bool,
    /// The current match with its score and how many documents in it match.
    doc: u32,
    score: f32,
    count: u64,
    /// The one that is explained: the best of them, the worst where that counts.
    best: u32,
    /// Whether all that is known of the current one.
    tallied: bool,
}

impl JoinScorer {
    /// Goes to the document that the child's document is in. Where that is one to join to itself, being joined to itself or to what
    /// is nested in it, it counts for the next one, as in the reference.
    fn propose(&mut self) -> u32 {
        let first = self.child.doc();
        self.doc = if first == NO_MORE_DOCS { NO_MORE_DOCS } else { self.parents.from(first + 1) };
        self.tallied = false;
        self.doc
    }

    /// Goes to the first document from where the child is on that it has matches in, and past all of these.
    fn settle(&mut self) -> u32 {
        while self.propose() != NO_MORE_DOCS && !self.tally() {}
        self.doc
    }

    /// Goes past all matches in the current document, if it has not yet; gives whether there are any.
    fn tally(&mut self) -> bool {
        if self.tallied {
            return self.count > 0;
        }
        self.tallied = true;
        if !self.scores && !self.counts {
            return self.find();
        }
        let (mut sum, mut count, mut min, mut max) = (0f64, 0, f32::INFINITY, f32::NEG_INFINITY);
        self.best = self.child.doc();
        while self.child.doc() < self.doc {
            if self.late && !self.child.matches() {
                self.child.next();
                continue;
            }
            let score = if self.scores { self.child.score() } else { 0.0 };
            sum += f64::from(score);
            count += 1;
            let is_best = match self.mode {
                JoinScore::Min => score < min,
                _ => score > max,
            };
            if is_best {
                self.best = self.child.doc();
            }
            min = min.min(score);
            max = max.max(score);
            self.child.next();
        }
        if self.child.doc() == self.doc {
            self.child.next();
        }
        self.count = count;
        self.score = self.mode.combine(sum, count, min, max);
        count > 0
    }

    /// Goes to the first match in the current document: who wants no scores asks for no others.
    fn find(&mut self) -> bool {
        while self.late && self.child.doc() < self.doc && !self.child.matches() {
            self.child.next();
        }
        self.count = u64::from(self.child.doc() < self.doc);
        self.count > 0
    }

    /// Takes the child to where the documents of `target` begin.
    fn go(&mut self, target: u32) {
        let first = self.parents.before(target).map_or(0, |before| before + 1);
        if self.child.doc() < first {
            self.child.advance(first);
        }
    }
}

impl Scorer for JoinScorer {
    fn doc(&self) -> u32 {
        self.doc
    }

    fn next(&mut self) -> u32 {
        if self.doc != NO_MORE_DOCS {
            self.go(self.doc + 1);
        }
        self.settle()
    }

    fn advance(&mut self, target: u32) -> u32 {
        if target <= self.doc {
            return self.doc;
        }
        self.go(target);
        self.settle()
    }

    fn advance_candidate(&mut self, target: u32) -> u32 {
        if !self.late {
            return self.advance(target);
        }
        if target > self.doc {
            self.go(target);
            self.propose();
        }
        self.doc
    }

    fn matches(&mut self) -> bool {
        !self.late || (self.doc != NO_MORE_DOCS && self.tally())
    }

    fn is_two_phase(&self) -> bool {
        self.late
    }

    fn score(&mut self) -> f32 {
        self.score
    }

    fn cost(&self) -> u64 {
        self.child.cost()
    }
}

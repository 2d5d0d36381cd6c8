//! The seam for queries with a file of their own: whatever implements [`PlanNode`] stands in a [`Plan`] beside the
//! primitives.

use super::constant::ConstantWeight;
use super::profile::class_in;
use super::spans::Span;
use super::{BoolPlan, Plan, Weight, WeightContext, profile};
use crate::error::{Error, Result};
use crate::segment::{SegmentView, Snapshot};
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// A query that is planned and scored by itself. Its `Display` is the notation of Lucene, its `Debug` must tell all that
/// makes a difference: two nodes that read the same are taken to be the same.
pub trait PlanNode: fmt::Debug + fmt::Display + Send + Sync {
    /// Binds the node to a snapshot, as [`Plan::weight`] does.
    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>>;

    /// The name of the class that the reference has for it, which profiles show.
    fn type_name(&self) -> String {
        let path = std::any::type_name::<Self>();
        let name = path.rsplit("::").next().unwrap_or(path);
        format!("{}Query", name.trim_end_matches("Query"))
    }

    /// The plan that finds the same documents where nothing is scored, if that is all that this adds.
    fn unscored(&self) -> Option<&Plan> {
        None
    }

    /// The field whose values it looks at, if that is all that it does.
    fn leaf_field(&self) -> Option<&Arc<str>> {
        None
    }

    /// The node itself, for those that want to know what it is.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// The plans whose scorers its own goes by, in the order in which they are made; there is none without the first.
    fn scored_through(&self) -> Vec<&Plan> {
        vec![]
    }

    /// Whether it looks at the scores of these.
    fn scores_by_them(&self) -> bool {
        true
    }

    /// Whether it asks the same of them without scores, where only the best matches are wanted.
    fn asks_all_for_best(&self) -> bool {
        false
    }

    /// Those of them that are asked, whether or not there are to be scores.
    fn asked_through(&self, scored: bool) -> Vec<&Plan> {
        let unscored = if scored { None } else { self.unscored() };
        unscored.map_or_else(|| self.scored_through(), |plan| vec![plan])
    }

    /// Whether the explanation of a document asks a scorer of it, beside those of the plans that it is made of.
    fn is_explained_by_scorer(&self, _cx: &WeightContext, _view: &SegmentView, _doc: u32) -> Result<bool> {
        Ok(true)
    }

    /// Whether it can match no document at all.
    fn finds_nothing(&self) -> bool {
        false
    }

    /// The phrase that is looked for in the sources of documents which have its words.
    fn phrase_in_sources(&self) -> Option<&Plan> {
        None
    }

    /// Whether there is a scorer for a segment, as far as its terms tell.
    fn may_match_in(&self, _view: &SegmentView) -> bool {
        true
    }

    /// The plans whose terms show where in a text the node matches: what highlighting marks.
    fn highlighted(&self) -> Vec<Plan> {
        vec![]
    }

    /// Whether it may refuse to be looked for in a segment, for what it finds in the dictionaries there: those may that are made of
    /// others that may.
    fn may_refuse(&self, snapshot: &Snapshot) -> bool {
        self.scored_through().into_iter().any(|plan| plan.may_refuse(snapshot))
    }

    /// Whether what highlighters see of it weighs the same, whatever boosts stand within and around it.
    fn weighs_alike(&self) -> bool {
        false
    }

    /// The spans within which alone these are marked.
    fn spans(&self) -> Option<&Span> {
        None
    }

    /// Its text where nothing is scored, if that is another one.
    fn text_unscored(&self) -> Option<String> {
        None
    }

    /// What highlighters see instead of [`PlanNode::highlighted`], where that is something else.
    fn marks(&self) -> Option<&Marks> {
        None
    }

    /// Which highlighters see terms and, apart from these, patterns within.
    fn seen(&self) -> (Seen, Seen) {
        (Seen::BY_ALL, Seen::BY_ALL)
    }

    /// Which highlighters know of it only what words stand in it: neither where these stand to each other, nor any of them beside
    /// what they do look into.
    fn unknown(&self) -> Seen {
        Seen::BY_NONE
    }

    /// The equivalent plan in simplest form, if this is not it.
    fn simplify(&self) -> Option<Plan> {
        None
    }

    /// The plan that this is but for its text, if it is one.
    fn written(&self) -> Option<&Plan> {
        None
    }

    /// The plan that runs where the text is that of another.
    fn shown(&self) -> Option<&Plan> {
        None
    }

    /// A plan that might match the same fields, where the reference can tell which those are.
    fn judged_like(&self) -> Option<&Plan> {
        None
    }

    /// The same with what the reference puts in its place by the values that there are, where [`PlanNode::shown`] has a plan.
    fn rewritten_into(&self, _rewritten: Plan) -> Option<Plan> {
        None
    }

    /// The same text for another plan, where [`PlanNode::written`] has one.
    fn written_for(&self, _plan: Plan) -> Option<Plan> {
        None
    }
}

/// A shared [`PlanNode`].
#[derive(Clone)]
pub struct CustomPlan(pub Arc<dyn PlanNode>);

impl fmt::Debug for CustomPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for CustomPlan {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || format!("{:?}", self.0) == format!("{:?}", other.0)
    }
}

impl Plan {
    /// What is looked for where no scores are asked for: then there is no boost, and there are no functions.
    pub fn unscored(&self) -> &Self {
        let plan = match self {
            Self::Boost(inner, _) => inner,
            plan => plan,
        };
        match plan {
            Self::Custom(node) => match node.0.unscored() {
                Some(Self::Constant(inner)) => inner,
                Some(inner) => inner,
                None => plan,
            },
            plan => plan,
        }
    }

    /// Its text there.
    pub fn text_unscored(&self) -> String {
        match self {
            Self::Custom(node) => node.0.text_unscored().unwrap_or_else(|| self.to_string()),
            plan => plan.to_string(),
        }
    }

    pub fn custom(node: impl PlanNode + 'static) -> Self {
        Self::Custom(CustomPlan(Arc::new(node)))
    }

    /// This plan under the text that the query has before the reference rewrites it.
    pub fn written_as(self, text: impl Into<String>) -> Self {
        Self::custom(WrittenAs { text: text.into(), plan: self, marks: None })
    }

    /// The same where highlighters go by another plan than the search does.
    pub fn written_with_marks(self, text: impl Into<String>, marks: Marks) -> Self {
        Self::custom(WrittenAs { text: text.into(), plan: self, marks: Some(marks) })
    }

    /// This plan under the text of a query that the reference has in its place, rewritten or not.
    pub fn shown_as(self, text: impl Into<String>) -> Self {
        Self::custom(ShownAs { text: text.into(), plan: self, like: None, explained: None, rewritten: None })
    }

    /// The same, explained by a text of its own. The plan scores all alike.
    pub fn explained_as(self, text: impl Into<String>, explained: String) -> Self {
        Self::custom(ShownAs { text: text.into(), plan: self, like: None, explained: Some(explained), rewritten: None })
    }

    /// The same, where the reference knows as much of the fields that the query looks at as it does of `like`.
    pub fn shown_like(self, text: impl Into<String>, like: Plan) -> Self {
        Self::custom(ShownAs { text: text.into(), plan: self, like: Some(like), explained: None, rewritten: None })
    }
}

/// See [`Plan::written_as`].
#[derive(Debug)]
struct WrittenAs {
    text: String,
    plan: Plan,
    marks: Option<Marks>,
}

/// What highlighters see of a query that they do not look into as the search does.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    pub plan: Plan,
    pub seen: Seen,
    /// Whether those who do not see it see the query as it is, not nothing.
    pub rest_sees_query: bool,
    /// For how many words of a text a beginning stands, to those that look no further.
    pub most: usize,
}

impl Marks {
    /// Whether they are of a phrase that ends with the beginning of a word.
    pub fn completes(&self) -> bool {
        self.most != usize::MAX
    }
}

/// Which highlighters see something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    pub unified: bool,
    pub plain: bool,
    pub fast: bool,
}

impl Seen {
    pub const BY_ALL: Self = Self { unified: true, plain: true, fast: true };
    pub const BY_NONE: Self = Self { unified: false, plain: false, fast: false };

    pub fn inverted(self) -> Self {
        Self { unified: !self.unified, plain: !self.plain, fast: !self.fast }
    }

    pub fn or(self, other: Self) -> Self {
        self.inverted().and(other.inverted()).inverted()
    }

    pub fn and(self, other: Self) -> Self {
        Self { unified: self.unified && other.unified, plain: self.plain && other.plain, fast: self.fast && other.fast }
    }
}

impl fmt::Display for WrittenAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PlanNode for WrittenAs {
    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        self.plan.bind(cx, scores, boost)
    }

    fn type_name(&self) -> String {
        "ApproximateScoreQuery".to_owned()
    }

    fn written(&self) -> Option<&Plan> {
        Some(&self.plan)
    }

    fn judged_like(&self) -> Option<&Plan> {
        Some(&self.plan).filter(|plan| matches!(plan, Plan::Points(points) if points.approximate))
    }

    fn written_for(&self, plan: Plan) -> Option<Plan> {
        Some(Plan::custom(Self { text: self.text.clone(), plan, marks: self.marks.clone() }))
    }

    fn scored_through(&self) -> Vec<&Plan> {
        vec![&self.plan]
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.plan.clone()]
    }

    fn marks(&self) -> Option<&Marks> {
        self.marks.as_ref()
    }

    fn simplify(&self) -> Option<Plan> {
        Some(self.plan.clone().simplify())
    }
}

/// See [`Plan::shown_as`].
#[derive(Clone, Debug)]
struct ShownAs {
    text: String,
    plan: Plan,
    like: Option<Plan>,
    explained: Option<String>,
    /// What stands in its place where it is simplified.
    rewritten: Option<Plan>,
}

impl fmt::Display for ShownAs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ShownAs {
    /// What its text says that values are asked for, where terms or values are.
    fn of_values(&self) -> Option<&str> {
        let (_, of_values) = self.text.strip_suffix("))")?.split_once(", dvQuery=ConstantScore(")?;
        Some(of_values)
    }
}

impl PlanNode for ShownAs {
    fn weight(&self, cx: &WeightContext, scores: bool, boost: f32) -> Result<Box<dyn Weight>> {
        if let (Plan::Constant(inner), Some(explained), None) = (&self.plan, &self.explained, &cx.profiler) {
            return Ok(Box::new(ConstantWeight::over(inner.bind(cx, false, 1.0)?, explained.clone(), boost)));
        }
        match (&self.plan, &cx.profiler) {
            // The reference weighs terms against values, which are the ones that its profiles show.
            (Plan::Constant(inner), Some(profiler)) if matches!(**inner, Plan::MultiTerm(_)) => {
                let inner = profile::of_values(inner, self.of_values(), cx, profiler)?;
                Ok(Box::new(ConstantWeight::over(inner, self.plan.to_string(), boost)))
            }
            // The same of addresses, which are points beside these.
            (Plan::MultiTerm(terms), Some(profiler)) => {
                let of_values = terms.text.strip_prefix("ConstantScore(").and_then(|rest| rest.strip_suffix(')'));
                if let Some(of_values) = of_values {
                    let name = "MultiTermQueryDocValuesWrapper".to_owned();
                    profiler.enter(name, of_values.to_owned(), || Ok(()))?;
                }
                self.plan.bind(cx, scores, boost)
            }
            // What finds the documents whose sources it reads shows below it.
            (Plan::Constant(inner), Some(_)) if self.phrase_in_sources().is_some() => {
                if let Some(Plan::Phrase { field, positions, .. }) = self.phrase_in_sources() {
                    // What is required at several places is asked for once.
                    let mut asked: Vec<&[Vec<u8>]> = vec![];
                    for position in positions.iter().filter(|position| !position.terms.is_empty()) {
                        if asked.contains(&&position.terms[..]) {
                            continue;
                        }
                        asked.push(&position.terms);
                        let mut terms: Vec<Plan> =
                            position.terms.iter().map(|term| Plan::term(field, term.clone())).collect();
                        let one = match terms.len() {
                            1 => terms.remove(0),
                            _ => Plan::Bool(BoolPlan { should: terms, ..BoolPlan::default() }),
                        };
                        drop(one.weight(cx, false, 1.0)?);
                    }
                }
                let text = self.explained.as_ref().unwrap_or(&self.text).clone();
                let unseen =
                    WeightContext { faults: cx.faults.clone(), ..WeightContext::new(cx.snapshot, cx.similarities) };
                let inner = inner.bind(&unseen, false, 1.0)?;
                Ok(Box::new(ConstantWeight::over(inner, text, boost)))
            }
            // Explained as what is shown.
            (Plan::Constant(inner), _) if self.phrase_in_sources().is_some() => {
                Ok(Box::new(ConstantWeight::over(inner.bind(cx, false, 1.0)?, self.text.clone(), boost)))
            }
            (plan, _) => plan.bind(cx, scores, boost),
        }
    }

    fn phrase_in_sources(&self) -> Option<&Plan> {
        match &self.plan {
            Plan::Constant(inner) if matches!(**inner, Plan::Phrase { .. }) => Some(inner),
            _ => None,
        }
    }

    fn type_name(&self) -> String {
        match &self.plan {
            _ if self.phrase_in_sources().is_some() => "SourceFieldMatchQuery".to_owned(),
            Plan::Points(_) if self.text.contains(": [") => "SortedNumericDocValuesSetQuery".to_owned(),
            Plan::Points(_) => class_in(&self.text, "SortedNumericDocValuesRangeQuery"),
            Plan::MultiTerm(terms) if self.text.starts_with(&format!("{}:", terms.field)) => {
                class_in(&self.text, "MultiTermQueryConstantScoreWrapper")
            }
            // What stands below a flat object goes by the name of a field behind that of the object.
            Plan::MultiTerm(_) => class_in(&self.text, "MultiTermQueryConstantScoreBlendedWrapper"),
            Plan::Term { .. } => class_in(&self.text, "TermQuery"),
            _ => class_in(&self.text, "IndexOrDocValuesQuery"),
        }
    }

    fn scored_through(&self) -> Vec<&Plan> {
        vec![&self.plan]
    }

    fn highlighted(&self) -> Vec<Plan> {
        vec![self.plan.clone()]
    }

    fn shown(&self) -> Option<&Plan> {
        Some(&self.plan)
    }

    fn judged_like(&self) -> Option<&Plan> {
        self.like.as_ref()
    }

    fn simplify(&self) -> Option<Plan> {
        self.rewritten.clone()
    }

    fn rewritten_into(&self, rewritten: Plan) -> Option<Plan> {
        Some(Plan::custom(Self { rewritten: Some(rewritten), ..self.clone() }))
    }
}

/// Where scorers, which cannot fail, leave what went wrong; the search looks after each stretch. The first error stays.
#[derive(Clone, Debug, Default)]
pub struct Faults(Rc<RefCell<Option<Error>>>);

impl Faults {
    pub fn report(&self, error: Error) {
        self.0.borrow_mut().get_or_insert(error);
    }

    /// Whether somebody beside those who ask may report: a search has scripts, or else nothing of it can fail.
    pub fn is_shared(&self, owners: usize) -> bool {
        Rc::strong_count(&self.0) > owners
    }

    /// Hands over the error if there is one.
    pub fn check(&self) -> Result<()> {
        match self.0.borrow_mut().take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

//! Text to plans, by a field's analyzer: what all queries of the match family share.

use super::PlanContext;
use super::analyzed::{Positions, Words, analyze, analyze_noting};
use super::as_mapped::boosted_by_mapping;
use super::as_you_type;
use super::bool_query::check_clauses;
use super::fields;
use super::fuzziness::Fuzziness;
use super::graph::Graph;
use super::graph_text::graph_plan;
use super::minimum_should_match::minimum;
use super::node::Node;
use super::phrase_prefix::phrase_prefix;
use super::prefix::{prefix_plan, prefix_terms};
use super::rewrite::Rewrite;
use super::term_scan::{FuzzyOptions, fuzzy_plan, rewritten_fuzzy, written_term};
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Family, Field, Indexed, SearchAsYouType, completion_keys};
use crate::score::{BoolPlan, PhrasePosition, Plan};
use crate::segment::SegmentView;
use smallvec::smallvec;
use std::sync::Arc;

/// How analysed text becomes a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Boolean,
    Phrase,
    PhrasePrefix,
    /// Like `Boolean`, with the last term as a prefix.
    BooleanPrefix,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operator {
    Or,
    And,
}

impl Operator {
    pub fn parse(node: Node) -> Result<Self> {
        Self::of(&node.text()?).map_err(|error| error.at(node.pos()))
    }

    pub fn of(text: &str) -> Result<Self> {
        match text.to_ascii_uppercase().as_str() {
            "OR" => Ok(Self::Or),
            "AND" => Ok(Self::And),
            other => {
                Err(Error::illegal_argument(format!("No enum constant org.opensearch.index.query.Operator.{other}")))
            }
        }
    }
}

/// What a text without terms matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ZeroTerms {
    None,
    All,
    /// The text is left out of what it stands in; see [`is_dropped`].
    Drop,
}

/// What stands for a text without terms that is to be left out.
const DROPPED: &str = "dropped: no terms present";

/// Whether a plan is that of a text that has no terms, of a query that leaves those out.
pub fn is_dropped(plan: &Plan) -> bool {
    matches!(plan, Plan::Nothing(reason) if reason == DROPPED)
}

impl ZeroTerms {
    /// What a text is that has no terms.
    pub fn plan(self) -> Plan {
        match self {
            Self::None => Plan::nothing("Matching no documents because no terms present"),
            Self::All => Plan::All,
            Self::Drop => Plan::nothing(DROPPED),
        }
    }

    pub fn parse(node: Node) -> Result<Self> {
        let text = node.text()?;
        match text.to_ascii_lowercase().as_str() {
            "none" => Ok(Self::None),
            "all" => Ok(Self::All),
            _ => Err(node.error(format!("Unsupported zero_terms_query value [{text}]"))),
        }
    }
}

#[derive(Clone, Debug)]
pub struct TextOptions {
    pub operator: Operator,
    pub minimum_should_match: Option<String>,
    pub analyzer: Option<String>,
    pub fuzziness: Option<Fuzziness>,
    pub prefix_length: usize,
    pub max_expansions: usize,
    /// What is wrong with the options of fuzzy words, for queries in which nobody minds until there is one.
    pub refused_fuzzy: Option<&'static str>,
    /// A slop below none, for queries in which nobody minds until there is a phrase.
    pub refused_slop: Option<i32>,
    /// What is wrong with options that nobody looks at before the whole query has been read, by their keys.
    pub late: Vec<(&'static str, Error)>,
    pub transpositions: bool,
    pub fuzzy_rewrite: Rewrite,
    pub slop: u32,
    pub lenient: bool,
    pub zero_terms: ZeroTerms,
    /// Whether a synonym of several words is looked for as a phrase.
    pub synonyms_as_phrases: bool,
    /// Named in errors.
    pub query_name: &'static str,
}

impl TextOptions {
    pub fn new(query_name: &'static str) -> Self {
        Self {
            operator: Operator::Or,
            minimum_should_match: None,
            analyzer: None,
            fuzziness: None,
            prefix_length: 0,
            max_expansions: 50,
            refused_fuzzy: None,
            refused_slop: None,
            late: vec![],
            transpositions: true,
            fuzzy_rewrite: Rewrite::Default,
            slop: 0,
            lenient: false,
            zero_terms: ZeroTerms::None,
            synonyms_as_phrases: true,
            query_name,
        }
    }

    /// The value, or what stands for it until [`TextOptions::check_late`] tells what is wrong with it.
    pub fn late<T: Default>(&mut self, key: &'static str, value: Result<T>) -> T {
        self.late.retain(|(known, _)| *known != key);
        value.unwrap_or_else(|error| {
            self.late.push((key, error));
            T::default()
        })
    }

    /// The same with a slop that only phrases look at.
    pub fn with_slop(self, slop: i32) -> Self {
        let slop = u32::try_from(slop).map_err(|_| slop);
        Self { slop: slop.unwrap_or(0), refused_slop: slop.err(), ..self }
    }

    /// Refuses the first of these options with which something is wrong.
    pub fn check_late(&mut self, keys: &[&str]) -> Result<()> {
        let wrong = keys.iter().find_map(|key| self.late.iter().position(|(known, _)| known == key));
        wrong.map_or(Ok(()), |at| Err(self.late.swap_remove(at).1))
    }
}

/// `value` in the field called `name`.
pub fn text_plan(cx: &PlanContext, shape: Shape, name: &str, value: &Value, options: &TextOptions) -> Result<Plan> {
    let analyzer = named_analyzer(cx, options)?;
    let Some(field) = cx.field(name) else {
        return Ok(Plan::nothing(format!("unmapped fields [{name}]")));
    };
    lenient(&field.name, field_plan(cx, shape, field, value, analyzer, options), options)
}

/// Where values that do not fit a field are to be overlooked, what comes of one matches nothing.
pub fn lenient(name: &str, plan: Result<Plan>, options: &TextOptions) -> Result<Plan> {
    match plan {
        Err(error) if options.lenient && is_lenient(&error) && !is_of_minimum(&error, options) => Ok(Plan::nothing(
            format!("failed [{name}] query, caused by {}:[{}]", error.kind().type_name(), error.reason()),
        )),
        other => other,
    }
}

/// Whether it is the number of words to match that is no number.
fn is_of_minimum(error: &Error, options: &TextOptions) -> bool {
    let spec = options.minimum_should_match.as_deref();
    spec.is_some_and(|spec| minimum(1, spec).is_err_and(|wrong| wrong.reason() == error.reason()))
}

/// Whether an error comes of the value not fitting the field.
pub fn is_lenient(error: &Error) -> bool {
    let is_too_many = |error: &Error| error.kind() == ErrorKind::TooManyClauses;
    !is_too_many(error) && !error.cause().is_some_and(is_too_many)
}

/// The analyzer that a query names.
pub fn named_analyzer(cx: &PlanContext, options: &TextOptions) -> Result<Option<Arc<Analyzer>>> {
    let Some(name) = &options.analyzer else { return Ok(None) };
    match cx.mapping.analysis().analyzer(name) {
        Some(analyzer) => Ok(Some(analyzer)),
        None => Err(cx.error(format!("[{}] analyzer [{name}] not found", options.query_name))),
    }
}

fn field_plan(
    cx: &PlanContext,
    shape: Shape,
    field: &Field,
    value: &Value,
    named: Option<Arc<Analyzer>>,
    options: &TextOptions,
) -> Result<Plan> {
    let is_phrase = matches!(shape, Shape::Phrase | Shape::PhrasePrefix);
    let own = if is_phrase { field.search_quote_analyzer() } else { field.search_analyzer() };
    if let (None, Some(own), Some(completion)) = (&named, own, field.completion()) {
        // Inputs are terms as a whole.
        let keys: Words = completion_keys(own, &value.to_text(), completion).into();
        match shape {
            _ if keys.is_empty() => {}
            Shape::PhrasePrefix => return Err(no_phrase_prefix(field)),
            Shape::BooleanPrefix => return Err(fields::has_no_terms(cx, field, "prefix")),
            _ if options.fuzziness.is_some() => return Err(fields::no_fuzzy(field)),
            _ => {}
        }
        let positions = if keys.is_empty() { vec![] } else { vec![(0, keys)] };
        return positions_plan(cx, shape, field, Positions(positions, 0), options);
    }
    let whitespace = || cx.mapping.analysis().analyzer("whitespace");
    let analyzer = match (named, own, field.family()) {
        (Some(named), _, Family::Text) => Some(named),
        // Without terms in the index, values are looked for as what the analyzer makes of the text.
        (Some(named), _, Family::Keyword)
            if field.type_name != "wildcard" && matches!(field.spec.indexed, Indexed::Terms { .. }) =>
        {
            Some(named)
        }
        (Some(named), _, _) => return values_plan(cx, shape, field, &named, value, options),
        // What is no text there is analysed like one all the same.
        (
            None,
            _,
            Family::DocCount
            | Family::Source
            | Family::Feature
            | Family::Features
            | Family::Binary
            | Family::Percolator,
        ) => {
            let analysis = cx.mapping.analysis();
            let default = analysis.default_search_analyzer().unwrap_or_else(|| analysis.default_analyzer());
            return values_plan(cx, shape, field, &default, value, options);
        }
        (None, Some(own), Family::Text) => Some(own.clone()),
        (None, _, Family::Keyword) if field.splits_queries_on_whitespace() => whitespace(),
        _ => None,
    };
    match analyzer {
        Some(analyzer) => {
            let text = value.text();
            let (positions, is_graph, to_end) = analyze_noting(&analyzer, &text);
            let is_graph = is_graph && !analyzer.disables_graphs();
            if is_graph && matches!(field.spec.indexed, Indexed::Terms { .. }) {
                return graph_plan(cx, shape, field, &Graph::new(&analyzer, &text), options);
            }
            // Behind the last word the text goes on: it is finished, and no beginning of one. Of a graph nobody looks.
            let shape = if shape == Shape::BooleanPrefix && !to_end { Shape::Boolean } else { shape };
            positions_plan(cx, shape, field, positions, options)
        }
        None => exact_plan(cx, shape, field, value, options),
    }
}

/// The terms of an analyzer that a query names for a field of values: each is a value.
fn values_plan(
    cx: &PlanContext,
    shape: Shape,
    field: &Field,
    analyzer: &Analyzer,
    value: &Value,
    options: &TextOptions,
) -> Result<Plan> {
    let (Positions(positions, _), _, to_end) = analyze_noting(analyzer, &value.to_text());
    if positions.is_empty() {
        return positions_plan(cx, shape, field, Positions(positions, 0), options);
    }
    if matches!(shape, Shape::Phrase | Shape::PhrasePrefix) && positions.len() > 1 {
        match (field.family(), shape) {
            (Family::Completion, Shape::PhrasePrefix) => return Err(no_phrase_prefix(field)),
            (Family::Completion, _) => return Err(no_phrases(field, "phrase")),
            _ => check_positions(field)?,
        }
    }
    let last = positions.len() - 1;
    let one = |at: usize, term: String| match (shape, Value::String(term)) {
        (Shape::BooleanPrefix, value) if at == last && to_end => beginning(cx, field, &value),
        (Shape::BooleanPrefix, value) => exact_plan(cx, Shape::Boolean, field, &value, options),
        (shape, value) => exact_plan(cx, shape, field, &value, options),
    };
    let clauses = positions.into_iter().enumerate().map(|(at, (_, mut terms))| match (terms.len(), shape) {
        // A value that does not fit leaves the others as they are.
        (1, _) => lenient(&field.name, one(at, terms.remove(0)), options),
        (_, Shape::PhrasePrefix) => Err(no_phrase_prefix(field)),
        // Whether several fit nobody asks.
        _ => {
            let mut terms: Vec<Vec<u8>> = terms.into_iter().map(String::into_bytes).collect();
            terms.sort();
            Ok(Plan::Synonyms { field: field.name.clone(), terms })
        }
    });
    joined(cx, clauses.collect::<Result<_>>()?, options)
}

/// Values that begin with one.
fn beginning(cx: &PlanContext, field: &Field, value: &Value) -> Result<Plan> {
    fields::check_has_terms(cx, field, "prefix")?;
    let terms = prefix_terms(field, &normalize(field, &value.to_text()), false);
    fields::pattern_plan(cx, field, &Rewrite::Default, terms)
}

/// Fields without an analyzer: the whole value is the term.
fn exact_plan(cx: &PlanContext, shape: Shape, field: &Field, value: &Value, options: &TextOptions) -> Result<Plan> {
    let is_terms = matches!(field.family(), Family::Text | Family::Keyword) && field.type_name != "wildcard";
    // Of what is no text, only keywords are looked for by how they begin.
    let by_beginning = is_terms && field.type_name != "flat_object";
    if shape == Shape::PhrasePrefix || shape == Shape::BooleanPrefix && by_beginning {
        if shape == Shape::BooleanPrefix {
            return beginning(cx, field, value);
        }
        return Err(no_phrase_prefix(field));
    }
    match options.fuzziness {
        Some(_) if is_terms || fields::has_strings(field) => {
            Ok(one_position(cx, field, smallvec![normalize(field, &value.to_text())], options))
        }
        Some(_) => Err(fields::no_fuzzy(field)),
        None => fields::text_term(cx, field, value),
    }
}

fn no_phrase_prefix(field: &Field) -> Error {
    no_phrases(field, "phrase prefix")
}

fn no_phrases(field: &Field, kind: &str) -> Error {
    Error::illegal_argument(format!(
        "Can only use {kind} queries on text fields - not on [{}] which is of type [{}]",
        field.name, field.type_name
    ))
}

/// A text as the terms of the field are normalized, for prefixes and patterns that are not analysed as a whole.
pub fn normalize(field: &Field, text: &str) -> String {
    if let Some(normalizer) = field.normalizer() {
        return normalizer.normalize(text).into_owned();
    }
    field.search_analyzer().map_or_else(|| text.to_owned(), |analyzer| analyzer.normalize(text))
}

/// The same by the analyzer that a query names, if it does; what fields of values do to them comes after that.
pub fn normalize_as_named(cx: &PlanContext, field: &Field, text: &str, options: &TextOptions) -> Result<String> {
    let Some(analyzer) = named_analyzer(cx, options)? else { return Ok(normalize(field, text)) };
    let text = analyzer.normalize(text);
    Ok(match field.normalizer() {
        Some(normalizer) => normalizer.normalize(&text).into_owned(),
        None => text,
    })
}

/// The terms of an analysed text, the last one as what `prefix` makes of it. None if analysis leaves nothing of the text.
pub fn analyzed_prefix(
    cx: &PlanContext,
    field: &Field,
    text: &str,
    options: &TextOptions,
    prefix: &dyn Fn(&str) -> Result<Plan>,
) -> Result<Option<Plan>> {
    let named = named_analyzer(cx, options)?;
    let Some(analyzer) = named.or_else(|| field.search_analyzer().cloned()) else {
        return prefix(&normalize(field, text)).map(Some);
    };
    let mut positions = analyze(&analyzer, text).0;
    let Some((_, last)) = positions.pop() else { return Ok(None) };
    let mut clauses: Vec<Plan> =
        positions.into_iter().map(|(_, terms)| one_position(cx, field, terms, options)).collect();
    let mut prefixes = last.iter().map(|term| prefix(term)).collect::<Result<Vec<Plan>>>()?;
    clauses.push(if prefixes.len() == 1 { prefixes.remove(0) } else { fields::any(prefixes) });
    if clauses.len() == 1 {
        return Ok(clauses.pop());
    }
    check_clauses(cx, clauses.len())?;
    Ok(Some(match options.operator {
        Operator::And => Plan::Bool(BoolPlan { must: clauses, ..BoolPlan::default() }),
        Operator::Or => fields::any(clauses),
    }))
}

fn positions_plan(
    cx: &PlanContext,
    shape: Shape,
    field: &Field,
    positions: Positions,
    options: &TextOptions,
) -> Result<Plan> {
    let Positions(positions, trailing) = positions;
    if positions.is_empty() {
        return Ok(options.zero_terms.plan());
    }
    check_phrase(shape, field, &positions)?;
    if let Some(plan) = as_you_type::plan(cx, shape, field, &positions, trailing, options)? {
        return Ok(plan);
    }
    match shape {
        Shape::Boolean => boolean(cx, field, positions, false, options),
        Shape::BooleanPrefix => boolean(cx, field, positions, true, options),
        Shape::Phrase | Shape::PhrasePrefix
            if positions.len() > 1
                && let Some(slop) = options.refused_slop =>
        {
            Err(Error::illegal_argument(format!("Slop must be >= 0, got {slop}")))
        }
        Shape::Phrase if positions.len() > 1 => match pairs(cx, field, &positions, options.slop) {
            Some(plan) => Ok(plan),
            None => phrase(cx, field, positions, options.slop),
        },
        Shape::Phrase => boolean(cx, field, positions, false, options),
        Shape::PhrasePrefix => phrase_prefix(cx, field, positions, options),
    }
}

/// Fields that others are made of have no phrases themselves, and keywords no beginnings of phrases.
fn check_phrase(shape: Shape, field: &Field, positions: &[(u32, Words)]) -> Result<()> {
    let kind = match shape {
        Shape::Phrase if positions.len() > 1 => "phrase",
        Shape::PhrasePrefix => "phrase prefix",
        _ => return Ok(()),
    };
    // Of keywords a text of several words is refused for want of positions, be it that only one is left of them.
    let is_first = matches!(positions, [(0, _)]);
    let is_beginning = shape == Shape::PhrasePrefix && is_first && field.family() == Family::Keyword;
    if !matches!(field.type_name, "phrase" | "prefix") && !is_beginning {
        return Ok(());
    }
    Err(no_phrases(field, kind))
}

pub(super) fn boolean(
    cx: &PlanContext,
    field: &Field,
    mut positions: Vec<(u32, Words)>,
    last_is_prefix: bool,
    options: &TextOptions,
) -> Result<Plan> {
    fields::check_searchable(cx, field)?;
    if positions.len() == 1
        && !last_is_prefix
        && let Some((_, terms)) = positions.pop()
    {
        return Ok(one_position(cx, field, terms, options));
    }
    let last = if last_is_prefix { positions.pop() } else { None };
    let mut clauses: Vec<Plan> =
        positions.into_iter().map(|(_, terms)| one_position(cx, field, terms, options)).collect();
    // The last one is a beginning, unless it is one of several terms.
    if let Some((_, terms)) = last {
        clauses.push(match terms.as_slice() {
            [term] => prefix_plan(cx, field, term, false),
            _ => one_position(cx, field, terms, options),
        });
    }
    joined(cx, clauses, options)
}

/// Clauses as the operator joins them.
pub(super) fn joined(cx: &PlanContext, mut clauses: Vec<Plan>, options: &TextOptions) -> Result<Plan> {
    if clauses.len() == 1 {
        return Ok(clauses.remove(0));
    }
    joined_clauses(cx, clauses, options)
}

/// The same, where one clause alone is a clause, too.
pub(super) fn joined_clauses(cx: &PlanContext, clauses: Vec<Plan>, options: &TextOptions) -> Result<Plan> {
    check_clauses(cx, clauses.len())?;
    if options.operator == Operator::And {
        return all_of(clauses, options);
    }
    let minimum_should_match = match &options.minimum_should_match {
        Some(spec) => minimum(clauses.len(), spec)?,
        None => 0,
    };
    Ok(Plan::Bool(BoolPlan { should: clauses, minimum_should_match, ..BoolPlan::default() }))
}

/// All of the clauses. A plain number asks for optional ones that there are none of, so nothing matches.
pub fn all_of(must: Vec<Plan>, options: &TextOptions) -> Result<Plan> {
    let minimum_should_match = options.minimum_should_match.as_deref().map_or(Ok(0), |spec| minimum(0, spec))?;
    Ok(Plan::Bool(BoolPlan { must, minimum_should_match, ..BoolPlan::default() }))
}

pub(super) fn one_position(cx: &PlanContext, field: &Field, mut terms: Words, options: &TextOptions) -> Plan {
    match (terms.as_slice(), options.fuzziness) {
        ([term], Some(fuzziness)) => {
            let fuzzy = fuzzy_options(fuzziness, &written_term(field, term), options);
            match options.fuzzy_rewrite {
                Rewrite::Default => fuzzy_plan(cx, field, term, fuzzy),
                ref rewrite => rewritten_fuzzy(cx, field, term, fuzzy, rewrite)
                    .unwrap_or_else(|error| Plan::nothing(error.reason())),
            }
        }
        ([term], None) if field.family() == Family::Keyword && !field.uses_similarity() => {
            // Whatever made the term, the field normalizes it.
            boosted_by_mapping(field, Plan::term(&field.name, normalize(field, term)).constant())
        }
        ([_], None) if field.scores_alike() => Plan::term(&field.name, terms.swap_remove(0)),
        ([_], None) => boosted_by_mapping(field, Plan::term(&field.name, terms.swap_remove(0))),
        _ => {
            let mut terms: Vec<Vec<u8>> = terms.into_iter().map(String::into_bytes).collect();
            terms.sort();
            Plan::Synonyms { field: field.name.clone(), terms }
        }
    }
}

fn fuzzy_options(fuzziness: Fuzziness, term: &str, options: &TextOptions) -> FuzzyOptions {
    FuzzyOptions {
        edits: fuzziness.edits(term),
        prefix_length: options.prefix_length,
        max_expansions: options.max_expansions,
        transpositions: options.transpositions,
    }
}

pub fn check_positions(field: &Field) -> Result<()> {
    match field.spec.indexed {
        Indexed::Terms { positions: true, .. } => Ok(()),
        _ => Err(Error::new(
            ErrorKind::IllegalState,
            format!("field:[{}] was indexed without position data; cannot run PhraseQuery", field.name),
        )),
    }
}

pub fn phrase_positions(positions: Vec<(u32, Words)>) -> Vec<PhrasePosition> {
    (positions.into_iter())
        .map(|(position, terms)| PhrasePosition {
            position,
            terms: terms.into_iter().map(String::into_bytes).collect(),
            completed: false,
            alternatives: false,
        })
        .collect()
}

pub fn phrase(cx: &PlanContext, field: &Field, positions: Vec<(u32, Words)>, slop: u32) -> Result<Plan> {
    fields::check_sources(cx, field)?;
    check_positions(field)?;
    let as_typed = field.type_name == SearchAsYouType::NAME;
    let mut positions = phrase_positions(positions);
    positions.iter_mut().for_each(|position| position.alternatives = as_typed);
    let plan = Plan::Phrase { field: field.name.clone(), positions: positions.into(), slop };
    // Fields that are searched as one types have their phrases rewritten where they are made.
    Ok(if as_typed { plan.simplify() } else { plan })
}

/// Most pairs of words that stand for a phrase.
const PAIRS_MAX: usize = 1024;

/// A phrase without gaps as the phrase of its pairs of words, where the field has them indexed.
pub(super) fn pairs(cx: &PlanContext, field: &Field, positions: &[(u32, Words)], slop: u32) -> Option<Plan> {
    let pairs = field.pairs_field().filter(|_| slop == 0)?;
    if positions.iter().enumerate().any(|(at, (position, _))| *position as usize != at) {
        return None;
    }
    // Segments may be older than what is known here of the pairs.
    let lacks = |view: &SegmentView| {
        let stats = |name: &str| view.segment.field(name).map(|field| field.stats());
        stats(&pairs).is_none()
            && stats(&field.name).is_some_and(|stats| stats.sum_total_term_freq > u64::from(stats.doc_count))
    };
    if cx.snapshot.segments.iter().any(lacks) {
        return None;
    }
    let both = positions.windows(2).map(|two| {
        let second = |first: &String| two[1].1.iter().map(|second| format!("{first} {second}")).collect::<Vec<_>>();
        (two[0].0, two[0].1.iter().flat_map(second).collect::<Words>())
    });
    let both: Vec<(u32, Words)> = both.collect();
    if both.iter().map(|(_, terms)| terms.len()).sum::<usize>() > PAIRS_MAX {
        return None;
    }
    let term = |term: &String| Plan::term(&pairs, term.as_bytes());
    Some(match both.as_slice() {
        [(_, only)] if only.len() == 1 => term(&only[0]).written_as(format!("{pairs}:\"{}\"", only[0])),
        [(_, several)] => Plan::Bool(BoolPlan { should: several.iter().map(term).collect(), ..BoolPlan::default() }),
        _ => Plan::Phrase { field: pairs, positions: phrase_positions(both).into(), slop: 0 },
    })
}

//! The rules that yield intervals.

use super::filter::Filter;
use crate::analysis::Analyzer;
use crate::error::{Error, ErrorKind, Result};
use crate::mapping::{Field, Indexed};
use crate::query::PlanContext;
use crate::query::analyzed::{Words, analyze_graph};
use crate::query::bool_query::too_many;
use crate::query::fuzziness::Fuzziness;
use crate::query::fuzzy::NEGATIVE_PREFIX;
use crate::query::graph::{Graph, Path, Stretch};
use crate::query::prefix::{indexed_beginnings, prefix_terms};
use crate::query::regexp::{self, Expression, Flags, regexp_terms};
use crate::query::term_scan::{FuzzyOptions, fuzzy_terms, nearby};
use crate::query::text::normalize;
use crate::query::wildcard::wildcard_terms;
use crate::score::intervals::Source;
use crate::score::{MultiTerm, TermSet};
use smallvec::smallvec;
use std::sync::Arc;

/// How sources are put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Ordered,
    Unordered,
    UnorderedNoOverlap,
}

#[derive(Debug)]
pub enum Rule {
    Match { query: String, max_gaps: i32, mode: Mode, options: Options, filter: Option<Filter> },
    Prefix(Pattern),
    Wildcard(Pattern),
    Regexp { pattern: Pattern, flags: Flags, case_insensitive: bool },
    Fuzzy { pattern: Pattern, prefix_length: i32, transpositions: bool, fuzziness: Fuzziness },
    AllOf { rules: Vec<Rule>, max_gaps: i32, mode: Mode, filter: Option<Filter> },
    AnyOf { rules: Vec<Rule>, filter: Option<Filter> },
}

#[derive(Debug, Default)]
pub struct Options {
    pub analyzer: Option<String>,
    pub use_field: Option<String>,
}

#[derive(Debug)]
pub struct Pattern {
    pub text: String,
    /// What is no positive number asks for as many as without it.
    pub max_expansions: Option<i32>,
    pub options: Options,
}

const EXPANSIONS: i32 = 128;

impl Rule {
    /// Names of the other fields that are looked at, but for those of filters.
    pub fn fields<'a>(&'a self, out: &mut Vec<&'a str>) {
        match self {
            Self::Match { options, .. } => out.extend(options.use_field.as_deref()),
            Self::Prefix(pattern) | Self::Wildcard(pattern) => out.extend(pattern.options.use_field.as_deref()),
            Self::Regexp { pattern, .. } | Self::Fuzzy { pattern, .. } => {
                out.extend(pattern.options.use_field.as_deref());
            }
            Self::AllOf { rules, .. } | Self::AnyOf { rules, .. } => rules.iter().for_each(|rule| rule.fields(out)),
        }
    }

    pub fn source(&self, cx: &PlanContext, field: &Field) -> Result<Source> {
        let mut of = field;
        let (source, filter) = match self {
            Self::AllOf { rules, max_gaps, mode, filter } => {
                let sources = rules.iter().map(|rule| rule.source(cx, field)).collect::<Result<_>>()?;
                (combine(cx, sources, *max_gaps, *mode)?, filter)
            }
            Self::AnyOf { rules, filter } => {
                let mut sources: Vec<Source> =
                    rules.iter().map(|rule| rule.source(cx, field)).collect::<Result<_>>()?;
                let source = if sources.len() == 1 { sources.remove(0) } else { Source::any(sources) };
                (source, filter)
            }
            Self::Match { options, filter, .. } => {
                // What the filter says is read as texts of the field that the rule names are.
                of = options.use_field.as_ref().and_then(|name| cx.field(name)).unwrap_or(field);
                (self.in_field(cx, field, options)?, filter)
            }
            Self::Prefix(pattern) | Self::Wildcard(pattern) => (self.in_field(cx, field, &pattern.options)?, &None),
            Self::Regexp { pattern, .. } | Self::Fuzzy { pattern, .. } => {
                (self.in_field(cx, field, &pattern.options)?, &None)
            }
        };
        match filter {
            Some(filter) => filter.apply(cx, of, source),
            None => Ok(source),
        }
    }

    /// A rule of terms, in the field that it names.
    fn in_field(&self, cx: &PlanContext, field: &Field, options: &Options) -> Result<Source> {
        let own = options.use_field.as_ref().map(|name| cx.field(name).ok_or_else(|| self.no_field())).transpose()?;
        let of = own.unwrap_or(field);
        check_field(of, self.is_of_text())?;
        let source = match self {
            Self::Match { query, max_gaps, mode, options, .. } => {
                let analyzer = analyzer(cx, of, options)?;
                combine(cx, texts(cx, &analyzer, query)?, *max_gaps, *mode)?
            }
            Self::Prefix(pattern) => {
                let text = match pattern.options.analyzer {
                    Some(_) => analyzer(cx, of, &pattern.options)?.normalize(&pattern.text),
                    None => normalize(of, &pattern.text),
                };
                pattern.prefix(cx, of, &text)?
            }
            Self::Wildcard(pattern) => {
                let text = pattern.normalized(cx, of)?;
                pattern.multi(cx, wildcard_terms(of, &text, false), text)?
            }
            Self::Regexp { pattern, flags, case_insensitive } => {
                let expression = Expression {
                    flags: *flags,
                    case_insensitive: *case_insensitive,
                    ..Expression::new(pattern.text.clone())
                };
                pattern.multi(cx, regexp_terms(of, &expression)?, regexp::written(&expression)?)?
            }
            Self::Fuzzy { pattern, prefix_length, transpositions, fuzziness } => {
                let text = pattern.normalized(cx, of)?;
                let prefix_length =
                    usize::try_from(*prefix_length).map_err(|_| Error::illegal_argument(NEGATIVE_PREFIX))?;
                let options = FuzzyOptions {
                    edits: fuzziness.edits(&text),
                    prefix_length,
                    max_expansions: EXPANSIONS as usize,
                    transpositions: *transpositions,
                };
                let found = fuzzy_terms(cx, &of.name, &text, options, usize::MAX);
                let set = TermSet::Terms(found.into_iter().map(|term| term.found.term).collect());
                let sought = Some(nearby(&text, options));
                let terms = MultiTerm { field: of.name.clone(), set, text };
                // Shown as it was asked, though it is sought as the analyzer writes it.
                let max_expansions = EXPANSIONS as usize;
                Source::Multi { terms, sought, text: pattern.text.clone(), max_expansions }
            }
            Self::AllOf { .. } | Self::AnyOf { .. } => Source::Nothing("no terms".to_owned()),
        };
        Ok(match own {
            Some(own) => Source::Field(own.name.clone(), Box::new(source)),
            None => source,
        })
    }

    /// Whether it looks for what a text is analyzed to.
    fn is_of_text(&self) -> bool {
        matches!(self, Self::Match { .. } | Self::Prefix(_))
    }

    /// What the reference trips over where a filter names a field that there is not: elsewhere it looks beforehand.
    fn no_field(&self) -> Error {
        let reason = match self.is_of_text() {
            true => {
                "Cannot invoke \"org.opensearch.index.mapper.MappedFieldType.intervals(String, int, \
                 org.opensearch.index.query.IntervalMode, org.opensearch.index.analysis.NamedAnalyzer, boolean)\" \
                 because \"fieldType\" is null"
            }
            false => {
                "Cannot invoke \"org.opensearch.index.mapper.MappedFieldType.getTextSearchInfo()\" because \"type\" is null"
            }
        };
        Error::new(ErrorKind::NullPointer, reason)
    }
}

/// Whether intervals can stand in a field: texts and prefixes only in those of type text, what is looked up among terms wherever
/// these have positions.
fn check_field(field: &Field, is_text: bool) -> Result<()> {
    let of_text = field.derived.is_none() && matches!(field.type_name, "text" | "match_only_text");
    if is_text && !of_text {
        return Err(Error::illegal_argument(format!(
            "Can only use interval queries on text fields - not on [{}] which is of type [{}]",
            field.name, field.type_name
        )));
    }
    let positions = matches!(field.spec.indexed, Indexed::Terms { positions: true, .. });
    if !positions || field.type_name == "match_only_text" {
        let reason = format!("Cannot create intervals over field [{}] with no positions indexed", field.name);
        return Err(Error::illegal_argument(reason));
    }
    Ok(())
}

impl Pattern {
    /// The terms that begin with `text`, by the field of beginnings where one has them.
    fn prefix(&self, cx: &PlanContext, field: &Field, text: &str) -> Result<Source> {
        let term = || Source::Term(text.as_bytes().to_vec());
        // The reference goes by the bytes of the text, whatever their characters are.
        let beginnings = indexed_beginnings(cx, field).filter(|(_, lengths)| text.len() <= *lengths.end());
        Ok(match beginnings {
            Some((name, lengths)) if lengths.contains(&text.len()) => {
                Source::Field(name.as_str().into(), Box::new(term()))
            }
            Some((name, lengths)) => {
                let longer = format!("{text}{}", "?".repeat(lengths.start() - text.len()));
                let Some(beginnings) = cx.field(&name) else { return Ok(term()) };
                let found = self.multi(cx, wildcard_terms(beginnings, &longer, false), longer)?;
                Source::any(vec![Source::Field(beginnings.name.clone(), Box::new(found)), term()])
            }
            None => self.multi(cx, prefix_terms(field, text, false), format!("{text}*"))?,
        })
    }

    /// The text as terms are written: by the analyzer that was named, which has to be there, or as the field has it.
    fn normalized(&self, cx: &PlanContext, field: &Field) -> Result<String> {
        let Some(name) = &self.options.analyzer else { return Ok(normalize(field, &self.text)) };
        let reason = "Cannot invoke \"org.opensearch.index.analysis.NamedAnalyzer.normalize(String, String)\" because \
                      \"analyzer\" is null";
        let analyzer = cx.mapping.analysis().analyzer(name);
        Ok(analyzer.ok_or_else(|| Error::new(ErrorKind::NullPointer, reason))?.normalize(&self.text))
    }

    fn multi(&self, cx: &PlanContext, terms: MultiTerm, text: String) -> Result<Source> {
        let (asked, most) =
            (self.max_expansions.filter(|most| *most > 0).unwrap_or(EXPANSIONS), cx.limits.max_clause_count);
        match asked as usize {
            max_expansions if max_expansions > most => Err(Error::illegal_argument(format!(
                "maxExpansions [{asked}] cannot be greater than BooleanQuery.getMaxClauseCount [{most}]"
            ))),
            max_expansions => Ok(Source::Multi { terms, sought: None, text, max_expansions }),
        }
    }
}

/// The analyzer that was named, if there is one of the name, or that of the field.
fn analyzer(cx: &PlanContext, field: &Field, options: &Options) -> Result<Arc<Analyzer>> {
    let named = options.analyzer.as_ref().and_then(|name| cx.mapping.analysis().analyzer(name));
    let found = named.or_else(|| field.search_analyzer().cloned());
    let keyword = || cx.mapping.analysis().analyzer("keyword");
    found.or_else(keyword).ok_or_else(|| Error::new(ErrorKind::IllegalState, "no analyzer for intervals"))
}

/// The terms of a text; what has several ways through it is any of these.
fn texts(cx: &PlanContext, analyzer: &Analyzer, text: &str) -> Result<Vec<Source>> {
    let (positions, is_graph) = analyze_graph(analyzer, text);
    if !is_graph {
        return Ok(terms(positions));
    }
    let most = cx.limits.max_clause_count;
    let mut out = vec![];
    for stretch in Graph::new(analyzer, text).stretches(most).ok_or_else(|| too_many(cx))? {
        match stretch {
            // Of words that stand beside each other, with no other way around them, the reference takes the first one alone.
            Stretch::Terms(mut beside) => {
                beside.truncate(1);
                out.extend(terms(vec![(0, beside.into())]));
            }
            Stretch::Paths(paths) => {
                let path = |path: Path| {
                    let words = path.into_iter().map(|(position, term)| (position, smallvec![term])).collect();
                    combine(cx, terms(words), 0, Mode::Ordered)
                };
                out.push(Source::any(paths.into_iter().map(path).collect::<Result<_>>()?));
            }
        }
    }
    Ok(out)
}

/// Terms by their positions; holes that removed terms leave are kept in front of the next one.
fn terms(positions: Vec<(u32, Words)>) -> Vec<Source> {
    let mut expected = 0;
    let mut out = vec![];
    for (position, terms) in positions {
        let mut sources: Vec<Source> = terms.into_iter().map(|term| Source::Term(term.into_bytes())).collect();
        let source = if sources.len() == 1 { sources.remove(0) } else { Source::any(sources) };
        let holes = position.saturating_sub(expected) as i32;
        out.push(match holes {
            0 => source,
            before => Source::Extend { source: Box::new(source), before, after: 0 },
        });
        expected = position + 1;
    }
    // A term alone is a term.
    match out.as_slice() {
        [Source::Extend { source, .. }] if matches!(**source, Source::Term(_)) => vec![(**source).clone()],
        _ => out,
    }
}

fn combine(cx: &PlanContext, mut sources: Vec<Source>, max_gaps: i32, mode: Mode) -> Result<Source> {
    let most = cx.limits.max_clause_count;
    match sources.len() {
        0 => return Ok(Source::Nothing("No intervals".to_owned())),
        1 => return Ok(sources.remove(0)),
        _ => {}
    }
    if max_gaps == 0 && mode == Mode::Ordered {
        return Source::block(sources, most);
    }
    let inner = match mode {
        Mode::Ordered => Source::ordered(sources),
        Mode::Unordered => Source::unordered(sources),
        Mode::UnorderedNoOverlap => return Source::apart(sources, max_gaps, most),
    };
    if max_gaps == -1 { Ok(inner) } else { inner.with_gaps(max_gaps, most) }
}

//! The rules that yield intervals.

use super::filter::Filter;
use crate::analysis::Analyzer;
use crate::deprecated::note;
use crate::did_you_mean;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::{Field, Indexed};
use crate::query::PlanContext;
use crate::query::analyzed::{Words, analyze_graph};
use crate::query::bool_query::too_many;
use crate::query::declared::unbuildable;
use crate::query::fuzziness::{AUTO, Fuzziness};
use crate::query::graph::{Graph, Path, Stretch};
use crate::query::node::{self, Node};
use crate::query::prefix::{beginnings_of, prefix_terms};
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
    Match { query: String, max_gaps: i32, mode: Mode, options: Options },
    Prefix(Pattern),
    Wildcard(Pattern),
    Regexp { pattern: Pattern, flags: Flags, case_insensitive: bool },
    Fuzzy { pattern: Pattern, prefix_length: usize, transpositions: bool, fuzziness: Fuzziness },
    AllOf { rules: Vec<Rule>, max_gaps: i32, mode: Mode, filter: Option<Filter> },
    AnyOf { rules: Vec<Rule>, filter: Option<Filter> },
}

#[derive(Debug, Default)]
pub struct Options {
    analyzer: Option<String>,
    use_field: Option<String>,
    filter: Option<Filter>,
}

#[derive(Debug)]
pub struct Pattern {
    text: String,
    max_expansions: Option<i32>,
    case_insensitive: bool,
    options: Options,
}

const EXPANSIONS: i32 = 128;

impl Rule {
    pub fn parse(name: &str, pos: u32, node: Node) -> Result<Self> {
        let parsed = match name {
            "match" => parse_match,
            "all_of" => parse_all_of,
            "any_of" => parse_any_of,
            "prefix" => parse_prefix,
            "wildcard" => parse_wildcard,
            "regexp" => parse_regexp,
            "fuzzy" => parse_fuzzy,
            _ => {
                let reason = format!(
                    "Unknown interval type [{name}], expecting one of [match, any_of, all_of, prefix, wildcard, regexp]"
                );
                return Err(node.error_at(pos, reason));
            }
        };
        if !matches!(node.value, Value::Object(_)) {
            let (at, token) = (node.location(node.pos()), node.token());
            let reason = format!("{at} [{name}] Expected START_OBJECT but was: {token}");
            return Err(Error::new(ErrorKind::XContentParse, reason));
        }
        node.nested(|| parsed(node))
    }

    /// Names of the other fields that are looked at.
    pub fn fields<'a>(&'a self, out: &mut Vec<&'a str>) {
        let mut options = |options: &'a Options| {
            out.extend(options.use_field.as_deref());
            if let Some(filter) = &options.filter {
                filter.fields(out);
            }
        };
        match self {
            Self::Match { options: given, .. } => options(given),
            Self::Prefix(pattern) | Self::Wildcard(pattern) => options(&pattern.options),
            Self::Regexp { pattern, .. } | Self::Fuzzy { pattern, .. } => options(&pattern.options),
            Self::AllOf { rules, filter, .. } | Self::AnyOf { rules, filter } => {
                rules.iter().for_each(|rule| rule.fields(out));
                if let Some(filter) = filter {
                    filter.fields(out);
                }
            }
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
            Self::Match { options, .. } => {
                // What the filter says is read as texts of the field that the rule names are.
                of = options.use_field.as_ref().and_then(|name| cx.field(name)).unwrap_or(field);
                (self.in_field(cx, field, options)?, &options.filter)
            }
            Self::Prefix(pattern) | Self::Wildcard(pattern) => {
                (self.in_field(cx, field, &pattern.options)?, &pattern.options.filter)
            }
            Self::Regexp { pattern, .. } | Self::Fuzzy { pattern, .. } => {
                (self.in_field(cx, field, &pattern.options)?, &pattern.options.filter)
            }
        };
        match filter {
            Some(filter) => filter.apply(cx, of, source),
            None => Ok(source),
        }
    }

    /// A rule of terms, in the field that it names.
    fn in_field(&self, cx: &PlanContext, field: &Field, options: &Options) -> Result<Source> {
        let own = options.use_field.as_ref().and_then(|name| cx.field(name));
        let of = own.unwrap_or(field);
        check_field(of, matches!(self, Self::Match { .. } | Self::Prefix(_)))?;
        let source = match self {
            Self::Match { query, max_gaps, mode, options } => {
                let analyzer = analyzer(cx, of, options)?;
                combine(cx, texts(cx, &analyzer, query)?, *max_gaps, *mode)?
            }
            Self::Prefix(pattern) => {
                let text = pattern.normalized(cx, of)?;
                pattern.prefix(cx, of, &text)
            }
            Self::Wildcard(pattern) => {
                let text = pattern.normalized(cx, of)?;
                let terms = wildcard_terms(of, &text, pattern.case_insensitive);
                pattern.multi(terms, text)
            }
            Self::Regexp { pattern, flags, case_insensitive } => {
                let expression = Expression {
                    flags: *flags,
                    case_insensitive: *case_insensitive,
                    ..Expression::new(pattern.text.clone())
                };
                pattern.multi(regexp_terms(of, &expression)?, regexp::written(&expression)?)
            }
            Self::Fuzzy { pattern, prefix_length, transpositions, fuzziness } => {
                let text = pattern.normalized(cx, of)?;
                let options = FuzzyOptions {
                    edits: fuzziness.edits(&text),
                    prefix_length: *prefix_length,
                    max_expansions: EXPANSIONS as usize,
                    transpositions: *transpositions,
                };
                let found = fuzzy_terms(cx, &of.name, &text, options, usize::MAX);
                let set = TermSet::Terms(found.into_iter().map(|term| term.found.term).collect());
                let sought = Some(nearby(&text, options));
                let terms = MultiTerm { field: of.name.clone(), set, text };
                // Shown as it was asked, though it is sought as the analyzer writes it.
                Source::Multi { terms, sought, text: pattern.text.clone(), max_expansions: pattern.max_expansions() }
            }
            Self::AllOf { .. } | Self::AnyOf { .. } => Source::Nothing("no terms".to_owned()),
        };
        Ok(match own {
            Some(own) => Source::Field(own.name.clone(), Box::new(source)),
            None => source,
        })
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
    fn prefix(&self, cx: &PlanContext, field: &Field, text: &str) -> Source {
        let term = || Source::Term(text.as_bytes().to_vec());
        match beginnings_of(cx, field, text) {
            Some(of) if of.fits() => Source::Field(of.field.as_str().into(), Box::new(term())),
            Some(of) => {
                let one_more = format!("{text}?");
                let Some(beginnings) = cx.field(&of.field) else { return term() };
                let longer = self.multi(wildcard_terms(beginnings, &one_more, false), one_more);
                Source::any(vec![Source::Field(beginnings.name.clone(), Box::new(longer)), term()])
            }
            None => self.multi(prefix_terms(field, text, false), format!("{text}*")),
        }
    }

    fn normalized(&self, cx: &PlanContext, field: &Field) -> Result<String> {
        if self.options.analyzer.is_some() {
            return Ok(analyzer(cx, field, &self.options)?.normalize(&self.text));
        }
        Ok(normalize(field, &self.text))
    }

    fn multi(&self, terms: MultiTerm, text: String) -> Source {
        Source::Multi { terms, sought: None, text, max_expansions: self.max_expansions() }
    }

    fn max_expansions(&self) -> usize {
        self.max_expansions.unwrap_or(EXPANSIONS).max(0) as usize
    }
}

fn analyzer(cx: &PlanContext, field: &Field, options: &Options) -> Result<Arc<Analyzer>> {
    let found = match &options.analyzer {
        Some(name) => match cx.mapping.analysis().analyzer(name) {
            Some(analyzer) => return Ok(analyzer),
            None => return Err(Error::illegal_argument(format!("analyzer [{name}] not found"))),
        },
        None => field.search_analyzer().cloned(),
    };
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
    if max_gaps < 0 { Ok(inner) } else { inner.with_gaps(max_gaps, most) }
}

fn mode_of(node: Node) -> Result<Mode> {
    match node.text()?.to_lowercase().as_str() {
        "ordered" => Ok(Mode::Ordered),
        "unordered" => Ok(Mode::Unordered),
        "unordered_no_overlap" => Ok(Mode::UnorderedNoOverlap),
        other => {
            let cause = Error::illegal_argument(format!("no mode can be parsed from ordinal {other}"));
            Err(unbuildable("match", cause).at(node.pos()))
        }
    }
}

fn unknown(node: Node, pos: u32, parser: &str, key: &str) -> Error {
    let at = node.location(pos);
    let known: &[&str] = match parser {
        "match" => &["query", "max_gaps", "ordered", "mode", "analyzer", "filter", "use_field"],
        "all_of" => &["intervals", "ordered", "mode", "max_gaps", "filter"],
        "any_of" => &["intervals", "filter"],
        "prefix" => &["prefix", "analyzer", "use_field", "max_expansions"],
        "wildcard" => &["pattern", "analyzer", "use_field", "max_expansions"],
        "regexp" => &["pattern", "flags", "flags_value", "use_field", "max_expansions", "case_insensitive"],
        _ => &["term", "prefix_length", "transpositions", "fuzziness", "analyzer", "use_field"],
    };
    let known = did_you_mean::suffix(key, known.iter().copied());
    let error = Error::new(ErrorKind::XContentParse, format!("{at} [{parser}] unknown field [{key}]{known}"));
    match node.fields().find(|field| field.key_pos == pos) {
        Some(field) => error.at(field.node.pos()),
        None => error,
    }
}

/// Refuses a value of a type that the key cannot have.
fn check_type(parser: &str, key: &str, node: Node) -> Result<()> {
    let fine = match key {
        "query" | "mode" | "analyzer" | "use_field" | "prefix" | "pattern" | "term" => {
            matches!(node.value, Value::String(_))
        }
        "max_gaps" | "max_expansions" | "prefix_length" | "flags_value" => {
            !matches!(node.value, Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_))
        }
        "filter" => matches!(node.value, Value::Object(_)),
        "ordered" | "transpositions" | "case_insensitive" => matches!(node.value, Value::Bool(_) | Value::String(_)),
        _ => true,
    };
    if fine {
        return Ok(());
    }
    let (at, token) = (node.location(node.pos()), node.token());
    let reason = format!("{at} [{parser}] {key} doesn't support values of type: {token}");
    Err(Error::new(ErrorKind::XContentParse, reason).at(node.pos()))
}

/// The order that parts are to stand in: `ordered` is older, and counts more than `mode`.
#[derive(Default)]
struct Order {
    ordered: Option<bool>,
    mode: Option<Mode>,
}

impl Order {
    fn take(&mut self, parser: &str, field: &node::Field) -> Result<bool> {
        let node = field.node;
        match field.key {
            "ordered" => {
                let at = node.location(node.pos());
                let told = "Deprecated field [ordered] used, this field is unused and will be removed entirely";
                note(format!("[{parser}]{at} {told}"));
                self.ordered = Some(node.bool()?);
            }
            "mode" => self.mode = Some(mode_of(node)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn mode(self) -> Mode {
        match self.ordered {
            Some(true) => Mode::Ordered,
            Some(false) => Mode::Unordered,
            None => self.mode.unwrap_or(Mode::Unordered),
        }
    }
}

fn take_option(options: &mut Options, parser: &str, key: &str, node: Node) -> Result<bool> {
    match key {
        "analyzer" => options.analyzer = Some(node.text()?),
        "use_field" => options.use_field = Some(node.text()?),
        "filter" => options.filter = Some(parse_filter(parser, node)?),
        _ => return Ok(false),
    }
    Ok(true)
}

fn parse_filter(parser: &str, node: Node) -> Result<Filter> {
    Filter::parse(node).map_err(|error| node.failed_field(parser, "filter", error))
}

fn parse_match(node: Node) -> Result<Rule> {
    let (mut query, mut max_gaps, mut order, mut options) = (None, -1, Order::default(), Options::default());
    for field in node.fields() {
        check_type("match", field.key, field.node)?;
        match field.key {
            "query" => query = Some(field.node.text()?),
            "max_gaps" => max_gaps = field.node.i32()?,
            key if order.take("match", &field)? || take_option(&mut options, "match", key, field.node)? => {}
            key => return Err(unknown(node, field.key_pos, "match", key)),
        }
    }
    let query = query.ok_or_else(|| Error::illegal_argument("Required [query]"))?;
    Ok(Rule::Match { query, max_gaps, mode: order.mode(), options })
}

fn parse_rules(parser: &str, node: Node) -> Result<Vec<Rule>> {
    if !matches!(node.value, Value::Object(_) | Value::Array(_)) {
        let (at, token) = (node.location(node.pos()), node.token());
        let reason = format!("{at} [{parser}] intervals doesn't support values of type: {token}");
        return Err(Error::new(ErrorKind::XContentParse, reason));
    }
    let failed = |node: Node, error| Err(node.failed_field(parser, "intervals", error));
    let rule = |item: Node| {
        let mut fields = item.fields();
        match item.value {
            Value::Array(_) => {
                let cause = Error::new(ErrorKind::IllegalState, "expected value but got [START_ARRAY]");
                return failed(item, cause.at(item.pos()));
            }
            Value::Object(_) => {}
            _ => {
                let (pos, token) = match (item.after(), node.value) {
                    // No key stands in a list.
                    ((pos, "FIELD_NAME"), Value::Array(_)) => (pos, "VALUE_STRING"),
                    (next, _) => next,
                };
                return failed(item, item.error_at(pos, format!("Expected [FIELD_NAME] but got [{token}]")));
            }
        }
        let Some(field) = fields.next() else {
            return failed(item, item.error_at_end("Expected [FIELD_NAME] but got [END_OBJECT]"));
        };
        let rule = match Rule::parse(field.key, field.key_pos, field.node) {
            Ok(rule) => rule,
            Err(error) => return failed(field.node, error),
        };
        match fields.next() {
            Some(second) => failed(item, item.error_at(second.key_pos, "Expected [END_OBJECT] but got [FIELD_NAME]")),
            None => Ok(rule),
        }
    };
    node.items_or_self().into_iter().map(rule).collect()
}

fn parse_all_of(node: Node) -> Result<Rule> {
    let (mut rules, mut max_gaps, mut order, mut filter) = (None, -1, Order::default(), None);
    for field in node.fields() {
        check_type("all_of", field.key, field.node)?;
        match field.key {
            "intervals" => rules = Some(parse_rules("all_of", field.node)?),
            "max_gaps" => max_gaps = field.node.i32()?,
            "filter" => filter = Some(parse_filter("all_of", field.node)?),
            _ if order.take("all_of", &field)? => {}
            key => return Err(unknown(node, field.key_pos, "all_of", key)),
        }
    }
    let rules = rules.ok_or_else(|| Error::illegal_argument("Required [intervals]"))?;
    Ok(Rule::AllOf { rules, max_gaps, mode: order.mode(), filter })
}

fn parse_any_of(node: Node) -> Result<Rule> {
    let (mut rules, mut filter) = (None, None);
    for field in node.fields() {
        check_type("any_of", field.key, field.node)?;
        match field.key {
            "intervals" => rules = Some(parse_rules("any_of", field.node)?),
            "filter" => filter = Some(parse_filter("any_of", field.node)?),
            key => return Err(unknown(node, field.key_pos, "any_of", key)),
        }
    }
    let rules = rules.ok_or_else(|| Error::illegal_argument("Required [intervals]"))?;
    Ok(Rule::AnyOf { rules, filter })
}

/// What patterns share. `own` takes the keys of one kind.
fn parse_pattern(
    node: Node,
    parser: &str,
    text_key: &str,
    mut own: impl FnMut(&str, Node) -> Result<bool>,
) -> Result<Pattern> {
    let (mut text, mut max_expansions, mut options) = (None, None, Options::default());
    for field in node.fields() {
        check_type(parser, field.key, field.node)?;
        match field.key {
            key if key == text_key => text = Some(field.node.text()?),
            key if own(key, field.node)? => {}
            "max_expansions" if parser != "fuzzy" => {
                let given = field.node.i32()?;
                if !(1..=1024).contains(&given) && parser != "prefix" {
                    return Err(Error::illegal_argument(format!(
                        "max_expansions [{given}] must be between 1 and 1024"
                    )));
                }
                max_expansions = Some(given);
            }
            key if take_option(&mut options, parser, key, field.node)? => {}
            key => return Err(unknown(node, field.key_pos, parser, key)),
        }
    }
    let text = text.ok_or_else(|| Error::illegal_argument(format!("Required [{text_key}]")))?;
    Ok(Pattern { text, max_expansions, case_insensitive: false, options })
}

fn parse_prefix(node: Node) -> Result<Rule> {
    parse_pattern(node, "prefix", "prefix", |_, _| Ok(false)).map(Rule::Prefix)
}

fn parse_wildcard(node: Node) -> Result<Rule> {
    parse_pattern(node, "wildcard", "pattern", |_, _| Ok(false)).map(Rule::Wildcard)
}

fn parse_regexp(node: Node) -> Result<Rule> {
    let (mut flags, mut case_insensitive) = (Flags::ALL, false);
    let pattern = parse_pattern(node, "regexp", "pattern", |key, value| {
        match key {
            "flags" => flags = Flags::of(&value.text()?)?,
            "flags_value" => flags = Flags::of_bits(value.i32()?),
            "case_insensitive" => case_insensitive = value.bool()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Rule::Regexp { pattern, flags, case_insensitive })
}

fn parse_fuzzy(node: Node) -> Result<Rule> {
    let (mut prefix_length, mut transpositions, mut fuzziness) = (0, true, AUTO);
    let pattern = parse_pattern(node, "fuzzy", "term", |key, value| {
        match key {
            "prefix_length" => prefix_length = usize::try_from(value.i32()?).unwrap_or(0),
            "transpositions" => transpositions = value.bool()?,
            "fuzziness" => fuzziness = Fuzziness::parse(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(Rule::Fuzzy { pattern, prefix_length, transpositions, fuzziness })
}

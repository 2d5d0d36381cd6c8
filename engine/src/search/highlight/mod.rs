//! Highlighting: the parts of a hit's texts that the query matches.
//!
//! - `options`: `highlight` of a request, per field. `matchers`: what of a query can be found in a text.
//! - `text`: the values of a field of a document, in UTF-16 units, and their tokens. `matches`: where in them the query
//!   matches. `breaks`: boundaries of sentences and words.
//! - `unified`, `plain`, `fast`: the highlighters, each with its own idea of what a fragment is.
//!
//! What this room does not know: how queries are scored, how hits are written beyond their fragments.

mod breaks;
mod fast;
mod matchers;
mod matches;
mod options;
mod plain;
mod text;
mod unified;

pub use options::Highlight;

use self::matchers::{Matchers, What};
use self::options::{FieldOptions, Kind};
use self::text::FieldTexts;
use super::fetch::FetchedDoc;
use crate::error::{Error, Result};
use crate::java_order::sort_by_slot;
use crate::json::Writer;
use crate::mapping::{Family, Field, simple_match};
use crate::query::{Query, ShardContext};
use std::sync::Arc;

/// The highlighting of a request, made ready for one shard.
pub struct Highlighter {
    fields: Vec<HighlightedField>,
}

/// One pattern of names with what the query has for it.
struct HighlightedField {
    pattern: String,
    options: FieldOptions,
    matchers: Arc<Matchers>,
}

/// Fields that patterns of names stand for.
fn is_plain_text(field: &Field) -> bool {
    matches!(field.type_name, "text" | "keyword" | "match_only_text")
}

impl Highlighter {
    /// Resolves the queries of a request for a shard.
    pub fn new(highlight: &Highlight, query: &Query, cx: &ShardContext) -> Result<Self> {
        let is_fast = highlight.fields.iter().any(|(_, options)| options.kind == Kind::Fast);
        let matchers_of = |query: &Query| {
            let matchers = Matchers::of(query, cx)?;
            Ok::<_, Error>(Arc::new(if is_fast { matchers.with_expanded(cx) } else { matchers }))
        };
        let whole = matchers_of(query)?;
        let mut fields = vec![];
        for (pattern, options) in &highlight.fields {
            options.check(pattern)?;
            let matchers = match &options.highlight_query {
                Some(query) => matchers_of(query)?,
                None => whole.clone(),
            };
            fields.push(HighlightedField { pattern: pattern.clone(), options: options.clone(), matchers });
        }
        Ok(Self { fields })
    }

    /// What of the document matches.
    pub fn fragments(&self, doc: &FetchedDoc, cx: &ShardContext) -> Result<Fragments> {
        let mut begun = Begun::default();
        while self.go_on(&mut begun, doc, cx)? {}
        Ok(begun.found)
    }

    /// What of the document matches for the next pattern of names; false when there are no more.
    pub fn go_on(&self, begun: &mut Begun, doc: &FetchedDoc, cx: &ShardContext) -> Result<bool> {
        let Some(wanted) = self.fields.get(begun.patterns) else { return Ok(false) };
        begun.patterns += 1;
        if !wanted.is_pattern()
            && cx.mapping.field(&wanted.pattern).is_none()
            && let Some(field) = cx.below_derived(&wanted.pattern)
        {
            let fragments = wanted.fragments(&field, doc, cx)?;
            begun.found.set(wanted.pattern.clone(), fragments);
        }
        for (name, field) in cx.mapping.matching_names(&wanted.pattern) {
            // What means a field last says how it is highlighted.
            let means = |one: &HighlightedField| one.means(name, field, cx);
            if !means(wanted) || self.fields[begun.patterns..].iter().any(means) {
                continue;
            }
            let fragments = wanted.fragments(field, doc, cx)?;
            begun.found.set(name.to_owned(), fragments);
        }
        Ok(true)
    }
}

/// A document whose highlighting has begun.
#[derive(Default)]
pub struct Begun {
    /// Patterns of names that are done.
    patterns: usize,
    pub found: Fragments,
}

/// What of a document matches, by field.
#[derive(Default)]
pub struct Fragments {
    fields: Vec<(String, Vec<String>)>,
}

impl Fragments {
    /// Of a field that several patterns mean the last one says what is shown, were it nothing.
    fn set(&mut self, name: String, fragments: Vec<String>) {
        if fragments.is_empty() {
            return self.fields.retain(|(other, _)| *other != name);
        }
        match self.fields.iter_mut().find(|(other, _)| *other == name) {
            Some((_, known)) => *known = fragments,
            None => self.fields.push((name, fragments)),
        }
    }

    /// Takes those of another document, under names with a prefix.
    pub fn add(&mut self, prefix: &str, of: Self) {
        of.fields.into_iter().for_each(|(name, fragments)| self.set(format!("{prefix}{name}"), fragments));
    }

    /// Writes `highlight`, if there is anything.
    pub fn write(mut self, w: &mut Writer) {
        if self.fields.is_empty() {
            return;
        }
        sort_by_slot(&mut self.fields, |(name, _)| name);
        w.key("highlight").begin_object();
        for (name, fragments) in &self.fields {
            w.key(name).begin_array();
            fragments.iter().for_each(|fragment| {
                w.string(fragment);
            });
            w.end_array();
        }
        w.end_object();
    }
}

impl HighlightedField {
    fn is_pattern(&self) -> bool {
        self.pattern.contains('*')
    }

    /// Whether this is about a field: patterns leave those out that they can do nothing with.
    fn means(&self, name: &str, field: &Field, cx: &ShardContext) -> bool {
        let fast = self.options.kind == Kind::Fast;
        match self.is_pattern() {
            _ if field.family().is_metadata() => false,
            false => self.pattern == name,
            true => {
                is_plain_text(field)
                    && (!fast || FieldTexts::has_vectors(field, cx) || FieldTexts::is_blind(field, cx))
                    && simple_match(&self.pattern, name)
            }
        }
    }

    fn fragments(&self, field: &Field, doc: &FetchedDoc, cx: &ShardContext) -> Result<Vec<String>> {
        let options = &self.options;
        options.check_for_hit(&field.name)?;
        let blind = options.kind == Kind::Fast && FieldTexts::is_blind(field, cx);
        if options.kind == Kind::Fast && !blind && !FieldTexts::has_vectors(field, cx) {
            return Err(Error::illegal_argument(format!(
                "the field [{}] should be indexed with term vector with position offsets to be used with fast vector highlighter",
                field.name
            )));
        }
        if options.kind == Kind::Fast {
            options.check_fast()?;
        }
        // Where there is no text, or it is shown as a whole, nothing scans it.
        if let Some(refusal) = options.refusal_of_texts(field.family() == Family::Text)
            && !FieldTexts::read(field, doc, cx, options, false)?.values.is_empty()
        {
            return Err(Error::illegal_argument(refusal));
        }
        let mut matchers = self.matchers.for_field(field, options);
        if blind {
            matchers.clear();
        }
        if matchers.is_empty() && options.no_match_size == 0 {
            return Ok(vec![]);
        }
        let unknown = options.matched_fields.iter().find(|name| cx.mapping.field(name).is_none());
        if let (Kind::Unified, false, Some(name)) = (options.kind, matchers.is_empty(), unknown)
            && !FieldTexts::has_offsets(field, cx)
        {
            return Err(Error::illegal_argument(format!("Field [{name}] has no associated analyzer")));
        }
        let is_pattern = |what: &What| match what {
            What::Any(_) => true,
            What::Phrase { positions, .. } => positions.iter().any(|position| position.completed),
            _ => false,
        };
        let by_pattern = matchers.iter().any(|matcher| is_pattern(&matcher.what));
        let texts = FieldTexts::read(field, doc, cx, options, by_pattern)?;
        if texts.values.is_empty() {
            return Ok(vec![]);
        }
        match options.kind {
            Kind::Unified => unified::fragments(&texts, &matchers, options),
            Kind::Plain => plain::fragments(&texts, &matchers, options),
            Kind::Fast => fast::fragments(&texts, &matchers, options),
        }
    }
}

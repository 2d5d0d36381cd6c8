//! `more_like_this`: documents with the telling terms of texts or other documents.
//!
//! - `select`: which terms are telling. - `document`: the terms of a document. This file: parameters and the query.

mod document;
mod select;

use super::analyzed::analyze;
use super::ids::plan_ids;
use super::lookup::Lookup;
use super::minimum_should_match::minimum;
use super::node::{Common, Node, null_query, unsupported};
use super::wildcard_pieces::PIECE;
use super::{Kind, PlanContext, Query};
use crate::analysis::Analyzer;
use crate::error::{Error, Result};
use crate::java_order::sort_by_slot;
use crate::json::Value;
use crate::mapping::Family;
use crate::score::{BoolPlan, Marks, Plan, Refused, Seen};
use crate::search::named_analyzers;
use crate::shard::VersionType;
use document::Document;
use select::{Selection, Words};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Debug)]
struct MoreLikeThis {
    fields: Option<Vec<String>>,
    like: Likes,
    unlike: Likes,
    /// Of the documents that are liked and disliked, in this order.
    lookups: Vec<Lookup>,
    selection: Selection,
    analyzer: Option<String>,
    minimum_should_match: String,
    include: bool,
    fail_on_unsupported_field: bool,
}

/// What documents should be like.
#[derive(Debug, Default)]
struct Likes {
    texts: Vec<String>,
    items: Vec<Item>,
}

#[derive(Debug)]
struct Item {
    source: ItemSource,
    /// None: those of the query.
    fields: Vec<String>,
    /// Fields, and the analyzers that count for them instead of their own.
    analyzers: Vec<(String, String)>,
}

#[derive(Debug)]
enum ItemSource {
    /// The index of the lookup.
    Stored(usize),
    Given(Value),
}

pub fn parse(node: Node) -> Result<Query> {
    let mut common = Common::default();
    let mut parsed = MoreLikeThis {
        fields: None,
        like: Likes::default(),
        unlike: Likes::default(),
        lookups: vec![],
        selection: Selection::default(),
        analyzer: None,
        minimum_should_match: "30%".to_owned(),
        include: false,
        fail_on_unsupported_field: true,
    };
    for field in node.fields() {
        let inner = field.node;
        match field.key {
            // What is null is passed over.
            _ if inner.value.is_null() => {}
            "fields" if inner.value.as_array().is_some() => {
                let names = inner.items().map(|item| item.text()).collect::<Result<Vec<_>>>()?;
                parsed.fields = Some(names);
            }
            "like" => parsed.like = likes(inner, &mut parsed.lookups)?,
            "unlike" => parsed.unlike = likes(inner, &mut parsed.lookups)?,
            "stop_words" if inner.value.as_array().is_some() => {
                parsed.selection.stop_words = inner.items().map(|word| word.text()).collect::<Result<_>>()?;
            }
            _ if matches!(inner.value, Value::Object(_) | Value::Array(_)) => {
                return Err(unsupported(inner, "mlt", field.key));
            }
            "analyzer" => parsed.analyzer = Some(inner.text()?),
            "minimum_should_match" => parsed.minimum_should_match = inner.text()?,
            "include" => parsed.include = inner.bool()?,
            "fail_on_unsupported_field" => parsed.fail_on_unsupported_field = inner.bool()?,
            key if parsed.selection.take(key, inner)? => {}
            key if common.take(key, inner)? => {}
            key => return Err(unsupported(inner, "mlt", key)),
        }
    }
    if parsed.like.texts.is_empty() && parsed.like.items.is_empty() {
        return Err(node.error_at_end("more_like_this requires 'like' to be specified"));
    }
    if parsed.fields.as_ref().is_some_and(Vec::is_empty) {
        return Err(node.error_at_end("more_like_this requires 'fields' to be non-empty"));
    }
    parsed.check()?;
    Ok(Query::new(common, parsed))
}

fn likes(node: Node, lookups: &mut Vec<Lookup>) -> Result<Likes> {
    let mut likes = Likes::default();
    for item in node.items_or_self() {
        match item.value {
            Value::String(text) => likes.texts.push(text.clone()),
            Value::Object(_) => likes.items.push(item_of(item, lookups)?),
            Value::Array(_) | Value::Null => {
                let reason = "Content of 'like' parameter should either be a string or an object";
                return Err(Error::illegal_argument(reason).at(item.pos()));
            }
            scalar => likes.texts.push(scalar.to_text()),
        }
    }
    Ok(likes)
}

fn item_of(node: Node, lookups: &mut Vec<Lookup>) -> Result<Item> {
    let (mut index, mut id, mut routing, mut version, mut doc) = (None, None, None, None, None);
    let (mut fields, mut analyzers) = (vec![], vec![]);
    for field in node.fields() {
        match field.key {
            "_index" => index = Some(field.node.text()?),
            "_id" => id = Some(field.node.text()?),
            "routing" => routing = Some(field.node.text()?),
            "doc" => doc = Some(field.node.value.clone()),
            "fields" if field.node.value.as_array().is_none() => {
                let reason = "failed to parse More Like This item. field [fields] must be an array";
                return Err(Error::new(crate::error::ErrorKind::Parse, reason).at(field.node.pos()));
            }
            "fields" => fields = field.node.items().map(|item| item.text()).collect::<Result<_>>()?,
            "version" => version = VersionType::sought(field.node.i64()?),
            // Whatever its type, a version is one that the document must have.
            "version_type" => drop(VersionType::parse(&field.node.text()?)?),
            "per_field_analyzer" => analyzers = named_analyzers(field.node)?,
            key => {
                let reason = format!("failed to parse More Like This item. unknown field [{key}]");
                return Err(Error::new(crate::error::ErrorKind::Parse, reason).at(field.node.pos()));
            }
        }
    }
    let source = match (id, doc) {
        (Some(_), Some(_)) => {
            let reason = "failed to parse More Like This item. either [id] or [doc] can be specified, but not both!";
            return Err(Error::new(crate::error::ErrorKind::Parse, reason));
        }
        (Some(id), None) => {
            let mut lookup = Lookup::with_metadata(index, id, routing);
            lookup.version = version;
            lookups.push(lookup);
            ItemSource::Stored(lookups.len() - 1)
        }
        (None, Some(doc)) => ItemSource::Given(doc),
        (None, None) => {
            let reason = "failed to parse More Like This item. neither [id] nor [doc] is specified!";
            return Err(Error::new(crate::error::ErrorKind::Parse, reason).at(node.end_pos()));
        }
    };
    Ok(Item { source, fields, analyzers })
}

impl MoreLikeThis {
    fn check(&self) -> Result<()> {
        match self.selection.max_query_terms {
            0 => Err(Error::illegal_argument("requires 'maxQueryTerms' to be greater than 0")),
            _ => Ok(()),
        }
    }

    /// Names of the fields to look at; `*` stands for all.
    fn names(&self, cx: &PlanContext) -> Result<Vec<String>> {
        let given = self.fields.as_deref().unwrap_or(cx.mapping.default_fields());
        let has_text = !self.like.texts.is_empty() || !self.unlike.texts.is_empty();
        if self.fields.is_none() && has_text && given.iter().any(|name| name == "*") {
            return Err(Error::illegal_argument(
                "[more_like_this] query cannot infer the field to analyze the free text, you should update the [index.query.default_field] index setting to a field that exists in the mapping or set the [fields] option in the query.",
            ));
        }
        let mut names = vec![];
        for name in given {
            match cx.field(name) {
                Some(field)
                    if !matches!(field.family(), Family::Text | Family::Keyword)
                        || matches!(
                            field.type_name,
                            "match_only_text" | "search_as_you_type" | "prefix" | "wildcard" | "flat_object"
                        ) =>
                {
                    if self.fail_on_unsupported_field {
                        return Err(Error::illegal_argument(format!(
                            "more_like_this only supports text/keyword fields: [{name}]"
                        )));
                    }
                }
                Some(field) => names.push(field.name.to_string()),
                None => names.push(name.clone()),
            }
        }
        Ok(names)
    }

    /// The analyzer that was asked for, if the index has it; else the field's.
    fn analyzer(&self, cx: &PlanContext, field: &str) -> Arc<Analyzer> {
        let analysis = cx.mapping.analysis();
        let asked = self.analyzer.as_ref().and_then(|name| analysis.analyzer(name));
        let of_field = || {
            let field = cx.field(field)?;
            match field.family() {
                Family::Keyword => analysis.analyzer("keyword"),
                _ => field.search_analyzer().cloned(),
            }
        };
        asked.or_else(of_field).unwrap_or_else(|| analysis.default_analyzer())
    }

    /// The terms of documents by field, all documents together.
    fn words_of(&self, cx: &PlanContext, items: &[Item], names: &[String]) -> Result<Vec<(Arc<str>, Words)>> {
        let mut out: Vec<(Arc<str>, Words)> = vec![];
        let mut found = vec![];
        for item in items {
            let parsed;
            let (source, metadata) = match &item.source {
                ItemSource::Given(value) => (value, &Value::Null),
                ItemSource::Stored(at) => {
                    let found = self.lookups[*at].sources(cx.index)?;
                    parsed = found.iter().map(|part| crate::json::parse(part)).collect::<Result<Vec<_>>>()?;
                    match parsed.as_slice() {
                        [] => continue,
                        [source, rest @ ..] => (source, rest.first().unwrap_or(&Value::Null)),
                    }
                }
            };
            let fields = match (item.fields.as_slice(), &item.source) {
                // Of a document that is brought along all fields count, whichever are asked for.
                ([], ItemSource::Given(_)) => &[],
                ([], ItemSource::Stored(_)) => names,
                (fields, _) => fields,
            };
            let document = Document { source, metadata, analyzers: &item.analyzers };
            document.terms(cx, fields, |field, term| {
                // The terms of such a field are pieces of values: a value of another length is none of them.
                let of_pieces = cx.field(field).is_some_and(|field| field.type_name == "wildcard");
                if of_pieces && term.chars().count() != PIECE {
                    return;
                }
                let at = out.iter().position(|(known, _)| known == field).unwrap_or_else(|| {
                    out.push((field.clone(), Words::default()));
                    out.len() - 1
                });
                found.push((at, term.to_owned()));
            })?;
            // The terms of a document come in their order, which decides between those of one slot.
            found.sort_unstable();
            found.drain(..).for_each(|(at, term)| out[at].1.add(&term));
        }
        sort_by_slot(&mut out, |(field, _)| field);
        Ok(out)
    }

    /// Terms that must not be asked for.
    fn skipped(&self, cx: &PlanContext, unlike: &[Item], names: &[String]) -> Result<HashSet<(String, String)>> {
        let mut out = HashSet::new();
        for (field, words) in self.words_of(cx, unlike, names)? {
            out.extend(words.into_terms().map(|(term, _)| (field.to_string(), term)));
        }
        for text in &self.unlike.texts {
            // The reference looks at the first field alone.
            for name in names.iter().take(1) {
                let terms = analyze(&self.analyzer(cx, name), text).0.into_iter().flat_map(|(_, terms)| terms);
                out.extend(terms.map(|term| (name.clone(), term)));
            }
        }
        Ok(out)
    }

    fn query(&self, cx: &PlanContext, clauses: Vec<Plan>) -> Result<Plan> {
        super::bool_query::check_clauses(cx, clauses.len())?;
        // How many have to match is read where the words are known.
        let minimum_should_match = match minimum(clauses.len(), &self.minimum_should_match) {
            Ok(minimum) => minimum,
            Err(error) => return Ok(Plan::custom(Refused { text: String::new(), error })),
        };
        Ok(Plan::Bool(BoolPlan { should: clauses, minimum_should_match, ..BoolPlan::default() }))
    }
}

/// What is liked, for the highlighter that chooses words as of an index of the text alone also with each word in every field: there is
/// no other field there that might have it more often.
fn with_words_of_each(cx: &PlanContext, names: &[String], liked: &Plan) -> Plan {
    fn words(plan: &Plan, found: &mut Vec<(Vec<u8>, f32)>, boost: f32) {
        match plan {
            Plan::Bool(plan) => plan.should.iter().for_each(|clause| words(clause, found, boost)),
            Plan::Boost(plan, by) => words(plan, found, boost * by),
            Plan::Term { term, .. } => found.push((term.to_vec(), boost)),
            _ => {}
        }
    }
    let mut found = vec![];
    words(liked, &mut found, 1.0);
    let fields: Vec<Arc<str>> =
        names.iter().filter_map(|name| cx.field(name)).map(|field| field.name.clone()).collect();
    let everywhere = |(term, boost): &(Vec<u8>, f32)| {
        let terms = fields.iter().map(|field| Plan::term(field, term.clone()).boosted(*boost));
        terms.collect::<Vec<_>>()
    };
    let should = found.iter().flat_map(everywhere).collect();
    let plan = Plan::Bool(BoolPlan { should, ..BoolPlan::default() });
    let seen = Seen { plain: true, ..Seen::BY_NONE };
    let marks = Marks { plan: plan.clone(), seen, rest_sees_query: false, most: usize::MAX };
    let should = vec![liked.clone(), plan.written_with_marks("", marks)];
    Plan::Bool(BoolPlan { should, ..BoolPlan::default() })
}

impl Kind for MoreLikeThis {
    fn plans_long(&self) -> bool {
        true
    }

    fn is_null_on(&self, cx: &PlanContext) -> bool {
        self.check().is_ok() && self.names(cx).is_ok_and(|names| names.is_empty())
    }

    fn plan(&self, cx: &PlanContext) -> Result<Plan> {
        self.check()?;
        let names = self.names(cx)?;
        if names.is_empty() {
            return Err(null_query());
        }
        // Disliked documents are compared with liked ones alone.
        let unlike = if self.like.items.is_empty() { &[][..] } else { &self.unlike.items };
        let skipped = self.skipped(cx, unlike, &names)?;
        let mut should = vec![];
        if !self.like.items.is_empty() {
            let mut clauses = vec![];
            for (field, words) in self.words_of(cx, &self.like.items, &names)? {
                clauses.extend(self.selection.select(cx, words, &[&field], &skipped));
            }
            should.push(self.query(cx, clauses)?);
        }
        if !self.like.texts.is_empty() {
            let mut words = Words::default();
            let analyzer = self.analyzer(cx, &names[0]);
            for text in &self.like.texts {
                let terms = analyze(&analyzer, text).0.into_iter().flat_map(|(_, terms)| terms);
                terms.for_each(|term| words.add(&term));
            }
            let fields: Vec<&str> = names.iter().map(String::as_str).collect();
            let clauses = self.selection.select(cx, words, &fields, &skipped);
            should.push(self.query(cx, clauses)?);
        }
        let text = format!(
            "like:{}",
            if self.like.texts.is_empty() { "null".to_owned() } else { format!("[{}]", self.like.texts.join(", ")) }
        );
        let liked = Plan::Bool(BoolPlan { should, ..BoolPlan::default() });
        // Of the text alone, which is a document by itself to it, one highlighter chooses its words as of an index.
        let plain = self.selection.min_doc_freq <= 1;
        let sought = match plain && names.len() > 1 && !self.like.texts.is_empty() {
            true => with_words_of_each(cx, &names, &liked),
            false => liked.clone(),
        };
        let marks = Marks {
            plan: sought,
            seen: Seen { unified: false, plain, fast: true },
            rest_sees_query: false,
            most: usize::MAX,
        };
        let liked = liked.written_with_marks(text, marks);
        if self.like.items.is_empty() {
            return Ok(liked);
        }
        let stored = |item: &Item| match item.source {
            ItemSource::Stored(at) if !self.include => Some(&self.lookups[at]),
            _ => None,
        };
        // Documents of other indexes have other numbers, so only their ids can be meant.
        let mut ids: Vec<String> = vec![];
        for lookup in self.like.items.iter().filter_map(stored) {
            if !ids.contains(&lookup.id) {
                ids.push(lookup.id.clone());
            }
        }
        let must_not = if ids.is_empty() { vec![] } else { vec![plan_ids(cx, ids)?] };
        Ok(Plan::Bool(BoolPlan { should: vec![liked], must_not, ..BoolPlan::default() }))
    }

    fn lookups(&self) -> &[Lookup] {
        &self.lookups
    }

    fn is_changeable(&self) -> bool {
        !self.like.items.is_empty() || !self.unlike.items.is_empty()
    }

    /// Its shards read the documents.
    fn is_replaced(&self) -> bool {
        false
    }
}

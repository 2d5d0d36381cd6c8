//! `collapse`: of all hits with the same value of a field the best one.

use super::inner_hits::InnerHits;
use super::result::ShardHit;
use super::sort_keys::{Column, Key, KeyReader, Scratch};
use super::sort_parse::Sort;
use super::top_sorted::{after_keys, compare};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Value, Writer, parse};
use crate::mapping::{DocValueFormat, DocValues, Family, Indexed};
use crate::query::declared::{ARRAY, Declared, NUMERIC, OBJECT, STRING};
use crate::query::{Node, ShardContext};
use crate::segment::{NumericColumn, OrdinalColumn, SegmentView};
use std::collections::HashMap;
use std::sync::Arc;

/// `collapse` of a request.
#[derive(Clone, Debug)]
pub struct Collapse {
    pub field: String,
    pub inner_hits: Vec<InnerHits>,
    /// Searches for inner hits that run at the same time.
    pub max_concurrent: Option<usize>,
}

const PARSER: Declared = Declared {
    name: "collapse",
    fields: &[("field", STRING), ("inner_hits", OBJECT | ARRAY), ("max_concurrent_group_searches", NUMERIC)],
};

impl Collapse {
    pub fn parse(node: Node) -> Result<Self> {
        let (mut field, mut inner_hits, mut max_concurrent) = (None, vec![], None);
        for option in node.fields() {
            match option.key {
                "field" => {
                    field = Some(PARSER.read(&option, |node| match node.text()? {
                        name if name.is_empty() => {
                            Err(Error::illegal_argument("field name is null or empty").at(node.pos()))
                        }
                        name => Ok(name),
                    })?);
                }
                "inner_hits" => {
                    inner_hits = PARSER.read(&option, InnerHits::of_groups)?;
                    if inner_hits.iter().any(|inner| inner.name.is_none()) {
                        return Err(Error::illegal_argument("Field name cannot be null"));
                    }
                }
                _ => {
                    let number = PARSER.read(&option, |node| match node.i32()? {
                        number @ 1.. => Ok(number),
                        _ => Err(Error::illegal_argument("maxConcurrentGroupRequests` must be positive")),
                    })?;
                    max_concurrent = Some(number.unsigned_abs() as usize);
                }
            }
        }
        Ok(Self { field: field.unwrap_or_default(), inner_hits, max_concurrent })
    }

    /// Refuses groups of nothing, which nobody notices before the whole request has been read.
    pub fn check(&self) -> Result<()> {
        if self.field.is_empty() { Err(Error::illegal_argument("field name is required")) } else { Ok(()) }
    }
}

/// The value that a group has in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Group {
    Number(i64),
    Bytes(Vec<u8>),
    /// Documents without a value are a group as well.
    None,
}

enum GroupColumn {
    None,
    Number(NumericColumn),
    Bytes(OrdinalColumn),
}

struct Entry {
    group: Group,
    keys: Vec<Key>,
    segment: u32,
    doc: u32,
    score: f32,
}

/// Keeps the best document of each of the `size` best groups.
pub struct TopCollapsed {
    size: usize,
    readers: Vec<KeyReader>,
    /// Groups up to this value of the only sort key are of earlier pages.
    after: Option<Vec<Key>>,
    /// Whether hits carry their sort values.
    sorted: bool,
    field: Arc<str>,
    kind: DocValues,
    format: DocValueFormat,
    entries: Vec<Entry>,
    places: HashMap<Group, usize>,
    /// The entry that goes first, once there are `size`.
    worst: usize,
    columns: Vec<Column>,
    groups: GroupColumn,
    segment: u32,
    doc_base: u64,
    scratch: Scratch,
    keys: Vec<Key>,
}

impl TopCollapsed {
    pub fn new(
        collapse: &Collapse,
        sorts: &[Sort],
        after: Option<&[Value]>,
        size: usize,
        cx: &ShardContext,
    ) -> Result<Self> {
        let name = &collapse.field;
        let below = cx.mapping.below_flat_object(name);
        let field = (cx.mapping.field(name).or(below.as_ref()))
            .ok_or_else(|| Error::illegal_argument(format!("no mapping found for `{name}` in order to collapse on")))?;
        if field.derived.is_some()
            || field.type_name == "flat_object"
            || matches!(field.type_name, "wildcard" | "scaled_float")
            || !matches!(field.family(), Family::Keyword | Family::Integer | Family::UnsignedLong | Family::Float)
        {
            let reason = format!("unknown type for collapse field `{name}`, only keywords and numbers are accepted");
            return Err(Error::illegal_argument(reason));
        }
        if field.spec.doc_values == DocValues::None {
            let reason = format!("cannot collapse on field `{name}` without `doc_values`");
            return Err(Error::illegal_argument(reason));
        }
        if field.spec.indexed == Indexed::No && !collapse.inner_hits.is_empty() {
            return Err(Error::illegal_argument(format!(
                "cannot expand `inner_hits` for collapse field `{name}`, only indexed field can retrieve `inner_hits`"
            )));
        }
        let by_score = [Sort::by_name("_score")];
        let used = if sorts.is_empty() { &by_score[..] } else { sorts };
        let readers = used.iter().map(|sort| KeyReader::new(sort, cx)).collect::<Result<Vec<_>>>()?;
        readers.iter().try_for_each(KeyReader::check_missing)?;
        let after = after.map(|values| after_keys(&readers, used, values, cx)).transpose()?;
        Ok(Self {
            size,
            readers,
            after,
            sorted: !sorts.is_empty(),
            field: field.name.clone(),
            kind: field.spec.doc_values,
            format: field.doc_value_format(None, None)?,
            entries: Vec::with_capacity(size.min(1024)),
            places: HashMap::new(),
            worst: 0,
            columns: vec![],
            groups: GroupColumn::None,
            segment: 0,
            doc_base: 0,
            scratch: Scratch::default(),
            keys: vec![],
        })
    }

    /// The error of what hits are sorted by, as of [`KeyReader::check`].
    pub fn check(&self) -> Result<()> {
        self.readers.iter().try_for_each(KeyReader::check)
    }

    pub fn enter_segment(&mut self, segment: u32, view: &SegmentView, doc_base: u64) -> Result<()> {
        self.columns = self.readers.iter().map(|reader| reader.column(view)).collect::<Result<_>>()?;
        let field = view.segment.field(&self.field);
        self.groups = match self.kind {
            DocValues::Numeric => {
                field.and_then(|f| f.numeric()).map_or(GroupColumn::None, |c| GroupColumn::Number(c.clone()))
            }
            DocValues::Ordinals => {
                field.and_then(|f| f.ordinals()).map_or(GroupColumn::None, |c| GroupColumn::Bytes(c.clone()))
            }
            DocValues::None => GroupColumn::None,
        };
        self.segment = segment;
        self.doc_base = doc_base;
        Ok(())
    }

    /// Whether the best hits by score are enough to know the groups, if there are enough of them.
    pub fn goes_by_score(&self) -> bool {
        self.size > 0 && !self.sorted && self.after.is_none()
    }

    pub fn is_full(&self) -> bool {
        self.entries.len() == self.size
    }

    /// Whether no document of the current segment can be in several groups.
    pub fn is_single_valued(&self) -> bool {
        match &self.groups {
            GroupColumn::None => true,
            GroupColumn::Number(column) => column.single_valued(),
            GroupColumn::Bytes(column) => column.single_valued(),
        }
    }

    /// Offers live matches of the current segment, ascending.
    pub fn offer(&mut self, view: &SegmentView, docs: &[u32], scores: &[f32]) -> Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        let mut keys = std::mem::take(&mut self.keys);
        for (i, &doc) in docs.iter().enumerate() {
            let score = scores.get(i).copied().unwrap_or(f32::NAN);
            keys.clear();
            for (reader, column) in self.readers.iter().zip(&self.columns) {
                keys.push(reader.key(column, view, doc, self.doc_base, score, &mut self.scratch));
            }
            let is_behind = |after: &Vec<Key>| compare(&self.readers, &keys, after).is_gt();
            if !self.after.as_ref().is_none_or(is_behind) {
                continue;
            }
            // What is no better than the worst entry cannot be better than the one of its own group either.
            let full = self.entries.len() == self.size;
            if full && !compare(&self.readers, &keys, &self.entries[self.worst].keys).is_lt() {
                continue;
            }
            self.check_single(doc)?;
            let group = self.group_of(doc);
            self.offer_one(Entry { group, keys: keys.clone(), segment: self.segment, doc, score });
        }
        self.keys = keys;
        Ok(())
    }

    /// A document with several values cannot be in one group.
    fn check_single(&self, doc: u32) -> Result<()> {
        let several = match &self.groups {
            _ if self.is_single_valued() => false,
            GroupColumn::None => false,
            GroupColumn::Number(column) => {
                let mut count = 0;
                column.for_each(doc, |_| count += 1);
                count > 1
            }
            GroupColumn::Bytes(column) => column.first(doc) != column.last(doc),
        };
        if several {
            let reason = format!("failed to collapse {doc}, the collapse field must be single valued");
            return Err(Error::new(ErrorKind::IllegalState, reason));
        }
        Ok(())
    }

    fn group_of(&self, doc: u32) -> Group {
        match &self.groups {
            GroupColumn::None => Group::None,
            GroupColumn::Number(column) => {
                let mut found = Group::None;
                column.for_each(doc, |value| found = Group::Number(value));
                found
            }
            GroupColumn::Bytes(column) => {
                column.first(doc).map_or(Group::None, |ord| Group::Bytes(column.term(ord).into_owned()))
            }
        }
    }

    fn offer_one(&mut self, entry: Entry) {
        let better = |a: &Entry, b: &Entry| compare(&self.readers, &a.keys, &b.keys).is_lt();
        if let Some(&place) = self.places.get(&entry.group) {
            if better(&entry, &self.entries[place]) {
                self.entries[place] = entry;
                if place == self.worst {
                    self.find_worst();
                }
            }
            return;
        }
        if self.entries.len() < self.size {
            self.places.insert(entry.group.clone(), self.entries.len());
            self.entries.push(entry);
            if self.entries.len() == self.size {
                self.find_worst();
            }
        } else if better(&entry, &self.entries[self.worst]) {
            self.places.remove(&self.entries[self.worst].group);
            self.places.insert(entry.group.clone(), self.worst);
            self.entries[self.worst] = entry;
            self.find_worst();
        }
    }

    fn find_worst(&mut self) {
        let order = |a: &Entry, b: &Entry| {
            compare(&self.readers, &a.keys, &b.keys).then((a.segment, a.doc).cmp(&(b.segment, b.doc)))
        };
        let places = 0..self.entries.len();
        self.worst = places.max_by(|a, b| order(&self.entries[*a], &self.entries[*b])).unwrap_or(0);
    }

    /// The hits, best first.
    pub fn finish(self) -> Vec<ShardHit> {
        let Self { mut entries, readers, sorted, format, .. } = self;
        entries.sort_by(|a, b| compare(&readers, &a.keys, &b.keys).then((a.segment, a.doc).cmp(&(b.segment, b.doc))));
        let shown = |group: &Group| match group {
            Group::None => Value::Null,
            Group::Bytes(bytes) => Value::String(format.bytes_text(bytes)),
            Group::Number(number) => {
                let mut w = Writer::new();
                format.write_number(*number, &mut w);
                parse(&w.finish()).unwrap_or_default()
            }
        };
        (entries.into_iter())
            .map(|entry| ShardHit {
                segment: entry.segment,
                doc: entry.doc,
                score: entry.score,
                sort: match sorted {
                    true => readers.iter().zip(&entry.keys).map(|(reader, key)| reader.show(key)).collect(),
                    false => vec![],
                },
                group: Some(Box::new(shown(&entry.group))),
                rescored: vec![],
            })
            .collect()
    }
}

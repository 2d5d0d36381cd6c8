//! significant_text: the words that the matching documents have more often than all documents. Words come from the sources of
//! documents, analyzed anew; everything else is as in `significant_terms`.

use super::accepted;
use super::chosen_terms::ChosenTerms;
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::parse::{Agg, ParseContext};
use super::partial::{Key, KeyType};
use super::ranking::{KeyForm, Ranking, Table};
use super::significant_terms::{Parameters, SignificantTerms};
use super::source_config::SourceConfig;
use super::terms::TermsConfig;
use super::terms_bytes::BytesTable;
use crate::analysis::{Analyzer, Normalizer, Registry, Scratch};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Map, Value};
use crate::mapping::DocValueFormat;
use crate::murmur3::hash128;
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::{OpenedBlock, SegmentView};
use ahash::{AHashMap, AHashSet};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

/// Words in a row that make a duplicate if they came in the same row before.
const ROW_WORDS: usize = 6;
/// A byte for each word of a row.
const ROW_MASK: u64 = (1 << (8 * ROW_WORDS)) - 1;
/// Rows remembered on one shard, eight bytes each.
const ROWS_MAX: usize = 4_000_000;

/// Where words come from.
#[derive(Debug, Clone, Default)]
pub(super) struct TextSource {
    /// Paths in the source; the field's name if none are given.
    paths: Option<Vec<String>>,
    without_duplicates: bool,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut parameters, mut text, mut field) = (Parameters::default(), TextSource::default(), None);
    for entry in &map.entries {
        match entry.key.as_str() {
            "field" => field = Some(cx.text(entry)?),
            "source_fields" => text.paths = Some(parse_paths(entry, cx)?),
            "filter_duplicate_text" => text.without_duplicates = cx.bool(entry)?,
            _ if parameters.accept(entry, cx)? => {}
            _ => return Err(Parameters::unknown(entry, &["filter_duplicate_text", "source_fields"], cx)),
        }
    }
    let source = field.map_or_else(SourceConfig::default, |field| SourceConfig::of_field(&field, None));
    Ok(Box::new(SignificantTerms::new(source, parameters, Some(text))))
}

fn parse_paths(entry: &Entry, cx: &ParseContext<'_>) -> Result<Vec<String>> {
    match &entry.value {
        Value::Array(items) => Ok(items.iter().map(Value::to_text).collect()),
        Value::String(path) => Ok(vec![path.clone()]),
        _ => Err(cx.wrong_type(entry)),
    }
}

/// Counts documents by their words, once for each word.
pub(super) struct TextAggregator {
    /// None where no mapping knows the field: then there are no words.
    analyzer: Option<Arc<Analyzer>>,
    normalizer: Option<Arc<Normalizer>>,
    paths: Vec<String>,
    ranking: Ranking,
    chosen: ChosenTerms,
    /// Rows of the documents of each owner, where duplicates count.
    rows: Option<AHashMap<u32, Rows>>,
    rows_left: usize,
    numbers: AHashMap<Box<[u8]>, Option<u32>>,
    table: BytesTable,
    subs: Subs,
    view: Option<SegmentView>,
    opened: OpenedBlock,
    scratch: Scratch,
    /// The words of the document looked at last.
    last: Option<u32>,
    words: Vec<Box<[u8]>>,
}

impl TextAggregator {
    pub(super) fn new(
        field: &str,
        text: &TextSource,
        config: &Arc<TermsConfig>,
        agg: &Agg,
        cx: &ShardContext,
    ) -> Result<Self> {
        if let Some(known) = cx.mapping.field(field) {
            accepted::check_has_words(known)?;
        }
        let path = || cx.mapping.field(field).map_or(field, |known| &known.name).to_owned();
        Ok(Self {
            analyzer: cx
                .mapping
                .field(field)
                .and_then(|field| field.index_analyzer().cloned().or_else(|| Registry::built_in().analyzer("keyword"))),
            normalizer: cx.mapping.field(field).and_then(|field| field.normalizer().cloned()),
            paths: text.paths.clone().unwrap_or_else(|| vec![path()]),
            ranking: Ranking::new(config.clone(), agg, cx),
            chosen: ChosenTerms::new(config, cx, |value| Ok(value.to_text().into_bytes()))?,
            rows: text.without_duplicates.then(AHashMap::default),
            rows_left: ROWS_MAX,
            numbers: AHashMap::new(),
            table: BytesTable::default(),
            subs: Subs::new(agg, cx)?,
            view: None,
            opened: OpenedBlock::default(),
            scratch: Scratch::default(),
            last: None,
            words: vec![],
        })
    }

    /// Reads the distinct words of a document, without those that are duplicates to `owner`.
    fn read(&mut self, doc: u32, owner: u32) -> Result<()> {
        // What was a duplicate to one need not be one to another, so words are kept only where all count.
        if self.rows.is_none() && self.last == Some(doc) {
            return Ok(());
        }
        self.last = Some(doc);
        self.words.clear();
        let (Some(view), Some(analyzer)) = (&self.view, &self.analyzer) else { return Ok(()) };
        // What is nested has no source of its own.
        let stored = view.segment.is_root(doc).then(|| view.segment.stored_beside(doc, &mut self.opened));
        let Some(source) = stored.transpose()?.and_then(|stored| stored.source) else { return Ok(()) };
        let source = crate::json::parse(&source)?;
        let (mut seen, mut values) = (AHashSet::new(), vec![]);
        self.paths.iter().for_each(|path| texts_at(&source, path, &mut values));
        let mut rows = self.rows.as_mut().map(|rows| rows.entry(owner).or_default());
        let known = rows.as_ref().map_or(0, |rows| rows.seen.len());
        if let Some(rows) = &mut rows {
            rows.begin();
        }
        for value in values {
            let mut tokens: Vec<Box<[u8]>> = vec![];
            let text = value.to_text();
            let text = self.normalizer.as_ref().map_or(Cow::Borrowed(&*text), |normalizer| normalizer.normalize(&text));
            analyzer.analyze(&text, &mut self.scratch, &mut |token| tokens.push(token.text.as_bytes().into()));
            let kept = match &mut rows {
                Some(rows) => rows.without_duplicates(tokens),
                None => tokens,
            };
            for word in kept {
                if seen.insert(word.clone()) {
                    self.words.push(word);
                }
            }
        }
        let new = rows.map_or(0, |rows| rows.seen.len() - known);
        self.rows_left = self.rows_left.checked_sub(new).ok_or_else(too_many_rows)?;
        Ok(())
    }

    /// The number of a word on this shard; none if it is left out.
    fn number(&mut self, word: &[u8]) -> Result<Option<u32>> {
        if let Some(number) = self.numbers.get(word) {
            return Ok(*number);
        }
        let passes = self.chosen.lets_pass(word);
        check_shard_buckets(self.numbers.len())?;
        let number = passes.then_some(self.table.keys.len() as u32);
        if passes {
            self.table.keys.push(word.into());
        }
        self.numbers.insert(word.into(), number);
        Ok(number)
    }
}

impl Aggregator for TextAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        (self.view, self.last, self.opened) = (Some(view.clone()), None, OpenedBlock::default());
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        for (i, &doc) in docs.iter().enumerate() {
            self.read(doc, owners.of(i))?;
            let words = std::mem::take(&mut self.words);
            for word in &words {
                if let Some(number) = self.number(word)? {
                    let bucket = self.table.buckets.bucket(owners.of(i), number)?;
                    self.table.add(bucket, 1);
                    self.subs.push(doc, bucket)?;
                }
            }
            self.words = words;
        }
        Ok(())
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let lists = self.table.buckets.by_owner(owners);
            let format = Format::Field(DocValueFormat::Text);
            self.ranking
                .build(
                    &InFoundOrder(&self.table),
                    lists,
                    0,
                    &mut self.subs,
                    KeyForm { format: &format, key_type: KeyType::Bytes },
                    pace,
                )
                .await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }

    fn details(&self) -> super::profile::Details {
        let debug = vec![
            ("total_buckets", Value::UInt(self.table.keys.len() as u64)),
            ("result_strategy", Value::from("significant_terms")),
        ];
        super::profile::Details { debug, ..super::profile::Details::default() }
    }
}

/// Words in the order in which they were found, not in their own: the reference ranks them so, which decides between equals.
struct InFoundOrder<'a>(&'a BytesTable);

impl Table for InFoundOrder<'_> {
    fn count(&self, number: u32) -> u64 {
        self.0.count(number)
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        a.cmp(&b)
    }

    fn key(&self, number: u32) -> Key {
        self.0.key(number)
    }
}

/// The values at a dotted path of a source. A path that goes on below a text ends with it, so that a field within a text field has the texts of that.
fn texts_at<'v>(value: &'v Value, path: &str, out: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts_at(item, path, out)),
        Value::Object(_) if path.is_empty() => {}
        Value::Object(map) => {
            let steps = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
            let found = steps.map(|at| (map.get(&path[..at]), path[at..].trim_start_matches('.')));
            if let Some((Some(inner), rest)) = found.into_iter().find(|(inner, _)| inner.is_some_and(|v| !v.is_null()))
            {
                texts_at(inner, rest, out);
            }
        }
        Value::Null => {}
        scalar => out.push(scalar),
    }
}

/// Rows of words that came before: a word that stands in such a row, wherever it came, is a duplicate. A word counts as one byte of
/// its hash, as in the reference, which therefore takes one row in many for another one.
#[derive(Default)]
struct Rows {
    seen: AHashSet<u64>,
    /// The bytes of the document's latest words, the last one lowest.
    last: u64,
    /// Words of the document so far.
    words: usize,
}

impl Rows {
    /// A new document: rows go on across its texts, but not across documents.
    fn begin(&mut self) {
        (self.last, self.words) = (0, 0);
    }

    /// What is left of a text. Words of earlier texts stay as they were, even where a row that they begin ends here; for each of them
    /// the reference leaves out one behind the end of the row, as it marks a ring of words that this text has not filled yet.
    fn without_duplicates(&mut self, tokens: Vec<Box<[u8]>>) -> Vec<Box<[u8]>> {
        let mut duplicate = vec![false; tokens.len()];
        for (at, token) in tokens.iter().enumerate() {
            self.last = (self.last << 8 | hash128(token).0 & 0xff) & ROW_MASK;
            self.words += 1;
            if self.words >= ROW_WORDS && !self.seen.insert(self.last) {
                let first = (at + 1).saturating_sub(ROW_WORDS);
                let end = (first + ROW_WORDS).min(tokens.len());
                duplicate[first..end].fill(true);
            }
        }
        tokens.into_iter().zip(duplicate).filter(|(_, duplicate)| !duplicate).map(|(token, _)| token).collect()
    }
}

/// What each shard says where no field is named.
#[cold]
pub(super) fn without_field() -> Error {
    let reason = r#"Cannot invoke "Object.hashCode()" because "key" is null"#;
    Error::new(ErrorKind::NullPointer, reason)
}

#[cold]
fn too_many_rows() -> Error {
    let reason = format!("[request] Data too large: [filter_duplicate_text] remembers more than [{ROWS_MAX}] rows");
    Error::new(ErrorKind::CircuitBreaking, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_fields_within_fields() {
        let source =
            crate::json::parse(br#"{"a":"x","b":{"c":["y",{"d":1},["z"],null]},"e.f":"w","g":{"h":{"i":"v"}}}"#)
                .unwrap();
        let texts = |path: &str| {
            let mut found = vec![];
            texts_at(&source, path, &mut found);
            found.into_iter().map(Value::to_text).collect::<Vec<_>>().join(" ")
        };
        let found = ["a", "a.raw", "b.c", "b.c.english", "e.f", "g.h", "g.h.i", "n"].map(texts);
        assert_eq!(found, ["x", "x", "y z", "y z", "w", "", "v", ""]);
    }

    #[test]
    fn words_of_rows_that_came_before_are_left_out() {
        let mut rows = Rows::default();
        let mut kept = |texts: &[&str]| {
            rows.begin();
            let mut kept = vec![];
            for text in texts {
                let tokens = text.split(' ').map(|word| word.as_bytes().into()).collect();
                kept.extend(rows.without_duplicates(tokens));
            }
            kept.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept(&["a b c d e f g"]), "a b c d e f g");
        assert_eq!(kept(&["x b c d e f g y"]), "x y");
        assert_eq!(kept(&["a b c d e"]), "a b c d e");
        assert_eq!(
            kept(&["a b c", "d e f"]),
            "a b c",
            "a row that goes on in the next text is known, but its beginning is past"
        );
        assert_eq!(kept(&["a b c", "d e f w x y z"]), "a b c z", "as many words are left out as a row has");
    }

    #[test]
    fn words_of_the_same_byte_are_the_same_in_rows() {
        let words: Vec<String> = (0..4000).map(|n| n.to_string()).collect();
        let other = words.iter().find(|word| hash128(word.as_bytes()).0 & 0xff == hash128(b"x").0 & 0xff).unwrap();
        let mut rows = Rows::default();
        let mut kept = |text: &str| {
            rows.begin();
            rows.without_duplicates(text.split(' ').map(|word| word.as_bytes().into()).collect()).len()
        };
        assert_eq!(kept("b c x d e f"), 6);
        assert_eq!(kept(&format!("b c {other} d e f")), 0);
    }
}

//! The values of a field of a document, and their tokens.

use super::options::{FieldOptions, Kind};
use crate::analysis::{Analyzer, OwnedToken};
use crate::error::{Error, Result};
use crate::json::Value;
use crate::mapping::{Field, Indexed};
use crate::query::ShardContext;
use crate::script::DerivedValues;
use crate::search::fetch::{FetchedDoc, values_at_all};
use crate::segment::StoredValue;
use std::sync::Arc;

/// The texts of a field.
pub struct FieldTexts {
    pub values: Vec<Text>,
}

/// One value.
pub struct Text {
    pub text: String,
    /// The same in the unit of offsets.
    pub units: Vec<u16>,
    pub tokens: Vec<OwnedToken>,
    /// The tokens that other fields, which are to be matched as well, make of the text.
    pub matched: Vec<(Arc<str>, Vec<OwnedToken>)>,
    /// Whether all of the text was looked at.
    pub analysed_whole: bool,
    /// The text with its tokens where more of it than was looked at may be shown, if nothing matches.
    pub whole: Option<(Vec<u16>, Vec<OwnedToken>)>,
}

impl FieldTexts {
    /// Whether the mapping says that positions and offsets of the field are kept for highlighting.
    pub fn has_vectors(field: &Field, cx: &ShardContext) -> bool {
        let vector = cx.mapping.term_vector_of(field);
        matches!(vector.as_deref(), Some("with_positions_offsets" | "with_positions_offsets_payloads"))
    }

    /// Whether the fast highlighter takes the field, in which it finds nothing: its term vectors have offsets without positions.
    pub fn is_blind(field: &Field, cx: &ShardContext) -> bool {
        cx.mapping.term_vector_of(field).as_deref() == Some("with_offsets")
    }

    /// Whether offsets of the field are in the index, so that long texts need not be analysed.
    pub fn has_offsets(field: &Field, cx: &ShardContext) -> bool {
        matches!(field.spec.indexed, Indexed::Terms { offsets: true, .. }) || Self::has_vectors(field, cx)
    }

    /// `by_pattern`: whether patterns are looked for, for which the reference analyses texts whose offsets are in the index, too.
    pub fn read(
        field: &Field,
        doc: &FetchedDoc,
        cx: &ShardContext,
        options: &FieldOptions,
        by_pattern: bool,
    ) -> Result<Self> {
        let ignore_above = field.ignore_above().map_or(usize::MAX, |above| above as usize);
        let mut values = vec![];
        for text in raw_values(field, doc, cx)? {
            let units: Vec<u16> = text.encode_utf16().collect();
            if units.len() > ignore_above {
                continue;
            }
            values.push((text, units));
        }
        let analysed = options.kind == Kind::Plain || (options.kind == Kind::Unified && !Self::has_offsets(field, cx));
        let longest = match options.kind {
            // One value after the other.
            Kind::Plain => values.iter().map(|(_, units)| units.len()).max().unwrap_or(0),
            _ => values.iter().map(|(_, units)| units.len() + 1).sum::<usize>().saturating_sub(1),
        };
        if let Some(most) = options.max_analyzer_offset
            && options.kind != Kind::Fast
            && usize::try_from(most).is_ok_and(|most| most > cx.limits.max_analyzed_offset)
        {
            return Err(Error::illegal_argument(format!(
                "max_analyzer_offset has exceeded [{}] - {MAXIMUM}",
                cx.limits.max_analyzed_offset
            )));
        }
        if analysed && longest > cx.limits.max_analyzed_offset && options.max_analyzer_offset.is_none() {
            return Err(too_long(field, options.kind, doc, cx));
        }
        let analysed_all_the_same = options.kind == Kind::Unified && by_pattern && !Self::has_vectors(field, cx);
        let most = match options.max_analyzer_offset {
            Some(most) if analysed || analysed_all_the_same => {
                usize::try_from(most).unwrap_or(0).min(cx.limits.max_analyzed_offset)
            }
            _ => usize::MAX,
        };
        let mut texts = vec![];
        for (mut text, mut units) in values {
            let mut whole = None;
            if options.kind == Kind::Plain && units.len() > most {
                if options.no_match_size > 0 {
                    whole = Some((units.clone(), analyse(field, &text)));
                }
                // To this highlighter a text ends where its analysis ends.
                units.truncate(most);
                text = String::from_utf16_lossy(&units);
            }
            let tokens_of = |field: &Field| {
                let mut tokens = analyse(field, &text);
                tokens.retain(|token| token.start_offset as usize <= most && token.end_offset as usize <= units.len());
                tokens
            };
            // The plain one knows no other fields.
            let others = options.matched_fields.iter().filter(|_| options.kind != Kind::Plain);
            let others = others.filter_map(|name| cx.mapping.field(name));
            let tokens_of_other = |other: &Field| match options.kind {
                // It knows no other tokens than those of vectors.
                Kind::Fast if !Self::has_vectors(other, cx) => vec![],
                _ => tokens_of(other),
            };
            let matched = others.map(|other| (other.name.clone(), tokens_of_other(other))).collect();
            let (tokens, analysed_whole) = (tokens_of(field), units.len() <= most);
            texts.push(Text { text, units, tokens, matched, analysed_whole, whole });
        }
        Ok(Self { values: texts })
    }
}

#[cold]
fn too_long(field: &Field, kind: Kind, doc: &FetchedDoc, cx: &ShardContext) -> Error {
    let (name, index, most) = (&field.name, &cx.index, cx.limits.max_analyzed_offset);
    // One highlighter names the document by its id, the other by its place in the segment.
    let (id, maximum) = match kind {
        Kind::Plain => (doc.view.segment.id(doc.doc).to_string(), MAXIMUM.replace(" is recommended", OTHERS)),
        _ => (doc.doc.to_string(), MAXIMUM.to_owned()),
    };
    Error::illegal_argument(format!(
        "The length of [{name}] field of [{id}] doc of [{index}] index has exceeded [{most}] - {maximum}"
    ))
}

const MAXIMUM: &str = "maximum allowed to be analyzed for highlighting. This maximum can be set by changing the \
     [index.highlight.max_analyzed_offset] index level setting. For large texts, indexing with offsets or term vectors is \
     recommended!";
const OTHERS: &str = ", and highlighting with unified or fvh highlighter is recommended";

/// The values as text: stored ones, or those of the source.
fn raw_values(field: &Field, doc: &FetchedDoc, cx: &ShardContext) -> Result<Vec<String>> {
    if let Some(derived) = &field.derived {
        let mut values = DerivedValues::new(derived, &cx.mapping, cx.now_ms)?;
        values.enter_segment(doc.view);
        let found = values.read(doc.doc)?;
        return Ok(found.iter().filter(|value| !value.is_null()).map(Value::to_text).collect());
    }
    if field.spec.stored {
        let own = doc.stored.fields.iter().filter(|(name, _)| **name == *field.name);
        return Ok(own.filter_map(|(_, value)| stored_text(value)).collect());
    }
    let null_value = field.null_value();
    let values = values_at_all(doc.source()?, &cx.mapping.source_paths(field), null_value.is_some());
    let shown = |value: &Value| match field.normalizer() {
        Some(normalizer) => normalizer.normalize(&value.to_text()).into_owned(),
        None => value.to_text(),
    };
    // What stands for nulls is a text of the field like any other.
    Ok(values.into_iter().map(|value| shown(null_value.filter(|_| value.is_null()).unwrap_or(value))).collect())
}

fn stored_text(value: &StoredValue) -> Option<String> {
    match value {
        StoredValue::String(text) => Some(text.clone()),
        StoredValue::Long(number) => Some(number.to_string()),
        _ => None,
    }
}

fn analyse(field: &Field, text: &str) -> Vec<OwnedToken> {
    let analyzer: Option<&Arc<Analyzer>> = field.index_analyzer().or(field.spec.analyzer.as_ref());
    match analyzer {
        Some(analyzer) => analyzer.tokens(text),
        None => {
            let length = text.encode_utf16().count() as u32;
            let text = match field.normalizer() {
                Some(normalizer) => normalizer.normalize(text).into_owned(),
                None => text.to_owned(),
            };
            vec![OwnedToken {
                text,
                start_offset: 0,
                end_offset: length,
                position: 0,
                position_length: 1,
                kind: "word".to_owned(),
            }]
        }
    }
}

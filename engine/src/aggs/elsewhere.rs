//! Texts that no column of their own has: those that stand in the columns of something else, and numbers that are said to be texts.

use super::format::Format;
use super::source::{Missing, Source, SourceConfig};
use crate::error::Result;
use crate::geo::decode_point;
use crate::mapping::number::java_f64;
use crate::mapping::{Family, Field, java_text};
use crate::query::ShardContext;
use crate::segment::{OrdinalColumn, SegmentView};
use std::sync::Arc;

/// Texts of documents that are kept for something else, in the segment that was entered.
pub(super) enum Elsewhere {
    /// Below a flat object: in a hidden field, where they begin with their path.
    Below {
        field: Arc<str>,
        prefix: String,
        column: Option<OrdinalColumn>,
    },
    Ids(Option<SegmentView>),
    /// The numbers of a field that are said to be texts.
    Numbers(Box<Source>),
}

impl Elsewhere {
    pub(super) fn enter_segment(&mut self, view: &SegmentView) {
        match self {
            Self::Below { field, column, .. } => {
                *column = view.segment.field(field).and_then(|held| held.ordinals()).cloned();
            }
            Self::Ids(entered) => *entered = Some(view.clone()),
            Self::Numbers(numbers) => numbers.enter_segment(view),
        }
    }

    pub(super) fn texts(&self, doc: u32, out: &mut Vec<Box<[u8]>>) -> Result<()> {
        match self {
            Self::Below { prefix, column: Some(column), .. } => {
                let mut ords = vec![];
                column.ords(doc, &mut ords);
                for ord in ords {
                    out.extend(column.term(ord).strip_prefix(prefix.as_bytes()).map(Box::from));
                }
            }
            Self::Ids(Some(view)) => out.push(view.segment.id(doc).as_bytes().into()),
            Self::Numbers(numbers) => {
                let (mut values, mut places) = (vec![], vec![]);
                if numbers.field().is_some_and(|field| field.family() == Family::GeoPoint) {
                    numbers.numbers(doc, &mut places)?;
                } else {
                    numbers.values(doc, &mut values)?;
                }
                let of_place = |place: i64| {
                    let place = decode_point(place);
                    format!("{}, {}", java_f64(place.lat), java_f64(place.lon))
                };
                let texts = values.iter().map(java_text).chain(places.into_iter().map(of_place));
                out.extend(texts.map(|text| text.into_bytes().into()));
            }
            Self::Below { column: None, .. } | Self::Ids(None) => {}
        }
        Ok(())
    }
}

impl SourceConfig {
    /// The numbers or the places of a field as texts, which the request says they are.
    pub(super) fn resolve_texts_of(&self, field: &Field, cx: &ShardContext) -> Result<Source> {
        let plain = Self { missing: None, value_type: None, ..self.clone() };
        let format = Format::Field(field.doc_value_format(None, None)?);
        let source = plain.source(Some((cx.mapping.clone(), field.id)), true, Missing::None, format, cx.now_ms);
        self.resolve_elsewhere(Elsewhere::Numbers(Box::new(source)), cx)
    }
}

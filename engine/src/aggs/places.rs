//! Where aggregations of places take them from: points, or shapes for those kinds that know what to do with them.

use super::accepted;
use super::parse::ParseContext;
use super::scripted::no_scripted_places;
use super::source_config::{
    SourceConfig, check_not_in_flat_object, no_doc_values, nothing_stands_in_for_ranges, parse_value_type,
    read_missing_shape, unsupported,
};
use crate::error::{Error, Result};
use crate::geo::{Bounds, Shape, encode_point, read_point};
use crate::json::{Entry, Value};
use crate::mapping::{DateContext, DocValues, Family, Field};
use crate::query::ShardContext;
use crate::script::{Script, context};
use crate::segment::{Batch, NumericColumn, OrdinalColumn, SegmentView};
use std::sync::Arc;

#[derive(Debug, Default, Clone)]
pub(crate) struct PlacesConfig {
    field: Option<String>,
    missing: Option<Value>,
    /// The type that the request says values have.
    value_type: Option<String>,
    /// It makes no places: it is read, and otherwise passed over.
    script: Option<Arc<Script>>,
}

/// The kinds that a script may be said for.
const SCRIPTED: &[&str] = &["geo_centroid", "geo_distance"];

impl PlacesConfig {
    pub(crate) const FIELDS: &[&str] = &["field", "missing", "value_type"];

    /// Takes the entry if it is one of the parameters that all these kinds have.
    pub(crate) fn accept(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
        match (entry.key.as_str(), &entry.value) {
            ("field", _) => self.field = Some(cx.text(entry)?),
            ("missing", Value::Null) => {
                let refusal = format!("[missing] must not be null: [{}]", cx.name);
                return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
            }
            ("missing", Value::Array(_) | Value::Object(_)) => return Err(cx.wrong_type(entry)),
            ("missing", value) => self.missing = Some(value.clone()),
            ("script", _) if SCRIPTED.contains(&cx.kind) => self.script = Some(cx.script(entry, "aggregation-script")?),
            ("value_type" | "valueType", _) => self.value_type = Some(parse_value_type(entry, cx)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `scripts`: whether the kind takes a script for a field.
    pub(crate) fn check(&self, scripts: bool) -> Result<()> {
        if self.field.is_some() || self.script.is_some() {
            return Ok(());
        }
        let fields = if scripts { "field, script" } else { "field" };
        Err(Error::illegal_argument(format!("Required one of fields [{fields}], but none were specified. ")))
    }

    /// Whether it is of a field that no mapping knows, and nothing stands in for it.
    pub(crate) fn is_unmapped(&self, cx: &ShardContext) -> bool {
        self.missing.is_none() && cx.mapping.field(self.field.as_deref().unwrap_or_default()).is_none()
    }

    /// `shapes`: whether the kind takes those, too.
    pub(crate) fn resolve(&self, cx: &ShardContext, agg_type: &str, shapes: bool) -> Result<Places> {
        self.script.as_ref().map_or(Ok(()), |script| script.check(&context::AGGS, &cx.mapping))?;
        if self.field.is_none() && self.script.is_some() {
            let said = SourceConfig { value_type: self.value_type.clone(), ..SourceConfig::default() };
            return Err(said.value_type.as_ref().map_or_else(no_scripted_places, |_| said.yielding(agg_type)));
        }
        let name = self.field.as_deref().unwrap_or_default();
        let field = cx.mapping.field(name);
        check_not_in_flat_object(cx, name, agg_type)?;
        if let Some(field) = field {
            accepted::check_has_values(field)?;
            accepted::check_places_type(field, self.value_type.as_deref(), agg_type)?;
            if field.spec.doc_values == DocValues::None && !field.fielddata() {
                return Err(no_doc_values(field, agg_type));
            }
        } else if let Some(value_type) = &self.value_type {
            // Whatever it names, it is no place.
            let said = SourceConfig {
                value_type: Some(value_type.clone()),
                ..SourceConfig::of_field(name, self.missing.clone())
            };
            said.resolve_unmapped(cx, agg_type)?;
        }
        let is_shape = match field.map(|field| field.family()) {
            None | Some(Family::GeoPoint) => false,
            Some(Family::GeoShape) if shapes => true,
            Some(family) => {
                if let (Family::GeoShape, Some(missing)) = (family, &self.missing) {
                    read_missing_shape(missing)?;
                }
                let refused = |field| self.refusal(field, cx, agg_type);
                return Err(field.map_or_else(|| Error::illegal_argument(""), refused));
            }
        };
        let missing = match &self.missing {
            None => Missing::None,
            Some(value) if is_shape => Missing::Shape(read_missing_shape(value)?.encode()),
            // Whatever it is stands for a point as its text does.
            Some(value) => Missing::Point(encode_point(read_point(&Value::from(value.to_text()), true)?)),
        };
        Ok(Places { name: field.map(|field| field.name.clone()), missing, leaf: Leaf::Absent, ords: vec![] })
    }

    /// The refusal of a field without places: what stands in for its values is read before.
    fn refusal(&self, field: &Field, cx: &ShardContext, agg_type: &str) -> Error {
        let source = SourceConfig::of_field(&field.name, self.missing.clone());
        match field.family() {
            Family::Range if self.missing.is_some() => nothing_stands_in_for_ranges(),
            Family::Range | Family::GeoShape => unsupported(field, agg_type),
            _ => match source.stand_in(field, agg_type, &DateContext { now_ms: cx.now_ms }) {
                Ok(_) => unsupported(field, agg_type),
                Err(unread) => unread,
            },
        }
    }
}

enum Missing {
    None,
    Point(i64),
    Shape(Vec<u8>),
}

enum Leaf {
    Absent,
    Points(NumericColumn),
    Shapes(OrdinalColumn),
}

/// The places of one field on one shard, segment by segment.
pub(crate) struct Places {
    name: Option<Arc<str>>,
    missing: Missing,
    leaf: Leaf,
    ords: Vec<u32>,
}

impl Places {
    pub(crate) fn enter_segment(&mut self, view: &SegmentView) {
        let field = self.name.as_ref().and_then(|name| view.segment.field(name));
        self.leaf = match field.map(|field| (field.numeric(), field.ordinals())) {
            Some((Some(points), _)) => Leaf::Points(points.clone()),
            Some((None, Some(shapes))) => Leaf::Shapes(shapes.clone()),
            _ => Leaf::Absent,
        };
    }

    /// No document of this segment has a place, and none is given one.
    pub(crate) fn is_absent(&self) -> bool {
        matches!((&self.leaf, &self.missing), (Leaf::Absent, Missing::None))
    }

    /// Reads the encoded points of documents at once; false where a document may have several, or a shape, or a stand-in.
    pub(crate) fn read(&self, docs: &[u32], batch: &mut Batch) -> bool {
        let Leaf::Points(column) = &self.leaf else { return false };
        let plain = column.single_valued() && (column.docs().is_all() || matches!(self.missing, Missing::None));
        if plain {
            column.read(docs, batch);
        }
        plain
    }

    /// The encoded points of a document, ascending; clears `out` first.
    pub(crate) fn points(&self, doc: u32, out: &mut Vec<i64>) {
        out.clear();
        if let Leaf::Points(column) = &self.leaf {
            column.values(doc, out);
        }
        if let (true, Missing::Point(point)) = (out.is_empty(), &self.missing) {
            out.push(*point);
        }
    }

    /// Calls `each` with the bytes of each shape of a document.
    fn for_each_shape(&mut self, doc: u32, mut each: impl FnMut(&[u8])) {
        let mut any = false;
        if let Leaf::Shapes(column) = &self.leaf {
            column.ords(doc, &mut self.ords);
            any = !self.ords.is_empty();
            self.ords.iter().for_each(|ord| each(&column.term(*ord)));
        }
        if let (false, Missing::Shape(shape)) = (any, &self.missing) {
            each(shape);
        }
    }

    pub(crate) fn shapes(&mut self, doc: u32) -> Vec<Shape> {
        let mut shapes = vec![];
        self.for_each_shape(doc, |bytes| shapes.extend(Shape::decode(bytes)));
        shapes
    }

    /// The boxes around the shapes of a document.
    pub(crate) fn boxes(&mut self, doc: u32) -> Vec<Bounds> {
        let mut boxes = vec![];
        self.for_each_shape(doc, |bytes| boxes.extend(Shape::decode_bounds(bytes)));
        boxes
    }
}

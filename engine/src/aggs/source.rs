//! Where an aggregation's values come from: a field's doc values, with a stand-in for documents that have none.

use super::format::Format;
use super::parse::ParseContext;
use super::scripted::Scripted;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Entry, Value};
use crate::mapping::{DateContext, DocValues, Family, Field, FieldId, FieldRange, Mapping, RangeBounds};
use crate::query::ShardContext;
use crate::script::Script;
use crate::search::check_fielddata;
use crate::segment::{Batch, NumericColumn, OrdinalColumn, Segment, SegmentView};
use std::borrow::Cow;
use std::sync::Arc;

/// The parameters that name and shape values, common to most kinds.
#[derive(Debug, Default, Clone)]
pub(crate) struct SourceConfig {
    pub(crate) field: Option<String>,
    pub(super) missing: Option<Value>,
    pub(crate) format: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(super) script: Option<Arc<Script>>,
    pub(super) value_type: Option<String>,
}

impl SourceConfig {
    pub(crate) const FIELDS: &[&str] = &["field", "missing", "format", "time_zone", "value_type", "script"];

    /// The values of a field, with nothing else said.
    pub(crate) fn of_field(name: &str, missing: Option<Value>) -> Self {
        Self { field: Some(name.to_owned()), missing, ..Self::default() }
    }

    /// Takes the entry if it is one of the common parameters.
    pub(crate) fn accept(&mut self, entry: &Entry, cx: &ParseContext<'_>) -> Result<bool> {
        match entry.key.as_str() {
            "field" => self.field = Some(cx.string(entry)?),
            "missing" => match &entry.value {
                Value::Null | Value::Array(_) | Value::Object(_) => return Err(cx.wrong_type(entry)),
                scalar => self.missing = Some(scalar.clone()),
            },
            "format" => self.format = Some(cx.string(entry)?),
            "time_zone" => self.time_zone = Some(cx.string(entry)?),
            "value_type" => self.value_type = Some(cx.string(entry)?),
            "script" => self.script = Some(Script::parse(&entry.value).map_err(|e| cx.failed_at_end(entry, e))?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether the required parameters are there.
    pub(crate) fn check(&self) -> Result<()> {
        if self.field.is_some() || self.script.is_some() {
            return Ok(());
        }
        Err(Error::illegal_argument("Required one of fields [field, script], but none were specified. "))
    }

    /// Numbers only: the reference's refusal for other fields.
    pub(crate) fn resolve_numeric(&self, cx: &ShardContext, agg_type: &str) -> Result<Source> {
        if self.script.is_some() {
            return self.resolve_script(cx, agg_type, true);
        }
        let mut source = self.resolve_any(cx, agg_type)?;
        if let (None, Missing::Bytes(_), Some(missing)) = (&source.mapping, &source.missing, &self.missing) {
            // Numbers that stand in for a field which no mapping knows.
            let number = missing.as_f64().or_else(|| missing.to_text().trim().parse().ok()).ok_or_else(|| {
                Error::new(ErrorKind::NumberFormat, format!("For input string: \"{}\"", missing.to_text()))
            })?;
            (source.numeric, source.missing) = (true, Missing::Plain(number));
        }
        match source.field() {
            Some(field) if !source.numeric => Err(unsupported(field, agg_type)),
            _ => Ok(source),
        }
    }

    /// Numbers or bytes.
    pub(crate) fn resolve_any(&self, cx: &ShardContext, agg_type: &str) -> Result<Source> {
        if self.script.is_some() {
            return self.resolve_script(cx, agg_type, false);
        }
        let name = self.field.as_deref().unwrap_or_default();
        let dates = DateContext { now_ms: cx.now_ms };
        let Some(field) = cx.mapping.field(name) else {
            let missing = match &self.missing {
                None => Missing::None,
                Some(value) => Missing::Bytes(value.to_text().into_bytes()),
            };
            let numeric = matches!(missing, Missing::None);
            return Ok(self.source(None, numeric, missing, Format::Raw, cx.now_ms));
        };
        if field.family() == Family::Index {
            // Every document of the shard has this one value.
            let index = Missing::Bytes(cx.index.as_bytes().to_vec());
            return Ok(self.source(None, false, index, Format::Raw, cx.now_ms));
        }
        if field.spec.doc_values == DocValues::None && !field.fielddata() {
            return Err(no_doc_values(field, agg_type));
        }
        check_fielddata(field, cx)?;
        let is_point = field.family() == Family::GeoPoint;
        if (is_point || field.family() == Family::GeoShape) && !OF_PLACES.contains(&agg_type) {
            return Err(unsupported(field, agg_type));
        }
        let numeric = field.family().is_numeric() || is_point;
        let missing = match &self.missing {
            None => Missing::None,
            Some(value) if numeric => Missing::Number(field.parse_missing_number(value, &dates)?),
            Some(value) => Missing::Bytes(field.parse_missing_bytes(value)?),
        };
        let format = Format::Field(field.doc_value_format(self.format.as_deref(), self.time_zone.as_deref())?);
        Ok(self.source(Some((cx.mapping.clone(), field.id)), numeric, missing, format, cx.now_ms))
    }

    pub(super) fn source(
        &self,
        mapping: Option<(Arc<Mapping>, FieldId)>,
        numeric: bool,
        missing: Missing,
        format: Format,
        now_ms: i64,
    ) -> Source {
        Source {
            mapping,
            numeric,
            missing,
            format,
            config: self.clone(),
            now_ms,
            leaf: Leaf::Absent,
            scratch: vec![],
            script: None,
        }
    }
}

/// The kinds that take places as they are: they only tell them apart.
const OF_PLACES: &[&str] = &["cardinality", "geotile_grid", "missing", "value_count"];

#[cold]
fn unsupported(field: &Field, agg_type: &str) -> Error {
    Error::illegal_argument(format!(
        "Field [{}] of type [{}] is not supported for aggregation [{agg_type}]",
        field.name, field.type_name
    ))
}

#[cold]
pub(crate) fn no_doc_values(field: &Field, agg_type: &str) -> Error {
    match field.family() {
        Family::Text => Error::illegal_argument(format!(
            "Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [{}] in order to load field data by uninverting the inverted index. Note that this can use significant memory.",
            field.name
        )),
        Family::Keyword | Family::Ip | Family::Binary => Error::illegal_argument(format!(
            "Can't load fielddata on [{}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            field.name, field.type_name
        )),
        family if family.is_numeric() => Error::illegal_argument(format!(
            "Can't load fielddata on [{}] because fielddata is unsupported on fields of type [{}]. Use doc values instead.",
            field.name, field.type_name
        )),
        _ => unsupported(field, agg_type),
    }
}

#[derive(Debug, Clone)]
pub(super) enum Missing {
    None,
    /// An encoded number of the field.
    Number(i64),
    /// A number for a field that no mapping knows.
    Plain(f64),
    Bytes(Vec<u8>),
}

/// The values of one field on one shard, segment by segment.
pub(crate) struct Source {
    mapping: Option<(Arc<Mapping>, FieldId)>,
    pub(super) numeric: bool,
    missing: Missing,
    pub(super) format: Format,
    config: SourceConfig,
    now_ms: i64,
    leaf: Leaf,
    scratch: Vec<i64>,
    /// Gives the values in place of a column.
    pub(super) script: Option<Box<Scripted>>,
}

enum Leaf {
    Absent,
    /// Columns are handles; cloning them copies no data.
    Numbers(NumericColumn),
    Ordinals(OrdinalColumn),
}

impl Source {
    fn field(&self) -> Option<&Field> {
        self.mapping.as_ref().map(|(mapping, id)| mapping.by_id(*id))
    }

    pub(crate) fn field_name(&self) -> Option<&str> {
        self.field().map(|field| &*field.name)
    }

    pub(crate) fn is_mapped(&self) -> bool {
        self.mapping.is_some() || self.is_scripted()
    }

    /// Whether a script gives the values, so that nothing is known of them before documents are collected.
    pub(crate) fn is_scripted(&self) -> bool {
        self.script.is_some()
    }

    /// Whether values are bytes, told apart by ordinals.
    pub(crate) fn is_bytes(&self) -> bool {
        !self.numeric
    }

    /// Whether numbers are whole ones.
    pub(crate) fn is_integral(&self) -> bool {
        if let Some(script) = &self.script {
            return script.integral;
        }
        match self.field() {
            Some(field) => field.family() != Family::Float,
            None => !matches!(self.missing, Missing::Plain(v) if v.fract() != 0.0),
        }
    }

    /// Whether encoded numbers are what they stand for.
    pub(crate) fn is_whole_numbers(&self) -> bool {
        self.field().is_some_and(|field| field.number_kind().is_none_or(|kind| kind.is_integer()))
    }

    pub(crate) fn format(&self) -> &Format {
        &self.format
    }

    /// Histograms over numbers show text only for an explicit format; dates and booleans have theirs.
    pub(crate) fn histogram_format(&self) -> Format {
        self.format.clone()
    }

    pub(crate) fn enter_segment(&mut self, view: &SegmentView) {
        self.leaf = self.open(&view.segment);
        if let Some(script) = &self.script {
            script.enter_segment(view);
        }
    }

    fn open(&self, segment: &Segment) -> Leaf {
        let Some(field) = self.field().and_then(|f| segment.field(&f.name)) else { return Leaf::Absent };
        if self.numeric {
            field.numeric().map_or(Leaf::Absent, |c| Leaf::Numbers(c.clone()))
        } else {
            field.ordinals().map_or(Leaf::Absent, |c| Leaf::Ordinals(c.clone()))
        }
    }

    /// No document of this segment has a value, and none is given a stand-in.
    pub(crate) fn is_absent(&self) -> bool {
        !self.is_scripted() && matches!((&self.leaf, &self.missing), (Leaf::Absent, Missing::None))
    }

    /// Whether a document has a value of its own or a stand-in.
    pub(crate) fn has(&self, doc: u32) -> Result<bool> {
        if !matches!(self.missing, Missing::None) {
            return Ok(true);
        }
        if let Some(script) = &self.script {
            let mut ords = vec![];
            script.ords(doc, &mut ords)?;
            return Ok(!ords.is_empty());
        }
        Ok(match &self.leaf {
            Leaf::Absent => false,
            Leaf::Numbers(column) => column.has(doc),
            Leaf::Ordinals(column) => column.has(doc),
        })
    }

    /// The values of a document as a script sees them; clears `out` first.
    pub(super) fn values(&self, doc: u32, out: &mut Vec<Value>) -> Result<()> {
        out.clear();
        if !self.numeric {
            let mut ords = vec![];
            self.ords(doc, &mut ords)?;
            out.extend(ords.iter().map(|ord| match &self.format {
                Format::Field(format) => Value::from(format.bytes_text(&self.term(*ord))),
                _ => Value::from(String::from_utf8_lossy(&self.term(*ord)).into_owned()),
            }));
            return Ok(());
        }
        let mut numbers = vec![];
        self.numbers(doc, &mut numbers)?;
        let whole = self.is_whole_numbers();
        out.extend(numbers.into_iter().map(|n| if whole { Value::Int(n) } else { Value::Float(self.decode(n)) }));
        Ok(())
    }

    /// The encoded numbers of a document, ascending; clears `out` first.
    #[inline]
    pub(crate) fn numbers(&self, doc: u32, out: &mut Vec<i64>) -> Result<()> {
        out.clear();
        if let Some(script) = &self.script {
            script.numbers(doc, out)?;
        }
        match &self.leaf {
            Leaf::Numbers(column) if column.single_valued() => out.extend(column.first(doc)),
            Leaf::Numbers(column) => column.values(doc, out),
            _ => {}
        }
        if out.is_empty() {
            match self.missing {
                Missing::Number(number) => out.push(number),
                Missing::Plain(number) => out.push(number as i64),
                _ => {}
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn decode(&self, number: i64) -> f64 {
        if let Some(script) = &self.script {
            return script.kind().decode(number);
        }
        self.field().map_or(number as f64, |f| f.decode_number(number))
    }

    /// The numbers of a document as doubles, ascending; clears `out` first.
    pub(crate) fn doubles(&mut self, doc: u32, out: &mut Vec<f64>) -> Result<()> {
        out.clear();
        if let (Leaf::Absent, Missing::Plain(number)) = (&self.leaf, &self.missing) {
            out.push(*number);
            return Ok(());
        }
        let mut numbers = std::mem::take(&mut self.scratch);
        self.numbers(doc, &mut numbers)?;
        out.extend(numbers.iter().map(|n| self.decode(*n)));
        self.scratch = numbers;
        Ok(())
    }

    /// Appends the values of all `docs`.
    pub(crate) fn all_doubles(&mut self, docs: &[u32], out: &mut Vec<f64>) -> Result<()> {
        if let Some(number) = self.plain_missing() {
            out.resize(out.len() + docs.len(), number);
            return Ok(());
        }
        let mut batch = Batch::default();
        self.read(docs, &mut batch)?;
        self.decode_all(batch.values(), out);
        Ok(())
    }

    /// Reads the encoded numbers or the ordinals of `docs` into `batch`; documents without a number get the stand-in for
    /// those, if there is one.
    pub(crate) fn read(&self, docs: &[u32], batch: &mut Batch) -> Result<()> {
        match &self.leaf {
            Leaf::Absent => match &self.script {
                Some(script) => script.read(docs, self.numeric, batch)?,
                None => batch.clear(docs.len()),
            },
            Leaf::Numbers(column) => column.read(docs, batch),
            Leaf::Ordinals(column) => column.read(docs, batch),
        }
        if let Missing::Number(number) = self.missing {
            batch.fill_missing(number);
        }
        Ok(())
    }

    /// Like [`Source::read`], with whole numbers for those that stand in where no mapping knows the field.
    pub(crate) fn read_or_plain(&self, docs: &[u32], batch: &mut Batch) -> Result<()> {
        self.read(docs, batch)?;
        if let Some(number) = self.plain_missing() {
            batch.fill_missing(number as i64);
        }
        Ok(())
    }

    /// The encoded stand-in for documents without a number.
    pub(crate) fn missing_number(&self) -> Option<i64> {
        match self.missing {
            Missing::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The stand-in for documents without a value, where no mapping knows the field.
    pub(crate) fn plain_missing(&self) -> Option<f64> {
        match (&self.leaf, &self.missing) {
            (Leaf::Absent, Missing::Plain(number)) => Some(*number),
            _ => None,
        }
    }

    /// Whether any document may be given a stand-in.
    pub(crate) fn has_missing(&self) -> bool {
        !matches!(self.missing, Missing::None)
    }

    /// The numbers of the current segment, if it has any.
    pub(crate) fn number_column(&self) -> Option<&NumericColumn> {
        match &self.leaf {
            Leaf::Numbers(column) => Some(column),
            _ => None,
        }
    }

    /// The byte values of the current segment, if it has any.
    pub(crate) fn ordinal_column(&self) -> Option<&OrdinalColumn> {
        match &self.leaf {
            Leaf::Ordinals(column) => Some(column),
            _ => None,
        }
    }

    /// Appends what the numbers of a batch stand for.
    pub(crate) fn decode_all(&self, numbers: &[i64], out: &mut Vec<f64>) {
        let scripted = self.script.as_ref().map(|script| script.kind());
        match scripted.or_else(|| self.field().and_then(Field::number_kind)) {
            Some(kind) => out.extend(numbers.iter().map(|number| kind.decode(*number))),
            None => out.extend(numbers.iter().map(|number| *number as f64)),
        }
    }

    /// Distinct byte values of the segment.
    pub(crate) fn num_ords(&self) -> u32 {
        match &self.leaf {
            Leaf::Ordinals(column) => column.num_ords(),
            _ => self.script.as_ref().map_or(0, |script| script.num_ords()),
        }
    }

    /// The ordinals of a document, ascending; clears `out` first.
    #[inline]
    pub(crate) fn ords(&self, doc: u32, out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        if let Some(script) = &self.script {
            return script.ords(doc, out);
        }
        match &self.leaf {
            Leaf::Ordinals(column) if column.single_valued() => out.extend(column.first(doc)),
            Leaf::Ordinals(column) => column.ords(doc, out),
            _ => {}
        }
        Ok(())
    }

    /// The first ordinal of this segment whose bytes are `bytes` or more.
    pub(crate) fn ord_at_or_after(&self, bytes: &[u8]) -> u32 {
        match &self.leaf {
            Leaf::Ordinals(column) => column.ord_of(bytes).unwrap_or_else(|at| at),
            _ => 0,
        }
    }

    pub(crate) fn is_date(&self) -> bool {
        self.field().is_some_and(|field| field.family() == Family::Date)
    }

    /// The refusal of an aggregation that has no use for such values.
    pub(crate) fn unsupported(&self, agg_type: &str) -> Error {
        match self.field() {
            Some(field) => unsupported(field, agg_type),
            None => Error::illegal_argument(format!(
                "values without a field are not supported for aggregation [{agg_type}]"
            )),
        }
    }

    /// Fails unless values are addresses.
    pub(crate) fn check_ip(&self, agg_type: &str) -> Result<()> {
        match self.field() {
            Some(field) if field.family() != Family::Ip => Err(unsupported(field, agg_type)),
            _ => Ok(()),
        }
    }

    /// The bytes of an ordinal of this segment.
    pub(crate) fn term(&self, ord: u32) -> Cow<'_, [u8]> {
        match &self.leaf {
            Leaf::Ordinals(column) => column.term(ord),
            _ => match &self.script {
                Some(script) => Cow::Owned(script.term(ord)),
                None => Cow::Borrowed(&[]),
            },
        }
    }

    /// The stand-in for documents without bytes.
    pub(crate) fn missing_bytes(&self) -> Option<&[u8]> {
        match &self.missing {
            Missing::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// All values of the segment, for terms that are wanted even without documents.
    pub(crate) fn all_numbers(&self) -> Vec<i64> {
        let Leaf::Numbers(column) = &self.leaf else { return vec![] };
        let (mut all, mut one) = (vec![], vec![]);
        let mut docs = column.docs().iter();
        while docs.doc() != crate::segment::NO_MORE_DOCS {
            column.values(docs.doc(), &mut one);
            all.extend_from_slice(&one);
            docs.next();
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A bound as the request writes it: a number, or text that the field understands (dates, date math).
    pub(crate) fn parse_bound(&self, value: &Value) -> Result<f64> {
        if let Some(number) = value.as_f64() {
            return Ok(number);
        }
        let text = value.to_text();
        match self.field() {
            Some(field) if field.family() == Family::Date => {
                let bounds = RangeBounds {
                    gte: Some(value),
                    format: self.config.format.as_deref(),
                    time_zone: self.config.time_zone.as_deref(),
                    ..RangeBounds::default()
                };
                match field.range(&bounds, self.now_ms)? {
                    FieldRange::Numbers(low, _) => Ok(low as f64),
                    _ => Err(Error::new(ErrorKind::Parse, format!("failed to parse date field [{text}]"))),
                }
            }
            _ => text
                .trim()
                .parse()
                .map_err(|_| Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))),
        }
    }

    /// The bytes of a term that the request names.
    pub(crate) fn parse_bytes(&self, value: &Value) -> Result<Vec<u8>> {
        match self.field() {
            Some(field) => field.parse_missing_bytes(value),
            None => Ok(value.to_text().into_bytes()),
        }
    }

    /// The encoded number of a term that the request names.
    pub(crate) fn parse_number(&self, value: &Value) -> Result<i64> {
        match self.field() {
            Some(field) => field.parse_missing_number(value, &DateContext { now_ms: self.now_ms }),
            None => {
                let number = value.as_f64().unwrap_or(0.0);
                let kind = self.script.as_ref().filter(|s| !s.integral).map(|script| script.kind());
                Ok(kind.map_or(number as i64, |kind| kind.encode_saturating(number)))
            }
        }
    }
}

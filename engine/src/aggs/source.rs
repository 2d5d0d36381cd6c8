//! Where an aggregation's values come from: a field's doc values, with a stand-in for documents that have none.

use super::format::Format;
use super::partial::Key;
use super::scripted::Scripted;
pub(crate) use super::source_config::SourceConfig;
use super::source_config::unsupported;
use crate::error::Result;
use crate::json::Value;
use crate::mapping::number::{NumberKind, decode_u64, encode_u64};
use crate::mapping::{DocValueFormat, Family, Field, FieldId, Mapping};
use crate::score::Selection;
use crate::segment::{Batch, NumericColumn, OrdinalColumn, Points, Segment, SegmentView};
use std::borrow::Cow;
use std::sync::Arc;

/// Documents of a segment whose scripts are run in one go: nobody else has the core meanwhile.
const SCRIPTED_DOCS_MAX: u32 = 1_024;

#[derive(Debug, Clone)]
pub(super) enum Missing {
    None,
    /// An encoded number of the field.
    Number(i64),
    /// A number for a field that no mapping knows.
    Plain(f64),
    Bytes(Vec<u8>),
}

/// What is made of the numbers of a column before an aggregation sees them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Recode {
    Never,
    /// Nanoseconds to milliseconds: aggregations know no finer time.
    Millis,
    /// Whole numbers to doubles.
    Doubles(NumberKind),
    /// Fractions to whole numbers, which are times.
    Times(NumberKind),
}

impl Recode {
    #[inline]
    pub(super) fn apply(self, number: i64) -> i64 {
        match self {
            Self::Never => number,
            Self::Millis => number.div_euclid(NANOS_PER_MILLI),
            Self::Doubles(from) => NumberKind::Double.encode_saturating(from.decode(number)),
            Self::Times(from) => from.decode(number) as i64,
        }
    }
}

const NANOS_PER_MILLI: i64 = 1_000_000;

/// The values of one field on one shard, segment by segment.
pub(crate) struct Source {
    pub(super) mapping: Option<(Arc<Mapping>, FieldId)>,
    pub(super) numeric: bool,
    pub(super) missing: Missing,
    pub(super) format: Format,
    pub(super) config: SourceConfig,
    pub(super) now_ms: i64,
    pub(super) leaf: Leaf,
    pub(super) scratch: Vec<i64>,
    /// Gives the values in place of a column.
    pub(super) script: Option<Box<Scripted>>,
    pub(super) recode: Recode,
    /// All documents of the index have one value, which is the stand-in.
    pub(super) constant: bool,
}

pub(super) enum Leaf {
    Absent,
    /// Columns are handles; cloning them copies no data.
    Numbers(NumericColumn),
    Ordinals(OrdinalColumn),
}

impl Source {
    pub(super) fn field(&self) -> Option<&Field> {
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
        if matches!(self.recode, Recode::Doubles(_)) {
            return false;
        }
        match self.field() {
            Some(field) => field.family() != Family::Float || matches!(self.recode, Recode::Times(_)),
            None => !matches!(self.missing, Missing::Plain(v) if v.fract() != 0.0),
        }
    }

    /// Whether encoded numbers are what they stand for.
    pub(crate) fn is_whole_numbers(&self) -> bool {
        !matches!(self.recode, Recode::Doubles(_))
            && self.field().is_some_and(|field| field.number_kind().is_none_or(|kind| kind.is_integer()))
    }

    /// Whether whole numbers are without a sign.
    pub(crate) fn is_unsigned(&self) -> bool {
        self.recode == Recode::Never && self.field().and_then(Field::number_kind) == Some(NumberKind::UnsignedLong)
    }

    /// The key of an encoded number.
    pub(crate) fn number_key(&self, number: i64) -> Key {
        if self.is_unsigned() {
            return Key::Unsigned(decode_u64(number));
        }
        if self.is_integral() { Key::Long(number) } else { Key::Double(self.decode(number)) }
    }

    /// The numbers of the column, from and to, that a key of these values stands for.
    pub(crate) fn numbers_of_key(&self, key: &Key) -> Option<(i64, i64)> {
        match (key, self.recode) {
            (Key::Long(ms), Recode::Millis) => {
                let first = ms.saturating_mul(NANOS_PER_MILLI);
                Some((first, first.saturating_add(NANOS_PER_MILLI - 1)))
            }
            (Key::Long(_), Recode::Times(_)) | (Key::Double(_), Recode::Times(_)) => None,
            (Key::Long(number), _) => Some((*number, *number)),
            (Key::Unsigned(number), _) => Some((encode_u64(*number), encode_u64(*number))),
            (Key::Double(number), Recode::Never) => {
                let number = self.field()?.encode_number(*number);
                Some((number, number))
            }
            (Key::Double(number), Recode::Millis) => Some((*number as i64, *number as i64)),
            (Key::Double(number), Recode::Doubles(from)) => {
                let encoded = from.encode_saturating(*number);
                (from.decode(encoded) == *number).then_some((encoded, encoded))
            }
            (Key::Bytes(_) | Key::Many(_), _) => None,
        }
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
        let stands_in = !matches!(self.missing, Missing::None);
        if stands_in && self.script.is_none() {
            return Ok(true);
        }
        if let Some(script) = &self.script {
            if self.numeric {
                let mut numbers = vec![];
                script.numbers(doc, &mut numbers)?;
                return Ok(stands_in || !numbers.is_empty());
            }
            let mut ords = vec![];
            script.ords(doc, &mut ords)?;
            return Ok(stands_in || !ords.is_empty());
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
        if self.recode != Recode::Never {
            out.iter_mut().for_each(|number| *number = self.recode.apply(*number));
        }
        if out.is_empty() {
            match self.missing {
                Missing::Number(number) => out.push(number),
                Missing::Plain(number) => out.push(self.encode_plain(number)),
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
        if let Recode::Doubles(_) = self.recode {
            return NumberKind::Double.decode(number);
        }
        self.field().map_or(number as f64, |f| f.decode_number(number))
    }

    /// What the least and the greatest number are encoded as.
    pub(crate) fn encoded_ends(&self) -> (i64, i64) {
        let doubles = matches!(self.recode, Recode::Doubles(_)).then_some(NumberKind::Double);
        let kind = self.script.as_ref().map(|script| script.kind()).or(doubles);
        match kind.or_else(|| self.field().and_then(Field::number_kind)) {
            Some(kind) => (kind.encode_saturating(f64::NEG_INFINITY), kind.encode_saturating(f64::INFINITY)),
            None => (i64::MIN, i64::MAX),
        }
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

    /// The values of `docs` as doubles; `batch` tells whose they are.
    pub(crate) fn all_doubles(&self, docs: &[u32], values: &mut Vec<f64>, batch: &mut Batch) -> Result<()> {
        values.clear();
        if let Some(number) = self.plain_missing() {
            batch.clear(docs.len());
            batch.fill_missing(0);
            values.resize(docs.len(), number);
            return Ok(());
        }
        self.read(docs, batch)?;
        self.decode_all(batch.values(), values);
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
            Leaf::Numbers(column) => {
                column.read(docs, batch);
                if self.recode != Recode::Never {
                    batch.map(|number| self.recode.apply(number));
                }
            }
            Leaf::Ordinals(column) => column.read(docs, batch),
        }
        if let Missing::Number(number) = self.missing {
            batch.fill_missing(number);
        }
        Ok(())
    }

    /// Like [`Source::read`], with encoded numbers for those that stand in where no mapping knows the field.
    pub(crate) fn read_or_plain(&self, docs: &[u32], batch: &mut Batch) -> Result<()> {
        self.read(docs, batch)?;
        if let Some(number) = self.plain_missing() {
            batch.fill_missing(self.encode_plain(number));
        }
        Ok(())
    }

    /// Shows `see` what the script gives for all documents of a segment, whether they match or not. Of a segment that has too
    /// many for one go, nothing.
    pub(crate) fn each_scripted(&self, view: &SegmentView, see: impl FnOnce(&Batch) -> Result<()>) -> Result<()> {
        if self.script.is_none() || view.max_doc() > SCRIPTED_DOCS_MAX {
            return Ok(());
        }
        // What is nested has none of the fields that a script reads of its root.
        let docs: Vec<u32> = (0..view.max_doc()).filter(|doc| view.segment.is_root(*doc)).collect();
        let mut batch = Batch::default();
        self.read(&docs, &mut batch)?;
        see(&batch)
    }

    /// The encoded stand-in for documents without a number.
    pub(crate) fn missing_number(&self) -> Option<i64> {
        match self.missing {
            Missing::Number(number) => Some(number),
            _ => None,
        }
    }

    /// How a number that no mapping knows is encoded: fractions as doubles, others as they are.
    fn encode_plain(&self, number: f64) -> i64 {
        match self.recode {
            Recode::Doubles(kind) => kind.encode_saturating(number),
            _ => number as i64,
        }
    }

    /// What stands in for documents of this segment, encoded.
    pub(crate) fn stand_in(&self) -> Option<i64> {
        self.missing_number().or_else(|| self.plain_missing().map(|number| self.encode_plain(number)))
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

    /// Whether all documents have one value, which the request has not said.
    pub(crate) fn is_constant(&self) -> bool {
        self.constant && self.config.missing.is_none()
    }

    /// Whether the request says what stands in for missing values, and not the index.
    pub(crate) fn is_told_missing(&self) -> bool {
        self.has_missing() && !self.is_constant()
    }

    /// The numbers of the current segment, if it has any and they are those that the aggregation sees.
    pub(crate) fn number_column(&self) -> Option<&NumericColumn> {
        match &self.leaf {
            Leaf::Numbers(column) if self.recode == Recode::Never => Some(column),
            _ => None,
        }
    }

    /// The points of a segment that stand for a selection, and the bounds of their numbers: where each document of the selection has
    /// one of them, and no other document has.
    pub(crate) fn selected_points<'v>(
        &self,
        view: &'v SegmentView,
        selection: &Selection,
    ) -> Option<(&'v Points, (i64, i64))> {
        let (points, column) = (view.segment.field(self.field_name()?)?.points()?, self.number_column()?);
        if matches!(self.recode, Recode::Times(_)) {
            return None;
        }
        let bounds = match selection {
            Selection::All if !self.has_missing() || column.docs().is_all() => (i64::MIN, i64::MAX),
            Selection::Range { field, lo, hi, .. } if Some(&**field) == self.field_name() => (*lo, *hi),
            _ => return None,
        };
        let counts_docs = points.single_valued() && points.count(i64::MIN, i64::MAX) == column.value_count();
        counts_docs.then_some((points, bounds))
    }

    /// The least and the greatest number of the current segment, as the aggregation sees them.
    pub(crate) fn number_range(&self) -> Option<(i64, i64)> {
        match &self.leaf {
            Leaf::Numbers(column) => Some((self.recode.apply(column.min()?), self.recode.apply(column.max()?))),
            _ => None,
        }
    }

    /// How many values the current segment has, deleted documents' included.
    pub(crate) fn value_count(&self) -> u64 {
        match &self.leaf {
            Leaf::Absent => 0,
            Leaf::Numbers(column) => column.value_count(),
            Leaf::Ordinals(column) => column.value_count(),
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
        let doubles = matches!(self.recode, Recode::Doubles(_)).then_some(NumberKind::Double);
        let scripted = self.script.as_ref().map(|script| script.kind()).or(doubles);
        match scripted.or_else(|| self.field().and_then(Field::number_kind)) {
            Some(kind) => kind.decode_all(numbers, out),
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
        let scripted = self.is_scripted() && matches!(self.format, Format::Field(DocValueFormat::Date { .. }));
        scripted || self.field().is_some_and(|field| field.family() == Family::Date)
    }

    pub(crate) fn is_boolean(&self) -> bool {
        self.field().is_some_and(|field| field.family() == Family::Boolean)
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
        all.iter_mut().for_each(|number| *number = self.recode.apply(*number));
        all.sort_unstable();
        all.dedup();
        all
    }
}

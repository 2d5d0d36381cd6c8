//! Values that a script gives for documents, or makes of the values of a field; and texts that no column of their own has.

use super::accepted::{OF_NUMBERS, OF_PLACES_ALONE};
use super::doc_scores::DocScores;
use super::elsewhere::Elsewhere;
use super::format::Format;
use super::source::{Missing, Source, SourceConfig};
use super::source_config::{no_fielddata, parse_boolean, read_by, unsupported};
use super::unmapped::Values;
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::date::{Resolution, Zone};
use crate::mapping::number::NumberKind;
use crate::mapping::{
    DateContext, DateFormat, Derived, DocValueFormat, Family, Field, Mapping, java_text, parse_ip, parse_java_f64,
};
use crate::query::ShardContext;
use crate::script::{DerivedValues, DocumentScript, Script, context};
use crate::segment::{Batch, SegmentView};
use indexmap::IndexSet;
use std::cell::RefCell;
use std::sync::Arc;

/// A script's values on one shard (or those of a derived field). Numbers are encoded as those of fields are; texts are told apart by the order in which
/// they were first met.
pub(super) struct Scripted {
    inner: RefCell<Inner>,
    pub(super) integral: bool,
}

struct Inner {
    giver: Giver,
    /// The field whose values the script is given one by one.
    field: Option<Box<Source>>,
    texts: IndexSet<Box<[u8]>, ahash::RandomState>,
    given: Vec<Value>,
    /// Whether the script is given whole numbers as they are, rather than as doubles.
    integral: bool,
    /// Where the script asks for the score.
    scores: Option<DocScores>,
    /// Why there are no scores in this segment: the first document fails with it.
    failure: Option<Error>,
}

/// Who gives the values.
enum Giver {
    Script(Box<DocumentScript>),
    Derived(Box<DerivedValues>, Arc<Derived>),
    Elsewhere(Elsewhere),
}

impl Giver {
    /// `of_values`: of each of a field's values the script makes one, where alone it may give any number of them. `whole`: it is
    /// asked for whole numbers.
    fn doubles(&mut self, doc: u32, (of_values, whole): (bool, bool), out: &mut Vec<f64>) -> Result<()> {
        match self {
            Self::Script(script) if of_values => {
                out.push(script.number_of_value(doc, whole)?);
                Ok(())
            }
            Self::Script(script) => script.doubles(doc, out),
            Self::Derived(values, derived) => {
                for value in values.read(doc)? {
                    out.push(derived_number(&value, derived)?);
                }
                Ok(())
            }
            // They are no numbers.
            Self::Elsewhere(_) => Ok(()),
        }
    }

    fn texts(&mut self, doc: u32, of_values: bool, out: &mut Vec<Box<[u8]>>) -> Result<()> {
        match self {
            Self::Script(script) if of_values => out.push(script.text_of_value(doc)?.into_bytes().into()),
            Self::Script(script) => {
                let mut texts = vec![];
                script.texts(doc, &mut texts)?;
                out.extend(texts.into_iter().map(|text| text.into_bytes().into()));
            }
            Self::Derived(values, derived) => {
                for value in values.read(doc)?.iter().filter(|value| !value.is_null()) {
                    out.push(match derived.type_name.as_str() {
                        "ip" => parse_ip(&value.to_text())?.to_vec().into(),
                        _ => value.to_text().into_bytes().into(),
                    });
                }
            }
            Self::Elsewhere(texts) => texts.texts(doc, out)?,
        }
        Ok(())
    }
}

fn derived_number(value: &Value, derived: &Derived) -> Result<f64> {
    let number = match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::String(text) if derived.type_name == "date" => {
            let format = DateFormat::parse(DATE_FORMAT)?;
            Some(Resolution::Millis.parse(&format, text)? as f64)
        }
        value => value.as_f64(),
    };
    number.ok_or_else(|| {
        let reason = format!("Unsupported script value [{}], expected a number, date, or boolean", value.to_text());
        Error::new(ErrorKind::AggregationExecution, reason)
    })
}

const DATE_FORMAT: &str = "strict_date_optional_time||epoch_millis";

impl Scripted {
    pub(super) fn new(
        script: &Script,
        field: Option<Source>,
        (integral, scored): (bool, bool),
        mapping: &Arc<Mapping>,
        cx: &ShardContext,
    ) -> Result<Self> {
        let uses_score = script.program(&context::AGGS)?.uses_score;
        let scores = if uses_score && scored { Some(DocScores::new(cx)?) } else { None };
        let script = DocumentScript::new(script, &context::AGGS, mapping, Some(&cx.index), cx.now_ms)?;
        let field = field.map(Box::new);
        let giver = Giver::Script(Box::new(script));
        Ok(Self {
            inner: Inner { giver, field, texts: IndexSet::default(), given: vec![], integral, scores, failure: None }
                .into(),
            integral,
        })
    }

    fn derived(derived: &Arc<Derived>, integral: bool, cx: &ShardContext) -> Result<Self> {
        let values = DerivedValues::new(derived, &cx.mapping, cx.now_ms)?;
        let giver = Giver::Derived(Box::new(values), derived.clone());
        let (field, texts, given, scores, failure) = (None, IndexSet::default(), vec![], None, None);
        Ok(Self { inner: Inner { giver, field, texts, given, integral, scores, failure }.into(), integral })
    }

    /// Whether it gives the values of a derived field, or makes them of those of a field.
    pub(super) fn is_of_field(&self) -> bool {
        let inner = self.inner.borrow();
        inner.field.is_some() || matches!(inner.giver, Giver::Derived(..))
    }

    pub(super) fn enter_segment(&self, view: &SegmentView) {
        let mut inner = self.inner.borrow_mut();
        inner.failure = inner.scores.as_mut().and_then(|scores| scores.enter_segment(view).err());
        match &mut inner.giver {
            Giver::Script(script) => script.enter_segment(view, 0),
            Giver::Derived(values, _) => values.enter_segment(view),
            Giver::Elsewhere(texts) => texts.enter_segment(view),
        }
        if let Some(field) = &mut inner.field {
            field.enter_segment(view);
        }
    }

    /// What stands in for documents without a value.
    fn missing(&self, given: Option<&Value>, numeric: bool) -> Result<Missing> {
        let Some(value) = given else { return Ok(Missing::None) };
        if !numeric {
            return Ok(Missing::Bytes(value.to_text().into_bytes()));
        }
        let number = value.as_f64().map_or_else(|| parse_java_f64(&value.to_text()), Ok)?;
        Ok(Missing::Number(if self.integral { number as i64 } else { self.kind().encode_saturating(number) }))
    }

    pub(super) fn kind(&self) -> NumberKind {
        if self.integral { NumberKind::Long } else { NumberKind::Double }
    }

    /// The encoded numbers of a document, ascending; clears `out` first.
    pub(super) fn numbers(&self, doc: u32, out: &mut Vec<i64>) -> Result<()> {
        out.clear();
        let mut doubles = vec![];
        let mut inner = self.inner.borrow_mut();
        let shape = (inner.field.is_some(), self.integral);
        inner.run(doc, |giver| giver.doubles(doc, shape, &mut doubles))?;
        let kind = self.kind();
        out.extend(doubles.into_iter().map(|number| match kind {
            NumberKind::Long => number as i64,
            kind => kind.encode_saturating(number),
        }));
        out.sort_unstable();
        Ok(())
    }

    /// The ordinals of a document's texts, equal ones side by side; clears `out` first.
    pub(super) fn ords(&self, doc: u32, out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        let mut texts = vec![];
        let mut inner = self.inner.borrow_mut();
        let of_values = inner.field.is_some();
        inner.run(doc, |giver| giver.texts(doc, of_values, &mut texts))?;
        for text in texts {
            super::kind::check_shard_buckets(inner.texts.len())?;
            out.push(inner.texts.insert_full(text).0 as u32);
        }
        out.sort_unstable();
        Ok(())
    }

    /// Reads the encoded numbers or the ordinals of documents.
    pub(super) fn read(&self, docs: &[u32], numeric: bool, batch: &mut Batch) -> Result<()> {
        batch.clear(0);
        let (mut values, mut ords) = (vec![], vec![]);
        // A document that falls into several buckets follows itself.
        let mut last = None;
        for &doc in docs {
            if last.replace(doc) != Some(doc) {
                if numeric {
                    self.numbers(doc, &mut values)?;
                } else {
                    self.ords(doc, &mut ords)?;
                    values.clear();
                    values.extend(ords.iter().map(|ord| i64::from(*ord)));
                }
            }
            batch.push_doc(&values);
        }
        Ok(())
    }

    pub(super) fn num_ords(&self) -> u32 {
        self.inner.borrow().texts.len() as u32
    }

    pub(super) fn term(&self, ord: u32) -> Vec<u8> {
        self.inner.borrow().texts.get_index(ord as usize).map_or_else(Vec::new, |text| text.to_vec())
    }
}

impl SourceConfig {
    /// The values of a derived field.
    pub(super) fn resolve_derived(
        &self,
        derived: &Arc<Derived>,
        cx: &ShardContext,
        agg_type: &str,
        wants_numbers: bool,
    ) -> Result<Source> {
        let name = self.field.as_deref().unwrap_or_default();
        let kind = derived.type_name.as_str();
        if self.value_type.is_some() {
            // What the request says counts, as with scripts.
            let made = |(_, integral): (bool, bool)| Scripted::derived(derived, integral, cx);
            let format = self.format_of_derived(derived)?;
            return Ok(Source { format, ..self.resolve_given(&made, cx, agg_type, wants_numbers)? });
        }
        let format = match kind {
            "text" => return Err(no_fielddata(name)),
            _ => self.format_of_derived(derived)?,
        };
        if kind == "geo_point" {
            return Err(no_scripted_places());
        }
        let numeric = matches!(kind, "boolean" | "date" | "double" | "float" | "long");
        if wants_numbers && !numeric {
            return Err(self.yielding(agg_type));
        }
        let dates = kind == "date" || agg_type.contains("date");
        let scripted = Scripted::derived(derived, dates, cx)?;
        let plain = Self { script: None, ..self.clone() };
        let mut source = plain.source(None, numeric, Missing::None, format, cx.now_ms);
        let missing = match (&self.missing, kind) {
            (None, _) => None,
            (Some(value), "boolean") => Some(Value::Int(parse_boolean(value)?)),
            (Some(value), "date") => Some(Value::Float(source.parse_bound(&Value::from(java_text(value)))?)),
            (Some(value), _) => match self.format.as_deref().filter(|_| numeric) {
                Some(pattern) => Some(read_by(pattern, &java_text(value))?),
                None => Some(value.clone()),
            },
        };
        source.missing = scripted.missing(missing.as_ref(), numeric)?;
        source.script = Some(Box::new(scripted));
        Ok(source)
    }

    /// How the values of a derived field are shown: as those of a field of its type are.
    fn format_of_derived(&self, derived: &Derived) -> Result<Format> {
        let name = self.field.as_deref().unwrap_or_default();
        let kind = derived.type_name.as_str();
        let refused = |what: &str| {
            // Parts of an object are words.
            let kind = if kind == "object" { "keyword" } else { kind };
            Err(Error::illegal_argument(format!("Field [{name}] of type [{kind}] does not support custom {what}")))
        };
        match (kind, self.format.as_deref()) {
            ("date", pattern) => return date_format(pattern, self.time_zone.as_deref()),
            ("double" | "float" | "long", _) | (_, None) => {}
            _ => return refused("formats"),
        }
        if self.time_zone.is_some() {
            return refused("time zones");
        }
        match kind {
            "boolean" => Ok(Format::Field(DocValueFormat::Boolean)),
            "ip" => Ok(Format::Field(DocValueFormat::Ip)),
            _ => self.decimal_format(),
        }
    }

    /// The refusal of what a script gives.
    #[cold]
    pub(super) fn yielding(&self, agg_type: &str) -> Error {
        let of_type = match self.value_type.as_deref() {
            None => "unknown type",
            Some("float") => "double",
            Some("byte" | "integer" | "number" | "numeric" | "short") => "long",
            Some(name) => name,
        };
        Error::illegal_argument(format!("Script yielding [{of_type}] is not supported for aggregation [{agg_type}]"))
    }

    /// Texts that are kept for something else.
    pub(super) fn resolve_elsewhere(&self, texts: Elsewhere, cx: &ShardContext) -> Result<Source> {
        let (giver, integral) = (Giver::Elsewhere(texts), false);
        let (field, texts, given, scores, failure) = (None, IndexSet::default(), vec![], None, None);
        let inner = Inner { giver, field, texts, given, integral, scores, failure };
        let scripted = Scripted { inner: inner.into(), integral };
        let missing = scripted.missing(self.missing.as_ref(), false)?;
        let mut source = self.source(None, false, missing, Format::Raw, cx.now_ms);
        source.script = Some(Box::new(scripted));
        Ok(source)
    }

    /// The values that a script gives, or makes of those of a field.
    pub(super) fn resolve_script(&self, cx: &ShardContext, agg_type: &str, wants_numbers: bool) -> Result<Source> {
        match self.field.as_deref().and_then(|name| cx.mapping.field(name)) {
            Some(field) => self.resolve_script_of(field, cx, agg_type, wants_numbers),
            None => self.resolve_script_alone(cx, agg_type, wants_numbers),
        }
    }

    /// What a script makes of the values of a field, which are of the field's kind then.
    fn resolve_script_of(&self, of: &Field, cx: &ShardContext, agg_type: &str, wants_numbers: bool) -> Result<Source> {
        let plain = Self { script: None, missing: None, ..self.clone() };
        // What stands in is read before anybody asks what the script makes.
        let stand_in = || self.stand_in(of, agg_type, &DateContext { now_ms: cx.now_ms });
        let refused = || stand_in().err().unwrap_or_else(|| self.yielding(agg_type));
        let field = plain.resolve_any(cx, agg_type).map_err(|error| {
            // Not the field is refused, but what the script makes of it.
            if error.reason() == unsupported(of, agg_type).reason() { refused() } else { error }
        })?;
        let (numeric, format) = (field.numeric, field.format.clone());
        if wants_numbers && !numeric {
            return Err(refused());
        }
        let integral = agg_type.contains("date") || self.value_type.as_deref() == Some("date");
        let stand_in = if matches!(of.family(), Family::Date | Family::Boolean) {
            // What stands in is written as the field's values are.
            match stand_in()?.0 {
                Missing::Number(number) => Some(number),
                _ => None,
            }
        } else {
            None
        };
        let scripted = self.scripted(Some(field), (numeric, integral), cx, agg_type)?;
        let encoded = |number: i64| match integral {
            true => number,
            false => NumberKind::Double.encode_saturating(number as f64),
        };
        let missing = match &self.missing {
            Some(_) if stand_in.is_some() => stand_in.map_or(Missing::None, |number| Missing::Number(encoded(number))),
            None => Missing::None,
            Some(value) if !numeric => Missing::Bytes(of.parse_missing_bytes(value)?),
            Some(value) if integral => Missing::Number(self.unmapped_number(value)? as i64),
            Some(value) => Missing::Number(NumberKind::Double.encode_saturating(self.unmapped_number(value)?)),
        };
        let mut source = plain.source(None, numeric, missing, format, cx.now_ms);
        source.script = Some(Box::new(scripted));
        Ok(source)
    }

    /// The values of a script alone.
    fn resolve_script_alone(&self, cx: &ShardContext, agg_type: &str, wants_numbers: bool) -> Result<Source> {
        let made = |shape: (bool, bool)| self.scripted(None, shape, cx, agg_type);
        self.resolve_given(&made, cx, agg_type, wants_numbers)
    }

    /// Values of the kind that the request says, or else as the aggregation expects them. `made` tells who gives them, of whom numbers
    /// and whole ones may be wanted.
    fn resolve_given(
        &self,
        made: &dyn Fn((bool, bool)) -> Result<Scripted>,
        cx: &ShardContext,
        agg_type: &str,
        wants_numbers: bool,
    ) -> Result<Source> {
        let typed = self.value_type.as_deref();
        if typed.is_none() && OF_PLACES_ALONE.contains(&agg_type) {
            return Err(no_scripted_places());
        }
        let values = match (typed, Values::of(typed, agg_type)) {
            (None, Values::Texts) if wants_numbers => Values::Numbers,
            (_, values) => values,
        };
        if !values.are_taken(agg_type) || wants_numbers && !values.are_numeric() {
            return Err(self.yielding(agg_type));
        }
        let format = match values {
            Values::Texts | Values::Addresses => Format::Raw,
            Values::Numbers => self.decimal_format()?,
            Values::Dates => date_format(self.format.as_deref(), self.time_zone.as_deref())?,
            Values::Booleans => Format::Field(DocValueFormat::Boolean),
        };
        let plain = Self { script: None, ..self.clone() };
        let mut source = plain.source(None, values.are_numeric(), Missing::None, format, cx.now_ms);
        let stand_in = match (&self.missing, values) {
            (None, _) => None,
            (Some(value), Values::Texts | Values::Addresses) => {
                if values == Values::Addresses {
                    parse_ip(&value.to_text())?;
                }
                source.missing = Missing::Bytes(value.to_text().into_bytes());
                None
            }
            (Some(value), Values::Numbers) => Some(self.unmapped_number(value)?),
            (Some(value), Values::Dates) => Some(source.parse_bound(&Value::from(java_text(value)))?),
            (Some(value), Values::Booleans) => Some(parse_boolean(value)? as f64),
        };
        // Whoever counts in times has whole numbers, who reckons with numbers has doubles, and who tells values apart goes by
        // what they are said to be.
        let of_times = agg_type.contains("date");
        let reckons = OF_NUMBERS.contains(&agg_type) || wants_numbers;
        let fractions =
            matches!(typed, Some("double" | "float")) || stand_in.is_some_and(|number| number.fract() != 0.0);
        let integral = of_times || values.are_numeric() && !reckons && !fractions;
        if let Some(number) = stand_in {
            let encoded = if integral { number as i64 } else { NumberKind::Double.encode_saturating(number) };
            source.missing = Missing::Number(encoded);
        }
        source.script = Some(Box::new(made((source.numeric, integral))?));
        Ok(source)
    }

    fn scripted(
        &self,
        field: Option<Source>,
        (numeric, integral): (bool, bool),
        cx: &ShardContext,
        agg_type: &str,
    ) -> Result<Scripted> {
        let Some(script) = &self.script else { return Err(self.yielding(agg_type)) };
        // Terms that are made as doubles hide the script from whoever tells it the score, which is zero then.
        let scored = agg_type != "terms" || !numeric || integral;
        Scripted::new(script, field, (integral, scored), &cx.mapping, cx)
    }
}

pub(super) fn date_format(pattern: Option<&str>, time_zone: Option<&str>) -> Result<Format> {
    let zone = time_zone.map_or(Ok(Zone::fixed(0)), Zone::parse)?;
    let format = Arc::new(DateFormat::parse(pattern.unwrap_or(DATE_FORMAT))?);
    Ok(Format::Field(DocValueFormat::Date { format, zone, nanos: false }))
}

/// The refusal of what no script can give.
#[cold]
pub(super) fn no_scripted_places() -> Error {
    let reason = "value source of type [geopoint] is not supported by scripts";
    Error::new(ErrorKind::AggregationExecution, reason)
}

impl Inner {
    /// Runs the script once for a document, or once for each of the values that the field has there.
    fn run(&mut self, doc: u32, mut run: impl FnMut(&mut Giver) -> Result<()>) -> Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if let (Some(scores), Giver::Script(script)) = (&mut self.scores, &mut self.giver) {
            script.set_score(scores.score(doc)?);
        }
        let Some(field) = &self.field else { return run(&mut self.giver) };
        let mut given = std::mem::take(&mut self.given);
        field.values(doc, &mut given)?;
        // The name of the index, which no column has.
        if let (true, Missing::Bytes(text)) = (given.is_empty(), &field.missing) {
            given.push(Value::from(String::from_utf8_lossy(text).into_owned()));
        }
        for (at, value) in given.iter().enumerate() {
            // A formula is computed once for a document: what it gives for the first value it gives for all of them.
            if let Giver::Script(script) = &mut self.giver
                && (at == 0 || !script.is_formula())
            {
                match value {
                    Value::Int(number) if !self.integral => script.set_value(&Value::Float(*number as f64))?,
                    value => script.set_value(value)?,
                }
            }
            run(&mut self.giver)?;
        }
        self.given = given;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn texts_that_are_kept_for_something_else() {
        let mapping = r#"{"properties":{"o":{"type":"flat_object"}}}"#;
        let cx = shard(mapping, &[&[r#"{"o":{"a":"x"}}"#, r#"{"o":{"a":["y","x"],"b":"z"}}"#]]);
        let ask = |agg: &str| search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{agg}}}}}"#));
        let buckets = r#""buckets":[{"key":"x","doc_count":2},{"key":"y","doc_count":1}]"#;
        let answer = ask(r#"{"terms":{"field":"o.a"}}"#);
        assert!(answer.contains(buckets), "{answer}");
        assert!(ask(r#"{"missing":{"field":"o.b"}}"#).contains(r#"{"doc_count":1}"#));
        assert!(ask(r#"{"cardinality":{"field":"_id"}}"#).contains(r#"{"value":2}"#));
    }

    #[test]
    fn parameters_name_what_there_is_of_a_document() {
        let cx = shard(r#"{"properties":{"n":{"type":"byte"}}}"#, &[&[r#"{"n":3}"#]]);
        let body = r#"{"size":0,"aggs":{"a":{"terms":{"script":{"source":"params.keySet().toString()"}}}}}"#;
        let answer = search(&cx, body);
        assert!(answer.contains(r#"{"key":"[doc, _source, _doc, _fields]","doc_count":1}"#), "{answer}");
    }

    #[test]
    fn what_is_wrong_with_a_script_is_told_before_the_field_is_asked_for() {
        let cx = shard(r#"{"properties":{"t":{"type":"text"}}}"#, &[&[r#"{"t":"x"}"#]]);
        let ask = |agg: &str, field: &str, source: &str| {
            let agg = format!(r#"{{"{agg}":{{"field":"{field}","script":{{"source":"{source}"}}}}}}"#);
            search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{agg}}}}}"#))
        };
        for (agg, field) in [("terms", "t"), ("sum", "t"), ("terms", "nosuch"), ("sum", "nosuch")] {
            let answer = ask(agg, field, "_value +");
            assert!(answer.contains("unexpected end of script."), "{agg} {field}: {answer}");
        }
        assert!(ask("sum", "nosuch", "_value + 1").contains(r#"{"value":0.0}"#));
        assert!(ask("sum", "t", "_value + 1").contains("Text fields are not optimised"));
    }

    #[test]
    fn terms_of_doubles_see_no_score() {
        let cx = shard(r#"{"properties":{"n":{"type":"byte"}}}"#, &[&[r#"{"n":3}"#]]);
        let ask = |agg: &str| search(&cx, &format!(r#"{{"size":0,"aggs":{{"a":{agg}}}}}"#));
        for (agg, found) in [
            (r#"{"terms":{"field":"n","script":{"source":"_value * 2 + _score"}}}"#, r#"{"key":6.0,"doc_count":1}"#),
            (r#"{"terms":{"script":{"source":"_score"},"value_type":"double"}}"#, r#"{"key":0.0,"doc_count":1}"#),
            (r#"{"terms":{"script":{"source":"_score"}}}"#, r#"{"key":"1.0","doc_count":1}"#),
            (r#"{"sum":{"field":"n","script":{"source":"_value * 2 + _score"}}}"#, r#"{"value":7.0}"#),
        ] {
            assert!(ask(agg).contains(found), "{agg}: {}", ask(agg));
        }
    }
}

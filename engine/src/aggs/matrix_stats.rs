//! matrix_stats: moments of several fields, and how each two of them vary together.
//!
//! Moments are updated and merged by the one-pass formulas of Pébay, "Formulas for Robust, One-Pass Parallel Computation of
//! Covariances and Arbitrary-Order Statistical Moments" (2008).

use super::accepted;
use super::kind::{Aggregator, Built, Kind, Owners, SKETCH_UNITS, check_shard_buckets, of_each};
use super::parse::{Agg, ParseContext, at};
use super::partial::{Partial, Shown, mismatch};
use super::reduce_context::ReduceContext;
use super::source::{Source, SourceConfig};
use crate::error::{Error, Result};
use crate::java_order::java_order;
use crate::json::{Map, Value, Writer};
use crate::pace::Pace;
use crate::query::{Node, ShardContext, Source as Text};
use crate::segment::SegmentView;

/// Fields of one aggregation: each pair of them has a sum of its own.
const FIELDS_MAX: usize = 200;

#[derive(Debug)]
struct MatrixStats {
    fields: Vec<SourceConfig>,
    names: Vec<String>,
    mode: Mode,
}

/// Which of a field's several values counts.
#[derive(Debug, Clone, Copy)]
enum Mode {
    Avg,
    Min,
    Max,
    Sum,
    Median,
}

impl Mode {
    fn of(self, values: &[f64]) -> f64 {
        let n = values.len();
        match self {
            Mode::Avg => values.iter().sum::<f64>() / n as f64,
            Mode::Min => values[0],
            Mode::Max => values[n - 1],
            Mode::Sum => values.iter().sum(),
            Mode::Median if n % 2 == 1 => values[n / 2],
            Mode::Median => (values[n / 2 - 1] + values[n / 2]) / 2.0,
        }
    }
}

/// Sums over the documents that have all fields.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    count: f64,
    fields: Vec<Moments>,
    /// Of each two fields, `i < j`, at `i * fields + j`.
    products: Vec<f64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    /// Whether a mapping knows the field: others are left out.
    known: bool,
    sum: f64,
    mean: f64,
    m2: f64,
    m3: f64,
    m4: f64,
}

impl Matrix {
    fn new(fields: usize) -> Self {
        let products = vec![0.0; fields * fields];
        Self { count: 0.0, fields: vec![Moments::default(); fields], products }
    }

    fn add(&mut self, values: &[f64], deltas: &mut Vec<f64>) {
        self.count += 1.0;
        let n = self.count;
        deltas.clear();
        for (moments, value) in self.fields.iter_mut().zip(values) {
            moments.sum += value;
            // In the reference's order of operations, so that the last digits are the same.
            deltas.push(value * n - moments.sum);
            let d = value - moments.mean;
            let dn = d / n;
            let t = d * dn * (n - 1.0);
            let dn2 = dn * dn;
            moments.mean += dn;
            moments.m4 += t * dn2 * (n * n - 3.0 * n + 3.0) + 6.0 * dn2 * moments.m2 - 4.0 * dn * moments.m3;
            moments.m3 += t * dn * (n - 2.0) - 3.0 * dn * moments.m2;
            moments.m2 += t;
        }
        if n == 1.0 {
            return;
        }
        let width = self.fields.len();
        for i in 0..width {
            for j in i + 1..width {
                self.products[i * width + j] += 1.0 / (n * (n - 1.0)) * deltas[i] * deltas[j];
            }
        }
    }

    /// Whether both are of the same fields.
    fn knows_as(&self, other: &Matrix) -> bool {
        self.fields.iter().zip(&other.fields).all(|(a, b)| a.known == b.known)
    }

    fn merge(&mut self, other: &Matrix) {
        // The fields are those of the documents; of none, those of the first shard.
        if other.count > 0.0 && self.count == 0.0 {
            *self = other.clone();
        } else if other.count > 0.0 {
            self.merge_sums(other);
        }
    }

    fn merge_sums(&mut self, other: &Matrix) {
        let (na, nb) = (self.count, other.count);
        let n = na + nb;
        let deltas: Vec<f64> = self.fields.iter().zip(&other.fields).map(|(a, b)| b.sum / nb - a.sum / na).collect();
        for (a, b) in self.fields.iter_mut().zip(&other.fields) {
            let d = b.mean - a.mean;
            let d2 = d * d;
            let (d3, d4) = (d * d2, d2 * d2);
            a.m4 = a.m4
                + b.m4
                + d4 * na * nb * (na * na - na * nb + nb * nb) / (n * n * n)
                + 6.0 * d2 * (na * na * b.m2 + nb * nb * a.m2) / (n * n)
                + 4.0 * d * (na * b.m3 - nb * a.m3) / n;
            a.m3 = a.m3 + b.m3 + d3 * na * nb * (na - nb) / (n * n) + 3.0 * d * (na * b.m2 - nb * a.m2) / n;
            a.m2 = a.m2 + b.m2 + d2 * na * nb / n;
            a.mean = (na * a.mean + nb * b.mean) / n;
            a.sum += b.sum;
        }
        let width = self.fields.len();
        for i in 0..width {
            for j in i + 1..width {
                let product = &mut self.products[i * width + j];
                *product = *product + other.products[i * width + j] + na * nb / n * deltas[i] * deltas[j];
            }
        }
        self.count = n;
    }

    fn variance(&self, i: usize) -> f64 {
        if self.count == 0.0 {
            return 0.0;
        }
        self.fields[i].m2 / (self.count - 1.0)
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return self.variance(i);
        }
        if self.count == 0.0 {
            return 0.0;
        }
        self.products[i.min(j) * self.fields.len() + i.max(j)] / (self.count - 1.0)
    }

    fn correlation(&self, i: usize, j: usize) -> f64 {
        if i == j || self.count == 0.0 {
            return f64::from(u8::from(i == j));
        }
        self.covariance(i, j) / (self.variance(i).sqrt() * self.variance(j).sqrt())
    }
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut names, mut missing, mut mode) = (vec![], None, Mode::Avg);
    for entry in &map.entries {
        let unexpected = |value: &Value| {
            let reason = format!("Unexpected token {} [{}] in [{}].", value.token(), entry.key, cx.name);
            at(cx.body, entry.value_pos, reason)
        };
        match (entry.key.as_str(), &entry.value) {
            ("fields", Value::Array(_)) => {
                names = cx.items(entry, |item| match item.value {
                    Value::String(name) => Ok(name.clone()),
                    other => Err(item.error(unexpected(other).reason())),
                })?;
            }
            ("fields", Value::String(name)) => names = vec![name.clone()],
            ("missing", Value::Object(stand_ins)) => {
                let source = Text::new(cx.body);
                for entry in stand_ins.entries.iter().filter(|entry| !entry.value.is_null()) {
                    Node::of_entry(entry, &source).text()?;
                }
                missing = Some(stand_ins);
            }
            ("mode", Value::String(name)) => mode = parse_mode(name)?,
            ("format", Value::String(_)) => {}
            (key @ "script", value @ Value::Object(_)) | (key @ "value_type", value @ Value::String(_)) => {
                let reason = format!(
                    "Unexpected token {} [{key}] in [{}]. Multi-field aggregations do not support scripts.",
                    value.token(),
                    cx.name
                );
                return Err(at(cx.body, entry.value_pos, reason));
            }
            (_, value) => return Err(unexpected(value)),
        }
    }
    if names.len() > FIELDS_MAX {
        return Err(Error::illegal_argument(format!(
            "[matrix_stats] takes at most [{FIELDS_MAX}] fields, found [{}]",
            names.len()
        )));
    }
    // Fields that are named twice would only repeat themselves.
    names.sort();
    names.dedup();
    let names = java_order(names);
    let fields = names
        .iter()
        .map(|name| {
            SourceConfig::of_field(name, missing.and_then(|m| m.get(name)).filter(|value| !value.is_null()).cloned())
        })
        .collect();
    Ok(Box::new(MatrixStats { fields, names, mode }))
}

fn parse_mode(text: &str) -> Result<Mode> {
    Ok(match text.to_ascii_lowercase().as_str() {
        "avg" => Mode::Avg,
        "min" => Mode::Min,
        "max" => Mode::Max,
        "sum" => Mode::Sum,
        "median" => Mode::Median,
        other => return Err(Error::illegal_argument(format!("Illegal sort mode: {other}"))),
    })
}

impl Kind for MatrixStats {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let resolve = |source: &SourceConfig| {
            let check = |field: &_| accepted::check_matrix(field, &agg.name).map_err(Error::late);
            source.check_mapped(cx, check)?;
            source.resolve_numeric(cx, agg.type_name)
        };
        self.fields.iter().try_for_each(|source| source.check_loadable(cx, agg.type_name))?;
        let sources = self.fields.iter().map(resolve).collect::<Result<_>>()?;
        Ok(Box::new(MatrixAggregator {
            sources,
            mode: self.mode,
            states: vec![],
            room: 1,
            values: vec![],
            row: vec![],
            deltas: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Matrix(Box::new(Matrix::new(self.fields.len())))
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        let mut whole: Option<Box<Matrix>> = None;
        for part in parts {
            let Partial::Matrix(part) = part else { return Err(mismatch()) };
            let Some(whole) = &mut whole else {
                whole = Some(part);
                continue;
            };
            if whole.count > 0.0 && part.count > 0.0 && !whole.knows_as(&part) {
                return Err(Error::illegal_argument("Cannot merge RunningStats with different fieldNames"));
            }
            whole.merge(&part);
        }
        whole.map(Partial::Matrix).ok_or_else(mismatch)
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::Matrix(matrix) = partial else { return Err(mismatch()) };
        w.key("doc_count").u64(matrix.count as u64);
        let known = || self.names.iter().enumerate().filter(|(i, _)| matrix.fields[*i].known);
        if known().next().is_none() {
            return Ok(());
        }
        let n = matrix.count;
        w.key("fields").begin_array();
        for (i, name) in known() {
            let Moments { mean, m2, m3, m4, .. } = matrix.fields[i];
            w.begin_object().key("name").string(name).key("count").u64(n as u64);
            w.key("mean").f64(mean).key("variance").f64(matrix.variance(i));
            let (skewness, kurtosis) =
                if n == 0.0 { (0.0, 0.0) } else { (n.sqrt() * m3 / m2.powf(1.5), n * m4 / (m2 * m2)) };
            w.key("skewness").f64(skewness).key("kurtosis").f64(kurtosis);
            w.key("covariance").begin_object();
            for (j, other) in known() {
                w.key(other).f64(matrix.covariance(i, j));
            }
            w.end_object().key("correlation").begin_object();
            for (j, other) in known() {
                w.key(other).f64(matrix.correlation(i, j));
            }
            w.end_object().end_object();
        }
        w.end_array();
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "matrix_stats"
    }

    fn is_bucketing(&self) -> bool {
        false
    }
}

fn is_known(source: &Source) -> bool {
    source.is_mapped() || source.has_missing()
}

struct MatrixAggregator {
    sources: Vec<Source>,
    mode: Mode,
    states: Vec<Matrix>,
    /// How many buckets the reference would have room for.
    room: usize,
    values: Vec<f64>,
    row: Vec<f64>,
    deltas: Vec<f64>,
}

impl Aggregator for MatrixAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.sources.iter_mut().for_each(|s| s.enter_segment(view));
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.sources.iter().all(|source| !is_known(source)) {
            return Ok(());
        }
        for (i, &doc) in docs.iter().enumerate() {
            self.row.clear();
            for source in &mut self.sources {
                if !is_known(source) {
                    self.row.push(0.0);
                    continue;
                }
                source.doubles(doc, &mut self.values)?;
                if self.values.is_empty() {
                    break;
                }
                self.row.push(self.mode.of(&self.values));
            }
            let complete = self.row.len() == self.sources.len();
            if !complete {
                continue;
            }
            let owner = owners.of(i) as usize;
            if owner >= self.room {
                self.room = room_for(owner + 1);
            }
            if owner >= self.states.len() {
                check_shard_buckets(owner.saturating_mul(self.sources.len()))?;
                let fields = self.sources.len();
                self.states.resize_with(owner + 1, || Matrix::new(fields));
            }
            self.states[owner].add(&self.row, &mut self.deltas);
        }
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let part = |owner: u32| {
                let mut state =
                    self.states.get(owner as usize).cloned().unwrap_or_else(|| Matrix::new(self.sources.len()));
                // Of buckets beyond those that it has room for the reference does not tell the fields.
                let collected = (owner as usize) < self.room;
                let fields = state.fields.iter_mut().zip(&self.sources);
                fields.for_each(|(moments, source)| moments.known = collected && is_known(source));
                Ok(Partial::Matrix(Box::new(state)))
            };
            of_each(owners, SKETCH_UNITS, pace, part).await
        })
    }
}

/// How many places its arrays have once they have grown to hold so many: an eighth more, three at least, even, and in pages.
fn room_for(least: usize) -> usize {
    const PAGE: usize = 4096;
    let more = match least < PAGE {
        true => ((least + (least >> 3).max(3)).next_multiple_of(2)).min(PAGE),
        false => least + (least >> 3),
    };
    if more > PAGE { more - more % PAGE + PAGE } else { more }
}

#[cfg(test)]
mod tests {
    use crate::search::tests::{search, shard};

    #[test]
    fn buckets_that_were_not_collected_tell_no_fields() {
        let cx = shard(r#"{"properties":{"n":{"type":"long"}}}"#, &[&[r#"{"n":1}"#]]);
        let filters = r#"{"filters":{"filters":[{"term":{"n":7}},{"term":{"n":8}}]},"aggs":{"m":{"matrix_stats":{"fields":["n"]}}}}"#;
        let answer = search(&cx, &format!(r#"{{"size":0,"aggs":{{"f":{filters}}}}}"#));
        assert!(answer.contains(r#"{"doc_count":0,"m":{"doc_count":0,"fields":[{"name":"n","count":0,"#), "{answer}");
        assert!(answer.contains(r#"{"doc_count":0,"m":{"doc_count":0}}"#), "{answer}");
    }
}

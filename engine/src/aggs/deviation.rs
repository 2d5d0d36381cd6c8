//! median_absolute_deviation: the median of the distances from the median, both by t-digest.

use super::format::Format;
use super::kind::{Aggregator, Kind};
use super::metric::{MetricAggregator, State, check_single_value};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::percentiles::{Digest, Percentiles, check_compression};
use super::reduce_context::ReduceContext;
use super::source::SourceConfig;
use super::tdigest::TDigest;
use crate::error::{Error, Result};
use crate::json::{Map, Writer};
use crate::query::ShardContext;

const COMPRESSION_DEFAULT: f64 = 1000.0;

#[derive(Debug)]
struct Deviation {
    source: SourceConfig,
    compression: f64,
}

pub(crate) fn parse(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut kind = Deviation { source: SourceConfig::default(), compression: COMPRESSION_DEFAULT };
    for entry in &map.entries {
        match entry.key.as_str() {
            "compression" => {
                kind.compression = cx.float(entry)?;
                if kind.compression <= 0.0 {
                    let refusal = format!(
                        "[compression] must be greater than 0. Found [{:?}] in [{}]",
                        kind.compression, cx.name
                    );
                    return Err(cx.failed_field(entry, Error::illegal_argument(refusal)));
                }
                check_compression(kind.compression).map_err(|cause| cx.failed_field(entry, cause))?;
            }
            _ if kind.source.accept(entry, cx)? => {}
            _ => return Err(cx.unknown_field(entry, &[&["compression"], SourceConfig::FIELDS].concat())),
        }
    }
    kind.source.check()?;
    Ok(Box::new(kind))
}

impl Deviation {
    fn fresh(&self, format: Format) -> Percentiles {
        Percentiles { digest: Digest::TDigest(Box::new(TDigest::new(self.compression).into())), format }
    }

    fn value(&self, partial: &Partial) -> Option<f64> {
        let Partial::Percentiles(percentiles) = partial else { return None };
        let Digest::TDigest(digest) = &percentiles.digest else { return None };
        let mut values = digest.borrow().clone();
        let median = values.quantile(0.5);
        let mut distances = TDigest::new(self.compression);
        for centroid in values.centroids() {
            // One by one, as the reference does: heavier ones would be merged at other places.
            (0..centroid.weight as u64).for_each(|_| distances.add((median - centroid.mean).abs(), 1.0));
        }
        Some(distances.quantile(0.5))
    }
}

impl Kind for Deviation {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        let source = self.source.resolve_numeric(cx, agg.type_name)?;
        let fresh = self.fresh(source.format().clone());
        Ok(Box::new(MetricAggregator::new(source, fresh)))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        self.fresh(Format::Unsaid).into_partial()
    }

    fn reduce(&self, _agg: &Agg, mut parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let mut whole = TDigest::new(self.compression);
        let mut format = Format::Unsaid;
        for part in parts {
            let Partial::Percentiles(part) = part else { return Err(mismatch()) };
            let Digest::TDigest(digest) = part.digest else { return Err(mismatch()) };
            let mut digest = digest.into_inner();
            // Every shard of the reference computes its own result, which compresses its digest.
            digest.quantile(0.5);
            digest.compress();
            whole.add_all(digest);
            format.hear(&part.format);
        }
        Ok(Percentiles { digest: Digest::TDigest(Box::new(whole.into())), format }.into_partial())
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        let Partial::Percentiles(percentiles) = partial else { return Err(mismatch()) };
        let Some(value) = self.value(partial).filter(|v| !v.is_nan()) else {
            w.key("value").null();
            return Ok(());
        };
        w.key("value").f64(value);
        if let Some(text) = percentiles.format.text(value) {
            w.key("value_as_string").string(&text);
        }
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        "median_absolute_deviation"
    }

    fn is_bucketing(&self) -> bool {
        false
    }

    fn order_value(&self, partial: &Partial, _property: Option<&str>) -> Option<f64> {
        self.value(partial)
    }

    fn check_order_property(&self, name: &str, property: Option<&str>) -> Result<()> {
        check_single_value(name, property)
    }
}

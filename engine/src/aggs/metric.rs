//! What metrics over one numeric source share: a state per owner, fed with all values of a document.

use super::kind::{Aggregator, Built, Owners, SKETCH_UNITS, check_shard_buckets, of_each};
use super::partial::Partial;
use super::source::Source;
use crate::error::{Error, Result};
use crate::pace::Pace;
use crate::segment::{Batch, SegmentView};

/// What a metric keeps of one bucket.
pub(crate) trait State: Clone {
    fn add(&mut self, value: f64) -> Result<()>;

    /// Adds them in turn.
    fn add_all(&mut self, values: &[f64]) -> Result<()> {
        values.iter().try_for_each(|value| self.add(*value))
    }

    fn into_partial(self) -> Partial;
}

/// Collects one state per owner; `fresh` is the state of a bucket without documents.
pub(crate) struct MetricAggregator<S> {
    source: Source,
    fresh: S,
    states: Vec<Option<Box<S>>>,
    values: Vec<f64>,
    batch: Batch,
}

impl<S: State> MetricAggregator<S> {
    pub(crate) fn new(source: Source, fresh: S) -> Self {
        Self { source, fresh, states: vec![], values: vec![], batch: Batch::default() }
    }

    fn state(&mut self, owner: u32) -> Result<&mut S> {
        let owner = owner as usize;
        if owner >= self.states.len() {
            check_shard_buckets(owner)?;
            self.states.resize_with(owner + 1, || None);
        }
        let fresh = &self.fresh;
        Ok(self.states[owner].get_or_insert_with(|| Box::new(fresh.clone())))
    }
}

impl<S: State> Aggregator for MetricAggregator<S> {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.source.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.source.is_absent() {
            return Ok(());
        }
        let (mut values, mut batch) = (std::mem::take(&mut self.values), std::mem::take(&mut self.batch));
        self.source.all_doubles(docs, &mut values, &mut batch)?;
        match owners {
            Owners::One(owner) => self.state(owner)?.add_all(&values)?,
            Owners::Each(owners) => {
                let places = batch.places();
                for (i, value) in values.iter().enumerate() {
                    self.state(owners[places.map_or(i, |places| places[i] as usize)])?.add(*value)?;
                }
            }
        }
        (self.values, self.batch) = (values, batch);
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let part = |owner: u32| {
                let state = self.states.get_mut(owner as usize).and_then(Option::take);
                Ok(state.map_or_else(|| self.fresh.clone(), |s| *s).into_partial())
            };
            of_each(owners, SKETCH_UNITS, pace, part).await
        })
    }
}

/// The error of ordering a single-value metric by something else.
pub(crate) fn check_single_value(name: &str, property: Option<&str>) -> Result<()> {
    match property {
        None | Some("value") => Ok(()),
        Some(_) => Err(Error::illegal_argument(format!(
            "Ordering on a single-value metrics aggregation can only be done on its value. Either drop the key (a la \"{name}\") or change it to \"value\" (a la \"{name}.value\")"
        ))),
    }
}

/// The error of ordering by one of several values, where none is named or one that is not there.
pub(crate) fn no_such_value(name: &str, property: Option<&str>) -> Error {
    Error::illegal_argument(match property {
        None => "When ordering on a multi-value metrics aggregation a metric name must be specified.".to_owned(),
        Some(other) => format!("Unknown metric name [{other}] on multi-value metrics aggregation [{name}]"),
    })
}

//! Which terms `include` and `exclude` let pass, as a shard looks at terms that are bytes.

use super::format::Format;
use super::parse::Agg;
use super::source::Source;
use super::terms::{Selection, TermsConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;
use crate::mapping::DocValueFormat;
use crate::murmur3;
use crate::query::{PlanContext, ShardContext, check_regexp_length, regexp_automaton};
use crate::score::Automaton;
use ahash::AHashSet;
use std::sync::Arc;

/// The seed by which the reference spreads terms over partitions.
const PARTITION_SEED: u32 = 31;

pub(crate) struct ChosenTerms {
    include: Option<Chosen>,
    exclude: Option<Chosen>,
}

enum Chosen {
    Listed(AHashSet<Vec<u8>>),
    Matching(Arc<dyn Automaton>),
    Partition { part: i64, of: i64 },
}

impl ChosenTerms {
    /// `parse` reads a term that the request lists.
    pub(crate) fn new(
        config: &TermsConfig,
        cx: &ShardContext,
        parse: impl Fn(&Value) -> Result<Vec<u8>>,
    ) -> Result<Self> {
        let chosen = |selection: &Option<Selection>| match selection {
            None => Ok(None),
            Some(Selection::Partition { part, of }) => Ok(Some(Chosen::Partition { part: *part, of: *of })),
            Some(Selection::Pattern(text)) => {
                check_regexp_length(&PlanContext::new(cx), text, "request")?;
                regexp_automaton(text).map(|automaton| Some(Chosen::Matching(automaton)))
            }
            Some(Selection::Values(_)) => Ok(Selection::values(selection.as_ref(), &parse)?.map(Chosen::Listed)),
        };
        Ok(Self { include: chosen(&config.include)?, exclude: chosen(&config.exclude)? })
    }

    pub(crate) fn is_all(&self) -> bool {
        self.include.is_none() && self.exclude.is_none()
    }

    pub(crate) fn lets_pass(&self, term: &[u8]) -> bool {
        let has = |chosen: &Option<Chosen>| chosen.as_ref().map(|chosen| chosen.has(term));
        has(&self.include) != Some(false) && has(&self.exclude) != Some(true)
    }
}

impl Chosen {
    fn has(&self, term: &[u8]) -> bool {
        match self {
            Self::Listed(terms) => terms.contains(term),
            Self::Matching(automaton) => automaton.matches(term),
            Self::Partition { part, of } => i64::from(murmur3::hash(term, PARTITION_SEED)).rem_euclid(*of) == *part,
        }
    }
}

/// What is wrong with the choice: only texts can be chosen by regular expressions, and what a list has is read as values are.
pub(crate) fn check_chosen(source: &Source, config: &TermsConfig, agg: &Agg) -> Result<()> {
    check_patterns(source, config, agg)?;
    for selection in [&config.include, &config.exclude] {
        match source.is_bytes() {
            true => Selection::values(selection.as_ref(), |value| source.parse_bytes(value)).map(drop)?,
            false => Selection::values(selection.as_ref(), |value| source.parse_number(value)).map(drop)?,
        }
    }
    Ok(())
}

/// Only texts can be chosen by regular expressions.
pub(crate) fn check_patterns(source: &Source, config: &TermsConfig, agg: &Agg) -> Result<()> {
    let patterns = [&config.include, &config.exclude].iter().any(|s| matches!(s, Some(Selection::Pattern(_))));
    let is_ip = matches!(source.format(), Format::Field(DocValueFormat::Ip));
    if !patterns || !(source.is_mapped() || source.has_missing()) || (source.is_bytes() && !is_ip) {
        return Ok(());
    }
    let values = match source.is_bytes() {
        true => "values for include/exclude clauses",
        false => "numeric values for include/exclude clauses used to filter numeric fields",
    };
    let reason = format!(
        "Aggregation [{}] cannot support regular expression style include/exclude settings as they can only be applied to string fields. Use an array of {values}",
        agg.name
    );
    // The reference has two errors for one mistake.
    let of_terms = agg.type_name == "terms";
    let kind = if of_terms { ErrorKind::AggregationExecution } else { ErrorKind::IllegalArgument };
    Err(Error::new(kind, reason))
}

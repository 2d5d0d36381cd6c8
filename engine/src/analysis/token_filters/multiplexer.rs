//! `multiplexer`: each token through several chains of filters, all results at its position.

use super::{InRules, StreamFilter, TokenFilter};
use crate::analysis::chain::{apply, check_parts};
use crate::analysis::params::Params;
use crate::analysis::registry::{Context, Lookup};
use crate::analysis::token::{Term, TokenBuf};
use crate::{Error, Result};
use hashbrown::HashSet;

#[derive(Debug)]
pub(crate) struct Multiplexer {
    /// Chains of filters; an empty one keeps the original.
    branches: Vec<Vec<TokenFilter>>,
}

pub(super) fn build(params: &Params, context: &Context) -> Result<TokenFilter> {
    let mut branches = vec![];
    if params.bool("preserve_original", true)? {
        branches.push(vec![]);
    }
    let components = context.components.deeper(params.name)?;
    let names = |chain: &String| chain.split(',').count();
    let subject = format!("Multiplexing filter [{}]", params.name);
    check_parts(params.rules("filters").iter().flatten().map(names).sum(), &subject)?;
    for chain in params.rules("filters").unwrap_or_default() {
        let mut before = context.before.clone();
        let mut branch = vec![];
        for name in chain.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let filter = components.filter(name, &before, context.lookup)?.ok_or_else(|| {
                if context.lookup == Lookup::Request {
                    return Error::illegal_argument(format!("failed to find global filter under [{name}]"));
                }
                Error::illegal_argument(format!(
                    "Multiplexing filter [{}] refers to undefined tokenfilter [{name}]",
                    params.name
                ))
            })?;
            before.push(crate::analysis::chain::Named::new(name, filter.clone()));
            branch.push(filter);
        }
        branches.push(branch);
    }
    if branches.is_empty() {
        // Without any chain the original is what is left.
        branches.push(vec![]);
    }
    Ok(TokenFilter::stream(Multiplexer { branches }))
}

/// What is refused when the filter is defined, whoever uses it.
pub(super) fn check(params: &Params) -> Result<()> {
    params.bool("preserve_original", true).map(drop)
}

impl StreamFilter for Multiplexer {
    fn apply(&self, input: &TokenBuf, out: &mut TokenBuf) {
        out.end_like(input);
        if !input.items().is_empty() {
            // What is left out behind the last token is not told on.
            out.trailing = 0;
        }
        let (mut term, mut front, mut back) = (Term::default(), TokenBuf::default(), TokenBuf::default());
        let mut seen: HashSet<String> = HashSet::new();
        let mut gap = 0u32;
        for item in input.items() {
            gap = gap.saturating_add(item.increment);
            if gap > 0 {
                seen.clear();
            }
            for branch in &self.branches {
                front.clear();
                front.push_from(input, item, item.increment);
                for filter in branch {
                    apply(filter, &front, &mut back, &mut term);
                    std::mem::swap(&mut front, &mut back);
                }
                for item in front.items() {
                    // Results that are there already say nothing new.
                    if seen.insert(front.text_of(item).to_owned())
                        && !out.push_from(&front, item, std::mem::take(&mut gap))
                    {
                        return;
                    }
                }
            }
        }
        out.trailing = out.trailing.saturating_add(gap);
    }

    fn shows_keyword(&self) -> bool {
        self.branches.iter().flatten().any(TokenFilter::shows_keyword)
    }

    fn in_rules(&self) -> InRules {
        InRules::Refused
    }
}

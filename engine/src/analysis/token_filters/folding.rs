//! The filters that fold spellings, one pure function each: [`crate::analysis::fold`] has the rules.

use super::{TermFilter, TokenFilter};
use crate::analysis::fold;
use crate::analysis::token::Term;

/// Changes the text of every token.
#[derive(Clone, Copy)]
pub(crate) struct Fold(pub fn(&mut String));

/// As [`Fold`], but keywords stay as they are.
#[derive(Clone, Copy, Debug)]
struct FoldUnlessKeyword(Fold);

impl TermFilter for FoldUnlessKeyword {
    fn apply(&self, term: &mut Term) -> bool {
        term.keyword || self.0.apply(term)
    }

    fn shows_keyword(&self) -> bool {
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

impl std::fmt::Debug for Fold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fold")
    }
}

impl TermFilter for Fold {
    #[inline]
    fn apply(&self, term: &mut Term) -> bool {
        (self.0)(&mut term.text);
        true
    }

    fn normalizes(&self) -> bool {
        true
    }
}

macro_rules! folds {
    ($($name:ident = $fold:expr;)*) => {
        $(pub(super) fn $name(
            _: &crate::analysis::params::Params,
            _: &crate::analysis::registry::Context,
        ) -> crate::Result<TokenFilter> {
            Ok(TokenFilter::term($fold))
        })*
    };
}

folds! {
    arabic = Fold(fold::arabic);
    bengali = FoldUnlessKeyword(Fold(fold::bengali));
    cjk_width = Fold(fold::width);
    german = Fold(fold::german);
    hindi = FoldUnlessKeyword(Fold(fold::hindi));
    indic = Fold(fold::indic);
    persian = Fold(fold::persian);
    scandinavian_folding = Fold(fold::scandinavian_folding);
    scandinavian_normalization = Fold(fold::scandinavian_normalization);
    sorani = Fold(fold::sorani);
}

/// `serbian_normalization`: to Latin letters, by default without marks.
pub(super) fn serbian(
    params: &crate::analysis::params::Params,
    _: &crate::analysis::registry::Context,
) -> crate::Result<TokenFilter> {
    let regular = params.text("haircut").as_deref() == Some("regular");
    Ok(TokenFilter::term(Fold(if regular { fold::serbian_regular } else { fold::serbian })))
}

//! Foldings: different spellings of a word to one, in place. Pure functions; `token_filters::folding` names them.
//!
//! - [`arabic`]: Arabic, Persian, Sorani. [`indic`]: the scripts of India by their graphic parts; Hindi. [`bengali`].
//! - [`european`]: German, the Scandinavian languages, Serbian, Romanian. [`case`]: lower case by the rules of a language.
//! - [`width`]: forms of East Asian characters that differ in width.

mod arabic;
mod bengali;
mod case;
mod european;
mod indic;
mod width;

pub(crate) use arabic::{arabic, persian, sorani};
pub(crate) use bengali::bengali;
pub(crate) use case::{greek, irish, turkish};
pub(crate) use european::{
    german, romanian, scandinavian_folding, scandinavian_normalization, serbian, serbian_regular,
};
pub(crate) use indic::{hindi, indic};
pub(crate) use width::width;

/// Replaces each character by what `fold` makes of it: another, or none. Texts without any such character stay as they are.
fn each(text: &mut String, fold: impl Fn(char) -> Option<char>) {
    if text.chars().any(|c| fold(c) != Some(c)) {
        *text = text.chars().filter_map(fold).collect();
    }
}

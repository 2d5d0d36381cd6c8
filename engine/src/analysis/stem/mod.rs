//! Stemmers: a word to its stem, in place. Pure functions without parameters; `token_filters::stemmer` names them.
//!
//! - [`snowball`]: the stemmers of the Snowball project. [`rslp`]: those that are tables of rules. The rest are written out,
//!   a file per language or per family of languages.
//! - [`word`]: what they are written with.

/// Makes a word its stem.
pub(crate) type Stem = fn(&mut String);

mod arabic;
mod brazilian;
mod english;
mod finnish;
mod french;
mod german;
mod greek;
mod greek_exceptions;
mod hungarian;
mod indic;
mod indonesian;
mod kstem;
mod latvian;
mod porter;
mod romance;
mod rslp;
mod scandinavian;
mod slavic;
mod snowball;
mod word;

pub(crate) use arabic::{arabic, persian, sorani};
pub(crate) use brazilian::brazilian;
pub(crate) use english::{minimal, plural, possessive};
pub(crate) use finnish::light as light_finnish;
pub(crate) use french::{light as light_french, minimal as minimal_french};
pub(crate) use german::{caumanns, light as light_german, minimal as minimal_german};
pub(crate) use greek::greek;
pub(crate) use hungarian::light as light_hungarian;
pub(crate) use indic::{bengali, hindi};
pub(crate) use indonesian::indonesian;
pub(crate) use kstem::kstem;
pub(crate) use latvian::light as latvian;
pub(crate) use porter::porter;
pub(crate) use romance::{italian as light_italian, portuguese as light_portuguese, spanish as light_spanish};
pub(crate) use rslp::{galician, minimal_galician, minimal_portuguese, portuguese as rslp_portuguese};
pub(crate) use scandinavian::{bokmaal, minimal_bokmaal, minimal_nynorsk, nynorsk, swedish as light_swedish};
pub(crate) use slavic::{bulgarian, czech, russian as light_russian};
pub(crate) use snowball::{LANGUAGES as SNOWBALL_LANGUAGES, snowball};

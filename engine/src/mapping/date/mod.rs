//! Dates: formats (named ones and `java.time` patterns), reading, writing, date math.
//!
//! - [`DateFormat`]: alternatives separated by `||`; reads text to milliseconds (or nanoseconds) since 1970 and writes back.
//! - `names`: the formats that have names. `pattern`: `java.time` patterns to items. `items`: the items, read and written;
//!   `number_field`: the numbers among them.
//! - `languages`: names of months, days and the like.
//! - `resolve`: the fields that were read to an instant. `civil`: the calendar. `math`: `now-1d/d`, `2020-01-01||+1M/M`. [`Zone`]: time zones;
//!   `zone_names`: what they are called for short.
//!
//! What this room does not know: the clock (`now` is an argument), fields.

pub mod civil;
mod format;
mod items;
mod languages;
mod math;
mod names;
mod number_field;
mod pattern;
mod resolve;
#[cfg(test)]
mod tests;
mod zone;
mod zone_names;

pub use format::{DateFormat, Instant, Resolution};
pub use items::{Names, TextField, Width};
pub use zone::Zone;

//! The classes of scripts, a file for each family: rows of members and what they do.
//!
//! `args` reads arguments, `display` texts, hashes and equality, `collection` what lists, maps and sets share. What is not
//! in a row does not exist for scripts: there is no way to the host.

mod args;
mod big_integer;
mod bits;
mod builder;
mod by_path;
mod calendar;
mod categories;
mod character;
mod character_constants;
mod collection;
mod collections;
mod collectors;
mod comparator;
mod date_format;
mod decimal;
mod display;
mod document;
mod emit;
mod exception;
mod formatter;
mod function;
mod interfaces;
mod iterators;
mod list;
mod locale;
mod map;
mod math;
mod misc;
mod moving;
mod normalizer;
mod nulls;
mod number;
mod number_format;
mod number_more;
mod object;
mod optional;
mod processors;
mod queue;
mod random;
mod regex;
mod score;
mod set;
mod similarity;
mod sorted_map;
mod stream;
mod string;
mod time;
mod tokenizer;

pub use bits::Bits;
pub use calendar::{Calendar, calendar_text};
pub use collection::{
    CONDITION_DATA, CONDITION_LIST, check_changeable, entries, get, items_of, iterator_of, key_of, map_of, new_list,
    next_of, put,
};
pub use collections::no_item;
pub use collectors::Collector;
pub use comparator::{Comparing, compare_with};
pub use date_format::{DateFormat, date_text};
pub use display::{array_code, charge_walks, forget_walks, plain, scanned, write_plain, write_text};
pub use iterators::wrapped;
pub use misc::base64_text;
pub use moving::{HOLT_WINTERS_PADDING, holt_winters_ahead};
pub use nulls::told_of_null;
pub use number_format::{NumberFormat, Symbols};
pub use random::Random;
pub use regex::flag_bits;
pub use stream::{Stream, Summary};
pub use time::{Temporal, constant_text, is_offset, zoned_of_millis, zoned_of_nanos};
pub use tokenizer::Tokenizer;

use super::class::ClassRow;

/// A row per file; files list their classes.
pub static CLASSES: &[&[ClassRow]] = &[
    object::CLASSES,
    number::CLASSES,
    big_integer::CLASSES,
    decimal::CLASSES,
    locale::CLASSES,
    number_format::CLASSES,
    number_more::CLASSES,
    math::CLASSES,
    character_constants::CLASSES,
    categories::CLASSES,
    character::CLASSES,
    string::CLASSES,
    builder::CLASSES,
    regex::CLASSES,
    bits::CLASSES,
    interfaces::CLASSES,
    normalizer::CLASSES,
    tokenizer::CLASSES,
    list::CLASSES,
    iterators::CLASSES,
    queue::CLASSES,
    collections::CLASSES,
    set::CLASSES,
    map::CLASSES,
    sorted_map::CLASSES,
    comparator::CLASSES,
    function::CLASSES,
    stream::CLASSES,
    stream::summary::CLASSES,
    collectors::CLASSES,
    optional::CLASSES,
    exception::CLASSES,
    misc::CLASSES,
    random::CLASSES,
    time::CLASSES,
    time::MORE_CLASSES,
    time::CHRONO_CLASSES,
    time::ADJUSTER_CLASSES,
    time::PART_CLASSES,
    time::QUERY_CLASSES,
    time::YEAR_CLASSES,
    time::UNIT_CLASSES,
    time::WEEK_CLASSES,
    time::OFFSET_CLASSES,
    calendar::CLASSES,
    date_format::CLASSES,
    document::CLASSES,
    document::STORED_CLASSES,
    score::CLASSES,
    similarity::CLASSES,
    moving::CLASSES,
    processors::CLASSES,
    emit::CLASSES,
];

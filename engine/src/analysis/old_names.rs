//! Names of kinds that are still understood and told to be deprecated.

use crate::deprecated::note;

/// A tokenizer by this name is deprecated.
pub const OLD_TOKENIZER: &str = "PathHierarchy";
/// A token filter of this type is deprecated.
pub const OLD_FILTER: &str = "nGram";

pub fn note_old_tokenizer() {
    note(
        "The [PathHierarchy] tokenizer name is deprecated and will be removed in a future version. Please change the tokenizer name to [path_hierarchy] instead.",
    );
}

pub fn note_old_filter() {
    note(
        "The [nGram] token filter name is deprecated and will be removed in a future version. Please change the filter name to [ngram] instead.",
    );
}

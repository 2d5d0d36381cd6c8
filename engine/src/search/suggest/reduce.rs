//! The suggestions of all shards to one answer.

use super::{Choice, Entry, Kind, ShardSuggestions, Suggest, Suggestion};
use crate::error::{Error, ErrorKind, Result};
use crate::java_order::java_order;
use crate::json::Writer;
use crate::search::result::ShardHit;
use std::cmp::Ordering;
use std::collections::HashSet;

/// What is suggested in the end, by suggestion. Completions know the slots of the shards that their documents are on.
#[derive(Debug, Default)]
pub struct Suggested {
    entries: Vec<Vec<SuggestedEntry>>,
}

#[derive(Debug)]
struct SuggestedEntry {
    entry: Entry,
    /// By option: the slot of the document, and its object once it was fetched.
    docs: Vec<(u32, Vec<u8>)>,
}

/// Merges what shards suggest; they are given with their slots. Texts that the shards split in different ways cannot be merged.
pub fn reduce_suggestions(suggest: &Suggest, shards: Vec<(u32, ShardSuggestions)>) -> Result<Suggested> {
    let mut by_suggestion: Vec<Vec<(u32, Vec<Entry>)>> = suggest.suggestions.iter().map(|_| vec![]).collect();
    for (slot, found) in shards {
        for (at, entries) in found.into_iter().enumerate() {
            if let Some(all) = by_suggestion.get_mut(at) {
                all.push((slot, entries));
            }
        }
    }
    let merged = suggest.suggestions.iter().zip(by_suggestion).map(|(suggestion, shards)| suggestion.reduce(shards));
    Ok(Suggested { entries: merged.collect::<Result<_>>()? })
}

impl Suggestion {
    fn reduce(&self, shards: Vec<(u32, Vec<Entry>)>) -> Result<Vec<SuggestedEntry>> {
        let expected = shards.first().map_or(0, |(_, entries)| entries.len());
        let other = shards.iter().map(|(_, entries)| entries.len()).find(|actual| *actual != expected);
        if let Some(actual) = other.filter(|_| expected > 0) {
            let reason = format!(
                "Can't merge suggest result, this might be caused by suggest calls across multiple indices with different analysis chains. Suggest entries have different sizes actual [{actual}] expected [{expected}]"
            );
            return Err(Error::new(ErrorKind::IllegalState, reason));
        }
        // What one shard alone has put in order, by more digits than it tells, stays so.
        let alone = matches!(self.kind, Kind::Phrase(_)) && shards.len() == 1;
        let mut merged: Vec<(Entry, Vec<(u32, Choice)>)> = vec![];
        for (slot, entries) in shards {
            for (at, mut entry) in entries.into_iter().enumerate() {
                let choices = std::mem::take(&mut entry.options).into_iter().map(|choice| (slot, choice));
                match merged.get_mut(at) {
                    Some((first, _)) if first.text != entry.text => {
                        let reason = format!(
                            "Can't merge suggest entries, this might be caused by suggest calls across multiple indices with different analysis chains. Suggest entries have different text actual [{}] expected [{}]",
                            entry.text, first.text
                        );
                        return Err(Error::new(ErrorKind::IllegalState, reason));
                    }
                    Some((first, all)) => {
                        first.cutoff = first.cutoff.max(entry.cutoff);
                        all.extend(choices);
                    }
                    None => merged.push((entry, choices.collect())),
                }
            }
        }
        let rows = merged.into_iter();
        Ok(rows
            .map(|(entry, choices)| if alone { self.keep(entry, choices) } else { self.reduce_entry(entry, choices) })
            .collect())
    }

    fn reduce_entry(&self, entry: Entry, choices: Vec<(u32, Choice)>) -> SuggestedEntry {
        let mut kept: Vec<(u32, Choice)> = vec![];
        match &self.kind {
            Kind::Completion(_) => kept = choices,
            Kind::Term(_) | Kind::Phrase(_) => {
                for (slot, choice) in choices {
                    match kept.iter_mut().find(|(_, known)| known.text == choice.text) {
                        Some((_, known)) => {
                            known.freq += choice.freq;
                            known.score = known.score.max(choice.score);
                            known.collate_match = known.collate_match.max(choice.collate_match);
                        }
                        None => kept.push((slot, choice)),
                    }
                }
            }
        }
        if matches!(self.kind, Kind::Phrase(_)) {
            kept.retain(|(_, choice)| f64::from(choice.score) > entry.cutoff as f32 as f64 || entry.cutoff < 1e-30);
        }
        kept.sort_by(|(_, a), (_, b)| self.order(a, b));
        if let Kind::Completion(options) = &self.kind
            && options.skip_duplicates
        {
            let mut texts = HashSet::new();
            kept.retain(|(_, choice)| texts.insert(choice.text.clone()));
        }
        self.keep(entry, kept)
    }

    fn keep(&self, mut entry: Entry, mut kept: Vec<(u32, Choice)>) -> SuggestedEntry {
        kept.truncate(self.size);
        let docs = kept.iter().map(|(slot, _)| (*slot, vec![])).collect();
        entry.options = kept.into_iter().map(|(_, choice)| choice).collect();
        SuggestedEntry { entry, docs }
    }

    fn order(&self, a: &Choice, b: &Choice) -> Ordering {
        let (score, freq) = (b.score.total_cmp(&a.score), b.freq.cmp(&a.freq));
        let first = match &self.kind {
            Kind::Term(options) if options.spelling.by_frequency => freq.then(score),
            Kind::Term(_) => score.then(freq),
            _ => score,
        };
        first.then_with(|| a.text.cmp(&b.text))
    }
}

impl Suggested {
    /// The documents that completions came from, with the slots of their shards, in the order of the answer.
    pub fn hits(&self) -> Vec<(u32, ShardHit)> {
        let entries = self.entries.iter().flatten();
        let hits = entries.flat_map(|entry| {
            let hits = entry.entry.options.iter().zip(&entry.docs);
            hits.filter_map(|(choice, (slot, _))| choice.hit.clone().map(|hit| (*slot, hit)))
        });
        hits.collect()
    }

    /// Takes the objects of [`Suggested::hits`], in the same order.
    pub fn set_objects(&mut self, objects: Vec<Vec<u8>>) {
        let mut objects = objects.into_iter();
        for entry in self.entries.iter_mut().flatten() {
            let with_hits = entry.entry.options.iter().zip(&mut entry.docs).filter(|(choice, _)| choice.hit.is_some());
            for (_, doc) in with_hits {
                doc.1 = objects.next().unwrap_or_default();
            }
        }
    }

    /// Writes the `suggest` object.
    pub fn write(&self, suggest: &Suggest, typed_keys: bool, w: &mut Writer) {
        w.begin_object();
        for (suggestion, entries) in suggest.suggestions.iter().zip(&self.entries) {
            match typed_keys {
                true => w.key(&format!("{}#{}", suggestion.kind.name(), suggestion.name)),
                false => w.key(&suggestion.name),
            };
            w.begin_array();
            entries.iter().for_each(|entry| entry.write(&suggestion.kind, w));
            w.end_array();
        }
        w.end_object();
    }
}

impl SuggestedEntry {
    fn write(&self, kind: &Kind, w: &mut Writer) {
        let Entry { text, offset, length, options, .. } = &self.entry;
        w.begin_object().key("text").string(text);
        w.key("offset").u64(u64::from(*offset)).key("length").u64(u64::from(*length));
        w.key("options").begin_array();
        for (choice, (_, object)) in options.iter().zip(&self.docs) {
            w.begin_object().key("text").string(&choice.text);
            match kind {
                Kind::Completion(_) => choice.write_document(object, w),
                kind => {
                    if let Some(highlighted) = &choice.highlighted {
                        w.key("highlighted").string(highlighted);
                    }
                    w.key("score").f32(choice.score);
                    if let Kind::Term(_) = kind {
                        w.key("freq").u64(choice.freq);
                    }
                    if let Some(matches) = choice.collate_match {
                        w.key("collate_match").bool(matches);
                    }
                }
            }
            w.end_object();
        }
        w.end_array().end_object();
    }
}

impl Choice {
    /// The fields of the document's object, and its contexts. Of a document that could not be fetched the score is known.
    fn write_document(&self, object: &[u8], w: &mut Writer) {
        match object {
            [] => w.key("score").f32(self.score),
            object => w.fields_of(object),
        };
        if self.contexts.is_empty() {
            return;
        }
        let mut names: Vec<&str> = vec![];
        for (name, _) in &self.contexts {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        w.key("contexts").begin_object();
        for name in java_order(names) {
            w.key(name).begin_array();
            let values = self.contexts.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str());
            for value in java_order(values.collect()) {
                w.string(value);
            }
            w.end_array();
        }
        w.end_object();
    }
}

//! `phrase`: other spellings of a text as a whole, by how likely their words stand together.

use super::generator::Generator;
use super::model::{Model, Smoothing, Word};
use super::spelling::{Mode, frequencies, words};
use super::{Choice, Entry, Suggestion};
use crate::analysis::{Analyzer, OwnedToken};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Map, Value};
use crate::mapping::Field;
use crate::query::{self, PlanContext, ShardContext};
use crate::score::WeightContext;
use crate::search::Template;
use crate::segment::NO_MORE_DOCS;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub struct PhraseOptions {
    pub real_word_likelihood: f64,
    /// A number of words, or a share of them below 1.
    pub max_errors: f32,
    pub confidence: f32,
    pub separator: String,
    /// None: as the field's shingles say.
    pub gram_size: Option<usize>,
    pub force_unigrams: bool,
    pub token_limit: usize,
    /// What stands before and behind words that were replaced.
    pub tags: Option<(String, String)>,
    pub generators: Vec<Generator>,
    pub smoothing: Smoothing,
    pub collate: Option<Collate>,
}

/// A query that suggestions have to match.
#[derive(Clone, Debug)]
pub struct Collate {
    pub source: String,
    pub params: Map,
    /// Suggestions without a match are marked instead of left out.
    pub prune: bool,
}

impl Default for PhraseOptions {
    fn default() -> Self {
        Self {
            real_word_likelihood: f64::from(0.95f32),
            max_errors: 0.5,
            confidence: 1.0,
            separator: " ".to_owned(),
            gram_size: None,
            force_unigrams: true,
            token_limit: 10,
            tags: None,
            generators: vec![],
            smoothing: Smoothing::default(),
            collate: None,
        }
    }
}

/// What may stand at one place: the word that was written, and others, best first.
struct Place {
    written: Word,
    others: Vec<Word>,
}

/// A row of words.
struct Correction {
    score: f64,
    words: Vec<Word>,
}

impl PhraseOptions {
    pub(super) fn suggest(&self, suggestion: &Suggestion, field: &Field, cx: &ShardContext) -> Result<Vec<Entry>> {
        let text = suggestion.text()?;
        let analyzer = suggestion.analyzer(field, cx)?;
        let (shingle_size, unigrams) = shingles(&analyzer);
        if self.generators.is_empty() && self.force_unigrams && !unigrams {
            return Err(Error::illegal_argument(format!(
                "The default candidate generator for phrase suggest can't operate on field: [{}] since it doesn't emit unigrams. If this is intentional try to set the candidate generator field explicitly",
                field.name
            )));
        }
        let gram_size = self.gram_size.unwrap_or(shingle_size);
        let plan_cx = PlanContext::new(cx);
        let mut entry = Entry {
            text: text.to_owned(),
            length: text.chars().count() as u32,
            cutoff: f64::MIN_POSITIVE,
            ..Entry::default()
        };
        let default = [Generator::of_field(&field.name)];
        let wanted = if self.generators.is_empty() { &default[..] } else { &self.generators[..] };
        wanted.iter().try_for_each(|generator| generator.check(cx))?;
        let has_terms = |name: &str| {
            cx.snapshot
                .segments
                .iter()
                .any(|view| view.segment.field(name).is_some_and(|field| field.terms().is_some()))
        };
        let generators: Vec<&Generator> = wanted.iter().filter(|generator| has_terms(&generator.field)).collect();
        let (Some(first), true) = (generators.first(), has_terms(&field.name)) else { return Ok(vec![entry]) };
        let mut places = self.places(suggestion.tokens(field, cx)?, first, &plan_cx)?;
        if places.is_empty() || places.len() >= self.token_limit {
            return Ok(vec![entry]);
        }
        for place in &mut places {
            for generator in &generators {
                generator.draw(place, cx, &plan_cx)?;
            }
            place.others.truncate(suggestion.shard_size());
        }
        let model = Model::new(&plan_cx, &field.name, &self.separator, self.smoothing);
        let search = Search { model, places: &places, gram_size, real_word: self.real_word_likelihood };
        if self.confidence > 0.0 {
            entry.cutoff = search.written_score() * f64::from(self.confidence);
        }
        for correction in search.best(self.max_errors, suggestion.shard_size(), entry.cutoff) {
            entry.options.extend(self.choice(&correction, cx)?);
        }
        Ok(vec![entry])
    }

    /// The words that were written, each at its place.
    fn places(&self, tokens: Vec<OwnedToken>, first: &Generator, cx: &PlanContext) -> Result<Vec<Place>> {
        let (mut places, mut before): (Vec<Place>, Option<u32>) = (vec![], None);
        for token in tokens {
            // Beside the token before it, a synonym is another choice; at a position of its own it is a word like any other.
            let is_beside = before.replace(token.position) == Some(token.position) && token.kind == "SYNONYM";
            if self.force_unigrams && token.kind == "shingle" {
                continue;
            }
            // A synonym is none of the words that were written: it takes one of the errors, and is marked.
            let word = first.word(cx, &token.text, self.real_word_likelihood, !is_beside);
            match places.last_mut().filter(|_| is_beside) {
                Some(place) if frequencies(cx, &first.field, token.text.as_bytes()).0 > 0 => place.others.push(word),
                Some(_) => {}
                None => places.push(Place { written: word, others: vec![] }),
            }
        }
        if self.force_unigrams && before.is_some() && places.is_empty() {
            let reason = "At least one unigram is required but all tokens were ngrams";
            return Err(Error::new(ErrorKind::IllegalState, reason));
        }
        Ok(places)
    }

    fn choice(&self, correction: &Correction, cx: &ShardContext) -> Result<Option<Choice>> {
        let texts: Vec<&str> = correction.words.iter().map(|word| word.text.as_str()).collect();
        let text = texts.join(" ");
        let collate_match = match &self.collate {
            Some(collate) => {
                let matches = collate.matches(&text, cx)?;
                if !matches && !collate.prune {
                    return Ok(None);
                }
                collate.prune.then_some(matches)
            }
            None => None,
        };
        let highlighted = self.tags.as_ref().map(|(before, behind)| highlighted(&correction.words, before, behind));
        Ok(Some(Choice { text, score: correction.score as f32, highlighted, collate_match, ..Choice::default() }))
    }
}

/// Words that were replaced stand between the tags, neighbours together.
fn highlighted(words: &[Word], before: &str, behind: &str) -> String {
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        let (opens, closes) = (
            !word.written && (i == 0 || words[i - 1].written),
            !word.written && words.get(i + 1).is_none_or(|next| next.written),
        );
        out.push_str(if i > 0 { " " } else { "" });
        out.push_str(if opens { before } else { "" });
        out.push_str(&word.text);
        out.push_str(if closes { behind } else { "" });
    }
    out
}

/// How many words the longest shingle of an analyzer has, 1 if it makes none; and whether it gives single words, too.
/// What a field makes shingles of by itself is not known to.
fn shingles(analyzer: &Analyzer) -> (usize, bool) {
    if analyzer.is_derived() {
        return (1, true);
    }
    let (shingles, words): (Vec<_>, Vec<_>) =
        analyzer.tokens("a b c d e f g h i j k l").into_iter().partition(|token| token.kind == "shingle");
    let longest = shingles.iter().map(|token| token.position_length as usize).max();
    (longest.unwrap_or(1), longest.is_none() || !words.is_empty())
}

impl Generator {
    fn word(&self, cx: &PlanContext, text: &str, likeness: f64, written: bool) -> Word {
        let total_term_freq = frequencies(cx, &self.field, text.as_bytes()).1;
        Word {
            text: text.to_owned(),
            total_term_freq,
            likeness,
            rank: self.rank(cx, total_term_freq, likeness),
            written,
        }
    }

    fn rank(&self, cx: &PlanContext, freq: u64, likeness: f64) -> f64 {
        likeness * ((freq as f64 + 1.0) / (words(cx, &self.field) as f64 + 1.0))
    }

    /// Adds words that are near to what was written.
    fn draw(&self, place: &mut Place, cx: &ShardContext, plan_cx: &PlanContext) -> Result<()> {
        let term = self.before(&place.written.text, cx)?.pop().unwrap_or_default();
        let own = frequencies(plan_cx, &self.field, place.written.text.as_bytes()).0;
        let least = if self.spelling.mode == Mode::Always { 0.0 } else { self.least_frequency(plan_cx, own) };
        for similar in self.spelling.similar(plan_cx, &self.field, &term, self.size, least) {
            for text in self.behind(&similar.term, cx)? {
                let word = self.word(plan_cx, &text, f64::from(similar.score), false);
                if !place.others.iter().any(|known| known.text == word.text) {
                    place.others.push(word);
                }
            }
        }
        place.others.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.text.cmp(&b.text)));
        Ok(())
    }

    /// How frequent a word must be to stand for one that is in so many documents itself.
    fn least_frequency(&self, cx: &PlanContext, own: u64) -> f32 {
        if own == 0 {
            return 0.0;
        }
        let plateau = match self.spelling.min_doc_freq {
            limit if limit >= 1.0 => f64::from(limit.trunc()),
            share => (super::spelling::max_doc(cx) as f64 * f64::from(share)).trunc(),
        };
        let steps = ((own as f64 - plateau).log10() / 5f64.log10()).round();
        // Without a plateau above its own frequency there is nothing to take the logarithm of.
        (if steps.is_finite() { steps.max(0.0) } else { 0.0 } + 1.0) as f32
    }
}

impl Collate {
    /// Whether a document of the shard matches the query with the suggestion in it.
    fn matches(&self, suggestion: &str, cx: &ShardContext) -> Result<bool> {
        let mut params = self.params.clone();
        params.insert("suggestion", Value::from(suggestion));
        let text = Template::parse(&self.source)?.render(&params)?;
        crate::json::check_begins_object(text.as_bytes())?;
        let query = query::parse(&crate::json::parse(text.as_bytes())?, text.as_bytes())?;
        let mut weight =
            query.root_plan(cx)?.weight(&WeightContext::new(&cx.snapshot, cx.mapping.similarities()), false, 1.0)?;
        for view in &cx.snapshot.segments {
            let Some(mut scorer) = weight.scorer(view)? else { continue };
            while scorer.doc() != NO_MORE_DOCS {
                if view.is_live(scorer.doc()) {
                    return Ok(true);
                }
                scorer.next();
            }
        }
        Ok(false)
    }
}

/// The search for the most likely rows.
struct Search<'a> {
    model: Model<'a>,
    places: &'a [Place],
    gram_size: usize,
    real_word: f64,
}

/// Most rows that are looked at: places times words of each grow quickly.
const ROWS_MAX: usize = 50_000;

impl Search<'_> {
    fn score(&self, row: &[&Word]) -> f64 {
        self.model.score(row, self.gram_size, self.real_word)
    }

    fn written_score(&self) -> f64 {
        let row: Vec<&Word> = self.places.iter().map(|place| &place.written).collect();
        (1..=row.len()).map(|end| self.score(&row[..end])).sum::<f64>().exp()
    }

    fn best(&self, max_errors: f32, size: usize, cutoff: f64) -> Vec<Correction> {
        let errors = match max_errors {
            number if number >= 1.0 => number as usize,
            share => (share * self.places.len() as f32).round() as usize,
        };
        let mut found = vec![];
        let mut left = ROWS_MAX;
        self.extend(&mut vec![], errors.max(1), 0.0, cutoff, &mut found, &mut left);
        found.sort_by(better);
        found.truncate(size);
        found
    }

    /// Goes on with a row by every word that may stand at its next place.
    fn extend<'w>(
        &'w self,
        row: &mut Vec<&'w Word>,
        errors: usize,
        score: f64,
        cutoff: f64,
        found: &mut Vec<Correction>,
        left: &mut usize,
    ) {
        let Some(place) = self.places.get(row.len()) else {
            let score = score.exp();
            if score > cutoff {
                found.push(Correction { score, words: row.iter().map(|word| (*word).clone()).collect() });
            }
            return;
        };
        let others = if errors > 0 { &place.others[..] } else { &[] };
        for word in std::iter::once(&place.written).chain(others) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            row.push(word);
            let errors = if word.written { errors } else { errors - 1 };
            self.extend(row, errors, score + self.score(row), cutoff, found, left);
            row.pop();
        }
    }
}

fn better(a: &Correction, b: &Correction) -> Ordering {
    let texts = |correction: &Correction| correction.words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
    b.score.total_cmp(&a.score).then_with(|| texts(a).cmp(&texts(b)))
}

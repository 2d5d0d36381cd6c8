//! Boundaries of sentences and words in a text, by UTF-16 offsets.

use crate::analysis::java_breaks;

/// All boundaries of a text, its beginning and end among them.
pub struct Breaks {
    at: Vec<usize>,
    /// Where Java's runtime turns around on its way back, and what it has seen before it does.
    turns: Vec<(usize, usize)>,
}

impl Breaks {
    pub fn sentences(text: &str) -> Self {
        let turns = java_breaks::turns(text);
        let places = Self::of(text, turns.iter().flat_map(|(stop, behind)| [*stop, *behind]).collect()).at;
        let turns = places.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        Self { turns, ..Self::of(text, java_breaks::sentences(text)) }
    }

    pub fn words(text: &str) -> Self {
        Self::of(text, java_breaks::words(text))
    }

    /// Bytes to UTF-16.
    fn of(text: &str, mut at: Vec<usize>) -> Self {
        let (mut bytes, mut units) = (0, 0);
        for bound in &mut at {
            units += text[bytes..*bound].encode_utf16().count();
            bytes = std::mem::replace(bound, units);
        }
        Self { at, turns: vec![] }
    }

    /// The same as the runtime has it: it goes on from a boundary that it knows, or else from where it turned around, which
    /// need not be one.
    pub fn preceding_known(&self, offset: usize, known: Option<usize>) -> usize {
        let from = match known.filter(|known| *known < offset) {
            Some(known) => known,
            None => {
                let turns = self.turns.partition_point(|(_, behind)| *behind < offset);
                turns.checked_sub(1).map_or(0, |last| self.turns[last].0)
            }
        };
        self.preceding(offset).max(from)
    }

    /// The last boundary before `offset`; the beginning if there is none.
    pub fn preceding(&self, offset: usize) -> usize {
        let count = self.at.partition_point(|at| *at < offset);
        count.checked_sub(1).map_or(0, |last| self.at[last])
    }

    /// The first boundary behind `offset`; the end if there is none.
    pub fn following(&self, offset: usize) -> usize {
        let count = self.at.partition_point(|at| *at <= offset);
        self.at.get(count).or(self.at.last()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_count_in_utf16() {
        let words = Breaks::words("a 😀 b");
        assert_eq!((words.preceding(2), words.following(2), words.preceding(0), words.following(99)), (1, 4, 0, 6));
        assert_eq!(Breaks::sentences("One. Two.").at, [0, 5, 9]);
    }

    #[test]
    fn the_way_back_ends_where_the_runtime_turns_around() {
        let text = "It runs in b. - Native c";
        let breaks = Breaks::sentences(text);
        assert_eq!(breaks.at, [0, text.len()]);
        assert_eq!((breaks.preceding_known(20, None), breaks.preceding_known(20, Some(0))), (12, 0));
        assert_eq!(breaks.preceding_known(14, None), 0);
        // Without a space what turns it around is no letter.
        let turned = |text: &str| Breaks::sentences(text).preceding_known(text.len(), None);
        assert_eq!((turned("the .* of it"), turned("the .(- of it"), turned("the .x of it")), (4, 4, 0));
    }
}

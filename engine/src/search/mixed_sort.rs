//! Hits that are sorted by numbers on one shard and by texts on another, as fields of one name are of different types in different
//! indexes.

use super::request::SearchRequest;
use super::result::{ShardHit, SortValue};
use crate::error::{Error, ErrorKind, Result};
use std::cmp::Ordering;

/// Whether the values of a key are numbers of some hits and texts of others.
pub(super) fn is_mixed(request: &SearchRequest, hits: &[(u32, ShardHit)]) -> bool {
    (0..request.sort.len()).any(|key| {
        let texts = || hits.iter().map(move |(_, hit)| is_text(hit, key));
        texts().any(|text| text == Some(true)) && texts().any(|text| text == Some(false))
    })
}

/// The hits in order. Each shard's are in order among themselves; they are merged over a heap of the first of each shard, as Lucene
/// does (`TopDocs.merge`), and refused if it has to compare values of two types: with nulls, or where the others stand further down than
/// `most`, it does not. Takes as long as any merge.
pub(super) fn merge(request: &SearchRequest, hits: Vec<(u32, ShardHit)>, most: usize) -> Result<Vec<(u32, ShardHit)>> {
    let mut shards: Vec<std::vec::IntoIter<(u32, ShardHit)>> = vec![];
    let mut hits = hits.into_iter().peekable();
    while let Some(first) = hits.next() {
        let slot = first.0;
        let mut of_shard = vec![first];
        while let Some(next) = hits.next_if(|(other, _)| *other == slot) {
            of_shard.push(next);
        }
        shards.push(of_shard.into_iter());
    }
    let by_texts: Vec<bool> = (0..request.sort.len())
        .map(|key| {
            shards.first().is_some_and(|shard| shard.as_slice().iter().any(|(_, hit)| is_text(hit, key) == Some(true)))
        })
        .collect();
    let mut heap = Heap { request, by_texts, shards, order: vec![] };
    for shard in 0..heap.shards.len() {
        heap.order.push(shard);
        heap.rise()?;
    }
    let mut merged = vec![];
    while let Some(first) = heap.order.first().copied().filter(|_| merged.len() < most) {
        merged.extend(heap.shards[first].next());
        if heap.shards[first].as_slice().is_empty() {
            heap.order.swap_remove(0);
        }
        heap.sink()?;
    }
    Ok(merged)
}

/// Of two types only one has nulls: where there is no number something else stands in for it.
fn is_text(hit: &ShardHit, key: usize) -> Option<bool> {
    hit.sort.get(key).map(|value| Class::of(value).is_none_or(|class| class == Class::BytesRef))
}

/// The shards that have hits left, as a binary heap by the first of them.
struct Heap<'r> {
    request: &'r SearchRequest,
    /// By key: whether the first shard's values are texts, which says how values are compared.
    by_texts: Vec<bool>,
    shards: Vec<std::vec::IntoIter<(u32, ShardHit)>>,
    order: Vec<usize>,
}

impl Heap<'_> {
    /// The last one goes up to its place.
    fn rise(&mut self) -> Result<()> {
        let mut at = self.order.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.is_before(self.order[at], self.order[parent])? {
                break;
            }
            self.order.swap(at, parent);
            at = parent;
        }
        Ok(())
    }

    /// The first one goes down to its place.
    fn sink(&mut self) -> Result<()> {
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.order.len() {
                return Ok(());
            }
            if child + 1 < self.order.len() && self.is_before(self.order[child + 1], self.order[child])? {
                child += 1;
            }
            if !self.is_before(self.order[child], self.order[at])? {
                return Ok(());
            }
            self.order.swap(at, child);
            at = child;
        }
    }

    fn is_before(&self, a: usize, b: usize) -> Result<bool> {
        let first = |shard: usize| self.shards[shard].as_slice().first().map(|(_, hit)| hit.sort.as_slice());
        let (own, other) = (first(a).unwrap_or_default(), first(b).unwrap_or_default());
        for (key, (sort, (own, other))) in self.request.sort.iter().zip(own.iter().zip(other)).enumerate() {
            let nulls = if self.by_texts[key] && !sort.null_first() { Ordering::Greater } else { Ordering::Less };
            let order = compare(own, other, self.by_texts[key], sort.descending, nulls)?;
            if order != Ordering::Equal {
                return Ok(order == Ordering::Less);
            }
        }
        Ok(a < b)
    }
}

/// `nulls`: where one stands beside a value.
fn compare(a: &SortValue, b: &SortValue, texts: bool, descending: bool, nulls: Ordering) -> Result<Ordering> {
    let classes = (Class::of(a), Class::of(b));
    let strange = |class: Option<Class>| class.filter(|class| texts && *class != Class::BytesRef);
    if let Some(class) = strange(classes.0).or(strange(classes.1)) {
        return Err(cannot_cast(class, Class::BytesRef));
    }
    match classes {
        (Some(own), Some(other)) if own != other => Err(cannot_cast(other, own)),
        (Some(_), Some(_)) => Ok(a.compare(b, descending, false)),
        (None, None) => Ok(Ordering::Equal),
        // Texts know where nulls stand, whatever the direction; elsewhere they are less than all values.
        (None, _) => Ok(if texts || !descending { nulls } else { nulls.reverse() }),
        (_, None) => Ok(if texts || !descending { nulls.reverse() } else { nulls }),
    }
}

/// The class of the reference's that a value is of.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    BytesRef,
    Double,
    Float,
    Long,
}

impl Class {
    fn of(value: &SortValue) -> Option<Self> {
        match value {
            SortValue::Text(_) | SortValue::Bytes(..) => Some(Self::BytesRef),
            SortValue::Double(_) => Some(Self::Double),
            SortValue::Float(_) => Some(Self::Float),
            SortValue::Long(_) | SortValue::ULong(_) => Some(Self::Long),
            SortValue::Null => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::BytesRef => "org.apache.lucene.util.BytesRef",
            Self::Double => "java.lang.Double",
            Self::Float => "java.lang.Float",
            Self::Long => "java.lang.Long",
        }
    }

    fn home(self) -> &'static str {
        match self {
            Self::BytesRef => "is in unnamed module of loader 'app'",
            _ => "is in module java.base of loader 'bootstrap'",
        }
    }
}

fn cannot_cast(class: Class, wanted: Class) -> Error {
    let (from, to) = (class.name(), wanted.name());
    let homes = match class == Class::BytesRef || wanted == Class::BytesRef {
        true => format!("{from} {}; {to} {}", class.home(), wanted.home()),
        false => format!("{from} and {to} are in module java.base of loader 'bootstrap'"),
    };
    Error::new(ErrorKind::ClassCast, format!("class {from} cannot be cast to class {to} ({homes})"))
}

#[cfg(test)]
mod tests {
    use super::super::sort_parse::Sort;
    use super::*;

    fn hits(values: &[(u32, SortValue)]) -> Vec<(u32, ShardHit)> {
        let hit = |(slot, value): &(u32, SortValue)| {
            (*slot, ShardHit { sort: vec![value.clone()], ..ShardHit::scored(0, 0, 0.0) })
        };
        values.iter().map(hit).collect()
    }

    #[test]
    fn values_of_two_types_are_merged_until_they_meet() {
        let text = |text: &str| SortValue::Text(text.to_owned());
        let request = SearchRequest { sort: vec![Sort::by_name("v")], ..SearchRequest::default() };
        let merged = |values: &[(u32, SortValue)], most| {
            let hits = hits(values);
            assert!(is_mixed(&request, &hits));
            let merged = merge(&request, hits, most).map_err(|error| error.reason().to_owned())?;
            Ok::<_, String>(merged.into_iter().map(|(slot, _)| slot).collect::<Vec<_>>())
        };
        let meet = [(0, SortValue::Long(3)), (1, text("k"))];
        assert!(merged(&meet, 10).unwrap_err().starts_with("class java.lang.Long cannot be cast to class org.apache"));
        let meet = [(0, text("k")), (1, SortValue::Double(3.0))];
        assert!(
            merged(&meet, 10).unwrap_err().starts_with("class java.lang.Double cannot be cast to class org.apache")
        );
        // Beside a null a number is not looked at, unless it is to be a text.
        assert_eq!(merged(&[(0, SortValue::Long(3)), (1, SortValue::Null)], 10), Ok(vec![1, 0]));
        assert!(merged(&[(0, SortValue::Null), (1, SortValue::Long(3))], 10).is_err());
        let later = [(0, SortValue::Long(3)), (1, SortValue::Null), (1, text("k"))];
        assert!(merged(&later, 10).unwrap_err().starts_with("class org.apache.lucene.util.BytesRef cannot be cast"));
        // Numbers of one type are not told apart.
        assert!(!is_mixed(&request, &hits(&[(0, SortValue::Long(3)), (1, SortValue::Long(4))])));
    }
}

//! geohash_grid and geotile_grid: a bucket per cell of the earth.

use super::bucket_table::BucketTable;
use super::format::Format;
use super::kind::{Aggregator, Built, Kind, Owners, Subs, check_shard_buckets};
use super::order::Order;
use super::parse::{Agg, ParseContext};
use super::partial::{Key, KeyType, Partial, Shown, TermsBuckets, mismatch, render_bucket};
use super::places::{Places, PlacesConfig};
use super::ranking::{KeyForm, Ranking, Table};
use super::reduce_context::ReduceContext;
use super::terms::TermsConfig;
use super::terms_merge::reduce_terms;
use crate::error::{Error, ErrorKind, Result};
use crate::geo::{DistanceUnit, Grid, Shape, geohash_precision, intersects, parse_distance};
use crate::json::{Entry, Map, Value, Writer};
use crate::pace::Pace;
use crate::query::{InBox, Node, ShardContext, Sides, Source, read_sides};
use crate::score::ValueTest;
use crate::segment::{Batch, SegmentView};
use ahash::AHashMap;
use std::cmp::Ordering;
use std::sync::Arc;

const SIZE_DEFAULT: usize = 10_000;
const LETTERS_DEFAULT: u8 = 5;
const LETTERS_MAX: i64 = 12;
pub(crate) const ZOOM_DEFAULT: u8 = 7;
const ZOOM_MAX: i64 = 29;

#[derive(Debug)]
struct GeoGrid {
    places: PlacesConfig,
    grid: Grid,
    precision: u8,
    bounds: Option<Sides>,
    config: Arc<TermsConfig>,
}

pub(crate) fn parse_geohash(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(Grid::Geohash, map, cx)
}

pub(crate) fn parse_geotile(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    parse(Grid::Tiles, map, cx)
}

fn parse(grid: Grid, map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut places = PlacesConfig::default();
    let mut precision = if grid == Grid::Tiles { ZOOM_DEFAULT } else { LETTERS_DEFAULT };
    let (mut bounds, mut size, mut shard_size) = (None, SIZE_DEFAULT, None);
    for entry in &map.entries {
        match entry.key.as_str() {
            "precision" => precision = parse_precision(grid, entry, cx)?,
            // A box without sides leaves nothing out.
            "bounds" if entry.value.as_object().is_some_and(|sides| sides.entries.is_empty()) => {}
            "bounds" => bounds = Some(parse_bounds(entry, cx)?),
            "size" => size = cx.positive(entry)?,
            "shard_size" => shard_size = Some(positive_as(entry, "shardSize", cx)?),
            _ if places.accept(entry, cx)? => {}
            _ => {
                let own = ["precision", "bounds", "size", "shard_size"];
                return Err(cx.unknown_field(entry, &[&own, PlacesConfig::FIELDS].concat()));
            }
        }
    }
    places.check(false)?;
    let mut config = TermsConfig { order: Order::count_and_key_desc(), merges_in_map: true, ..TermsConfig::default() };
    config.set_sizes(size, shard_size);
    Ok(Box::new(GeoGrid { places, grid, precision, bounds, config: Arc::new(config) }))
}

/// The box that places have to lie in.
pub(crate) fn parse_bounds(entry: &Entry, cx: &ParseContext<'_>) -> Result<Sides> {
    match &entry.value {
        Value::Object(_) => {
            let source = Source::new(cx.body);
            let node = Node::of_entry(entry, &source);
            read_sides(node).map_err(|cause| node.failed_field(cx.kind, &entry.key, cause))
        }
        _ => Err(cx.wrong_type(entry)),
    }
}

fn positive_as(entry: &Entry, name: &str, cx: &ParseContext<'_>) -> Result<usize> {
    let value = cx.int(entry)?;
    usize::try_from(value).ok().filter(|value| *value > 0).ok_or_else(|| {
        let refusal = format!("[{name}] must be greater than 0. Found [{value}] in [{}]", cx.name);
        cx.failed_field(entry, Error::illegal_argument(refusal))
    })
}

/// Letters or a zoom level; for geohashes a distance, too.
pub(crate) fn parse_precision(grid: Grid, entry: &Entry, cx: &ParseContext<'_>) -> Result<u8> {
    let failed = |cause: Error| cx.failed_field(entry, cause);
    let out_of_range = |letters: i64| {
        Error::illegal_argument(format!(
            "Invalid geohash aggregation precision of {letters}. Must be between 1 and {LETTERS_MAX}."
        ))
    };
    let given = match &entry.value {
        Value::String(text) => match text.parse::<i32>() {
            Ok(number) => i64::from(number),
            Err(_) if grid == Grid::Tiles => {
                return Err(failed(Error::new(ErrorKind::NumberFormat, format!("For input string: \"{text}\""))));
            }
            Err(_) => {
                let letters = geohash_precision(parse_distance(text, DistanceUnit::METERS).map_err(failed)?);
                let letters = i64::from(letters);
                if letters > LETTERS_MAX {
                    let refusal = Error::illegal_argument(format!("precision too high [{text}]"));
                    return Err(failed(refusal.caused_by(out_of_range(letters))));
                }
                letters
            }
        },
        Value::Int(_) | Value::UInt(_) | Value::Float(_) => cx.int(entry)?,
        _ => return Err(cx.wrong_type(entry)),
    };
    match grid {
        Grid::Geohash if !(1..=LETTERS_MAX).contains(&given) => Err(failed(out_of_range(given))),
        Grid::Tiles if !(0..=ZOOM_MAX).contains(&given) => {
            let reason = format!("Invalid geotile_grid precision of {given}. Must be between 0 and {ZOOM_MAX}.");
            Err(failed(Error::illegal_argument(reason)))
        }
        _ => Ok(given as u8),
    }
}

impl Kind for GeoGrid {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        Ok(Box::new(GridAggregator {
            places: self.places.resolve(cx, agg.type_name, true)?,
            grid: self.grid,
            precision: self.precision,
            bounds: self.bounds.map(|sides| {
                let Sides { top, left, bottom, right } = sides;
                (InBox::new(sides), Shape::of_box(top, left, bottom, right))
            }),
            ranking: Ranking::new(self.config.clone(), agg, cx),
            subs: Subs::new(agg, cx)?,
            cells: vec![],
            numbers: AHashMap::new(),
            buckets: BucketTable::default(),
            counts: vec![],
            points: vec![],
            own: vec![],
            batch: Batch::default(),
            recent: vec![],
        }))
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        Partial::Terms(TermsBuckets::empty(self.config.shard_size))
    }

    fn empty_beside(&self, _agg: &Agg, other: Option<&Partial>) -> Partial {
        Partial::Terms(TermsBuckets::empty_beside(self.config.shard_size, other))
    }

    fn reduce(&self, agg: &Agg, parts: Vec<Partial>, cx: &mut ReduceContext) -> Result<Partial> {
        Ok(Partial::Terms(reduce_terms(agg, &self.config, parts, cx)?))
    }

    fn render(&self, agg: &Agg, partial: &Partial, w: &mut Writer, shown: Shown<'_>) -> Result<()> {
        let Partial::Terms(cells) = partial else { return Err(mismatch()) };
        w.key("buckets").begin_array();
        for cell in &cells.buckets {
            w.begin_object();
            cells.format.write_key(&cell.key, w);
            render_bucket(agg, &cell.bucket, w, shown)?;
            w.end_object();
        }
        w.end_array();
        Ok(())
    }

    fn class(&self, cx: &ShardContext) -> Option<&'static str> {
        self.places.is_unmapped(cx).then_some("NonCollectingAggregator")
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        match self.grid {
            Grid::Geohash => "geohash_grid",
            Grid::Tiles => "geotile_grid",
        }
    }
}

struct GridAggregator {
    places: Places,
    grid: Grid,
    precision: u8,
    bounds: Option<(InBox, Shape)>,
    ranking: Ranking,
    subs: Subs,
    /// The cells met so far on the shard, and their numbers.
    cells: Vec<i64>,
    numbers: AHashMap<i64, u32>,
    buckets: BucketTable,
    counts: Vec<u64>,
    points: Vec<i64>,
    /// The cells of one document.
    own: Vec<i64>,
    batch: Batch,
    /// Cells met lately, each at the slot that its bits say: where one place lies, others do.
    recent: Vec<Recent>,
}

#[derive(Clone, Copy)]
struct Recent {
    /// Those bits of a place that tell its cell, or the cell.
    sign: i64,
    owner: u32,
    bucket: u32,
}

/// No cell has this sign: the last bits never tell one, and numbers of cells are positive.
const NOWHERE: Recent = Recent { sign: -1, owner: 0, bucket: 0 };
const RECENT_BITS: u32 = 12;

impl GridAggregator {
    /// Counts documents that have one place at most.
    fn add_places(&mut self, docs: &[u32], owners: Owners<'_>, batch: &Batch) -> Result<()> {
        self.recent.resize(1 << RECENT_BITS, NOWHERE);
        let telling = self.grid.telling_bits(self.precision);
        for (i, point) in batch.values().iter().enumerate() {
            if self.bounds.as_ref().is_some_and(|(bounds, _)| !bounds.number(*point)) {
                continue;
            }
            let place = batch.places().map_or(i, |places| places[i] as usize);
            let owner = owners.of(place);
            let sign = telling.map_or_else(|| self.grid.cell_of(*point, self.precision), |bits| *point & bits);
            let slot = (sign as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - RECENT_BITS);
            let mut found = self.recent[slot as usize];
            if (found.sign, found.owner) != (sign, owner) {
                let cell = if telling.is_some() { self.grid.cell_of(*point, self.precision) } else { sign };
                found = Recent { sign, owner, bucket: self.bucket(owner, cell)? };
                self.recent[slot as usize] = found;
            }
            self.counts[found.bucket as usize] += 1;
            self.subs.push(docs[place], found.bucket)?;
        }
        Ok(())
    }

    /// Counts a document in each cell that it has a place in.
    fn add_cells(&mut self, doc: u32, owner: u32) -> Result<()> {
        self.read(doc)?;
        for at in 0..self.own.len() {
            let bucket = self.bucket(owner, self.own[at])?;
            self.counts[bucket as usize] += 1;
            self.subs.push(doc, bucket)?;
        }
        Ok(())
    }

    fn read(&mut self, doc: u32) -> Result<()> {
        self.own.clear();
        self.places.points(doc, &mut self.points);
        for point in &self.points {
            if self.bounds.as_ref().is_none_or(|(bounds, _)| bounds.number(*point)) {
                self.own.push(self.grid.cell_of(*point, self.precision));
            }
        }
        for shape in self.places.shapes(doc) {
            if self.bounds.as_ref().is_some_and(|(_, bounds)| !intersects(bounds, &shape)) {
                continue;
            }
            let cells = self.grid.cells_of(&shape, self.precision).ok_or_else(|| {
                let reason = format!("a shape lies in too many cells of precision [{}]", self.precision);
                Error::illegal_argument(reason)
            })?;
            self.own.extend(cells);
        }
        // A document counts once per cell.
        self.own.sort_unstable();
        self.own.dedup();
        Ok(())
    }

    /// The bucket of a cell below an owner, which has a count from now on.
    fn bucket(&mut self, owner: u32, cell: i64) -> Result<u32> {
        let number = self.number(cell)?;
        let bucket = self.buckets.bucket(owner, number)?;
        if bucket as usize >= self.counts.len() {
            self.counts.resize((bucket as usize + 1).next_power_of_two(), 0);
        }
        Ok(bucket)
    }

    fn number(&mut self, cell: i64) -> Result<u32> {
        if let Some(number) = self.numbers.get(&cell) {
            return Ok(*number);
        }
        check_shard_buckets(self.cells.len())?;
        let number = self.cells.len() as u32;
        self.cells.push(cell);
        self.numbers.insert(cell, number);
        Ok(number)
    }
}

struct Cells<'a> {
    cells: &'a [i64],
    buckets: &'a [(u32, u32)],
    counts: &'a [u64],
}

impl Cells<'_> {
    fn cell(&self, bucket: u32) -> i64 {
        self.cells[self.buckets[bucket as usize].1 as usize]
    }
}

impl Table for Cells<'_> {
    fn count(&self, number: u32) -> u64 {
        self.counts.get(number as usize).copied().unwrap_or(0)
    }

    fn compare_keys(&self, a: u32, b: u32) -> Ordering {
        self.cell(a).cmp(&self.cell(b))
    }

    fn key(&self, number: u32) -> Key {
        Key::Long(self.cell(number))
    }
}

impl Aggregator for GridAggregator {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.places.enter_segment(view);
        self.subs.enter_segment(view)
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.places.is_absent() {
            return Ok(());
        }
        let mut batch = std::mem::take(&mut self.batch);
        let added = match self.places.read(docs, &mut batch) {
            true => self.add_places(docs, owners, &batch),
            false => docs.iter().enumerate().try_for_each(|(i, doc)| self.add_cells(*doc, owners.of(i))),
        };
        self.batch = batch;
        added
    }

    fn leave_segment(&mut self) -> Result<()> {
        self.subs.leave_segment()
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let lists = self.buckets.by_owner(owners);
            let table = Cells { cells: &self.cells, buckets: self.buckets.buckets(), counts: &self.counts };
            self.ranking
                .build(
                    &table,
                    lists,
                    0,
                    &mut self.subs,
                    KeyForm { format: &Format::Cell(self.grid), key_type: KeyType::Long },
                    pace,
                )
                .await
        })
    }

    fn subs(&self) -> Option<&Subs> {
        Some(&self.subs)
    }
}

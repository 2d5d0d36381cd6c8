//! geo_bounds: the box around all places. geo_centroid: their middle.

use super::kind::{Aggregator, Built, Kind, Owners, STATE_UNITS, check_shard_buckets, of_each};
use super::parse::{Agg, ParseContext};
use super::partial::{Partial, Shown, mismatch};
use super::places::{Places, PlacesConfig};
use super::reduce_context::ReduceContext;
use crate::error::Result;
use crate::geo::{Point, decode_point, encode_point};
use crate::json::{Map, Writer};
use crate::pace::Pace;
use crate::query::ShardContext;
use crate::segment::SegmentView;

#[derive(Debug)]
enum GeoMetric {
    Bounds { places: PlacesConfig, wrap: bool },
    Centroid { places: PlacesConfig },
}

pub(crate) fn parse_bounds(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let (mut places, mut wrap) = (PlacesConfig::default(), true);
    for entry in &map.entries {
        match entry.key.as_str() {
            "wrap_longitude" => wrap = cx.bool(entry)?,
            _ if places.accept(entry, cx)? => {}
            _ => return Err(cx.unknown_field(entry, &[&["wrap_longitude"], PlacesConfig::FIELDS].concat())),
        }
    }
    places.check(false)?;
    Ok(Box::new(GeoMetric::Bounds { places, wrap }))
}

pub(crate) fn parse_centroid(map: &Map, cx: &ParseContext<'_>) -> Result<Box<dyn Kind>> {
    let mut places = PlacesConfig::default();
    for entry in &map.entries {
        if !places.accept(entry, cx)? {
            return Err(cx.unknown_field(entry, &[&["script"], PlacesConfig::FIELDS].concat()));
        }
    }
    places.check(true)?;
    Ok(Box::new(GeoMetric::Centroid { places }))
}

/// The outermost sides, those of east and west told apart.
#[derive(Clone, Copy, Debug)]
pub struct GeoBounds {
    top: f64,
    bottom: f64,
    /// Of longitudes from zero on: the least and the greatest.
    east: (f64, f64),
    /// Of those below zero.
    west: (f64, f64),
}

const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl GeoBounds {
    const EMPTY: Self = Self { top: f64::NEG_INFINITY, bottom: f64::INFINITY, east: NOWHERE, west: NOWHERE };

    fn add(&mut self, point: Point) {
        self.top = self.top.max(point.lat);
        self.bottom = self.bottom.min(point.lat);
        let side = if point.lon >= 0.0 { &mut self.east } else { &mut self.west };
        *side = (side.0.min(point.lon), side.1.max(point.lon));
    }

    fn merge(&mut self, other: &Self) {
        let join = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
        self.top = self.top.max(other.top);
        self.bottom = self.bottom.min(other.bottom);
        self.east = join(self.east, other.east);
        self.west = join(self.west, other.west);
    }

    /// Left and right; `None` without any place. The box may lie over the date line if that makes it smaller.
    fn sides(&self, wrap: bool) -> Option<(f64, f64)> {
        match (self.west.0.is_finite(), self.east.0.is_finite()) {
            (false, false) => None,
            (true, false) => Some(self.west),
            (false, true) => Some(self.east),
            (true, true) => {
                let straight = self.east.1 - self.west.0;
                let wrapped = (180.0 - self.east.0) - (-180.0 - self.west.1);
                let over = wrap && wrapped < straight;
                Some(if over { (self.east.0, self.west.1) } else { (self.west.0, self.east.1) })
            }
        }
    }
}

/// Sums of places.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeoCentroid {
    lat: f64,
    lon: f64,
    count: u64,
}

impl Kind for GeoMetric {
    fn aggregator(&self, agg: &Agg, cx: &ShardContext) -> Result<Box<dyn Aggregator>> {
        Ok(match self {
            Self::Bounds { places, .. } => {
                Box::new(Bounds { places: places.resolve(cx, agg.type_name, true)?, found: vec![], points: vec![] })
            }
            Self::Centroid { places } => {
                Box::new(Centroid { places: places.resolve(cx, agg.type_name, false)?, found: vec![], points: vec![] })
            }
        })
    }

    fn empty(&self, _agg: &Agg) -> Partial {
        match self {
            Self::Bounds { .. } => Partial::GeoBounds(GeoBounds::EMPTY),
            Self::Centroid { .. } => Partial::GeoCentroid(GeoCentroid::default()),
        }
    }

    fn reduce(&self, _agg: &Agg, parts: Vec<Partial>, _cx: &mut ReduceContext) -> Result<Partial> {
        let (mut bounds, mut centroid) = (GeoBounds::EMPTY, GeoCentroid::default());
        for part in parts {
            match (self, part) {
                (Self::Bounds { .. }, Partial::GeoBounds(part)) => bounds.merge(&part),
                (Self::Centroid { .. }, Partial::GeoCentroid(part)) => {
                    centroid.lat += part.lat;
                    centroid.lon += part.lon;
                    centroid.count += part.count;
                }
                _ => return Err(mismatch()),
            }
        }
        Ok(match self {
            Self::Bounds { .. } => Partial::GeoBounds(bounds),
            Self::Centroid { .. } => Partial::GeoCentroid(centroid),
        })
    }

    fn order_value(&self, partial: &Partial, property: Option<&str>) -> Option<f64> {
        match (self, partial, property?) {
            (_, Partial::GeoCentroid(centroid), "count") => Some(centroid.count as f64),
            (_, Partial::GeoCentroid(centroid), "lat") => Some(centroid.lat / centroid.count as f64),
            (_, Partial::GeoCentroid(centroid), "lon") => Some(centroid.lon / centroid.count as f64),
            (Self::Bounds { wrap, .. }, Partial::GeoBounds(bounds), side) => {
                let (left, right) = bounds.sides(*wrap).unwrap_or((f64::NAN, f64::NAN));
                match side {
                    "top" => Some(bounds.top),
                    "bottom" => Some(bounds.bottom),
                    "left" => Some(left),
                    "right" => Some(right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn render(&self, _agg: &Agg, partial: &Partial, w: &mut Writer, _shown: Shown<'_>) -> Result<()> {
        match (self, partial) {
            (Self::Bounds { wrap, .. }, Partial::GeoBounds(bounds)) => {
                let Some((left, right)) = bounds.sides(*wrap) else { return Ok(()) };
                w.key("bounds").begin_object().key("top_left");
                write_point(Point { lat: bounds.top, lon: left }, w);
                w.key("bottom_right");
                write_point(Point { lat: bounds.bottom, lon: right }, w);
                w.end_object();
            }
            (Self::Centroid { .. }, Partial::GeoCentroid(centroid)) => {
                if centroid.count > 0 {
                    let count = centroid.count as f64;
                    w.key("location");
                    write_point(Point { lat: centroid.lat / count, lon: centroid.lon / count }, w);
                }
                w.key("count").u64(centroid.count);
            }
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    fn typed_name(&self, _partial: &Partial) -> &'static str {
        match self {
            Self::Bounds { .. } => "geo_bounds",
            Self::Centroid { .. } => "geo_centroid",
        }
    }

    fn is_bucketing(&self) -> bool {
        false
    }
}

fn write_point(point: Point, w: &mut Writer) {
    w.begin_object().key("lat").f64(point.lat);
    w.key("lon").f64(point.lon);
    w.end_object();
}

/// The entry of an owner, made where there is none.
fn entry<T: Clone>(found: &mut Vec<T>, owner: u32, fresh: &T) -> Result<usize> {
    let at = owner as usize;
    if at >= found.len() {
        check_shard_buckets(at)?;
        found.resize(at + 1, fresh.clone());
    }
    Ok(at)
}

struct Bounds {
    places: Places,
    found: Vec<GeoBounds>,
    points: Vec<i64>,
}

impl Aggregator for Bounds {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.places.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.places.is_absent() {
            return Ok(());
        }
        for (i, &doc) in docs.iter().enumerate() {
            let at = entry(&mut self.found, owners.of(i), &GeoBounds::EMPTY)?;
            self.places.points(doc, &mut self.points);
            self.points.iter().for_each(|point| self.found[at].add(decode_point(*point)));
            for area in self.places.boxes(doc) {
                for (lon, lat) in [area.min, area.max] {
                    // In the steps in which points are kept.
                    self.found[at].add(decode_point(encode_point(Point { lat, lon })));
                }
            }
        }
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let of = |owner: u32| self.found.get(owner as usize).copied().unwrap_or(GeoBounds::EMPTY);
            of_each(owners, STATE_UNITS, pace, |owner| Ok(Partial::GeoBounds(of(owner)))).await
        })
    }
}

struct Centroid {
    places: Places,
    found: Vec<GeoCentroid>,
    points: Vec<i64>,
}

impl Aggregator for Centroid {
    fn enter_segment(&mut self, view: &SegmentView) -> Result<()> {
        self.places.enter_segment(view);
        Ok(())
    }

    fn collect(&mut self, docs: &[u32], owners: Owners<'_>) -> Result<()> {
        if self.places.is_absent() {
            return Ok(());
        }
        for (i, &doc) in docs.iter().enumerate() {
            let at = entry(&mut self.found, owners.of(i), &GeoCentroid::default())?;
            self.places.points(doc, &mut self.points);
            for point in &self.points {
                let point = decode_point(*point);
                self.found[at].lat += point.lat;
                self.found[at].lon += point.lon;
            }
            self.found[at].count += self.points.len() as u64;
        }
        Ok(())
    }

    fn build<'a>(&'a mut self, owners: &'a [u32], pace: &'a Pace) -> Built<'a> {
        Box::pin(async move {
            let of = |owner: u32| self.found.get(owner as usize).copied().unwrap_or_default();
            of_each(owners, STATE_UNITS, pace, |owner| Ok(Partial::GeoCentroid(of(owner)))).await
        })
    }
}

//! How two shapes lie to each other, on the plane of longitudes and latitudes.

use super::shape::{Corner, Shape};

/// Whether the shapes have a place in common. Costs the product of their corners.
pub fn intersects(a: &Shape, b: &Shape) -> bool {
    a.bounds().overlaps(&b.bounds())
        && (a.corners().any(|corner| covers(b, *corner))
            || b.corners().any(|corner| covers(a, *corner))
            || edges(a).any(|own| edges(b).any(|other| cross(own, other))))
}

/// Whether all of `inner` is part of `outer`.
pub fn contains(outer: &Shape, inner: &Shape) -> bool {
    let middle = |(a, b): Edge| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0);
    // A hole of the outer shape may lie within an area of the inner one without touching any edge.
    let holes = outer.areas.iter().flat_map(|rings| rings.iter().skip(1).flatten());
    inner.corners().all(|corner| covers(outer, *corner))
        && edges(inner).all(|edge| covers(outer, middle(edge)))
        && !edges(inner).any(|own| edges(outer).any(|other| cross_properly(own, other)))
        && !holes.into_iter().any(|corner| inner.areas.iter().any(|rings| strictly_inside(rings, *corner)))
}

type Edge = (Corner, Corner);

fn edges(shape: &Shape) -> impl Iterator<Item = Edge> {
    let areas = shape.areas.iter().flatten();
    shape.lines.iter().chain(areas).flat_map(|line| line.windows(2).map(|pair| (pair[0], pair[1])))
}

/// Whether a place is part of a shape. Costs as much as the shape has corners.
pub fn covers(shape: &Shape, at: Corner) -> bool {
    shape.points.contains(&at)
        || shape.lines.iter().any(|line| line.windows(2).any(|pair| on_edge((pair[0], pair[1]), at)))
        || shape.areas.iter().any(|rings| inside(rings, at))
}

/// Within an area or on its border, holes left out.
fn inside(rings: &[Vec<Corner>], at: Corner) -> bool {
    let on_border = |ring: &Vec<Corner>| ring.windows(2).any(|pair| on_edge((pair[0], pair[1]), at));
    match rings.split_first() {
        Some((outer, holes)) => {
            (on_border(outer) || winds(outer, at)) && !holes.iter().any(|hole| winds(hole, at) && !on_border(hole))
        }
        None => false,
    }
}

fn strictly_inside(rings: &[Vec<Corner>], at: Corner) -> bool {
    inside(rings, at) && !rings.iter().any(|ring| ring.windows(2).any(|pair| on_edge((pair[0], pair[1]), at)))
}

/// Whether a ray from the place crosses the ring an odd number of times.
fn winds(ring: &[Corner], (x, y): Corner) -> bool {
    let crosses = |pair: &&[Corner]| {
        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
        (y1 > y) != (y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
    };
    ring.windows(2).filter(crosses).count() % 2 == 1
}

/// Twice the area of the triangle, with its sign.
fn turn(a: Corner, b: Corner, c: Corner) -> f64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn on_edge((a, b): Edge, at: Corner) -> bool {
    turn(a, b, at) == 0.0
        && at.0 >= a.0.min(b.0)
        && at.0 <= a.0.max(b.0)
        && at.1 >= a.1.min(b.1)
        && at.1 <= a.1.max(b.1)
}

fn cross((a, b): Edge, (c, d): Edge) -> bool {
    cross_properly((a, b), (c, d))
        || on_edge((a, b), c)
        || on_edge((a, b), d)
        || on_edge((c, d), a)
        || on_edge((c, d), b)
}

/// Each goes from one side of the other to its other side.
fn cross_properly((a, b): Edge, (c, d): Edge) -> bool {
    turn(a, b, c) * turn(a, b, d) < 0.0 && turn(c, d, a) * turn(c, d, b) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::read_shape;
    use crate::json::Value;

    fn shape(text: &str) -> Shape {
        read_shape(&Value::from(text)).unwrap()
    }

    #[test]
    fn shapes_lie_as_they_should() {
        let square = shape("POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))");
        let ring = shape("POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0), (4 4, 6 4, 6 6, 4 6, 4 4))");
        let line = shape("LINESTRING (5 5, 15 15)");
        let cases = [
            (&square, &line, true, false),
            (&square, &shape("POINT (5 5)"), true, true),
            (&ring, &shape("POINT (5 5)"), false, false),
            (&ring, &shape("POLYGON ((3 3, 7 3, 7 7, 3 7, 3 3))"), true, false),
            (&square, &shape("POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))"), true, true),
            (&square, &shape("POINT (11 11)"), false, false),
            (&square, &square.clone(), true, true),
            (&line, &shape("POINT (7 7)"), true, true),
            (&square, &shape("LINESTRING (-5 5, 15 5)"), true, false),
        ];
        for (a, b, meets, holds) in cases {
            assert_eq!((intersects(a, b), intersects(b, a), contains(a, b)), (meets, meets, holds), "{a:?} {b:?}");
        }
    }
}

"""Queries on places and shapes of the synthetic index."""
from kinds.registry import common, only_top, query


def point(dice):
    """A point near the documents' places, in one of its notations."""
    lat, lon = dice.float(44, 56, 2), dice.float(4, 16, 2)
    return dice.one([{'lat': lat, 'lon': lon}, [lon, lat], f'{lat},{lon}', 'u33', f'POINT ({lon} {lat})'])


@query(2, when=only_top)
def geo_distance(dice, schema, depth):
    options = {'distance': dice.one(['200km', '50mi', '1000km', 300000, '3000km', '0.5km']), 'place': point(dice)}
    dice.maybe(options, 'distance_type', 0.3, lambda: dice.one(['arc', 'plane']))
    dice.maybe(options, 'validation_method', 0.1, lambda: dice.one(['STRICT', 'COERCE', 'IGNORE_MALFORMED']))
    dice.maybe(options, 'unit', 0.1, 'km')
    return {'geo_distance': common(dice, options)}


@query(2, when=only_top)
def geo_bounding_box(dice, schema, depth):
    top, left, bottom, right = dice.int(48, 60), dice.int(-20, 10), dice.int(-10, 47), dice.int(11, 40)
    box = dice.one([
        {'top_left': {'lat': top, 'lon': left}, 'bottom_right': {'lat': bottom, 'lon': right}},
        {'top': top, 'left': left, 'bottom': bottom, 'right': right}, {'wkt': f'BBOX ({left}, {right}, {top}, {bottom})'},
        {'top_right': [right, top], 'bottom_left': [left, bottom]}, {'top_left': [170, 60], 'bottom_right': [-100, -10]},
        {'top_left': 'u0', 'bottom_right': 'u3'}])
    options = {'place': box}
    dice.maybe(options, 'type', 0.1, lambda: dice.one(['indexed', 'memory']))
    return {'geo_bounding_box': common(dice, options)}


@query(1, when=only_top)
def geo_polygon(dice, schema, depth):
    x, y = dice.int(0, 10), dice.int(40, 50)
    return {'geo_polygon': common(dice, {'place': {'points': [{'lat': y, 'lon': x}, [x + 8, y], f'{y + 8},{x + 8}', [x, y + 9]]}})}


@query(2, when=only_top)
def geo_shape(dice, schema, depth):
    x, y = dice.int(-15, 15), dice.int(-15, 15)
    w = dice.int(1, 20)
    hole = [[x + w / 4, y + w / 4], [x + w / 2, y + w / 4], [x + w / 2, y + w / 2], [x + w / 4, y + w / 4]]
    shape = dice.one([
        {'type': 'envelope', 'coordinates': [[x, y + w], [x + w, y]]}, {'type': 'envelope', 'coordinates': [[170, y + w], [-170, y]]},
        {'type': 'multipoint', 'coordinates': [[x, y], [x + 1, y + w], [x + w, y]]}, f'MULTIPOINT ({x} {y}, {x + w} {y})',
        {'type': 'multilinestring', 'coordinates': [[[x, y], [x + w, y]], [[x, y + 1], [x + 1, y + w]]]},
        {'type': 'polygon', 'coordinates': [[[x, y], [x + w, y], [x + w, y + w], [x, y + w], [x, y]], hole]},
        {'type': 'multipolygon', 'coordinates': [[[[x, y], [x + w, y], [x + w, y + w], [x, y]]], [[[x - 9, y], [x - 2, y], [x - 2, y + 5], [x - 9, y]]]]},
        {'type': 'geometrycollection', 'geometries': [{'type': 'point', 'coordinates': [x, y]}, {'type': 'envelope', 'coordinates': [[x, y + w], [x + w, y]]}]},
        f'GEOMETRYCOLLECTION (POINT ({x} {y}), LINESTRING ({x} {y}, {x + w} {y + w}))', f'BBOX ({x}, {x + w}, {y + w}, {y})',
        {'type': 'polygon', 'coordinates': [[[x, y], [x + w, y], [x + w, y + w], [x, y]]]},
        f'POLYGON (({x} {y}, {x + w} {y}, {x} {y + w}, {x} {y}))', {'type': 'point', 'coordinates': [x, y]},
        {'type': 'linestring', 'coordinates': [[x, y], [x + w, y + w]]}])
    field = dice.one(['area', 'area', 'place'])
    relation = dice.one(['intersects', 'disjoint', 'within', 'contains'])
    return {'geo_shape': common(dice, {field: {'shape': shape, 'relation': relation}, **({'ignore_unmapped': True} if dice.chance(0.1) else {})})}

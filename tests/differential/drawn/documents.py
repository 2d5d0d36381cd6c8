"""Documents whose values suit the fields of a mapping, more or less."""
import base64
import datetime

WORDS = 'amber fox foxes stone river running quick brown the and of grove tide Zürich café wi-fi 2000 PowerShot house big home rock naïve e.g. The 東京 o\'neill x1 10-20 a'.split()
SHORT = ['red', 'Green', 'blue', 'x', '', 'red-fox', 'Übel', 'long enough text', '12', ' pad ', 'true', '2021-05-06']
RANGED = {'byte': 127, 'short': 32767, 'integer': 2**31 - 1, 'long': 2**63 - 1, 'unsigned_long': 2**64 - 1}


def line(dice, least=1, most=12):
    """Some words."""
    return ' '.join(dice.one(WORDS) for _ in range(dice.int(least, most)))


def moment(dice):
    """An instant between 1965 and 2030."""
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=dice.int(-150000000, 1900000000))


def iso(dice, day):
    """The instant in a notation of ISO 8601."""
    return dice.one([f'{day:%Y-%m-%d}', f'{day:%Y-%m-%dT%H:%M:%S}Z', f'{day:%Y-%m-%dT%H:%M:%S}.{dice.int(0, 999):03}Z', f'{day:%Y}', f'{day:%Y-%m}', f'{day:%Y-%m-%dT%H:%M}+02:00', f'{day:%Y-%m-%dT%H:%M:%S}.123456789Z'])


# How an instant is written in a format that is not the default.
WRITTEN = {
    'yyyy-MM-dd': '%Y-%m-%d', 'dd/MM/yyyy': '%d/%m/%Y', 'yyyy': '%Y', 'basic_date': '%Y%m%d', 'yyyy-MM-dd HH:mm:ss': '%Y-%m-%d %H:%M:%S', 'date_hour_minute': '%Y-%m-%dT%H:%M', 'MMM d, yyyy': '%b %-d, %Y', 'yyyy/MM/dd': '%Y/%m/%d',
    'strict_year_month': '%Y-%m', 'basic_ordinal_date': '%Y%j', "yyyy-MM-dd'T'HH:mm:ssXXX": '%Y-%m-%dT%H:%M:%S+01:00', 'week_date': '%G-W%V-%u', 'EEE d MMM yyyy': '%a %-d %b %Y', 'dd.MM.yy': '%d.%m.%y', 'strict_date_time_no_millis': '%Y-%m-%dT%H:%M:%SZ', 'date': '%Y-%m-%d',
}


def date(dice, one):
    """A date in one of the formats of the field."""
    day = moment(dice)
    kind = dice.one(one.get('format', 'strict_date_optional_time||epoch_millis').split('||'))
    seconds = int((day - datetime.datetime(1970, 1, 1)).total_seconds())
    if kind == 'epoch_millis':
        return dice.one([seconds * 1000 + 5, str(seconds * 1000)])
    if kind == 'epoch_second':
        return dice.one([seconds, str(seconds), seconds + 0.25])
    return day.strftime(WRITTEN[kind]) if kind in WRITTEN else iso(dice, day)


def number(dice, one):
    """A number that fits, sometimes just about."""
    kind = one['type']
    if kind in ('double', 'float', 'half_float', 'scaled_float'):
        return dice.one([dice.float(-50, 50, 2), dice.int(-9, 9), str(dice.float(0, 9, 1)), dice.float(0, 1, 3), 1e3])
    whole = dice.int(0 if kind == 'unsigned_long' else -20, 40)
    return dice.one([whole, whole, whole, str(whole), RANGED[kind] - dice.int(0, 3)])


def span(dice, one):
    """A range."""
    kind = one['type']
    if kind == 'ip_range':
        return dice.one([{'gte': '10.0.0.1', 'lte': '10.0.0.9'}, '10.1.0.0/16', {'gt': '::1', 'lt': 'ff::'}, '2001:db8::/32'])
    if kind == 'date_range':
        a, b = sorted([moment(dice), moment(dice)])
        first = one.get('format', 'strict_date_optional_time').split('||')[0]
        text = (lambda d: d.strftime(WRITTEN[first])) if first in WRITTEN else (lambda d: int(d.timestamp()) * (1000 if 'millis' in first else 1)) if 'epoch' in first else (lambda d: f'{d:%Y-%m-%d}')
        return {dice.one(['gte', 'gt']): text(a), dice.one(['lte', 'lt']): text(b)}
    low, width = dice.int(-10, 30), dice.int(1, 20)
    made = {dice.one(['gte', 'gt']): low, dice.one(['lte', 'lt']): low + width + (0.5 if kind in ('float_range', 'double_range') else 0)}
    if dice.chance(0.15):
        made.pop(dice.one(list(made)))
    return made


def point(dice):
    """A point in any notation."""
    lat, lon = dice.float(-80, 80, 2), dice.float(-170, 170, 2)
    return dice.one([{'lat': lat, 'lon': lon}, f'{lat},{lon}', [lon, lat], f'POINT ({lon} {lat})', {'type': 'Point', 'coordinates': [lon, lat]}, 'u33dc1', [lon, lat, 5]])


def shape(dice):
    """A shape."""
    x, y = dice.int(-100, 100), dice.int(-50, 50)
    return dice.one([{'type': 'Point', 'coordinates': [x, y]}, f'POINT ({x} {y})', {'type': 'Polygon', 'coordinates': [[[x, y], [x + 5, y], [x + 5, y + 5], [x, y]]]}, {'type': 'LineString', 'coordinates': [[x, y], [x + 3, y + 7]]},
                     {'type': 'envelope', 'coordinates': [[x, y + 4], [x + 6, y]]}, f'LINESTRING ({x} {y}, {x + 2} {y + 9})', {'type': 'MultiPoint', 'coordinates': [[x, y], [x + 1, y + 1]]}])


VALUES = {
    'text': lambda d, o: line(d), 'match_only_text': lambda d, o: line(d), 'search_as_you_type': lambda d, o: line(d, 1, 5), 'token_count': lambda d, o: line(d, 1, 6), 'date': date, 'date_nanos': date,
    'keyword': lambda d, o: d.one([d.one(SHORT), d.one(SHORT), line(d, 1, 2), d.int(0, 5), True, 1.5]), 'wildcard': lambda d, o: d.one([d.one(SHORT), line(d, 1, 3)]), 'boolean': lambda d, o: d.one([True, False, 'true', 'false', '']),
    'ip': lambda d, o: d.one([f'10.0.{d.int(0, 2)}.{d.int(0, 9)}', '::1', '2001:db8::' + str(d.int(1, 9)), '::ffff:10.0.0.1']), 'binary': lambda d, o: base64.b64encode(line(d, 1, 2).encode()).decode(),
    'geo_point': lambda d, o: point(d), 'geo_shape': lambda d, o: shape(d),
    'completion': lambda d, o: d.one([line(d, 1, 3), [line(d, 1, 2), line(d, 1, 2)], {'input': [line(d, 1, 2)], 'weight': d.int(0, 9)}]) if 'contexts' not in o else {'input': line(d, 1, 2), 'weight': d.int(0, 5), 'contexts': {'kind': d.one(['red', ['blue', 'x']])} | ({'place': {'lat': 10, 'lon': 20}} if len(o['contexts']) > 1 else {})},
    'rank_feature': lambda d, o: d.one([d.float(0.1, 20), d.int(1, 9), '3']), 'rank_features': lambda d, o: {d.one(['a', 'b', 'c']): d.float(0.1, 9), 'd': 2}, 'constant_keyword': lambda d, o: 'same', 'version': lambda d, o: f'{d.int(0, 2)}.{d.int(0, 12)}.{d.int(0, 3)}' + d.one(['', '', '-alpha', '-rc.1', '+build']),
    'flat_object': lambda d, o: d.one([{'a': d.one(SHORT), 'b': {'c': [1, 'x', None]}}, {'a': d.int(0, 5)}, {'a.b': 'dot', 'a': {'b': 'in'}}, {}]), 'percolator': lambda d, o: d.one([{'match': {'f0': d.one(WORDS)}}, {'term': {'f1': d.one(SHORT)}}, {'match_all': {}}, {'bool': {'must_not': {'exists': {'field': 'f2'}}}}, {'range': {'f3': {'gte': 2}}}]),
    'join': lambda d, o: d.one(['a', {'name': 'a'}, {'name': 'b', 'parent': '1'}, {'name': 'd', 'parent': '2'}]), 'alias': lambda d, o: 1,
}
VALUES |= {kind: number for kind in ('long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'unsigned_long', 'scaled_float')}
VALUES |= {kind: span for kind in ('integer_range', 'long_range', 'float_range', 'double_range', 'date_range', 'ip_range')}

ODD = [None, '', {}, [], [None], [[]], 'bad', '1.5', 1.7, -1, 10**12, 2**64, '1e2', True, 'NaN', {'a': 1}, [1, [2, [3]]], ['x', None, 'y'], ' 5 ', 'x' * 300, '\u0000é', 1e39, '2021-13-45', '999.1.1.1', [{'a': 1}, {'a': 'x'}], 'Infinity', 0, '0x10']


def value(dice, one, odd=0.03):
    """A value of a field, or something else."""
    if dice.chance(odd):
        return dice.one(ODD)
    if 'properties' in one or one.get('type') in ('object', 'nested'):
        def inner():
            made = {name: value(dice, part, odd) for name, part in one.get('properties', {}).items() if dice.chance(0.75)}
            if dice.chance(0.1):
                made[dice.one(['u_1', 'u_2', 'u_x'])] = unknown(dice)
            return made
        return [inner() for _ in range(dice.int(0, 3))] if dice.chance(0.5) else inner()
    make = VALUES[one['type']]
    if dice.chance(0.15) and one['type'] not in ('geo_point', 'rank_feature', 'rank_features', 'join', 'percolator', 'flat_object', 'token_count'):
        return [make(dice, one) for _ in range(dice.int(1, 3))]
    return make(dice, one)


def unknown(dice):
    """A value of a field that no mapping names."""
    return dice.one([line(dice, 1, 4), dice.int(-5, 10**6), dice.float(-5, 5), True, iso(dice, moment(dice)), f'{moment(dice):%Y/%m/%d}', '12', '1.5', {'a': dice.int(0, 3), 'b': line(dice, 1, 2)}, [1, 2.5], ['x', 3], None, [], {}, 2**40, 2**63, [{'a': 1}, {'b': 'x'}], [[1], [2]], '3.14', 'true'])


def document(dice, properties, odd=0.03):
    """A document."""
    made = {name: value(dice, one, odd) for name, one in properties.items() if dice.chance(0.7) and one.get('type') != 'alias'}
    if dice.chance(0.25):
        made[dice.one(['u_1', 'u_2', 'u_x', 'n_x', 'o.u_1', 'o', 'o.p.u_3', 'v'])] = unknown(dice)
    if dice.chance(0.01):
        made[dice.one(['other', '_id', 'a..b', '.a', '', ' ', 'f0.m0', 'f1.x', '_routing'])] = unknown(dice)
    return made

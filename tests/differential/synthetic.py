"""A small index that has every field type: arrays, missing values, nested documents, joins, several shards and deletions."""
from dice import Dice

WORDS = ('amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north ocean plain quarry river '
         'stone tide upland valley wharf the and of a quick brown fox running runs ran house houses Zürich café naïve '
         'wi-fi e-mail o\'neill 42 2001 x86_64 foo.bar').split()
TAGS = 'red green blue cyan teal pink grey gold lime rust'.split()
LOWERS = ['Alpha', 'alpha', 'BETA', 'Gamma', 'gamma ', 'Éclair', 'zeta']
CODES = ['a-100', 'a-200', 'b-100', 'b-250', 'c-9', 'c-10', 'Foo Bar', 'foo*bar', 'x?y']

KEYWORD = {'type': 'keyword'}
MAPPING = {
    'dynamic': 'strict',
    'properties': {
        'title': {'type': 'text', 'fields': {
            'raw': {'type': 'keyword', 'ignore_above': 40},
            'english': {'type': 'text', 'analyzer': 'english'},
            'vector': {'type': 'text', 'term_vector': 'with_positions_offsets'},
            'shingles': {'type': 'text', 'analyzer': 'shingled'}}},
        'body': {'type': 'text', 'index_options': 'offsets', 'fielddata': True},
        'bare': {'type': 'text', 'norms': False, 'index_options': 'docs'},
        'only': {'type': 'match_only_text'},
        'typed': {'type': 'search_as_you_type'},
        'tag': KEYWORD, 'lower': {'type': 'keyword', 'normalizer': 'lower'}, 'code': {'type': 'keyword', 'null_value': 'none'},
        'wild': {'type': 'wildcard'}, 'same': {'type': 'constant_keyword', 'value': 'always'},
        'int': {'type': 'integer'}, 'long': {'type': 'long'}, 'short': {'type': 'short', 'null_value': 7},
        'byte': {'type': 'byte'}, 'double': {'type': 'double'}, 'float': {'type': 'float'}, 'half': {'type': 'half_float'},
        'scaled': {'type': 'scaled_float', 'scaling_factor': 100}, 'unsigned': {'type': 'unsigned_long'},
        'alias': {'type': 'alias', 'path': 'int'}, 'flag': {'type': 'boolean'},
        'when': {'type': 'date'}, 'nanos': {'type': 'date_nanos'}, 'day': {'type': 'date', 'format': 'yyyy/MM/dd||epoch_second'},
        'addr': {'type': 'ip'}, 'place': {'type': 'geo_point'}, 'area': {'type': 'geo_shape'},
        'ints': {'type': 'integer_range'}, 'longs': {'type': 'long_range'}, 'doubles': {'type': 'double_range'},
        'dates': {'type': 'date_range'}, 'addrs': {'type': 'ip_range'},
        'rank': {'type': 'rank_feature'}, 'ranks': {'type': 'rank_features'},
        'suggest': {'type': 'completion'}, 'tokens': {'type': 'token_count', 'analyzer': 'standard'},
        'flat': {'type': 'flat_object'}, 'blob': {'type': 'binary', 'doc_values': True},
        'nodoc': {'type': 'integer', 'doc_values': False}, 'noindex': {'type': 'integer', 'index': False},
        'stored': {'type': 'keyword', 'store': True},
        'items': {'type': 'nested', 'properties': {
            'name': KEYWORD, 'qty': {'type': 'integer'}, 'price': {'type': 'double'}, 'at': {'type': 'date'},
            'note': {'type': 'text'},
            'parts': {'type': 'nested', 'properties': {'code': KEYWORD, 'n': {'type': 'integer'}}}}},
        'author': {'properties': {'name': {'type': 'text', 'fields': {'raw': KEYWORD}}, 'age': {'type': 'integer'}}},
        'link': {'type': 'join', 'relations': {'question': ['answer', 'comment'], 'answer': 'vote'}},
        'stored_query': {'type': 'percolator'},
    },
}
ANALYSIS = {
    'normalizer': {'lower': {'type': 'custom', 'filter': ['lowercase', 'asciifolding']}},
    'analyzer': {'shingled': {'tokenizer': 'standard', 'filter': ['lowercase', 'shingle']}},
}


def text(dice, least, most):
    """A few words, some with capitals and full stops."""
    words = [dice.one(WORDS) for _ in range(dice.int(least, most))]
    words = [word.capitalize() if dice.chance(0.1) else word for word in words]
    return ' '.join(word + '.' if dice.chance(0.08) else word for word in words)


def instant(dice):
    """A moment between 2019 and 2024, in one of the ways that a date may be written."""
    day = f'{dice.int(2019, 2024)}-{dice.int(1, 12):02}-{dice.int(1, 28):02}'
    return dice.one([day, f'{day}T{dice.int(0, 23):02}:{dice.int(0, 59):02}:{dice.int(0, 59):02}Z',
                     f'{day}T{dice.int(0, 23):02}:30:15.{dice.int(0, 999):03}+02:00', dice.int(1546300800000, 1735600000000)])


def address(dice):
    """An IPv4 or IPv6 address of few networks."""
    if dice.chance(0.2):
        return f'2001:db8::{dice.int(1, 40):x}'
    return f'10.{dice.int(0, 2)}.{dice.int(0, 3)}.{dice.int(1, 250)}'


def place(dice):
    """A point, in the notations that are accepted."""
    lat, lon = dice.float(-60, 70, 4), dice.float(-170, 170, 4)
    if dice.chance(0.5):
        lat, lon = dice.float(47, 54, 4), dice.float(6, 14, 4)
    return dice.one([{'lat': lat, 'lon': lon}, [lon, lat], f'{lat},{lon}', f'POINT ({lon} {lat})'])


def area(dice):
    """A small shape."""
    x, y = dice.float(-20, 20, 2), dice.float(-20, 20, 2)
    w, h = dice.float(0.5, 6, 2), dice.float(0.5, 6, 2)
    return dice.one([
        {'type': 'point', 'coordinates': [x, y]},
        {'type': 'envelope', 'coordinates': [[x, y + h], [x + w, y]]},
        {'type': 'linestring', 'coordinates': [[x, y], [x + w, y + h], [x + w, y]]},
        {'type': 'polygon', 'coordinates': [[[x, y], [x + w, y], [x + w, y + h], [x, y]]]},
        f'POLYGON (({x} {y}, {x + w} {y}, {x} {y + h}, {x} {y}))'])


def span(dice, make):
    """A range between two values that `make` draws."""
    low, high = sorted([make(), make()])
    return {dice.one(['gte', 'gt']): low, dice.one(['lte', 'lt']): high + 2}


def item(dice):
    """A nested object with nested parts."""
    made = {'name': dice.one(TAGS), 'qty': dice.int(0, 9), 'note': text(dice, 1, 6)}
    dice.maybe(made, 'price', 0.8, lambda: dice.float(0, 100, 2))
    dice.maybe(made, 'at', 0.5, lambda: instant(dice))
    dice.maybe(made, 'parts', 0.5, lambda: [{'code': dice.one(CODES), 'n': dice.int(0, 5)} for _ in range(dice.int(1, 3))])
    return made


def many(dice, make, most=3):
    """One value, or an array of a few."""
    return make() if dice.chance(0.6) else [make() for _ in range(dice.int(1, most))]


FIELDS = {
    'title': lambda d: text(d, 1, 8), 'body': lambda d: many(d, lambda: text(d, 5, 60), 2), 'bare': lambda d: text(d, 1, 5),
    'only': lambda d: text(d, 2, 12), 'typed': lambda d: text(d, 2, 5), 'tag': lambda d: many(d, lambda: d.one(TAGS)),
    'lower': lambda d: d.one(LOWERS), 'code': lambda d: d.one(CODES + [None]), 'wild': lambda d: d.one(CODES) + text(d, 1, 2),
    'int': lambda d: many(d, lambda: d.int(-20, 60)), 'long': lambda d: d.one([d.int(0, 9), d.int(-2**62, 2**62), 2**63 - 1]),
    'short': lambda d: d.one([d.int(-300, 300), None]), 'byte': lambda d: d.int(-128, 127),
    'double': lambda d: d.float(-1000, 1000, 4), 'float': lambda d: many(d, lambda: d.float(0, 10, 2)),
    'half': lambda d: d.float(-5, 5, 1), 'scaled': lambda d: d.float(0, 50, 2),
    'unsigned': lambda d: d.one([d.int(0, 20), 2**63 + d.int(0, 50), 2**64 - 1]), 'flag': lambda d: d.one([True, False, 'true', '']),
    'when': instant, 'nanos': lambda d: f'2021-0{d.int(1, 9)}-1{d.int(0, 9)}T10:11:12.{d.int(0, 999999999):09}Z',
    'day': lambda d: d.one([f'{d.int(2000, 2030)}/0{d.int(1, 9)}/{d.int(10, 28)}', str(d.int(0, 1700000000))]),
    'addr': lambda d: many(d, lambda: address(d), 2), 'place': place, 'area': area,
    'ints': lambda d: many(d, lambda: span(d, lambda: d.int(0, 50)), 2), 'longs': lambda d: span(d, lambda: d.int(0, 10**12)),
    'doubles': lambda d: span(d, lambda: d.float(0, 50, 2)),
    'dates': lambda d: {'gte': f'202{d.int(0, 2)}-0{d.int(1, 9)}-01', 'lt': f'202{d.int(3, 5)}-0{d.int(1, 9)}-15'},
    'addrs': lambda d: d.one([f'10.{d.int(0, 2)}.0.0/16', {'gte': '10.0.0.1', 'lte': f'10.{d.int(0, 2)}.9.9'}]),
    'rank': lambda d: d.float(0.1, 100, 2), 'ranks': lambda d: {w: d.float(0.1, 20, 2) for w in d.some(TAGS, 1, 4)},
    'suggest': lambda d: {'input': d.some(WORDS[:24], 1, 3), 'weight': d.int(1, 50)}, 'tokens': lambda d: text(d, 1, 9),
    'flat': lambda d: {d.one(TAGS[:4]): d.one(CODES), 'deep': {'n': str(d.int(0, 5))}}, 'blob': lambda d: d.one(['AQID', 'U29tZQ==']),
    'nodoc': lambda d: d.int(0, 9), 'noindex': lambda d: d.int(0, 9), 'stored': lambda d: d.one(TAGS),
    'items': lambda d: [item(d) for _ in range(d.int(1, 4))],
    'author': lambda d: {'name': text(d, 1, 2), 'age': d.int(18, 80)},
}
STORED_QUERIES = [
    {'match': {'title': 'amber stone'}}, {'term': {'tag': 'red'}}, {'range': {'int': {'gte': 10, 'lt': 30}}},
    {'bool': {'must': [{'match': {'body': 'river'}}], 'must_not': [{'term': {'flag': True}}]}}, {'match_all': {}},
    {'match_phrase': {'body': 'quick brown'}}, {'bool': {'should': [{'term': {'tag': 'blue'}}, {'term': {'tag': 'teal'}}]}},
]


def document(dice):
    """One document: most fields are there, some are missing."""
    return {name: make(dice) for name, make in FIELDS.items() if dice.chance(0.8)}


def actions(seed=1, count=400):
    """Bulk lines of documents, of members of families and of stored queries."""
    dice = Dice(seed)
    lines = []
    for number in range(count):
        source = document(dice)
        meta = {'_id': str(number)}
        role = dice.int(0, 9)
        if role == 0:
            source['link'] = 'question'
        elif role == 1 and number > 20:
            # Children live on the shard of their family, whose name is the routing.
            parent = str(dice.int(0, number - 1))
            meta['routing'] = parent
            source['link'] = {'name': dice.one(['answer', 'comment']), 'parent': parent}
        elif role == 2 and number > 40:
            meta['routing'] = str(dice.int(0, 20))
            source['link'] = {'name': 'vote', 'parent': str(dice.int(0, number - 1))}
        if dice.chance(0.05):
            source['stored_query'] = dice.one(STORED_QUERIES)
        lines += [{'index': meta}, source]
    return lines


def changes(seed=1, count=400):
    """Bulk lines that delete some of those documents and write others anew, each at most once.

    They come after a refresh: of what is deleted before it was ever in a segment, the servers keep different statistics.
    """
    dice = Dice(seed)
    lines = []
    for number in dice.some(range(count), 60, 60):
        if dice.chance(0.5):
            lines += [{'delete': {'_id': str(number)}}]
        else:
            lines += [{'index': {'_id': str(number)}}, document(dice)]
    return lines

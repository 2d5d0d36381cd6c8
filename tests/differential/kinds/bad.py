"""Requests that have to fail, or at least look as if: the wording of errors is compared too."""
import copy

from kinds import aggs, body as bodies
from kinds.registry import QUERIES, any_query
from minimise import at, places

WRONG = ['text', -1, 0, 3.7, True, None, [], {}, ['a', 'b'], {'a': 'b'}, 2147483648, -5, '', [[]], [None], '1e400', 'no_such_field']


def search(dice, schema):
    """A body that was fine, with one thing in it made wrong."""
    made = dice.weighted({'query': 6, 'body': 3, 'aggs': 4, 'pipelines': 2})
    if made == 'query':
        body = {'query': any_query(dice, schema, dice.int(0, 1))}
    elif made == 'body':
        body = bodies.search(dice, schema, 0)
    elif made == 'pipelines':
        body = {'size': 0, 'aggs': piped(dice, schema)}
    else:
        body = {'size': 0, 'aggs': aggs.aggregations(dice, schema, dice.int(0, 1), 1)}
    if dice.chance(0.05):
        return {'query': {dice.one(list(QUERIES) + ['matche', 'boool', 'foo', 'more_like_tis']): {}}}
    for _ in '12'[:dice.int(1, 2)]:
        body = spoiled(dice, body)
    return body


def piped(dice, schema):
    """A histogram with metrics and a pipeline over them, or one beside it."""
    number = dice.one([field for field in schema.number if field not in ('nodoc', 'noindex', 'long', 'unsigned', 'size', 'installed_kb')])
    made = {'m': {'max': {'field': number}}, 's': {'stats': {'field': number}}}
    histogram = {'histogram': {'field': number, 'interval': 50}, 'aggs': made}
    if dice.chance(0.4):
        return {'h': histogram} | aggs.siblings(dice, {'h': histogram})
    made |= aggs.parents(dice, made)
    return {'h': histogram}


def spoiled(dice, body):
    """A copy of a body with one place spoiled."""
    spots = list(places(body))
    if not spots:
        return body
    body = copy.deepcopy(body)
    path = dice.one(spots)
    holder, key = at(body, path[:-1]), path[-1]
    how = dice.weighted({'value': 5, 'unknown': 3, 'rename': 2, 'remove': 2, 'wrap': 1})
    if how == 'value' or not isinstance(holder, dict):
        holder[key] = copy.deepcopy(dice.one(WRONG))
    elif how == 'unknown':
        holder[dice.one(['unknown', 'bogus_option', 'boosts', 'sizes', 'nme'])] = dice.one([1, 'x', True, {}, []])
    elif how == 'rename':
        holder[str(key) + 's'] = holder.pop(key)
    elif how == 'remove':
        del holder[key]
    else:
        holder[key] = [holder[key]]
    return body


LIMITS = [
    {'size': -1}, {'from': -3}, {'size': 20001}, {'from': 19999, 'size': 10}, {'size': 'x'}, {'timeout': '5'}, {'timeout': 'abc'}, {'terminate_after': -1},
    {'track_total_hits': -2}, {'track_total_hits': 'x'}, {'min_score': 'x'}, {'sort': [{'nothing': 'asc'}]}, {'sort': {'title': 'asc'}}, {'search_after': [1]},
    {'sort': ['_score'], 'search_after': ['a', 'b']}, {'docvalue_fields': ['title']}, {'collapse': {'field': 'title'}}, {'collapse': {'field': 'nothing'}},
    {'highlight': {'fields': {'title': {'type': 'none'}}}}, {'rescore': {'window_size': 20001, 'query': {'rescore_query': {'match_all': {}}}}},
    {'aggs': {'a': {}}}, {'aggs': {'a': {'terms': {'field': 'title'}}}}, {'aggs': {'a': {'terms': {'field': 'tag', 'size': 0}}}}, {'aggs': {'a': {'foo': {}}}},
    {'aggs': {'a[b]': {'avg': {'field': 'int'}}}}, {'aggs': {'a': {'avg': {'field': 'tag'}}}}, {'aggs': {'a': {'avg': {}}}}, {'aggs': {'a': {'histogram': {'field': 'int'}}}},
    {'aggs': {'a': {'date_histogram': {'field': 'when', 'interval': 'month'}}}}, {'aggs': {'a': {'date_histogram': {'field': 'when', 'fixed_interval': 'month'}}}},
    {'query': {'range': {'when': {'gte': 'never'}}}}, {'query': {'term': {'int': 'x'}}}, {'query': {'term': {'addr': 'x'}}}, {'query': {'match': {'int': 'x'}}},
    {'query': {'nested': {'path': 'nothing', 'query': {'match_all': {}}}}}, {'query': {'has_child': {'type': 'nothing', 'query': {'match_all': {}}}}},
    {'query': {'geo_distance': {'distance': '1 furlong', 'place': [0, 0]}}}, {'query': {'geo_distance': {'distance': '1km', 'place': [0, 100]}}},
    {'query': {'query_string': {'query': 'title:(a'}}}, {'query': {'regexp': {'tag': '[a'}}}, {'query': {'regexp': {'tag': 'a{'}}}, {'slice': {'id': 0, 'max': 2}},
    {'script_fields': {'a': {'script': 'doc['}}}, {'script_fields': {'a': {'script': "doc['nothing'].value"}}}, {'pit': {'id': 'x'}}, {'suggest': {'a': {'text': 'x'}}},
    {'suggest': {'a': {'text': 'x', 'term': {'field': 'nothing'}}}}, {'fields': [{'field': 'int', 'format': 'yyyy'}]}, {'stored_fields': 3}, {'ext': {'x': {}}},
]


def limits(dice, schema):
    """One of the bodies that go over a limit or name what is not there."""
    return copy.deepcopy(dice.one(LIMITS))

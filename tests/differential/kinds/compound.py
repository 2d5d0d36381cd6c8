"""Queries that hold other queries, and scripts."""
from kinds.registry import QUERIES, any_query, common, only_top, query, should_match
from schema import Scope


@query(9, leaf=False)
def bool_(dice, schema, depth):
    options = {}
    for occur, share, most in (('must', 0.5, 2), ('should', 0.5, 3), ('filter', 0.35, 2), ('must_not', 0.25, 2)):
        if dice.chance(share):
            clauses = [any_query(dice, schema, depth - 1) for _ in range(dice.int(1, most))]
            options[occur] = clauses[0] if len(clauses) == 1 and dice.chance(0.3) else clauses
    dice.maybe(options, 'minimum_should_match', 0.25, lambda: should_match(dice))
    dice.maybe(options, 'adjust_pure_negative', 0.03, lambda: dice.chance(0.5))
    return {'bool': common(dice, options)}


@query(2, leaf=False)
def constant_score(dice, schema, depth):
    return {'constant_score': common(dice, {'filter': any_query(dice, schema, depth - 1)})}


@query(2, leaf=False)
def dis_max(dice, schema, depth):
    options = {'queries': [any_query(dice, schema, depth - 1) for _ in range(dice.int(1, 3))]}
    dice.maybe(options, 'tie_breaker', 0.6, lambda: dice.one([0, 0.3, 1.0]))
    return {'dis_max': common(dice, options)}


@query(2, leaf=False)
def boosting(dice, schema, depth):
    return {'boosting': common(dice, {'positive': any_query(dice, schema, depth - 1), 'negative': any_query(dice, schema, depth - 1),
                                      'negative_boost': dice.one([0, 0.2, 0.5, 1.5])})}


def single_number(dice, schema):
    """A number field with doc values."""
    return dice.one([field for field in schema.number if field not in ('nodoc', 'long', 'unsigned', 'alias', 'items.qty')] or schema.number)


def score_script(dice, schema):
    """A script that makes a score."""
    field = single_number(dice, schema)
    return dice.one([
        {'source': '_score * 2 + params.a', 'params': {'a': dice.int(0, 5)}},
        {'source': f"doc['{field}'].size() == 0 ? 1 : Math.abs(doc['{field}'].value) + 1"},
        {'source': f"double s = 0; for (v in doc['{field}']) {{ s += v }} return Math.max(0, s) + _score"},
        {'source': 'Math.log(2 + _score)'},
        {'source': f"saturation(Math.abs(doc['{field}'].size()) + 1, 3)"},
        {'source': 'sigmoid(_score + 1, 2, 1)'},
    ])


def function(dice, schema):
    """One function of function_score."""
    field = single_number(dice, schema)
    kinds = [
        lambda: {'weight': dice.one([2, 0.5, 10])},
        lambda: {'field_value_factor': common_factor(dice, field)},
        lambda: {'random_score': {'seed': dice.int(0, 99), 'field': '_seq_no'}},
        lambda: {'script_score': {'script': score_script(dice, schema)}},
        lambda: {dice.one(['gauss', 'linear', 'exp']): decay(dice, schema, field)},
    ]
    made = dice.one(kinds)()
    if 'weight' not in made:
        dice.maybe(made, 'weight', 0.3, lambda: dice.one([2, 0.3]))
    return made


def common_factor(dice, field):
    """The options of field_value_factor."""
    options = {'field': field, 'missing': dice.one([1, 0.5]), 'modifier': dice.one(['none', 'log1p', 'ln2p', 'sqrt', 'square', 'reciprocal', 'log2p', 'ln1p'])}
    dice.maybe(options, 'factor', 0.5, lambda: dice.one([0.1, 2]))
    return options


def decay(dice, schema, field):
    """The options of a decay function, with a place, a date or a number as its origin."""
    kinds = [(field, {'origin': dice.int(0, 50), 'scale': dice.one([5, 20.5])})] * 2
    dates = [name for name in schema.date if name not in ('day', 'nanos')]
    if dates:
        kinds.append((dice.one(dates), {'origin': '2021-06-01', 'scale': dice.one(['10d', '365d'])}))
    if schema.synthetic:
        kinds.append(('place', {'origin': '50,10', 'scale': '200km'}))
    name, options = dice.one(kinds)
    dice.maybe(options, 'decay', 0.4, lambda: dice.one([0.33, 0.9]))
    if isinstance(options['scale'], (int, float)):
        dice.maybe(options, 'offset', 0.4, 3)
    made = {name: options}
    dice.maybe(made, 'multi_value_mode', 0.3, lambda: dice.one(['min', 'max', 'avg', 'sum']))
    return made


@query(4, leaf=False)
def function_score(dice, schema, depth):
    options = {'query': any_query(dice, schema, depth - 1)}
    if dice.chance(0.3):
        options |= function(dice, schema)
    else:
        options['functions'] = [function(dice, schema) for _ in range(dice.int(1, 3))]
        for made in options['functions']:
            dice.maybe(made, 'filter', 0.4, lambda: any_query(dice, schema, 0))
    dice.maybe(options, 'score_mode', 0.5, lambda: dice.one(['multiply', 'sum', 'avg', 'first', 'max', 'min']))
    dice.maybe(options, 'boost_mode', 0.5, lambda: dice.one(['multiply', 'replace', 'sum', 'avg', 'max', 'min']))
    dice.maybe(options, 'max_boost', 0.2, lambda: dice.one([1.5, 10]))
    dice.maybe(options, 'min_score', 0.1, lambda: dice.one([0.5, 2]))
    return {'function_score': common(dice, options)}


@query(2, leaf=False)
def script_score(dice, schema, depth):
    options = {'query': any_query(dice, schema, depth - 1), 'script': score_script(dice, schema)}
    dice.maybe(options, 'min_score', 0.2, lambda: dice.one([1, 5]))
    return {'script_score': common(dice, options)}


@query(1)
def script(dice, schema, depth):
    field = single_number(dice, schema)
    source = dice.one([f"doc['{field}'].size() > 0 && doc['{field}'].value > params.n", f"doc['{field}'].stream().anyMatch(v -> v % 2 == 0)",
                       f"doc['{schema.keyword[0]}'].size() >= 2", f"doc.containsKey('{field}') && doc['{field}'].size() == 1"])
    return {'script': common(dice, {'script': {'source': source, 'params': {'n': dice.int(0, 30)}}})}


@query(5, when=lambda schema: schema.nested, leaf=False)
def nested(dice, schema, depth):
    path = dice.one(list(schema.nested))
    options = {'path': path, 'query': any_query(dice, Scope(whole(schema), path), depth - 1, NESTED)}
    dice.maybe(options, 'score_mode', 0.5, lambda: dice.one(['avg', 'sum', 'min', 'max', 'none']))
    dice.maybe(options, 'ignore_unmapped', 0.05, True)
    return {'nested': common(dice, options)}


NESTED = {'match_all', 'term', 'terms', 'range', 'exists', 'prefix', 'wildcard', 'fuzzy', 'match', 'match_phrase', 'bool', 'constant_score',
          'nested', 'query_string', 'function_score', 'date_range', 'dis_max', 'multi_match'}


def whole(schema):
    """The schema of whole documents that a scope belongs to."""
    return schema.schema if isinstance(schema, Scope) else schema


@query(2, when=only_top, leaf=False)
def has_child(dice, schema, depth):
    options = {'type': dice.one(['answer', 'comment', 'vote', 'answer']), 'query': any_query(dice, schema, depth - 1)}
    dice.maybe(options, 'score_mode', 0.5, lambda: dice.one(['avg', 'sum', 'min', 'max', 'none']))
    dice.maybe(options, 'min_children', 0.2, lambda: dice.one([0, 1, 2]))
    dice.maybe(options, 'max_children', 0.2, lambda: dice.one([1, 3]))
    return {'has_child': common(dice, options)}


@query(2, when=only_top, leaf=False)
def has_parent(dice, schema, depth):
    options = {'parent_type': dice.one(['question', 'answer']), 'query': any_query(dice, schema, depth - 1)}
    dice.maybe(options, 'score', 0.5, lambda: dice.chance(0.6))
    return {'has_parent': common(dice, options)}


@query(1, when=only_top)
def parent_id(dice, schema, depth):
    return {'parent_id': common(dice, {'type': dice.one(['answer', 'comment']), 'id': dice.one(schema.ids)})}


@query(1, leaf=False)
def pinned_wrapper(dice, schema, depth):
    import base64  # pylint: disable=import-outside-toplevel
    import json  # pylint: disable=import-outside-toplevel
    inner = any_query(dice, schema, depth - 1)
    return {'wrapper': {'query': base64.b64encode(json.dumps(inner).encode()).decode()}}


assert 'bool' in QUERIES

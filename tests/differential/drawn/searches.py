"""Requests to a drawn index: queries, sorts, columns, aggregations, highlights and suggestions of the fields that it has."""
from drawn import documents
from drawn.settings import options

WHOLE = ('long', 'integer', 'short', 'byte', 'unsigned_long')
NUMBERS = WHOLE + ('double', 'float', 'half_float', 'scaled_float', 'token_count')
TEXTS = ('text', 'match_only_text', 'search_as_you_type')
EXACT = ('keyword', 'wildcard', 'constant_keyword', 'flat_object', 'version')
RANGES = ('integer_range', 'long_range', 'float_range', 'double_range', 'date_range', 'ip_range')


class Fields:
    """The fields of an index: path → (mapping, path of what it is nested in)."""

    def __init__(self, found):
        self.all = {path: (one, nested) for path, one, nested in found}
        self.top = [path for path, (_, nested) in self.all.items() if nested is None] or ['nothing']
        self.nested = sorted({nested for _, nested in self.all.values() if nested})

    def kind(self, path):
        """The type of a field."""
        return self.all.get(path, ({},))[0].get('type')

    def of(self, kinds, nested=None):
        """Fields of these types."""
        return [path for path, (one, within) in self.all.items() if one.get('type') in kinds and within == nested] or self.top

    def value(self, dice, path):
        """A value like those of documents."""
        one = self.all.get(path, ({},))[0]
        if one.get('type') in RANGES:
            return documents.VALUES[{'date_range': 'date', 'ip_range': 'ip'}.get(one['type'], 'integer')](dice, {'type': 'integer'})
        made = documents.VALUES.get(one.get('type'), lambda d, o: 'x')(dice, one)
        while isinstance(made, list) and made:
            made = made[0]
        return made if not isinstance(made, (dict, list)) else dice.one(documents.WORDS)


def query(dice, fields, depth=2, nested=None):
    """A query of any kind that suits some field, or does not."""
    table = QUERIES | (COMPOUND if depth else {})
    return table[dice.weighted({name: row[0] for name, row in table.items()})][1](dice, fields, depth, nested)


def any_field(dice, fields, nested):
    """Any field, seldom one that is not there."""
    if dice.chance(0.03):
        return dice.one(['nothing', '_id', 'u_1', 'o.u_1', '_field_names', '_ignored'])
    return dice.one(fields.of(tuple({one.get('type') for one, _ in fields.all.values()}), nested))


def of_one_field(name, kinds, extra=lambda d, f, p: {}, key='value', odd=0.12):
    """A leaf query that has a value and options below a field."""
    def make(dice, fields, depth, nested):
        path = dice.one(fields.of(kinds, nested)) if not dice.chance(odd) else any_field(dice, fields, nested)
        made = {key: fields.value(dice, path)} | extra(dice, fields, path)
        dice.maybe(made, 'boost', 0.08, 2.5)
        return {name: {path: made}}
    return make


def range_(dice, fields, depth, nested):
    """A range."""
    path = dice.one(fields.of(NUMBERS + ('date', 'date_nanos', 'ip', 'keyword', 'version') + RANGES, nested)) if not dice.chance(0.1) else any_field(dice, fields, nested)
    made = {dice.one(['gte', 'gt']): fields.value(dice, path)}
    dice.maybe(made, dice.one(['lte', 'lt']), 0.6, lambda: fields.value(dice, path))
    if dice.chance(0.3):
        made.pop(next(iter(made)))
    if fields.kind(path) in RANGES:
        dice.maybe(made, 'relation', 0.6, lambda: dice.one(['within', 'contains', 'intersects']))
    if fields.kind(path) in ('date', 'date_nanos'):
        dice.maybe(made, 'format', 0.15, lambda: dice.one(['yyyy', 'epoch_millis', 'strict_date_optional_time']))
        if dice.chance(0.2):
            made['gte'] = dice.one(['2001-01-01||/M', 'now-20y/y', '2010||+1y', 1000000000000])
        dice.maybe(made, 'time_zone', 0.15, lambda: dice.one(['+02:00', 'Europe/Berlin']))
    return {'range': {path: made}}


def several(dice, fields, nested):
    """Several fields of texts and exact values, some boosted, or a pattern."""
    if dice.chance(0.2):
        return [dice.one(['f*', '*', '*.m0', 'f1*'])]
    return [path + dice.one(['', '', '^2']) for path in dice.some(fields.of(TEXTS + ('keyword',), nested) if dice.chance(0.8) else list(fields.all) or ['x'], 1, 4)]


def multi_match(dice, fields, depth, nested):
    made = {'query': documents.line(dice, 1, 3), 'fields': several(dice, fields, nested), 'type': dice.one(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix'])}
    made |= options(dice, operator=['and', 'or'], tie_breaker=[0.3, 1.0], lenient=[True]) if dice.chance(0.5) else {}
    if dice.chance(0.1):
        made.pop('fields')
    return {'multi_match': made}


def query_string(dice, fields, depth, nested):
    path = any_field(dice, fields, nested)
    word, other = dice.one(documents.WORDS), dice.one(documents.WORDS)
    text = dice.one([word, f'{word} {other}', f'"{word} {other}"', f'{path}:{word}', f'+{word} -{other}', f'{word[:2]}*', f'{path}:({word} OR {other})', f'{path}:[1 TO 20]', f'_exists_:{path}', f'{word}~1', f'"{word} {other}"~3', f'{path}:>3', f'/{word[:2]}.*/', f'{path}:{word[:1]}*', f'{path}:"{word} {other}"', f'NOT {path}:{word}'])
    made = {'query': text}
    dice.maybe(made, 'fields', 0.5, lambda: several(dice, fields, nested))
    dice.maybe(made, 'default_operator', 0.3, 'and')
    made |= options(dice, lenient=[True], analyze_wildcard=[True], minimum_should_match=[1, '60%'], quote_field_suffix=['.m0'], auto_generate_synonyms_phrase_query=[False]) if dice.chance(0.5) else {}
    return {'query_string': made} if dice.chance(0.75) else {'simple_query_string': made}


def geo(dice, fields, depth, nested):
    path = dice.one(fields.of(('geo_point', 'geo_shape'), nested))
    return dice.one([{'geo_distance': {'distance': dice.one(['2000km', '9000km']), path: '10,20'}}, {'geo_bounding_box': {path: {'top_left': [-100, 60], 'bottom_right': [100, -30]}}},
                     {'geo_shape': {path: {'shape': {'type': 'envelope', 'coordinates': [[-90, 60], [90, -60]]}, 'relation': dice.one(['intersects', 'disjoint', 'within', 'contains'])}}},
                     {'geo_polygon': {path: {'points': [[-100, -50], [100, -50], [0, 80]]}}}, {'distance_feature': {'field': path, 'origin': '10,20', 'pivot': '1000km'}}])


def intervals(dice, fields, depth, nested):
    rule = dice.one([{'match': {'query': documents.line(dice, 1, 3), 'max_gaps': 3, 'ordered': dice.chance(0.5)}}, {'prefix': {'prefix': dice.one(['am', 'fo', 'Z'])}}, {'fuzzy': {'term': dice.one(documents.WORDS)}},
                     {'any_of': {'intervals': [{'match': {'query': dice.one(documents.WORDS)}}, {'wildcard': {'pattern': 'f*'}}]}}])
    return {'intervals': {dice.one(fields.of(TEXTS, nested)): rule}}


def span(dice, fields, depth, nested):
    path = dice.one(fields.of(('text', 'search_as_you_type', 'keyword'), nested))
    terms = [{'span_term': {path: dice.one(documents.WORDS)}} for _ in range(2)]
    return dice.one([terms[0], {'span_near': {'clauses': terms, 'slop': 4, 'in_order': dice.chance(0.5)}}, {'span_first': {'match': terms[0], 'end': 3}}, {'span_or': {'clauses': terms}}, {'span_multi': {'match': {'prefix': {path: {'value': 'f'}}}}}, {'span_not': {'include': terms[0], 'exclude': terms[1]}}])


def script(dice, fields, depth, nested):
    path = dice.one(fields.of(NUMBERS + ('date', 'keyword', 'boolean', 'ip', 'geo_point', 'version'), nested))
    return {'script': {'script': {'source': f"doc['{path}'].size() > {dice.int(0, 1)}"}}}


def rank(dice, fields, depth, nested):
    path = dice.one(fields.of(('rank_feature', 'rank_features'), nested))
    return {'rank_feature': {'field': path + dice.one(['', '.a', '.d'])} | dice.one([{}, {'saturation': {'pivot': 3}}, {'log': {'scaling_factor': 2}}, {'sigmoid': {'pivot': 4, 'exponent': 0.6}}, {'linear': {}}])}


def distance(dice, fields, depth, nested):
    return {'distance_feature': {'field': dice.one(fields.of(('date', 'date_nanos'), nested)), 'origin': dice.one(['2010-01-01', 'now']), 'pivot': dice.one(['300d', '9h'])}}


def join(dice, fields, depth, nested):
    return dice.one([{'has_child': {'type': 'b', 'query': {'match_all': {}}, 'score_mode': 'sum'}}, {'has_parent': {'parent_type': 'a', 'query': query(dice, fields, 0), 'score': True}}, {'parent_id': {'type': 'b', 'id': '1'}}])


def percolate(dice, fields, depth, nested):
    return {'percolate': {'field': dice.one(fields.of(('percolator',))), 'document': {'f0': documents.line(dice), 'f3': dice.int(0, 5)}}}


def fuzzy(dice, fields, path):
    return options(dice, fuzziness=[0, 1, 'AUTO'], prefix_length=[1], transpositions=[False])


def matching(dice, fields, path):
    return options(dice, operator=['and'], minimum_should_match=[1, '75%'], fuzziness=['AUTO'], zero_terms_query=['all'], lenient=[True], analyzer=['whitespace', 'english']) if dice.chance(0.4) else {}


QUERIES = {
    'match_all': (1, lambda d, f, n, w: {'match_all': {}}), 'match': (12, of_one_field('match', TEXTS + ('keyword', 'wildcard', 'token_count', 'integer', 'long'), matching, 'query', 0.25)), 'match_phrase': (5, of_one_field('match_phrase', TEXTS, lambda d, f, p: options(d, slop=[1, 5]), 'query')),
    'match_phrase_prefix': (3, of_one_field('match_phrase_prefix', TEXTS, lambda d, f, p: options(d, slop=[2]), 'query')), 'match_bool_prefix': (3, of_one_field('match_bool_prefix', TEXTS, key='query')), 'term': (8, of_one_field('term', NUMBERS + EXACT + ('date', 'ip', 'boolean') + RANGES, lambda d, f, p: options(d, case_insensitive=[True]) if d.chance(0.1) else {}, odd=0.2)),
    'terms': (4, lambda d, f, n, w: (lambda p: {'terms': {p: [f.value(d, p) for _ in range(d.int(1, 4))]}})(any_field(d, f, w))), 'range': (9, range_), 'exists': (5, lambda d, f, n, w: {'exists': {'field': any_field(d, f, w)}}),
    'prefix': (3, of_one_field('prefix', EXACT + TEXTS, lambda d, f, p: options(d, case_insensitive=[True]))), 'wildcard': (3, lambda d, f, n, w: {'wildcard': {d.one(f.of(EXACT + TEXTS, w)): {'value': d.one(['f*', '*e*', '?ed', 'R*', '*', 'fox?s', '*-*'])} | options(d, case_insensitive=[True])}}),
    'regexp': (2, lambda d, f, n, w: {'regexp': {d.one(f.of(EXACT + TEXTS, w)): {'value': d.one(['f.*', '[a-m]+', 're?d', '.*o.*', 'RED'])} | options(d, case_insensitive=[True])}}), 'fuzzy': (2, of_one_field('fuzzy', EXACT + TEXTS, fuzzy)), 'multi_match': (5, multi_match), 'query_string': (8, query_string),
    'geo': (3, geo), 'intervals': (3, intervals), 'span': (3, span), 'script': (2, script), 'rank_feature': (2, rank), 'distance_feature': (1, distance), 'join': (1, join), 'percolate': (1, percolate), 'combined_fields': (2, lambda d, f, n, w: {'combined_fields': {'query': documents.line(d, 1, 2), 'fields': several(d, f, w)}}),
    'more_like_this': (1, lambda d, f, n, w: {'more_like_this': {'like': documents.line(d, 3, 8), 'fields': d.some(f.of(TEXTS + ('keyword',), w), 1, 2), 'min_term_freq': 1, 'min_doc_freq': 1}}), 'ids': (1, lambda d, f, n, w: {'ids': {'values': [str(d.int(0, 9)), '3']}}), 'terms_set': (1, lambda d, f, n, w: {'terms_set': {d.one(f.of(EXACT + TEXTS, w)): {'terms': d.some(documents.WORDS, 1, 3), 'minimum_should_match_script': {'source': '1'}}}}),
}


def bool_(dice, fields, depth, nested):
    made = {}
    for clause in dice.some(['must', 'should', 'filter', 'must_not'], 1, 3):
        made[clause] = [query(dice, fields, depth - 1, nested) for _ in range(dice.int(1, 2))]
    return {'bool': made}


def function_score(dice, fields, depth, nested):
    path = dice.one(fields.of(NUMBERS))
    functions = [dice.one([{'field_value_factor': {'field': path, 'missing': 1, 'modifier': dice.one(['none', 'log1p', 'square'])}}, {'weight': 2}, {'filter': query(dice, fields, 0), 'weight': 3}, {'script_score': {'script': {'source': '_score + 1'}}}, {'gauss': {path: {'origin': 3, 'scale': 10}}},
                           {'exp': {dice.one(fields.of(('date',))): {'origin': '2010-01-01', 'scale': '900d'}}}]) for _ in range(dice.int(1, 2))]
    return {'function_score': {'query': query(dice, fields, depth - 1, nested), 'functions': functions} | options(dice, score_mode=['sum', 'max', 'avg'], boost_mode=['sum', 'replace', 'multiply'])}


def nested_(dice, fields, depth, nested):
    path = dice.one([one for one in fields.nested if nested is None or one.startswith(nested)] or ['nothing'])
    made = {'path': path, 'query': query(dice, fields, depth - 1, path)} | options(dice, score_mode=['max', 'sum', 'none', 'min'])
    dice.maybe(made, 'inner_hits', 0.3 if nested is None else 0, {'size': 2})
    return {'nested': made}


COMPOUND = {
    'bool': (14, bool_), 'constant_score': (2, lambda d, f, n, w: {'constant_score': {'filter': query(d, f, n - 1, w)}}), 'dis_max': (2, lambda d, f, n, w: {'dis_max': {'queries': [query(d, f, n - 1, w), query(d, f, 0, w)], 'tie_breaker': 0.4}}), 'boosting': (1, lambda d, f, n, w: {'boosting': {'positive': query(d, f, n - 1, w), 'negative': query(d, f, 0, w), 'negative_boost': 0.3}}),
    'function_score': (3, function_score), 'nested': (6, nested_), 'script_score': (1, lambda d, f, n, w: {'script_score': {'query': query(d, f, n - 1, w), 'script': {'source': '_score * 2'}}}),
}


def sort(dice, fields):
    """Keys to sort by."""
    keys = []
    for _ in range(dice.int(1, 2)):
        path = dice.one(fields.of(NUMBERS + ('date', 'date_nanos', 'keyword', 'boolean', 'ip', 'version', 'wildcard'), dice.one([None, None, *fields.nested])))
        if dice.chance(0.1):
            path = dice.one([one for one in fields.all if fields.kind(one) not in RANGES] or ['nothing'])
        made = {'order': dice.one(['asc', 'desc'])}
        if fields.kind(path) in NUMBERS + ('date', 'keyword'):
            dice.maybe(made, 'mode', 0.3, lambda: dice.one(['min', 'max', 'sum', 'avg', 'median'] if fields.kind(path) in NUMBERS else ['min', 'max']))
        if fields.kind(path) != 'ip':
            dice.maybe(made, 'missing', 0.3, lambda: dice.one(['_last', '_first'] + ([3] if fields.kind(path) in NUMBERS else [])))
        dice.maybe(made, 'unmapped_type', 0.1, 'long')
        if fields.kind(path) in NUMBERS and fields.kind(path) != 'unsigned_long':
            dice.maybe(made, 'numeric_type', 0.1, lambda: dice.one(['long', 'double']))
        if fields.kind(path) == 'date':
            dice.maybe(made, 'format', 0.2, lambda: dice.one(['yyyy-MM-dd', 'epoch_millis']))
        nested = fields.all.get(path, ({}, None))[1]
        if nested and dice.chance(0.9):
            made['nested'] = {'path': nested}
            dice.maybe(made['nested'], 'filter', 0.3, lambda: query(dice, fields, 0, nested))
        keys.append({path: made})
    return keys


def fetching(dice, fields, body):
    """What is shown of each hit."""
    every = list(fields.all) + ['f*', '*.m0', 'u_1', 'nothing']
    dice.maybe(body, '_source', 0.4, lambda: dice.one([False, dice.some(every, 1, 3), {'excludes': dice.some(every, 1, 3)}, {'includes': dice.some(every, 1, 3), 'excludes': ['*1']}]))
    dice.maybe(body, 'docvalue_fields', 0.25, lambda: [dice.one([one, {'field': one}, {'field': one, 'format': 'use_field_mapping'}]) for one in dice.some(every, 1, 2)])
    dice.maybe(body, 'fields', 0.3, lambda: [dice.one([one, {'field': one}, {'field': one, 'format': 'yyyy'} if fields.kind(one) == 'date' else one]) for one in dice.some(every + ['*'], 1, 3)])
    dice.maybe(body, 'stored_fields', 0.15, lambda: dice.some([one for one in fields.all if fields.all[one][0].get('store')] + ['_source', '*', 'f0'], 1, 3))
    dice.maybe(body, 'version', 0.1, True)
    dice.maybe(body, 'seq_no_primary_term', 0.1, True)
    if dice.chance(0.12):
        path = dice.one(fields.of(NUMBERS + ('date', 'keyword', 'boolean', 'ip', 'geo_point', 'version', 'text', 'binary')))
        body['script_fields'] = {'made': {'script': {'source': dice.one([f"doc['{path}']", f"doc['{path}'].size() == 0 ? 'none' : doc['{path}'].value", f"doc['{path}'].size() == 0 ? 'none' : doc['{path}'].get(0).toString()", f"params._source['{path}']"])}}}


def highlight(dice, fields):
    """Highlights of some fields by any of the highlighters."""
    made = {'fields': {path: {} for path in dice.some(fields.of(TEXTS + ('keyword',)), 1, 3)}}
    if dice.chance(0.2):
        made['fields'] = {'*': {}}
    dice.maybe(made, 'type', 0.6, lambda: dice.one(['unified', 'plain', 'fvh']))
    made |= options(dice, number_of_fragments=[0, 2], fragment_size=[20, 60], require_field_match=[False], no_match_size=[15], order=['score'], phrase_limit=[3], boundary_scanner=['word', 'sentence']) if dice.chance(0.6) else {}
    return made


def suggest(dice, fields):
    """Suggestions."""
    completions = [one for one in fields.all if fields.kind(one) == 'completion']
    if completions and dice.chance(0.7):
        path = dice.one(completions)
        made = {'prefix': dice.one(['a', 'fo', 'R', 'q', 'the']), 'completion': {'field': path, 'size': 4} | options(dice, skip_duplicates=[True], fuzzy=[{'fuzziness': 1}])}
        if 'contexts' in fields.all[path][0]:
            dice.maybe(made['completion'], 'contexts', 0.8, lambda: {'kind': ['red', {'context': 'blue', 'boost': 3}]})
        return {'s': made}
    path = dice.one(fields.of(TEXTS + ('keyword',)))
    return {'s': dice.one([{'text': dice.one(['foxx stone', 'ambr rivr', 'quik']), 'term': {'field': path} | options(dice, suggest_mode=['always', 'popular'], min_word_length=[2], sort=['frequency'])}, {'text': 'quik brwn fox', 'phrase': {'field': path, 'max_errors': 2} | options(dice, gram_size=[1, 2])}])}


def bucket(dice, fields, nested):
    """An aggregation that makes buckets."""
    column = NUMBERS + ('date', 'keyword', 'boolean', 'ip')
    path = dice.one(fields.of(column, nested)) if not dice.chance(0.08) else any_field(dice, fields, nested)
    kind = fields.kind(path)
    choices = [lambda: {'terms': {'field': path, 'size': dice.int(1, 20)} | (options(dice, missing=['zz'] if kind == 'keyword' else [3], order=[{'_key': 'asc'}, {'_count': 'asc'}], min_doc_count=[0, 2], show_term_doc_count_error=[True], execution_hint=['map'], shard_size=[30]) if dice.chance(0.5) else {})},
               lambda: {'missing': {'field': path}}, lambda: {'filter': query(dice, fields, 1, nested)}, lambda: {'filters': {'filters': {'a': query(dice, fields, 0, nested), 'b': query(dice, fields, 0, nested)}}}, lambda: {'significant_terms': {'field': path, 'min_doc_count': 1}}, lambda: {'rare_terms': {'field': path}}]
    if kind in NUMBERS:
        choices += [lambda: {'histogram': {'field': path, 'interval': dice.one([5, 10, 2.5])} | options(dice, min_doc_count=[1], offset=[1], keyed=[True])} if kind in ('byte', 'token_count') else {'range': {'field': path, 'ranges': [{'to': 3}, {'from': 3, 'to': 20}, {'from': 20}]}}, lambda: {'range': {'field': path, 'ranges': [{'to': 0}, {'from': 0, 'key': 'up'}]}}]
    if kind in ('date', 'date_nanos'):
        choices += [lambda: {'date_histogram': {'field': path, 'calendar_interval': dice.one(['year', 'quarter'])} | options(dice, min_doc_count=[1], format=['yyyy'], time_zone=['Europe/Berlin'])}, lambda: {'date_range': {'field': path, 'ranges': [{'to': 'now-10y/y'}, {'from': 'now-10y/y'}]} | options(dice, format=['yyyy-MM-dd'])}, lambda: {'auto_date_histogram': {'field': path, 'buckets': 5}}]
    if kind == 'ip':
        choices += [lambda: {'ip_range': {'field': path, 'ranges': [{'to': '10.0.1.0'}, {'mask': '10.0.1.0/24'}]}}]
    if kind != 'nothing':
        choices += [lambda: {'composite': {'sources': [{'a': {'terms': {'field': path} | options(dice, missing_bucket=[True], order=['desc'])}}] + ([{'b': {'terms': {'field': dice.one(fields.of(column, nested))}}}] if dice.chance(0.4) else []), 'size': 8}}]
    geos = [one for one in fields.of(('geo_point',), nested) if fields.kind(one) == 'geo_point']
    if geos:
        choices += [lambda: {'geohash_grid': {'field': geos[0], 'precision': 2}}, lambda: {'geo_distance': {'field': geos[0], 'origin': '1,2', 'unit': 'km', 'ranges': [{'to': 5000}, {'from': 5000}]}}]
    return dice.one(choices)()


def metric(dice, fields, nested):
    """An aggregation that makes a number."""
    path = dice.one(fields.of(NUMBERS + ('date', 'boolean'), nested)) if not dice.chance(0.08) else any_field(dice, fields, nested)
    return dice.one([lambda: {dice.one(['stats', 'sum', 'avg', 'min', 'max', 'extended_stats', 'percentiles', 'value_count', 'cardinality', 'median_absolute_deviation']): {'field': path} | (options(dice, missing=[2]) if dice.chance(0.3) else {})}, lambda: {dice.one(['cardinality', 'value_count']): {'field': any_field(dice, fields, nested)}},
                     lambda: {'top_hits': {'size': 2, '_source': False} | ({'sort': sort(dice, fields)} if nested is None and dice.chance(0.4) else {})}, lambda: {'weighted_avg': {'value': {'field': path}, 'weight': {'field': path}}},
                     lambda: {'geo_bounds': {'field': dice.one(fields.of(('geo_point',), nested))}}])()


def aggs(dice, fields, depth=1, nested=None):
    """Some aggregations."""
    made = {}
    for n in range(dice.int(1, 2)):
        if fields.nested and nested is None and dice.chance(0.25):
            path = dice.one(fields.nested)
            one = {'nested': {'path': path}, 'aggs': aggs(dice, fields, 0, path)}
        else:
            one = bucket(dice, fields, nested) if dice.chance(0.65) else metric(dice, fields, nested)
            if depth and dice.chance(0.5) and any(name in one for name in ('terms', 'filter', 'filters', 'histogram', 'range', 'missing', 'date_histogram', 'composite')):
                one['aggs'] = aggs(dice, fields, depth - 1, nested)
        made[f'a{n}'] = one
    return made


def body(dice, fields):
    """A search of any shape."""
    made = {'size': dice.one([10, 10, 20, 3])}
    dice.maybe(made, 'query', 0.85, lambda: query(dice, fields))
    dice.maybe(made, 'aggs', 0.35, lambda: aggs(dice, fields))
    dice.maybe(made, 'sort', 0.3, lambda: sort(dice, fields))
    fetching(dice, fields, made)
    dice.maybe(made, 'explain', 0.12, True)
    dice.maybe(made, 'highlight', 0.2, lambda: highlight(dice, fields))
    dice.maybe(made, 'suggest', 0.08, lambda: suggest(dice, fields))
    dice.maybe(made, 'collapse', 0.06, lambda: {'field': dice.one(fields.of(('keyword',) + NUMBERS))} | options(dice, inner_hits=[{'name': 'in', 'size': 2}]))
    dice.maybe(made, 'rescore', 0.05 if 'sort' not in made else 0, lambda: {'window_size': dice.one([3, 20]), 'query': {'rescore_query': query(dice, fields, 0)}})
    dice.maybe(made, 'track_scores', 0.05, True)
    dice.maybe(made, 'min_score', 0.03, 0.5)
    dice.maybe(made, 'post_filter', 0.05, lambda: query(dice, fields, 0))
    dice.maybe(made, 'from', 0.05, lambda: dice.one([2, 30]))
    return made


def request(dice, fields, index, ids):
    """(method, path, body) of any request that reads the index."""
    draw = dice.int(0, 99)
    every = list(fields.all) or ['nothing']
    if draw < 74:
        return 'POST', f'/{index}/_search', body(dice, fields)
    if draw < 80:
        return 'POST', f'/{index}/_analyze', {'field': dice.one(fields.of(TEXTS + ('keyword', 'token_count'))), 'text': dice.one([documents.line(dice, 1, 6), [documents.line(dice, 1, 3), documents.line(dice, 1, 3)]])} | options(dice, explain=[True])
    if draw < 85:
        return 'POST', f'/{index}/_termvectors/{dice.one(ids)}?realtime=false', {'fields': dice.some(every, 1, 3)} | (options(dice, term_statistics=[True], field_statistics=[False], positions=[False]) if dice.chance(0.4) else {})
    if draw < 88:
        return 'GET', f"/{index}/_doc/{dice.one(ids)}?stored_fields={','.join(dice.some(every, 1, 3))}&realtime={dice.one(['true', 'false'])}", None
    if draw < 90:
        return 'GET', f"/{index}/_doc/{dice.one(ids)}?realtime={dice.one(['true', 'false'])}" + dice.one(['', '&_source_includes=f1*', '&_source_excludes=f2,f3']), None
    if draw < 94:
        return 'POST', f'/{index}/_explain/{dice.one(ids)}', {'query': query(dice, fields)}
    if draw < 97:
        return 'POST', f'/{index}/_count', {'query': query(dice, fields)}
    return 'POST', f'/{index}/_validate/query?explain=true', {'query': query(dice, fields, 1)}


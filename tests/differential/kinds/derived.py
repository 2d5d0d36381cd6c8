"""Derived fields that a search brings along, in queries, fields, highlights and aggregations."""


def definition(dice, schema):
    """A derived field: its type and definition."""
    kind = dice.one(['keyword', 'long', 'double', 'float', 'boolean', 'text', 'ip', 'date', 'geo_point', 'object'])
    number = dice.one([field for field in schema.number if field not in ('nodoc', 'unsigned', 'scaled', 'tokens')])
    guarded = f"if (doc['{number}'].size() > 0) {{ emit(%s) }}"
    value = f"doc['{number}'].value"
    source = {
        'keyword': guarded % f"'v' + (long)({value} % 7)", 'long': guarded % f'(long){value} % 50', 'double': guarded % f'{value} / 3.0', 'float': guarded % f'{value} * 0.5',
        'boolean': guarded % f'{value} > 5', 'text': "emit('quick Fox ' + doc['code'].size())", 'ip': guarded % f"'10.0.0.' + Math.abs((long){value} % 200)",
        'date': guarded % f'1600000000000L + (long)({value} % 1000) * 86400000L', 'geo_point': f"if (doc['{number}'].size() > 0) {{ emit((double)({value} % 80), 10.5) }}",
        'object': guarded % f'\'{{"n":\' + (long)({value} % 9) + \',"w":"alpha beta","deep":{{"k":"x"}}}}\''}[kind]
    made = {'type': kind, 'script': {'source': source}}
    # Without properties the reference needs a dynamic mapping to tell types, which these indexes do not have.
    if kind == 'object':
        made['properties'] = {'n': 'long', 'w': 'text', 'deep.k': 'keyword'}
    dice.maybe(made, 'ignore_malformed', 0.2, True)
    if kind == 'date':
        dice.maybe(made, 'format', 0.3, 'yyyy-MM-dd')
    return kind, made


QUERIES = {
    'keyword': [{'term': {'x': 'v3'}}, {'terms': {'x': ['v1', 'v2']}}, {'prefix': {'x': 'v'}}, {'wildcard': {'x': '*4'}}, {'regexp': {'x': 'v[0-3]'}}, {'range': {'x': {'gt': 'v2'}}},
                {'fuzzy': {'x': 'w3'}}, {'match': {'x': 'v5'}}, {'exists': {'field': 'x'}}, {'query_string': {'query': 'x:v1'}}],
    'long': [{'term': {'x': 3}}, {'range': {'x': {'gte': 5, 'lt': 20}}}, {'terms': {'x': [1, 2, 3]}}, {'term': {'x': 'a'}}],
    'double': [{'range': {'x': {'gte': 1.5}}}, {'term': {'x': 2.0}}], 'float': [{'range': {'x': {'lt': 3.5}}}, {'term': {'x': 2.5}}],
    'boolean': [{'term': {'x': True}}, {'term': {'x': 'false'}}], 'text': [{'match': {'x': 'fox'}}, {'match_phrase': {'x': 'quick fox'}}, {'match': {'x': {'query': 'fox 1', 'operator': 'and'}}}],
    'ip': [{'term': {'x': '10.0.0.5'}}, {'term': {'x': '10.0.0.0/28'}}, {'range': {'x': {'lte': '10.0.0.20'}}}],
    'date': [{'range': {'x': {'gte': '2021-01-01'}}}, {'range': {'x': {'lt': 'now'}}}, {'term': {'x': '2020-09-13'}}],
    'geo_point': [{'geo_distance': {'distance': '500km', 'x': {'lat': 10, 'lon': 10}}}, {'geo_bounding_box': {'x': {'top_left': [5, 20], 'bottom_right': [15, 0]}}}],
    'object': [{'term': {'x.n': 3}}, {'range': {'x.n': {'gt': 4}}}, {'match': {'x.w': 'beta'}}, {'term': {'x.deep.k': 'x'}}],
}
AGGS = [{'terms': {'field': '%s'}}, {'cardinality': {'field': '%s'}}, {'value_count': {'field': '%s'}}, {'missing': {'field': '%s'}}, {'avg': {'field': '%s'}}, {'stats': {'field': '%s'}},
        {'histogram': {'field': '%s', 'interval': 5}}, {'range': {'field': '%s', 'ranges': [{'to': 5}, {'from': 5}]}}, {'date_histogram': {'field': '%s', 'calendar_interval': 'year'}}]


def search(dice, schema):
    """A search of or with a derived field."""
    if not schema.synthetic:
        return {'query': {'match_all': {}}, 'size': 0}
    kind, made = definition(dice, schema)
    body = {'derived': {'x': made}, '_source': False, 'size': dice.one([0, 3, 10])}
    name = 'x' if kind != 'object' else dice.one(['x', 'x.n', 'x.w', 'x.deep.k'])
    if dice.chance(0.7):
        query = dice.one(QUERIES[kind])
        body['query'] = query if dice.chance(0.7) else {'bool': {'must': [query], 'filter': [{'exists': {'field': 'int'}}]}}
    dice.maybe(body, 'fields', 0.5, lambda: dice.one([['x'], ['x', 'x.q*'], [name], [{'field': name, 'format': 'yyyy'}]]))
    dice.maybe(body, 'highlight', 0.15, lambda: {'fields': {name: {}}})
    dice.maybe(body, 'sort', 0.1, lambda: [name])
    if dice.chance(0.35):
        body['aggs'] = {'a': {next(iter(form)): {key: name if value == '%s' else value for key, value in next(iter(form.values())).items()}} for form in [dice.one(AGGS)]}
    dice.maybe(body, 'explain', 0.1, True)
    return body

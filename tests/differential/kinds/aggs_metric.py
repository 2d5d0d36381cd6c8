"""Metric aggregations: each row makes (body, None)."""
from kinds.compound import single_number

METRICS = {}


def metric(weight=1, when=None):
    """Registers a metric aggregation."""
    def register(make):
        METRICS[make.__name__] = (make, weight, when)
        return make
    return register


def number(dice, schema):
    """A number field with doc values."""
    return dice.one([field for field in schema.number if field not in ('nodoc', 'noindex')])


def source(dice, schema, script=True):
    """A field, seldom a script, with or without a value for what is missing."""
    field = number(dice, schema)
    options = {'field': field}
    dice.maybe(options, 'missing', 0.15, lambda: dice.one([0, 7]))
    if script and dice.chance(0.06):
        chosen = single_number(dice, schema)
        options = {'script': {'source': f"doc['{chosen}'].size() == 0 ? 0 : doc['{chosen}'].value * 2"}}
        dice.maybe(options, 'missing', 0.15, 3)
    elif script:
        dice.maybe(options, 'script', 0.06, lambda: dice.one([{'source': '_value * params.k', 'params': {'k': 3}}, {'source': '_value + 0.5'}, {'source': 'Math.abs(_value) % 10'}]))
    return options


@metric(6)
def simple(dice, schema, depth):
    kind = dice.one(['avg', 'sum', 'min', 'max', 'stats', 'extended_stats'])
    options = source(dice, schema)
    if kind == 'extended_stats':
        dice.maybe(options, 'sigma', 0.3, lambda: dice.one([1, 3]))
    if kind in ('avg', 'sum', 'max', 'stats'):
        dice.maybe(options, 'format', 0.1, '#0.00')
    else:
        dice.maybe(options, 'format', 0.1, lambda: dice.one(['0.000', '#,##0.0', '00', '0.###E0', '##0.##E00', '0.']))
    if dice.chance(0.1) and schema.date:
        options = {'field': dice.one(schema.date)}
        dice.maybe(options, 'format', 0.3, lambda: dice.one(['yyyy-MM', 'epoch_second']))
        dice.maybe(options, 'missing', 0.2, lambda: '2020/01/02' if options['field'] == 'day' else '2020-01-02')
    elif dice.chance(0.04) and schema.boolean:
        options = {'field': 'flag'}
    return {kind: options}, None


@metric(3)
def value_count(dice, schema, depth):
    options = {'field': dice.one([f for f in schema.keyword + schema.number + schema.date + schema.ip + schema.boolean + list(schema.range) if f not in ('nodoc', 'wild', 'same', 'flat.red')])}
    if options['field'] in schema.keyword:
        dice.maybe(options, 'missing', 0.1, 'x')
    if dice.chance(0.06):
        options = {'script': {'source': f"doc['{schema.keyword[0]}']"}}
    return {'value_count': options}, None


@metric(3)
def cardinality(dice, schema, depth):
    options = {'field': dice.one([f for f in schema.keyword + schema.number + schema.date + schema.ip if f not in ('nodoc', 'wild', 'same', 'flat.red')])}
    dice.maybe(options, 'precision_threshold', 0.7, lambda: dice.one([0, 10, 100, 3000, 40000]))
    if options['field'] in schema.keyword:
        dice.maybe(options, 'missing', 0.1, 'x')
        dice.maybe(options, 'execution_hint', 0.1, lambda: dice.one(['direct', 'ordinals']))
    if dice.chance(0.06):
        options = {'script': {'source': dice.one([f"doc['{schema.keyword[0]}']", f"doc['{single_number(dice, schema)}'].size()"])}}
    return {'cardinality': options}, None


@metric(3)
def percentiles(dice, schema, depth):
    kind = dice.one(['percentiles', 'percentile_ranks'])
    options = source(dice, schema)
    if kind == 'percentiles':
        dice.maybe(options, 'percents', 0.5, lambda: sorted(dice.some([0, 1, 10, 33.3, 50, 75, 95, 99.9, 100], 1, 4)))
    else:
        options['values'] = sorted(dice.some([0, 1, 5, 20.5, 100, 5000], 1, 3))
    dice.maybe(options, 'keyed', 0.3, lambda: dice.chance(0.5))
    dice.maybe(options, 'format', 0.08, '#0.0')
    if dice.chance(0.06) and schema.date:
        options['field'] = dice.one(schema.date)
        options.pop('script', None)
        options.pop('missing', None)
        options.pop('format', None)
        if kind == 'percentile_ranks':
            options['values'] = [1600000000000, 1650000000000]
    dice.maybe(options, dice.one(['tdigest', 'hdr']), 0.25, lambda: None)
    if 'tdigest' in options:
        options['tdigest'] = {'compression': dice.one([50, 200])}
    if 'hdr' in options:
        options['hdr'] = {'number_of_significant_value_digits': dice.one([2, 3])}
    return {kind: options}, None


@metric(1)
def weighted_avg(dice, schema, depth):
    value, weight = source(dice, schema), source(dice, schema)
    options = {'value': value, 'weight': weight}
    dice.maybe(options, 'format', 0.15, '0.00')
    dice.maybe(options, 'value_type', 0.05, lambda: dice.one(['long', 'double']))
    return {'weighted_avg': options}, None


@metric(1)
def median_absolute_deviation(dice, schema, depth):
    options = source(dice, schema)
    dice.maybe(options, 'compression', 0.2, 500)
    dice.maybe(options, 'format', 0.1, '0.0')
    return {'median_absolute_deviation': options}, None


@metric(1)
def matrix_stats(dice, schema, depth):
    fields = [field for field in schema.number if field not in ('nodoc', 'noindex', 'tokens', 'alias', 'unsigned')]
    options = {'fields': dice.some(fields, 1, 3)}
    dice.maybe(options, 'mode', 0.3, lambda: dice.one(['avg', 'min', 'max', 'sum', 'median']))
    dice.maybe(options, 'missing', 0.2, lambda: {options['fields'][0]: 5})
    return {'matrix_stats': options}, None


@metric(3)
def top_hits(dice, schema, depth):
    from kinds.body import sort_key  # pylint: disable=import-outside-toplevel
    options = {'size': dice.int(1, 4)}
    dice.maybe(options, 'from', 0.2, lambda: dice.int(0, 2))
    dice.maybe(options, 'sort', 0.5, lambda: [{dice.one([f for f in schema.number if f != 'nodoc']): dice.one(['asc', 'desc'])}] if schema.nested == {} and schema.synthetic is False
               else [sort_key(dice, schema)])
    dice.maybe(options, '_source', 0.6, lambda: dice.one([False, [schema.keyword[0]]]))
    dice.maybe(options, 'docvalue_fields', 0.2, lambda: [schema.keyword[0]])
    dice.maybe(options, 'version', 0.1, True)
    dice.maybe(options, 'explain', 0.05, True)
    dice.maybe(options, 'seq_no_primary_term', 0.05, True)
    dice.maybe(options, 'fields', 0.08, lambda: [schema.keyword[0], schema.number[0]])
    dice.maybe(options, 'track_scores', 0.08, True)
    dice.maybe(options, 'highlight', 0.05, lambda: {'fields': {schema.text[0]: {}}})
    dice.maybe(options, 'stored_fields', 0.05, lambda: dice.one(['_none_', [schema.keyword[0]], '*', []]))
    dice.maybe(options, '_source', 0.1, lambda: dice.one([{'includes': ['t*'], 'excludes': ['*.raw']}, {'excludes': ['*e*']}, 'items.*', True]))
    dice.maybe(options, 'docvalue_fields', 0.06, lambda: [{'field': dice.one(schema.number), 'format': '0.0'}, dice.one(schema.date or schema.number)])
    dice.maybe(options, 'sort', 0.05, lambda: dice.one(['_score', ['_doc'], [{'_score': 'asc'}], [{'_script': {'type': 'number', 'script': {'source': f"doc['{single_number(dice, schema)}'].size()"}}}], [{'nothere': {'unmapped_type': 'long'}}]]))
    dice.maybe(options, 'script_fields', 0.05, lambda: {'s': {'script': {'source': f"doc['{single_number(dice, schema)}'].size()"}}})
    return {'top_hits': options}, None


@metric(1, when=lambda schema: schema.synthetic)
def geo(dice, schema, depth):
    kind = dice.one(['geo_bounds', 'geo_centroid'])
    options = {'field': 'place'}
    dice.maybe(options, 'missing', 0.15, lambda: dice.one(['10,20', [5, 6], {'lat': 1, 'lon': 2}, 'u1']))
    if kind == 'geo_bounds':
        dice.maybe(options, 'wrap_longitude', 0.3, lambda: dice.chance(0.5))
    return {kind: options}, None


@metric(1)
def scripted_metric(dice, schema, depth):
    field = single_number(dice, schema)
    if dice.chance(0.4):
        made = {'map_script': f"state.n = (state.n == null ? 0 : state.n) + doc['{field}'].size()", 'combine_script': dice.one(['state', 'state.n', 'return [state.n, state]', 'null', 'state.keySet()']),
                'reduce_script': dice.one(['states', 'states.size()', 'def t = 0; for (s in states) { if (s != null) { t += 1 } } t', 'states.stream().filter(x -> x != null).count()', 'return [:]', 'states[0]', "params.x + 'y'"])}
        dice.maybe(made, 'init_script', 0.4, lambda: dice.one(['state.n = 0', 'state.put("n", 1L)', "state.n = params['x']"]))
        dice.maybe(made, 'params', 0.4, {'x': 2})
        return {'scripted_metric': made}, None
    return {'scripted_metric': {
        'init_script': 'state.values = []', 'map_script': f"if (doc['{field}'].size() > 0) {{ state.values.add(doc['{field}'].value * params.k) }}",
        'combine_script': 'double t = 0; for (v in state.values) { t += v } return t',
        'reduce_script': 'double t = 0; for (a in states) { t += a } return t', 'params': {'k': dice.int(1, 3)}}}, None

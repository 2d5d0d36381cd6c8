"""Bucket aggregations: each row makes (body, the schema of what hangs below, or None for the same)."""
import corpora
from kinds.aggs_metric import number
from kinds.registry import any_query
from schema import Scope

BUCKETS = {}


def bucket(weight=1, when=None):
    """Registers a bucket aggregation."""
    def register(make):
        BUCKETS[make.__name__.rstrip('_')] = (make, weight, when)
        return make
    return register


def keyed(dice, schema):
    """A field whose values make buckets; of a constant the reference shows the name of the index instead."""
    return dice.one([f for f in schema.keyword * 3 + schema.number + schema.date + schema.ip + schema.boolean if f not in ('nodoc', 'wild', 'noindex', 'flat.red', 'same')])


@bucket(8)
def terms(dice, schema, depth):
    field = keyed(dice, schema)
    options = {'field': field}
    dice.maybe(options, 'size', 0.5, lambda: dice.one([1, 3, 10, 50]))
    dice.maybe(options, 'shard_size', 0.15, lambda: dice.one([5, 60]))
    dice.maybe(options, 'min_doc_count', 0.15, lambda: dice.one([0, 2, 5]))
    dice.maybe(options, 'shard_min_doc_count', 0.05, 2)
    dice.maybe(options, 'order', 0.3, lambda: dice.one([{'_count': 'asc'}, {'_key': 'asc'}, {'_key': 'desc'}, [{'_count': 'desc'}, {'_key': 'desc'}]]))
    dice.maybe(options, 'show_term_doc_count_error', 0.1, True)
    dice.maybe(options, 'collect_mode', 0.15, lambda: dice.one(['breadth_first', 'depth_first']))
    if field in schema.keyword:
        dice.maybe(options, 'execution_hint', 0.1, lambda: dice.one(['map', 'global_ordinals']))
        dice.maybe(options, 'include', 0.12, lambda: dice.one(['[a-m].*', '.*e.*', [str(schema.value(dice, field)) for _ in '123']]))
        dice.maybe(options, 'exclude', 0.12, lambda: dice.one(['[a-f].*', [str(schema.value(dice, field))]]))
        dice.maybe(options, 'missing', 0.12, 'N/A')
    elif field in schema.number:
        dice.maybe(options, 'include', 0.08, lambda: [schema.value(dice, field) for _ in '123'])
        dice.maybe(options, 'exclude', 0.06, lambda: [schema.value(dice, field) for _ in '12'])
        dice.maybe(options, 'missing', 0.1, 3)
        dice.maybe(options, 'include', 0.05, lambda: {'partition': dice.int(0, 2), 'num_partitions': 3})
        dice.maybe(options, 'value_type', 0.04, 'long')
        dice.maybe(options, 'format', 0.06, lambda: dice.one(['#0.00', '000']))
    elif field in schema.date:
        dice.maybe(options, 'format', 0.25, lambda: dice.one(['yyyy-MM', 'epoch_millis', 'dd/MM/yyyy']))
        dice.maybe(options, 'missing', 0.1, lambda: 1600000000000 if field != 'day' else '2020/02/02')
        dice.maybe(options, 'include', 0.05, lambda: [schema.value(dice, field) for _ in '12'])
    elif field in schema.ip:
        dice.maybe(options, 'missing', 0.2, '10.9.9.9')
        dice.maybe(options, 'include', 0.1, lambda: [str(schema.value(dice, field)) for _ in '12'])
    elif field in schema.boolean:
        dice.maybe(options, 'missing', 0.2, lambda: dice.one([True, 'false']))
    if dice.chance(0.05):
        number = dice.one([f for f in schema.number if f not in ('nodoc', 'noindex', 'unsigned', 'long')])
        for key in ('include', 'exclude', 'execution_hint', 'missing', 'format', 'value_type'):
            options.pop(key, None)
        made = dice.one([{'script': {'source': f"doc['{number}'].size() == 0 ? 'no' : 'v' + (long)(doc['{number}'].value % 5)"}},
                         {'script': {'source': f"doc['{schema.keyword[0]}']"}}, {'field': number, 'script': {'source': '_value % 4'}},
                         {'field': schema.keyword[0], 'script': {'source': "_value + '!'"}}, {'script': {'source': f"doc['{number}'].size()"}, 'value_type': 'long'}])
        del options['field']
        options |= made
    return {'terms': options}, None


@bucket(2)
def multi_terms(dice, schema, depth):
    def of():
        field = keyed(dice, schema)
        made = {'field': field}
        if field in schema.keyword:
            dice.maybe(made, 'missing', 0.12, 'none')
        elif field in schema.number:
            dice.maybe(made, 'missing', 0.12, 3)
        elif field in schema.date:
            dice.maybe(made, 'format', 0.3, 'yyyy-MM')
        return made
    options = {'terms': [of() for _ in '123'[:dice.int(2, 3)]]}
    dice.maybe(options, 'collect_mode', 0.1, lambda: dice.one(['breadth_first', 'depth_first']))
    dice.maybe(options, 'shard_size', 0.1, 30)
    dice.maybe(options, 'size', 0.5, lambda: dice.one([2, 20]))
    dice.maybe(options, 'order', 0.3, lambda: dice.one([{'_key': 'asc'}, {'_count': 'asc'}]))
    dice.maybe(options, 'min_doc_count', 0.2, 2)
    dice.maybe(options, 'show_term_doc_count_error', 0.1, True)
    return {'multi_terms': options}, None


@bucket(1)
def rare_terms(dice, schema, depth):
    options = {'field': dice.one([f for f in schema.keyword + schema.number if f not in ('nodoc', 'wild', 'noindex', 'flat.red', 'same', 'double', 'float', 'half', 'scaled', 'items.price')])}
    dice.maybe(options, 'max_doc_count', 0.5, lambda: dice.one([1, 2, 10]))
    if options['field'] in schema.keyword:
        dice.maybe(options, 'include', 0.12, lambda: dice.one(['[a-m].*', [str(schema.value(dice, options['field'])) for _ in '12']]))
        dice.maybe(options, 'exclude', 0.12, '.*e.*')
        dice.maybe(options, 'missing', 0.1, 'gap')
    else:
        dice.maybe(options, 'missing', 0.1, 2)
    return {'rare_terms': options}, None


@bucket(1)
def significant_terms(dice, schema, depth):
    options = {'field': dice.one([f for f in schema.keyword if f not in ('wild', 'flat.red', 'same')])}
    dice.maybe(options, 'size', 0.4, lambda: dice.int(1, 10))
    dice.maybe(options, 'min_doc_count', 0.5, lambda: dice.one([1, 2]))
    dice.maybe(options, 'background_filter', 0.15, lambda: any_query(dice, schema, 0))
    dice.maybe(options, 'shard_size', 0.15, 40)
    dice.maybe(options, 'include', 0.1, '[a-m].*')
    dice.maybe(options, 'exclude', 0.1, lambda: ['red', 'main'])
    dice.maybe(options, 'execution_hint', 0.1, lambda: dice.one(['map', 'global_ordinals']))
    options |= dice.one([{}, {'jlh': {}}, {'chi_square': {}}, {'gnd': {}}, {'mutual_information': {'include_negatives': True}}, {'percentage': {}},
                         {'chi_square': {'include_negatives': True, 'background_is_superset': False}}, {'gnd': {'background_is_superset': False}},
                         {'script_heuristic': {'script': {'source': 'params._subset_freq / (params._superset_freq + 1.0)'}}}])
    return {'significant_terms': options}, None


@bucket(1)
def significant_text(dice, schema, depth):
    options = {'field': dice.one([f for f in schema.text if f not in ('bare',)])}
    dice.maybe(options, 'size', 0.4, lambda: dice.int(1, 10))
    dice.maybe(options, 'min_doc_count', 0.5, lambda: dice.one([1, 2]))
    dice.maybe(options, 'filter_duplicate_text', 0.2, True)
    dice.maybe(options, 'background_filter', 0.1, lambda: any_query(dice, schema, 0))
    dice.maybe(options, 'include', 0.1, '[a-m].*')
    options |= dice.one([{}, {}, {'jlh': {}}, {'chi_square': {}}, {'gnd': {}}, {'percentage': {}}])
    return {'significant_text': options}, None


@bucket(4)
def histogram(dice, schema, depth):
    field = dice.one([f for f in schema.number if f not in ('nodoc', 'noindex', 'long', 'unsigned', 'size', 'installed_kb')])
    options = {'field': field, 'interval': dice.one([5, 10, 50, 100.5])}
    dice.maybe(options, 'min_doc_count', 0.4, lambda: dice.one([0, 1, 3]))
    dice.maybe(options, 'offset', 0.2, lambda: dice.one([1, 2.5]))
    dice.maybe(options, 'extended_bounds', 0.15, {'min': -10, 'max': 120})
    dice.maybe(options, 'hard_bounds', 0.1, {'min': 0, 'max': 50})
    dice.maybe(options, 'keyed', 0.15, True)
    dice.maybe(options, 'missing', 0.15, 0)
    dice.maybe(options, 'order', 0.15, lambda: dice.one([{'_count': 'desc'}, {'_key': 'desc'}]))
    dice.maybe(options, 'format', 0.1, lambda: dice.one(['#0.0', '000.00', '0 km', '0.0E0']))
    dice.maybe(options, 'script', 0.05, lambda: dice.one([{'source': '_value * 2'}, {'source': '_value - 1'}]))
    return {'histogram': options}, None


ZONES = ['+05:30', 'Europe/Berlin', 'America/New_York', 'UTC', '-08:00', 'Asia/Kathmandu']


@bucket(5, when=lambda schema: schema.date)
def date_histogram(dice, schema, depth):
    options = {'field': dice.one(schema.date)}
    options |= dice.one([{'calendar_interval': dice.one(['month', 'year', '1q', 'quarter', '1M', '1y'])}, {'calendar_interval': dice.one(['week', 'day', '1d', '1w'])},
                         {'fixed_interval': dice.one(['30d', '90d', '7d', '1000h'])}])
    if dice.chance(0.5) or any(options.get(key) in ('day', '1d', 'week', '1w', '7d') for key in options):
        options['min_doc_count'] = dice.one([1, 1, 2])
    dice.maybe(options, 'time_zone', 0.35, lambda: dice.one(ZONES))
    dice.maybe(options, 'offset', 0.15, lambda: dice.one(['+6h', '-1d', '1d']))
    dice.maybe(options, 'format', 0.25, lambda: dice.one(['yyyy-MM-dd', 'yyyy', 'epoch_millis', 'MMM yy']))
    dice.maybe(options, 'keyed', 0.12, True)
    dice.maybe(options, 'missing', 0.1, '2020-01-01')
    dice.maybe(options, 'order', 0.12, lambda: dice.one([{'_count': 'asc'}, {'_key': 'desc'}]))
    dice.maybe(options, 'extended_bounds', 0.08, {'min': '2019-01-01', 'max': '2025-01-01'})
    dice.maybe(options, 'hard_bounds', 0.06, {'min': '2020-01-01', 'max': '2022-06-01'})
    if dice.chance(0.08):
        for key in ('calendar_interval', 'fixed_interval', 'offset'):
            options.pop(key, None)
        options |= {dice.one(['calendar_interval', 'fixed_interval']): dice.one(['1h', '1m', '1d'])} | {'min_doc_count': 1}
    elif dice.chance(0.08):
        for key in ('calendar_interval', 'fixed_interval'):
            options.pop(key, None)
        options |= {'interval': dice.one(['month', '1M', '90d', '12h', 'quarter', '2500000ms', 1000000000, '2M', '1.5d', '-1d'])} | {'min_doc_count': 1}
    return {'date_histogram': options}, None


@bucket(1, when=lambda schema: schema.date)
def auto_date_histogram(dice, schema, depth):
    options = {'field': dice.one(schema.date), 'buckets': dice.one([3, 10, 40])}
    dice.maybe(options, 'time_zone', 0.2, lambda: dice.one(ZONES))
    dice.maybe(options, 'format', 0.2, 'yyyy-MM-dd')
    dice.maybe(options, 'minimum_interval', 0.15, lambda: dice.one(['month', 'day', 'year']))
    return {'auto_date_histogram': options}, None


@bucket(1)
def variable_width_histogram(dice, schema, depth):
    options = {'field': number(dice, schema), 'buckets': dice.int(2, 6)}
    dice.maybe(options, 'shard_size', 0.15, lambda: dice.one([20, 100]))
    dice.maybe(options, 'initial_buffer', 0.1, lambda: dice.one([50, 500]))
    return {'variable_width_histogram': options}, None


@bucket(4)
def ranges(dice, schema, depth):
    # Whole numbers alone: of a fraction over whole numbers the reference cuts the fraction off where it counts by points.
    steps = sorted(dice.some([-5, 0, 3, 10, 25, 60, 200, 5000], 2, 4))
    rows = [{'to': steps[0]}] + [{'from': a, 'to': b} for a, b in zip(steps, steps[1:])] + [{'from': steps[-1]}]
    rows = dice.some(rows, 1, 4)
    for row in rows:
        dice.maybe(row, 'key', 0.2, lambda: dice.one(['low', 'high', 'x']))
    options = {'field': number(dice, schema), 'ranges': rows}
    dice.maybe(options, 'keyed', 0.2, True)
    dice.maybe(options, 'missing', 0.1, 4)
    dice.maybe(options, 'format', 0.1, lambda: dice.one(['0.0', '$0']))
    dice.maybe(options, 'script', 0.05, lambda: dice.one([{'source': '_value * 2'}]))
    return {'range': options}, None


@bucket(2, when=lambda schema: schema.date)
def date_range(dice, schema, depth):
    field = dice.one([f for f in schema.date if f != 'day'] or schema.date)
    options = {'field': field, 'ranges': dice.some([{'to': '2021-01-01'}, {'from': '2021-01-01', 'to': '2022-01-01||+1M'}, {'from': '2022-06-01||/M', 'key': 'late'},
                                                    {'from': 1500000000000, 'to': '2021-06-01'}, {'to': 'now-1y/y'}, {'from': '2021', 'to': '2021||+1y/y', 'key': 'one'}, {'from': '2020-02-29||-1y/d'}], 1, 3)}
    dice.maybe(options, 'format', 0.2, lambda: 'yyyy-MM-dd')
    if 'format' in options:
        options['ranges'] = [{'from': '2021-03-01'}, {'to': '2022-01-05'}]
    dice.maybe(options, 'keyed', 0.2, True)
    dice.maybe(options, 'time_zone', 0.2, lambda: dice.one(ZONES))
    dice.maybe(options, 'missing', 0.1, '2021-07-07')
    return {'date_range': options}, None


@bucket(1, when=lambda schema: schema.ip)
def ip_range(dice, schema, depth):
    options = {'field': 'addr', 'ranges': dice.some([{'to': '10.1.0.0'}, {'from': '10.1.0.0', 'to': '10.2.0.0'}, {'mask': '10.0.0.0/15'}, {'from': '2001:db8::'}, {'mask': '2001:db8::/32', 'key': 'six'}, {'from': '10.0.0.0', 'to': '10.0.128.0', 'key': 'half'}], 1, 3)}
    dice.maybe(options, 'missing', 0.1, '10.0.0.77')
    dice.maybe(options, 'keyed', 0.2, True)
    return {'ip_range': options}, None


@bucket(3)
def filter_(dice, schema, depth):
    return {'filter': any_query(dice, schema, 1)}, None


@bucket(3)
def filters(dice, schema, depth):
    options = {'filters': {name: any_query(dice, schema, 1) for name in dice.some('wxyz', 1, 3)}}
    if dice.chance(0.3):
        options['filters'] = list(options['filters'].values())
    dice.maybe(options, 'other_bucket', 0.2, True)
    dice.maybe(options, 'other_bucket_key', 0.1, 'rest')
    dice.maybe(options, 'keyed', 0.05, False)
    return {'filters': options}, None


@bucket(1)
def adjacency_matrix(dice, schema, depth):
    options = {'filters': {name: any_query(dice, schema, 0) for name in dice.some('wxyz', 2, 3)}}
    dice.maybe(options, 'separator', 0.2, ' and ')
    dice.maybe(options, 'show_only_intersecting', 0.1, True)
    return {'adjacency_matrix': options}, None


@bucket(2)
def missing(dice, schema, depth):
    return {'missing': {'field': dice.one([f for f in schema.keyword + schema.number + schema.date if f not in ('nodoc', 'wild', 'same', 'flat.red')])}}, None


@bucket(1)
def plain_histogram(dice, schema, depth):
    """A histogram of what is no number, or of what a script says."""
    number = dice.one([f for f in schema.number if f not in ('nodoc', 'noindex', 'long', 'unsigned', 'size', 'installed_kb')])
    options = dice.one([{'field': dice.one(schema.date or [number]), 'interval': 86400000000.0, 'min_doc_count': 1}, {'field': dice.one(schema.boolean or [number]), 'interval': 50},
                        {'script': {'source': f"doc['{number}'].size() * 3"}, 'interval': dice.one([1, 2.5])}, {'field': number, 'interval': dice.one([50, '50', 1e6, 0.0, -5, 75.25])}])
    dice.maybe(options, 'min_doc_count', 0.2, lambda: dice.one([1, '2']))
    dice.maybe(options, 'format', 0.15, lambda: dice.one(['0.0', 'yyyy', '#']))
    dice.maybe(options, 'order', 0.2, lambda: [{'_count': 'asc'}, {'_key': 'desc'}])
    return {'histogram': options}, None


@bucket(1)
def globally(dice, schema, depth):
    return {'filter': {'match_all': {}}}, None


@bucket(2)
def sampler(dice, schema, depth):
    return {'sampler': {'shard_size': dice.one([5, 50, 1000])}}, None


@bucket(1)
def diversified_sampler(dice, schema, depth):
    field = dice.one({'e': ['code', 'stored', 'byte'], 'p': ['section', 'priority', 'n_depends'], 'r': ['status', 'rfc'], 'a': ['n', 'n_strict', 'k_norms']}[schema.index.removeprefix(corpora.PREFIX)[0]])
    options = {'shard_size': dice.one([20, 100]), 'field': field, 'max_docs_per_value': dice.int(1, 3)}
    dice.maybe(options, 'execution_hint', 0.15, lambda: dice.one(['map', 'global_ordinals', 'bytes_hash']) if field in schema.keyword else 'map')
    return {'diversified_sampler': options}, None


@bucket(3)
def composite(dice, schema, depth):
    sources = []
    for name in dice.some(['one', 'two', 'three'], 1, 3):
        kind = dice.one(['terms', 'terms', 'histogram'] + (['date_histogram'] if schema.date else []) + (['geotile_grid'] if schema.synthetic else []))
        if kind == 'terms':
            inner = {'field': keyed(dice, schema)}
            if inner['field'] in schema.keyword and dice.chance(0.05):
                inner = {'script': {'source': f"doc['{inner['field']}']"}}
        elif kind == 'histogram':
            inner = {'field': dice.one([f for f in schema.number if f not in ('nodoc', 'noindex', 'unsigned', 'long')]), 'interval': dice.one([5, 20.5])}
        elif kind == 'geotile_grid':
            inner = {'field': 'place', 'precision': dice.int(0, 6)}
        else:
            inner = {'field': dice.one(schema.date), dice.one(['calendar_interval', 'fixed_interval']): '1d'}
            dice.maybe(inner, 'format', 0.4, 'yyyy-MM-dd')
            dice.maybe(inner, 'time_zone', 0.3, lambda: dice.one(ZONES))
        dice.maybe(inner, 'order', 0.4, lambda: dice.one(['asc', 'desc']))
        dice.maybe(inner, 'missing_bucket', 0.25, True)
        if 'missing_bucket' in inner:
            dice.maybe(inner, 'missing_order', 0.4, lambda: dice.one(['first', 'last', 'default']))
        sources.append({name: {kind: inner}})
    options = {'sources': sources}
    dice.maybe(options, 'size', 0.6, lambda: dice.one([1, 5, 40]))
    if dice.chance(0.3):
        after = {name: after_key(dice, schema, kind, inner) for source in sources for name, (kind, inner) in ((name, next(iter(row.items()))) for name, row in source.items())}
        if all(value is not None or any(row.get('missing_bucket') for source in sources if name in source for row in source[name].values()) for name, value in after.items()):
            options['after'] = after
    return {'composite': options}, None


def after_key(dice, schema, kind, source):
    """A key that a composite may go on after; none where it is not known what such a key looks like."""
    field = source.get('field')
    if kind == 'terms' and field in schema.keyword:
        return str(schema.value(dice, field))
    if kind == 'terms' and field in schema.number and field not in ('unsigned', 'long', 'n_unsigned'):
        return dice.one([0, 5, 20])
    if kind == 'histogram':
        return dice.one([0, 20.5, 40])
    if kind == 'date_histogram':
        return '2021-03-04' if 'format' in source else 1614816000000
    if kind == 'geotile_grid' and source['precision'] >= 1:
        return f"{source['precision']}/0/1"
    return None


@bucket(2, when=lambda schema: schema.synthetic)
def grid(dice, schema, depth):
    kind = dice.one(['geohash_grid', 'geotile_grid'])
    options = {'field': 'place', 'precision': dice.int(1, 5) if dice.chance(0.8) else dice.one([0, 9, 12]) if kind == 'geotile_grid' else dice.one([7, '100km', 12])}
    dice.maybe(options, 'size', 0.3, lambda: dice.one([3, 100]))
    dice.maybe(options, 'bounds', 0.25, lambda: dice.one([{'top_left': [-10, 60], 'bottom_right': [30, 40]}, {'top': 50, 'left': 0, 'bottom': -20, 'right': 40}, {'wkt': 'BBOX (-20, 20, 60, 10)'}]))
    dice.maybe(options, 'shard_size', 0.15, lambda: dice.one([3, 50]))
    return {kind: options}, None


@bucket(1, when=lambda schema: schema.synthetic)
def geo_distance(dice, schema, depth):
    options = {'field': 'place', 'origin': dice.one(['50,10', [10, 50]]), 'ranges': [{'to': 300}, {'from': 300, 'to': 2000}, {'from': 2000}], 'unit': dice.one(['km', 'mi'])}
    dice.maybe(options, 'distance_type', 0.3, 'plane')
    dice.maybe(options, 'keyed', 0.2, True)
    return {'geo_distance': options}, None


@bucket(4, when=lambda schema: schema.nested)
def nested(dice, schema, depth):
    path = dice.one(list(schema.nested))
    return {'nested': {'path': path}}, Scope(schema.schema if isinstance(schema, Scope) else schema, path)


@bucket(2, when=lambda schema: isinstance(schema, Scope))
def reverse_nested(dice, schema, depth):
    return {'reverse_nested': {}}, schema.schema


@bucket(1, when=lambda schema: schema.synthetic)
def family(dice, schema, depth):
    kind = dice.one(['children', 'parent'])
    return {kind: {'type': dice.one(['answer', 'comment', 'vote'])}}, None


@bucket(1, when=lambda schema: schema.range)
def range_histogram(dice, schema, depth):
    if dice.chance(0.4):
        return {'date_histogram': {'field': 'dates', 'calendar_interval': 'year'}}, None
    return {'histogram': {'field': dice.one(['ints', 'doubles']), 'interval': dice.one([5, 10])}}, None

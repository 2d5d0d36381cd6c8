"""Aggregations of the kinds that `searches` leaves out, with their options, and pipelines over their buckets."""
from drawn import searches
from drawn.settings import options

COLUMNS = searches.NUMBERS + ('date', 'keyword', 'boolean', 'ip', 'version', 'wildcard', 'date_nanos')


def column(dice, fields, nested, kinds=COLUMNS):
    """A field that has a column, or any."""
    return dice.one(fields.of(kinds, nested)) if not dice.chance(0.06) else searches.any_field(dice, fields, nested)


def order(dice):
    """The order of buckets."""
    return dice.one([{'_key': 'asc'}, {'_key': 'desc'}, {'_count': 'asc'}, [{'_count': 'desc'}, {'_key': 'desc'}]])


def missing(dice, fields, path):
    """A value that stands for none, or nothing."""
    kind = fields.kind(path)
    if not dice.chance(0.2) or kind == 'ip':
        return {}
    return {'missing': dice.one(['zz', '']) if kind in ('keyword', 'wildcard', 'version') else dice.one([0, 7, '5']) if kind in searches.NUMBERS else '2001-02-03' if kind in ('date', 'date_nanos') else True}


def terms(dice, fields, nested):
    path = column(dice, fields, nested)
    made = {'field': path, 'size': dice.int(1, 20), 'shard_size': 100} | missing(dice, fields, path)
    made |= options(dice, min_doc_count=[0, 1, 3], execution_hint=['map', 'global_ordinals'], collect_mode=['breadth_first', 'depth_first'], show_term_doc_count_error=[True])
    dice.maybe(made, 'order', 0.5, lambda: order(dice))
    if fields.kind(path) in ('keyword', 'wildcard'):
        dice.maybe(made, 'include', 0.2, lambda: dice.one(['r.*', ['red', 'x', 'Green'], '[a-z]*', {'partition': 0, 'num_partitions': 3}]))
        dice.maybe(made, 'exclude', 0.2, lambda: dice.one(['.*e', ['red'], '']))
    elif fields.kind(path) in searches.NUMBERS:
        dice.maybe(made, 'include', 0.1, lambda: dice.one([[1, 2, 3], {'partition': 1, 'num_partitions': 2}, 'a.*']))
        dice.maybe(made, 'format', 0.15, lambda: dice.one(['0.0', '#,##0', '000;(#)']))
    elif fields.kind(path) == 'date':
        dice.maybe(made, 'format', 0.3, lambda: dice.one(['yyyy', 'epoch_second']))
    dice.maybe(made, 'value_type', 0.04, lambda: dice.one(['long', 'string', 'double', 'boolean']))
    return {'terms': made}


def multi_terms(dice, fields, nested):
    paths = [column(dice, fields, nested) for _ in range(dice.int(2, 3))]
    made = {'terms': [{'field': path} | missing(dice, fields, path) for path in paths], 'size': dice.int(1, 10), 'shard_size': 1000} | options(dice, min_doc_count=[1, 2], collect_mode=['breadth_first'])
    dice.maybe(made, 'order', 0.4, lambda: order(dice))
    return {'multi_terms': made}


def histogram(dice, fields, nested):
    path = column(dice, fields, nested, searches.NUMBERS)
    made = {'field': path, 'interval': dice.one([1, 5, 10, 2.5, 1e17 if dice.chance(0.2) else 3]), 'min_doc_count': 1} | options(dice, offset=[1, 0.5, -2], keyed=[True], format=['0.00'])
    dice.maybe(made, 'order', 0.3, lambda: order(dice))
    dice.maybe(made, 'missing', 0.15, 4)
    dice.maybe(made, 'hard_bounds', 0.2, {'min': -5, 'max': 25})
    return {'histogram': made}


def date_histogram(dice, fields, nested):
    path = column(dice, fields, nested, ('date', 'date_nanos'))
    made = {'field': path} | dice.one([{'calendar_interval': dice.one(['year', '1M', 'quarter', 'week', '1d'])}, {'fixed_interval': dice.one(['30d', '1000h', '90d'])}, {'interval': 'year'}])
    made |= {'min_doc_count': 1} | options(dice, offset=['+6h', '-1d', '+30m'], keyed=[True], format=['yyyy-MM-dd', 'epoch_millis', "yyyy'w'ww"], time_zone=['Europe/Berlin', '-03:30', 'America/New_York'], missing=['2005-05-05'])
    dice.maybe(made, 'order', 0.2, lambda: order(dice))
    dice.maybe(made, 'hard_bounds', 0.1, {'min': '1990', 'max': '2015'})
    return {'date_histogram': made}


def auto_date(dice, fields, nested):
    return {'auto_date_histogram': {'field': column(dice, fields, nested, ('date', 'date_nanos')), 'buckets': dice.one([1, 3, 10, 40])} | options(dice, format=['yyyy-MM'], time_zone=['Asia/Tokyo'])}


def ranges(dice, fields, nested):
    path = column(dice, fields, nested, searches.NUMBERS)
    made = [dice.one([{'to': 5}, {'from': -3.5, 'to': 8}, {'from': 10}, {'key': 'all'}, {'from': 3, 'to': 1}, {'from': '2', 'to': '12', 'key': 'k'}]) for _ in range(dice.int(1, 4))]
    return {'range': {'field': path, 'ranges': made} | options(dice, keyed=[True], format=['0.0'], missing=[4])}


def date_ranges(dice, fields, nested):
    path = column(dice, fields, nested, ('date', 'date_nanos'))
    made = [dice.one([{'to': '2000-01-01'}, {'from': '1990||/y', 'to': '2010-06-06||+1M/d'}, {'from': 1000000000000}, {'from': '2001', 'key': 'k'}]) for _ in range(dice.int(1, 3))]
    return {'date_range': {'field': path, 'ranges': made} | options(dice, keyed=[True], format=['yyyy-MM-dd||yyyy||epoch_millis', 'strict_date_optional_time||epoch_millis'], time_zone=['+05:00'], missing=['2003'])}


def addresses(dice, fields, nested):
    path = column(dice, fields, nested, ('ip',))
    return dice.one([{'ip_range': {'field': path, 'ranges': dice.some([{'to': '10.0.1.0'}, {'mask': '10.0.0.0/23'}, {'from': '::', 'to': '2001:db8::5', 'key': 'k'}, {'mask': '::ffff:10.0.0.0/120'}, {}], 1, 3)} | options(dice, keyed=[True])}, {'terms': {'field': path, 'order': {'_key': 'asc'}}}])


def places(dice, fields, nested):
    path = column(dice, fields, nested, ('geo_point',))
    bounds = {'top_left': '60,-100', 'bottom_right': '-50,120'}
    grid = dice.one(['geohash_grid', 'geotile_grid', 'geohex_grid'])
    return dice.one([{grid: {'field': path, 'precision': dice.int(0, 4)} | options(dice, size=[3, 100], shard_size=[100], bounds=[bounds])}, {'geo_distance': {'field': path, 'origin': dice.one(['1,2', [2, 1], 'u33d']), 'ranges': [{'to': 3000}, {'from': 3000, 'to': 9000, 'key': 'm'}, {'from': 9000}]} | options(dice, unit=['km', 'mi'], keyed=[True], distance_type=['plane'])}])


def composite(dice, fields, nested):
    def source():
        kind = dice.one(['terms', 'terms', 'histogram', 'date_histogram', 'geotile_grid'])
        if kind == 'terms':
            return {'terms': {'field': column(dice, fields, nested)}}
        if kind == 'histogram':
            return {'histogram': {'field': column(dice, fields, nested, searches.NUMBERS), 'interval': dice.one([5, 2.5])}}
        if kind == 'date_histogram':
            return {'date_histogram': {'field': column(dice, fields, nested, ('date',)), 'calendar_interval': 'year'} | options(dice, format=['yyyy'], time_zone=['+03:00'])}
        return {'geotile_grid': {'field': column(dice, fields, nested, ('geo_point',)), 'precision': 3}}
    made = []
    for n in range(dice.int(1, 3)):
        one = source()
        one[next(iter(one))] |= options(dice, order=['desc', 'asc'], missing_bucket=[True], missing_order=['first', 'last'] if dice.chance(0.3) else ['default'])
        made.append({f's{n}': one})
    return {'composite': {'sources': made, 'size': dice.one([2, 5, 30])}}


def significant(dice, fields, nested):
    heuristic = dice.one([{}, {'jlh': {}}, {'chi_square': {}}, {'gnd': {'background_is_superset': True}}, {'mutual_information': {'include_negatives': True}}, {'percentage': {}}])
    made = {'min_doc_count': 1, 'shard_size': 500, 'size': 100} | heuristic
    dice.maybe(made, 'background_filter', 0.3, lambda: searches.query(dice, fields, 0, nested))
    if dice.chance(0.4):
        return {'significant_text': {'field': dice.one(fields.of(searches.TEXTS, nested))} | made | options(dice, filter_duplicate_text=[True])}
    return {'significant_terms': {'field': column(dice, fields, nested, ('keyword',) + searches.WHOLE)} | made}


def single(dice, fields, nested):
    """Aggregations with one bucket, and those made of queries."""
    path = column(dice, fields, nested)
    return dice.one([lambda: {'global': {}}, lambda: {'missing': {'field': path} | missing(dice, fields, path)}, lambda: {'sampler': {'shard_size': 100}}, lambda: {'diversified_sampler': {'field': path, 'shard_size': 100, 'max_docs_per_value': 60}}, lambda: {'rare_terms': {'field': path, 'max_doc_count': dice.int(1, 3)}},
                     lambda: {'adjacency_matrix': {'filters': {name: searches.query(dice, fields, 0, nested) for name in ('a', 'b', 'c')[:dice.int(1, 3)]}} | options(dice, separator=['+'])}, lambda: {'filters': {'filters': [searches.query(dice, fields, 1, nested), searches.query(dice, fields, 0, nested)]} | options(dice, other_bucket=[True], other_bucket_key=['rest'])},
                     lambda: {'filter': searches.query(dice, fields, 1, nested)}, lambda: {'reverse_nested': {}}, lambda: {'children': {'type': 'b'}}, lambda: {'parent': {'type': 'b'}}])()


def bucket(dice, fields, nested):
    """An aggregation that makes buckets."""
    return dice.one([terms, terms, multi_terms, histogram, date_histogram, auto_date, ranges, date_ranges, addresses, places, composite, significant, single, single])(dice, fields, nested)


def metric(dice, fields, nested):
    """An aggregation that makes numbers."""
    path = column(dice, fields, nested, searches.NUMBERS + ('date', 'boolean', 'date_nanos'))
    number = column(dice, fields, nested, searches.NUMBERS)
    text = column(dice, fields, nested)
    shown = options(dice, format=['0.0', '#'], missing=[3])
    size = f"doc['{text}'].size()"
    return dice.one([
        lambda: {dice.one(['stats', 'sum', 'avg', 'min', 'max', 'value_count']): {'field': path} | (shown if fields.kind(path) in searches.NUMBERS else {})}, lambda: {'extended_stats': {'field': path} | options(dice, sigma=[3, 0, 1.5], missing=[1])},
        lambda: {'percentiles': {'field': path} | options(dice, percents=[[50], [1, 99.9, 33.3]], keyed=[False], missing=[3], tdigest=[{'compression': 200}])}, lambda: {'percentiles': {'field': number, 'hdr': {'number_of_significant_value_digits': 3}}},
        lambda: {'percentile_ranks': {'field': path, 'values': [dice.int(-3, 30), 10]} | options(dice, keyed=[False], missing=[3])}, lambda: {'cardinality': {'field': text} | options(dice, precision_threshold=[10, 40000], execution_hint=['direct', 'ordinals'])},
        lambda: {'value_count': {'field': text}}, lambda: {'cardinality': {'script': {'source': size}}}, lambda: {'sum': {'script': {'source': size}}}, lambda: {'avg': {'field': number, 'script': {'source': '_value * params.by', 'params': {'by': 2}}}},
        lambda: {'median_absolute_deviation': {'field': number} | options(dice, compression=[500], missing=[1])}, lambda: {'weighted_avg': {'value': {'field': number} | options(dice, missing=[2]), 'weight': {'field': column(dice, fields, nested, searches.NUMBERS)} | options(dice, missing=[3])} | options(dice, format=['0.000'])},
        lambda: {'matrix_stats': {'fields': [number, column(dice, fields, nested, searches.NUMBERS)]} | options(dice, mode=['min', 'max', 'sum', 'median', 'avg'])}, lambda: {'geo_centroid': {'field': column(dice, fields, nested, ('geo_point',))}}, lambda: {'geo_bounds': {'field': column(dice, fields, nested, ('geo_point', 'geo_shape'))} | options(dice, wrap_longitude=[False])},
        lambda: {'scripted_metric': {'init_script': 'state.n = 0', 'map_script': f'state.n += {size}', 'combine_script': 'return state.n', 'reduce_script': 'long s = 0; for (one in states) { s += one } return s'}},
        lambda: {'top_hits': {'size': dice.int(1, 3), '_source': False} | options(dice, **{'from': [1], 'version': [True], 'seq_no_primary_term': [True], 'track_scores': [True], 'docvalue_fields': [[text]], 'fields': [[text]], 'explain': [True], 'stored_fields': [['f0']]}) | ({'sort': searches.sort(dice, fields)} if nested is None and dice.chance(0.4) else {})}])()


def over(dice, made, below, metrics):
    """A pipeline over the buckets of `made`, whose numbers are named in `metrics`."""
    path = dice.one(metrics + ['_count'])
    gaps = options(dice, gap_policy=['skip', 'insert_zeros'], format=['0.00'])
    parents = [lambda: {'derivative': {'buckets_path': path} | gaps}, lambda: {'cumulative_sum': {'buckets_path': path}}, lambda: {'serial_diff': {'buckets_path': path, 'lag': dice.int(1, 3)} | gaps}, lambda: {'moving_fn': {'buckets_path': path, 'window': 3, 'script': dice.one(['MovingFunctions.max(values)', 'MovingFunctions.unweightedAvg(values)', 'MovingFunctions.stdDev(values, MovingFunctions.unweightedAvg(values))'])} | options(dice, shift=[1])},
               lambda: {'moving_avg': {'buckets_path': path, 'window': 3, 'model': dice.one(['simple', 'linear', 'ewma', 'holt'])}}]
    plain = [lambda: {'bucket_script': {'buckets_path': {'a': path}, 'script': 'params.a * 2'} | gaps}, lambda: {'bucket_selector': {'buckets_path': {'a': path}, 'script': 'params.a > 1'}}, lambda: {'bucket_sort': {'sort': [{path: {'order': dice.one(['asc', 'desc'])}}, {'_key': 'asc'}]} | options(dice, size=[2], **{'from': [1]})}]
    below['p'] = dice.one(parents + plain if any('histogram' in name for name in made) or dice.chance(0.05) else plain)()


def sibling(dice, name, metrics):
    """A pipeline beside the buckets of `name`."""
    kind = dice.one(['avg_bucket', 'sum_bucket', 'max_bucket', 'min_bucket', 'stats_bucket', 'extended_stats_bucket', 'percentiles_bucket'])
    return {kind: {'buckets_path': f'{name}>{dice.one(metrics + ["_count"])}'} | options(dice, gap_policy=['skip', 'insert_zeros'], format=['0.0']) | (options(dice, percents=[[50, 90]], keyed=[False]) if kind == 'percentiles_bucket' else {})}


def aggs(dice, fields, depth=2, nested=None):
    """A tree of aggregations with pipelines."""
    made = {}
    for n in range(dice.int(1, 2)):
        if fields.nested and nested is None and dice.chance(0.2):
            path = dice.one(fields.nested)
            made[f'a{n}'] = {'nested': {'path': path}, 'aggs': aggs(dice, fields, depth - 1, path)}
            continue
        one = bucket(dice, fields, nested) if depth and dice.chance(0.7) else metric(dice, fields, nested)
        made[f'a{n}'] = one
        if 'top_hits' in one or not depth or not any(name in one for name in BUCKETS) or not dice.chance(0.6):
            continue
        below = aggs(dice, fields, depth - 1, nested)
        if dice.chance(0.6):
            below['m'] = {dice.one(['sum', 'avg', 'max', 'min']): {'field': column(dice, fields, nested, searches.NUMBERS)}}
        numbers = ['m'] if 'm' in below else []
        if dice.chance(0.3) and 'children' not in one and 'parent' not in one:
            # The reference takes what these two have for several buckets.
            over(dice, one, below, numbers)
        one['aggs'] = below
        if 'terms' in one and numbers and dice.chance(0.3):
            one['terms']['order'] = {'m': dice.one(['asc', 'desc'])}
        if dice.chance(0.25):
            made[f'b{n}'] = sibling(dice, f'a{n}', numbers)
    dice.maybe(made[next(iter(made))], 'meta', 0.04, {'who': 'dice'})
    return made


BUCKETS = ('terms', 'multi_terms', 'histogram', 'date_histogram', 'auto_date_histogram', 'range', 'date_range', 'ip_range', 'geohash_grid', 'geotile_grid', 'geo_distance', 'composite', 'global', 'missing', 'filter', 'filters', 'children', 'parent', 'reverse_nested', 'significant_terms')


def body(dice, fields):
    """A search for aggregations."""
    made = {'size': 0, 'aggs': aggs(dice, fields)}
    dice.maybe(made, 'query', 0.4, lambda: searches.query(dice, fields))
    return made

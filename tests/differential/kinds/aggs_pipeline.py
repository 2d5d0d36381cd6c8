"""Pipeline aggregations over what has been drawn."""
SINGLE = ('avg', 'sum', 'min', 'max', 'value_count', 'cardinality')


def paths(made):
    """Paths of single values among named aggregations."""
    found = ['_count']
    for name, body in made.items():
        kind = next(iter(body))
        if kind in SINGLE:
            found.append(name)
        elif kind in ('stats', 'extended_stats'):
            found += [f'{name}.avg', f'{name}.max'] + ([f'{name}.std_deviation'] if kind == 'extended_stats' else [])
        elif kind == 'percentiles' and 'percents' not in body[kind]:
            found.append(f'{name}.50')
        elif kind in ('filter', 'missing', 'global', 'nested', 'sampler'):
            found.append(f'{name}>_count')
            found += [f'{name}>{inner}' for inner, of in body.get('aggs', {}).items() if next(iter(of)) in SINGLE]
        elif kind in ('terms', 'histogram', 'date_histogram', 'range', 'filters', 'composite', 'multi_terms'):
            found.append(f'{name}._bucket_count')
            found += [f"{name}['{key}']>{inner}" for key in ('red', 'w', '10.0', 'low') for inner in ['_count', *body.get('aggs', {})][:2]][:2]
        elif kind == 'weighted_avg':
            found.append(name)
        elif kind == 'median_absolute_deviation':
            found.append(name)
    return found


def policy(dice, options):
    """The options that most pipelines share."""
    dice.maybe(options, 'gap_policy', 0.3, lambda: dice.one(['skip', 'insert_zeros']))
    dice.maybe(options, 'format', 0.1, lambda: dice.one(['#0.000', '0.0#E0', '#,##0.0%']))
    return options


def parents(dice, made, anywhere=False):
    """A pipeline that stands inside a histogram, or one that may stand in any bucket aggregation."""
    path = dice.one(paths(made))
    kinds = {
        'bucket_script': lambda: {'buckets_path': {'v': path, 'n': '_count'}, 'script': dice.one(['params.v * 2 + 1', 'params.v / params.n', 'params.n > 2 ? params.v : null', 'Math.round(params.v)'])},
        'bucket_selector': lambda: {'buckets_path': {'v': path}, 'script': dice.one(['params.v > 3', 'params.v != null && params.v < 10', 'params.v % 2 == 0'])},
        'bucket_sort': lambda: {'sort': [{path: {'order': dice.one(['asc', 'desc'])}}], 'size': dice.int(1, 5), 'from': dice.int(0, 1),
                                **dice.one([{}, {}, {'gap_policy': 'insert_zeros'}])},
        'script_of_one': lambda: {'buckets_path': dice.one([path, [path], [path, '_count']]), 'script': dice.one(['params._value', 'params._value0', 'params._value * 2', 'params.size()'])},
        'cut': lambda: dice.one([{'size': 2}, {'from': 1}, {'from': 1, 'size': 1}, {'sort': ['_key'], 'size': 3}, {'sort': [{'_key': 'desc'}]}, {'sort': ['_count', {path: 'desc'}]}, {'sort': [{path: {'order': 'asc', 'mode': 'min'}}]}]),
    }
    if not anywhere:
        kinds |= {
            'derivative': lambda: {'buckets_path': path, **dice.one([{}, {}, {'unit': 'day'}])}, 'cumulative_sum': lambda: {'buckets_path': path, **dice.one([{}, {'format': '0.00'}])},
            'serial_diff': lambda: {'buckets_path': path, 'lag': dice.int(1, 3)},
            'moving_fn': lambda: {'buckets_path': path, 'window': dice.int(1, 4), 'shift': dice.int(0, 1),
                                  'script': dice.one(['MovingFunctions.max(values)', 'MovingFunctions.unweightedAvg(values)', 'MovingFunctions.linearWeightedAvg(values)',
                                                      'MovingFunctions.ewma(values, 0.3)', 'MovingFunctions.sum(values)', 'MovingFunctions.min(values)', 'MovingFunctions.holt(values, 0.3, 0.1)', 'values.length', 'values.length > 0 ? values[0] : Double.NaN', 'MovingFunctions.stdDev(values, MovingFunctions.unweightedAvg(values))'])},
            'moving_avg': lambda: {'buckets_path': path, 'window': dice.int(2, 5), **dice.one([
                {'model': 'simple'}, {'model': 'linear'}, {'model': 'ewma'}, {'model': 'ewma', 'settings': {'alpha': 0.7}}, {'model': 'holt'},
                {'model': 'holt', 'settings': {'alpha': 0.5, 'beta': 0.2}, 'predict': 2}, {'model': 'simple', 'predict': 3},
                {'model': 'holt_winters', 'window': 6, 'settings': {'period': 2, 'type': dice.one(['add', 'mult'])}}, {'model': 'holt_winters', 'window': 4, 'settings': {'period': 2, 'alpha': 0.4, 'pad': True}, 'predict': 1}, {'model': 'holt_winters'}])},
            'normal': lambda: {'buckets_path': path, 'window': dice.int(1, 12), 'script': dice.one(['MovingFunctions.holtWinters(values, 0.3, 0.1, 0.2, 2, false)', 'if (values.length > 4) { MovingFunctions.holtWinters(values, 0.3, 0.1, 0.2, 2, true) } else { 0 }', 'return params.k * values.length', 'Arrays.stream(values).sum()', 'null', '"x"']),
                               **dice.one([{}, {'gap_policy': 'insert_zeros'}, {'format': '0.0'}, {'shift': -2}])},
        }
    kind = dice.one(list(kinds))
    options = kinds[kind]()
    kind = {'script_of_one': 'bucket_script', 'cut': 'bucket_sort', 'normal': 'moving_fn'}.get(kind, kind)
    if kind in ('derivative', 'serial_diff', 'bucket_script', 'bucket_selector', 'moving_avg'):
        policy(dice, options)
        if kind == 'bucket_selector':
            options.pop('format', None)
    return {'pipe': {kind: options}}


def siblings(dice, made):
    """A pipeline that stands beside a bucket aggregation."""
    for name, body in made.items():
        kind = next(iter(body))
        if kind in ('terms', 'histogram', 'date_histogram', 'range', 'filters'):
            path = f'{name}>{dice.one(paths(body.get("aggs", {})))}'
            many = [(inner, of) for inner, of in body.get('aggs', {}).items() if next(iter(of)) in ('terms', 'histogram', 'date_histogram', 'range', 'filters')]
            if 'pipe' in body.get('aggs', {}) and dice.chance(0.4):
                path = f'{name}>pipe'
            elif many and dice.chance(0.4):
                inner, of = dice.one(many)
                path = f'{name}>{inner}>{dice.one(paths(of.get("aggs", {})))}'
            which = dice.one(['avg_bucket', 'sum_bucket', 'min_bucket', 'max_bucket', 'stats_bucket', 'extended_stats_bucket', 'percentiles_bucket'])
            options = policy(dice, {'buckets_path': path})
            if which == 'percentiles_bucket':
                dice.maybe(options, 'percents', 0.4, lambda: dice.one([[50], [1.5, 99], [0, 100]]))
                dice.maybe(options, 'keyed', 0.2, lambda: dice.chance(0.5))
            if which == 'extended_stats_bucket':
                dice.maybe(options, 'sigma', 0.4, lambda: dice.one([1, 3]))
            return {'beside': {which: options}}
    return {}

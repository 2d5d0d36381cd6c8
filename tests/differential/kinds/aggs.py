"""Aggregations, nested to a depth, over queries."""
from kinds.aggs_bucket import BUCKETS
from kinds.aggs_metric import METRICS
from kinds.aggs_pipeline import parents, siblings
from kinds.registry import any_query


def aggregations(dice, schema, depth, most=3):
    """A set of named aggregations, with pipelines over them."""
    made = {}
    for number in range(dice.int(1, most)):
        made[f'{dice.one("abcdefgh")}{number}'] = one(dice, schema, depth)
    if dice.chance(0.15):
        made |= siblings(dice, made)
    return made


def one(dice, schema, depth):
    """One aggregation with what hangs below it."""
    buckets = depth > 0 and dice.chance(0.7)
    table = {name: weight for name, (_, weight, when) in (BUCKETS if buckets else METRICS).items() if when is None or when(schema)}
    name = dice.weighted(table)
    body, inner = (BUCKETS if buckets else METRICS)[name][0](dice, schema, depth)
    if dice.chance(0.05):
        elsewhere(dice, schema, next(iter(body.values())))
    if buckets:
        # Samplers without anything to sample for are an error, whose status says that it is the server's.
        dice.maybe(body, 'aggs', 1.0 if 'sampler' in name else 0.6, lambda: below(dice, inner or schema, depth - 1, name, body))
    dice.maybe(body, 'meta', 0.03, {'why': 'not'})
    return body


# Fields that few aggregations take, and what every index has.
ODD = ['title', 'place', 'area', 'ints', 'dates', 'addrs', 'suggest', 'rank', 'blob', 'link', 'items', 'items.qty', 'body', 'flag', 'addr', 'wild', 'nodoc', 'unsigned', 'when', 'day', 'tag']
EVERYWHERE = ['_id', '_index', '_routing', '_seq_no', '_version', '_field_names', '_source', '_ignored', '_primary_term']


def elsewhere(dice, schema, options):
    """Points an aggregation at a field that is not mapped, at one of another type, or at a field of metadata."""
    if isinstance(options, dict) and isinstance(options.get('field'), str):
        options['field'] = dice.one(dice.one([['nothere', 'no.where'], ODD if schema.synthetic else ['nothere'], EVERYWHERE]))
        dice.maybe(options, 'missing', 0.3, lambda: dice.one(['x', 3, 2.5, True, '2020-01-01', '10.0.0.1']))
        dice.maybe(options, 'value_type', 0.15, lambda: dice.one(['string', 'long', 'double', 'date', 'ip', 'boolean', 'number', 'float', 'nope']))


def below(dice, schema, depth, name, body):
    """The sub-aggregations of a bucket aggregation, with pipelines where buckets come in an order."""
    made = aggregations(dice, schema, depth, 2)
    if name in ('histogram', 'date_histogram') and dice.chance(0.35):
        made |= parents(dice, made)
    elif name in ('terms', 'histogram', 'date_histogram') and dice.chance(0.1):
        made |= parents(dice, made, anywhere=True)
    if name == 'terms' and dice.chance(0.25):
        single = [key for key, inner in made.items() if next(iter(inner)) in ('avg', 'min', 'max', 'sum', 'value_count', 'cardinality')]
        if single:
            body['terms']['order'] = {dice.one(single): dice.one(['asc', 'desc'])}
        stats = [key for key, inner in made.items() if next(iter(inner)) in ('stats', 'extended_stats')]
        if stats and dice.chance(0.6):
            body['terms']['order'] = [{f'{dice.one(stats)}.{dice.one(["avg", "max", "sum", "count"])}': dice.one(['asc', 'desc'])}, {'_key': 'asc'}][:dice.int(1, 2)]
        deeper = [f'{key}>{name}' for key, inner in made.items() if next(iter(inner)) in ('filter', 'nested', 'missing')
                  for name, metric in inner.get('aggs', {}).items() if next(iter(metric)) in ('avg', 'min', 'max', 'sum')]
        deeper += [key for key, inner in made.items() if next(iter(inner)) in ('filter', 'nested', 'missing')]
        if deeper and dice.chance(0.5):
            body['terms']['order'] = {dice.one(deeper): dice.one(['asc', 'desc'])}
        ranks = [f'{key}.{number}' for key, inner in made.items() for kind, options in [next(iter(inner.items()))] if kind in ('percentiles', 'percentile_ranks')
                 for number in options.get('percents', [50.0]) + options.get('values', [])]
        if ranks and dice.chance(0.5):
            body['terms']['order'] = {dice.one(ranks): dice.one(['asc', 'desc'])}
    return made


def sources(made):
    """The options of all aggregations that name a field, those of a composite's sources too."""
    for body in made.values():
        for kind, options in body.items():
            if kind == 'composite':
                for row in options['sources']:
                    yield from (inner for source in row.values() for inner in source.values())
            elif kind not in ('aggs', 'meta') and isinstance(options, dict) and isinstance(options.get('field'), str):
                yield options
        yield from sources(body.get('aggs', {}))


def by_script(dice, schema, made):
    """Has a script give the values of one aggregation, or make others of those of its field, of a type that is said or not."""
    found = list(sources(made))
    if not found:
        return
    options = dice.one(found)
    number = dice.one([field for field in schema.number if field not in ('nodoc', 'noindex', 'unsigned', 'n_unsigned')])
    if dice.chance(0.7):
        options.pop('field', None)
        text = dice.one([f"doc['{number}'].size() * 86400000L", f"doc['{number}'].size() + 0.5", f"doc['{number}']", f"doc['{number}'].size() == 0 ? null : doc['{number}'].value", '7', 'null', "'x'"])
    else:
        text = dice.one(['_value', '_value * 2', "_value + '!'", '[_value, 1]', f"doc['{number}'].size()"])
    options['script'] = {'source': text}
    dice.maybe(options, 'value_type', 0.3, lambda: dice.one(['long', 'double', 'date', 'boolean', 'number', 'float', 'string', 'numeric']))
    dice.maybe(options, 'time_zone', 0.1, '+03:00')


def search(dice, schema, depth=4):
    """A search body with aggregations."""
    body = {'size': 0 if dice.chance(0.9) else 3}
    dice.maybe(body, 'query', 0.5, lambda: any_query(dice, schema, dice.int(0, 2)))
    body['aggs'] = aggregations(dice, schema, dice.int(0, depth))
    if dice.chance(0.04):
        body['aggs']['whole'] = {'global': {}, 'aggs': aggregations(dice, schema, 1, 2)}
    dice.maybe(body, 'profile', 0.03, True)
    dice.maybe(body, 'track_total_hits', 0.05, lambda: dice.one([True, False]))
    dice.maybe(body, 'post_filter', 0.03, lambda: any_query(dice, schema, 0))
    # What is changed here comes last, so that everything else is drawn as it always was.
    if dice.chance(0.06):
        by_script(dice, schema, body['aggs'])
    return body

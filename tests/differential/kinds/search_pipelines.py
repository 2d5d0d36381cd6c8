"""Searches with a pipeline that is written into them: requests changed before, answers changed after."""
from kinds import body as bodies
from kinds.registry import any_query

FLAGS = [True, False, 'x', None]


def processor(dice, schema, when):
    """A processor of requests or of answers, with what it needs and now and then too much or too little."""
    field = dice.one(schema.keyword + schema.number + ['nothere'])
    before = {
        'filter_query': lambda: {'query': any_query(dice, schema, 0)},
        'oversample': lambda: {'sample_factor': dice.one([1, 2.5, 1.01, 0.5, 'x', 1000]), **dice.one([{}, {'context_prefix': 'mine'}])},
        'script': lambda: {'source': dice.one(["ctx.size = 2", "ctx._source.size = 2", "ctx.from = 1; ctx.explain = true", "ctx._source['from'] = 1", "ctx.min_score = 0.5", "ctx.profile = false", "ctx.track_total_hits = true", "ctx.request_context.x = 'y'", 'ctx.size += params.k', 'ctx.nothing.more', 'ctx.size = -1', "ctx['terminate_after'] = 1", 'return 1 +', "ctx.none = 3"]),
                           **dice.one([{}, {'lang': 'painless', 'params': {'k': 3}}, {'lang': 'nope'}])},
        'acl_routing_search': lambda: {'acl_field': field, **dice.one([{}, {'extract_from_query': False}])},
        'hierarchical_routing_search': lambda: {'path_field': field, **dice.one([{}, {'anchor_depth': 1}, {'anchor_depth': 0}, {'path_separator': ''}])},
        'temporal_routing_search': lambda: {'timestamp_field': dice.one(schema.date or ['d']), 'granularity': dice.one(['day', 'month', 'x']), **dice.one([{}, {'format': 'bad{'}])},
    }
    after = {
        'collapse': lambda: {'field': field, **dice.one([{}, {'context_prefix': 'mine'}])},
        'rename_field': lambda: {'field': dice.one([field, schema.text[0]]), 'target_field': dice.one(['new', 'o.p', field]), **dice.one([{}, {'ignore_missing': True}])},
        'sort': lambda: {'field': field, **dice.one([{}, {'order': 'desc'}, {'order': 'x'}, {'target_field': 'sorted'}])},
        'split': lambda: {'field': dice.one([field, schema.text[0]]), 'separator': dice.one([' ', '[aeiou]', '[', '']), **dice.one([{}, {'preserve_trailing': True}, {'target_field': 'parts'}])},
        'truncate_hits': lambda: dice.one([{}, {'target_size': 2}, {'target_size': -1}, {'target_size': 'x'}, {'context_prefix': 'mine', 'target_size': 1}]),
    }
    table = before if when == 'before' else after
    name = dice.one(list(table))
    options = table[name]()
    if dice.chance(0.06):
        options.pop(dice.one(list(options) or ['none']), None)
    dice.maybe(options, 'tag', 0.1, 'mine')
    dice.maybe(options, 'description', 0.05, 'why')
    dice.maybe(options, 'ignore_failure', 0.3, True)
    dice.maybe(options, 'unknown', 0.03, 1)
    return {name: options} if dice.chance(0.98) else {'nope': options}


def search(dice, schema):
    """A search with its pipeline."""
    made = {'query': any_query(dice, schema, 1), 'size': dice.int(0, 8)}
    dice.maybe(made, 'from', 0.1, 1)
    dice.maybe(made, '_source', 0.3, lambda: dice.one([False, [schema.keyword[0], schema.text[0]]]))
    dice.maybe(made, 'fields', 0.15, lambda: [schema.keyword[0]])
    dice.maybe(made, 'sort', 0.2, lambda: bodies.sort(dice, schema))
    pipeline = {}
    dice.maybe(pipeline, 'request_processors', 0.6, lambda: [processor(dice, schema, 'before') for _ in '12'[:dice.int(1, 2)]])
    dice.maybe(pipeline, 'response_processors', 0.7, lambda: [processor(dice, schema, 'after') for _ in '12'[:dice.int(1, 2)]])
    dice.maybe(pipeline, 'phase_results_processors', 0.04, lambda: dice.one([[], [{'normalization-processor': {}}], {}]))
    dice.maybe(pipeline, 'version', 0.04, lambda: dice.one([1, 'x']))
    made['search_pipeline'] = pipeline
    # What a verbose run shows of requests has each default of their queries.
    if 'request_processors' not in pipeline:
        dice.maybe(made, 'verbose_pipeline', 0.3, True)
    return made, {}

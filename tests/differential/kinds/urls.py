"""Requests whose parameters stand in the URL: what a search, an explanation, a count or a validation is asked there."""
from kinds import body as bodies
from kinds.fulltext import expression
from kinds.registry import any_query

BOOLEANS = ['true', 'false', 'true', 'false', '']
WRONG = ['x', '-1', 'yes', '', '1.5', 'TRUE', '0', '1']


def words(dice, schema):
    """A query string and what belongs to it."""
    params = {'q': expression(dice, schema, 1)}
    # All fields of the synthetic index have inner ones among them (of completion, percolator …) that only the reference has.
    dice.maybe(params, 'df', 1.0 if 'every' in schema.index else 0.4, lambda: dice.one(schema.text))
    dice.maybe(params, 'default_operator', 0.3, lambda: dice.one(['AND', 'OR', 'and']))
    dice.maybe(params, 'analyzer', 0.15, lambda: dice.one(['standard', 'whitespace', 'simple', 'english', 'nothing']))
    dice.maybe(params, 'analyze_wildcard', 0.15, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'lenient', 0.5, lambda: dice.one(['true', 'true', 'false']))
    return params


def source(dice, schema, params):
    """Which parts of the source are wanted."""
    names = schema.text[:3] + schema.keyword[:4] + schema.number[:3] + ['*a*', 'items.*', 'nothing']
    dice.maybe(params, '_source', 0.4, lambda: dice.one(['false', 'true', '', ','.join(dice.some(names, 1, 3)), '*']))
    dice.maybe(params, '_source_includes', 0.2, lambda: ','.join(dice.some(names, 1, 2)))
    dice.maybe(params, '_source_excludes', 0.2, lambda: ','.join(dice.some(names, 1, 2)))
    dice.maybe(params, 'stored_fields', 0.08, lambda: dice.one(['_none_', 'stored', '_source', 'stored,title', 'true', 'false', '*', '_id', '_routing']))


def target(dice, schema):
    """The path of one index, of several, or of some that are not there."""
    name, family = schema.index, schema.index.rpartition('-')[0]
    return dice.weighted({name: 12, f'{family}-1,{family}-5': 2, f'{family}*': 2, f'{name},nothing-there': 1, 'nothing-there': 1, 'nothing*': 1, f'{name},-{name}': 0.5,
                          f'{family}*,-{family}-5': 0.5, f'{name},{name}': 1, f'<{name}>': 0.5, 'Upper': 0.3, '_nothing': 0.3})


def expanding(dice, params):
    """How names of indexes are taken."""
    dice.maybe(params, 'ignore_unavailable', 0.25, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'allow_no_indices', 0.2, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'expand_wildcards', 0.2, lambda: dice.one(['open', 'closed', 'all', 'none', 'hidden', 'open,closed', 'foo']))


def sorts(dice, schema):
    """Sort keys in the notation of URLs."""
    keys = [dice.one([bodies.sortable(dice, schema), '_score', '_doc', 'nothing']) + dice.one(['', '', ':asc', ':desc', ':down']) for _ in '12'[:dice.int(1, 2)]]
    return ','.join(keys)


def search(dice, schema):
    """A search by its URL, with or without a body."""
    params = {'_target': target(dice, schema), '_method': dice.one(['GET', 'POST'])}
    if dice.chance(0.7):
        params |= words(dice, schema)
    source(dice, schema, params)
    if params['_target'] != schema.index:
        expanding(dice, params)
    for key, share, make in (
            ('size', 0.5, lambda: dice.one([0, 1, 3, 20])), ('from', 0.15, lambda: dice.one([0, 2, 15])), ('sort', 0.25, lambda: sorts(dice, schema)), ('explain', 0.08, lambda: dice.one(BOOLEANS)),
            ('version', 0.15, lambda: dice.one(BOOLEANS)), ('seq_no_primary_term', 0.15, lambda: dice.one(BOOLEANS)), ('track_scores', 0.2, lambda: dice.one(BOOLEANS)),
            ('track_total_hits', 0.25, lambda: dice.one(['true', 'false', '3', '0', '100000'])), ('docvalue_fields', 0.15, lambda: ','.join(dice.some([f for f in schema.keyword + schema.number if f not in ('nodoc', 'wild', 'same')], 1, 2))),
            ('search_type', 0.12, lambda: dice.one(['query_then_fetch', 'dfs_query_then_fetch', 'dfs_query_then_fetch', 'count', 'query_and_fetch'])),
            ('preference', 0.15, lambda: dice.one(['_local', '_primary', '_primary_first', '_replica_first', 'abc', '_shards:0', '_shards:1,2', '_shards:0|_local', '_only_local', '_nothing', '_shards:99', '_only_nodes:x', '_prefer_nodes:x'])),
            ('routing', 0.12, lambda: dice.one(['1', '1,2', 'abc'])), ('request_cache', 0.1, lambda: dice.one(BOOLEANS)), ('rest_total_hits_as_int', 0.12, lambda: dice.one(BOOLEANS)),
            ('typed_keys', 0.1, lambda: dice.one(BOOLEANS)), ('batched_reduce_size', 0.06, lambda: dice.one([2, 512, 1, 0])), ('max_concurrent_shard_requests', 0.06, lambda: dice.one([1, 5, 0])),
            ('pre_filter_shard_size', 0.06, lambda: dice.one([1, 128, 0])), ('ccs_minimize_roundtrips', 0.05, lambda: dice.one(BOOLEANS)), ('allow_partial_search_results', 0.08, lambda: dice.one(BOOLEANS)),
            ('timeout', 0.06, lambda: dice.one(['10s', '1m', '-1', '5'])), ('cancel_after_time_interval', 0.05, lambda: dice.one(['10s', '-1', '0'])), ('stats', 0.05, lambda: 'a,b'),
            ('ignore_throttled', 0.03, lambda: dice.one(BOOLEANS)), ('human', 0.05, lambda: 'true'), ('error_trace', 0.03, lambda: 'false'), ('terminate_after', 0.05, lambda: bodies.few(dice, params, 100000)),
            ('filter_path', 0.06, lambda: dice.one(['hits.total', 'hits.hits._id', '**._score', '-hits.hits', 'hits.hits._*,-**._source', 'nothing']))):
        dice.maybe(params, key, share, make)
    if dice.chance(0.08):
        field = dice.one([name for name in schema.text if name not in ('only', 'title.shingles', 'typed')])
        params |= {'suggest_field': field, 'suggest_text': schema.word(dice, field)[:5] + 'x'}
        dice.maybe(params, 'suggest_mode', 0.5, lambda: dice.one(['missing', 'popular', 'always', 'x']))
        dice.maybe(params, 'suggest_size', 0.3, lambda: dice.one([1, 3]))
    if dice.chance(0.06):
        keys = [key for key in params if not key.startswith('_')]
        params[dice.one(keys + ['unknown', 'sizes', 'query', 'routings'])] = dice.one(WRONG)
    body = {}
    if dice.chance(0.35):
        dice.maybe(body, 'query', 0.7, lambda: any_query(dice, schema, 0))
        dice.maybe(body, 'size', 0.2, 4)
        dice.maybe(body, '_source', 0.3, lambda: dice.one([True, ['t*'], schema.keyword[0]]))
        dice.maybe(body, 'sort', 0.2, lambda: bodies.sort(dice, schema))
    return body or None, params


def explain(dice, schema):
    """An explanation by its URL."""
    params = {'id': dice.one(schema.ids + ['nothing']), '_target': dice.weighted({schema.index: 20, 'nothing-there': 1, f'{schema.index.rpartition("-")[0]}*': 1})}
    body = None
    if dice.chance(0.5):
        params |= words(dice, schema)
    if 'q' not in params or dice.chance(0.1):
        body = {'query': any_query(dice, schema, 0)} if dice.chance(0.95) else dice.one([{}, {'size': 1}, {'query': {}}])
    source(dice, schema, params)
    dice.maybe(params, 'routing', 0.15, lambda: dice.one([dice.one(schema.ids), '1']))
    dice.maybe(params, 'preference', 0.1, lambda: dice.one(['_local', 'abc', '_primary', '_shards:0']))
    if dice.chance(0.06):
        params[dice.one(['lenient', 'default_operator', '_source', 'unknown', 'size', 'q'])] = dice.one(WRONG)
    return body, params


def count(dice, schema):
    """A count by its URL."""
    params = {'_target': target(dice, schema)}
    body = None
    if dice.chance(0.5):
        params |= words(dice, schema)
    elif dice.chance(0.9):
        body = {'query': any_query(dice, schema, 1)}
    if params['_target'] != schema.index:
        expanding(dice, params)
    dice.maybe(params, 'min_score', 0.15, lambda: dice.one(['0.5', '1', '3', 'x']))
    dice.maybe(params, 'routing', 0.15, lambda: dice.one(['1', '1,2']))
    dice.maybe(params, 'preference', 0.1, lambda: dice.one(['_local', 'abc', '_shards:0']))
    dice.maybe(params, 'terminate_after', 0.05, 100000)
    if dice.chance(0.06):
        params[dice.one(['lenient', 'default_operator', 'min_score', 'unknown', 'size'])] = dice.one(WRONG)
    if body and dice.chance(0.05):
        body[dice.one(['size', 'from', 'aggs', 'sort', 'x'])] = dice.one([1, {}, []])
    return body, params


def validate(dice, schema):
    """A validation by its URL."""
    params = words(dice, schema)
    dice.maybe(params, 'explain', 0.7, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'rewrite', 0.3, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'all_shards', 0.2, lambda: dice.one(BOOLEANS))
    return None, params


def header(dice, schema):
    """The line before a search of several."""
    made = {}
    dice.maybe(made, 'index', 0.5, lambda: dice.one([target(dice, schema), [schema.index], [schema.index, 'nothing-there'], None]))
    dice.maybe(made, 'search_type', 0.25, lambda: dice.one(['dfs_query_then_fetch', 'query_then_fetch', 'x']))
    dice.maybe(made, 'preference', 0.25, lambda: dice.one(['_local', '_shards:0', '_primary', 'abc', '_shards:0,1|_local', '_nothing', 5]))
    dice.maybe(made, 'routing', 0.2, lambda: dice.one(['1', '1,2', 3, ['1']]))
    dice.maybe(made, 'request_cache', 0.2, lambda: dice.one([True, False, 'true', 'x']))
    dice.maybe(made, 'ignore_unavailable', 0.25, lambda: dice.one([True, False, 'true']))
    dice.maybe(made, 'allow_no_indices', 0.2, lambda: dice.one([True, False]))
    dice.maybe(made, 'expand_wildcards', 0.2, lambda: dice.one(['open', ['open', 'closed'], 'all', 'none', 'x']))
    dice.maybe(made, 'cancel_after_time_interval', 0.1, lambda: dice.one(['10s', '-1', 'x']))
    dice.maybe(made, 'allow_partial_search_results', 0.1, lambda: dice.one([True, False]))
    dice.maybe(made, 'ccs_minimize_roundtrips', 0.06, True)
    dice.maybe(made, 'ignore_throttled', 0.04, True)
    dice.maybe(made, dice.one(['unknown', 'size', 'type', 'types', 'indices', 'query']), 0.05, lambda: dice.one(['x', 1, None, schema.index]))
    return made


def several(dice, schema):
    """Several searches with their own lines before them, and parameters for all."""
    rows = []
    for _ in range(dice.int(1, 4)):
        search_body = dice.one([lambda: {'query': any_query(dice, schema, 1), 'size': dice.int(0, 3), '_source': False}, lambda: bodies.search(dice, schema, 0), lambda: {}, lambda: {'size': -1}, lambda: {'nothing': 1}])()
        rows += [header(dice, schema), search_body]
    params = {'_target': dice.weighted({schema.index: 8, f'{schema.index.rpartition("-")[0]}*': 2, 'nothing-there': 1})}
    dice.maybe(params, 'max_concurrent_searches', 0.1, lambda: dice.one([1, 4, 0, 'x']))
    dice.maybe(params, 'max_concurrent_shard_requests', 0.08, lambda: dice.one([1, 0]))
    dice.maybe(params, 'pre_filter_shard_size', 0.08, 1)
    dice.maybe(params, 'rest_total_hits_as_int', 0.2, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'typed_keys', 0.15, lambda: dice.one(BOOLEANS))
    dice.maybe(params, 'search_type', 0.15, lambda: dice.one(['dfs_query_then_fetch', 'x']))
    dice.maybe(params, 'ccs_minimize_roundtrips', 0.06, 'true')
    dice.maybe(params, 'cancel_after_time_interval', 0.06, '10s')
    expanding(dice, params)
    dice.maybe(params, '_broken', 0.05, lambda: dice.one(['cut', 'odd', 'empty', 'text']))
    return {'rows': rows}, params

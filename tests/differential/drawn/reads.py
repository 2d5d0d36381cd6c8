"""Requests that `searches` leaves out: sorts, collapsing and highlights with all their options, and the other ways to read an index."""
import json

from drawn import buckets, documents, searches
from drawn.settings import options


def sort(dice, fields):
    """Keys of any kind to sort by, with all their options."""
    return [key(dice, fields) for _ in range(dice.int(1, 3))]


def key(dice, fields):
    """One key."""
    draw = dice.int(0, 9)
    if draw == 0:
        return dice.one(['_score', {'_score': 'asc'}, '_doc', {'_id': {'order': 'desc'}}, {'_seq_no': 'desc'}, {'_index': 'asc'}])
    if draw < 3:
        path = dice.one(fields.of(('geo_point',), dice.one([None, *fields.nested])))
        made = {path: dice.one(['10,20', [{'lat': 1, 'lon': 2}, [50, 40]], 'u33d'])} | options(dice, order=['asc', 'desc'], unit=['km', 'mi'], mode=['min', 'max', 'avg', 'median'], distance_type=['plane', 'arc'], ignore_unmapped=[True], validation_method=['IGNORE_MALFORMED'])
        nest(dice, fields, path, made)
        return {'_geo_distance': made}
    if draw == 3:
        path = dice.one(fields.of(searches.NUMBERS + ('keyword', 'date', 'ip')))
        kind = dice.one(['number', 'string'])
        return {'_script': {'type': kind, 'script': {'source': f"doc['{path}'].size()" + (" + ''" if kind == 'string' else '')}} | options(dice, order=['asc', 'desc'], mode=['min', 'max'])}
    path = dice.one(fields.of(searches.NUMBERS + ('date', 'date_nanos', 'keyword', 'boolean', 'version', 'wildcard', 'constant_keyword'), dice.one([None, *fields.nested])))
    if dice.chance(0.1):
        path = dice.one([one for one in fields.all if fields.kind(one) not in searches.RANGES + ('ip', 'unsigned_long')] + ['nothing'])
    made = options(dice, order=['asc', 'desc'], mode=['min', 'max', 'sum', 'avg', 'median'] if fields.kind(path) in searches.NUMBERS else ['min', 'max'], unmapped_type=['long', 'keyword', 'date'])
    kind = fields.kind(path)
    dice.maybe(made, 'missing', 0.3, lambda: dice.one(['_last', '_first'] + ([7, '7'] if kind in searches.NUMBERS else ['2001-01-01'] if kind == 'date' else ['m'] if kind == 'keyword' else [])))
    if kind in ('date', 'date_nanos'):
        made |= options(dice, numeric_type=['date', 'date_nanos'], format=['yyyy', 'epoch_millis', 'strict_date_optional_time_nanos']) if dice.chance(0.4) else {}
    elif kind in searches.NUMBERS and kind != 'unsigned_long':
        dice.maybe(made, 'numeric_type', 0.15, lambda: dice.one(['long', 'double']))
    nest(dice, fields, path, made)
    return {path: made}


def nest(dice, fields, path, made):
    """What a key below nested documents needs."""
    nested = fields.all.get(path, ({}, None))[1]
    if nested and dice.chance(0.9):
        made['nested'] = {'path': nested} | options(dice, max_children=[1, 2])
        dice.maybe(made['nested'], 'filter', 0.3, lambda: searches.query(dice, fields, 0, nested))


def highlight(dice, fields):
    """Highlights with any options, for all fields and for some."""
    def some():
        return options(dice, type=['unified', 'plain', 'fvh'], number_of_fragments=[0, 1, 3], fragment_size=[10, 40, 100], fragmenter=['simple', 'span'], order=['score', 'none'], no_match_size=[5, 30], pre_tags=[['<a>', '<b>']], post_tags=[['</a>', '</b>']], phrase_limit=[1], fragment_offset=[3],
                       boundary_scanner=['chars', 'word', 'sentence'], boundary_max_scan=[5], boundary_chars=['-'], boundary_scanner_locale=['en-US'], require_field_match=[False, True], highlight_filter=[True], max_analyzer_offset=[20], encoder=['html'], tags_schema=['styled'], force_source=[False])
    def few():
        made = some()
        return {name: made[name] for name in dice.some(list(made), 0, 4) if name not in ('encoder', 'tags_schema', 'force_source')}
    paths = dice.some(fields.of(searches.TEXTS + ('keyword', 'wildcard')), 1, 3)
    made = {'fields': {path: few() for path in paths}} | few()
    if dice.chance(0.15):
        made['fields'] = [{path: one} for path, one in made['fields'].items()]
    elif dice.chance(0.15):
        made['fields'] = {dice.one(['*', 'f*', 'f1*']): few()}
    dice.maybe(made, 'highlight_query', 0.2, lambda: searches.query(dice, fields, 1))
    return made


def collapse(dice, fields):
    """Hits of which there is one for each value."""
    made = {'field': dice.one(fields.of(('keyword',) + searches.NUMBERS + ('date', 'boolean', 'ip', 'version')))}
    dice.maybe(made, 'inner_hits', 0.6, lambda: dice.one([{'name': 'in', 'size': 2}, [{'name': 'a', 'size': 1, 'sort': sort(dice, fields)}, {'name': 'b', 'from': 1, '_source': False}], {'name': 'in', 'collapse': {'field': dice.one(fields.of(('keyword',)))}, 'size': 5}]))
    return made


def body(dice, fields):
    """A search."""
    made = {'size': dice.one([10, 20, 5])}
    dice.maybe(made, 'query', 0.8, lambda: searches.query(dice, fields))
    dice.maybe(made, 'sort', 0.5, lambda: sort(dice, fields))
    dice.maybe(made, 'highlight', 0.4, lambda: highlight(dice, fields))
    dice.maybe(made, 'collapse', 0.15, lambda: collapse(dice, fields))
    searches.fetching(dice, fields, made)
    dice.maybe(made, 'indices_boost', 0.03, [{'drawn*': 2.5}])
    dice.maybe(made, 'track_total_hits', 0.05, lambda: dice.one([False, 3, True]))
    dice.maybe(made, 'terminate_after', 0.02, 1000)
    dice.maybe(made, 'slice', 0.04, {'id': 0, 'max': 2})
    dice.maybe(made, 'derived', 0.05, lambda: {'d0': {'type': dice.one(['keyword', 'long', 'date', 'ip']), 'script': {'source': "emit(1)" if dice.chance(0.3) else "emit('10')"}}})
    if 'sort' in made and 'collapse' not in made:
        dice.maybe(made, 'search_after', 0.06, lambda: [dice.one([3, 'red', '2001-01-01', None]) for _ in made['sort']])
    return made


def field_caps(dice, fields, index, ids):
    made = options(dice, include_unmapped=['true'])
    asked = ','.join(dice.some(list(fields.all) + ['*', 'f*', '_*', 'nothing'], 1, 3))
    path = f'/{index}/_field_caps?fields={asked}' + ''.join(f'&{name}={value}' for name, value in made.items())
    return 'POST', path, {'index_filter': searches.query(dice, fields, 1)} if dice.chance(0.4) else None


def field_mapping(dice, fields, index, ids):
    return 'GET', f"/{index}/_mapping/field/{','.join(dice.some(list(fields.all) + ['*', 'f1*', '*.m0', '_source', 'nothing'], 1, 2))}" + dice.one(['', '?include_defaults=true', '?include_defaults=true']), None


def vectors(dice, fields, index, ids):
    every = list(fields.all) or ['nothing']
    made = options(dice, term_statistics=[True], field_statistics=[False], positions=[False], offsets=[False], payloads=[False])
    dice.maybe(made, 'fields', 0.8, lambda: dice.some(every + ['f*', '*'], 1, 3))
    dice.maybe(made, 'per_field_analyzer', 0.25, lambda: {dice.one(every): dice.one(['keyword', 'whitespace', 'nothing'])})
    dice.maybe(made, 'filter', 0.25, lambda: options(dice, max_num_terms=[2, 5], min_term_freq=[1, 2], min_doc_freq=[1, 3], max_doc_freq=[10], min_word_length=[3], max_word_length=[6]))
    if dice.chance(0.5):
        properties = {path: one for path, (one, nested) in fields.all.items() if nested is None and '.m' not in path}
        made['doc'] = documents.document(dice, properties, 0.02)
        return 'POST', f'/{index}/_termvectors', made
    if dice.chance(0.3):
        return 'POST', f'/{index}/_mtermvectors', {'docs': [{'_id': dice.one(ids)} | made, {'_id': 'none'}, {'_id': dice.one(ids), 'fields': [dice.one(every)]}]}
    return 'POST', f'/{index}/_termvectors/{dice.one(ids)}?realtime=false', made


def mget(dice, fields, index, ids):
    every = list(fields.all) or ['nothing']
    return 'POST', f'/{index}/_mget', {'docs': [{'_id': dice.one(ids + ['none'])} | options(dice, _source=[False, every[:2], {'include': ['f1*'], 'exclude': ['f11']}], stored_fields=[every[:3], '_none_', 'f0'], routing=['1', '2'], version=[1, 3]) for _ in range(dice.int(1, 3))]}


def explain(dice, fields, index, ids):
    return 'POST', f'/{index}/_explain/{dice.one(ids + ["none"])}' + dice.one(['', '?_source=true', '?stored_fields=f0,f1', '?_source_includes=f*&_source_excludes=f1', '?routing=1']), {'query': searches.query(dice, fields)}


def validate(dice, fields, index, ids):
    return 'POST', f'/{index}/_validate/query' + dice.one(['', '?explain=true', '?rewrite=true', '?rewrite=true&all_shards=true', '?explain=true&rewrite=true']), {'query': searches.query(dice, fields, 2)}


def msearch(dice, fields, index, ids):
    rows = []
    for _ in range(dice.int(1, 3)):
        rows += [options(dice, search_type=['dfs_query_then_fetch', 'query_then_fetch'], preference=['_local']), dice.one([body, searches.body, buckets.body])(dice, fields)]
    return 'POST', f'/{index}/_msearch', ''.join(json.dumps(row) + '\n' for row in rows)


def url_search(dice, fields, index, ids):
    path = searches.any_field(dice, fields, None)
    word = dice.one([word for word in documents.WORDS if word.isalnum()])
    made = {'q': dice.one([word, f'{path}:{word}', f'{path}:*', f'{path}:[1 TO 30]', f'_exists_:{path}'])} | options(dice, df=[path], default_operator=['AND'], lenient=['true'], analyzer=['whitespace'], sort=[f'{path}:desc'], _source=['f0', 'false'], docvalue_fields=[path], stored_fields=[path], track_scores=['true'], explain=['true'], version=['true'], terminate_after=['100'])
    return 'GET', f'/{index}/_search?' + '&'.join(f'{name}={value}' for name, value in made.items()), None


def analyze(dice, fields, index, ids):
    every = list(fields.all) or ['nothing']
    return 'POST', f'/{index}/_analyze', {'text': documents.line(dice, 1, 5)} | dice.one([{'field': dice.one(every)}, {'analyzer': dice.one(['a0', 'a1', 'default', 'standard', 'nothing'])}, {'normalizer': dice.one(['n0', 'lowercase', 'nothing'])}, {'tokenizer': dice.one(['standard', 't0', 'keyword']), 'filter': dice.some(['lowercase', 'l0', 'l1', 'stop', 'unique'], 1, 2)}]) | options(dice, explain=[True])


def request(dice, fields, index, ids):
    """(method, path, body) of any request that reads the index."""
    draw = dice.int(0, 99)
    if draw < 35:
        return 'POST', f'/{index}/_search' + dice.one(['', '', '', '?typed_keys=true', '?rest_total_hits_as_int=true', '?search_type=dfs_query_then_fetch', '?ignore_unavailable=true&pre_filter_shard_size=1']), body(dice, fields)
    if draw < 65:
        return 'POST', f'/{index}/_search' + dice.one(['', '', '', '?typed_keys=true']), buckets.body(dice, fields)
    return dice.one([field_caps, field_mapping, vectors, vectors, mget, explain, explain, validate, msearch, url_search, analyze])(dice, fields, index, ids)

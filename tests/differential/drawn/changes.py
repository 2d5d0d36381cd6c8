"""Requests that change a drawn index or make others of it: documents, mappings, settings, aliases, pipelines, templates."""
import json

from drawn import documents, fields as mappings, searches
from drawn.settings import options, similarity

SCRIPTS = ["ctx._source.u_1 = 7", "ctx._source.remove('f1')", "ctx.op = ctx._source.containsKey('f2') ? 'none' : 'index'", "ctx._source.tags = ['a', params.b]", "ctx.op = 'delete'", "ctx._source.n = ctx._source.containsKey('n') ? ctx._source.n + 1 : 0", "ctx._source.f0 = ctx._version", "ctx._source.clear()", "ctx._id = 'x'", "ctx.nothing = 1", "ctx._source.f3 = ctx._id + ctx._index.length()"]


def script(dice):
    return {'source': dice.one(SCRIPTS), 'params': {'b': 'p'}}


def update(dice, index, properties, ids):
    made = dice.one([lambda: {'doc': documents.document(dice, properties, 0.02)}, lambda: {'script': script(dice)}, lambda: {'script': script(dice), 'upsert': documents.document(dice, properties, 0)}, lambda: {'doc': {'f0': 'again'}, 'doc_as_upsert': True}, lambda: {'scripted_upsert': True, 'upsert': {}, 'script': script(dice)}, lambda: {'doc': {}, 'detect_noop': False}, lambda: {'doc': {}}])()
    dice.maybe(made, '_source', 0.2, lambda: dice.one([True, ['f0', 'f1*'], False]))
    return 'POST', f'/{index}/_update/{dice.one(ids + ["new"])}?refresh=true' + dice.one(['', '&routing=1', '&require_alias=true', '&if_seq_no=3&if_primary_term=1', '&_source=true', '&_source_excludes=f0']), made


def update_by(dice, index, properties, ids, known):
    made = {'query': searches.query(dice, known, 1)}
    dice.maybe(made, 'script', 0.8, lambda: script(dice))
    dice.maybe(made, 'max_docs', 0.1, 1000)
    return 'POST', f'/{index}/_update_by_query?refresh=true' + dice.one(['', '&conflicts=proceed', '&routing=1', '&scroll_size=7']), made


def delete_by(dice, index, properties, ids, known):
    return 'POST', f'/{index}/_delete_by_query?refresh=true' + dice.one(['', '&conflicts=proceed', '&scroll_size=5', '&routing=2']), {'query': {'bool': {'must': [searches.query(dice, known, 1)], 'filter': [{'ids': {'values': dice.some(ids, 1, 9)}}]}}} | options(dice, max_docs=[1000])


def bulk(dice, index, properties, ids):
    rows = []
    for _ in range(dice.int(1, 5)):
        kind = dice.one(['index', 'index', 'create', 'update', 'delete'])
        rows.append({kind: {'_id': dice.one(ids + ['b1', 'b2'])} | (options(dice, routing=['1', '3'], if_seq_no=[2], if_primary_term=[1], require_alias=[True], version=[5], version_type=['external', 'external_gte'], retry_on_conflict=[2], pipeline=['none'], _source=[['f0']]) if dice.chance(0.5) else {})})
        if kind == 'update':
            rows.append(update(dice, index, properties, ids)[2])
        elif kind != 'delete':
            rows.append(documents.document(dice, properties, 0.05))
    return 'POST', f'/{index}/_bulk?refresh=true' + dice.one(['', '&routing=1', '&require_alias=false', '&_source=true']), ''.join(json.dumps(row) + '\n' for row in rows)


def write(dice, index, properties, ids):
    made = documents.document(dice, properties, 0.05)
    return dice.one([('PUT', f'/{index}/_create/{dice.one(ids + ["new2"])}?refresh=true', made), ('PUT', f'/{index}/_doc/{dice.one(ids)}?refresh=true&version={dice.int(1, 9)}&version_type=external', made), ('PUT', f'/{index}/_doc/{dice.one(ids)}?refresh=true&op_type=create', made), ('PUT', f'/{index}/_doc/{dice.one(ids)}?refresh=true&if_seq_no={dice.int(0, 9)}&if_primary_term=1', made), ('DELETE', f'/{index}/_doc/{dice.one(ids)}?refresh=true', None)])


def put_mapping(dice, index, properties, names):
    """Fields that are new, fields that are there with other parameters or another type, parameters of the root."""
    made = {'properties': {}}
    for path in dice.some(list(properties), 0, 2):
        one = json.loads(json.dumps(properties[path]))
        change = dice.int(0, 5)
        if change == 0:
            one = mappings.field(dice, names, 1)
        elif 'properties' in one or one.get('type') == 'nested':
            one['properties'] = {dice.one(['p0', 'p1', 'p9']): mappings.field(dice, names, 0)}
            dice.maybe(one, 'dynamic', 0.3, lambda: dice.one([True, False, 'strict']))
            dice.maybe(one, 'type', 0.1, lambda: dice.one(['nested', 'object']))
        else:
            other = next((drawn for drawn in (mappings.field(dice, names, 0) for _ in range(40)) if drawn.get('type') == one.get('type')), {})
            one = {**one, **other} if change < 4 else other or one
        made['properties'][path] = one
    for number in range(dice.int(0, 2)):
        made['properties'][f'g{number}'] = mappings.field(dice, names)
    if not made['properties'] and dice.chance(0.8):
        made.pop('properties')
    whole = mappings.mapping(dice, names)
    for name in dice.some([name for name in whole if name != 'properties'], 0, 2):
        made[name] = whole[name]
    return 'PUT', f'/{index}/_mapping', made


SETTINGS = {'refresh_interval': ['5s', None, 'x'], 'max_result_window': [20, None, 0], 'number_of_replicas': [0, -1], 'blocks.write': [False], 'mapping.total_fields.limit': [30, 1000, 1], 'query.default_field': [['f0', 'f1'], None], 'max_ngram_diff': [3], 'number_of_shards': [2], 'codec': ['best_compression'], 'analysis.filter.l9': [{'type': 'lowercase'}],
            'similarity.s0': [{'type': 'BM25', 'k1': 2}, {'type': 'boolean'}], 'nothing': [1], 'routing.allocation.require.zone': [None], 'priority': [5, -1], 'search.idle.after': ['2s', '-5'], 'highlight.max_analyzed_offset': [10, 0], 'default_pipeline': ['none', '_none'], 'merge.policy.max_merged_segment': ['1gb', 'x'], 'sort.field': ['f0'], 'translog.durability': ['request', 'x'], 'hidden': [True], 'max_docvalue_fields_search': [2, None]}


def put_settings(dice, index):
    made = {dice.one(['index.', '']) + name: dice.one(SETTINGS[name]) for name in dice.some(list(SETTINGS), 1, 2)}
    return 'PUT', f'/{index}/_settings' + dice.one(['', '', '?preserve_existing=true', '?flat_settings=true']), made if dice.chance(0.8) else {'index': {name.removeprefix('index.'): one for name, one in made.items()}}


def alias(dice, index, known):
    """An alias with a filter and routings."""
    made = options(dice, routing=['1'], index_routing=['2'], search_routing=['1,2'], is_write_index=[True, False], is_hidden=[True])
    dice.maybe(made, 'filter', 0.7, lambda: searches.query(dice, known, 1))
    if dice.chance(0.5):
        return 'PUT', f'/{index}/_alias/{index}-alias', made
    return 'POST', '/_aliases', {'actions': [{'add': {'index': index, 'alias': f'{index}-alias'} | made}] + ([{'remove': {'index': index, 'alias': f'{index}-none', 'must_exist': dice.chance(0.5)}}] if dice.chance(0.2) else [])}


def processor(dice, properties):
    """A processor of an ingest pipeline over the fields of the index."""
    field = dice.one(list(properties) + ['u_1', 'f2.a', '_id'])
    return dice.one([{'set': {'field': field, 'value': dice.one([1, 'x', '{{f0}}', None])} | options(dice, override=[False], ignore_empty_value=[True])}, {'remove': {'field': field} | options(dice, ignore_missing=[True])}, {'rename': {'field': field, 'target_field': 'u_2'} | options(dice, ignore_missing=[True])}, {'convert': {'field': field, 'type': dice.one(['integer', 'string', 'float', 'boolean', 'auto', 'ip'])} | options(dice, target_field=['u_2'], ignore_missing=[True])},
                     {'lowercase': {'field': field, 'ignore_missing': True}}, {'split': {'field': field, 'separator': ' '}}, {'join': {'field': field, 'separator': '-'}}, {'gsub': {'field': field, 'pattern': '[aeiou]', 'replacement': '_', 'ignore_missing': True}}, {'date': {'field': field, 'formats': ['ISO8601', 'UNIX_MS']}}, {'append': {'field': field, 'value': ['t', 'u']} | options(dice, allow_duplicates=[False])},
                     {'script': {'source': dice.one(["ctx.u_1 = ctx.containsKey('f1')", "ctx.remove('f2')", "ctx.n = ctx.f3 + 1"])}}, {'dot_expander': {'field': dice.one(['o.u_1', 'a.b'])}}, {'fingerprint': {'fields': [field], 'ignore_missing': True}}, {'bytes': {'field': field}}, {'drop': {'if': "ctx.f1 == null"}}, {'fail': {'message': 'no {{f1}}', 'if': "ctx.f0 == null"}}, {'trim': {'field': field}}, {'copy': {'source_field': field, 'target_field': 'u_2'}}, {'json': {'field': field}}, {'kv': {'field': field, 'field_split': ' ', 'value_split': '-'}}])


def pipeline(dice, properties):
    made = {'processors': [processor(dice, properties) for _ in range(dice.int(1, 3))]}
    for one in made['processors']:
        one[next(iter(one))] |= options(dice, ignore_failure=[True], tag=['t']) if dice.chance(0.3) else {}
    dice.maybe(made, 'on_failure', 0.3, [{'set': {'field': 'failed', 'value': '{{_ingest.on_failure_message}}'}}])
    return made


def piped(dice, index, properties, ids):
    """A pipeline, and documents that pass through it."""
    made = pipeline(dice, properties)
    yield 'PUT', f'/_ingest/pipeline/{index}-pipe', made
    yield 'POST', f'/_ingest/pipeline/{index}-pipe/_simulate' + dice.one(['', '?verbose=true']), {'docs': [{'_index': index, '_id': '1', '_source': documents.document(dice, properties, 0.02)}]}
    for _ in range(2):
        yield 'PUT', f'/{index}/_doc/{dice.one(ids)}?pipeline={index}-pipe&refresh=true', documents.document(dice, properties, 0.02)
    yield 'POST', f'/{index}/_update_by_query?pipeline={index}-pipe&refresh=true&conflicts=proceed', {'query': {'ids': {'values': dice.some(ids, 1, 4)}}}
    yield 'DELETE', f'/_ingest/pipeline/{index}-pipe', None


def templates(dice, index, names, settings):
    """Component and index templates, and an index that is made by them."""
    base = {'settings': {'number_of_shards': 1, 'number_of_replicas': 0, 'index.analysis': settings.get('analysis', {})}, 'mappings': mappings.mapping(dice, names)}
    own = mappings.mapping(dice, names)
    own['properties'] = {name: own['properties'][name] for name in dice.some(list(own['properties']), 1, 4)}
    yield 'PUT', f'/_component_template/{index}-part', {'template': base}
    yield 'PUT', f'/_index_template/{index}-template', {'index_patterns': [f'{index}-made*'], 'composed_of': [f'{index}-part'], 'priority': 7, 'template': {'mappings': own, 'aliases': {f'{index}-of': {'filter': {'match_all': {}}}}} | options(dice, settings=[{'index.max_result_window': 20}])}
    yield 'GET', f'/_index_template/{index}-template', None
    yield 'POST', f'/_index_template/_simulate_index/{index}-made', None
    for number in range(3):
        yield 'PUT', f'/{index}-made/_doc/{number}?refresh=true', documents.document(dice, base['mappings']['properties'] | own['properties'], 0)
    yield 'GET', f'/{index}-made', None
    yield 'DELETE', f'/_index_template/{index}-template', None
    yield 'DELETE', f'/_component_template/{index}-part', None


def resized(dice, index, shards):
    """Another index of the same documents."""
    kind = dice.one(['_clone', '_shrink', '_split'])
    wanted = {'_clone': shards, '_shrink': 1, '_split': shards * dice.one([2, 3])}[kind]
    made = {'settings': {'index.number_of_shards': wanted, 'index.number_of_replicas': 0, 'index.blocks.write': None} | (dice.one([{'index.codec': 'best_compression'}, {'index.max_result_window': 15}, {'index.analysis.filter.z.type': 'lowercase'}, {'index.sort.field': 'f0'}]) if dice.chance(0.4) else {})}
    yield 'PUT', f'/{index}/_settings', {'index.blocks.write': True}
    yield 'POST', f'/{index}/{kind}/{index}-three', made
    yield 'PUT', f'/{index}/_settings', {'index.blocks.write': None}
    for path in ('_mapping', '_settings', '_count', '_search?size=100&sort=_seq_no,_id'):
        yield 'GET', f'/{index}-three/{path}', None


def requests(dice, index, mapping, names, settings, ids, known):
    """(method, path, body) of changes, one after the other, and what is seen of them."""
    properties = mapping['properties']
    yield from resized(dice, index, settings['number_of_shards'])
    for _ in range(3):
        yield put_mapping(dice, index, properties, names)
        yield put_settings(dice, index)
    yield 'GET', f'/{index}/_mapping', None
    yield 'GET', f'/{index}/_settings', None
    yield alias(dice, index, known)
    for _ in range(3):
        yield 'POST', f'/{index}-alias/_search', {'query': searches.query(dice, known, 1), 'sort': ['_seq_no', '_id']}
    yield 'GET', f'/{index}-alias/_alias', None
    yield 'PUT', f'/{index}-alias/_doc/aliased?refresh=true', documents.document(dice, properties, 0)
    for _ in range(3):
        yield dice.one([update, bulk, write])(dice, index, properties, ids)
        yield dice.one([update_by, delete_by])(dice, index, properties, ids, known)
    yield from piped(dice, index, properties, ids)
    if dice.chance(0.2):
        yield 'POST', f'/{index}/_close', None
        yield 'PUT', f'/{index}/_settings', {f'index.similarity.s{dice.int(0, 2)}': similarity(dice), 'index.analysis.filter.l8': {'type': 'lowercase'}}
        yield 'POST', f'/{index}/_open', None
        yield 'GET', f'/{index}/_settings', None
    yield 'GET', f'/{index}/_mapping', None
    yield 'GET', f'/{index}/_search?size=100&sort=_seq_no,_id', None
    yield from templates(dice, index, names, settings)

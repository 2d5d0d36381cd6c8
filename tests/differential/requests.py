"""Requests: how each kind is drawn from the dice, and how it is run against one server."""
import copy
import json

import corpora
from compare import cleaned, comparable
from kinds import aggs, analyze as analyses, bad, body, compound, contexts, derived, fulltext, geo, ingest, members, painless, positions, programs, scripts, search_pipelines, templates, terms, urls
from kinds.registry import QUERIES, any_query

assert all((compound, fulltext, geo, positions, terms))


def draw(dice, schema, kind):
    """A request of a kind: {'kind', 'index', 'body', 'params'}."""
    made, params = KINDS[kind][0](dice, schema)
    index = schema.index
    if kind in BESIDE and dice.chance(0.06) and not index.endswith('-segments'):
        # Another index beside it, whose mapping has other fields, or the same names for others.
        index = ','.join([index, corpora.PREFIX + dice.one(['packages-5', 'assorted-3', 'rfc-5', 'every-5'])])
    if kind in SPOILED and made and dice.chance(0.08):
        made = bad.spoiled(dice, made)
    return {'kind': kind, 'index': index, 'body': made, 'params': params}


# Kinds whose bodies have something wrong in them now and then.
SPOILED = ('count', 'explain', 'validate', 'rank_eval', 'field_caps', 'suggest', 'analyze')

# Kinds that are asked of several indexes now and then.
BESIDE = ('query', 'body', 'aggs', 'count', 'scroll', 'after', 'msearch', 'suggest', 'field_caps')


def run(side, request):
    """The cleaned answers of one server."""
    return KINDS[request['kind']][1](side, request)


def a_query(dice, schema):
    return {'query': any_query(dice, schema, dice.int(0, 4)), '_source': False}, {}


def a_body(dice, schema):
    params = {}
    dice.maybe(params, 'search_type', 0.1, 'dfs_query_then_fetch')
    dice.maybe(params, 'rest_total_hits_as_int', 0.03, 'true')
    dice.maybe(params, 'batched_reduce_size', 0.03, 2)
    dice.maybe(params, 'preference', 0.05, lambda: dice.one(['_local', '_primary', 'abc', '_shards:0', '_shards:0,1|_local']))
    made = body.search(dice, schema)
    return made, params if made.get('track_total_hits', True) is True or 'rest_total_hits_as_int' not in params else {}


def an_agg(dice, schema):
    params = {}
    dice.maybe(params, 'typed_keys', 0.1, 'true')
    dice.maybe(params, 'batched_reduce_size', 0.03, 2)
    made = aggs.search(dice, schema)
    # Keys of the reference's cache leave some options of this kind out.
    if 'variable_width_histogram' in repr(made):
        params['request_cache'] = 'false'
    return made, params


def profiled(dice, schema):
    """A search or aggregations whose profile is asked for."""
    made = (body.search if dice.chance(0.5) else aggs.search)(dice, schema)
    return made | {'profile': True}, {}


def search(side, request):
    """A plain search."""
    return [comparable(*side.call('POST', f"/{request['index']}/_search", request['body'], request['params']))]


def paged_body(dice, schema):
    """A body that is read in pages."""
    made = {'query': any_query(dice, schema, 1), 'size': dice.int(3, 40), '_source': False}
    dice.maybe(made, 'sort', 0.6, lambda: body.sort(dice, schema))
    return made


def scrolled(dice, schema):
    made = paged_body(dice, schema)
    if dice.chance(0.4):
        most = dice.int(2, 4)
        made['slice'] = {'id': dice.int(0, most - 1), 'max': most}
        dice.maybe(made['slice'], 'field', 0.3, lambda: dice.one([f for f in schema.number if f not in ('nodoc',)]))
    return made, {'scroll': '1m'}


def scroll(side, request):
    """Up to four pages of a scroll."""
    status, answer = side.call('POST', f"/{request['index']}/_search", request['body'], request['params'])
    found = [comparable(status, answer)]
    while status == 200 and answer['hits']['hits'] and len(found) < 4:
        status, answer = side.call('POST', '/_search/scroll', {'scroll': '1m', 'scroll_id': answer['_scroll_id']})
        found.append(comparable(status, answer))
    if isinstance(answer, dict) and '_scroll_id' in answer:
        side.call('DELETE', '/_search/scroll', {'scroll_id': answer['_scroll_id']})
    return found


def with_after(dice, schema):
    made = paged_body(dice, schema)
    made['sort'] = body.sort(dice, schema) + [{'_id': 'asc'}] if dice.chance(0.3) and schema.synthetic else body.sort(dice, schema)
    pit = dice.chance(0.5)
    if pit and dice.chance(0.4):
        most = dice.int(2, 4)
        made['slice'] = {'id': dice.int(0, most - 1), 'max': most}
    return made, {'pit': pit}


def after(side, request):
    """Up to four pages by search_after, in a point in time or not."""
    made, target = copy.deepcopy(request['body']), f"/{request['index']}/_search"
    pit = None
    if request['params'].get('pit'):
        status, answer = side.call('POST', f"/{request['index']}/_search/point_in_time", params={'keep_alive': '1m'})
        pit = answer['pit_id']
        made['pit'], target = {'id': pit, 'keep_alive': '1m'}, '/_search'
    found = []
    for _ in range(4):
        status, answer = side.call('POST', target, made)
        found.append(comparable(status, answer))
        if status != 200 or not answer['hits']['hits'] or 'sort' not in answer['hits']['hits'][-1]:
            break
        made['search_after'] = answer['hits']['hits'][-1]['sort']
    if pit:
        side.call('DELETE', '/_search/point_in_time', {'pit_id': [pit]})
    return found


def an_explanation(dice, schema):
    return {'query': any_query(dice, schema, dice.int(0, 3))}, {'id': dice.one(schema.ids)}


def explain(side, request):
    """The explanation of one document."""
    return [comparable(*side.call('POST', f"/{request['index']}/_explain/{request['params']['id']}", request['body']))]


def a_validation(dice, schema):
    params = {}
    dice.maybe(params, 'explain', 0.6, 'true')
    dice.maybe(params, 'rewrite', 0.3, 'true')
    dice.maybe(params, 'all_shards', 0.1, 'true')
    return {'query': any_query(dice, schema, dice.int(0, 2))}, params


def validate(side, request):
    """Validation of a query."""
    return [comparable(*side.call('POST', f"/{request['index']}/_validate/query", request['body'], request['params']))]


def count(side, request):
    """The number of matches."""
    return [comparable(*side.call('POST', f"/{request['index']}/_count", request['body']))]


def several(dice, schema):
    rows = []
    for _ in range(dice.int(1, 3)):
        rows += [{} if dice.chance(0.7) else {'search_type': 'dfs_query_then_fetch'}, body.search(dice, schema, 1)]
    return {'rows': rows}, {}


def msearch(side, request):
    """Several searches at once."""
    text = ''.join(json.dumps(row) + '\n' for row in request['body'].get('rows', []))
    return [comparable(*side.call('POST', f"/{request['index']}/_msearch", text))]


def evaluated(dice, schema):
    rated = [{'_index': schema.index, '_id': one, 'rating': dice.int(0, 3)} for one in dice.some(schema.ids, 1, 30)]
    metric = dice.one([{'precision': {'k': 20, 'relevant_rating_threshold': 1}}, {'recall': {'k': 30}}, {'mean_reciprocal_rank': {'k': 20}},
                       {'dcg': {'k': 20, 'normalize': dice.chance(0.5)}}, {'expected_reciprocal_rank': {'maximum_relevance': 3, 'k': 10}}])
    return {'requests': [{'id': f'q{n}', 'request': {'query': any_query(dice, schema, 1)}, 'ratings': rated} for n in range(dice.int(1, 2))], 'metric': metric}, {}


def rank_eval(side, request):
    """Ranking evaluation."""
    return [comparable(*side.call('POST', f"/{request['index']}/_rank_eval", request['body']))]


def capabilities(dice, schema):
    made = {'index_filter': any_query(dice, schema, 0)} if dice.chance(0.3) else None
    return made, {'fields': ','.join(dice.some(schema.text + schema.keyword + schema.number + ['*', 't*', 'items.*', '_id', 'none'], 1, 3)),
                  **({'include_unmapped': 'true'} if dice.chance(0.3) else {})}


def field_caps(side, request):
    """Capabilities of fields."""
    return [comparable(*side.call('POST', f"/{request['index']}/_field_caps", request['body'], request['params']))]


def suggestions(dice, schema):
    made = body.suggest(dice, schema)
    if dice.chance(0.2):
        made |= {f'{name}_too': options for name, options in body.suggest(dice, schema).items()}
    if dice.chance(0.1):
        made['text'] = schema.phrase(dice, dice.one(schema.text), 1, 3)
        for options in made.values():
            if isinstance(options, dict) and dice.chance(0.6):
                options.pop('text', None)
    return {'size': 0, 'suggest': made}, {}


def an_analysis(dice, schema):
    made, about = analyses.analyze(dice, schema)
    return made, {'about': about}


def analyze(side, request):
    """A request of `_analyze`, on the index, without one, or on an index that is made for it."""
    made, about = request['body'], request['params']['about']
    if about != 'defined':
        return [comparable(*side.call('POST', f"/{request['index']}/_analyze" if about == 'index' else '/_analyze', made))]
    own = f'{corpora.PREFIX}analyze'
    settings = {'number_of_shards': 1, 'number_of_replicas': 0, 'analysis': made.get('settings', {})}
    if own not in side.made:
        # A request that was sent twice, or a run that was stopped, leaves it behind.
        side.call('DELETE', f'/{own}')
        side.made.add(own)
    found = [comparable(*side.call('PUT', f'/{own}', {'settings': settings}))]
    if found[0]['status'] == 200:
        found.append(comparable(*side.call('POST', f'/{own}/_analyze', made.get('request', {}))))
        side.call('DELETE', f'/{own}')
    return found


def execute(side, request):
    """A script by itself."""
    return [comparable(*side.call('POST', '/_scripts/painless/_execute', request['body']))]


def simulate(side, request):
    """A pipeline that is tried on documents."""
    status, answer = side.call('POST', '/_ingest/pipeline/_simulate', request['body'])
    for row in answer.get('docs', []) if isinstance(answer, dict) else []:
        if row and isinstance(row.get('doc'), dict):
            row['doc'].pop('_ingest', None)
    return [comparable(status, answer)]


def update(side, request):
    """An update by a script of a document that is written first, and the document after it."""
    own = f'/{corpora.PREFIX}update'
    if own not in side.made:
        # Versions that scripts see go on from those of earlier runs.
        side.call('DELETE', own)
        side.made.add(own)
        side.must('PUT', own, {'settings': {'number_of_shards': 1, 'number_of_replicas': 0}, 'mappings': {'dynamic': False}})
    side.call('DELETE', f'{own}/_doc/none')
    # Scripts see versions, and what cannot be compared may leave another one behind.
    side.version += 10
    side.must('PUT', f'{own}/_doc/1', contexts.DOCUMENT, {'version': side.version, 'version_type': 'external'})
    found = [side.call('POST', f"{own}/_update/{request['params']['id']}", request['body']), side.call('GET', f"{own}/_doc/{request['params']['id']}")]
    for _, answer in found:
        for part in (answer, answer.get('get', {})):
            for key in ('_version', '_seq_no', '_primary_term'):
                part.pop(key, None)
    return [comparable(*one) for one in found]


def store(side, request):
    """A script that is stored, read, run, removed."""
    name, context = f'/_scripts/{corpora.PREFIX}stored', request['params']['context']
    found = [side.call('PUT', f'{name}/{context}' if context else name, request['body']), side.call('GET', name),
             side.call('POST', f'/{corpora.PREFIX}every-1/_search', {'size': 1, '_source': False, 'script_fields': {'s': {'script': {'id': f'{corpora.PREFIX}stored', 'params': painless.PARAMS}}}}),
             side.call('DELETE', name)]
    return [comparable(*one) for one in found]


def templated(side, request):
    """A template that is rendered or searched with, or several."""
    how = request['params']['how']
    if how == '_render':
        return [comparable(*side.call('POST', '/_render/template', request['body']))]
    if how == '_search':
        return [comparable(*side.call('POST', f"/{request['index']}/_search/template", request['body']))]
    text = ''.join(json.dumps(row) + '\n' for row in request['body'].get('rows', []))
    return [comparable(*side.call('POST', f"/{request['index']}/_msearch/template", text))]


def path_of(request, operation):
    """The path of a request that may name other indexes than its own, and the parameters of its URL."""
    params = dict(request['params'])
    target = params.pop('_target', request['index'])
    return f"/{target}/{operation}" if target else f'/{operation}', params


def search_by_url(side, request):
    """A search that is asked for in its URL."""
    path, params = path_of(request, '_search')
    return [comparable(*side.call(params.pop('_method'), path, request['body'], params))]


def explain_by_url(side, request):
    """An explanation that is asked for in its URL."""
    path, params = path_of(request, f"_explain/{request['params']['id']}")
    del params['id']
    return [comparable(*side.call('GET', path, request['body'], params))]


def count_by_url(side, request):
    """A count that is asked for in its URL."""
    path, params = path_of(request, '_count')
    return [comparable(*side.call('GET', path, request['body'], params))]


def several_by_url(side, request):
    """Several searches, each with a line of its own before it."""
    path, params = path_of(request, '_msearch')
    broken = params.pop('_broken', None)
    lines = [json.dumps(row) for row in (request['body'] or {}).get('rows', [])]
    if broken == 'odd':
        lines = lines[:-1]
    elif broken == 'text':
        lines[0:1] = ['{"index": ']
    text = '' if broken == 'empty' else '\n'.join(lines) + ('' if broken == 'cut' else '\n')
    return [comparable(*side.call('POST', path, text, params))]


def one_kind(name):
    """A generator for searches with one kind of query alone."""
    def draw_one(dice, schema):
        if QUERIES[name][2] is not None and not QUERIES[name][2](schema):
            return {'query': {'match_all': {}}, '_source': False}, {}
        return {'query': QUERIES[name][0](dice, schema, 1), '_source': False, **({'explain': True} if dice.chance(0.2) else {})}, {}
    return draw_one


# Name → (draw, run, weight in a mixed run).
KINDS = {
    'query': (a_query, search, 30), 'body': (a_body, search, 30), 'aggs': (an_agg, search, 30), 'bad': (lambda d, s: (bad.search(d, s), {}), search, 6),
    'limits': (lambda d, s: (bad.limits(d, s), {}), search, 1), 'scroll': (scrolled, scroll, 3), 'after': (with_after, after, 3),
    'script': (lambda d, s: (scripts.search(d, s), {}), search, 6), 'derived': (lambda d, s: (derived.search(d, s), {}), search, 4),
    'explain': (an_explanation, explain, 6), 'validate': (a_validation, validate, 2), 'count': (an_explanation, count, 2), 'profile': (profiled, search, 3), 'msearch': (several, msearch, 2),
    'search_url': (urls.search, search_by_url, 6), 'explain_url': (urls.explain, explain_by_url, 2), 'count_url': (urls.count, count_by_url, 2),
    'validate_url': (urls.validate, validate, 1), 'msearch_url': (urls.several, several_by_url, 3),
    'analyze': (an_analysis, analyze, 6), 'rank_eval': (evaluated, rank_eval, 1), 'field_caps': (capabilities, field_caps, 1), 'suggest': (suggestions, search, 4),
    'execute': (lambda d, s: (painless.script(d, s), {}), execute, 6), 'members': (lambda d, s: (members.script(d, s), {}), execute, 3), 'program': (lambda d, s: (programs.script(d, s), {}), execute, 3), 'simulate': (contexts.simulated, simulate, 2), 'ingest': (ingest.tried, simulate, 3), 'update': (contexts.updated, update, 2),
    'search_pipeline': (search_pipelines.search, search, 2),
    'store': (contexts.stored, store, 1), 'template': (templates.template, templated, 2), 'expression': (contexts.expressed, search, 3),
}
KINDS |= {f'query.{name}': (one_kind(name), search, 0) for name in QUERIES}
assert cleaned

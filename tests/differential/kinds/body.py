"""Search bodies: paging, sorting, fetching, highlighting, collapsing, rescoring, suggesting."""
from kinds.compound import score_script
from kinds.registry import any_query, only_top
from schema import Scope


def few(dice, options, many):
    """A number of documents to end after; many where nothing is scored: how many of a run the reference looks at before it ends depends on its insides."""
    scored = str(options.get('size', 10)) != '0' and 'sort' not in options
    return dice.one([0, 1, 5, 40, 300, many]) if scored else many


def search(dice, schema, depth=3):
    """A whole search body around a query."""
    body = {}
    if dice.chance(0.93):
        body['query'] = any_query(dice, schema, dice.int(0, depth))
    dice.maybe(body, 'size', 0.5, lambda: dice.one([0, 1, 5, 10, 25, 100]))
    dice.maybe(body, 'from', 0.15, lambda: dice.one([0, 3, 10, 50]))
    dice.maybe(body, 'track_total_hits', 0.25, lambda: dice.one([True, False, 10, 300]))
    dice.maybe(body, 'min_score', 0.06, lambda: dice.one([0.5, 1, 4]))
    dice.maybe(body, 'sort', 0.25, lambda: sort(dice, schema))
    dice.maybe(body, 'track_scores', 0.1, lambda: dice.chance(0.7))
    dice.maybe(body, 'post_filter', 0.08, lambda: any_query(dice, schema, 0))
    dice.maybe(body, 'version', 0.08, True)
    dice.maybe(body, 'seq_no_primary_term', 0.06, True)
    dice.maybe(body, 'explain', 0.1, True)
    dice.maybe(body, 'profile', 0.05, True)
    dice.maybe(body, 'highlight', 0.2, lambda: highlight(dice, schema))
    fetching(dice, schema, body)
    dice.maybe(body, 'terminate_after', 0.04, lambda: few(dice, body, 100000))
    if 'sort' not in body and dice.chance(0.07):
        body['rescore'] = rescore(dice, schema)
    elif dice.chance(0.07):
        body['collapse'] = collapse(dice, schema)
    dice.maybe(body, 'indices_boost', 0.03, lambda: [{schema.index: 1.5}])
    dice.maybe(body, 'suggest', 0.05, lambda: suggest(dice, schema))
    dice.maybe(body, 'include_named_queries_score', 0.06, True)
    dice.maybe(body, 'stats', 0.02, lambda: ['group'])
    dice.maybe(body, 'timeout', 0.03, '10s')
    dice.maybe(body, 'search_pipeline', 0.04, lambda: pipeline(dice, schema))
    if only_top(schema) and dice.chance(0.08):
        body['query'] = with_inner_hits(dice, schema)
    return body


def pipeline(dice, schema):
    """A search pipeline that comes with the body."""
    def one():
        return dice.one([
            {'filter_query': {'query': any_query(dice, schema, 0)}}, {'oversample': {'sample_factor': dice.one([1.5, 3])}},
            {'script': {'source': "ctx._source['size'] = 4"}}])

    def another():
        return dice.one([
            {'rename_field': {'field': dice.one(schema.keyword), 'target_field': 'renamed'}}, {'truncate_hits': {'target_size': dice.int(1, 8)}},
            {'sort': {'field': dice.one(schema.keyword), 'order': dice.one(['asc', 'desc'])}}, {'collapse': {'field': dice.one(schema.keyword)}}])
    made = {}
    dice.maybe(made, 'request_processors', 0.7, lambda: [one() for _ in range(dice.int(1, 2))])
    dice.maybe(made, 'response_processors', 0.6, lambda: [another() for _ in range(dice.int(1, 2))])
    return made


def fetching(dice, schema, body):
    """What is to be returned of each hit."""
    every = schema.text + schema.keyword + schema.number + schema.date
    if schema.synthetic:
        every = every + ['place', 'addr', 'flag', 'items.name', 'author.*', 'area', 'ints', 'dates', 't*', 'nothing']
    if dice.chance(0.5):
        body['_source'] = dice.one([False, True, dice.some(every, 1, 3), {'includes': dice.some(every, 1, 2)}, {'excludes': dice.some(every, 1, 3)},
                                    ['*a*'], {'includes': ['*'], 'excludes': ['*e']}])
    dice.maybe(body, 'fields', 0.15, lambda: [field_and_format(dice, schema, name) for name in dice.some(every, 1, 4)])
    if dice.chance(0.04):
        body['fields'] = [dice.one(['*', '_id', '_routing', '_ignored', 'nothing*', {'field': '*a*', 'include_unmapped': True}, {'field': 'nothing', 'include_unmapped': True}, {'field': schema.keyword[0], 'boost': 1}])]
    with_columns = [f for f in schema.keyword + schema.number + schema.date if f not in ('nodoc', 'wild', 'same')]
    dice.maybe(body, 'docvalue_fields', 0.15, lambda: [field_and_format(dice, schema, name) for name in dice.some(with_columns, 1, 3)])
    if schema.synthetic:
        dice.maybe(body, 'stored_fields', 0.04, lambda: dice.one([['stored'], ['stored', '_source'], '_none_', 'stored', ['title']]))
    if dice.chance(0.06):
        number = dice.one([f for f in schema.number if f not in ('nodoc', 'unsigned', 'long')])
        body['script_fields'] = {'made': {'script': dice.one([
            {'source': f"doc['{number}'].size() == 0 ? null : doc['{number}'].value * 2"}, {'source': f"doc['{number}']"},
            {'source': "params.a + '!'", 'params': {'a': 'x'}}, {'source': f"params._source['{number}']"}])}}


def field_and_format(dice, schema, name):
    """A field by its name alone, or with a format."""
    if name in schema.date and dice.chance(0.5):
        return {'field': name, 'format': dice.one(['yyyy', 'epoch_millis', 'dd.MM.yyyy HH:mm', 'strict_date_optional_time', 'date', 'e'])}
    if name in schema.number and dice.chance(0.2):
        return {'field': name, 'format': dice.one(['#.00', '000.0', '#,##0.###'])}
    return name if dice.chance(0.7) else {'field': name}


def sortable(dice, schema):
    """A field that can be sorted by."""
    return dice.one([f for f in schema.keyword + schema.number * 2 + schema.date + schema.boolean + schema.ip
                     if f not in ('nodoc', 'wild', 'flat.red', 'title.raw', 'same')])


def sort(dice, schema):
    """A list of sort keys."""
    return [sort_key(dice, schema) for _ in '123'[:dice.int(1, 3)]]


def sort_key(dice, schema):
    """One sort key."""
    draw = dice.int(0, 19)
    if draw == 0:
        return dice.one(['_score', {'_score': 'asc'}, '_doc', {'_doc': 'desc'}, '_id', {'_index': 'desc'}, {'_seq_no': 'asc'}, {'_version': {'order': 'desc'}}, '_routing', '_ignored', '_source'])
    if draw == 1 and schema.synthetic:
        return {'_geo_distance': {'place': dice.one([[10, 50], '50,10', [[10, 50], [0, 0]]]), 'order': dice.one(['asc', 'desc']), 'unit': dice.one(['km', 'mi']),
                                  'mode': dice.one(['min', 'max', 'avg']), 'distance_type': dice.one(['arc', 'plane'])}}
    if draw == 2 and schema.synthetic and dice.chance(0.4):
        inner = {'path': 'items.parts', **({'max_children': dice.int(1, 3)} if dice.chance(0.3) else {})}
        return {'items.parts.n': {'order': dice.one(['asc', 'desc']), 'mode': dice.one(['min', 'max']), 'nested': dice.one([inner, {'path': 'items', 'nested': inner}])}}
    if draw == 2 and schema.synthetic:
        return {dice.one(['items.qty', 'items.price', 'items.name']): {
            'order': dice.one(['asc', 'desc']), 'mode': dice.one(['min', 'max']),
            'nested': {'path': 'items', **({'filter': {'range': {'items.qty': {'gte': dice.int(0, 6)}}}} if dice.chance(0.5) else {})}}}
    if draw == 3:
        number = dice.one([f for f in schema.number if f not in ('nodoc', 'unsigned')])
        return {'_script': {'type': 'number', 'order': dice.one(['asc', 'desc']), 'script': {'source': f"doc['{number}'].size() == 0 ? 0 : doc['{number}'].value % 7"}}}
    field = sortable(dice, schema)
    if dice.chance(0.35):
        return dice.one([field, {field: dice.one(['asc', 'desc'])}])
    options = {'order': dice.one(['asc', 'desc'])}
    if field not in schema.keyword:
        dice.maybe(options, 'mode', 0.3, lambda: dice.one(['min', 'max', 'avg', 'sum', 'median'] if field in schema.number else ['min', 'max']))
        dice.maybe(options, 'missing', 0.3, lambda: dice.one(['_last', '_first', 5] if field in schema.number else ['_last', '_first']))
        dice.maybe(options, 'numeric_type', 0.06, lambda: dice.one(['long', 'double', 'date', 'date_nanos']))
    else:
        dice.maybe(options, 'missing', 0.3, lambda: dice.one(['_last', '_first', 'm']))
        dice.maybe(options, 'mode', 0.2, lambda: dice.one(['min', 'max']))
    if field in schema.date:
        dice.maybe(options, 'format', 0.2, lambda: dice.one(['yyyy-MM-dd', 'epoch_millis']))
    dice.maybe(options, 'unmapped_type', 0.1, lambda: dice.one(['long', 'keyword']))
    return {dice.weighted({field: 19, 'missing_field': 1}): options}


def highlight(dice, schema):
    """Highlighting of some fields by any of the highlighters."""
    fields = {}
    for field in dice.some(schema.text, 1, 3):
        options = {}
        kinds = ['unified', 'plain', 'unified'] + (['fvh'] if field in ('title.vector', 'summary') else [])
        dice.maybe(options, 'type', 0.7, lambda: dice.one(kinds))  # pylint: disable=cell-var-from-loop
        dice.maybe(options, 'number_of_fragments', 0.4, lambda: dice.one([0, 1, 2, 10]))
        dice.maybe(options, 'fragment_size', 0.4, lambda: dice.one([10, 20, 50, 200]))
        dice.maybe(options, 'no_match_size', 0.15, lambda: dice.one([5, 30, 100]))
        dice.maybe(options, 'require_field_match', 0.2, False)
        dice.maybe(options, 'matched_fields', 0.05, [field])
        dice.maybe(options, 'order', 0.15, 'score')
        dice.maybe(options, 'fragment_offset', 0.04, 3)
        dice.maybe(options, 'boundary_max_scan', 0.04, lambda: dice.one([2, 50]))
        dice.maybe(options, 'boundary_chars', 0.04, '. ')
        dice.maybe(options, 'force_source', 0.04, True)
        dice.maybe(options, 'max_analyzer_offset', 0.04, lambda: dice.one([10, 60]))
        fields[field] = options
    if dice.chance(0.05):
        fields[dice.one(['*', 't*', '*.raw', schema.keyword[0], schema.number[0], '_id', 'nothing'])] = {}
    made = {'fields': [{name: options} for name, options in fields.items()] if dice.chance(0.1) else fields}
    dice.maybe(made, 'pre_tags', 0.15, ['<b>'])
    dice.maybe(made, 'post_tags', 0.15, ['</b>'])
    dice.maybe(made, 'tags_schema', 0.06, 'styled')
    dice.maybe(made, 'encoder', 0.1, lambda: dice.one(['html', 'default']))
    dice.maybe(made, 'require_field_match', 0.2, False)
    dice.maybe(made, 'boundary_scanner', 0.1, lambda: dice.one(['sentence', 'word']))
    dice.maybe(made, 'fragmenter', 0.1, lambda: dice.one(['simple', 'span']))
    dice.maybe(made, 'highlight_query', 0.1, lambda: any_query(dice, schema, 1))
    dice.maybe(made, 'phrase_limit', 0.05, 4)
    dice.maybe(made, 'type', 0.05, lambda: dice.one(['plain', 'unified', 'nothing']))
    dice.maybe(made, 'boundary_scanner_locale', 0.03, lambda: dice.one(['en-US', 'de', 'th']))
    dice.maybe(made, 'boundary_max_scan', 0.03, 3)
    dice.maybe(made, 'number_of_fragments', 0.05, lambda: dice.one([0, 1, 3]))
    dice.maybe(made, 'no_match_size', 0.04, 12)
    return made


def rescore(dice, schema):
    """One rescorer, or a chain of them."""
    def one():
        options = {'rescore_query': any_query(dice, schema, 1)}
        dice.maybe(options, 'query_weight', 0.5, lambda: dice.one([0.5, 2]))
        dice.maybe(options, 'rescore_query_weight', 0.5, lambda: dice.one([0.7, 3]))
        dice.maybe(options, 'score_mode', 0.5, lambda: dice.one(['total', 'multiply', 'avg', 'max', 'min']))
        made = {'query': options}
        dice.maybe(made, 'window_size', 0.7, lambda: dice.one([2, 10, 50]))
        return made
    return one() if dice.chance(0.6) else [one() for _ in range(dice.int(1, 4))]


def collapse(dice, schema):
    """Collapsing by a field of one value."""
    fields = {'every': ['code', 'stored', 'lower', 'byte'], 'assorted': ['k_eager', 'n_strict'], 'packages': ['section', 'maintainer', 'n_depends'], 'rfc': ['status', 'rfc', 'para']}
    options = {'field': dice.one(next(names for kind, names in fields.items() if kind in schema.index))}
    if dice.chance(0.4):
        inner = {'name': 'group', 'size': dice.int(0, 3)}
        dice.maybe(inner, 'sort', 0.5, lambda: [sort_key(dice, schema)])
        dice.maybe(inner, 'from', 0.1, 1)
        dice.maybe(inner, '_source', 0.4, False)
        options['inner_hits'] = inner
        dice.maybe(options, 'max_concurrent_group_searches', 0.2, 2)
        dice.maybe(inner, 'version', 0.1, True)
        dice.maybe(inner, 'explain', 0.06, True)
        dice.maybe(inner, 'docvalue_fields', 0.15, lambda: [schema.keyword[0]])
        dice.maybe(inner, 'highlight', 0.1, lambda: {'fields': {schema.text[0]: {}}})
        dice.maybe(inner, 'collapse', 0.1, lambda: {'field': options['field']})
        if dice.chance(0.25):
            options['inner_hits'] = [inner, {'name': 'second', 'size': 2, '_source': False, 'sort': [sort_key(dice, schema)]}]
    return options


def inner_hits(dice, schema, name):
    """Options of inner hits."""
    options = {'name': name}
    dice.maybe(options, 'size', 0.5, lambda: dice.int(0, 4))
    dice.maybe(options, 'from', 0.1, 1)
    dice.maybe(options, '_source', 0.3, lambda: dice.one([False, ['items.name'], {'excludes': ['items.note']}]))
    dice.maybe(options, 'version', 0.1, True)
    dice.maybe(options, 'seq_no_primary_term', 0.1, True)
    dice.maybe(options, 'explain', 0.1, True)
    return options


def with_inner_hits(dice, schema):
    """A nested or joining query with inner hits."""
    scope = Scope(schema, 'items')
    kind = dice.one(['nested', 'deep', 'child', 'parent'])
    if kind == 'nested':
        options = inner_hits(dice, schema, 'n')
        dice.maybe(options, 'sort', 0.3, lambda: [{dice.one(['items.qty', 'items.name']): dice.one(['asc', 'desc'])}])
        dice.maybe(options, 'highlight', 0.2, lambda: {'fields': {'items.note': {}}})
        dice.maybe(options, 'docvalue_fields', 0.2, ['items.name', 'items.at'])
        return {'nested': {'path': 'items', 'query': any_query(dice, scope, 1, {'match_all', 'term', 'match', 'range', 'bool'}), 'inner_hits': options}}
    if kind == 'deep':
        parts = {'nested': {'path': 'items.parts', 'query': {'range': {'items.parts.n': {'gte': dice.int(0, 3)}}}, 'inner_hits': inner_hits(dice, schema, 'p')}}
        return dice.one([parts, {'nested': {'path': 'items', 'query': parts, 'inner_hits': inner_hits(dice, schema, 'i')}}])
    if kind == 'child':
        return {'has_child': {'type': dice.one(['answer', 'comment']), 'query': any_query(dice, schema, 0), 'inner_hits': inner_hits(dice, schema, 'c')}}
    return {'has_parent': {'parent_type': 'question', 'query': any_query(dice, schema, 0), 'inner_hits': inner_hits(dice, schema, 'q')}}


def suggest(dice, schema):
    """One suggester of any kind."""
    field = dice.one([name for name in schema.text if name not in ('only', 'title.shingles', 'typed')])
    word = list(schema.word(dice, field).lower() or 'a')
    word[dice.int(0, len(word) - 1)] = dice.one('aeixt')
    text = ''.join(word)
    kind = dice.one(['term', 'phrase', 'completion'] if schema.synthetic else ['term', 'phrase'])
    if kind == 'term':
        options = {'field': field}
        dice.maybe(options, 'suggest_mode', 0.5, lambda: dice.one(['missing', 'popular', 'always']))
        dice.maybe(options, 'size', 0.3, lambda: dice.int(1, 8))
        dice.maybe(options, 'sort', 0.3, lambda: dice.one(['score', 'frequency']))
        dice.maybe(options, 'max_edits', 0.2, lambda: dice.int(1, 2))
        dice.maybe(options, 'prefix_length', 0.3, lambda: dice.int(0, 3))
        dice.maybe(options, 'min_word_length', 0.2, 3)
        dice.maybe(options, 'max_inspections', 0.05, lambda: dice.one([1, 5]))
        dice.maybe(options, 'min_doc_freq', 0.1, lambda: dice.one([0, 1, 3, 0.01]))
        dice.maybe(options, 'max_term_freq', 0.1, lambda: dice.one([1, 20, 0.5]))
        dice.maybe(options, 'shard_size', 0.1, lambda: dice.one([1, 20]))
        dice.maybe(options, 'analyzer', 0.08, lambda: dice.one(['standard', 'whitespace', 'english']))
        dice.maybe(options, 'string_distance', 0.2, lambda: dice.one(['internal', 'damerau_levenshtein', 'levenshtein', 'jaro_winkler', 'ngram']))
        return {'words': {'text': text + ' ' + schema.word(dice, field), 'term': options}}
    if kind == 'phrase':
        options = {'field': field}
        dice.maybe(options, 'size', 0.3, lambda: dice.int(1, 4))
        dice.maybe(options, 'max_errors', 0.4, lambda: dice.one([1, 2, 0.5]))
        dice.maybe(options, 'confidence', 0.4, lambda: dice.one([0, 0.5, 2]))
        dice.maybe(options, 'real_word_error_likelihood', 0.2, 0.8)
        dice.maybe(options, 'highlight', 0.3, {'pre_tag': '<', 'post_tag': '>'})
        dice.maybe(options, 'direct_generator', 0.5, lambda: [{'field': field, 'suggest_mode': dice.one(['always', 'missing']), 'min_word_length': 2}])
        dice.maybe(options, 'gram_size', 0.1, lambda: dice.int(1, 3))
        dice.maybe(options, 'force_unigrams', 0.06, False)
        dice.maybe(options, 'token_limit', 0.06, lambda: dice.one([1, 4]))
        dice.maybe(options, 'separator', 0.06, '_')
        dice.maybe(options, 'max_errors', 0.06, 3)
        dice.maybe(options, 'collate', 0.08, lambda: {'query': {'source': {'match': {field: '{{suggestion}}'}}}, **({'prune': True} if dice.chance(0.5) else {})})
        dice.maybe(options, 'smoothing', 0.3, lambda: dice.one([{'laplace': {'alpha': 0.7}}, {'stupid_backoff': {'discount': 0.5}},
                                                               {'linear_interpolation': {'trigram_lambda': 0.5, 'bigram_lambda': 0.3, 'unigram_lambda': 0.2}}]))
        return {'phrase': {'text': text + ' ' + schema.phrase(dice, field, 1, 2), 'phrase': options}}
    options = {'field': 'suggest'}
    dice.maybe(options, 'size', 0.3, lambda: dice.int(1, 9))
    dice.maybe(options, 'skip_duplicates', 0.3, True)
    how = dice.one(['prefix', 'prefix', 'regex'])
    if how == 'prefix':
        dice.maybe(options, 'fuzzy', 0.4, lambda: dice.one([{}, {'fuzziness': 1}, {'fuzziness': 2, 'min_length': 4}, True]))
    start = dice.one(['a', 'am', 'st', 'ri', 'qui', 'xalley', 'no'])
    return {'completed': {how: start if how == 'prefix' else start[:1] + '.*[a-m]', 'completion': options}}


assert score_script

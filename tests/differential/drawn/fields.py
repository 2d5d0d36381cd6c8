"""Mappings: fields of every type, with any of their parameters."""
from drawn.settings import options

BUILT = ['standard', 'simple', 'whitespace', 'keyword', 'stop', 'english', 'german', 'fingerprint', 'pattern']
FORMATS = ['yyyy-MM-dd', 'epoch_millis', 'epoch_second', 'dd/MM/yyyy||epoch_millis||yyyy', 'strict_date_optional_time', 'strict_date_optional_time||epoch_millis', 'basic_date', 'yyyy-MM-dd HH:mm:ss', 'date_hour_minute', 'MMM d, yyyy', 'yyyy/MM/dd||yyyy',
           'strict_year_month', 'basic_ordinal_date', "yyyy-MM-dd'T'HH:mm:ssXXX", 'week_date', 'EEE d MMM yyyy', 'date_optional_time||dd.MM.yy', 'strict_date_time_no_millis||date']
NUMBERS = ['long', 'integer', 'short', 'byte', 'double', 'float', 'half_float', 'unsigned_long', 'scaled_float']
RANGES = ['integer_range', 'long_range', 'float_range', 'double_range', 'date_range', 'ip_range']


def text(dice, names):
    """A field of texts."""
    analyzers = names['analyzer'] * 3 + BUILT
    made = {'type': 'text'} | options(dice, index_options=['docs', 'freqs', 'positions', 'offsets'], norms=[False], term_vector=['no', 'yes', 'with_positions', 'with_offsets', 'with_positions_offsets'], position_increment_gap=[0, 5, 100], store=[True]) if dice.chance(0.5) else {'type': 'text'}
    dice.maybe(made, 'analyzer', 0.6, lambda: dice.one(analyzers))
    dice.maybe(made, 'search_analyzer', 0.2, lambda: dice.one(analyzers))
    dice.maybe(made, 'search_quote_analyzer', 0.08, lambda: dice.one(analyzers))
    dice.maybe(made, 'index_prefixes', 0.1, lambda: options(dice, min_chars=[1, 2], max_chars=[3, 5]))
    dice.maybe(made, 'index_phrases', 0.1, True)
    dice.maybe(made, 'fielddata', 0.25, True)
    if 'fielddata' in made:
        dice.maybe(made, 'fielddata_frequency_filter', 0.4, lambda: options(dice, min=[0.01, 2], max=[0.5, 10], min_segment_size=[1, 500]))
        dice.maybe(made, 'eager_global_ordinals', 0.1, True)
    dice.maybe(made, 'similarity', 0.4, lambda: dice.one(names['similarity'] * 3 + ['BM25', 'boolean']))
    dice.maybe(made, 'index', 0.03, False)
    return made


def keyword(dice, names):
    """A field of exact values."""
    made = {'type': 'keyword'} | (options(dice, ignore_above=[4, 9], null_value=['NULL', ''], doc_values=[False], norms=[True], index_options=['docs', 'freqs'], split_queries_on_whitespace=[True], store=[True], eager_global_ordinals=[True]) if dice.chance(0.5) else {})
    dice.maybe(made, 'normalizer', 0.4, lambda: dice.one(names['normalizer'] * 3 + ['lowercase']))
    dice.maybe(made, 'similarity', 0.1, lambda: dice.one(names['similarity'] + ['BM25', 'boolean']))
    dice.maybe(made, 'use_similarity', 0.05, True)
    dice.maybe(made, 'index', 0.06, False)
    return made


def number(dice, names):
    """A field of numbers."""
    kind = dice.one(NUMBERS)
    made = {'type': kind}
    if kind == 'scaled_float':
        made['scaling_factor'] = dice.one([10, 100, 0.5, 1000, 3])
    if dice.chance(0.5):
        made |= options(dice, coerce=[False, True], ignore_malformed=[True], doc_values=[False], store=[True])
    dice.maybe(made, 'null_value', 0.15, lambda: dice.one([7, 0, 1, '3'] + ([-2.5] if kind in ('double', 'float', 'half_float', 'scaled_float') else [])))
    dice.maybe(made, 'index', 0.07, False)
    dice.maybe(made, 'skip_list', 0.06, True)
    return made


def date(dice, names):
    """A field of dates."""
    made = {'type': dice.one(['date', 'date', 'date', 'date_nanos'])}
    dice.maybe(made, 'format', 0.55, lambda: dice.one(FORMATS))
    if dice.chance(0.4):
        made |= options(dice, ignore_malformed=[True], doc_values=[False], store=[True], index=[False], locale=['de', 'en', 'fr-FR', 'ROOT'])
    dice.maybe(made, 'print_format', 0.04, 'yyyy')
    if 'format' not in made:
        dice.maybe(made, 'null_value', 0.15, lambda: dice.one(['2020-02-02', '1999', 0]))
    dice.maybe(made, 'skip_list', 0.05, True)
    return made


def ranges(dice, names):
    """A field of ranges."""
    made = {'type': dice.one(RANGES)} | options(dice, coerce=[False, True], store=[True], index=[False])
    if made['type'] == 'date_range':
        dice.maybe(made, 'format', 0.5, lambda: dice.one(FORMATS[:6]))
    if dice.chance(0.2):
        made['doc_values'] = False
    return made


def completion(dice, names):
    """A field of completions."""
    made = {'type': 'completion'} | options(dice, preserve_separators=[False], preserve_position_increments=[False], max_input_length=[4, 20], analyzer=['simple', 'standard', 'whitespace'])
    if dice.chance(0.3):
        made['contexts'] = [{'name': 'kind', 'type': 'category'} | options(dice, path=['f0'])] + ([{'name': 'place', 'type': 'geo', 'precision': 4}] if dice.chance(0.4) else [])
    return made


# Type → (weight, draw).
TYPES = {
    'text': (12, text), 'keyword': (10, keyword), 'number': (12, number), 'date': (6, date), 'range': (4, ranges), 'completion': (2, completion),
    'boolean': (3, lambda d, n: {'type': 'boolean'} | options(d, null_value=[True, False, 'true'], doc_values=[False], store=[True], index=[False])),
    'ip': (3, lambda d, n: {'type': 'ip'} | options(d, null_value=['::1', '10.0.0.1'], ignore_malformed=[True], store=[True], doc_values=[False]) | ({'index': False} if d.chance(0.1) else {})),
    'binary': (1, lambda d, n: {'type': 'binary'} | options(d, doc_values=[True], store=[True])),
    'geo_point': (3, lambda d, n: {'type': 'geo_point'} | options(d, ignore_malformed=[True], ignore_z_value=[False], null_value=['10,20', 'POINT (3 4)'], doc_values=[False], store=[True])),
    'geo_shape': (2, lambda d, n: {'type': 'geo_shape'} | options(d, ignore_malformed=[True], ignore_z_value=[False], orientation=['cw', 'left'], coerce=[True])),
    'search_as_you_type': (2, lambda d, n: {'type': 'search_as_you_type'} | options(d, max_shingle_size=[2, 4], analyzer=n['analyzer'] + BUILT, norms=[False], store=[True], term_vector=['with_positions_offsets'], index_options=['offsets'])),
    'token_count': (2, lambda d, n: {'type': 'token_count', 'analyzer': d.one(n['analyzer'] * 2 + BUILT)} | options(d, enable_position_increments=[False], null_value=[3], store=[True], doc_values=[False])),
    'rank_feature': (1, lambda d, n: {'type': 'rank_feature'} | options(d, positive_score_impact=[False])), 'rank_features': (1, lambda d, n: {'type': 'rank_features'} | options(d, positive_score_impact=[False])),
    'flat_object': (2, lambda d, n: {'type': 'flat_object'}), 'wildcard': (2, lambda d, n: {'type': 'wildcard'} | options(d, doc_values=[True], normalizer=n['normalizer'] + ['lowercase'], ignore_above=[6], null_value=['none'])),
    'constant_keyword': (1, lambda d, n: {'type': 'constant_keyword', 'value': 'same'}), 'match_only_text': (2, lambda d, n: {'type': 'match_only_text'} | options(d, analyzer=n['analyzer'] + BUILT, store=[True])),
    'version': (1, lambda d, n: {'type': 'version'} | options(d, store=[True], doc_values=[True])), 'percolator': (1, lambda d, n: {'type': 'percolator'}), 'join': (1, lambda d, n: {'type': 'join', 'relations': d.one([{'a': 'b'}, {'a': ['b', 'c'], 'b': 'd'}])} | options(d, eager_global_ordinals=[False])),
}
MULTI = ['text', 'keyword', 'number', 'date', 'token_count', 'search_as_you_type', 'wildcard', 'boolean', 'completion', 'ip', 'match_only_text']


def field(dice, names, depth=2):
    """A field of any type."""
    if depth and dice.chance(0.13):
        return holder(dice, names, depth)
    kind = dice.weighted({name: row[0] for name, row in TYPES.items()})
    made = TYPES[kind][1](dice, names)
    if dice.chance(0.2) and kind in ('text', 'keyword', 'number', 'date', 'boolean', 'ip', 'search_as_you_type'):
        made['fields'] = {f'm{n}': TYPES[dice.one(MULTI)][1](dice, names) for n in range(dice.int(1, 2))}
    # Of bytes that were decoded the reference copies the text that it has read before them.
    if kind not in ('binary', 'join', 'percolator', 'flat_object', 'rank_features', 'completion', 'constant_keyword', 'version', 'match_only_text'):
        dice.maybe(made, 'copy_to', 0.08, lambda: dice.one(['f0', ['f1', 'copied'], 'copied', 'o.copied']))
    dice.maybe(made, 'meta', 0.03, {'unit': 'ms'})
    if dice.chance(0.01):
        made[dice.one(['nothing', 'boost', 'analyser', 'null_value', 'index_options', 'normalizer'])] = dice.one(['x', 2, True])
    return made


def holder(dice, names, depth):
    """An object, or what is nested."""
    made = {'properties': {f'p{n}': field(dice, names, depth - 1) for n in range(dice.int(1, 3))}}
    if dice.chance(0.5):
        made['type'] = 'nested'
        made |= options(dice, include_in_parent=[True], include_in_root=[True]) if dice.chance(0.4) else {}
    dice.maybe(made, 'dynamic', 0.3, lambda: dice.one([True, False, 'strict', 'false', 'strict_allow_templates', 'false_allow_templates']))
    if dice.chance(0.06) and 'type' not in made:
        made = {'type': 'object', 'enabled': False}
    return made


def mapping(dice, names):
    """A mapping of some fields."""
    properties = {f'f{n}': field(dice, names) for n in range(dice.int(6, 15))}
    joins = [name for name, one in properties.items() if one.get('type') == 'join']
    for extra in joins[1:]:
        properties[extra] = {'type': 'keyword'}
    for own in ('f0', 'f1'):
        # A copy to itself is written twice.
        properties[own].pop('copy_to', None)
    made = {'properties': properties}
    if dice.chance(0.25):
        properties['other'] = {'type': 'alias', 'path': dice.one(list(properties))}
    dice.maybe(made, 'dynamic', 0.3, lambda: dice.one([True, False, 'strict', 'true', 'strict_allow_templates', 'false_allow_templates']))
    dice.maybe(made, 'dynamic_templates', 0.35, lambda: [{f'd{n}': template(dice, names)} for n in range(dice.int(1, 3))])
    dice.maybe(made, 'date_detection', 0.15, False)
    dice.maybe(made, 'numeric_detection', 0.2, True)
    dice.maybe(made, 'dynamic_date_formats', 0.15, lambda: dice.some(['yyyy/MM/dd', 'MM/dd/yyyy', 'yyyy-MM-dd||epoch_millis', 'dd.MM.yyyy', 'strict_date_optional_time'], 1, 3))
    dice.maybe(made, '_source', 0.12, lambda: dice.one([{'includes': ['f0', 'f1*', '*.p0']}, {'excludes': ['f2', 'f3.*']}, {'enabled': False}, {'includes': ['f*'], 'excludes': ['*1']}]))
    dice.maybe(made, '_routing', 0.04, {'required': True})
    dice.maybe(made, '_meta', 0.1, {'by': 'dice', 'n': [1, {'a': None}]})
    if dice.chance(0.15):
        made['derived'] = {'g0': {'type': dice.one(['keyword', 'long', 'double', 'boolean']), 'script': {'source': "emit(1)" if dice.chance(0.3) else "emit('x')"}}}
    return made


def template(dice, names):
    """A template of fields that documents bring."""
    made = dice.one([{'match_mapping_type': dice.one(['string', 'long', 'double', 'boolean', 'date', 'object', '*'])}, {'match': dice.one(['u*', '*_x', 'u_1'])}, {'path_match': dice.one(['o.*', '*.u*'])},
                     {'match': '^u_\\d+$', 'match_pattern': 'regex'}, {'match_mapping_type': 'string', 'match': 'u*', 'unmatch': '*1'}, {'match': '*', 'unmatch': 'u*'}, {'path_match': 'o.*', 'path_unmatch': '*.u_1'}])
    made['mapping'] = dice.one([lambda: {'type': '{dynamic_type}'} | options(dice, index=[False], store=[True], doc_values=[False]), lambda: {'type': 'keyword'} | options(dice, ignore_above=[5]), lambda: {'type': 'text', 'analyzer': dice.one(names['analyzer'] + BUILT)} | options(dice, norms=[False]),
                                lambda: {'type': 'text', 'fields': {'{name}': {'type': 'keyword'}}}, lambda: {'copy_to': 'all_of'}, lambda: {'type': 'text', 'copy_to': 'c_{name}'}, lambda: {'type': 'long'} | options(dice, ignore_malformed=[True]), lambda: {'type': 'nested'}, lambda: {'type': 'date', 'format': 'yyyy'},
                                lambda: {'norms': False}, lambda: {'type': 'flat_object'}, lambda: {'type': 'wildcard'}, lambda: {'type': 'double', 'coerce': False}])()
    return made


def leaves(properties, prefix='', nested=None):
    """(path, mapping, path of what it is nested in) of each field with a type, multi-fields among them."""
    for name, one in properties.items():
        path = prefix + name
        if 'properties' in one or one.get('type') in ('nested', 'object'):
            yield from leaves(one.get('properties', {}), path + '.', path if one.get('type') == 'nested' else nested)
            continue
        yield path, one, nested
        for inner, part in one.get('fields', {}).items():
            yield f'{path}.{inner}', part, nested

"""Settings of an index: shards, order, analysis, similarities, limits."""

MODELS = ['g', 'if', 'in', 'ine', 'be', 'd', 'p']


def settings(dice):
    """(settings, names of what they define); the order of documents is put in later, as it needs fields."""
    made = {'number_of_shards': dice.one([1, 1, 1, 3]), 'number_of_replicas': 0, 'refresh_interval': dice.one(['-1', '1h'])}
    for name, values in LIMITS.items():
        dice.maybe(made, name, 0.06, lambda: dice.one(values))
    names = {'analyzer': [], 'normalizer': [], 'similarity': []}
    if dice.chance(0.7):
        made['analysis'] = analysis(dice, names)
        if dice.chance(0.4):
            made['max_ngram_diff'] = 6
            made['max_shingle_diff'] = 5
    if dice.chance(0.45):
        made['similarity'] = {f's{n}': similarity(dice) for n in range(dice.int(1, 3))}
        names['similarity'] = list(made['similarity'])
        dice.maybe(made['similarity'], 'default', 0.3, lambda: similarity(dice))
    return made, names


LIMITS = {
    'number_of_routing_shards': [30, 12], 'codec': ['default', 'best_compression', 'zlib', 'lz4'], 'soft_deletes.enabled': [True], 'highlight.max_analyzed_offset': [20, 1000],
    'max_docvalue_fields_search': [1, 3], 'max_script_fields': [0, 1], 'max_inner_result_window': [2], 'max_rescore_window': [5], 'max_result_window': [15, 30],
    'max_terms_count': [2, 5], 'max_regex_length': [4], 'mapping.total_fields.limit': [12, 25], 'mapping.depth.limit': [1, 2], 'mapping.nested_fields.limit': [1], 'mapping.nested_objects.limit': [3],
    'mapping.field_name_length.limit': [40], 'mapping.ignore_malformed': [True], 'mapping.coerce': [False], 'query.default_field': ['f0', ['f1', 'f2'], '*', 'f*'], 'query_string.lenient': [True], 'queries.cache.enabled': [False],
    'max_slices_per_scroll': [2], 'analyze.max_token_count': [5], 'routing_partition_size': [1], 'blocks.read_only': [False], 'load_fixed_bitset_filters_eagerly': [False], 'requests.cache.enable': [False],
    'search.idle.after': ['1s'], 'merge.policy.segments_per_tier': [4], 'max_adjacency_matrix_filters': [2], 'auto_expand_replicas': ['false'], 'translog.durability': ['async'], 'query.max_nested_depth': [3],
}


def similarity(dice):
    """A similarity of any kind."""
    made = dice.one([
        lambda: {'type': 'BM25'} | options(dice, k1=[0, 0.5, 1.2, 3.5], b=[0, 0.2, 1.0], discount_overlaps=[True, False]),
        lambda: {'type': 'boolean'},
        lambda: {'type': 'LegacyBM25'} | options(dice, k1=[0.9, 2], b=[0.4], discount_overlaps=[False]),
        lambda: {'type': 'DFR', 'basic_model': dice.one(MODELS), 'after_effect': dice.one(['no', 'b', 'l']), **normal(dice)},
        lambda: {'type': 'DFR', 'basic_model': dice.one(['g', 'if', 'in', 'ine']), 'after_effect': dice.one(['b', 'l']), **normal(dice)},
        lambda: {'type': 'DFI', 'independence_measure': dice.one(['standardized', 'saturated', 'chisquared'])},
        lambda: {'type': 'IB', 'distribution': dice.one(['ll', 'spl']), 'lambda': dice.one(['df', 'ttf']), **normal(dice)},
        lambda: {'type': 'LMDirichlet'} | options(dice, mu=[1, 20, 2000]),
        lambda: {'type': 'LMJelinekMercer'} | options(dice, **{'lambda': [0.1, 0.7, 1]}),
        lambda: {'type': 'scripted', 'script': {'source': 'double tf = Math.sqrt(doc.freq); double idf = Math.log((field.docCount+1.0)/(term.docFreq+1.0)) + 1.0; double norm = 1/Math.sqrt(doc.length); return query.boost * tf * idf * norm;'}},
        lambda: {'type': 'scripted', 'weight_script': {'source': 'query.boost * Math.log(1 + (field.sumTotalTermFreq + 1.0) / (term.totalTermFreq + 1.0))'}, 'script': {'source': 'weight * doc.freq / (doc.freq + doc.length)'}}])()
    if dice.chance(0.04):
        made[dice.one(['k1', 'nothing', 'mu', 'normalization'])] = dice.one([-1, 'x', 2])
    return made


def normal(dice):
    """A normalization with its parameter."""
    kind = dice.one(['no', 'h1', 'h2', 'h3', 'z'])
    made = {'normalization': kind}
    if kind != 'no':
        key = {'z': 'z'}.get(kind, 'c')
        dice.maybe(made, f'normalization.{kind}.{key}', 0.5, lambda: dice.one([0.3, 0.4] if kind == 'z' else [0.5, 2, 7]))
    return made


def options(dice, **known):
    """Some of these options."""
    return {name: dice.one(values) for name, values in known.items() if dice.chance(0.5)}


CHAR_FILTERS = [lambda d: {'type': 'html_strip'} | options(d, escaped_tags=[['b'], ['i', 'b']]), lambda d: {'type': 'mapping', 'mappings': d.some(['ü => ue', 'é => e', '& => and', '- => _', ':) => smile', 'x =>'], 1, 3)},
                lambda d: {'type': 'pattern_replace', 'pattern': d.one(['(\\d+)-(\\d+)', '[aeiou]', '(?i)the\\s', '\\s+']), 'replacement': d.one(['$1', '', '_', ' '])} | ({} if d.chance(0.9) else {'flags': 'CASE_INSENSITIVE'})]

TOKENIZERS = [lambda d: {'type': 'standard'} | options(d, max_token_length=[4, 8, 255]), lambda d: {'type': 'whitespace'} | options(d, max_token_length=[3, 10]), lambda d: {'type': 'keyword'} | options(d, buffer_size=[256]),
              lambda d: {'type': 'ngram', 'min_gram': d.int(1, 3), 'max_gram': d.int(3, 5)} | options(d, token_chars=[['letter'], ['letter', 'digit'], ['digit', 'punctuation', 'whitespace'], ['custom']]), lambda d: {'type': 'edge_ngram', 'min_gram': d.int(1, 2), 'max_gram': d.int(2, 9)} | options(d, token_chars=[['letter'], ['letter', 'digit']]),
              lambda d: {'type': 'pattern', 'pattern': d.one([',', '\\W+', '(\\w)(\\w+)', '-'])} | options(d, group=[0, 1, -1], lowercase=[True]), lambda d: {'type': 'path_hierarchy'} | options(d, delimiter=['-', ' '], reverse=[True], skip=[1], replacement=['/']),
              lambda d: {'type': 'char_group', 'tokenize_on_chars': d.some(['whitespace', '-', 'punctuation', '\\n', 'digit', 'e'], 1, 3)} | options(d, max_token_length=[5]), lambda d: {'type': 'simple_pattern_split', 'pattern': d.one([' ', '[-_. ]+', 'e'])}, lambda d: {'type': 'simple_pattern', 'pattern': d.one(['[a-z]+', '[0-9]{2}'])},
              lambda d: {'type': 'uax_url_email'} | options(d, max_token_length=[7]), lambda d: {'type': 'letter'}, lambda d: {'type': 'lowercase'}, lambda d: {'type': 'classic'} | options(d, max_token_length=[5])]

FILTERS = [lambda d: {'type': 'stop', 'stopwords': d.one([['the', 'and'], '_english_', '_none_', ['The', 'a']])} | options(d, ignore_case=[True], remove_trailing=[False]), lambda d: {'type': 'length'} | options(d, min=[2, 3], max=[4, 8]),
           lambda d: {'type': 'edge_ngram'} | options(d, min_gram=[1, 2], max_gram=[2, 4], preserve_original=[True], side=['back', 'front']), lambda d: {'type': 'ngram'} | options(d, min_gram=[1, 2], max_gram=[2, 3], preserve_original=[True]), lambda d: {'type': 'shingle'} | options(d, min_shingle_size=[2], max_shingle_size=[2, 3, 4], output_unigrams=[False, True], token_separator=['', '_'], filler_token=['', '-'], output_unigrams_if_no_shingles=[True]),
           lambda d: {'type': 'stemmer', 'language': d.one(['english', 'light_english', 'german', 'possessive_english', 'minimal_english', 'french', 'russian', 'spanish', 'porter2'])}, lambda d: {'type': 'snowball', 'language': d.one(['English', 'German2', 'Dutch', 'Kp', 'Porter'])}, lambda d: {'type': 'synonym', 'synonyms': d.some(['fox, vulpes', 'quick brown => fast', 'stone, rock, big rock', 'river => stream, brook', 'amber'], 1, 3)} | options(d, expand=[False], lenient=[True]),
           lambda d: {'type': 'synonym_graph', 'synonyms': d.some(['fox, vulpes', 'quick brown => fast', 'house, big home'], 1, 3)}, lambda d: {'type': 'word_delimiter_graph'} | wd(d), lambda d: {'type': 'word_delimiter'} | wd(d), lambda d: {'type': 'asciifolding'} | options(d, preserve_original=[True]), lambda d: {'type': 'lowercase'} | options(d, language=['turkish', 'greek', 'irish']),
           lambda d: {'type': 'truncate'} | options(d, length=[3, 5]), lambda d: {'type': 'unique'} | options(d, only_on_same_position=[True]), lambda d: {'type': 'limit'} | options(d, max_token_count=[2, 6], consume_all_tokens=[True]), lambda d: {'type': 'elision', 'articles': ['l', 'd', 'o']} | options(d, articles_case=[True]), lambda d: {'type': 'pattern_replace', 'pattern': d.one(['e', '^(.)', '\\d']), 'replacement': d.one(['', 'X', '$0$0'])} | options(d, all=[False]),
           lambda d: {'type': 'pattern_capture', 'patterns': [d.one(['(\\d+)', '(\\w)(\\w)', '([a-z]+)'])]} | options(d, preserve_original=[False]), lambda d: {'type': 'common_grams', 'common_words': ['the', 'of', 'and']} | options(d, query_mode=[True], ignore_case=[True]), lambda d: {'type': 'keyword_marker', 'keywords': ['running', 'foxes']} | options(d, ignore_case=[True]), lambda d: {'type': 'keep', 'keep_words': ['fox', 'stone', 'amber', 'river']} | options(d, keep_words_case=[True]),
           lambda d: {'type': 'keep_types', 'types': d.one([['<NUM>'], ['<ALPHANUM>', 'word']])} | options(d, mode=['exclude']), lambda d: {'type': 'fingerprint'} | options(d, separator=['-'], max_output_size=[20]), lambda d: {'type': 'predicate_token_filter', 'script': {'source': d.one(['token.position % 2 == 0', 'token.term.length() > 4', 'token.type == "<NUM>"'])}}, lambda d: {'type': 'condition', 'filter': ['uppercase'], 'script': {'source': 'token.getTerm().length() < 5'}},
           lambda d: {'type': 'multiplexer', 'filters': d.some(['lowercase', 'uppercase', 'lowercase, porter_stem', 'reverse'], 1, 3)} | options(d, preserve_original=[False]), lambda d: {'type': 'stemmer_override', 'rules': ['foxes => fox', 'running => sprint']}, lambda d: {'type': 'dictionary_decompounder', 'word_list': ['stone', 'gate', 'moor', 'fox']} | options(d, only_longest_match=[True], min_word_size=[3]), lambda d: {'type': 'delimited_payload'} | options(d, delimiter=['-'], encoding=['int', 'identity']),
           lambda d: {'type': 'min_hash'} | options(d, bucket_count=[4], hash_set_size=[1]), lambda d: {'type': 'cjk_bigram'} | options(d, output_unigrams=[True])] + [(lambda name: lambda d: {'type': name})(name) for name in (
               'reverse', 'trim', 'uppercase', 'porter_stem', 'apostrophe', 'decimal_digit', 'flatten_graph', 'remove_duplicates', 'keyword_repeat', 'kstem', 'cjk_width', 'classic', 'german_normalization', 'scandinavian_folding')]


def wd(d):
    """Options of word delimiters."""
    return options(d, preserve_original=[True], catenate_all=[True], catenate_words=[True], catenate_numbers=[True], split_on_numerics=[False], split_on_case_change=[False], generate_word_parts=[False], stem_english_possessive=[False])


def analysis(dice, names):
    """Custom parts, analyzers made of them, normalizers."""
    made = {}
    chars = {f'c{n}': dice.one(CHAR_FILTERS)(dice) for n in range(dice.int(0, 2))}
    tokenizers = {f't{n}': dice.one(TOKENIZERS)(dice) for n in range(dice.int(0, 2))}
    filters = {f'l{n}': dice.one(FILTERS)(dice) for n in range(dice.int(0, 4))}
    for key, parts in (('char_filter', chars), ('tokenizer', tokenizers), ('filter', filters)):
        if parts:
            made[key] = parts
    analyzers = {}
    for n in range(dice.int(1, 4)):
        one = {'type': 'custom'} if dice.chance(0.5) else {}
        one['tokenizer'] = dice.one([*tokenizers, *tokenizers, 'standard', 'whitespace', 'keyword', 'letter', 'classic'])
        dice.maybe(one, 'filter', 0.8, lambda: dice.some([*filters, *filters, 'lowercase', 'asciifolding', 'porter_stem', 'stop', 'unique', 'trim'], 1, 3))
        dice.maybe(one, 'char_filter', 0.3, lambda: dice.some([*chars, 'html_strip'], 1, 2))
        dice.maybe(one, 'position_increment_gap', 0.1, lambda: dice.one([0, 1, 7]))
        analyzers[f'a{n}'] = one
    if dice.chance(0.4):
        analyzers['a9'] = dice.one([{'type': 'standard', 'stopwords': '_english_'}, {'type': 'standard', 'max_token_length': 5}, {'type': 'stop', 'stopwords': ['fox']}, {'type': 'pattern', 'pattern': '-', 'lowercase': False}, {'type': 'fingerprint', 'separator': '+'},
                                    {'type': 'english', 'stem_exclusion': ['foxes']}, {'type': 'german', 'stopwords': ['der']}, {'type': 'snowball', 'language': 'French'}, {'type': 'pattern', 'stopwords': '_english_'}, {'type': 'cjk', 'stopwords': []}])
    dice.maybe(analyzers, 'default', 0.08, lambda: {'type': dice.one(['whitespace', 'simple', 'english'])})
    dice.maybe(analyzers, 'default_search', 0.06, lambda: {'type': dice.one(['keyword', 'simple'])})
    names['analyzer'] = [name for name in analyzers if not name.startswith('default')]
    made['analyzer'] = analyzers
    if dice.chance(0.5):
        made['normalizer'] = {f'n{n}': {'type': 'custom', 'filter': dice.some(['lowercase', 'asciifolding', 'uppercase', 'trim', 'decimal_digit', *filters][:6], 1, 2), **({'char_filter': [dice.one([*chars])]} if chars and dice.chance(0.3) else {})} for n in range(dice.int(1, 2))}
        names['normalizer'] = list(made['normalizer'])
    return made


def sort_settings(dice, columns):
    """The order of documents within segments."""
    fields = dice.some(columns, 1, 3)
    made = {'sort.field': fields}
    dice.maybe(made, 'sort.order', 0.7, lambda: [dice.one(['asc', 'desc']) for _ in fields])
    dice.maybe(made, 'sort.mode', 0.3, lambda: [dice.one(['min', 'max']) for _ in fields])
    dice.maybe(made, 'sort.missing', 0.4, lambda: [dice.one(['_last', '_first']) for _ in fields])
    return made

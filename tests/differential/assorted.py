"""A small index whose fields have the options that mappings know: analyzers, what is kept of a text and of a value."""
from dice import Dice
from synthetic import CODES, LOWERS, TAGS, WORDS, address, instant, span

ANALYSIS = {
    'filter': {
        'edges': {'type': 'edge_ngram', 'min_gram': 2, 'max_gram': 6},
        'meanings': {'type': 'synonym_graph', 'synonyms': ['fox, vulpes', 'quick brown => fast', 'house, big home', 'river => stream, brook']},
        'meanings_kept': {'type': 'synonym', 'synonyms': ['stone, rock', 'tide => flood', 'grove, wood land']},
        'some': {'type': 'stop', 'stopwords': ['the', 'and', 'of', 'a']},
        'grammar': {'type': 'common_grams', 'common_words': ['the', 'of', 'and'], 'query_mode': False},
        'two_or_three': {'type': 'shingle', 'min_shingle_size': 2, 'max_shingle_size': 3, 'output_unigrams': False},
        'parts': {'type': 'word_delimiter_graph', 'preserve_original': True, 'catenate_all': True},
    },
    'tokenizer': {'threes': {'type': 'ngram', 'min_gram': 3, 'max_gram': 3, 'token_chars': ['letter', 'digit']}, 'folders': {'type': 'path_hierarchy', 'delimiter': '-'}},
    'char_filter': {'spelled': {'type': 'mapping', 'mappings': ['ü => ue', 'é => e', '& => and']}},
    'normalizer': {'lower': {'type': 'custom', 'filter': ['lowercase', 'asciifolding']}},
    'analyzer': {
        'edged': {'tokenizer': 'standard', 'filter': ['lowercase', 'edges']}, 'grams': {'tokenizer': 'threes', 'filter': ['lowercase']},
        'meant': {'tokenizer': 'standard', 'filter': ['lowercase', 'meanings']}, 'meant_kept': {'tokenizer': 'standard', 'filter': ['lowercase', 'meanings_kept']},
        'gappy': {'tokenizer': 'standard', 'filter': ['lowercase', 'some']}, 'joined': {'tokenizer': 'standard', 'filter': ['lowercase', 'grammar']},
        'pairs': {'tokenizer': 'standard', 'filter': ['lowercase', 'two_or_three']}, 'split': {'tokenizer': 'whitespace', 'filter': ['parts', 'flatten_graph', 'lowercase']},
        'foldered': {'tokenizer': 'folders'}, 'spelt': {'char_filter': ['html_strip', 'spelled'], 'tokenizer': 'standard', 'filter': ['lowercase', 'porter_stem']},
        'doubled': {'tokenizer': 'standard', 'filter': ['lowercase', 'keyword_repeat', 'porter_stem', 'remove_duplicates']},
    },
}

# By type; scores of the first two tell the lengths that tokens beside others make.
SIMILARITIES = {
    'flat': {'type': 'BM25', 'k1': 0.5, 'b': 0.2}, 'over': {'type': 'BM25', 'discount_overlaps': False}, 'legacy': {'type': 'LegacyBM25', 'k1': 2},
    'random': {'type': 'DFR', 'basic_model': 'g', 'after_effect': 'b', 'normalization': 'h2', 'normalization.h2.c': 2},
    'random_z': {'type': 'DFR', 'basic_model': 'ine', 'after_effect': 'l', 'normalization': 'z'},
    'apart': {'type': 'DFI', 'independence_measure': 'chisquared'}, 'told': {'type': 'IB', 'distribution': 'spl', 'lambda': 'ttf', 'normalization': 'h1'},
    'dirichlet': {'type': 'LMDirichlet', 'mu': 20}, 'mercer': {'type': 'LMJelinekMercer', 'lambda': 0.4},
    'own': {'type': 'scripted', 'weight_script': {'source': 'query.boost * Math.log(1 + (field.docCount + 1.0) / (term.docFreq + 1.0))'},
            'script': {'source': 'weight * Math.sqrt(doc.freq) / (1 + Math.log(1 + doc.length))'}},
}


def text(**options):
    """A field of texts."""
    return {'type': 'text'} | options


def keyword(**options):
    """A field of exact values."""
    return {'type': 'keyword'} | options


TEXTS = {
    'white': text(analyzer='whitespace'), 'simple': text(analyzer='simple'), 'stopped': text(analyzer='stop'), 'one': text(analyzer='keyword'), 'english': text(analyzer='english'), 'german': text(analyzer='german'),
    'french': text(analyzer='french'), 'cjk': text(analyzer='cjk'), 'edged': text(analyzer='edged', search_analyzer='standard'), 'grams': text(analyzer='grams'),
    'meant': text(search_analyzer='meant', analyzer='standard'), 'kept': text(analyzer='meant_kept'), 'gappy': text(analyzer='gappy'), 'joined': text(analyzer='joined'), 'pairs': text(analyzer='pairs'),
    'split': text(analyzer='split'), 'spelt': text(analyzer='spelt'), 'doubled': text(analyzer='doubled', term_vector='with_positions_offsets'), 'quoted': text(analyzer='english', search_quote_analyzer='standard'),
    'prefixed': text(index_prefixes={'min_chars': 1, 'max_chars': 4}), 'phrased': text(index_phrases=True), 'freqs': text(index_options='freqs'), 'docs': text(index_options='docs'), 'gapless': text(position_increment_gap=0),
    'stored': text(store=True), 'vector': text(term_vector='with_positions_offsets'), 'offsets': text(index_options='offsets', fielddata=True), 'normless': text(norms=False),
    'typed': {'type': 'search_as_you_type', 'max_shingle_size': 4, 'analyzer': 'english'},
    's_flat': text(similarity='flat', analyzer='english'), 's_over': text(similarity='over', analyzer='meant_kept'), 's_legacy': text(similarity='legacy'), 's_boolean': text(similarity='boolean'), 's_random': text(similarity='random'),
    's_random_z': text(similarity='random_z', norms=False), 's_apart': text(similarity='apart', analyzer='english'), 's_told': text(similarity='told'), 's_dirichlet': text(similarity='dirichlet', index_phrases=True),
    's_mercer': text(similarity='mercer', search_analyzer='meant', analyzer='standard'), 's_own': text(similarity='own'), 's_typed': {'type': 'search_as_you_type', 'similarity': 'mercer'},
}
KEYWORDS = {
    'k': keyword(copy_to=['copied', 'copied_k']), 'k_split': keyword(split_queries_on_whitespace=True), 'k_norms': keyword(norms=True, index_options='freqs'), 'k_short': keyword(ignore_above=5), 'k_lower': keyword(normalizer='lower'),
    'k_nodoc': keyword(doc_values=False), 'k_null': keyword(null_value='NULL'), 'k_eager': keyword(eager_global_ordinals=True), 'folders': keyword(fields={'tree': text(analyzer='foldered', search_analyzer='keyword')}),
    'k_stored': keyword(store=True, doc_values=False), 'k_scored': keyword(use_similarity=True, similarity='dirichlet', index_options='freqs', norms=True), 'k_counted': keyword(use_similarity=True), 'wild': {'type': 'wildcard', 'ignore_above': 12}, 'wild_lower': {'type': 'wildcard', 'normalizer': 'lower', 'null_value': 'none'}, 'copied_k': keyword(),
}
NUMBERS = {
    'n': {'type': 'integer'}, 'n_loose': {'type': 'integer', 'ignore_malformed': True}, 'n_null': {'type': 'long', 'null_value': -7}, 'n_stored': {'type': 'double', 'store': True}, 'n_nodoc': {'type': 'long', 'doc_values': False},
    'n_noindex': {'type': 'float', 'index': False}, 'n_scaled': {'type': 'scaled_float', 'scaling_factor': 10}, 'n_strict': {'type': 'short', 'coerce': False}, 'n_half': {'type': 'half_float', 'null_value': 1.5},
    'n_count': {'type': 'token_count', 'analyzer': 'gappy', 'enable_position_increments': False}, 'n_unsigned': {'type': 'unsigned_long'},
}
DATES = {
    'd': {'type': 'date'}, 'd_format': {'type': 'date', 'format': 'dd/MM/yyyy||epoch_millis||yyyy'}, 'd_nanos': {'type': 'date_nanos', 'format': 'strict_date_optional_time_nanos'}, 'd_loose': {'type': 'date', 'ignore_malformed': True},
    'd_null': {'type': 'date', 'null_value': '2020-02-02'}, 'd_noindex': {'type': 'date', 'index': False},
}
OTHERS = {
    'flag': {'type': 'boolean', 'null_value': True}, 'addr': {'type': 'ip', 'ignore_malformed': True, 'null_value': '::1'}, 'copied': text(), 'shut': {'type': 'object', 'enabled': False},
    'range': {'type': 'integer_range', 'coerce': True}, 'range_noindex': {'type': 'long_range', 'index': False}, 'range_date': {'type': 'date_range', 'format': 'yyyy-MM-dd||yyyy'},
    'list': {'type': 'nested', 'include_in_parent': True, 'properties': {'k': keyword(), 'n': {'type': 'integer'}, 't': text()}},
    'loose_flag': {'type': 'boolean'},
}
MAPPING = {'dynamic': 'strict', 'properties': TEXTS | KEYWORDS | NUMBERS | DATES | OTHERS}
# What analyzers have several ways through, or tokens of other lengths for.
SEVERAL = ['house', 'big home', 'wi-fi', 'PowerShot 2000', 'quick brown', 'fox', 'river', 'stone', 'wood land', 'the house of the fox', 'wi-fi house', '東京']
MARKUP = ['<b>amber</b>', 'Zürich &amp; café', 'wi-fi PowerShot 2000', "o'neill's", 'quick brown fox', 'big home', 'stone rock', 'The end.', 'John Smith. He ran! Why? e.g. this', '東京 京都', 'a\nb', 'double  space.  then']


def line(dice, least, most):
    """Some words, of those now and then that analyzers treat differently."""
    made = [dice.one(MARKUP) if dice.chance(0.12) else dice.one(WORDS) for _ in range(dice.int(least, most))]
    return ' '.join(word.capitalize() if dice.chance(0.1) else word for word in made)


def value(dice, name):
    """A value of a field."""
    if name in TEXTS:
        return [line(dice, 1, 6), line(dice, 1, 6)] if dice.chance(0.25) else line(dice, 1, 14)
    if name in KEYWORDS:
        one = dice.one([dice.one(TAGS), dice.one(CODES), dice.one(LOWERS), line(dice, 1, 2)])
        return [one, dice.one(TAGS)] if dice.chance(0.2) else (None if dice.chance(0.1) else one)
    return VALUES[name](dice)


VALUES = {
    'n': lambda d: d.one([d.int(-20, 60), str(d.int(0, 9)), 4.7]), 'n_loose': lambda d: d.one([d.int(0, 40), 'bad', '12']), 'n_null': lambda d: d.one([None, d.int(0, 9)]), 'n_stored': lambda d: d.float(-9, 9),
    'n_nodoc': lambda d: d.int(0, 20), 'n_noindex': lambda d: d.float(0, 5, 1), 'n_scaled': lambda d: d.float(0, 30, 2), 'n_strict': lambda d: d.int(-100, 100), 'n_half': lambda d: d.one([None, d.float(0, 9, 1)]),
    'n_count': lambda d: line(d, 1, 8), 'n_unsigned': lambda d: d.one([d.int(0, 9), 2**63 + d.int(0, 9)]),
    'd': instant, 'd_format': lambda d: d.one([f'{d.int(10, 28)}/0{d.int(1, 9)}/20{d.int(10, 24)}', d.int(1500000000000, 1700000000000), '2019']), 'd_nanos': lambda d: f'2021-0{d.int(1, 9)}-11T10:11:12.{d.int(0, 999999999):09}Z',
    'd_loose': lambda d: d.one(['2021-05-06', 'never', '2022']), 'd_null': lambda d: d.one([None, '2021-01-01T10:00:00Z']), 'd_noindex': instant,
    'flag': lambda d: d.one([True, False, None, 'false']), 'addr': lambda d: d.one([address(d), 'bad', None]), 'copied': lambda d: line(d, 1, 3), 'shut': lambda d: d.one([{'a': 1}, {'b': ['x', {'c': None}]}]),
    'range': lambda d: span(d, lambda: d.int(0, 50)), 'range_noindex': lambda d: span(d, lambda: d.int(0, 50)), 'range_date': lambda d: {'gte': f'202{d.int(0, 2)}', 'lte': f'202{d.int(3, 5)}-06-07'},
    'list': lambda d: [{'k': d.one(TAGS), 'n': d.int(0, 9), 't': line(d, 1, 4)} for _ in range(d.int(1, 3))], 'loose_flag': lambda d: d.one([True, 'false', '']),
}


def actions(seed=5, count=500):
    """Bulk lines of documents that have half of the fields."""
    dice = Dice(seed)
    lines = []
    names = [name for name in MAPPING['properties'] if name != 'copied_k']
    for number in range(count):
        meta = {'_id': str(number)}
        dice.maybe(meta, 'routing', 0.1, lambda: str(dice.int(0, 9)))
        lines += [{'index': meta}, {name: value(dice, name) for name in names if dice.chance(0.5)}]
    return lines

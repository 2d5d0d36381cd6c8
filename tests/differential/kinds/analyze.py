"""Requests of `_analyze`: components with options of all kinds, analyzers, normalizers, and malformed ones."""
import copy

from kinds.analyze_texts import LANGUAGES, SAMPLES, texts
from minimise import at, places

FILTERS, TOKENIZERS, CHAR_FILTERS = {}, {}, {}


def option(dice, options, key, choices, share=0.45):
    """Now and then one of the values of an option."""
    dice.maybe(options, key, share, lambda: dice.one(choices))


def row(table, *names, options=None, must=None):
    """Kinds with their optional values, and those that they cannot do without."""
    for name in names:
        table[name] = (options or {}, must or {})


BOOLS = [True, False]
WORDS = [['the', 'a', 'quick'], ['and', 'of', 'The', 'one'], 'two', 'be,or,not', []]
row(TOKENIZERS, 'letter', 'lowercase', 'thai')
row(TOKENIZERS, 'keyword', options={'buffer_size': [1, 16, 256]})
row(TOKENIZERS, 'whitespace', 'standard', 'uax_url_email', 'classic', options={'max_token_length': [1, 2, 5, 255, 300]})
row(TOKENIZERS, 'ngram', 'edge_ngram', options={'min_gram': [1, 2, 3], 'max_gram': [2, 3], 'token_chars': [['letter'], ['digit'], ['letter', 'digit'], ['whitespace'], ['punctuation', 'symbol'], 'letter', ['custom']],
                                                'custom_token_chars': ['+-_', '😀']})
row(TOKENIZERS, 'pattern', options={'pattern': ['\\W+', ',', '\\s*[,;]\\s*', "'([^']+)'", '(\\w)(\\w+)', '', '[aeiou]'], 'group': [-1, 0, 1, 2], 'flags': ['CASE_INSENSITIVE', 'COMMENTS|DOTALL', 'UNICODE_CASE', 'LITERAL', 'FOO']})
row(TOKENIZERS, 'simple_pattern', 'simple_pattern_split', options={'pattern': ['[0-9]+', '[a-z]{2,3}', 'a|b', '_', '.', '[^ ]+', '\\w', '(ab)*', '@', '#', '"x"', '<1-9>', '~a']})
row(TOKENIZERS, 'char_group', options={'tokenize_on_chars': [['whitespace'], ['-', '\\n'], ['letter'], ['digit', 'punctuation'], ['symbol', ','], ['cjk'], ['\\u0041'], ['ab'], [], '-'], 'max_token_length': [1, 3, 300]})
row(TOKENIZERS, 'path_hierarchy', options={'delimiter': ['/', '-', '.', '\\', 'ab'], 'replacement': ['_', '/', ''], 'skip': [0, 1, 2, 5, -1], 'reverse': BOOLS, 'buffer_size': [1, 1024]})

PLAIN = ['apostrophe', 'arabic_normalization', 'arabic_stem', 'bengali_normalization', 'brazilian_stem', 'cjk_width', 'classic', 'czech_stem', 'decimal_digit', 'dutch_stem', 'flatten_graph', 'french_stem',
         'german_normalization', 'german_stem', 'hindi_normalization', 'indic_normalization', 'keyword_repeat', 'kstem', 'persian_normalization', 'persian_stem', 'porter_stem', 'remove_duplicates', 'reverse', 'russian_stem',
         'scandinavian_folding', 'scandinavian_normalization', 'serbian_normalization', 'sorani_normalization', 'trim', 'type_as_payload', 'uppercase']
row(FILTERS, *PLAIN)
STEMMERS = ['arabic', 'armenian', 'basque', 'bengali', 'brazilian', 'bulgarian', 'catalan', 'czech', 'danish', 'dutch', 'dutch_kp', 'dutchKp', 'english', 'estonian', 'finnish', 'french', 'galician', 'german', 'german2', 'greek', 'hindi', 'hungarian',
            'indonesian', 'irish', 'italian', 'kp', 'kstem', 'latvian', 'light_english', 'light_finish', 'light_finnish', 'light_french', 'light_german', 'light_hungarian', 'light_italian', 'light_norwegian', 'light_nynorsk',
            'light_portuguese', 'light_russian', 'light_spanish', 'light_swedish', 'lithuanian', 'lovins', 'minimal_english', 'minimal_french', 'minimal_galician', 'minimal_german', 'minimal_norwegian', 'minimal_nynorsk',
            'minimal_portuguese', 'norwegian', 'persian', 'plural_english', 'porter', 'porter2', 'portuguese', 'portuguese_rslp', 'possessive_english', 'romanian', 'russian', 'serbian', 'sorani', 'spanish', 'swedish', 'turkish', 'yiddish', 'tamil', 'nepali', 'none']
SNOWBALLS = ['Arabic', 'Armenian', 'Basque', 'Catalan', 'Danish', 'Dutch', 'English', 'Estonian', 'Finnish', 'French', 'German', 'German2', 'Greek', 'Hindi', 'Hungarian', 'Indonesian', 'Irish', 'Italian', 'Kp', 'Lithuanian', 'Lovins', 'Nepali',
             'Norwegian', 'Porter', 'Portuguese', 'Romanian', 'Russian', 'Serbian', 'Spanish', 'Swedish', 'Tamil', 'Turkish', 'Yiddish', 'english', 'None']
row(FILTERS, 'asciifolding', options={'preserve_original': BOOLS})
row(FILTERS, 'cjk_bigram', options={'output_unigrams': BOOLS, 'ignored_scripts': [['han'], ['hiragana', 'katakana'], 'hangul', ['foo']]})
row(FILTERS, 'common_grams', options={'query_mode': BOOLS, 'ignore_case': BOOLS}, must={'common_words': WORDS})
row(FILTERS, 'concatenate_graph', options={'token_separator': [' ', '+', '', 'ab'], 'max_graph_expansions': [1, 3, 100], 'preserve_position_increments': BOOLS})
row(FILTERS, 'delimited_payload', options={'delimiter': ['|', '+', 'ab'], 'encoding': ['float', 'int', 'identity', 'foo']})
row(FILTERS, 'delimited_term_freq', options={'delimiter': ['|', '-']})
row(FILTERS, 'dictionary_decompounder', must={'word_list': [['foot', 'ball', 'Haus', 'tür', 'ab'], ['one', 'ne', 'on']]}, options={'max_subword_size': [3, 15], 'min_subword_size': [1, 2, 4], 'min_word_size': [2, 5], 'only_longest_match': BOOLS, 'word_list_case': BOOLS})
row(FILTERS, 'edge_ngram', 'ngram', options={'min_gram': [1, 2, 0], 'max_gram': [2, 3, 1], 'preserve_original': BOOLS, 'side': ['front', 'back', 'x']})
row(FILTERS, 'elision', options={'articles': [['l', 'd', 'o'], ['L', 'qu'], []], 'articles_case': BOOLS})
row(FILTERS, 'fingerprint', options={'separator': [' ', '+', '', 'ab'], 'max_output_size': [1, 10, 255]})
row(FILTERS, 'keep', must={'keep_words': WORDS}, options={'keep_words_case': BOOLS})
row(FILTERS, 'keep_types', must={'types': [['<ALPHANUM>'], ['<NUM>', '<EMOJI>'], ['word'], '<IDEOGRAPHIC>']}, options={'mode': ['include', 'exclude', 'x']})
row(FILTERS, 'keyword_marker', options={'keywords': WORDS, 'keywords_pattern': ['.*ing', '[A-Z].*'], 'ignore_case': BOOLS})
row(FILTERS, 'length', options={'min': [0, 2, 5, -1], 'max': [1, 3, 6]})
row(FILTERS, 'limit', options={'max_token_count': [0, 1, 2, 5], 'consume_all_tokens': BOOLS})
row(FILTERS, 'lowercase', options={'language': ['greek', 'irish', 'turkish', 'foo']})
row(FILTERS, 'min_hash', options={'hash_count': [1, 2, 0], 'bucket_count': [1, 4, 16], 'hash_set_size': [1, 2], 'with_rotation': BOOLS})
row(FILTERS, 'multiplexer', must={'filters': [['lowercase', 'uppercase'], ['lowercase, porter_stem', 'reverse'], [], ['foo'], 'uppercase']}, options={'preserve_original': BOOLS})
row(FILTERS, 'pattern_capture', must={'patterns': [['(\\d+)'], ['(\\p{Ll}+|\\p{Lu}+)', '([aeiou])'], '(.)(.)', ['x'], ['(((a)b)?c)']]}, options={'preserve_original': BOOLS})
row(FILTERS, 'pattern_replace', must={'pattern': ['[aeiou]', '(\\w)(\\w)', '^', '$', '.*', '\\s+', '(']}, options={'replacement': ['', '$2$1', 'x', '$3', '\\$'], 'all': BOOLS, 'flags': ['CASE_INSENSITIVE', 'FOO']})
row(FILTERS, 'shingle', options={'min_shingle_size': [2, 3, 1], 'max_shingle_size': [2, 3, 4], 'output_unigrams': BOOLS, 'output_unigrams_if_no_shingles': BOOLS, 'token_separator': ['', '+', ' '], 'filler_token': ['', '_', 'xx']})
row(FILTERS, 'snowball', options={'language': SNOWBALLS})
row(FILTERS, 'stemmer', options={'language': STEMMERS, 'stem_exclusion': WORDS})
row(FILTERS, 'stemmer_override', must={'rules': [['running, runs => run', 'a=>b'], ['x => y => z'], ['foo'], ['The => le']]})
row(FILTERS, 'stop', options={'stopwords': WORDS + ['_english_', '_none_', '_german_', '_foo_', ['_french_', 'one']] + [f'_{name}_' for name in LANGUAGES], 'ignore_case': BOOLS, 'remove_trailing': BOOLS})
SYNONYMS = [['one, two, three'], ['quick brown => fast', 'a => b, c d'], ['one two three, uno', 'be or => x'], ['foo => '], ['a b, c d e'], ['the, a => x'], [], ['x\\,y => z'], ['i-pod, i pod => ipod']]
row(FILTERS, 'synonym', 'synonym_graph', must={'synonyms': SYNONYMS}, options={'expand': BOOLS, 'lenient': BOOLS, 'updateable': BOOLS, 'format': ['solr', 'wordnet', 'x']})
row(FILTERS, 'truncate', options={'length': [1, 3, 10, 0, -1]})
row(FILTERS, 'unique', options={'only_on_same_position': BOOLS})
DELIMITER = {name: BOOLS for name in ('generate_word_parts', 'generate_number_parts', 'catenate_words', 'catenate_numbers', 'catenate_all', 'split_on_case_change', 'preserve_original', 'split_on_numerics', 'stem_english_possessive')}
DELIMITER |= {'protected_words': WORDS, 'type_table': [['$ => DIGIT', '% => ALPHA'], ['- => ALPHANUM', '\\u200d => SUBWORD_DELIM'], ['a => FOO'], ['ab => ALPHA']]}
row(FILTERS, 'word_delimiter', options=DELIMITER)
row(FILTERS, 'word_delimiter_graph', options=DELIMITER | {'adjust_offsets': BOOLS, 'ignore_keywords': BOOLS})
row(FILTERS, 'condition', must={'filter': [['lowercase'], ['reverse', 'uppercase'], ['foo']], 'script': [{'source': s} for s in ('token.term.length() < 5', 'token.position % 2 == 0', 'token.type == "<NUM>"', 'token.keyword', 'token.startOffset > 3')]})
row(FILTERS, 'predicate_token_filter', must={'script': [{'source': s} for s in ('token.getTerm().length() > 3', 'token.positionIncrement > 1', 'token.endOffset < 20', 'token.positionLength > 1')]})
row(CHAR_FILTERS, 'html_strip', options={'escaped_tags': [['b'], ['p', 'br'], 'script']})
row(CHAR_FILTERS, 'mapping', must={'mappings': [['a => b'], ['ph => f', 'a => ', '😀 => smile'], ['& => and', 'ß => ss', 'one => 1'], ['\\u0041 => x', 'ab => abc', 'abc => d'], ['a'], [], ['a => b', 'a => c']]})
row(CHAR_FILTERS, 'pattern_replace', must={'pattern': ['(\\d+)-(?=\\d)', '[aeiou]', '\\s+', '(?i)the', '^(.)', '(']}, options={'replacement': ['', '$1_', 'xyz', '$2'], 'flags': ['CASE_INSENSITIVE', 'FOO']})

ANALYZERS = [name for name in LANGUAGES if name not in ('chinese', 'japanese', 'korean', 'hebrew', 'khmer', 'serbian')] + ['cjk', 'chinese', 'standard', 'simple', 'whitespace', 'stop', 'keyword', 'pattern', 'fingerprint', 'snowball', 'default', 'none_such']
ATTRIBUTES = ['bytes', 'keyword', 'positionLength', 'termFrequency', 'payload', 'KEYWORD', 'flags', 'type', 'none', 'term', 'start_offset']


def part(dice, table, name, wrong=0.03):
    """A component that is defined in place, or the bare name of its kind."""
    options, must = table[name]
    if not must and (not options or dice.chance(0.15)) or dice.chance(0.05):
        return name
    made = {'type': name}
    for key, choices in must.items():
        option(dice, made, key, choices, 0.96)
    for key, choices in options.items():
        option(dice, made, key, choices, min(0.45, 2.5 / len(options)))
    if dice.chance(wrong):
        made[dice.one([key for key in made] + ['unknown'])] = dice.one(['x', -1, 1.5, 'true', [], {'a': 1}, None])
    return made


def language_of(parts):
    """The language that texts should be in for the components to matter."""
    for one in parts:
        for word in ([one] if isinstance(one, str) else [str(one.get('language', '')), str(one.get('stopwords', '')), str(one.get('type', ''))]):
            for name in SAMPLES:
                if name in word.lower():
                    return name
    return None


def one_part(table, place, more):
    """A generator for requests about one component."""
    def make(dice, name):
        body = {}
        target = part(dice, table, name)
        if place == 'tokenizer':
            body['tokenizer'] = target
        else:
            option(dice, body, 'tokenizer', ['standard', 'standard', 'whitespace', 'keyword', 'whitespace', 'standard', 'uax_url_email', 'letter'], 0.93)
            body[place] = [target]
        if more and dice.chance(0.3):
            others = [part(dice, FILTERS, dice.one(list(FILTERS))) for _ in range(dice.int(1, 2))]
            body['filter'] = others + body.get('filter', []) if dice.chance(0.6) else body.get('filter', []) + others
        if dice.chance(0.06):
            body['char_filter'] = body.get('char_filter', []) + [part(dice, CHAR_FILTERS, dice.one(list(CHAR_FILTERS)))]
        body['text'] = texts(dice, language_of([target]))
        return body
    return make


def an_analyzer(dice, name):
    """A named analyzer."""
    return {'analyzer': name, 'text': texts(dice, language_of([name]))}


def explained(dice, body):
    """Now and then with an explanation of all or some attributes."""
    if dice.chance(0.3):
        body['explain'] = True
        dice.maybe(body, 'attributes', 0.4, lambda: dice.some(ATTRIBUTES, 1, 3))
    return body


def spoiled(dice, body):
    """A copy with one place made wrong."""
    body = copy.deepcopy(body)
    path = dice.one(list(places(body)))
    holder, key = at(body, path[:-1]), path[-1]
    how = dice.weighted({'value': 5, 'unknown': 2, 'remove': 2, 'wrap': 1, 'more': 2})
    if how == 'value' or not isinstance(holder, dict):
        holder[key] = dice.one(['x', -1, 0, 3.7, True, None, [], {}, ['a'], {'a': 'b'}, '', [[]], [None], 2147483648])
    elif how == 'unknown':
        holder[dice.one(['unknown', 'textt', 'filters'])] = dice.one([1, 'x', [], {}])
    elif how == 'remove':
        del holder[key]
    elif how == 'wrap':
        holder[key] = [holder[key]]
    else:
        body[dice.one(['analyzer', 'tokenizer', 'normalizer', 'field', 'filter', 'char_filter'])] = dice.one(['standard', 'lowercase', ['lowercase'], 'title'])
    return body


def indexed(dice, schema):
    """A request on an index: its fields, its analyzers, normalizers, bare names."""
    how = dice.weighted({'field': 4, 'normalizer': 1, 'analyzer': 2, 'parts': 4, 'none': 1})
    body = {'text': texts(dice)}
    if how == 'field':
        body['field'] = dice.one(schema.text + schema.keyword + schema.number + ['nothing', 'items.name', 'place'])
    elif how == 'normalizer':
        body['normalizer'] = dice.one(['lowercase', 'none', 'lower', 'lower'])
    elif how == 'analyzer':
        body['analyzer'] = dice.one(ANALYZERS)
    elif how == 'parts':
        option(dice, body, 'tokenizer', list(TOKENIZERS), 0.85)
        body['filter'] = [dice.one(list(FILTERS)) for _ in range(dice.int(0, 2))]
        option(dice, body, 'char_filter', [[name] for name in CHAR_FILTERS], 0.2)
    return body


def defined(dice):
    """The settings of an index with components of its own, and a request that uses them."""
    filters = {f'f{n}': part(dice, FILTERS, dice.one(list(FILTERS))) for n in range(dice.int(0, 2))}
    analysis = {'filter': {name: one for name, one in filters.items() if isinstance(one, dict)}}
    used = [name if isinstance(one, dict) else one for name, one in filters.items()]
    tokenizer = part(dice, TOKENIZERS, dice.one(list(TOKENIZERS)))
    if isinstance(tokenizer, dict):
        analysis['tokenizer'], tokenizer = {'t': tokenizer}, 't'
    how = dice.weighted({'custom': 4, 'kind': 4, 'normalizer': 2})
    language = None
    if how == 'custom':
        analysis['analyzer'] = {'mine': {'type': 'custom', 'tokenizer': tokenizer, 'filter': used}}
        dice.maybe(analysis['analyzer']['mine'], 'position_increment_gap', 0.3, lambda: dice.one([0, 1, 50, -1]))
    elif how == 'kind':
        made = {'type': dice.one(ANALYZERS)}
        language = language_of([made])
        option(dice, made, 'stopwords', WORDS + ['_none_', '_english_', '_foo_'], 0.4)
        option(dice, made, 'stem_exclusion', WORDS, 0.3)
        for key, choices in {'max_token_length': [2, 5], 'pattern': ['\\W', ',', '('], 'flags': ['CASE_INSENSITIVE', 'x'], 'lowercase': BOOLS, 'separator': ['', '+', 'ab'], 'max_output_size': [3, 20], 'language': SNOWBALLS}.items():
            option(dice, made, key, choices, 0.15)
        analysis['analyzer'] = {'mine': made}
    else:
        analysis['normalizer'] = {'mine': {'type': 'custom', 'filter': used}}
        if dice.chance(0.3):
            analysis['char_filter'] = {'c': part(dice, CHAR_FILTERS, dice.one(list(CHAR_FILTERS)))}
            analysis['normalizer']['mine']['char_filter'] = ['c']
            if isinstance(analysis['char_filter']['c'], str):
                del analysis['char_filter']
    return {'settings': analysis, 'request': explained(dice, {('normalizer' if how == 'normalizer' else 'analyzer'): 'mine', 'text': texts(dice, language)})}


def analyze(dice, schema):
    """Any request of `_analyze`: (body, what it is about, whether on an index)."""
    how = dice.weighted({'filter': 10, 'tokenizer': 4, 'char_filter': 2, 'analyzer': 4, 'index': 3, 'defined': 1.5})
    if how == 'defined':
        return defined(dice), 'defined'
    if how == 'index':
        body, about = indexed(dice, schema), 'index'
    elif how == 'analyzer':
        about = dice.one(ANALYZERS)
        body = an_analyzer(dice, about)
    else:
        table = {'filter': FILTERS, 'tokenizer': TOKENIZERS, 'char_filter': CHAR_FILTERS}[how]
        about = dice.one(list(table))
        body = one_part(table, how, how == 'filter')(dice, about)
    body = explained(dice, body)
    if dice.chance(0.05):
        body, about = spoiled(dice, body), 'spoiled'
    return body, about

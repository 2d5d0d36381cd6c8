"""Full-text queries."""
from kinds.registry import common, fuzziness, only_top, query, should_match, text_field


def matching(dice, options, phrase=False):
    """Options that match queries share."""
    dice.maybe(options, 'analyzer', 0.06, lambda: dice.one(['standard', 'whitespace', 'simple', 'english', 'keyword', 'stop']))
    dice.maybe(options, 'zero_terms_query', 0.06, lambda: dice.one(['all', 'none']))
    if phrase:
        dice.maybe(options, 'slop', 0.4, lambda: dice.int(0, 6))
        return common(dice, options)
    dice.maybe(options, 'operator', 0.3, lambda: dice.one(['and', 'or', 'AND']))
    dice.maybe(options, 'minimum_should_match', 0.2, lambda: should_match(dice))
    if dice.chance(0.15):
        options['fuzziness'] = fuzziness(dice)
        dice.maybe(options, 'prefix_length', 0.3, lambda: dice.int(0, 2))
        dice.maybe(options, 'max_expansions', 0.3, lambda: dice.one([1, 5, 20]))
        dice.maybe(options, 'fuzzy_transpositions', 0.2, False)
        dice.maybe(options, 'fuzzy_rewrite', 0.15, lambda: dice.one(['constant_score', 'scoring_boolean', 'top_terms_3', 'top_terms_boost_3', 'nothing']))
    dice.maybe(options, 'auto_generate_synonyms_phrase_query', 0.06, lambda: dice.chance(0.3))
    dice.maybe(options, 'lenient', 0.05, True)
    return common(dice, options)


@query(10)
def match(dice, schema, depth):
    field = dice.one(schema.text * 6 + schema.keyword + schema.number + schema.date + schema.ip + schema.boolean)
    value = schema.phrase(dice, field, 1, 5) if field in schema.text else schema.value(dice, field)
    if dice.chance(0.3):
        return {'match': {field: value}}
    return {'match': {field: matching(dice, {'query': value})}}


@query(5)
def match_phrase(dice, schema, depth):
    field = dice.one(schema.text * 6 + schema.keyword)
    value = schema.phrase(dice, field, 1, 4)
    if dice.chance(0.4):
        return {'match_phrase': {field: value}}
    return {'match_phrase': {field: matching(dice, {'query': value}, phrase=True)}}


@query(4)
def match_phrase_prefix(dice, schema, depth):
    field = text_field(dice, schema)
    value = schema.phrase(dice, field, 1, 3)
    value = value[:max(1, len(value) - dice.int(0, 4))]
    options = matching(dice, {'query': value}, phrase=True)
    dice.maybe(options, 'max_expansions', 0.3, lambda: dice.one([1, 3, 20]))
    return {'match_phrase_prefix': {field: options}}


@query(3)
def match_bool_prefix(dice, schema, depth):
    field = text_field(dice, schema)
    value = schema.phrase(dice, field, 1, 4)
    options = {'query': value[:max(1, len(value) - dice.int(0, 4))]}
    dice.maybe(options, 'operator', 0.3, lambda: dice.one(['and', 'or']))
    dice.maybe(options, 'minimum_should_match', 0.2, lambda: should_match(dice))
    if dice.chance(0.15):
        options['fuzziness'] = fuzziness(dice)
        dice.maybe(options, 'prefix_length', 0.3, 1)
        dice.maybe(options, 'max_expansions', 0.3, lambda: dice.one([1, 5]))
        dice.maybe(options, 'fuzzy_rewrite', 0.2, 'top_terms_boost_2')
    dice.maybe(options, 'analyzer', 0.1, lambda: dice.one(['standard', 'whitespace']))
    return {'match_bool_prefix': {field: common(dice, options)}}


def fields(dice, schema):
    """A list of fields, some with boosts and patterns."""
    chosen = dice.some(schema.text, 1, 3)
    if dice.chance(0.12):
        chosen.append(dice.one(schema.keyword))
    if dice.chance(0.06):
        chosen.append(dice.one(schema.number))
    if dice.chance(0.08):
        chosen.append(dice.one(['titl*', 'no_such_field', 'desc*', 'title.*']))
    return [f'{field}^{dice.one([2, 0.5, 3])}' if dice.chance(0.25) else field for field in chosen]


@query(5)
def multi_match(dice, schema, depth):
    kind = dice.one(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix', 'bool_prefix'])
    options = {'query': schema.phrase(dice, text_field(dice, schema), 1, 4), 'fields': fields(dice, schema)}
    if dice.chance(0.85):
        options['type'] = kind
    else:
        kind = 'best_fields'
    if kind in ('phrase', 'phrase_prefix'):
        dice.maybe(options, 'slop', 0.3, lambda: dice.int(0, 4))
    else:
        dice.maybe(options, 'operator', 0.3, lambda: dice.one(['and', 'or']))
        dice.maybe(options, 'minimum_should_match', 0.2, lambda: should_match(dice))
        if kind in ('best_fields', 'most_fields', 'bool_prefix'):
            dice.maybe(options, 'fuzziness', 0.15, lambda: fuzziness(dice))
            dice.maybe(options, 'prefix_length', 0.08, lambda: dice.int(0, 2))
            dice.maybe(options, 'fuzzy_rewrite', 0.04, lambda: dice.one(['constant_score', 'top_terms_2']))
    dice.maybe(options, 'max_expansions', 0.06, lambda: dice.one([1, 4, 30]))
    dice.maybe(options, 'zero_terms_query', 0.05, lambda: dice.one(['all', 'none']))
    dice.maybe(options, 'auto_generate_synonyms_phrase_query', 0.05, lambda: dice.chance(0.3))
    dice.maybe(options, 'tie_breaker', 0.3, lambda: dice.one([0, 0.3, 0.7, 1.0]))
    dice.maybe(options, 'lenient', 0.3, True)
    dice.maybe(options, 'analyzer', 0.06, lambda: dice.one(['standard', 'whitespace', 'english']))
    return {'multi_match': common(dice, options)}


@query(2)
def combined_fields(dice, schema, depth):
    plain = [field for field in schema.text if field not in ('title.english', 'title.shingles', 'text.english', 'bare', 'only', 'typed')]
    options = {'query': schema.phrase(dice, dice.one(plain), 1, 4), 'fields': dice.some(plain, 1, 3)}
    options['fields'] = [f'{f}^{dice.one([1, 2, 3.5])}' if dice.chance(0.3) else f for f in options['fields']]
    dice.maybe(options, 'operator', 0.3, lambda: dice.one(['and', 'or']))
    dice.maybe(options, 'minimum_should_match', 0.2, lambda: should_match(dice))
    return {'combined_fields': common(dice, options)}


def clause(dice, schema, depth):
    """A clause of the Lucene query syntax."""
    field = text_field(dice, schema)
    word = ''.join(c for c in schema.word(dice, field) if c.isalnum()) or 'a'
    raw = [lambda: word, lambda: word, lambda: f'"{schema.phrase(dice, field, 2, 3)}"'.replace('/', ' '), lambda: word[:3] + '*', lambda: f'{field}:{word}',
           lambda: f'{word}~', lambda: f'{word}~1', lambda: f'"{word} {schema.word(dice, field)}"~{dice.int(1, 5)}', lambda: f'{word}^{dice.one([2, 0.5])}',
           lambda: f'{dice.one(schema.number)}:[{dice.int(0, 9)} TO {dice.int(10, 90)}]', lambda: f'{dice.one(schema.number)}:>{dice.int(0, 50)}',
           lambda: f'{dice.one(schema.keyword)}:{dice.one("abcde")}*', lambda: f'_exists_:{dice.one(schema.number + schema.keyword)}',
           lambda: f'/{word[:2]}[a-z]+/', lambda: f'{word[0]}?{word[2:]}*', lambda: f'{dice.one(schema.number)}:{{* TO {dice.int(0, 50)}}}',
           lambda: '*:*', lambda: f'{field}:({word} OR {schema.word(dice, field)})', lambda: f'{dice.one(schema.keyword)}:"{schema.value(dice, dice.one(schema.keyword))}"',
           lambda: f'{field}:*', lambda: word + '\\-x', lambda: f'{dice.one(schema.number)}:<={dice.int(0, 50)}']
    if depth > 0 and dice.chance(0.25):
        return '(' + expression(dice, schema, depth - 1) + ')' + dice.one(['', '', '^2'])
    return dice.one(raw)()


def expression(dice, schema, depth):
    """An expression of the Lucene query syntax; now and then a broken one."""
    made = clause(dice, schema, depth)
    for _ in range(dice.int(0, 3)):
        made += dice.one([' ', ' AND ', ' OR ', ' NOT ', ' +', ' -', ' && ', ' || ', ' !', ' AND NOT ']) + clause(dice, schema, depth)
    if dice.chance(0.05):
        # What few write: signs alone, escapes, boosts of 1, distances that are none.
        made = dice.one(['+ ', '- ', '! ', '\\u0061', 'a^1 ', '/a\\/b/ ', 'a\\u00zz ', 'a~x ', 'a~1.5 ', '"a b"~x ', 'none:a* ', 'a^0 ']) + made
    if dice.chance(0.04):
        made += dice.one([' AND', ' (', ']', '"', ' OR OR x', ':', '^', '~', ' [a TO', '\\'])
    return dice.one(['', '', '', '+', '-']) + made


@query(5)
def query_string(dice, schema, depth):
    options = {'query': expression(dice, schema, 2)}
    if dice.chance(0.5):
        options['fields'] = fields(dice, schema)
        dice.maybe(options, 'type', 0.4, lambda: dice.one(['best_fields', 'most_fields', 'cross_fields', 'phrase', 'phrase_prefix']))
        dice.maybe(options, 'tie_breaker', 0.2, lambda: dice.one([0.3, 1.0]))
    else:
        options['default_field'] = text_field(dice, schema)
    dice.maybe(options, 'default_operator', 0.3, lambda: dice.one(['and', 'OR']))
    dice.maybe(options, 'minimum_should_match', 0.12, lambda: should_match(dice))
    dice.maybe(options, 'lenient', 0.4, True)
    dice.maybe(options, 'analyze_wildcard', 0.1, True)
    dice.maybe(options, 'allow_leading_wildcard', 0.1, lambda: dice.chance(0.5))
    dice.maybe(options, 'phrase_slop', 0.1, lambda: dice.int(0, 4))
    dice.maybe(options, 'fuzziness', 0.1, lambda: fuzziness(dice))
    dice.maybe(options, 'fuzzy_prefix_length', 0.1, lambda: dice.int(0, 2))
    dice.maybe(options, 'quote_field_suffix', 0.05, '.english')
    dice.maybe(options, 'analyzer', 0.05, lambda: dice.one(['standard', 'whitespace', 'english']))
    dice.maybe(options, 'rewrite', 0.05, lambda: dice.one(['constant_score', 'scoring_boolean']))
    dice.maybe(options, 'fuzzy_rewrite', 0.08, lambda: dice.one(['constant_score', 'constant_score_blended', 'scoring_boolean', 'top_terms_3', 'top_terms_boost_3', 'none']))
    dice.maybe(options, 'auto_generate_synonyms_phrase_query', 0.05, False)
    dice.maybe(options, 'enable_position_increments', 0.05, False)
    return {'query_string': common(dice, options)}


@query(4)
def simple_query_string(dice, schema, depth):
    field = text_field(dice, schema)

    def simple():
        word = schema.word(dice, field)
        return dice.one([word, word, f'"{schema.phrase(dice, field, 2, 3)}"', word[:3] + '*', f'-{word}', f'{word}~1', f'"{word} x"~3', f'+{word}',
                         f'({word} | {schema.word(dice, field)})', f'{word} + {schema.word(dice, field)}', '(', '"', f'{word}~', '|', '\\' + word])
    options = {'query': ' '.join(simple() for _ in range(dice.int(1, 4)))}
    # All fields of the synthetic index have inner ones among them (of completion, percolator …) that only the reference has.
    dice.maybe(options, 'fields', 1.0 if 'every' in schema.index else 0.85, lambda: fields(dice, schema))
    dice.maybe(options, 'default_operator', 0.3, lambda: dice.one(['and', 'or']))
    dice.maybe(options, 'flags', 0.2, lambda: dice.one(['ALL', 'NONE', 'OR|AND|PREFIX', 'PHRASE|FUZZY|SLOP', 'WHITESPACE', 'NEAR|NOT']))
    dice.maybe(options, 'minimum_should_match', 0.15, lambda: should_match(dice))
    dice.maybe(options, 'lenient', 0.4, True)
    dice.maybe(options, 'analyze_wildcard', 0.1, True)
    dice.maybe(options, 'fuzzy_max_expansions', 0.05, lambda: dice.one([1, 10]))
    dice.maybe(options, 'quote_field_suffix', 0.05, '.english')
    return {'simple_query_string': common(dice, options)}


@query(3)
def more_like_this(dice, schema, depth):
    usable = [field for field in schema.text if field not in ('title.shingles', 'typed')]
    # Documents are only named where one shard asks for them: the threads of several wait for each other in the reference, for ever.
    named = {'_index': schema.index, '_id': dice.one(schema.ids)} if schema.index.endswith('-1') else schema.word(dice, dice.one(usable))
    like = [dice.one([schema.phrase(dice, dice.one(usable), 3, 12), named]) for _ in range(dice.int(1, 2))]
    options = {'like': like if len(like) > 1 else like[0], 'min_term_freq': dice.one([1, 1, 2]), 'min_doc_freq': dice.one([1, 2, 5])}
    dice.maybe(options, 'fields', 0.97, lambda: dice.some(usable, 1, 2))
    dice.maybe(options, 'max_query_terms', 0.4, lambda: dice.one([2, 5, 25]))
    dice.maybe(options, 'minimum_should_match', 0.3, lambda: should_match(dice))
    dice.maybe(options, 'min_word_length', 0.2, lambda: dice.int(0, 5))
    dice.maybe(options, 'max_doc_freq', 0.2, lambda: dice.one([50, 500]))
    dice.maybe(options, 'boost_terms', 0.15, lambda: dice.one([0, 1, 2.5]))
    dice.maybe(options, 'include', 0.2, True)
    dice.maybe(options, 'stop_words', 0.1, ['the', 'and', 'of'])
    dice.maybe(options, 'unlike', 0.15, lambda: schema.phrase(dice, dice.one(usable), 1, 4))
    return {'more_like_this': common(dice, options)}


@query(1, when=only_top)
def percolate(dice, schema, depth):
    options = {'field': 'stored_query'}
    document = {'title': schema.phrase(dice, 'title', 1, 4), 'body': schema.phrase(dice, 'body', 2, 9), 'tag': schema.value(dice, 'tag'), 'int': dice.int(0, 40)}
    options |= dice.one([{'document': document}, {'documents': [document, {'tag': 'red'}]}, {'index': schema.index, 'id': dice.one(schema.ids)}])
    return {'percolate': common(dice, options)}

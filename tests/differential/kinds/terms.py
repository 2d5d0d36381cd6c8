"""Term-level queries."""
from kinds.registry import common, fuzziness, keyword_field, only_top, query, should_match, text_field


def exact_field(dice, schema):
    """A field that is searched for exact values."""
    fields = schema.keyword * 3 + schema.number * 2 + schema.date + schema.ip + schema.boolean + schema.text
    return dice.one(fields)


def exact_value(dice, schema, field):
    """A value of a field, in a notation that a query may use."""
    if field in schema.text:
        return schema.word(dice, field).lower()
    value = schema.value(dice, field)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and dice.chance(0.2):
        return str(value)
    return value


@query(3)
def match_all(dice, schema, depth):
    return {dice.weighted({'match_all': 9, 'match_none': 1}): common(dice, {})}


@query(6)
def term(dice, schema, depth):
    field = exact_field(dice, schema)
    value = exact_value(dice, schema, field)
    if dice.chance(0.4):
        return {'term': {field: value}}
    options = {'value': value}
    if field in schema.keyword + schema.text:
        dice.maybe(options, 'case_insensitive', 0.3, True)
    return {'term': {field: common(dice, options)}}


@query(5)
def terms(dice, schema, depth):
    field = exact_field(dice, schema)
    return {'terms': common(dice, {field: [exact_value(dice, schema, field) for _ in range(dice.int(0, 6))]})}


@query(2, when=only_top)
def terms_lookup(dice, schema, depth):
    return {'terms': {'tag': {'index': schema.index, 'id': dice.one(schema.ids[:60]), 'path': dice.one(['tag', 'items.name', 'code'])}}}


@query(1)
def terms_set(dice, schema, depth):
    field = keyword_field(dice, schema)
    options = {'terms': [exact_value(dice, schema, field) for _ in range(dice.int(1, 5))]}
    number = dice.one([f for f in schema.number if f not in ('nodoc', 'noindex')])
    options |= dice.one([{'minimum_should_match_field': number},
                         {'minimum_should_match_script': {'source': 'Math.min(params.num_terms, 2)'}}])
    return {'terms_set': {field: common(dice, options)}}


def bounds(dice, make):
    """Lower and upper bounds, mostly in order."""
    low, high = make(), make()
    if type(low) is type(high) and low > high and dice.chance(0.95):
        low, high = high, low
    found = {}
    dice.maybe(found, dice.one(['gte', 'gt']), 0.85, lambda: low)
    dice.maybe(found, dice.one(['lte', 'lt']), 0.85, lambda: high)
    return found


@query(6)
def range_(dice, schema, depth):
    field = dice.one(schema.number * 2 + schema.keyword + schema.ip + list(schema.range))
    source = schema.range.get(field, field)
    options = bounds(dice, lambda: schema.value(dice, source))
    if field in schema.range:
        dice.maybe(options, 'relation', 0.6, lambda: dice.one(['intersects', 'within', 'contains', 'INTERSECTS']))
    return {'range': {field: common(dice, options)}}


MATH = ['2021-03-04', '2021-03', '2021', '2022-01-01||/M', '2021-06-15||+1M/d', '2020-02-29T12:00:00||-1y', '2021-01-01T00:00:00Z||/w',
        '2023-05-05||+1d-2h', 'now-3y/y', 'now/d', 1600000000000, '1600000000000']


@query(4, when=lambda schema: schema.date)
def date_range(dice, schema, depth):
    field = dice.one(schema.date)
    make = (lambda: dice.one(['2010/01/02', '2020/05/06||/M', '1500000000', 'now/y'])) if field == 'day' else \
        (lambda: dice.one(MATH)) if dice.chance(0.7) else (lambda: schema.value(dice, field))
    options = {}
    dice.maybe(options, dice.one(['gte', 'gt']), 0.8, make)
    dice.maybe(options, dice.one(['lte', 'lt']), 0.8, make)
    dice.maybe(options, 'time_zone', 0.25, lambda: dice.one(['+01:00', 'Europe/Berlin', '-05:30', 'America/New_York']))
    if dice.chance(0.15):
        for bound in list(options):
            if bound != 'time_zone':
                options[bound] = dice.one(['01/02/2021', '15/06/2022||/M'])
        options['format'] = 'dd/MM/yyyy'
    return {'range': {field: common(dice, options)}}


@query(3)
def exists(dice, schema, depth):
    fields = schema.keyword + schema.number + schema.text + schema.date + list(schema.range) + list(schema.nested)
    if schema.synthetic:
        fields = fields + ['place', 'area', 'rank', 'flat', 'author', 'link', 'missing_field', 'suggest', 'blob', 'aut*']
    return {'exists': common(dice, {'field': dice.one(fields)})}


@query(2)
def ids(dice, schema, depth):
    return {'ids': common(dice, {'values': [dice.one(schema.ids) for _ in '12345'[:dice.int(0, 5)]]})}


def stem(dice, schema, field):
    """The beginning of a value."""
    value = str(schema.word(dice, field) if field in schema.text or dice.chance(0.3) else schema.value(dice, field))
    return value[:dice.int(1, 6)]


REWRITES = ['constant_score', 'constant_score_boolean', 'scoring_boolean', 'top_terms_5', 'top_terms_boost_3', 'top_terms_blended_freqs_4']


@query(3)
def prefix(dice, schema, depth):
    field = dice.one(schema.keyword + schema.text)
    options = {'value': stem(dice, schema, field).lower() if dice.chance(0.5) else stem(dice, schema, field)}
    dice.maybe(options, 'case_insensitive', 0.3, lambda: dice.chance(0.7))
    dice.maybe(options, 'rewrite', 0.2, lambda: dice.one(REWRITES))
    return {'prefix': {field: common(dice, options)}}


@query(3)
def wildcard(dice, schema, depth):
    field = dice.one(schema.keyword + schema.text)
    value = stem(dice, schema, field)
    pattern = dice.one([value + '*', '*' + value, '*' + value[:3] + '*', value[:2] + '?' + value[3:] + '*', '?' * len(value), '*', value])
    options = {dice.weighted({'value': 9, 'wildcard': 1}): pattern}
    dice.maybe(options, 'case_insensitive', 0.3, lambda: dice.chance(0.7))
    dice.maybe(options, 'rewrite', 0.2, lambda: dice.one(REWRITES))
    return {'wildcard': {field: common(dice, options)}}


@query(3)
def regexp(dice, schema, depth):
    field = dice.one(schema.keyword + schema.text)
    value = ''.join(c for c in stem(dice, schema, field) if c.isalnum()) or 'a'
    pattern = dice.one([value + '.*', f'[{value[0]}-z]+', f'({value}|b.+)', f'{value}?.{{1,4}}', f'.*{value[-1]}', '<1-50>', '~(a.*)',
                        f'{value}[^a]+', '@', f'{value[0]}.&.*', 'a{2,}|.b', '"x"+', '[[]', 'a|', '.{0,3}', f'(?i){value}', '\\d+', '\\w*'])
    options = {'value': pattern}
    dice.maybe(options, 'case_insensitive', 0.2, True)
    dice.maybe(options, 'flags', 0.3, lambda: dice.one(['ALL', 'NONE', 'INTERVAL', 'COMPLEMENT|INTERVAL', 'ANYSTRING', 'INTERSECTION', 'EMPTY']))
    dice.maybe(options, 'max_determinized_states', 0.1, lambda: dice.one([100, 10000]))
    dice.maybe(options, 'rewrite', 0.15, lambda: dice.one(REWRITES))
    return {'regexp': {field: common(dice, options)}}


@query(3)
def fuzzy(dice, schema, depth):
    field = dice.one(schema.keyword + schema.text * 2)
    word = schema.word(dice, field) if field in schema.text else str(schema.value(dice, field))[:12]
    word = list(word.lower() or 'a')
    at = dice.int(0, len(word) - 1)
    word[at:at + 1] = dice.one([['x'], [], ['a', word[at]], [word[at]]])
    options = {'value': ''.join(word)}
    dice.maybe(options, 'fuzziness', 0.6, lambda: fuzziness(dice))
    dice.maybe(options, 'prefix_length', 0.3, lambda: dice.int(0, 3))
    dice.maybe(options, 'max_expansions', 0.3, lambda: dice.one([1, 3, 10, 50]))
    dice.maybe(options, 'transpositions', 0.2, lambda: dice.chance(0.5))
    dice.maybe(options, 'rewrite', 0.15, lambda: dice.one(REWRITES))
    return {'fuzzy': {field: common(dice, options)}}


@query(1, when=only_top)
def rank_feature(dice, schema, depth):
    field = dice.one(['rank', 'ranks.red', 'ranks.blue', 'ranks.none'])
    options = {'field': field}
    options |= dice.one([{}, {'saturation': {}}, {'saturation': {'pivot': 8}}, {'log': {'scaling_factor': 4}}, {'linear': {}},
                         {'sigmoid': {'pivot': 7, 'exponent': 0.6}}])
    return {'rank_feature': common(dice, options)}


@query(1, when=lambda schema: schema.date)
def distance_feature(dice, schema, depth):
    if schema.synthetic and dice.chance(0.4):
        return {'distance_feature': common(dice, {'field': 'place', 'origin': [10.1, 50.2], 'pivot': dice.one(['100km', '5000m', '2mi'])})}
    field = dice.one([f for f in schema.date if f != 'day'] or schema.date)
    return {'distance_feature': common(dice, {'field': field, 'origin': dice.one(['2021-05-06', '2022-01-01T00:00:00Z']), 'pivot': dice.one(['7d', '1h', '90d'])})}


@query(2)
def metadata(dice, schema, depth):
    """What is asked of the fields that every document has."""
    name = dice.one(['_id', '_id', '_index', '_routing', '_ignored', '_seq_no', '_version', '_field_names', '_source', '_nothing', '_doc_count'])
    values = {'_id': schema.ids, '_index': [schema.index, 'nothing-there', schema.index[:4] + '*'], '_routing': ['1', '55', '3'], '_ignored': schema.number + schema.date + ['short', 'addr', 'n_loose', 'd_loose'],
              '_field_names': schema.keyword}
    value = dice.one(values.get(name, [0, 1, 7, 200]))
    text = str(value)
    return dice.one([
        lambda: {'term': {name: value}}, lambda: {'term': {name: common(dice, {'value': value, 'case_insensitive': dice.chance(0.5)})}},
        lambda: {'terms': {name: [value, dice.one(values.get(name, [3, 9]))]}}, lambda: {'match': {name: value}}, lambda: {'match_phrase': {name: text}},
        lambda: {'prefix': {name: text[:dice.int(1, 3)]}}, lambda: {'wildcard': {name: text[:2] + '*'}}, lambda: {'regexp': {name: text[:1] + '.*'}}, lambda: {'fuzzy': {name: text}},
        lambda: {'range': {name: {'gte': value}}}, lambda: {'exists': common(dice, {'field': name})}, lambda: {'query_string': {'query': f'{name}:"{text}"'}},
        lambda: {'query_string': {'query': f'{name}:{text[:2]}*', 'lenient': True}}, lambda: {'ids': {'values': [text]}}, lambda: {'multi_match': {'query': text, 'fields': [name, schema.text[0]]}},
        lambda: {'simple_query_string': {'query': text, 'fields': [name]}}])()


@query(1, when=only_top)
def flat(dice, schema, depth):
    return dice.one([{'term': {'flat.red': 'a-100'}}, {'term': {'flat': dice.one(['a-100', '3', 'c-9'])}}, {'exists': {'field': 'flat.deep'}},
                     {'term': {'flat.deep.n': '2'}}, {'prefix': {'flat.green': 'a'}}, {'match': {'flat.blue': 'b-100'}},
                     {'wildcard': {'flat.red': '*100'}}, {'range': {'flat.deep.n': {'gte': '2'}}}])

"""Spans and intervals."""
from kinds.registry import common, query


def positional(dice, schema):
    """A text field that has positions."""
    return dice.one([field for field in schema.text if field not in ('bare', 'only', 'typed', 'title.shingles')])


def token(dice, schema, field):
    """A word as the index holds it, more or less."""
    word = schema.word(dice, field).lower().strip('.,()')
    return word or 'a'


def span(dice, schema, field, depth):
    """A span query on one field."""
    kinds = ['span_term'] * 3 + ['span_multi']
    if depth > 0:
        kinds += ['span_near'] * 3 + ['span_or', 'span_not', 'span_first', 'span_containing', 'span_within', 'field_masking_span']
    kind = dice.one(kinds)
    inner = lambda: span(dice, schema, field, depth - 1)  # noqa: E731
    if kind == 'span_term':
        word = token(dice, schema, field)
        return {'span_term': {field: word if dice.chance(0.7) else common(dice, {'value': word})}}
    if kind == 'span_multi':
        word = token(dice, schema, field)
        return {'span_multi': {'match': dice.one([{'prefix': {field: {'value': word[:3]}}}, {'fuzzy': {field: {'value': word}}},
                                                  {'wildcard': {field: {'value': word[:3] + '*'}}}, {'regexp': {field: {'value': (word[:2] if word[:2].isalnum() else 'a') + '.*'}}}])}}
    if kind == 'span_near':
        clauses, in_order = [inner() for _ in range(dice.int(1, 3))], dice.chance(0.5)
        if in_order and len(clauses) > 1 and dice.chance(0.2):
            clauses.insert(dice.int(1, len(clauses) - 1), {'span_gap': {field: dice.int(1, 3)}})
        return {'span_near': common(dice, {'clauses': clauses, 'slop': dice.int(0, 8), 'in_order': in_order})}
    if kind == 'span_or':
        return {'span_or': common(dice, {'clauses': [inner() for _ in range(dice.int(1, 3))]})}
    if kind == 'span_not':
        options = {'include': inner(), 'exclude': inner()}
        dice.maybe(options, 'pre', 0.3, lambda: dice.int(0, 3))
        dice.maybe(options, 'post', 0.3, lambda: dice.int(0, 3))
        dice.maybe(options, 'dist', 0.1, lambda: dice.int(0, 3))
        return {'span_not': common(dice, options)}
    if kind == 'span_first':
        return {'span_first': common(dice, {'match': inner(), 'end': dice.int(1, 6)})}
    if kind == 'field_masking_span':
        other = span(dice, schema, positional(dice, schema), depth - 1) if dice.chance(0.5) else inner()
        return {'field_masking_span': common(dice, {'query': other, 'field': field})}
    return {kind: common(dice, {'big': inner(), 'little': inner()})}


@query(6)
def spans(dice, schema, depth):
    return span(dice, schema, positional(dice, schema), min(depth + 1, 3))


FILTERS = ['after', 'before', 'contained_by', 'containing', 'not_contained_by', 'not_containing', 'not_overlapping', 'overlapping']


def rule(dice, schema, field, depth):
    """An intervals rule on one field."""
    kinds = ['match'] * 4 + ['prefix', 'wildcard', 'fuzzy', 'regexp']
    if depth > 0:
        kinds += ['all_of'] * 2 + ['any_of'] * 2
    kind = dice.one(kinds)
    word = token(dice, schema, field)
    if kind == 'match':
        options = {'query': schema.phrase(dice, field, 1, 3)}
        dice.maybe(options, 'max_gaps', 0.4, lambda: dice.one([0, 1, 3, 10, -1]))
        dice.maybe(options, 'ordered', 0.4, lambda: dice.chance(0.5))
        dice.maybe(options, 'mode', 0.2, lambda: dice.one(['ordered', 'unordered', 'unordered_no_overlap']) if 'ordered' not in options else 'ordered')
        dice.maybe(options, 'analyzer', 0.05, 'standard')
    elif kind == 'prefix':
        options = {'prefix': word[:3]}
    elif kind == 'wildcard':
        options = {'pattern': word[:3] + dice.one(['*', '?', '*e'])}
    elif kind == 'regexp':
        options = {'pattern': (word[:2] if word[:2].isalnum() else 'a') + '.*'}
    elif kind == 'fuzzy':
        options = {'term': word}
        dice.maybe(options, 'fuzziness', 0.4, lambda: dice.one(['AUTO', 1, 2]))
        dice.maybe(options, 'transpositions', 0.2, False)
        dice.maybe(options, 'prefix_length', 0.2, 1)
    else:
        options = {'intervals': [rule(dice, schema, field, depth - 1) for _ in range(dice.int(1, 3))]}
        if kind == 'all_of':
            dice.maybe(options, 'max_gaps', 0.4, lambda: dice.one([0, 2, 10]))
            dice.maybe(options, 'ordered', 0.4, lambda: dice.chance(0.5))
    if kind not in ('all_of', 'any_of'):
        dice.maybe(options, 'use_field', 0.06, lambda: positional(dice, schema))
    if depth > 0 and kind in ('match', 'all_of', 'any_of') and dice.chance(0.35):
        options['filter'] = {dice.one(FILTERS): rule(dice, schema, field, depth - 1)}
        if dice.chance(0.08):
            options['filter'] = {'script': {'source': 'interval.start > 1 && interval.end < 10 && interval.gaps >= 0'}}
    return {kind: options}


@query(6)
def intervals(dice, schema, depth):
    field = positional(dice, schema)
    return {'intervals': {field: common(dice, rule(dice, schema, field, min(depth + 1, 3)))}}

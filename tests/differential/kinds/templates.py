"""Search templates: sections, functions and values of every kind, rendered, searched with, and several at once."""
TEXTS = ['red', 'amber', 'a"b', 'back\\slash', 'new\nline', '<&>', "o'neill", '', 'é/ü']


def value(dice, depth=2):
    """A value of a parameter."""
    kind = dice.one(['text', 'text', 'number', 'flag', 'none', 'list', 'object'] if depth else ['text', 'number', 'flag', 'none'])
    if kind == 'list':
        return [value(dice, depth - 1) for _ in range(dice.int(0, 3))]
    if kind == 'object':
        return {name: value(dice, depth - 1) for name in dice.some('abcdnt', 0, 3)}
    return {'text': dice.one(TEXTS), 'number': dice.one([0, 1, 2.5, 1e10, -3, 2**62]), 'flag': dice.chance(0.5), 'none': None}[kind]


def name_of(dice):
    """A name that a template may use, of a parameter or not."""
    return dice.one(['a', 'b', 'c', 'd', 'n', 't', 'a.b', 'c.0', 'd.size', 'b.1.a', '.', 'none'])


def part(dice, depth=2):
    """A piece of a template, within the quotes of a text."""
    name = name_of(dice)
    kind = dice.one(['plain', 'variable', 'raw', 'and', 'json', 'join', 'delimited', 'url', 'comment'] + (['section', 'section', 'inverted'] if depth else []))
    inner = ''.join(part(dice, depth - 1) for _ in range(dice.int(0, 2))) if depth else ''
    return {
        'plain': dice.one(['x', ' ', '1', '-']), 'variable': f'{{{{{name}}}}}', 'raw': f'{{{{{{{name}}}}}}}', 'and': f'{{{{&{name}}}}}', 'json': f'{{{{#toJson}}}}{name}{{{{/toJson}}}}',
        'join': f'{{{{#join}}}}{name}{{{{/join}}}}', 'delimited': f"{{{{#join delimiter='|'}}}}{name}{{{{/join delimiter='|'}}}}", 'url': f'{{{{#url}}}}{{{{{name}}}}} ?{{{{/url}}}}',
        'comment': '{{! none }}', 'section': f'{{{{#{name}}}}}{inner}{{{{/{name}}}}}', 'inverted': f'{{{{^{name}}}}}{inner}{{{{/{name}}}}}',
    }[kind]


def template(dice, schema):
    """A template with its parameters, and what is done with it."""
    params = {name: value(dice) for name in dice.some('abcdnt', 0, 6)}
    how = dice.weighted({'_render': 6, '_search': 4, '_msearch': 2})
    if how == '_render':
        source = '{"q":"' + ''.join(part(dice) for _ in range(dice.int(1, 4))) + '"}'
        if dice.chance(0.05):
            source = source[:dice.int(1, len(source))]
        return {'source': source, 'params': params}, {'how': how}
    params |= {'n': dice.int(0, 3), 't': schema.word(dice, schema.text[0]), 'c': [str(schema.value(dice, schema.keyword[0])) for _ in '12']}
    sources = [f'{{"size":{{{{n}}}}{{{{^n}}}}1{{{{/n}}}},"_source":false,"query":{{"match":{{"{schema.text[0]}":"{{{{t}}}}"}}}}}}',
               f'{{"size":{{{{n}}}},"_source":false,"query":{{"terms":{{"{schema.keyword[0]}":{{{{#toJson}}}}c{{{{/toJson}}}}}}}}}}',
               f'{{"size":"{{{{n}}}}","_source":false,"query":{{"bool":{{"should":[{{{{#c}}}}{{"term":{{"{schema.keyword[0]}":"{{{{.}}}}"}}}},{{{{/c}}}}{{"match_none":{{}}}}]}}}}}}',
               {'size': '{{n}}', '_source': False, 'query': {'match': {schema.text[0]: '{{t}}'}}}]
    def one():
        made = {'source': dice.one(sources), 'params': params}
        dice.maybe(made, 'explain', 0.1, True)
        if dice.chance(0.06):
            made = dice.one([{'id': 'none'}, {}, {'source': '{{#t}}'}, {'source': '{"none":1}'}, {'source': [1]}, made | {'params': dice.one([None, [], 3])}, made | {'none': 1}])
        return made
    if how == '_search':
        return one(), {'how': how}
    return {'rows': [row for _ in range(dice.int(1, 3)) for row in ({}, one())]}, {'how': how}

"""Scripts beyond searches: pipelines that are simulated, updates, stored scripts; and `expression`, which searches run."""
from kinds import painless
from kinds.compound import single_number

# What a script may do to the document of an update or of a pipeline; `{at}` stands for where its fields are.
CHANGES = ["{at}.n = {int}", "{at}.n += {int}", "{at}.s = {String}", "{at}['made'] = {Object}", "{at}.remove('s')", "{at}.l.add({Object})", "{at}.l.removeIf(x -> x == 2)", "{at}.o.deep = {Map}", "{at}.o.x.y = 1", "{at}.copy = {at}.clone()",
           "if ({at}.containsKey('s')) {{ {at}.s = {at}.s.toUpperCase() }}", "for (def k : new ArrayList({at}.keySet())) {{ if (k.length() > 1) {{ {at}.remove(k) }} }}", "{at}.l.sort(null)", "{at}.n = {at}.l.stream().mapToInt(x -> (int)x).sum()", "{at}.z = {at}.missing", "{at}.z = {at}.missing.more",
           "{at}.when = {ZonedDateTime}.toString()", "{at}.l[0] = {at}.l[1]", "{at}.l = {List}", "{at}.t = {at}.s.splitOnToken('e')", "{at}.big = {long}; {at}.d = {double}", "def x = {at}.o; x.n = {int}; {at}.p = x", "{at}.q = params.k + {at}.n", "{at}.nul = null", "{at}.arr = new int[] {{1, 2}}", "{at}.set = new TreeSet({strings})", "{at}.c = {char}"]
DOCUMENT = {'n': 5, 's': 'some text', 'l': [3, 1, 2], 'o': {'x': 1, 'y': ['a']}, 'b': True, 'd': 2.5}


def changes(dice, at):
    """A few statements."""
    rows = [dice.one(CHANGES) for _ in range(dice.int(1, 3))]
    return '; '.join(painless.filled(dice, row.replace('{at}', at)) for row in rows)


def simulated(dice, schema):
    """A pipeline of a script or two over documents."""
    about = ["ctx._id = 'other'", "ctx._index = ctx._index + '-x'", "ctx.routing = 'r'", "ctx._routing = 'r'", "ctx['tag'] = ctx._id + ctx._index", "ctx.bytes = Processors.bytes('1kb')", "ctx.low = Processors.lowercase(ctx.s)", "ctx.js = Processors.json('{\"a\": [1]}')", "ctx.u = Processors.urlDecode('a%20b')", "ctx._ingest.x = 1", "throw new Exception({String})"]
    processors = []
    for _ in range(dice.int(1, 2)):
        source = changes(dice, 'ctx') if dice.chance(0.75) else painless.filled(dice, dice.one(about))
        options = {'source': source, 'params': painless.PARAMS}
        dice.maybe(options, 'if', 0.25, lambda: dice.one(["ctx.n > 3", "ctx.s != null && ctx.s.contains('e')", "ctx.l instanceof List", 'ctx?.o?.x == 1', "ctx.missing.x == 2"]))
        dice.maybe(options, 'ignore_failure', 0.1, True)
        dice.maybe(options, 'tag', 0.1, 'mine')
        dice.maybe(options, 'on_failure', 0.1, [{'set': {'field': 'failed', 'value': '{{_ingest.on_failure_message}}'}}])
        processors.append({'script': options})
    return {'pipeline': {'processors': processors}, 'docs': [{'_index': 'i', '_id': '1', '_source': DOCUMENT}, {'_index': 'i', '_id': '2', '_source': {'s': 'é', 'l': []}}][:dice.int(1, 2)]}, {}


def updated(dice, schema):
    """An update of a document by a script."""
    source = changes(dice, 'ctx._source')
    if dice.chance(0.25):
        source += dice.one(["; ctx.op = 'none'", "; ctx.op = 'noop'", "; ctx.op = 'delete'", "; ctx.op = 'bad'", "; ctx._source.id = ctx._id", "; ctx._id = '2'", "; ctx._source.v = ctx._version", '; ctx._now = 1', "; ctx._source.i = ctx._index", "; ctx._source.keys = new TreeSet(ctx.keySet()).toString()"])
    made = {'script': {'source': source, 'params': painless.PARAMS}}
    dice.maybe(made, 'upsert', 0.3, {'n': 1, 'l': [1, 2]})
    dice.maybe(made, 'scripted_upsert', 0.2, True)
    dice.maybe(made, '_source', 0.5, True)
    return made, {'id': dice.one(['1', '1', '1', 'none'])}


def stored(dice, schema):
    """A script that is stored, read, run by its name, and removed."""
    made = painless.script(dice, schema)['script']['source'] if dice.chance(0.6) else dice.one(["doc['x'].value", 'params.k * 2', 'return 1 +', ''])
    script = {'lang': dice.one(['painless'] * 6 + ['expression', 'mustache', 'nolang']), 'source': made}
    dice.maybe(script, 'options', 0.1, {'content_type': 'application/json'})
    return {'script': script}, {'context': dice.one([None, None, 'score', 'filter', 'field', 'ingest', 'update', 'aggs', 'number_sort', 'nothing'])}


NUMBERS = ['1', '2.5', '0', "doc['{number}'].value", "doc['{number}'].min()", "doc['{number}'].max()", "doc['{number}'].avg()", "doc['{number}'].sum()", "doc['{number}'].median()", "doc['{number}'].count()", "doc['{number}'].length", "doc['{number}'].empty", 'k', '_score', '({n} + {n})', '({n} - {n})', '({n} * {n})', '({n} / {n})', '({n} % 7)', '-{n}',
           'abs({n})', 'ceil({n})', 'floor({n})', 'sqrt(abs({n}))', 'pow({n}, 2)', 'ln(abs({n}) + 1)', 'log10(abs({n}) + 1)', 'logn(2, abs({n}) + 1)', 'exp({n} % 5)', 'max({n}, {n})', 'min({n}, {n})', 'sin({n})', 'cos({n})', 'tan({n})', 'asin(0.5)', 'acos(0.5)', 'atan({n})', 'atan2({n}, {n})', 'sinh(1)', 'cosh(1)', 'tanh({n})', 'acosh(2)', 'asinh(2)', 'atanh(0.5)',
           '({b} ? {n} : {n})', '({n} & 3)', '({n} | 4)', '({n} ^ 1)', '(~{n})', '({n} << 2)', '({n} >> 1)', '({n} >>> 1)', 'haversin(40.7, -74, 41, -73)', '{number}', "doc['{date}'].date.year", "doc['{date}'].date.monthOfYear", "doc['{date}'].date.dayOfWeek", "doc['{date}'].getHourOfDay()", "doc['{date}'].getMinutes()", "doc['{date}'].getYear()", "doc['{date}'].date.millisOfDay", "doc['{date}'].getDayOfMonth()", "doc['{date}'].getMonth()",
           "doc['place'].lat", "doc['place'].lon", "doc['place'].empty", 'unknown', 'nothere({n})', "doc['tag'].value", "doc['missing'].value", '0x1f', '017', '1e3']
BOOLEANS = ['{n} < {n}', '{n} <= {n}', '{n} == {n}', '{n} != {n}', '({b} && {b})', '({b} || {b})', '!({b})', '{n} > 0']


def formula(dice, schema, of, depth):
    """An expression of the language `expression`."""
    rows = NUMBERS if of == 'n' else BOOLEANS
    text = dice.one(rows if depth > 0 else [row for row in rows if '{n}' not in row and '{b}' not in row] or ['1 < 2'])
    for other in 'nb':
        while '{' + other + '}' in text:
            text = text.replace('{' + other + '}', formula(dice, schema, other, depth - 1), 1)
    return text.replace('{number}', single_number(dice, schema)).replace('{date}', dice.one(schema.date or schema.number))


def expressed(dice, schema):
    """A search with an `expression` in one of the places that it may stand in."""
    script = {'lang': 'expression', 'source': formula(dice, schema, 'n', dice.int(0, 3)), 'params': {'k': 3}}
    query = {'ids': {'values': dice.some(schema.ids, 3, 6)}}
    place = dice.one(['score', 'function', 'sort', 'field', 'field', 'metric', 'terms', 'filter', 'bucket'])
    body = {'size': 3, '_source': False, 'query': query}
    if place == 'score':
        body['query'] = {'script_score': {'query': query, 'script': script}}
    elif place == 'function':
        body['query'] = {'function_score': {'query': query, 'script_score': {'script': script}}}
    elif place == 'sort':
        body['sort'] = {'_script': {'type': 'number', 'script': script}}
    elif place == 'field':
        body['script_fields'] = {'made': {'script': script}}
    elif place == 'filter':
        body['query'] = {'bool': {'must': query, 'filter': {'script': {'script': script}}}}
    elif place == 'bucket':
        inner = {'lang': 'expression', 'source': dice.one(['a + 1', 'a / b', 'max(a, b)', 'a > 2 ? a : b', '_value', 'a * k']), 'params': {'k': 2}}
        number = single_number(dice, schema)
        body['aggs'] = {'h': {'terms': {'field': number, 'size': 4}, 'aggs': {'m': {'avg': {'field': number}}, 'p': {dice.one(['bucket_script', 'bucket_selector']): {'buckets_path': {'a': 'm', 'b': '_count'}, 'script': inner}}}}}
    else:
        kind = 'terms' if place == 'terms' else dice.one(['sum', 'avg', 'stats', 'max', 'cardinality'])
        body['aggs'] = {'a': {kind: {'script': script}}} if dice.chance(0.6) else {'a': {kind: {'field': single_number(dice, schema), 'script': {'lang': 'expression', 'source': '_value * 2 + ' + formula(dice, schema, 'n', 1)}}}}
    return body, {}

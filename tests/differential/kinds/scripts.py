"""Scripts: random expressions over the methods of numbers, texts, lists, maps and dates, in the contexts that searches have."""
import corpora

# Leaves and combinations by type. `{n}`, `{s}`, `{l}`, `{m}`, `{b}`, `{d}` stand for expressions of a type.
NUMBERS = ['1', '2', '7', '-3', '0', '2.5', '100L', '0.1', '1e10', "(doc['{number}'].size() == 0 ? 0 : doc['{number}'].value)", '{s}.length()', '{l}.size()', '{m}.size()',
           'Math.abs({n})', 'Math.max({n}, {n})', 'Math.min({n}, {n})', 'Math.floor({n})', 'Math.ceil({n})', 'Math.round({n} + 0.5)', 'Math.sqrt(Math.abs({n}))',
           'Math.pow({n} % 5, 2)', 'Math.signum((double){n})', 'Math.toDegrees({n})', '({n} + {n})', '({n} - {n})', '({n} * {n})', '({n} % 7)', '({n} / 4.0)', '({n} / ({n}))', '(-{n})',
           '({b} ? {n} : {n})', '(int)({n})', '(long)({n})', '(byte)({n})', '(float)({n})', '((int)({n}) & 255)', '((int)({n}) << 3)', '((int)({n}) >>> 2)', '((int)({n}) ^ 5)',
           '{s}.indexOf({s})', '{s}.compareTo({s})', 'Integer.parseInt("42")', 'Double.parseDouble({s})', 'Integer.compare((int){n}, (int){n})', 'Long.bitCount((long){n})', '{s}.hashCode()',
           '{l}.stream().mapToInt(x -> x.toString().length()).sum()', '{l}.indexOf({n})', '{d}.getYear()', '{d}.getDayOfWeekEnum().getValue()', '{d}.toInstant().toEpochMilli()',
           'ChronoUnit.DAYS.between({d}, {d})', '{m}.getOrDefault("a", {n})', '{l}.get(0)', '{l}[{n}]', '{s}.charAt(0)', 'params.k', 'Character.getNumericValue((char)({s}.charAt(0)))']
TEXTS = ['"abc"', '""', '"Quick Brown"', "' a b '", '"x" + {n}', '{s} + {s}', '{s}.toUpperCase()', '{s}.toLowerCase()', '{s}.trim()', '{s}.substring(1)', '{s}.replace("a", "zz")',
         '{s}.replaceAll(/[aeiou]/, m -> m.group().toUpperCase())', 'String.valueOf({n})', 'Integer.toString((int){n})', 'Long.toHexString((long){n})', 'Double.toString({n})',
         'String.join("-", ["a", "b"])', '{l}.toString()', '{m}.toString()', '{n}.toString()', '{b}.toString()', '{d}.toString()', "{d}.format(DateTimeFormatter.ofPattern('yyyy-MM-dd'))",
         '{s}.splitOnToken(" ")[0]', '({b} ? {s} : {s})', '(doc["{keyword}"].size() == 0 ? "none" : doc["{keyword}"].value)', 'params.t', '{s}.encodeBase64()', '{s}.concat({s})',
         'new StringBuilder({s}).reverse().toString()', '{l}.stream().map(x -> x.toString()).collect(Collectors.joining("|"))', '{s}[0]', '"%s".replace("%s", {s})']
LISTS = ['[1, 2, 3]', '[]', '["b", "a"]', '[{n}, {n}]', '[{s}, {s}, {s}]', 'new ArrayList([3, 1, 2])', 'Arrays.asList(1, 2)', 'Collections.emptyList()', '{s}.splitOnToken("a")',
         '{l}.stream().filter(x -> x != null).collect(Collectors.toList())', '{l}.stream().limit(2).collect(Collectors.toList())', '{l}.stream().distinct().collect(Collectors.toList())',
         '{l}.subList(0, 1)', 'new ArrayList({m}.keySet())', '[{l}, {m}]', '{l}.stream().sorted().collect(Collectors.toList())', 'params.l']
MAPS = ['["a": 1]', '[:]', '["k": {n}, "t": {s}]', 'new TreeMap(["b": 2, "a": 1])', 'new HashMap(["x": {l}])', '{l}.stream().collect(Collectors.groupingBy(x -> x.toString().length()))', 'params.m']
BOOLEANS = ['true', 'false', '({n} > {n})', '({n} == {n})', '({s} == {s})', '{s}.contains("a")', '{s}.startsWith({s})', '{s}.isEmpty()', '{l}.contains({n})', '{l}.isEmpty()', '{m}.containsKey("a")',
            '({b} && {b})', '({b} || {b})', '(!{b})', '{s}.equals({s})', '{s}.equalsIgnoreCase({s})', '({s} ==~ /[a-z]+/)', '({s} =~ /b/)', '{d}.isBefore({d})', '({n} instanceof Integer)', '(null == {s})',
            '{l}.stream().anyMatch(x -> x == 1)', '{s}.matches("a.*")']
DATES = ['ZonedDateTime.parse("2021-03-04T05:06:07Z")', "ZonedDateTime.ofInstant(Instant.ofEpochMilli(1500000000000L), ZoneId.of('Z'))", '{d}.plusDays((long){n} % 1000)', '{d}.minusMonths(1)',
         '{d}.truncatedTo(ChronoUnit.DAYS)', '{d}.withDayOfMonth(1)', "{d}.withZoneSameInstant(ZoneId.of('Europe/Paris'))", '{d}.plus(Duration.ofHours(5))']
KINDS = {'n': NUMBERS, 's': TEXTS, 'l': LISTS, 'm': MAPS, 'b': BOOLEANS, 'd': DATES}
PARAMS = {'k': 3, 't': 'tea', 'l': [1, 'x', None], 'm': {'a': 1, 'b': [2]}}
# Statements around an expression: loops, functions, locals, exceptions.
AROUND = ['return {e}', '{e}', 'def x = {e}; return x', 'def r = []; for (int i = 0; i < 3; ++i) {{ r.add({e}) }} return r', 'def f(def a) {{ return a }} f({e})',
          'try {{ return {e} }} catch (Exception x) {{ return "caught " + x.getMessage() }}', 'def t = 0; for (v in {l}) {{ t += 1 }} return [t, {e}]',
          'int n = 0; while (n < 2) {{ n++; if (n > 5) break }} return [n, {e}]', 'Map r = new HashMap(); r.put("v", {e}); return r', 'String s = {s}; return s + {e}', 'double z = {n}; return z']


def expression(dice, schema, kind, depth):
    """An expression of a type, nested to a depth."""
    choices = KINDS[kind]
    text = dice.one(choices if depth > 0 else [choice for choice in choices if not any('{' + other + '}' in choice for other in KINDS)])
    while True:
        for other in KINDS:
            if '{' + other + '}' in text:
                text = text.replace('{' + other + '}', expression(dice, schema, other, depth - 1), 1)
                break
        else:
            break
    numbers = [field for field in schema.number if field not in ('nodoc', 'unsigned', 'scaled')]
    return text.replace('{number}', dice.one(numbers)).replace('{keyword}', dice.one([f for f in schema.keyword if f not in ('wild', 'flat.red', 'same', 'nodoc')]))


def script(dice, schema, kind=None, depth=2):
    """A script whose result is of a type, or of any."""
    kind = kind or dice.one('nnnssslmbd')
    inner = expression(dice, schema, kind, dice.int(0, depth))
    if dice.chance(0.5):
        return {'source': inner, 'params': PARAMS}
    around = dice.one(AROUND).replace('{l}', expression(dice, schema, 'l', 1)).replace('{s}', expression(dice, schema, 's', 1)).replace('{n}', expression(dice, schema, 'n', 1))
    return {'source': around.replace('{e}', inner).replace('{{', '{').replace('}}', '}'), 'params': PARAMS}


# What scripts say of a document of the synthetic index, and what they call for scores.
OF_DOCUMENTS = ["doc['{f}']", "doc['{f}'].value", "doc['{f}'].size()", "doc['{f}'].length", "doc['{f}'].empty", "doc['{f}'].get(0)", "doc['{f}'][0]", "doc['{f}'].values", "doc['{f}'].toString()", "doc['{f}'].isEmpty()", "doc['{f}'].getValue()", "doc.containsKey('{f}')", "doc['{f}'].contains(3)",
                "doc['{f}'].stream().map(x -> x.toString()).collect(Collectors.joining('-'))", "def r = []; for (v in doc['{f}']) {{ r.add(v) }} return r", "new ArrayList(doc['{f}'])", "doc['{f}'].indexOf(doc['{f}'][0])", "doc['{f}'].subList(0, 1)", "doc['{f}'].equals(doc['{f}'])", "doc.{f}.value", "doc['{f}'].join('/')",
                "doc['{f}'].value.getClass().getName()", "doc['{f}'].get(1)", "doc['{f}'].sum()", "doc['{f}'].value + 1", "doc['{f}'].value == null", "doc['{f}'].iterator().next()", "doc['{f}'].add(1)", "doc['{f}'].sort(null)", "doc['{f}'].hashCode()", "doc['{f}'].getLength()",
                "params._source.{f}", "params['_source']['{f}']", "params._source.containsKey('{f}')", "params._source.keySet().contains('{f}')", "params._source.get('{f}')", "params._fields['stored'].value", "params._fields['stored'].values", "params._fields.containsKey('stored')", "_fields['stored'].value", "_source.{f}",
                "doc['when'].value.millis", "doc['when'].value.getMillis()", "doc['when'].value.toInstant().toEpochMilli()", "doc['when'].value.year", "doc['when'].value.dayOfWeek", "doc['when'].value.getDayOfWeekEnum()", "doc['nanos'].value.getNano()", "doc['when'].value.isAfter(doc['nanos'].value)", "doc['when'].value.monthValue", "doc['when'].value.getHourOfDay()",
                "doc['when'].value.toString('yyyy')", "doc['when'].value.getWeekyear()", "doc['when'].value.format(DateTimeFormatter.ISO_DATE)", "doc['place'].lat", "doc['place'].lon", "doc['place'].value.lat", "doc['place'].arcDistance(50, 10)", "doc['place'].planeDistance(50, 10)", "doc['place'].geohashDistance('u1')", "doc['place'].arcDistanceWithDefault(1, 2, 7)",
                "doc['place'].getLats()", "doc['place'].value.toString()", "doc['place'].value.geohash", "doc['flag'].value ? 1 : 2", "doc['addr'].value.length()", "doc['unsigned'].value", "doc['unsigned'].value.toString()", "doc['long'].value / 3", "doc['half'].value * 2", "doc['scaled'].value", "doc['nodoc'].value", "doc['title'].value", "doc['body'].value", "doc['body']", "doc['nothere'].value", "doc['_id'].value", "doc['_index'].value", "doc['_seq_no'].value", "doc['_version'].value",
                "doc['_routing'].value", "doc['items.qty'].value", "doc['ints'].value", "doc['blob'].value", "doc['flat.red'].value", "doc['flat'].size()", "doc['rank'].value", "doc['link'].value", "doc['link#question'].value", "doc['suggest'].value", "doc['area'].value", "doc['same'].value", "doc['wild'].value", "doc['tokens'].value", "doc['alias'].value", "_score", "_doc", "ctx", "this", "params", "params.size()", "params.keySet()", "doc", "doc.keySet()", "doc.size()", "doc.get('int')"]
FIELDS = ['int', 'tag', 'double', 'when', 'flag', 'addr', 'float', 'code', 'lower', 'nanos', 'day', 'unsigned', 'byte', 'half', 'scaled', 'place', 'author.age', 'author.name.raw']
OF_SCORES = ['saturation({n}, 2)', 'sigmoid({n}, 2, 1)', 'randomScore(3)', "randomScore(3, '_seq_no')", "decayNumericLinear(10.0, 5.0, 0.0, 0.5, {n})", "decayNumericExp(10.0, 5.0, 1.0, 0.3, {n})", "decayNumericGauss(10.0, 5.0, 0.0, 0.5, {n})", "decayDateExp('2021-01-01T00:00:00Z', '20d', '2d', 0.5, doc['when'].value)",
             "decayDateGauss('2021-01-01', '100d', '0', 0.5, doc['when'].value)", "decayDateLinear('2021-06-01T00:00:00Z', '900d', '1h', 0.2, doc['nanos'].value)", "decayGeoLinear('50,10', '100km', '0km', 0.5, doc['place'].value)", "decayGeoExp('50,10', '2000km', '10km', 0.9, doc['place'].value)", "decayGeoGauss('0, 0', '5000mi', '0', 0.5, doc['place'].value)",
             "_score * 2", "_score + {n}", "Math.log(2 + Math.abs({n}))", "{n} - 1000", "0.0 / 0", "1 / 0.0", "null", "'x'", "termFreq('title', 'amber')", "tf('title', 'stone')", "totalTermFreq('body', 'river')", "sumTotalTermFreq('title')", "_score.doubleValue()", "_score > 1 ? _score : 0.5"]


def of_a_document(dice):
    """A search with a script that reads what documents hold."""
    text = dice.one(OF_DOCUMENTS).replace('{f}', dice.one(FIELDS)).replace('{{', '{').replace('}}', '}')
    made = {'source': text if ' return ' in text or dice.chance(0.5) else f'return {text}', 'params': PARAMS}
    place = dice.weighted({'field': 8, 'sort': 1, 'terms': 1, 'filter': 1})
    if place == 'field':
        return {'script_fields': {'made': {'script': made, **dice.one([{}, {}, {'ignore_failure': True}])}}}
    if place == 'sort':
        return {'sort': {'_script': {'type': dice.one(['number', 'string']), 'script': made}}}
    if place == 'terms':
        return {'aggs': {'a': {dice.one(['terms', 'cardinality', 'max', 'value_count']): {'script': made}}}}
    return {'post_filter': {'script': {'script': made}}}


def of_a_score(dice):
    """A score that is made of functions for scores."""
    text = dice.one(OF_SCORES).replace('{n}', dice.one(["doc['int'].value", "doc['double'].value", '3', "doc['byte'].value", 'params.k', "(doc['float'].size() == 0 ? 1 : doc['float'].value)"]))
    made = {'script': {'source': text, 'params': PARAMS}}
    if dice.chance(0.5):
        query = {'script_score': {'query': {'match': {'title': 'amber stone river'}} if dice.chance(0.5) else {'exists': {'field': 'when'}}, **made}}
    else:
        query = {'function_score': {'query': {'match': {'body': 'amber'}}, 'script_score': made, **dice.one([{}, {'boost_mode': 'replace'}])}}
    return {'query': query, **dice.one([{}, {}, {'explain': True}])}


def search(dice, schema):
    """A search with scripts in one of the places that they may stand in."""
    place = dice.weighted({'field': 10, 'filter': 2, 'score': 2, 'sort': 2, 'terms': 2, 'metric': 1})
    body = {'size': 3, '_source': False, 'query': {'ids': {'values': dice.some(schema.ids, 3, 6)}}}
    if schema.index.removeprefix(corpora.PREFIX).startswith('every') and dice.chance(0.5):
        return body | (of_a_document(dice) if dice.chance(0.75) else of_a_score(dice))
    if place == 'field':
        body['script_fields'] = {'made': {'script': script(dice, schema)}}
    elif place == 'filter':
        body['query'] = {'bool': {'must': body['query'], 'filter': {'script': {'script': script(dice, schema, 'b')}}}}
    elif place == 'score':
        body['query'] = {'script_score': {'query': body['query'], 'script': script(dice, schema, 'n')}}
    elif place == 'sort':
        kind = dice.one(['number', 'string'])
        body['sort'] = {'_script': {'type': kind, 'script': script(dice, schema, 'n' if kind == 'number' else 's'), 'order': dice.one(['asc', 'desc'])}}
    elif place == 'terms':
        body['aggs'] = {'a': {'terms': {'script': script(dice, schema, dice.one('nsb'))}}}
    else:
        body['aggs'] = {'a': {'scripted_metric': {'init_script': 'state.all = []', 'map_script': f'state.all.add({expression(dice, schema, dice.one("nsb"), 1)})',
                                                  'combine_script': 'return state.all', 'reduce_script': 'def n = 0; for (a in states) { n += a.size() } return n', 'params': PARAMS}}}
    return body

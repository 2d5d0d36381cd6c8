"""Scripts that call one member of one class: whatever the reference lists as what scripts can name, with values of the types that it takes."""
import re

from kinds import painless

# What the reference lists of a context, once it has been asked: `learn` sets it.
CLASSES = []
# Classes that are known to be absent, or whose answers are chance or of one machine.
LEFT_OUT = re.compile(r'java\.text\.|java\.time\.chrono\.|java\.time\.zone\.|Exception$|Calendar|Formatt|Observ|TimeZone|Spliterator|java\.util\.Locale|Currency|Unicode|Subset|FormatterBuilder|Missing|Event|Clock|Random|System|Offset(Date)?Time|'
                      r'org\.|BytesRef|DecimalStyle|StackTrace|Hashtable|Vector|Stack$|IdentityHashMap|Dictionary|Enumeration|Julian|WeekFields|Debug|Void')
SCALARS = {'boolean': 'boolean', 'char': 'char', 'double': 'double', 'int': 'int', 'long': 'long', 'java.lang.Boolean': 'boolean', 'java.lang.Character': 'char', 'java.lang.Double': 'double', 'java.lang.Integer': 'int', 'java.lang.Long': 'long'}
CAST = {'byte': '(byte)', 'short': '(short)', 'float': '(float)', 'java.lang.Byte': '(byte)', 'java.lang.Short': '(short)', 'java.lang.Float': '(float)'}
NAMED = {'java.lang.Object': 'Object', 'def': 'Object', 'java.lang.CharSequence': 'String', 'java.lang.Comparable': 'String', 'java.util.Collection': 'List', 'java.lang.Iterable': 'List', 'java.util.Queue': 'Deque', 'java.lang.Number': 'int',
         'java.time.temporal.TemporalAccessor': 'ZonedDateTime', 'java.time.temporal.Temporal': 'ZonedDateTime', 'java.time.temporal.TemporalUnit': 'unit', 'java.time.temporal.TemporalAmount': 'Duration', 'java.time.temporal.ChronoUnit': 'unit'}
SORTED = '((TreeSet)["b", "a", "c"].stream().collect(Collectors.toCollection(TreeSet::new)))'
VALUES = {'java.lang.AutoCloseable': ['[1].stream()'], 'int[]': ['new int[] {3, 1, 2}'], 'byte[]': ['new byte[] {1, 2, 3}'], 'char[]': ['"abc".toCharArray()'], 'double[]': ['new double[] {1.5, 2}'], 'long[]': ['new long[] {5L, 4L}'], 'java.lang.Object[]': ['new Object[] {1, "b"}', '["a", 2] as Object[]'],
          'def[]': ['new def[] {1, "b"}'], 'java.lang.String[]': ['new String[] {"q", "r"}'], 'java.util.Comparator': ['Comparator.naturalOrder()', '(a, b) -> a.toString().compareTo(b.toString())', 'Comparator.reverseOrder()'],
          'java.time.ZoneId': ["ZoneId.of('Europe/Paris')", "ZoneId.of('+05:30')", "ZoneId.of('Z')"], 'java.time.ZoneOffset': ['ZoneOffset.UTC', "ZoneOffset.of('+02:00')"], 'java.time.format.DateTimeFormatter': ['DateTimeFormatter.ISO_DATE', "DateTimeFormatter.ofPattern('yyyy-MM-dd HH')"],
          'java.time.temporal.TemporalField': ['ChronoField.DAY_OF_WEEK', 'ChronoField.YEAR', 'ChronoField.MINUTE_OF_HOUR', 'IsoFields.QUARTER_OF_YEAR'], 'java.time.temporal.ChronoField': ['ChronoField.DAY_OF_MONTH', 'ChronoField.HOUR_OF_DAY', 'ChronoField.EPOCH_DAY'],
          'java.util.Locale': ['Locale.ROOT', 'Locale.GERMANY'], 'java.util.stream.Stream': ['[3, 1, 2].stream()', '["b", "a"].stream()', 'Stream.of("x", "y")'], 'java.util.stream.IntStream': ['IntStream.range(0, 4)', 'IntStream.of(5, 2)'],
          'java.util.stream.LongStream': ['LongStream.range(0L, 3L)'], 'java.util.stream.DoubleStream': ['DoubleStream.of(1.5, 2.5)', '[1, 2].stream().mapToDouble(x -> x)'], 'java.util.stream.Collector': ['Collectors.toList()', 'Collectors.counting()'],
          'java.util.Map$Entry': ['["a": 1].entrySet().iterator().next()'], 'java.util.Iterator': ['[1, 2].iterator()'], 'java.util.ListIterator': ['["a", "b"].listIterator()'], 'java.util.SortedMap': ['new TreeMap(["b": 2, "a": 1, "c": 3])'], 'java.util.NavigableMap': ['new TreeMap(["b": 2, "a": 1, "c": 3])'],
          'java.util.TreeMap': ['new TreeMap(["b": 2, "a": 1, "c": 3])'], 'java.util.SortedSet': [SORTED], 'java.util.NavigableSet': [SORTED], 'java.util.TreeSet': [SORTED, 'new TreeSet()'], 'java.util.PriorityQueue': ['new PriorityQueue()'],
          'java.util.OptionalInt': ['OptionalInt.of(4)', 'OptionalInt.empty()'], 'java.util.OptionalLong': ['OptionalLong.of(4L)'], 'java.util.OptionalDouble': ['OptionalDouble.of(0.5)', 'OptionalDouble.empty()'], 'java.util.UUID': ['UUID.fromString("123e4567-e89b-12d3-a456-426614174000")'],
          'java.util.BitSet': ['BitSet.valueOf(new long[] {11L})', 'new BitSet()'], 'java.math.MathContext': ['MathContext.DECIMAL32', 'new MathContext(3)'], 'java.math.RoundingMode': ['RoundingMode.HALF_UP', 'RoundingMode.FLOOR', 'RoundingMode.UNNECESSARY'], 'java.lang.Math': ['Math'],
          'java.util.HashMap': ['new HashMap(["a": 1, "b": null])'], 'java.util.LinkedHashMap': ['new LinkedHashMap(["z": 1])'], 'java.util.ArrayList': ['new ArrayList([2, 3, 1])'], 'java.util.LinkedList': ['new LinkedList(["d", "e"])'], 'java.util.ArrayDeque': ['new ArrayDeque([1, 2])'], 'java.util.HashSet': ['new HashSet(["h"])'],
          'java.time.temporal.TemporalQuery': ['TemporalQueries.zone()', 'TemporalQueries.precision()', 'TemporalQueries.localDate()', 't -> t.toString()'], 'java.time.temporal.TemporalAdjuster': ['TemporalAdjusters.lastDayOfMonth()', 'LocalDate.of(2020, 2, 29)', 'DayOfWeek.FRIDAY'], 'java.util.Date': ['new Date(1500000000000L)'], 'java.util.PrimitiveIterator$OfInt': ['IntStream.range(0, 3).iterator()']}
ARITY = {'Supplier': 0, 'BooleanSupplier': 0, 'IntSupplier': 0, 'LongSupplier': 0, 'DoubleSupplier': 0, 'BiFunction': 2, 'BiPredicate': 2, 'BiConsumer': 2, 'BinaryOperator': 2, 'IntBinaryOperator': 2, 'LongBinaryOperator': 2, 'DoubleBinaryOperator': 2, 'ToIntBiFunction': 2, 'ToLongBiFunction': 2,
         'ToDoubleBiFunction': 2, 'ObjIntConsumer': 2, 'ObjLongConsumer': 2, 'ObjDoubleConsumer': 2}


def learn(side):
    """Asks what scripts can name."""
    CLASSES.extend(one for one in side.must('GET', '/_scripts/painless/_context', params={'context': 'painless_test'})['classes'] if not LEFT_OUT.search(one['name']) and '.' in one['name'])


def function(dice, name):
    """A lambda for a functional interface."""
    arity = ARITY.get(name, 1)
    if name.endswith('Consumer'):
        return ['', 'x -> String.valueOf(x)', '(x, y) -> String.valueOf(y)'][arity]
    if 'Predicate' in name or name == 'BooleanSupplier':
        return ['() -> true', 'x -> x == 1', '(x, y) -> x == y'][arity]
    if name.startswith('To') or name.endswith(('ToIntFunction', 'ToLongFunction', 'ToDoubleFunction')) or 'Supplier' in name and name != 'Supplier':
        return ['() -> 3', dice.one(['x -> 2', 'x -> 1']), '(x, y) -> 1'][arity]
    if name.startswith(('Int', 'Long', 'Double')):
        return ['', dice.one(['x -> x + x', 'x -> -x']), dice.one(['(x, y) -> x + y', '(x, y) -> x > y ? x : y'])][arity]
    return ['() -> "s"', dice.one(['x -> x', 'x -> x.toString()', 'x -> [x].stream()', 'x -> 1']), dice.one(['(x, y) -> x', '(x, y) -> x.toString() + y', '(x, y) -> null'])][arity]


def value(dice, name, depth):
    """An expression of a type that the listing names."""
    simple = name.rpartition('.')[2]
    if name in SCALARS:
        return painless.expression(dice, SCALARS[name], depth)
    if name in CAST:
        return f'{CAST[name]}{painless.expression(dice, "int", 0)}'
    if name.startswith('java.util.function.'):
        return function(dice, simple)
    if name in VALUES:
        return dice.one(VALUES[name])
    if NAMED.get(name, simple) in painless.ROWS:
        return painless.expression(dice, NAMED.get(name, simple), depth)
    one = next((one for one in CLASSES if one['name'] == name), None)
    if one and depth >= 0:
        short = simple.replace('$', '.')
        made = [f'{short}.{field["name"]}' for field in one['static_fields']] + [(short, method) for method in one['static_methods'] if method['return'] == name] + [(f'new {short}', method) for method in one['constructors']]
        if made:
            chosen = dice.one(made)
            return chosen if isinstance(chosen, str) else call(dice, *chosen, depth - 1)
    return 'null'


def call(dice, receiver, method, depth):
    """A call of a method of a class or of a value, or of a constructor."""
    arguments = ', '.join(value(dice, name, depth) for name in method['parameters'])
    return f'{receiver}({arguments})' if receiver.startswith('new ') else f'{receiver}.{method["name"]}({arguments})'


def script(dice, schema):
    """A script that uses one member."""
    while True:
        made = attempt(dice)
        if made:
            return {'script': {'source': made, 'params': painless.PARAMS}}


# What tells objects of Java apart that are equal otherwise.
IDENTITY = re.compile(r'TemporalQuer|TemporalAdjuster|ZoneRules|TextStyle|Stream|Iterator|function\.|Joiner|Builder|Statistics|Queue|Deque|regex|Collector|Comparator|Base64|Iterable|lang\.Object|RuntimeException|Appendable|Tokenizer|CharSequence|Number$')


# Constants of enumerations, whose hashes are where they are in Java's memory, and what is made of them.
CONSTANTS = re.compile(r'Style$|RoundingMode|MathContext|ChronoUnit|ChronoField|TemporalField|TemporalUnit|IsoFields|DayOfWeek|Month$|IsoEra|Enum$|Characteristics|\$Type')


# What collectors are made of, which no script asks for.
OF_COLLECTORS = ('accumulator', 'characteristics', 'combiner', 'finisher', 'supplier')


def attempt(dice):
    """A script that uses one member; none where no value of its class is known."""
    one = dice.one(CLASSES)
    short = one['name'].rpartition('.')[2].replace('$', '.')
    members = [('field', field) for field in one['static_fields']] + [('new', method) for method in one['constructors']] + [('static', method) for method in one['static_methods']] + [('method', method) for method in one['methods']] * 2
    how, member = dice.one(members)
    if member.get('name') in ('systemDefault', 'SHORT_IDS') or (member.get('name') == 'hashCode' and CONSTANTS.search(one['name'])):
        # The zone of the machine, maps of Java that no one changes (each start orders them in its own way), and places in memory.
        return None
    if member.get('return', '').endswith('OffsetTime') or (one['name'].startswith('java.time.Local') and member.get('name') in ('MAX', 'MIN')):
        # A class that is known to be absent, and dates beyond the year 9999.
        return None
    if how == 'new' and one['name'] == 'java.util.Date' and not member['parameters']:
        # Now.
        return None
    if 'pliterator' in member.get('name', '') or member.get('name') in ('getStackTrace', *OF_COLLECTORS):
        return None
    if member.get('name') in ('hashCode', 'equals', 'toString') and (member['name'] != 'equals' and IDENTITY.search(one['name']) or dice.chance(0.8)):
        return None
    before, after = '', ''
    if how == 'field':
        made = f'{short}.{member["name"]}'
    elif how == 'new':
        made = call(dice, f'new {short}', member, 0)
    elif how == 'static':
        made = call(dice, short, member, dice.int(0, 1))
    else:
        owner = value(dice, one['name'], 1)
        made = call(dice, 'o', member, dice.int(0, 1))
        if owner == 'null':
            return None
        if one['name'].startswith('java.util.function.'):
            before, after = f'def f({short} o) {{ ', f' }} return f({owner})'
        else:
            before = f'{"def" if dice.chance(0.4) else short} o = {owner}; '
        if dice.chance(0.1) and len(member['name']) > 3 and member['name'].startswith('get') and not member['parameters']:
            made = f'o.{member["name"][3].lower()}{member["name"][4:]}'
    # Functions are shown as Java's objects.
    shown = bool(before) and not one['name'].startswith('java.util.function.')
    return before + told(made, member.get('return', ''), shown) + after


def told(made, returns, owned):
    """Statements that return what a member gives, as a text that does not change from run to run."""
    if returns == 'void':
        return f'{made}; return {"o" if owned else 1}'
    if returns.startswith('java.util.function.') or returns.endswith(('Collector', 'Comparator', 'Encoder', 'Decoder', 'DateTimeFormatter', 'Builder', 'TemporalQuery', 'ZoneRules')):
        return f'return {made} != null'
    if 'Stream' in returns:
        boxed = '.boxed()' if re.search('(Int|Long|Double)Stream', returns) else ''
        return f'return {made}{boxed}.collect(Collectors.toList())'
    if 'Iterator' in returns:
        return f'return {made}.hasNext()'
    if returns.endswith('[]'):
        return f'def a = {made}; return a.length + ":" + (a.length > 0 ? a[0].toString() : "")'
    return f'return {made}'

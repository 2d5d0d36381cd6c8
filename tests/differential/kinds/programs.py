"""Programs of scripts: variables of all types, operators whatever their operands are, loops, functions, and what is refused of them and where."""

TYPES = ['int', 'long', 'double', 'float', 'boolean', 'String', 'char', 'byte', 'short', 'List', 'Map', 'def', 'def', 'def']
LITERALS = {
    'int': ['0', '1', '-1', '2', '7', '2147483647', '-2147483648', '0x1F', '017'], 'long': ['0L', '1L', '-5L', '9223372036854775807L', '3l'],
    'double': ['0.0', '1.5', '-2.5', '1e10', '1d', 'Double.NaN', '1e308'], 'float': ['1.5f', '0f', '3.25F'], 'boolean': ['true', 'false'],
    'String': ['"a"', '"abc"', '""', "'x y'", "'1'", "'12.5'"], 'char': ['(char)65', "(char)'z'"], 'byte': ['(byte)1', '(byte)-128'],
    'short': ['(short)7', '(short)-32768'], 'List': ['[1,2,3]', '[]', "['a','b']", '[1.5,2]', '[[1],[2]]', '[null,1]'],
    'Map': ["['a':1,'b':2]", '[:]', "['x':[1,2]]", "['k':null]"]}
OPERATORS = ['+', '-', '*', '/', '%', '+', '<<', '>>', '>>>', '&', '|', '^', '==', '!=', '<', '<=', '>', '>=', '===', '!==', '&&', '||', '?:']
CALLS = {
    's': ['length()', 'substring({})', 'indexOf({})', 'charAt({})', 'toUpperCase()', "replace('a','b')", 'contains({})', 'trim()', 'equals({})', 'compareTo({})', 'isEmpty()', 'hashCode()', 'concat({})', "splitOnToken(',')"],
    'l': ['size()', 'get({})', 'add({})', 'contains({})', 'indexOf({})', 'remove({})', 'isEmpty()', 'stream().map(x -> x).collect(Collectors.toList())', 'stream().filter(x -> x != null).count()', 'sum()', "join('-')",
          'each(x -> x)', 'every(x -> x != null)', 'any(x -> x == 1)', 'findAll(x -> x > 1)', 'collect(x -> x + 1)', 'groupBy(x -> x)', 'sort(null)', 'sort((x, y) -> x - y)', 'each((x, y) -> x)', 'subList(0, 1)', 'set(0, {})', 'equals({})', 'removeIf(() -> true)'],
    'm': ['size()', 'get({})', 'put({}, 1)', 'containsKey({})', 'keySet()', 'values()', 'entrySet()', 'remove({})', 'getOrDefault({}, {})', "computeIfAbsent('z', k -> k + 1)", "merge('a', 1, (x, y) -> x + y)", 'each((k, v) -> k)', 'each(x -> x)',
          'findAll((k, v) -> v == 1)', 'collect((k, v) -> k + v)', 'forEach((k, v) -> k)', 'any((k, v) -> true)'],
    'd': ['size()', 'length()', 'get({})', 'toString()', 'intValue()', 'foo()', 'equals({})', 'compareTo({})', 'add({})', 'each(x -> x)', 'each((x, y) -> x)', 'stream().map(Math::max).count()']}
STATIC = ['Math.max({}, {})', 'Math.abs({})', 'Integer.parseInt({})', 'String.valueOf({})', 'Math.floorMod({}, {})', 'Double.parseDouble({})', 'Integer.toString({}, {})', 'Objects.equals({}, {})', 'Integer.compare({}, {})', 'Math.round({})',
          'Integer.toHexString({})', 'Objects.hash({})', 'Arrays.asList({})', 'Integer.valueOf({})', 'new ArrayList({})', 'new HashMap({})', 'new StringBuilder({})', 'Optional.ofNullable({})']
CASTS = ['int', 'long', 'double', 'float', 'byte', 'short', 'char', 'String', 'List', 'Map', 'def', 'boolean', 'Integer', 'Object', 'Foo']
VARIABLES = [('a', 'int'), ('b', 'long'), ('c', 'double'), ('s', 'String'), ('l', 'List'), ('m', 'Map'), ('d', 'def'), ('t', 'boolean')]


class Program:
    """A program that is being drawn, and its variables."""

    def __init__(self, dice):
        self.dice, self.scope, self.names = dice, list(VARIABLES), 0

    def literal(self, kind):
        return self.dice.one(LITERALS[kind if kind in LITERALS else self.dice.one(list(LITERALS))])

    def variable(self, *kinds):
        return self.dice.one([name for name, kind in self.scope if not kinds or kind in kinds])

    def fresh(self, kind):
        self.names += 1
        self.scope.append((f'v{self.names}', kind))
        return f'v{self.names}'

    def filled(self, row, depth):
        return row.format(*(self.value(depth) for _ in range(row.count('{}'))))

    def value(self, depth=0):
        one = lambda: self.value(depth + 1)
        if depth > 2 or self.dice.chance(0.2):
            return self.dice.one([self.variable(), self.literal(self.dice.one(TYPES))])
        forms = [
            (40, lambda: f'{one()} {self.dice.one(OPERATORS)} {one()}'), (5, lambda: f'({one()})'), (5, lambda: f'{self.dice.one("-!~+")}({one()})'),
            (6, lambda: f'({self.dice.one(CASTS)})({one()})'), (5, lambda: f'{one()} ? {one()} : {one()}'), (3, lambda: f'{self.variable()} instanceof {self.dice.one(CASTS)}'),
            (5, lambda: f'{self.variable("List", "Map", "def")}[{one()}]'), (4, lambda: f'{self.variable("List", "Map", "def")}{self.dice.one([".", "?."])}{self.dice.one(["a", "b", "length", "empty", "size()", "0"])}'),
            (12, lambda: self.call(depth)), (6, lambda: self.filled(self.dice.one(STATIC), depth + 2)), (4, lambda: f'[{one()}, {one()}]'), (4, lambda: self.dice.one(['{}++', '--{}']).format(self.variable()))]
        return self.dice.weighted({make: weight for weight, make in forms})()

    def call(self, depth=1):
        of = self.dice.one(list(CALLS))
        return f'{self.dice.one([of, of, f"({self.value(depth + 1)})"])}.{self.filled(self.dice.one(CALLS[of]), depth + 2)}'

    def block(self, depth):
        known = len(self.scope)
        text = '{ ' + ' '.join(self.statement(depth + 1) for _ in range(self.dice.int(1, 2))) + ' }'
        del self.scope[known:]
        return text

    def declared(self):
        kind = self.dice.one(TYPES)
        value = self.value()
        return f'{kind} {self.fresh(kind)} = {value};'

    def loop(self, depth):
        if self.dice.chance(0.5):
            name = self.fresh('int')
            return f'for (int {name} = 0; {name} < {self.dice.int(1, 4)}; {name}++) {self.block(depth)}'
        over, kind = self.dice.one([self.variable('List', 'def'), 'm.entrySet()', 'm.keySet()', '[1,2]']), self.dice.one(['def', 'int', 'String', 'def', 'Foo'])
        return f'for ({kind} {self.fresh(kind)} : {over}) {self.block(depth)}'

    def statement(self, depth=0):
        simple = [
            (22, self.declared), (20, lambda: f'{self.variable()} {self.dice.one(["=", "=", "+=", "-=", "*=", "/=", "%=", "<<=", "|=", "^="])} {self.value()};'),
            (5, lambda: f'{self.variable("List", "Map", "def")}[{self.value(1)}] = {self.value(1)};'), (3, lambda: f'{self.variable("Map", "def")}.x = {self.value(1)};'), (12, lambda: self.call() + ';'),
            (2, lambda: f'{self.value(1)} = {self.value(1)};')]
        nested = [
            (10, lambda: f'if ({self.value(1)}) {self.block(depth)}' + (f' else {self.block(depth)}' if self.dice.chance(0.4) else '')), (16, lambda: self.loop(depth)),
            (5, lambda: f'try {self.block(depth)} catch ({self.dice.one(["Exception", "ArithmeticException", "ClassCastException", "Foo"])} {self.fresh("def")}) {self.block(depth)}'), (3, lambda: f'return {self.value()};')]
        known = len(self.scope)
        text = self.dice.weighted({make: weight for weight, make in simple + (nested if depth < 2 else [])})()
        # What blocks declare is known in them alone.
        if '{ ' in text:
            del self.scope[known:]
        return text


def script(dice, _schema):
    """A program as the body of a request."""
    program = Program(dice)
    head = ' '.join(f'{kind} {name} = {program.literal(kind)};' for name, kind in VARIABLES)
    body = ' '.join(program.statement() for _ in range(dice.int(1, 3)))
    return {'script': {'source': f'{head} {body} return {program.value()}'}}

"""Scripts by themselves: expressions of Java's types, their methods with and without types known before, statements around them, and what goes wrong."""
import re

# Expressions by type. `{type}` stands for an expression of a type; rows without any are where an expression ends.
ROWS = {
    'int': ['0', '1', '-7', '42', '2147483647', '(int)3.9', "(int)(char)'a'", '({int} + {int})', '({int} - {int})', '({int} * {int})', '({int} / {int})', '({int} % {int})', '({int} << {small})',
            '({int} >> {small})', '({int} >>> {small})', '({int} & {int})', '({int} | {int})', '({int} ^ {int})', '(~{int})', '(-{int})', '({boolean} ? {int} : {int})', '{String}.length()',
            '{String}.indexOf({String})', '{String}.indexOf({String}, {small})', '{String}.lastIndexOf({String})', '{String}.compareTo({String})', '{String}.compareToIgnoreCase({String})',
            '{String}.hashCode()', '{String}.codePointAt({small})', '(int){String}.charAt({small})', 'Integer.parseInt({digits})', 'Integer.parseInt({digits}, 16)',
            'Integer.compare({int}, {int})', 'Integer.bitCount({int})', 'Integer.signum({int})', 'Integer.reverse({int})', 'Integer.reverseBytes({int})', 'Integer.highestOneBit({int})',
            'Integer.lowestOneBit({int})', 'Integer.numberOfLeadingZeros({int})', 'Integer.numberOfTrailingZeros({int})', 'Integer.rotateLeft({int}, {small})', 'Integer.max({int}, {int})',
            'Integer.min({int}, {int})', 'Integer.sum({int}, {int})', 'Integer.hashCode({int})', 'Integer.MAX_VALUE', 'Integer.MIN_VALUE', 'Integer.divideUnsigned({int}, 7)', 'Integer.remainderUnsigned({int}, 7)',
            'Long.compare({long}, {long})', 'Long.bitCount({long})', 'Long.signum({long})', 'Long.numberOfLeadingZeros({long})', 'Long.hashCode({long})', 'Double.compare({double}, {double})',
            'Boolean.compare({boolean}, {boolean})', 'Character.getNumericValue({char})', 'Character.digit({char}, 16)', 'Math.abs({int})', 'Math.max({int}, {int})', 'Math.min({int}, {int})', 'Math.getExponent({double})',
            'Math.addExact({int}, {int})', 'Math.multiplyExact({int}, {int})', 'Math.toIntExact({long})', 'Math.negateExact({int})',
            '{List}.size()', '{List}.indexOf({Object})', '{List}.lastIndexOf({Object})', '{List}.hashCode()', '{Map}.size()', '{Map}.hashCode()', '{Set}.size()', '{ZonedDateTime}.getYear()',
            '{ZonedDateTime}.getMonthValue()', '{ZonedDateTime}.getDayOfMonth()', '{ZonedDateTime}.getDayOfYear()', '{ZonedDateTime}.getHour()', '{ZonedDateTime}.getMinute()', '{ZonedDateTime}.getNano()',
            '{ZonedDateTime}.dayOfWeekEnum.value', '{LocalDate}.lengthOfMonth()', '{LocalDate}.compareTo({LocalDate})', '{LocalDate}.getDayOfYear()', '{LocalTime}.toSecondOfDay()', '{Period}.getDays()', '{Duration}.getNano()',
            '{ZonedDateTime}.compareTo({ZonedDateTime})', '{ZonedDateTime}.get(ChronoField.ALIGNED_WEEK_OF_YEAR)', '{List}.stream().mapToInt(x -> x.toString().length()).sum()', '{ints}.length', '{ints}[{small}]',
            'Collections.frequency({List}, {Object})', 'Objects.hashCode({Object})', '{BigInteger}.intValue()', '{BigInteger}.signum()', '{BigInteger}.compareTo({BigInteger})',
            '{BigDecimal}.scale()', '{BigDecimal}.precision()', '{BigDecimal}.compareTo({BigDecimal})', '{StringBuilder}.length()', '{StringBuilder}.indexOf({String})', 'Arrays.hashCode({ints})', '{Matcher}.groupCount()',
            '{Deque}.size()', 'Collections.binarySearch([1, 3, 5, 7], {int})'],
    'small': ['0', '1', '2', '3'],
    'long': ['0L', '100L', '-5L', '9223372036854775807L', '(long){int}', '({long} + {long})', '({long} * {int})', '({long} / {long})', '({long} >>> {small})', '(long){double}', 'Long.parseLong({digits})',
             'Long.reverse({long})', 'Long.highestOneBit({long})', 'Long.rotateRight({long}, {small})', 'Long.max({long}, {long})', 'Long.MIN_VALUE', 'Math.abs({long})', 'Math.round({double})',
             'Math.addExact({long}, {long})', 'Long.divideUnsigned({long}, 9L)', '{List}.stream().count()', '{ZonedDateTime}.toEpochSecond()', '{ZonedDateTime}.toInstant().toEpochMilli()',
             '{Instant}.toEpochMilli()', '{Instant}.getEpochSecond()', '{Duration}.toMillis()', '{Duration}.toDays()', '{Duration}.getSeconds()', '{LocalDate}.toEpochDay()', 'ChronoUnit.DAYS.between({LocalDate}, {LocalDate})',
             'ChronoUnit.HOURS.between({ZonedDateTime}, {ZonedDateTime})', 'ChronoUnit.MONTHS.between({ZonedDateTime}, {ZonedDateTime})', '{ZonedDateTime}.getLong(ChronoField.EPOCH_DAY)', '{ZonedDateTime}.until({ZonedDateTime}, ChronoUnit.MINUTES)',
             '{BigInteger}.longValue()', '{Period}.toTotalMonths()', 'Double.doubleToLongBits({double})', '{LocalTime}.toNanoOfDay()', '{UUID}.getMostSignificantBits()', '{ZonedDateTime}.getLong(IsoFields.QUARTER_OF_YEAR)'],
    'double': ['0.0', '1.5', '-2.25', '1e10', '1e-7', '0.1', '100.0', '({double} + {double})', '({double} * {int})', '({double} / {double})', '({double} % {double})', '(-{double})', '(double){int}', '(float)0.1', '{int} / 4.0',
               'Math.sqrt({double})', 'Math.cbrt({double})', 'Math.pow({double}, {small})', 'Math.exp({double} % 10)', 'Math.log({double})', 'Math.log10({double})', 'Math.log1p({double})', 'Math.sin({double})', 'Math.cos({double})',
               'Math.tan({double})', 'Math.atan({double})', 'Math.atan2({double}, {double})', 'Math.asin({double})', 'Math.sinh({double} % 5)', 'Math.tanh({double})', 'Math.hypot({double}, {double})', 'Math.floor({double})',
               'Math.ceil({double})', 'Math.rint({double})', 'Math.signum({double})', 'Math.toDegrees({double})', 'Math.toRadians({double})', 'Math.max({double}, {double})', 'Math.copySign({double}, {double})', 'Math.ulp({double})',
               'Math.IEEEremainder({double}, {double})', 'Math.nextUp({double})', 'Math.nextAfter({double}, {double})', 'Math.scalb({double}, {small})', 'Math.E', 'Math.PI', 'Double.parseDouble({digits})', 'Double.MAX_VALUE', 'Double.MIN_VALUE',
               'Double.NaN', 'Double.POSITIVE_INFINITY', 'Double.longBitsToDouble({long})', 'Double.sum({double}, {double})', '{BigDecimal}.doubleValue()', '{BigInteger}.doubleValue()',
               '{List}.stream().mapToDouble(x -> x.toString().length()).average().orElse(-1)', '[1, 2, 3].stream().mapToInt(x -> x).average().getAsDouble()', '[3, 1, 2].sum()', '[1.5, 2].sum(x -> x * 2)'],
    'char': ["(char)'a'", "(char)'Z'", "(char)'7'", "(char)' '", '{String}.charAt({small})', '(char){int}', 'Character.toUpperCase({char})', 'Character.toLowerCase({char})', 'Character.forDigit({small}, 16)', 'Character.reverseBytes({char})'],
    'boolean': ['true', 'false', '({int} < {int})', '({int} == {int})', '({double} >= {double})', '({String} == {String})', '({String} === {String})', '({Object} == {Object})', '({Object} != {Object})', '(!{boolean})', '({boolean} && {boolean})',
                '({boolean} || {boolean})', '({boolean} ^ {boolean})', '{String}.contains({String})', '{String}.startsWith({String})', '{String}.startsWith({String}, {small})', '{String}.endsWith({String})', '{String}.isEmpty()',
                '{String}.equals({Object})', '{String}.equalsIgnoreCase({String})', '{String}.matches({regex})', '{String}.contentEquals({String})', '{String}.regionMatches(true, {small}, {String}, 0, {small})', '({String} ==~ /[a-z]+.*/)', '({String} =~ /[aeiou]/)',
                '({Object} instanceof String)', '({Object} instanceof List)', '({Object} instanceof Number)', '(null == {Object})', '{List}.contains({Object})', '{List}.isEmpty()', '{List}.containsAll({List})', '{List}.equals({List})', '{Map}.containsKey({String})',
                '{Map}.containsValue({Object})', '{Map}.isEmpty()', '{Map}.equals({Map})', '{Set}.contains({Object})', '{List}.stream().anyMatch(x -> x == 1)', '{List}.stream().allMatch(x -> x != null)', '{List}.stream().noneMatch(x -> x instanceof String)',
                '{List}.any(x -> x == 1)', '{List}.every(x -> x != null)', 'Character.isDigit({char})', 'Character.isLetter({char})', 'Character.isUpperCase({char})', 'Character.isWhitespace({char})', 'Character.isLetterOrDigit({char})', 'Character.isAlphabetic((int){char})',
                'Character.isSurrogate({char})', 'Character.isJavaIdentifierStart((int){char})', '{ZonedDateTime}.isAfter({ZonedDateTime})', '{ZonedDateTime}.isEqual({ZonedDateTime})', '{LocalDate}.isLeapYear()', '{LocalDate}.isBefore({LocalDate})', '{Instant}.isAfter({Instant})', '{Duration}.isNegative()', '{Duration}.isZero()', '{Period}.isNegative()',
                'Double.isNaN({double})', 'Double.isInfinite({double})', 'Boolean.parseBoolean({String})', 'Boolean.logicalXor({boolean}, {boolean})', 'Objects.equals({Object}, {Object})', 'Objects.isNull({Object})', '{Optional}.isPresent()', '{Pattern}.matcher({String}).matches()',
                '{Pattern}.matcher({String}).find()', '{Matcher}.lookingAt()', '{Matcher}.find({small})', 'Collections.disjoint({List}, {List})', 'Arrays.equals({ints}, {ints})', '{BigInteger}.testBit({small})', '{Pattern}.asPredicate().test({String})', '{BigInteger}.equals({BigInteger})'],
    'digits': ['"42"', '"-7"', '"1f"', '"3.5"', '"abc"', '""', '"2147483648"', 'String.valueOf({int})'],
    'regex': ['"a.*"', '"[a-z]+"', '".*b?"', '"(a|b)c*"'],
    'String': ['"abc"', '""', '"Quick Brown Fox"', '"it is"', '"a,b,,c"', '"  pad  "', '"été Straße"', '"x" + {int}', '({String} + {Object})', '{String}.toUpperCase()', '{String}.toLowerCase()', '{String}.trim()', '{String}.substring({small})', '{String}.substring({small}, {small})',
               '{String}.subSequence(0, {small}).toString()', '{String}.concat({String})', '{String}.replace({String}, {String})', "{String}.replace((char)'a', (char)'o')", '{String}.replaceAll(/[aeiou]/, m -> m.group().toUpperCase())', '{String}.replaceFirst(/[a-z]/, m -> "<" + m.group(0) + ">")',
               'String.valueOf({int})', 'String.valueOf({double})', 'String.valueOf({boolean})', 'String.valueOf({char})', 'String.valueOf({Object})', 'String.join("-", {strings})', 'String.copyValueOf({String}.toCharArray())', 'Integer.toString({int})', 'Integer.toHexString({int})', 'Integer.toBinaryString({int})', 'Integer.toOctalString({int})', 'Integer.toString({int}, 7)',
               'Integer.toUnsignedString({int})', 'Long.toHexString({long})', 'Long.toString({long})', 'Double.toString({double})', 'Double.toHexString({double})', 'Float.toString((float){double})', 'Boolean.toString({boolean})', 'Character.toString({char})',
               '{List}.toString()', '{Map}.toString()', '{Set}.toString()', '{Object}.toString()', '{ints}.toString().substring(0, 2)', '{ZonedDateTime}.toString()', '{LocalDate}.toString()', '{LocalTime}.toString()', '{LocalDateTime}.toString()', '{Duration}.toString()', '{Period}.toString()', '{Instant}.toString()',
               "{ZonedDateTime}.format(DateTimeFormatter.ofPattern({pattern}))", '{ZonedDateTime}.format({formatter})', '{LocalDate}.format(DateTimeFormatter.ISO_DATE)', '{LocalDateTime}.format(DateTimeFormatter.ISO_LOCAL_DATE_TIME)', '{ZonedDateTime}.getDayOfWeekEnum().getDisplayName(TextStyle.SHORT, Locale.ROOT)',
               '{ZonedDateTime}.getMonth().toString()', '{ZonedDateTime}.getZone().toString()', '{ZonedDateTime}.getOffset().getId()', '{String}.splitOnToken(",")[0]', '{String}.encodeBase64()', '{String}.encodeBase64().decodeBase64()', 'new StringBuilder({String}).reverse().toString()',
               '{StringBuilder}.toString()', '{StringBuilder}.substring({small})', '{List}.join("|")', '{strings}.stream().collect(Collectors.joining(", ", "[", "]"))', '{strings}.stream().reduce("", (a, b) -> a + b)', '{Matcher}.replaceAll("_")', '{Pattern}.pattern()', '{Pattern}.toString()', '{BigInteger}.toString()', '{BigInteger}.toString(16)',
               '{BigDecimal}.toString()', '{BigDecimal}.toPlainString()', '{BigDecimal}.toEngineeringString()', '{UUID}.toString()', 'new StringJoiner("/").add({String}).add({String}).toString()', 'Objects.toString({Object}, "none")', 'Optional.ofNullable({String}).map(s -> s + "!").orElse("?")', '{Object}.getClass().getName()',
               '({boolean} ? {String} : {String})', '({nullable} ?: {String})', '{nullable}?.toString()', 'String.format("%s-%d", [{String}, {int}] as Object[])', '{String}[{small}].toString()', '{ZonedDateTime}.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH)', 'new DecimalFormat("#,##0.00").format({double})',
               'new SimpleDateFormat("yyyy-MM-dd").format(new Date({long} % 100000000000L))', '{Locale}.toString()', '{Locale}.getLanguage()', '{StringBuffer}.toString()'],
    'nullable': ['null', '"here"', '["a": null].a', '["a": 1].b', '[null].get(0)'],
    'pattern': ["'yyyy-MM-dd'", "'dd/MM/yy HH:mm:ss'", "'EEE, d MMM yyyy'", "'yyyyMMdd HHmmss.SSS'", "'e w YYYY'", "'h:mm a'", "'yyyy-DDD XXX'", "'QQQ'", "'EEEE LLLL'"],
    'formatter': ['DateTimeFormatter.ISO_OFFSET_DATE_TIME', 'DateTimeFormatter.ISO_ZONED_DATE_TIME', 'DateTimeFormatter.ISO_INSTANT', 'DateTimeFormatter.BASIC_ISO_DATE', 'DateTimeFormatter.RFC_1123_DATE_TIME', 'DateTimeFormatter.ISO_WEEK_DATE', 'DateTimeFormatter.ISO_ORDINAL_DATE',
                  'DateTimeFormatter.ofPattern({pattern}, Locale.ROOT)', 'DateTimeFormatter.ofPattern({pattern}).withZone(ZoneId.of("Asia/Tokyo"))'],
    'Object': ['{int}', '{long}', '{double}', '{String}', '{boolean}', '{List}', '{Map}', '{char}', '{nullable}', '(byte)5', '(short)-3', '1.5f', '{ZonedDateTime}'],
    'List': ['[]', '[1, 2, 3]', '["b", "a", "c"]', '[1, 2.5, 3L]', '[null, 1]', '[{Object}, {Object}]', '{strings}', 'new ArrayList({List})', 'new LinkedList({List})', 'new ArrayList({Map}.keySet())', 'new ArrayList({Map}.values())', 'new ArrayList({Set})', 'Arrays.asList({int}, {int})', 'Collections.emptyList()', 'Collections.singletonList({Object})',
             'Collections.nCopies(2, {Object})', 'Collections.unmodifiableList({List})', '{List}.subList(0, 1)', '{List}.subList({small}, {small})', '{List}.stream().distinct().collect(Collectors.toList())', '{List}.stream().filter(x -> x != null).collect(Collectors.toList())', '{List}.stream().map(x -> x + 1).collect(Collectors.toList())',
             '{List}.stream().skip({small}).limit(2).collect(Collectors.toList())', '{List}.stream().sorted().collect(Collectors.toList())', '{strings}.stream().sorted(Comparator.reverseOrder()).collect(Collectors.toList())', '{strings}.stream().sorted(Comparator.comparing(String::length)).collect(Collectors.toList())',
             '{List}.stream().peek(x -> {{}}).collect(Collectors.toList())', '{List}.stream().flatMap(x -> [x, x].stream()).collect(Collectors.toList())', 'IntStream.range(0, {small}).boxed().collect(Collectors.toList())', 'IntStream.rangeClosed(1, 4).mapToObj(i -> i * i).collect(Collectors.toList())', '{List}.collect(x -> x.toString())', '{List}.findAll(x -> x != 1)',
             '{List}.split(x -> x == 1)', '{List}.findResults(x -> x == null ? null : x.toString())', '{List}.asList()', '{Map}.collect((k, v) -> k)', 'Arrays.asList({String}.splitOnToken("b"))', 'Arrays.stream({ints}).boxed().collect(Collectors.toList())', '[{List}, {List}]', '{Deque}.stream().collect(Collectors.toList())', '{String}.chars().boxed().collect(Collectors.toList())', '{ints}.asList()'],
    'strings': ['["b", "a"]', '["one", "two", "three"]', '["", "Zeta", "alpha"]', '[{String}, {String}]'],
    'ints': ['new int[] {{3, 1, 2}}', 'new int[3]', 'new int[] {{ {int}, {int} }}', 'Arrays.copyOf({ints}, {small})', '[4, 5].stream().mapToInt(x -> x).toArray()', 'Arrays.copyOfRange({ints}, 0, {small})'],
    'Map': ['[:]', '["a": 1]', '["k": {Object}, "t": {Object}]', '[1: "one", 2: "two"]', '{strings}.stream().collect(Collectors.toMap(x -> x, x -> 1, (a, b) -> a, TreeMap::new))', 'new HashMap(["x": {Object}])', 'new LinkedHashMap(["z": 1, "y": 2])', '((TreeMap){strings}.stream().collect(Collectors.toMap(x -> x, x -> 1, (a, b) -> a, TreeMap::new))).headMap("b")', 'Collections.singletonMap("s", {Object})',
            'Collections.unmodifiableMap({Map})', '{List}.stream().collect(Collectors.groupingBy(x -> x == null ? "none" : x.toString()))', '{strings}.stream().collect(Collectors.toMap(x -> x, x -> x.length()))', '{List}.stream().collect(Collectors.partitioningBy(x -> x == 1))', '{strings}.stream().collect(Collectors.groupingBy(x -> x.length(), Collectors.counting()))',
            '{Map}.findAll((k, v) -> v != null)', '{List}.groupBy(x -> x == null ? "none" : x.toString())', '{strings}.stream().collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.toSet()))'],
    'Set': ['new HashSet({List})', '{strings}.stream().collect(Collectors.toCollection(TreeSet::new))', 'new LinkedHashSet({List})', '{Map}.keySet()', '{List}.stream().collect(Collectors.toSet())', 'Collections.emptySet()', '((TreeSet){strings}.stream().collect(Collectors.toCollection(TreeSet::new))).headSet("m")', '((TreeSet){strings}.stream().collect(Collectors.toCollection(TreeSet::new))).descendingSet()', 'Collections.singleton({Object})'],
    'Deque': ['new ArrayDeque([1, 2, 3])', 'new LinkedList(["a", "b"])'],
    'ZonedDateTime': ['ZonedDateTime.parse("2021-03-04T05:06:07Z")', 'ZonedDateTime.parse("2020-02-29T23:59:59.123+02:00")', 'ZonedDateTime.parse("2021-03-28T01:30:00+01:00[Europe/Berlin]")', "ZonedDateTime.ofInstant({Instant}, ZoneId.of({zone}))", "ZonedDateTime.of(2021, 10, 31, 2, 30, 0, 0, ZoneId.of({zone}))", '{ZonedDateTime}.plusDays({int} % 1000)',
                      '{ZonedDateTime}.plusHours({small})', '{ZonedDateTime}.minusMonths({small})', '{ZonedDateTime}.plusYears({small})', '{ZonedDateTime}.plusWeeks({small})', '{ZonedDateTime}.plusNanos({long} % 1000000)', '{ZonedDateTime}.truncatedTo({unit})', '{ZonedDateTime}.withDayOfMonth({small})', '{ZonedDateTime}.withHour({small})', '{ZonedDateTime}.withZoneSameInstant(ZoneId.of({zone}))',
                      '{ZonedDateTime}.withZoneSameLocal(ZoneId.of({zone}))', '{ZonedDateTime}.plus({Duration})', '{ZonedDateTime}.plus({Period})', '{ZonedDateTime}.minus({small}, {unit})', '{ZonedDateTime}.with(TemporalAdjusters.firstDayOfMonth())', '{ZonedDateTime}.with(TemporalAdjusters.next(DayOfWeek.MONDAY))', '{ZonedDateTime}.with(ChronoField.DAY_OF_WEEK, 3)', '{LocalDateTime}.atZone(ZoneId.of({zone}))', '{LocalDate}.atStartOfDay(ZoneId.of({zone}))', '{Instant}.atZone(ZoneId.of({zone}))',
                      '{ZonedDateTime}.withFixedOffsetZone()', '{ZonedDateTime}.withLaterOffsetAtOverlap()'],
    'zone': ["'Z'", "'Europe/Paris'", "'America/New_York'", "'+05:30'", "'Asia/Kathmandu'", "'UTC'", "'GMT+2'"],
    'unit': ['ChronoUnit.DAYS', 'ChronoUnit.HOURS', 'ChronoUnit.MINUTES', 'ChronoUnit.MILLIS', 'ChronoUnit.MONTHS', 'ChronoUnit.WEEKS', 'ChronoUnit.HALF_DAYS'],
    'LocalDate': ['LocalDate.of(2020, 2, 29)', 'LocalDate.parse("2021-12-31")', 'LocalDate.ofYearDay(2021, 100)', 'LocalDate.ofEpochDay({int} % 100000)', '{LocalDate}.plusMonths({small})', '{LocalDate}.minusWeeks({small})', '{LocalDate}.plusYears({small})', '{LocalDate}.withDayOfYear(200)', '{LocalDate}.with(TemporalAdjusters.lastDayOfMonth())', '{LocalDate}.with(DayOfWeek.FRIDAY)', '{ZonedDateTime}.toLocalDate()', '{LocalDate}.plus({Period})', 'YearMonth.of(2020, 2).atEndOfMonth()', 'Year.of(2020).atDay(60)'],
    'LocalTime': ['LocalTime.of(13, 45)', 'LocalTime.parse("23:59:59.5")', 'LocalTime.MIDNIGHT', 'LocalTime.NOON', '{LocalTime}.plusHours({small})', '{LocalTime}.minusMinutes({int} % 1000)', '{LocalTime}.truncatedTo(ChronoUnit.HOURS)', '{ZonedDateTime}.toLocalTime()', 'LocalTime.ofSecondOfDay(3661)', '{LocalTime}.withNano(5)'],
    'LocalDateTime': ['LocalDateTime.of(2021, 5, 6, 7, 8)', 'LocalDateTime.parse("2021-05-06T07:08:09.010")', 'LocalDateTime.of({LocalDate}, {LocalTime})', '{LocalDate}.atTime(1, 2)', '{LocalDateTime}.plusDays({small})', '{LocalDateTime}.minusSeconds({int} % 1000)', '{ZonedDateTime}.toLocalDateTime()', 'LocalDateTime.ofEpochSecond(1600000000L, 5, ZoneOffset.UTC)', '{LocalDateTime}.withMonth(2)'],
    'Duration': ['Duration.ofHours(5)', 'Duration.ofMillis({int})', 'Duration.parse("PT1H30M")', 'Duration.between({ZonedDateTime}, {ZonedDateTime})', '{Duration}.plusMinutes({small})', '{Duration}.multipliedBy({small})', '{Duration}.dividedBy(3L)', '{Duration}.negated()', '{Duration}.abs()', 'Duration.of({small}, {unit})'],
    'Period': ['Period.of(1, 2, 3)', 'Period.ofMonths({small})', 'Period.parse("P1Y2M3D")', 'Period.between({LocalDate}, {LocalDate})', '{Period}.plusDays({small})', '{Period}.normalized()', '{Period}.negated()', '{Period}.multipliedBy({small})'],
    'Instant': ['Instant.ofEpochMilli(1500000000000L)', 'Instant.parse("2021-01-01T00:00:00Z")', 'Instant.EPOCH', 'Instant.ofEpochSecond({int})', '{Instant}.plusSeconds({int} % 100000)', '{Instant}.plus({Duration})', '{Instant}.truncatedTo(ChronoUnit.DAYS)', '{ZonedDateTime}.toInstant()', '{Instant}.minusMillis({int})'],
    'Optional': ['Optional.of({String})', 'Optional.empty()', '{strings}.stream().findFirst()', '{strings}.stream().max(Comparator.naturalOrder())', '{strings}.stream().min((a, b) -> b.compareTo(a))'],
    'Pattern': ['/a+/', '/[a-c]/i', '/(\\w)(\\w)/', '/b*c?/', '/^.*$/m'],
    'Matcher': ['{Pattern}.matcher({String})'],
    'StringBuilder': ['new StringBuilder()', 'new StringBuilder({String})', '{StringBuilder}.append({Object})', '{StringBuilder}.insert(0, {Object})', '{StringBuilder}.reverse()', '{StringBuilder}.deleteCharAt({small})', '{StringBuilder}.replace(0, 1, {String})', '{StringBuilder}.delete(0, {small})'],
    'StringBuffer': ['new StringBuffer({String})', '{StringBuffer}.append({String})'],
    'BigInteger': ['BigInteger.valueOf({long})', 'new BigInteger("123456789012345678901234567890")', 'BigInteger.TEN', '{BigInteger}.add({BigInteger})', '{BigInteger}.multiply({BigInteger})', '{BigInteger}.subtract({BigInteger})', '{BigInteger}.divide({BigInteger})', '{BigInteger}.mod({BigInteger})', '{BigInteger}.pow({small})', '{BigInteger}.negate()', '{BigInteger}.gcd({BigInteger})', '{BigInteger}.shiftLeft({small})', '{BigInteger}.and({BigInteger})', '{BigInteger}.not()', '{BigInteger}.abs()', '{BigInteger}.max({BigInteger})'],
    'BigDecimal': ['BigDecimal.valueOf({double})', 'BigDecimal.valueOf({long})', 'new BigDecimal("123.4500")', 'BigDecimal.ONE', '{BigDecimal}.add({BigDecimal})', '{BigDecimal}.subtract({BigDecimal})', '{BigDecimal}.multiply({BigDecimal})', '{BigDecimal}.divide(new BigDecimal("8"))', '{BigDecimal}.setScale(1, RoundingMode.HALF_EVEN)', '{BigDecimal}.negate()', '{BigDecimal}.stripTrailingZeros()', '{BigDecimal}.abs()', '{BigDecimal}.pow({small})', '{BigDecimal}.movePointLeft({small})', '{BigDecimal}.round(new MathContext(3))'],
    'UUID': ['UUID.fromString("123e4567-e89b-12d3-a456-426614174000")', 'UUID.nameUUIDFromBytes({bytes})'],
    'bytes': ['new byte[] {{1, 2, 3}}', 'Base64.getDecoder().decode("aGVsbG8=")'],
    'Locale': ['Locale.ROOT', 'Locale.ENGLISH', 'Locale.US', 'Locale.GERMANY', 'new Locale("pt", "BR")', 'Locale.forLanguageTag("fr-CA")'],
}
TYPES = {'int': 12, 'long': 6, 'double': 8, 'char': 2, 'boolean': 10, 'String': 16, 'Object': 2, 'List': 10, 'Map': 6, 'Set': 3, 'ZonedDateTime': 6, 'LocalDate': 3, 'LocalTime': 2, 'LocalDateTime': 2, 'Duration': 2, 'Period': 2, 'Instant': 2,
         'Optional': 1, 'StringBuilder': 2, 'BigInteger': 2, 'BigDecimal': 2, 'Matcher': 1, 'Deque': 1, 'ints': 1}
PARAMS = {'k': 3, 't': 'tea', 'l': [1, 'x', None], 'm': {'a': 1, 'b': [2]}, 'd': 2.5, 'n': None}
# Statements around an expression {e} of the type {T}; {x} to {z} are further expressions.
AROUND = [
    'return {e}', '{e}', 'def x = {e}; return x', '{T} x = {e}; return x', 'def f(def a) {{ return a }} f({e})', '{T} f({T} a, int n) {{ if (n <= 0) {{ return a }} return f(a, n - 1) }} return f({e}, 3)',
    'def r = []; for (int i = 0; i < 3; ++i) {{ r.add({e}) }} return r', 'def r = []; for (def v : {List}) {{ r.add(v); if (r.size() > 2) {{ break }} }} r.add({e}); return r', 'int i = 0; do {{ i += 2; if (i == 4) {{ continue }} }} while (i < 7); return [i, {e}]',
    'try {{ return {e} }} catch (Exception x) {{ return "caught " + x.getMessage() }}', 'try {{ {e} }} catch (IllegalArgumentException x) {{ return x.toString() }} return "fine"', 'try {{ throw new IllegalArgumentException({String}) }} catch (Exception x) {{ return [x.getMessage(), {e}] }}',
    'int n = 0; while (n < 3) {{ n++; if (n > 5) {{ break }} }} return [n, {e}]', 'Map r = new HashMap(); r.put("v", {e}); r.v', 'def m = [:]; m.a = {e}; m["b"] = {int}; return m.a', 'def l = [1, 2, 3]; l[1] = {e}; return l', 'String s = {String}; s += {e}; return s', 'int a = {int}; a += {int}; a <<= 1; a++; return [a--, a, {e}]',
    'double z = {int}; z /= 3; z *= {double}; return z', 'long q = {long}; q ^= {int}; q %= 13; return q', 'def a = {int}; def b = {double}; return a + b', 'def a = {Object}; def b = {Object}; return a + b', 'def a = {int}; def b = {int}; return [a * b, a - b, a % b, a < b, a == b]', 'def x = {e}; return x == null ? "nothing" : x.toString()',
    'def call(Function f) {{ return f.apply({int}) }} return [call(x -> x + 1), {e}]', '{T} run(Supplier s) {{ return ({T})s.get() }} return run(() -> {e})', 'def both(BiFunction f, def a) {{ return f.apply(a, 2) }} return both((a, b) -> a.toString() + b, {e})', 'boolean is(Predicate p, def a) {{ return p.negate().test(a) }} return is(x -> x == null, {e})', 'def l = new ArrayList({List}); l.removeIf(x -> x == 1); l.add({e}); return l',
    'def l = new ArrayList({strings}); l.sort((a, b) -> b.compareTo(a)); Collections.reverse(l); return l', 'def l = new ArrayList({strings}); Collections.sort(l); Collections.swap(l, 0, 1); l.replaceAll(x -> x + "!"); return l', 'def m = new TreeMap(); m.put("k", 1); m.merge("k", 5, (a, b) -> a + b); m.computeIfAbsent("z", k -> k + "!"); m.compute("k", (k, v) -> v + 1); m.putIfAbsent("q", {e}); return m',
    'def m = new HashMap(["a": 1, "b": 2]); def r = []; for (def e : m.entrySet()) {{ r.add(e.getKey() + e.getValue()) }} m.replaceAll((k, v) -> v * 2); return [r, m, m.remove("a"), m.getOrDefault("zz", {e})]', 'Iterator it = {List}.iterator(); int n = 0; while (it.hasNext()) {{ it.next(); n++ }} return n', 'int[] a = new int[] {{5, 3, 4}}; a[0] += {int}; return [a[0], a.length, Arrays.asList(1, 2).contains(2)]',
    'int[][] a = new int[2][3]; a[1][2] = {int}; return a[1][2] + a.length', 'if ({boolean}) {{ return {e} }} else if ({boolean}) {{ return {String} }} else {{ return {Object} }}', 'def x = params.k; x += {int}; return [x, params.t + {String}, params.l.size(), params.m.a, params["m"]["b"][0], params.n]', 'return params.l.stream().filter(x -> x != null).map(String::valueOf).collect(Collectors.toList())',
    'return params.{missing}.length()', 'def o = {e}; return ({T})o', 'def o = {e}; return (String)o', 'def o = {Object}; return (int)o', 'def o = {Object}; return (List)o', 'def d = new ArrayDeque(); d.push(1); d.addLast(2); d.offerFirst({e}); return [d.peekFirst(), d.pollLast(), d.size()]', 'def s = new TreeSet(); s.addAll({strings}); return [s.first(), s.last(), s.higher("b"), s.floor("c"), s.pollFirst(), {e}]',
    'Matcher m = /(\\w)(\\w)/.matcher({String}); def r = []; while (m.find()) {{ r.add(m.group(1) + m.start() + m.end(2)) }} return r', 'def q = new PriorityQueue(); q.addAll([5, 1, 3]); return [q.poll(), q.peek(), q.size()]', 'def c = Comparator.comparing(x -> x.length()).thenComparing(Comparator.naturalOrder()); def l = new ArrayList({strings}); l.sort(c.reversed()); return l',
    'def s = {List}.stream().mapToInt(x -> x == null ? 0 : x.toString().length()).summaryStatistics(); return [s.getMin(), s.getMax(), s.getAverage(), s.getSum(), s.getCount()]', 'return {e}.nonsense()', 'return undefined_name + {e}', 'int x = {String}; return x', 'return {int} + ;', 'byte b = (byte){int}; short h = (short){int}; float f = (float){double}; return [b, h, f, (char)65]',
    'def x = {e}; x = {Object}; return x', 'boolean t = {boolean}; t &= {boolean}; t |= {boolean}; return t', 'return {boolean} ? {int} : {double}', 'def a = {ints}; def r = 0; for (int v : a) {{ r += v }} return r', '{StringBuilder}.append(1).append((char)98).append(2.5).append(true).append([1]).toString()', 'return new int[{small}].length', 'throw new RuntimeException({String})',
]


def expression(dice, of, depth):
    """An expression of a type, nested to a depth; the receiver of a method may be of a type that is not known before."""
    rows = ROWS[of]
    ends = [row for row in rows if not re.search(r'(?<!\{)\{[A-Za-z]+\}', row)]
    row = dice.one(rows if depth > 0 or not ends else ends)
    if row.startswith('{') and '}.' in row and not row.startswith('{Pattern}') and dice.chance(0.2):
        row = '((def)' + row.replace('}.', '}).', 1)
    return re.sub(r'(?<!\{)\{([A-Za-z]+)\}', lambda m: expression(dice, m.group(1), depth - 1), row).replace('{{', '{').replace('}}', '}')


def filled(dice, text):
    """A text with expressions in the places that it has for them."""
    while True:
        found = next((one for one in re.finditer(r'(?<!\{)\{([A-Za-z]+)\}', text) if one.group(1) in ROWS), None)
        if found is None:
            return text.replace('{{', '{').replace('}}', '}')
        text = text[:found.start()] + expression(dice, found.group(1), 1).replace('{', '{{').replace('}', '}}') + text[found.end():]


def script(dice, schema):
    """A script for `_execute`."""
    of = dice.weighted(TYPES)
    around = dice.one(AROUND) if dice.chance(0.55) else dice.one(AROUND[:4])
    inner = expression(dice, of, dice.int(0, 3)).replace('{', '{{').replace('}', '}}')
    made = around.replace('{e}', inner).replace('{T}', 'int[]' if of == 'ints' else of).replace('{missing}', 'missing')
    source = filled(dice, made)
    # What is broken comes last, so that everything else is drawn as it always was.
    return {'script': {'source': broken(dice, source) if dice.chance(0.08) else source, 'params': PARAMS}}


TOKENS = r'[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|->|[-+*/%&|^<>=!?:]+=?|\S'
STRAY = [';', ')', '(', ']', '[', '}', '{', ',', '.', ':', '=', '+', 'x', '3', '"s"', 'int', 'def', 'return', 'if', 'else', 'for', 'new', 'this', 'in', '->', '?', '!']


def broken(dice, source):
    """A script that lacks a token, has one too many or another one, or ends too early."""
    tokens = list(re.finditer(TOKENS, source))
    if not tokens:
        return source
    token = dice.one(tokens)
    how = dice.weighted({'lacks': 4, 'more': 2, 'another': 2, 'ends': 2})
    if how == 'ends':
        return source[:token.start()]
    text = '' if how == 'lacks' else dice.one(STRAY) if how == 'another' else f'{token.group()} {dice.one(STRAY)}'
    return f'{source[:token.start()]} {text} {source[token.end():]}'

/** The standard library: operators, conversions, sizes, strings, times (cel-go's common/stdlib/standard.go). */
import {
  addValues,
  compareValues,
  divideValues,
  moduloValues,
  multiplyValues,
  negateValue,
  subtractValues,
} from '../arithmetic.ts'
import { OPERATORS } from '../ast.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  listOf,
  mapOf,
  typeParam,
} from '../cel-type.ts'
import {
  toBool,
  toBytes,
  toDouble,
  toDuration,
  toInt,
  toStringValue,
  toTimestamp,
  toUint,
} from '../convert.ts'
import { sizeOf } from '../cost-actual.ts'
import type { FunctionDeclaration, Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import { contains } from '../equality.ts'
import { STANDARD_MACROS } from '../macros.ts'
import { compilePattern, patternMatches } from '../pattern.ts'
import { typeValueOf } from '../runtime-type.ts'
import type { CalendarTime } from '../time.ts'
import { inZone } from '../time.ts'
import type { Duration, ListValue, MapValue, Timestamp, Value } from '../value.ts'
import { EvalError, isError } from '../value.ts'

/** The id of an overload and its signature. */
type Row = readonly [id: string, signature: string]

function sameFor(
  name: string,
  apply: (...args: readonly never[]) => Value,
  rows: readonly Row[],
): FunctionDeclaration {
  return fn(name, ...rows.map(([id, text]) => overload(id, text, apply)))
}

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const NUMBERS: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64', double: 'double' }

/** The overloads of an order operator: each ordered type with itself, and numbers with one another. */
function ordering(prefix: string): readonly Row[] {
  const own = ORDERED.map((type): Row => [
    `${prefix}_${NUMBERS[type] ?? type}`,
    `(${type}, ${type}): bool`,
  ])
  const mixed = Object.keys(NUMBERS).flatMap((a) =>
    Object.keys(NUMBERS)
      .filter((b) => a !== b)
      .map((b): Row => [`${prefix}_${NUMBERS[a]}_${NUMBERS[b]}`, `(${a}, ${b}): bool`]),
  )
  return [...own, ...mixed]
}

function compared(test: (order: number) => boolean): (a: Value, b: Value) => Value {
  return (a, b) => {
    const order = compareValues(a, b)
    return typeof order === 'number' ? test(order) : order
  }
}

function size(value: Value): Value {
  return BigInt(sizeOf(value))
}

const OPERATOR_FUNCTIONS: readonly FunctionDeclaration[] = [
  fn(OPERATORS.conditional, overload('conditional', '(bool, A, A): A')),
  fn(OPERATORS.and, overload('logical_and', '(bool, bool): bool')),
  fn(OPERATORS.or, overload('logical_or', '(bool, bool): bool')),
  fn(
    OPERATORS.not,
    overload('logical_not', '(bool): bool', (value: boolean) => !value),
  ),
  fn(
    OPERATORS.notStrictlyFalse,
    overload('not_strictly_false', '(bool): bool', (v: Value) => v),
  ),
  fn(OPERATORS.equals, overload('equals', '(A, A): bool')),
  fn(OPERATORS.notEquals, overload('not_equals', '(A, A): bool')),
  sameFor(OPERATORS.add, addValues, [
    ['add_bytes', '(bytes, bytes): bytes'],
    ['add_double', '(double, double): double'],
    ['add_duration_duration', '(duration, duration): duration'],
    ['add_duration_timestamp', '(duration, timestamp): timestamp'],
    ['add_timestamp_duration', '(timestamp, duration): timestamp'],
    ['add_int64', '(int, int): int'],
    ['add_list', '(list<A>, list<A>): list<A>'],
    ['add_string', '(string, string): string'],
    ['add_uint64', '(uint, uint): uint'],
  ]),
  sameFor(OPERATORS.divide, divideValues, [
    ['divide_double', '(double, double): double'],
    ['divide_int64', '(int, int): int'],
    ['divide_uint64', '(uint, uint): uint'],
  ]),
  sameFor(OPERATORS.modulo, moduloValues, [
    ['modulo_int64', '(int, int): int'],
    ['modulo_uint64', '(uint, uint): uint'],
  ]),
  sameFor(OPERATORS.multiply, multiplyValues, [
    ['multiply_double', '(double, double): double'],
    ['multiply_int64', '(int, int): int'],
    ['multiply_uint64', '(uint, uint): uint'],
  ]),
  sameFor(OPERATORS.negate, negateValue, [
    ['negate_double', '(double): double'],
    ['negate_int64', '(int): int'],
  ]),
  sameFor(OPERATORS.subtract, subtractValues, [
    ['subtract_double', '(double, double): double'],
    ['subtract_duration_duration', '(duration, duration): duration'],
    ['subtract_int64', '(int, int): int'],
    ['subtract_timestamp_duration', '(timestamp, duration): timestamp'],
    ['subtract_timestamp_timestamp', '(timestamp, timestamp): duration'],
    ['subtract_uint64', '(uint, uint): uint'],
  ]),
  sameFor(
    OPERATORS.less,
    compared((order) => order < 0),
    ordering('less'),
  ),
  sameFor(
    OPERATORS.lessEquals,
    compared((order) => order <= 0),
    ordering('less_equals'),
  ),
  sameFor(
    OPERATORS.greater,
    compared((order) => order > 0),
    ordering('greater'),
  ),
  sameFor(
    OPERATORS.greaterEquals,
    compared((order) => order >= 0),
    ordering('greater_equals'),
  ),
  fn(
    OPERATORS.index,
    overload('index_list', '(list<A>, int): A'),
    overload('index_map', '(map<A, B>, A): B'),
  ),
  fn(
    OPERATORS.in,
    overload('in_list', '(A, list<A>): bool', (a: Value, list: ListValue) => contains(list, a)),
    overload('in_map', '(A, map<A, B>): bool', inMap),
  ),
]

function inMap(key: Value, map: MapValue): Value {
  const found = map.find(key)
  return found !== undefined && isError(found) ? found : found !== undefined
}

const identity = (value: Value): Value => value

const CONVERSIONS: readonly FunctionDeclaration[] = [
  sameFor('size', size, [
    ['size_bytes', '(bytes): int'],
    ['bytes_size', 'bytes.(): int'],
    ['size_list', '(list<A>): int'],
    ['list_size', 'list<A>.(): int'],
    ['size_map', '(map<A, B>): int'],
    ['map_size', 'map<A, B>.(): int'],
    ['size_string', '(string): int'],
    ['string_size', 'string.(): int'],
  ]),
  fn('type', overload('type', '(A): type<A>', typeValueOf)),
  sameFor('bool', toBool, [
    ['bool_to_bool', '(bool): bool'],
    ['string_to_bool', '(string): bool'],
  ]),
  sameFor('bytes', toBytes, [
    ['bytes_to_bytes', '(bytes): bytes'],
    ['string_to_bytes', '(string): bytes'],
  ]),
  sameFor('double', toDouble, [
    ['double_to_double', '(double): double'],
    ['int64_to_double', '(int): double'],
    ['string_to_double', '(string): double'],
    ['uint64_to_double', '(uint): double'],
  ]),
  sameFor('duration', toDuration, [
    ['duration_to_duration', '(duration): duration'],
    ['int64_to_duration', '(int): duration'],
    ['string_to_duration', '(string): duration'],
  ]),
  fn('dyn', overload('to_dyn', '(A): dyn', identity)),
  sameFor('int', toInt, [
    ['int64_to_int64', '(int): int'],
    ['double_to_int64', '(double): int'],
    ['duration_to_int64', '(duration): int'],
    ['string_to_int64', '(string): int'],
    ['timestamp_to_int64', '(timestamp): int'],
    ['uint64_to_int64', '(uint): int'],
  ]),
  sameFor('string', toStringValue, [
    ['string_to_string', '(string): string'],
    ['bool_to_string', '(bool): string'],
    ['bytes_to_string', '(bytes): string'],
    ['double_to_string', '(double): string'],
    ['duration_to_string', '(duration): string'],
    ['int64_to_string', '(int): string'],
    ['timestamp_to_string', '(timestamp): string'],
    ['uint64_to_string', '(uint): string'],
  ]),
  sameFor('timestamp', toTimestamp, [
    ['timestamp_to_timestamp', '(timestamp): timestamp'],
    ['int64_to_timestamp', '(int): timestamp'],
    ['string_to_timestamp', '(string): timestamp'],
  ]),
  sameFor('uint', toUint, [
    ['uint64_to_uint64', '(uint): uint'],
    ['double_to_uint64', '(double): uint'],
    ['int64_to_uint64', '(int): uint'],
    ['string_to_uint64', '(string): uint'],
  ]),
]

function matches(text: string, source: string): Value {
  const pattern = compilePattern(source)
  return pattern instanceof EvalError ? pattern : patternMatches(pattern, text)
}

const STRINGS: readonly FunctionDeclaration[] = [
  fn(
    'contains',
    overload('contains_string', 'string.(string): bool', (a: string, b: string) => a.includes(b)),
  ),
  fn(
    'endsWith',
    overload('ends_with_string', 'string.(string): bool', (a: string, b: string) => a.endsWith(b)),
  ),
  fn(
    'startsWith',
    overload('starts_with_string', 'string.(string): bool', (a: string, b: string) =>
      a.startsWith(b),
    ),
  ),
  fn(
    'matches',
    overload('matches', '(string, string): bool', matches),
    overload('matches_string', 'string.(string): bool', matches),
  ),
]

/** A function of a timestamp, in UTC or in a zone, with further overloads. */
function calendar(
  name: string,
  id: string,
  read: (time: CalendarTime, timestamp: Timestamp) => number,
  ...others: Parameters<typeof fn>[1][]
): FunctionDeclaration {
  const inTimeZone = (time: Timestamp, zone = 'UTC'): Value => {
    const fields = inZone(time, zone)
    return fields instanceof EvalError ? fields : BigInt(read(fields, time))
  }
  return fn(
    name,
    overload(id, 'timestamp.(): int', (time: Timestamp) => inTimeZone(time)),
    overload(`${id}_with_tz`, 'timestamp.(string): int', inTimeZone),
    ...others,
  )
}

function inUnits(id: string, nanos: bigint): ReturnType<typeof overload> {
  return overload(id, 'duration.(): int', (value: Duration) => value.nanos / nanos)
}

const TIMES: readonly FunctionDeclaration[] = [
  calendar('getFullYear', 'timestamp_to_year', (time) => time.year),
  calendar('getMonth', 'timestamp_to_month', (time) => time.month - 1),
  calendar('getDayOfYear', 'timestamp_to_day_of_year', (time) => time.yearDay),
  calendar('getDayOfMonth', 'timestamp_to_day_of_month', (time) => time.day - 1),
  calendar('getDate', 'timestamp_to_day_of_month_1_based', (time) => time.day),
  calendar('getDayOfWeek', 'timestamp_to_day_of_week', (time) => time.weekday),
  calendar(
    'getHours',
    'timestamp_to_hours',
    (time) => time.hour,
    inUnits('duration_to_hours', 3_600_000_000_000n),
  ),
  calendar(
    'getMinutes',
    'timestamp_to_minutes',
    (time) => time.minute,
    inUnits('duration_to_minutes', 60_000_000_000n),
  ),
  calendar(
    'getSeconds',
    'timestamp_to_seconds',
    (time) => time.second,
    inUnits('duration_to_seconds', 1_000_000_000n),
  ),
  calendar(
    'getMilliseconds',
    'timestamp_to_milliseconds',
    (_time, timestamp) => Math.floor(timestamp.nanos / 1_000_000),
    inUnits('duration_to_milliseconds', 1_000_000n),
  ),
]

/** See the file. */
export const STANDARD: Library = {
  name: 'standard',
  functions: [...OPERATOR_FUNCTIONS, ...CONVERSIONS, ...STRINGS, ...TIMES],
  macros: STANDARD_MACROS,
  types: [
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    listOf(typeParam('A')),
    mapOf(typeParam('A'), typeParam('B')),
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
  ],
}

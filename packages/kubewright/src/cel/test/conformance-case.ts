/** Reads the published conformance tests of the language: their variables, bindings and expected values in our terms. */
import type { Decl_FunctionDecl_Overload, Type } from '@bufbuild/cel-spec/cel/expr/checked_pb.js'
import type { ExprValue } from '@bufbuild/cel-spec/cel/expr/eval_pb.js'
import type { Value as ProtoValue } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import type { IncrementalTest } from '@bufbuild/cel-spec/testdata/tests.js'
import type { Any } from '@bufbuild/protobuf/wkt'
import { DurationSchema, TimestampSchema, anyIs, anyUnpack } from '@bufbuild/protobuf/wkt'
import type { CelType } from '../cel-type.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  UINT,
  abstractType,
  listOf,
  mapOf,
  opaqueType,
  typeOfType,
  typeParam,
  wrapperOf,
} from '../cel-type.ts'
import type { Library, Overload } from '../declaration.ts'
import { fn } from '../declaration.ts'
import type { Value } from '../value.ts'
import { ArrayList, Duration, EntryMap, EvalError, Timestamp, TypeValue, Uint } from '../value.ts'

/** Why a test is not run: it needs what Kubernetes' environment does not have. Undefined if it is run. */
export function leftOutReason(test: IncrementalTest): string | undefined {
  const { original } = test
  const text = JSON.stringify(original, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  if (/TestAllTypes|NestedTestAllTypes|proto2|proto3/.test(text)) return 'protobuf messages'
  if (/"enumValue"/.test(text)) return 'protobuf enums'
  if (/google\.protobuf\.(?!Timestamp|Duration)/.test(original.expr))
    return 'protobuf well-known types'
  if (/[.{,?]\s*`/.test(original.expr))
    return 'quoted field names, a syntax that Kubernetes leaves off'
  const matcher = original.resultMatcher.case
  if (matcher === 'unknown' || matcher === 'anyUnknowns') return 'partial evaluation'
  return undefined
}

/** The declared variables. */
export function variablesOf(test: IncrementalTest): Readonly<Record<string, CelType>> {
  const variables: Record<string, CelType> = {}
  for (const { name, declKind } of test.original.typeEnv) {
    if (declKind.case === 'ident' && declKind.value.type !== undefined) {
      variables[name] = typeOf(declKind.value.type)
    }
  }
  return variables
}

/** The declared functions, as a library without implementations: tests that have them are only checked. */
export function declaredFunctions(test: IncrementalTest): Library {
  const functions = test.original.typeEnv.flatMap(({ name, declKind }) =>
    declKind.case === 'function' ? [fn(name, ...declKind.value.overloads.map(overloadOf))] : [],
  )
  return { name: 'declared', functions }
}

function overloadOf(declared: Decl_FunctionDecl_Overload): Overload {
  return {
    id: declared.overloadId,
    member: declared.isInstanceFunction,
    parameters: declared.params.map(typeOf),
    result: declared.resultType === undefined ? DYN : typeOf(declared.resultType),
    variables: declared.typeParams,
  }
}

const PRIMITIVES = [DYN, BOOL, INT, UINT, DOUBLE, STRING, BYTES] as const
const WELL_KNOWN = [DYN, DYN, TIMESTAMP, DURATION] as const

function typeOf({ typeKind }: Type): CelType {
  const of = (type: Type | undefined): CelType => (type === undefined ? DYN : typeOf(type))
  switch (typeKind.case) {
    case 'null':
      return NULL
    case 'primitive':
      return PRIMITIVES[typeKind.value] ?? DYN
    case 'wrapper':
      return wrapperOf(PRIMITIVES[typeKind.value] ?? DYN)
    case 'wellKnown':
      return WELL_KNOWN[typeKind.value] ?? DYN
    case 'listType':
      return listOf(of(typeKind.value.elemType))
    case 'mapType':
      return mapOf(of(typeKind.value.keyType), of(typeKind.value.valueType))
    case 'messageType':
      return typeKind.value === 'google.protobuf.Duration' ? DURATION : abstractType(typeKind.value)
    case 'typeParam':
      return typeParam(typeKind.value)
    case 'type':
      return typeOfType(of(typeKind.value))
    case 'abstractType':
      return opaqueType(typeKind.value.name, ...typeKind.value.parameterTypes.map(typeOf))
    case 'error':
      return ERROR
    default:
      return DYN
  }
}

/** The bound variables. */
export function bindingsOf(test: IncrementalTest): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(test.original.bindings).map(([name, value]) => [name, boundValue(value)]),
  )
}

function boundValue({ kind }: ExprValue): Value {
  return kind.case === 'value' ? valueOfProto(kind.value) : new EvalError('unknown')
}

/** A protobuf value in our terms. Timestamps and durations come as their conversions in the expression instead. */
export function valueOfProto({ kind }: ProtoValue): Value {
  switch (kind.case) {
    case 'boolValue':
    case 'stringValue':
    case 'bytesValue':
    case 'doubleValue':
    case 'int64Value':
      return kind.value
    case 'uint64Value':
      return new Uint(kind.value)
    case 'listValue':
      return new ArrayList(kind.value.values.map(valueOfProto))
    case 'mapValue': {
      const map = new EntryMap()
      for (const { key, value } of kind.value.entries) {
        map.set(key ? valueOfProto(key) : null, value ? valueOfProto(value) : null)
      }
      return map
    }
    case 'typeValue':
      return new TypeValue(DYN, kind.value)
    case 'objectValue':
      return unpacked(kind.value)
    default:
      return null
  }
}

function unpacked(any: Any): Value {
  if (anyIs(any, TimestampSchema)) {
    const time = anyUnpack(any, TimestampSchema)
    return time === undefined ? null : new Timestamp(time.seconds, time.nanos)
  }
  const span = anyUnpack(any, DurationSchema)
  return span === undefined
    ? null
    : new Duration(span.seconds * 1_000_000_000n + BigInt(span.nanos))
}

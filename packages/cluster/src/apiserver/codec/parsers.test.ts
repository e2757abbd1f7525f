import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseExact, stringifyExact } from 'kubewright/base'
import { parseApiVersion } from 'kubewright/machinery'
import { everyBuiltinResource, definitionName, definitionOf } from '../resources/builtins.ts'
import { decodeBuiltin } from '../resources/decode.ts'
import { parseBody, SyntaxProblem } from './body.ts'
import { fieldsOf } from './protobuf-fields.ts'
import { openEnvelope, readEnvelope } from './protobuf.ts'
import { protobufBytes } from './protobuf-encode.ts'

const KINDS = everyBuiltinResource().map((it) => ({ apiVersion: named(it), kind: it.kind }))

function named({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`
}

const nameOf = ({ apiVersion, kind }: (typeof KINDS)[number]): string =>
  definitionName({ ...parseApiVersion(apiVersion), kind })!

interface Arbitraries {
  readonly [type: string]: fc.Arbitrary<unknown>
}

const TEXT = fc.oneof(fc.string({ maxLength: 6 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
const JSON_VALUE = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: true } as never)
  .map((it) => ({ it: JSON.parse(JSON.stringify(it)) as unknown }))
const SECONDS = fc
  .date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((it) => it.toISOString().slice(0, 19))

const SCALARS: Arbitraries = {
  string: TEXT,
  bytes: fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .map((it) => Buffer.from(it).toString('base64')),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
}

/** Types with a JSON form of their own, by the end of their name. */
const SPECIAL: Arbitraries = {
  Time: SECONDS.map((it) => `${it}Z`),
  MicroTime: SECONDS.map((it) => `${it}.123456Z`),
  Quantity: fc.nat(1000).map((it) => `${it}Mi`),
  IntOrString: fc.oneof(fc.integer(), fc.string()),
  RawExtension: JSON_VALUE,
  FieldsV1: fc.constant({ 'f:metadata': { 'f:labels': {} } }),
  ExtraValue: fc.array(TEXT, { minLength: 1, maxLength: 3 }),
  Verbs: fc.array(TEXT, { minLength: 1, maxLength: 3 }),
  JSON: JSON_VALUE,
  JSONSchemaPropsOrArray: fc.constant([{ type: 'string' }]),
  JSONSchemaPropsOrBool: fc.oneof(fc.boolean(), fc.constant({ type: 'string' })),
  JSONSchemaPropsOrStringArray: fc.constant(['a', 'b']),
}

const DEPTH = 5

/** Any object of a message: every field may be there or not. */
function message(name: string, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const model: Record<string, fc.Arbitrary<unknown>> = {}
  const embedded: fc.Arbitrary<Record<string, unknown>>[] = []
  for (const field of fieldsOf(name)) {
    const one = value(field.type, depth)
    if (!one) continue
    if (field.name === '') embedded.push(one as fc.Arbitrary<Record<string, unknown>>)
    else if (field.holds === 'one') model[field.name] = one
    else if (field.holds === 'list')
      model[field.name] = fc.array(one, { minLength: 1, maxLength: 2 })
    else
      model[field.name] = fc.dictionary(fc.string({ maxLength: 5 }), one, {
        minKeys: 1,
        maxKeys: 2,
      })
  }
  return fc
    .tuple(fc.record(model, { requiredKeys: [] }), ...embedded)
    .map((parts) => Object.assign({}, ...parts.toReversed()) as Record<string, unknown>)
}

function value(type: string, depth: number): fc.Arbitrary<unknown> | undefined {
  const special = SPECIAL[type.slice(type.lastIndexOf('.') + 1)]
  if (SCALARS[type] ?? special) return SCALARS[type] ?? special
  if (depth === 0 || !definitionOf(type)) return undefined
  return message(type, depth - 1)
}

const decoded = (object: unknown, { apiVersion, kind }: (typeof KINDS)[number]): unknown =>
  parseExact(stringifyExact(decodeBuiltin(object, { ...parseApiVersion(apiVersion), kind }).object))

test('an object of any kind comes back from protobuf as it went', () => {
  const objects = fc
    .constantFrom(...KINDS)
    .chain((kind) => message(nameOf(kind), DEPTH).map((it) => ({ ...kind, ...it })))
  fc.assert(
    fc.property(objects, (object) => {
      const kind = { apiVersion: object.apiVersion, kind: object.kind }
      const before = decoded(structuredClone(object), kind)
      const bytes = protobufBytes(before as typeof kind)
      const after = decoded(readEnvelope(openEnvelope(bytes)), kind)
      assert.deepEqual(after, before)
      assert.deepEqual(protobufBytes(after as typeof kind), bytes)
    }),
    { numRuns: 150 },
  )
})

test('a body of any text is read, or refused with a sentence', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom(
      ...'{}[]:,"\'\n\t -&*!|>%@`#?',
      ': ',
      '- ',
      '<<: *a',
      '&a ',
      '\\u',
      '1e',
      '.inf',
    ),
    fc.jsonValue({ maxDepth: 1 }).map((it) => JSON.stringify(it)),
  )
  const text = fc.array(piece, { maxLength: 12 }).map((it) => it.join(''))
  fc.assert(
    fc.property(text, fc.constantFrom('application/json', 'application/yaml'), (it, type) => {
      for (const numbers of ['plain', 'written'] as const) {
        try {
          parseBody(it, type as 'application/json' | 'application/yaml', true, numbers)
        } catch (error) {
          assert.ok(error instanceof SyntaxProblem, String(error))
        }
      }
    }),
    { numRuns: 600 },
  )
})

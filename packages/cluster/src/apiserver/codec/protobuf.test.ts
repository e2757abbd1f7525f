import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseApiVersion } from 'kubewright/machinery'
import { decodeBuiltin } from '../resources/decode.ts'
import { openEnvelope, readEnvelope } from './protobuf.ts'
import { WireProblem } from './protobuf-wire.ts'

interface Named {
  readonly apiVersion: string
  readonly kind: string
}

interface Sample {
  readonly object: Named
  readonly protobuf: string
}

/** Objects as kube-apiserver v1.36.3 answered them, in JSON and in protobuf. */
const SAMPLES: readonly Sample[] = readFileSync(
  new URL('testdata/protobuf.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((it) => JSON.parse(it) as Sample)

const decoded = (value: unknown, { apiVersion, kind }: Named): unknown => {
  const { object } = decodeBuiltin(value, { ...parseApiVersion(apiVersion), kind })
  return JSON.parse(JSON.stringify(object))
}

for (const { object, protobuf } of SAMPLES) {
  test(`${object.kind}: protobuf says what JSON says`, () => {
    const read = readEnvelope(openEnvelope(Buffer.from(protobuf, 'base64')))
    assert.deepEqual(decoded(read, object), decoded(structuredClone(object), object))
  })
}

const open = (bytes: readonly number[]): unknown => readEnvelope(openEnvelope(Buffer.from(bytes)))

const PREFIX = [0x6b, 0x38, 0x73, 0]
const NAMESPACE = [0x0a, 15, 0x0a, 2, 0x76, 0x31, 0x12, 9, ...Buffer.from('Namespace')]

test('what is no protobuf is said as the real server says it', () => {
  const cases: readonly (readonly [bytes: readonly number[], message: string])[] = [
    [[], 'empty data'],
    [
      [1, 2],
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    [PREFIX, 'empty body'],
    [[...PREFIX, 0x12, 0xff], 'unexpected EOF'],
    [[...PREFIX, ...NAMESPACE, 0x12, 3, 0x0a, 0x7f, 1], 'unexpected EOF'],
    [[...PREFIX, ...NAMESPACE, 0x12, 2, 0x08, 1], 'proto: wrong wireType = 0 for field Metadata'],
    [[...PREFIX, ...NAMESPACE, 0x12, 2, 0x00, 1], 'proto: Namespace: illegal tag 0 (wire type 0)'],
  ]
  for (const [bytes, message] of cases) {
    assert.throws(() => open(bytes), { name: 'WireProblem', message })
  }
})

test('a field that is not known is passed over', () => {
  const unknown = [0xfa, 0x01, 1, 0x2a, 0xf8, 0x01, 0x96, 1, 0xf9, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]
  assert.deepEqual(open([...PREFIX, ...NAMESPACE, 0x12, unknown.length, ...unknown]), {
    apiVersion: 'v1',
    kind: 'Namespace',
  })
})

test('a kind that is not built in keeps its name', () => {
  const foo = [0x0a, 9, 0x0a, 2, 0x76, 0x31, 0x12, 3, ...Buffer.from('Foo')]
  assert.deepEqual(open([...PREFIX, ...foo]), { apiVersion: 'v1', kind: 'Foo' })
})

test('bytes of any kind are read or refused, and never crash the reader', () => {
  const whole = Buffer.from(SAMPLES[0]!.protobuf, 'base64')
  const spot = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(spot, { maxLength: 5 }), fc.nat(whole.length), (spots, length) => {
      const bytes = Buffer.from(whole.subarray(0, length))
      for (const { at, byte } of spots) if (at < length) bytes[at] = byte
      try {
        readEnvelope(openEnvelope(bytes))
      } catch (error) {
        assert.ok(error instanceof WireProblem || error instanceof SyntaxError, String(error))
      }
    }),
  )
})

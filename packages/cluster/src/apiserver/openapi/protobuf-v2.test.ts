import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { builtinResources } from '../resources/builtins.ts'
import { Descriptions } from './descriptions.ts'
import { openApiV2 } from './document-v2.ts'
import { double, integer, nested, text } from './protobuf.ts'
import { documentProtobuf } from './protobuf-v2.ts'

/** A message read back without a schema: each field number with its values, in order. */
type Fields = ReadonlyMap<number, readonly (Uint8Array | number)[]>

function read(bytes: Uint8Array): Fields {
  const fields = new Map<number, (Uint8Array | number)[]>()
  const view = Buffer.from(bytes)
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 0x80) {
      const byte = view[at++]!
      value += (byte % 0x80) * shift
      if (byte < 0x80) return value
    }
  }
  while (at < view.length) {
    const tag = varint()
    const all = fields.get(Math.floor(tag / 8)) ?? []
    fields.set(Math.floor(tag / 8), all)
    if (tag % 8 === 0) all.push(varint())
    else if (tag % 8 === 1) all.push(view.readDoubleLE((at += 8) - 8))
    else {
      const length = varint()
      all.push(view.subarray(at, (at += length)))
    }
  }
  return fields
}

const body = (fields: Fields, ...path: readonly number[]): Fields =>
  path.reduce((it, field) => read(it.get(field)![0] as Uint8Array), fields)
const textIn = (fields: Fields, field: number): string =>
  Buffer.from((fields.get(field)?.[0] as Uint8Array | undefined) ?? []).toString()
const named = (fields: Fields, field: number): ReadonlyMap<string, Fields> =>
  new Map(
    (fields.get(field) ?? []).map((it) => {
      const member = read(it as Uint8Array)
      return [textIn(member, 1), body(member, 2)]
    }),
  )

const document = openApiV2({
  infos: builtinResources(),
  customKind: () => undefined,
  descriptions: new Descriptions(),
  version: '1.36',
}) as {
  readonly paths: object
  readonly definitions: Readonly<Record<string, { readonly properties?: object }>>
}
const message = read(documentProtobuf(document as never))

test('the document names its version, its paths and its definitions', () => {
  assert.equal(textIn(message, 1), '2.0')
  assert.deepEqual(
    [textIn(body(message, 2), 1), textIn(body(message, 2), 2)],
    ['Kubernetes', '1.36'],
  )
  assert.deepEqual([...named(body(message, 8), 2).keys()], Object.keys(document.paths))
  assert.deepEqual([...named(body(message, 9), 1).keys()], Object.keys(document.definitions))
})

test('every definition has its properties', () => {
  for (const [name, schema] of named(body(message, 9), 1)) {
    const properties = schema.has(25) ? [...named(body(schema, 25), 1).keys()] : []
    assert.deepEqual(properties, Object.keys(document.definitions[name]!.properties ?? {}), name)
  }
})

test('a schema, its reference and its extension', () => {
  const spec = named(body(message, 9), 1).get('io.k8s.api.apps.v1.DeploymentSpec')!
  assert.equal(textIn(body(spec, 22), 1), 'object')
  const required = spec.get(19)!.map((it) => Buffer.from(it as Uint8Array).toString())
  assert.deepEqual(required, ['selector', 'template'])
  const strategy = named(body(spec, 25), 1).get('strategy')!
  assert.equal(textIn(strategy, 1), '#/definitions/io.k8s.api.apps.v1.DeploymentStrategy')
  const extension = named(strategy, 31).get('x-kubernetes-patch-strategy')!
  assert.equal(textIn(extension, 2), '"retainKeys"')
})

test('an operation and its parameters', () => {
  const path = named(body(message, 8), 2).get('/api/v1/namespaces/{namespace}/pods/{name}')!
  const patch = body(path, 8)
  assert.equal(textIn(patch, 5), 'patchCoreV1NamespacedPod')
  const [first] = patch.get(8)!
  const reference = body(read(first as Uint8Array), 2)
  assert.equal(textIn(reference, 1), '#/parameters/body-78PwaGsr')
  const shared = named(body(message, 10), 1)
  const parameter = body(shared.get('body-78PwaGsr')!, 1)
  assert.deepEqual(
    [textIn(parameter, 2), textIn(parameter, 3), parameter.get(4)],
    ['body', 'body', [1]],
  )
  const pretty = body(shared.get('pretty-tJGM1-ng')!, 2, 3)
  assert.equal(textIn(pretty, 4), 'pretty')
  const [own, ...others] = path.get(9)!.map((it) => read(it as Uint8Array))
  assert.equal(textIn(body(own!, 1, 2, 4), 4), 'name')
  assert.deepEqual(
    others.map((it) => textIn(body(it, 2), 1)),
    ['#/parameters/namespace-vgWSWtn3', '#/parameters/pretty-tJGM1-ng'],
  )
})

test('what is written is read', () => {
  const field = fc.integer({ min: 1, max: 1000 })
  fc.assert(
    fc.property(field, fc.string({ minLength: 1 }), (at, value) => {
      assert.equal(textIn(read(text(at, value)), at), value)
      assert.equal(textIn(body(read(nested(at, text(1, value))), at), 1), value)
    }),
  )
  fc.assert(
    fc.property(field, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (at, value) => {
      assert.deepEqual(read(integer(at, value)).get(at), [value])
    }),
  )
  fc.assert(
    fc.property(field, fc.double({ noNaN: true }), (at, value) => {
      assert.deepEqual(read(double(at, value)).get(at), value === 0 ? undefined : [value])
    }),
  )
})

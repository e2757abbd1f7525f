import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldSetOf, pathsOf, sameSet } from './field-set.ts'
import { createFieldsV1Codec, decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts'
import { fieldElement, fieldPath, keyElement, printPath, valueElement } from './path-element.ts'

const web = [...fieldPath('spec', 'containers'), keyElement([['name', 'web']])]
const set = fieldSetOf(
  fieldPath('spec', 'replicas'),
  web,
  [...web, fieldElement('image')],
  [...fieldPath('metadata', 'finalizers'), valueElement('x')],
)

test('a set is written in canonical order', () => {
  const text =
    '{"f:metadata":{"f:finalizers":{"v:\\"x\\"":{}}},' +
    '"f:spec":{"f:containers":{"k:{\\"name\\":\\"web\\"}":{".":{},"f:image":{}}},"f:replicas":{}}}'
  assert.equal(JSON.stringify(encodeFieldsV1(set)), text)
  assert.ok(sameSet(decodeFieldsV1(JSON.parse(text)), set))
})

test('unknown kinds of elements are dropped, the object around them is then a member', () => {
  const decoded = decodeFieldsV1({ 'f:a': { 'x:y': {} }, 'f:b': { '.': {} }, 'q:z': {} })
  assert.deepEqual([...pathsOf(decoded)].map(printPath), ['.a', '.b'])
  assert.throws(() => decodeFieldsV1({ nonsense: {} }), { message: 'missing colon: nonsense' })
})

test('what is written is read back', () => {
  const element = fc.oneof(
    fc.string().map(fieldElement),
    fc
      .dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minKeys: 1 })
      .map((keys) => keyElement(Object.entries(keys))),
    fc.oneof(fc.string(), fc.integer()).map(valueElement),
  )
  const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }))
  fc.assert(
    fc.property(paths, (list) => {
      const before = fieldSetOf(...list)
      const text = JSON.stringify(encodeFieldsV1(before))
      const after = decodeFieldsV1(JSON.parse(text))
      assert.ok(sameSet(before, after))
      assert.equal(JSON.stringify(encodeFieldsV1(after)), text)
    }),
  )
})

test('a codec gives an unchanged set back as the object it came from', () => {
  const codec = createFieldsV1Codec()
  const fields = encodeFieldsV1(set)
  assert.equal(codec.decode(fields), codec.decode(fields))
  assert.equal(codec.encode(codec.decode(fields)), fields)
})

test('a codec writes canonically what came otherwise', () => {
  const codec = createFieldsV1Codec()
  for (const fields of [
    { 'f:b': {}, 'f:a': {} },
    { 'f:a': { 'f:b': {}, '.': {} } },
    { 'f:a': { '.': {} } },
    { 'k:{"b":1,"a":2}': {} },
    { 'f:a': {}, 'x:y': {} },
  ]) {
    const written = codec.encode(codec.decode(fields))
    assert.equal(JSON.stringify(written), JSON.stringify(encodeFieldsV1(decodeFieldsV1(fields))))
    assert.notEqual(JSON.stringify(written), JSON.stringify(fields))
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonPathError, parseJsonPath } from './json-path.ts'

const pod = {
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'web' }, annotations: null },
  spec: {
    replicas: 3,
    ratio: 0.00001,
    large: 1234567.5,
    on: true,
    containers: [{ name: 'a', ports: [1, 2] }, { name: 'b' }],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 1 },
      { type: 'Other', status: 'False', n: 5 },
    ],
  },
}

const prints: readonly (readonly [template: string, text: string])[] = [
  ['{.metadata.name}', 'web'],
  ['{ .metadata.name }', 'web'],
  ['{$.metadata.name}', 'web'],
  ['name: {.metadata.name}!', 'name: web!'],
  ["{.metadata.labels['app\\.kubernetes\\.io/name']}", 'web'],
  ['{.metadata.labels.app\\.kubernetes\\.io/name}', 'web'],
  ['{.metadata.absent}', ''],
  ['{.metadata.annotations}', '<no value>'],
  ['{.spec.replicas} {.spec.ratio} {.spec.on}', '3 1e-05 true'],
  ['{.spec.large}', '1.2345675e+06'],
  ['{.spec.containers[*].name}', 'a b'],
  ['{.spec.containers[0].name}', 'a'],
  ['{.spec.containers[-1].name}', 'b'],
  ['{.spec.containers[0:1].name}', 'a'],
  ['{.spec.containers[::2].name}', 'a'],
  ['{.spec.containers[0,1].name}', 'a b'],
  ['{.spec.containers[0].ports}', '[1,2]'],
  ['{.spec.containers[1]}', '{"name":"b"}'],
  ["{.spec['replicas','on']}", '3 true'],
  ['{.status.conditions[?(@.type=="Ready")].status}', 'True'],
  ["{.status.conditions[?(@.type=='Ready')].status}", 'True'],
  ['{.status.conditions[?(@.n>1)].type}', 'Other'],
  ['{.status.conditions[?(@.n<=5)].type}', 'Ready Other'],
  ['{.status.conditions[?(@.type!="Ready")].type}', 'Other'],
  ['{.status.conditions[?(@.absent)].type}', ''],
  ['{..type}', 'Ready Other'],
  ['{range .spec.containers[*]}{.name}{"\\n"}{end}', 'a\nb\n'],
  ['{range .spec.containers[*]}[{.name}]{end}.', '[a][b].'],
]

for (const [template, text] of prints)
  test(`${template} prints ${JSON.stringify(text)}`, () => {
    assert.equal(parseJsonPath(template).print(pod), text)
  })

const refused: readonly (readonly [template: string, message: string])[] = [
  ['{.a', 'unclosed action'],
  ['{.a[0}', 'unterminated array'],
  ['{.a[x]}', 'invalid array index x'],
  ['{.a[?(@.b=="c"]}', 'unterminated filter'],
  ['{.a....b}', 'invalid multiple recursive descent'],
  ['{"a}', 'unterminated quoted string'],
  ['{!}', "unrecognized character in action: U+0021 '!'"],
]

for (const [template, message] of refused)
  test(`${template} is refused: ${message}`, () => {
    assert.throws(() => parseJsonPath(template), new JsonPathError(message))
  })

const misfits: readonly (readonly [template: string, message: string])[] = [
  ['{.spec.containers[2]}', 'array index out of bounds: index 2, length 2'],
  ['{.spec[0]}', 'map[string]interface {} is not array or slice'],
  ['{.spec.replicas[?(@.a)]}', '3 is not array or slice and cannot be filtered'],
  ['{.status.conditions[?(@.n=="x")]}', 'incompatible types for comparison'],
  ['{end}', 'not in range, nothing to end'],
  ['{bogus}', 'unrecognized identifier bogus'],
]

for (const [template, message] of misfits)
  test(`${template} does not fit: ${message}`, () => {
    assert.throws(() => parseJsonPath(template).print(pod), new JsonPathError(message))
  })

test('JSON in a print has sorted names and escaped angle brackets', () => {
  assert.equal(parseJsonPath('{.a}').print({ a: { z: '<', b: 1 } }), '{"b":1,"z":"\\u003c"}')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBuiltin, restoreBuiltin } from './decode.ts'
import { WrittenNumber } from './written-number.ts'

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' }
const SECRET = { group: '', version: 'v1', kind: 'Secret' }

const deployment = (spec: object): Record<string, unknown> => ({ metadata: { name: 'a' }, spec })

/** What kube-apiserver v1.36.3 says of a strategic patch that makes such a spec. */
const MISFITS: readonly (readonly [spec: object, sentence: string])[] = [
  [{ replicas: 'x' }, 'unrecognized type: int32'],
  [{ replicas: 1.5 }, 'cannot convert float64 to int32'],
  [{ replicas: true }, 'unrecognized type: int32'],
  [{ paused: 1 }, 'unrecognized type: bool'],
  [{ strategy: { type: 5 } }, 'cannot convert int64 to v1.DeploymentStrategyType'],
  [{ strategy: { type: 1.5 } }, 'unrecognized type: string'],
  [{ strategy: 'x' }, 'cannot restore struct from: string'],
  [{ selector: { matchLabels: 1.5 } }, 'cannot restore map from float64'],
  [{ selector: { matchExpressions: {} } }, 'cannot restore slice from map'],
  [{ template: { spec: { containers: [true] } } }, 'cannot restore struct from: bool'],
  [
    { strategy: { rollingUpdate: { maxSurge: [] } } },
    'json: cannot unmarshal array into Go value of type int32',
  ],
  // Of two, the first in the order of the struct.
  [{ paused: 1, replicas: 'x' }, 'unrecognized type: int32'],
]

for (const [spec, message] of MISFITS) {
  test(`${JSON.stringify(spec)}: ${message}`, () => {
    assert.throws(() => restoreBuiltin(deployment(spec), DEPLOYMENT), { message })
  })
}

test('bytes that are no base64 are told of by the converter', () => {
  const secret = { metadata: { name: 'a' }, data: { z: '9' } }
  const message = 'error decoding from json: illegal base64 data at input byte 0'
  assert.throws(() => restoreBuiltin(secret, SECRET), { message })
})

test('whole floats become integers, and large ones lose their upper bits', () => {
  const restored = restoreBuiltin(
    deployment({
      replicas: 4294967298,
      minReadySeconds: new WrittenNumber(3, '3.0'),
      template: { metadata: null },
    }),
    DEPLOYMENT,
  )
  const spec = decodeBuiltin(restored, DEPLOYMENT).object['spec'] as Record<string, unknown>
  assert.equal(spec['replicas'], 2)
  assert.equal(spec['minReadySeconds'], 3)
})

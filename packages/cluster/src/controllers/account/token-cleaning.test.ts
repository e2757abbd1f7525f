import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod, Secret, ServiceAccount } from 'kubewright/kinds/core/v1'
import { cleaningOf, isTrackedFor, secretNames } from './token-cleaning.ts'

const DAY = 86_400_000
const PERIOD = 365 * DAY
const NOW = Date.parse('2026-06-15T12:00:00Z')

const secret = (labels: Record<string, string> = {}, more: object = {}): Secret => ({
  metadata: {
    name: 'default-token-x',
    namespace: 'default',
    creationTimestamp: '2020-01-01T00:00:00Z',
    annotations: {
      'kubernetes.io/service-account.name': 'default',
      'kubernetes.io/service-account.uid': 'u1',
    },
    labels,
    ...more,
  },
  type: 'kubernetes.io/service-account-token',
})

const account: ServiceAccount = {
  metadata: { name: 'default', namespace: 'default', uid: 'u1' },
  secrets: [{ name: 'default-token-x' }],
}

const become = (
  it: Secret,
  {
    of = account,
    used = [] as readonly string[],
  }: { of?: ServiceAccount; used?: readonly string[] } = {},
): string => cleaningOf({ secret: it, account: of, used: new Set(used), now: NOW, period: PERIOD })

const USED = 'kubernetes.io/legacy-token-last-used'
const INVALID = 'kubernetes.io/legacy-token-invalid-since'

test('a token that nobody used for a period is marked, and goes after another', () => {
  assert.equal(become(secret()), 'invalidate')
  assert.equal(become(secret({ [USED]: '2025-06-14' })), 'invalidate')
  assert.equal(become(secret({ [INVALID]: 'nonsense' })), 'invalidate')
  assert.equal(become(secret({ [INVALID]: '2025-06-15' })), 'keep')
  assert.equal(become(secret({ [INVALID]: '2025-06-14' })), 'delete')
})

test('a token that somebody used, may use or asked for stays', () => {
  assert.equal(become(secret({ [USED]: '2025-06-15' })), 'keep')
  assert.equal(become(secret({ [USED]: 'nonsense' })), 'keep')
  assert.equal(become(secret({}, { creationTimestamp: '2026-01-01T00:00:00Z' })), 'keep')
  assert.equal(become(secret({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })), 'keep')
  assert.equal(become({ ...secret(), type: 'Opaque' }), 'keep')
  assert.equal(become(secret(), { used: ['default-token-x'] }), 'keep')
  assert.equal(become(secret(), { of: { ...account, secrets: [] } }), 'keep')
  assert.equal(
    become(secret(), { of: { ...account, metadata: { name: 'default', uid: 'u2' } } }),
    'keep',
  )
})

test('nothing is told before the use of tokens has been noted for a period', () => {
  assert.ok(!isTrackedFor(undefined, PERIOD, NOW))
  assert.ok(!isTrackedFor('soon', PERIOD, NOW))
  assert.ok(!isTrackedFor('2025-06-15', PERIOD, NOW))
  assert.ok(isTrackedFor('2025-06-14', PERIOD, NOW))
})

test('a pod uses a secret wherever it names one', () => {
  const pod: Pod = {
    metadata: { name: 'p' },
    spec: {
      imagePullSecrets: [{ name: 'pull' }],
      containers: [
        {
          name: 'c',
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } }],
          envFrom: [{ secretRef: { name: 'all' } }],
        },
      ],
      volumes: [
        { name: 'v', secret: { secretName: 'volume' } },
        { name: 'w', projected: { sources: [{ secret: { name: 'projected' } }] } },
        { name: 'x', emptyDir: {} },
      ],
    },
  }
  assert.deepEqual(secretNames(pod), ['pull', 'env', 'all', 'volume', 'projected'])
})

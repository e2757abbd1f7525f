import assert from 'node:assert/strict'
import { test } from 'node:test'
import { condition } from './condition.ts'
import { progressOf } from './kstatus.ts'
import { summary } from './summary.ts'

const told = (object: object): string => {
  const { status, message } = progressOf({ metadata: {}, ...object } as never)
  return message ? `${status}: ${message}` : status
}
const ready = (status: string, more: object = {}): object => ({
  conditions: [{ type: 'Ready', status, ...more }],
})

test('an object says how far it has come, in the words of kstatus', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{}, 'Current'],
    [{ metadata: { deletionTimestamp: 'now' } }, 'Terminating: being deleted'],
    [
      { metadata: { generation: 3 }, status: { observedGeneration: 2 } },
      'InProgress: generation 3 has not been observed yet',
    ],
    [{ status: ready('True') }, 'Current'],
    [{ status: ready('False', { message: 'soon' }) }, 'InProgress: soon'],
    [
      { status: { conditions: [{ type: 'Stalled', status: 'True', message: 'no' }] } },
      'Failed: no',
    ],
    [
      { status: { conditions: [{ type: 'Reconciling', status: 'True', message: 'on it' }] } },
      'InProgress: on it',
    ],
    [{ kind: 'Deployment', spec: {}, status: {} }, 'InProgress: not observed yet'],
    [
      {
        kind: 'Deployment',
        spec: { replicas: 2 },
        status: { observedGeneration: 1, updatedReplicas: 1 },
      },
      'InProgress: 1 of 2 replicas are updated',
    ],
    [
      {
        kind: 'Deployment',
        spec: { replicas: 1 },
        status: { observedGeneration: 1, updatedReplicas: 1, availableReplicas: 1, replicas: 2 },
      },
      'InProgress: 1 old replicas are to go',
    ],
    [
      {
        kind: 'Deployment',
        spec: { replicas: 1 },
        status: {
          observedGeneration: 1,
          updatedReplicas: 1,
          availableReplicas: 1,
          replicas: 1,
          conditions: [{ type: 'Available', status: 'True' }],
        },
      },
      'Current',
    ],
    [
      {
        kind: 'Deployment',
        status: {
          conditions: [
            {
              type: 'Progressing',
              status: 'False',
              reason: 'ProgressDeadlineExceeded',
              message: 'late',
            },
          ],
        },
      },
      'Failed: late',
    ],
    [
      {
        kind: 'StatefulSet',
        status: { observedGeneration: 1, updatedReplicas: 1, readyReplicas: 1 },
      },
      'Current',
    ],
    [{ kind: 'DaemonSet', status: {} }, 'InProgress: not scheduled yet'],
    [{ kind: 'Job', status: {} }, 'InProgress: not complete yet'],
    [{ kind: 'Job', status: { conditions: [{ type: 'Complete', status: 'True' }] } }, 'Current'],
    [
      { kind: 'Job', status: { conditions: [{ type: 'Failed', status: 'True' }] } },
      'Failed: failed',
    ],
    [
      { kind: 'Pod', status: { phase: 'Running', ...ready('False') } },
      'InProgress: the pod is running',
    ],
    [{ kind: 'Pod', status: { phase: 'Succeeded' } }, 'Current'],
    [{ kind: 'PersistentVolumeClaim', status: { phase: 'Bound' } }, 'Current'],
  ]
  for (const [object, expected] of cases) assert.equal(told(object), expected)
})

test('a summary is True when all are, and else says which are not', () => {
  const good = condition('A', true, 'Fine')
  const bad = condition('B', false, 'Broken', 'no disk')
  const unknown = condition('C', undefined, 'Asking')
  const degraded = condition('Degraded', false, 'Fine')
  const negative = { negative: ['Degraded'] }
  assert.deepEqual(
    summary('Ready', [good, degraded], negative),
    condition('Ready', true, 'AllReady'),
  )
  assert.deepEqual(
    summary('Ready', [good, unknown, bad]),
    condition('Ready', false, 'Broken', 'C; B: no disk'),
  )
  assert.deepEqual(summary('Ready', [unknown]), condition('Ready', undefined, 'Asking', 'C'))
  assert.equal(summary('Ready', [condition('Degraded', true, 'Slow')], negative).status, 'False')
})

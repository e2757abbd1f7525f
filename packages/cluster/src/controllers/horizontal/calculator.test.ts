import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Pod } from 'kubewright/kinds/core/v1'
import {
  averageReplicas,
  type Calculation,
  perPodReplicas,
  type Proposal,
  requestsOf,
  resourceReplicas,
  summedMetric,
  valueReplicas,
} from './calculator.ts'
import { groupPods, type PodMetric } from './pod-groups.ts'

/** Kubernetes' own tables (podautoscaler/replica_calculator_test.go, v1.36.3). Times are seconds from now. */
const TABLES = JSON.parse(
  readFileSync(new URL('testdata/replicas.json', import.meta.url), 'utf8'),
) as {
  readonly replicas: readonly ReplicasCase[]
  readonly groups: readonly GroupsCase[]
  readonly requests: readonly RequestsCase[]
}

type Phase = NonNullable<NonNullable<Pod['status']>['phase']>

interface ReplicasCase {
  readonly name: string
  readonly current: number
  readonly wanted?: number
  readonly error?: string
  readonly container?: string
  readonly tolerances?: readonly [down: number, up: number]
  readonly resource?: {
    readonly name: string
    readonly requests?: readonly string[]
    readonly levels?: readonly (readonly number[])[]
    readonly podNames?: readonly string[]
    readonly targetUtilization: number
    readonly expectedUtilization?: number
    readonly expectedValue?: number
  }
  readonly metric?: {
    readonly metricType?: 'pods' | 'object' | 'objectPerPod' | 'external' | 'externalPerPod'
    readonly levels: readonly (number | string)[]
    readonly targetUsage?: number | string
    readonly perPodTargetUsage?: number | string
    readonly expectedUsage?: number | string
  }
  readonly ready?: readonly ('True' | 'False')[]
  readonly started?: readonly number[]
  readonly phase?: readonly Phase[]
  readonly deleted?: readonly boolean[]
}

interface GroupsCase {
  readonly name: string
  readonly pods: readonly {
    readonly name: string
    readonly deleted?: true
    readonly phase?: Phase
    readonly started?: number
    readonly ready?: 'True' | 'False'
    readonly changed?: number
  }[]
  readonly metrics: Readonly<
    Record<
      string,
      { readonly value: number; readonly timestamp?: number; readonly window?: number }
    >
  >
  readonly resource: string
  readonly ready: number
  readonly unready: readonly string[]
  readonly missing: readonly string[]
  readonly ignored: readonly string[]
}

interface RequestsCase {
  readonly name: string
  readonly pods: readonly Pod[]
  readonly container: string
  readonly resource: string
  readonly requests: readonly number[]
  readonly error?: string
  /** Absent: of the time when pods as a whole requested nothing. */
  readonly podLevel?: boolean
}

const NOW = Date.parse('2026-01-02T03:04:05Z')
const INITIALIZATION = { cpuPeriod: 120_000, readinessDelay: 10_000 }
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString()

function podsOf(it: ReplicasCase): readonly Pod[] {
  const count = Math.max(it.current, it.phase?.length ?? 0)
  return Array.from({ length: count }, (_, i): Pod => {
    const request = it.resource?.requests?.[i]
    const resources = request ? { requests: { [it.resource!.name]: request } } : {}
    return {
      metadata: {
        name: `test-pod-${i}`,
        ...(it.deleted?.[i] ? { deletionTimestamp: at(0) } : {}),
      },
      spec: {
        containers: [
          { name: 'container1', resources },
          { name: 'container2', resources },
        ],
      },
      status: {
        phase: it.phase?.[i] ?? 'Running',
        startTime: it.started ? at(it.started[i]!) : '0001-01-01T00:00:00Z',
        conditions: [{ type: 'Ready', status: it.ready?.[i] ?? 'True' }],
      },
    }
  })
}

function calculationOf(it: ReplicasCase): Calculation {
  const [scaleDown, scaleUp] = it.tolerances ?? [0.1, 0.1]
  return {
    replicas: it.current,
    tolerances: { scaleDown, scaleUp },
    pods: podsOf(it),
    initialization: INITIALIZATION,
    now: NOW,
  }
}

/** What is measured at the zero time counts as of before everything, but for a minute's window. */
const measured = (value: bigint): PodMetric => ({
  timestamp: Date.parse('0001-01-01T00:00:00Z'),
  window: 60_000,
  value,
})

function proposed(it: ReplicasCase): Proposal {
  const calculation = calculationOf(it)
  const { resource, metric } = it
  if (resource) {
    const metrics = (resource.levels ?? []).flatMap((levels, i) => {
      const only = it.container && Number(it.container.slice(-1)) - 1
      const counted = typeof only === 'number' ? levels.slice(only, only + 1) : levels
      const value = BigInt(counted.reduce((sum, level) => sum + level, 0))
      // A pod none of whose containers was measured was not measured.
      if (levels.length === 0) return []
      const name = resource.podNames?.[i] ?? `test-pod-${i}`
      return [[name, measured(value)] as const]
    })
    return resourceReplicas(
      new Map(metrics),
      resource.targetUtilization,
      resource.name,
      it.container ?? '',
      calculation,
    )
  }
  const levels = metric!.levels.map(BigInt)
  const total = BigInt(metric!.targetUsage ?? 0)
  const each = BigInt(metric!.perPodTargetUsage ?? 0)
  switch (metric!.metricType ?? 'object') {
    case 'pods': {
      const metrics = levels.map((level, i) => [`test-pod-${i}`, measured(level)] as const)
      return averageReplicas(new Map(metrics), total, '', calculation)
    }
    case 'object':
      return valueReplicas(levels[0]!, total, calculation)
    case 'external':
      return valueReplicas(summedMetric(levels), total, calculation)
    case 'objectPerPod':
      return perPodReplicas(levels[0]!, each, calculation)
    case 'externalPerPod':
      return perPodReplicas(summedMetric(levels), each, calculation)
  }
}

describe('how many replicas a metric asks for', () => {
  for (const it of TABLES.replicas) {
    // Where nothing is measured at all there is nothing to calculate with: reading the metrics fails before.
    if (it.error?.includes('no metrics returned from')) continue
    test(it.name, () => {
      if (it.error !== undefined) {
        const problem = it.error.replace('%s', '')
        assert.throws(
          () => proposed(it),
          (error: Error) => error.message.includes(problem),
        )
        return
      }
      const { replicas, usage, utilization } = proposed(it)
      assert.equal(replicas, it.wanted ?? 0)
      const wanted = it.resource?.expectedValue ?? it.metric?.expectedUsage ?? 0
      assert.equal(usage, BigInt(wanted))
      if (it.resource) assert.equal(utilization, it.resource.expectedUtilization ?? 0)
    })
  }
})

describe('what is known of pods', () => {
  for (const it of TABLES.groups) {
    test(it.name, () => {
      const pods = it.pods.map(({ name, deleted, phase, started, ready, changed }): Pod => ({
        spec: { containers: [] },
        metadata: { name, ...(deleted ? { deletionTimestamp: at(0) } : {}) },
        status: {
          ...(phase ? { phase } : {}),
          ...(started === undefined ? {} : { startTime: at(started) }),
          conditions: ready
            ? [
                {
                  type: 'Ready',
                  status: ready,
                  ...(changed === undefined ? {} : { lastTransitionTime: at(changed) }),
                },
              ]
            : [],
        },
      }))
      const metrics = Object.entries(it.metrics).map(([name, { value, timestamp, window }]) => {
        const time = timestamp === undefined ? measured(0n).timestamp : NOW + timestamp * 1000
        return [
          name,
          { timestamp: time, window: (window ?? 0) * 1000, value: BigInt(value) },
        ] as const
      })
      const groups = groupPods(pods, new Map(metrics), it.resource, INITIALIZATION, NOW)
      assert.equal(groups.ready, it.ready)
      assert.deepEqual([...groups.unready], it.unready)
      assert.deepEqual([...groups.missing], it.missing)
      assert.deepEqual([...groups.ignored], it.ignored)
    })
  }
})

describe('what pods request', () => {
  for (const it of TABLES.requests) {
    test(it.name, () => {
      const asked = (): readonly bigint[] => [
        ...requestsOf(it.pods, it.container, it.resource).values(),
      ]
      if (it.error === undefined) assert.deepEqual(asked(), it.requests.map(BigInt))
      else assert.throws(asked)
    })
  }

  test('a container that a pod does not have has no request', () => {
    const pods: readonly Pod[] = [
      { metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } },
    ]
    assert.throws(() => requestsOf(pods, 'b', 'cpu'), /^Error: container b not found in Pod p$/)
    assert.throws(
      () => requestsOf(pods, 'a', 'cpu'),
      /^Error: missing request for cpu in container a of Pod p$/,
    )
  })
})

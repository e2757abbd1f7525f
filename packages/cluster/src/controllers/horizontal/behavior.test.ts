import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { HPAScalingRules } from 'kubewright/kinds/autoscaling/v2'
import {
  highestOf,
  lowestOf,
  type Limits,
  rulesOf,
  scaled,
  stabilized,
  stabilizedBy,
  withinRange,
  withinRates,
} from './behavior.ts'
import { changeWithin, NO_HISTORY } from './history.ts'

type Entry = readonly [amount: number, seconds: number]

/** Kubernetes' own tables (podautoscaler/horizontal_test.go, v1.36.3). Times are seconds from now. */
const TABLES = JSON.parse(
  readFileSync(new URL('testdata/behavior.json', import.meta.url), 'utf8'),
) as {
  readonly range: readonly (Limits & Named & Decided)[]
  readonly stabilize: readonly (Named & {
    readonly recommendations: readonly Entry[]
    readonly desired: number
    readonly replicas: number
    readonly length: number
  })[]
  readonly rates: readonly (Limits &
    Named &
    Decided & {
      readonly ups?: readonly Entry[]
      readonly downs?: readonly Entry[]
      readonly scaleUp?: HPAScalingRules
      readonly scaleDown?: HPAScalingRules
    })[]
  readonly store: readonly (Named & {
    readonly change: number
    readonly before: readonly Entry[]
    readonly after: readonly number[]
    readonly rules?: HPAScalingRules
    readonly within: number
  })[]
  readonly windows: readonly (Named & {
    readonly recommendations: readonly Entry[]
    readonly current: number
    readonly desired: number
    readonly replicas: number
    readonly after: readonly number[]
    readonly up: number
    readonly down: number
  })[]
}

interface Named {
  readonly name: string
}

interface Decided {
  readonly replicas: number
  readonly reason: string
}

const NOW = Date.UTC(2026, 0, 1)
/** By the time of a look, a moment has passed since the tables were written. */
const LOOK = NOW + 1

const events = (all: readonly Entry[] = []): readonly { change: number; at: number }[] =>
  all.map(([change, seconds]) => ({ change, at: NOW + seconds * 1000 }))

const recommended = (all: readonly Entry[]): readonly { replicas: number; at: number }[] =>
  all.map(([replicas, seconds]) => ({ replicas, at: NOW + seconds * 1000 }))

/** What the API server fills in (apis/autoscaling/v2/defaults.go). */
const UP: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const DOWN: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

describe('without a behavior', () => {
  for (const { name, replicas, reason, ...limits } of TABLES.range) {
    test(name, () => {
      const decided = withinRange(limits)
      assert.deepEqual([decided.replicas, decided.reason], [replicas, reason])
    })
  }

  for (const { name, recommendations, desired, replicas, length } of TABLES.stabilize) {
    test(name, () => {
      const history = { ...NO_HISTORY, recommendations: recommended(recommendations) }
      const found = stabilized(history, desired, 300_000, LOOK)
      assert.equal(found.replicas, replicas)
      assert.equal(found.history.recommendations.length, length)
    })
  }
})

describe('with a behavior', () => {
  for (const {
    name,
    ups,
    downs,
    scaleUp,
    scaleDown,
    replicas,
    reason,
    ...limits
  } of TABLES.rates) {
    test(name, () => {
      const rules = rulesOf(
        { scaleUp: { ...UP, ...scaleUp }, scaleDown: { ...DOWN, ...scaleDown } },
        300_000,
      )
      const history = { ...NO_HISTORY, ups: events(ups), downs: events(downs) }
      const decided = withinRates(rules, limits, history, LOOK)
      assert.deepEqual([decided.replicas, decided.reason], [replicas, reason])
    })
  }

  for (const { name, recommendations, replicas, after, up, down, ...asked } of TABLES.windows) {
    test(name, () => {
      const rules = rulesOf(
        {
          scaleUp: { stabilizationWindowSeconds: up },
          scaleDown: { stabilizationWindowSeconds: down },
        },
        300_000,
      )
      const history = { ...NO_HISTORY, recommendations: recommended(recommendations) }
      const found = stabilizedBy(rules, { ...asked, min: 1, max: 100 }, history, LOOK)
      assert.equal(found.replicas, replicas)
      if (after.length > 0)
        assert.deepEqual(
          found.history.recommendations.map((it) => it.replicas),
          after,
        )
    })
  }

  for (const { name, change, before, after, rules, within } of TABLES.store) {
    test(`of scaling: ${name}`, () => {
      const told = events(before)
      assert.equal(changeWithin(told, 60, LOOK), within)
      const behavior = rules && rulesOf({ scaleUp: rules, scaleDown: rules }, 300_000)
      const up = scaled(behavior, { ...NO_HISTORY, ups: told }, 10, 10 + change, LOOK)
      assert.deepEqual(
        up.ups.map((it) => it.change),
        after,
      )
      const down = scaled(behavior, { ...NO_HISTORY, downs: told }, 10, 10 - change, LOOK)
      assert.deepEqual(
        down.downs.map((it) => it.change),
        after,
      )
    })
  }

  test('the least of its policies counts where it says so', () => {
    const rules: HPAScalingRules = {
      selectPolicy: 'Min',
      policies: [
        { type: 'Pods', value: 2, periodSeconds: 60 },
        { type: 'Percent', value: 50, periodSeconds: 60 },
      ],
    }
    assert.equal(highestOf(rules, 1, NO_HISTORY, LOOK), 2)
    assert.equal(lowestOf(rules, 5, NO_HISTORY, LOOK), 3)
  })
})

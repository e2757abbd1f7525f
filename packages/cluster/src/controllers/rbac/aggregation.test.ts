import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClusterRole } from 'kubewright/kinds/rbac.authorization.k8s.io/v1'
import { aggregatedRules } from './aggregation.ts'

const role = (name: string, label: string, ...resources: readonly string[]): ClusterRole => ({
  metadata: { name, labels: { [label]: 'true' } },
  rules: resources.map((it) => ({ apiGroups: [''], resources: [it], verbs: ['get'] })),
})

test('a role made of others has their rules, in the order of their names, each once', () => {
  const selector = (key: string) => ({ matchLabels: { [key]: 'true' } })
  const view: ClusterRole = {
    ...role('view', 'a'),
    aggregationRule: { clusterRoleSelectors: [selector('b'), selector('a')] },
  }
  const others = [
    role('z', 'a', 'pods', 'nodes'),
    role('y', 'a', 'secrets', 'pods'),
    role('x', 'b', 'nodes'),
    role('w', 'c', 'jobs'),
  ]
  const rules = aggregatedRules(view, [view, ...others])
  assert.deepEqual(
    rules.map((it) => it.resources![0]),
    ['nodes', 'secrets', 'pods'],
  )
  assert.deepEqual(aggregatedRules({ ...view, aggregationRule: {} }, others), [])
})

import { controller, type ControllerDefinition } from 'kubewright/controller'
import { ClusterRole, type PolicyRule } from 'kubewright/kinds/rbac.authorization.k8s.io/v1'
import { selectorOf } from 'kubewright/machinery'
import { canonicalJson } from '../workload/template-hash.ts'
import { sameMeaning } from '../workload/writes.ts'

const NAME = 'clusterrole-aggregation-controller'

/** The rules of a role that is made of others: those of every role that one of its selectors selects, by name, each rule once. */
export function aggregatedRules(
  role: ClusterRole,
  roles: readonly ClusterRole[],
): readonly PolicyRule[] {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map((it) => selectorOf(it))
  const rules = new Map<string, PolicyRule>()
  for (const selector of selectors) {
    const selected = roles
      .filter(
        (it) => it.metadata.name !== role.metadata.name && selector.matches(it.metadata.labels),
      )
      .toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))
    for (const rule of selected.flatMap((it) => it.rules ?? [])) {
      const text = canonicalJson(rule)
      if (!rules.has(text)) rules.set(text, rule)
    }
  }
  return [...rules.values()]
}

/** Fills ClusterRoles that are made of others (kubernetes/pkg/controller/clusterroleaggregation). */
export function clusterRoleAggregationController(): ControllerDefinition {
  return controller(ClusterRole, { name: NAME, pace: false, resync: 0 })
    .watches(ClusterRole, (_, { lister }) =>
      lister(ClusterRole)
        .list()
        .filter((it) => it.aggregationRule !== undefined),
    )
    .reconcile(async (role, { lister, client }) => {
      if (!role.aggregationRule) return
      const rules = aggregatedRules(role, lister(ClusterRole).list())
      if (sameMeaning(role.rules ?? [], rules)) return
      const { name } = role.metadata
      await client.apply(
        ClusterRole,
        { metadata: { name: name! }, rules },
        { fieldOwner: NAME, force: true },
      )
    })
}

import { nameIsPathSegment } from 'kubewright/machinery'
import { ensureObject, fillEmpty, has, itemsAt, textAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'
import * as rules from './rbac-validation.ts'

const GROUP = 'rbac.authorization.k8s.io'

function defaultBinding(object: Draft): void {
  fillEmpty(ensureObject(object, 'roleRef'), { apiGroup: GROUP })
  for (const subject of itemsAt(object, 'subjects')) {
    const kind = textAt(subject, 'kind')
    if (kind === 'User' || kind === 'Group') fillEmpty(subject, { apiGroup: GROUP })
  }
}

/** `rules` is written even when there are none. */
function defaultRole(object: Draft): void {
  if (!has(object, 'rules')) object['rules'] = null
}

const SHARED = { allowCreateOnUpdate: true, validateName: nameIsPathSegment } as const

/** Role (kubernetes/pkg/registry/rbac). */
export const ROLE: Strategy = Object.freeze({
  ...SHARED,
  applyDefaults: defaultRole,
  validate: rules.validateRole,
  validateUpdate: rules.validateRole,
})

/** ClusterRole. */
export const CLUSTER_ROLE: Strategy = Object.freeze({
  ...SHARED,
  applyDefaults: defaultRole,
  validate: rules.validateClusterRole,
  validateUpdate: rules.validateClusterRole,
})

/** RoleBinding. */
export const ROLE_BINDING: Strategy = Object.freeze({
  ...SHARED,
  applyDefaults: defaultBinding,
  validate: rules.validateRoleBinding,
  validateUpdate: rules.bindingUpdate(rules.validateRoleBinding),
})

/** ClusterRoleBinding. */
export const CLUSTER_ROLE_BINDING: Strategy = Object.freeze({
  ...SHARED,
  applyDefaults: defaultBinding,
  validate: rules.validateClusterRoleBinding,
  validateUpdate: rules.bindingUpdate(rules.validateClusterRoleBinding),
})

import { ensureObject, fillAbsent, itemsAt, objectAt, sameDeepAt, type Fields } from '../fields.ts'
import type { UnknownObject } from 'kubewright/machinery'
import { specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import { validateBinding, validateMutatingBinding } from './admission-binding-validation.ts'
import {
  validateMutatingPolicy,
  validatePolicy,
  validatePolicyStatus,
} from './admission-policy-validation.ts'
import { validateWebhooks } from './admission-webhook-validation.ts'

/** Everything in this group wants to know which version it replaces (kubernetes/pkg/registry/admissionregistration). */
const SHARED = {
  allowUnconditionalUpdate: false,
  warningsOnCreate: staticName,
  warningsOnUpdate: staticName,
} as const

/** Names that configurations in files will have. */
const STATIC = '.static.k8s.io'

function staticName({ metadata: { name = '' } }: Draft): readonly string[] {
  if (!name.endsWith(STATIC)) return []
  return [
    `metadata.name: names ending with "${STATIC}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ]
}

const WEBHOOK = Object.freeze({
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  timeoutSeconds: 10,
})

function defaultWebhooks(object: Draft, more: Readonly<Record<string, string>>): void {
  for (const webhook of itemsAt(object, 'webhooks')) {
    fillAbsent(webhook, { ...WEBHOOK, ...more })
    ensureObject(webhook, 'namespaceSelector')
    ensureObject(webhook, 'objectSelector')
    const service = objectAt(ensureObject(webhook, 'clientConfig'), 'service')
    if (service) fillAbsent(service, { port: 443 })
    for (const rule of itemsAt(webhook, 'rules')) fillAbsent(rule, { scope: '*' })
  }
}

/** ValidatingWebhookConfiguration. */
export const VALIDATING_WEBHOOKS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => defaultWebhooks(object, {}),
  validate: (object: Draft) => validateWebhooks(object),
  validateUpdate: (object: Draft, old: UnknownObject) => validateWebhooks(object, old),
  ...whole({ counts: (object, old) => !sameDeepAt(object, old, 'webhooks') }),
  ...SHARED,
})

/** MutatingWebhookConfiguration. */
export const MUTATING_WEBHOOKS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => defaultWebhooks(object, { reinvocationPolicy: 'Never' }),
  validate: (object: Draft) => validateWebhooks(object),
  validateUpdate: (object: Draft, old: UnknownObject) => validateWebhooks(object, old),
  ...whole({ counts: (object, old) => !sameDeepAt(object, old, 'webhooks') }),
  ...SHARED,
})

function defaultMatch(match: Fields | undefined): void {
  if (match === undefined) return
  fillAbsent(match, { matchPolicy: 'Equivalent' })
  ensureObject(match, 'namespaceSelector')
  ensureObject(match, 'objectSelector')
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of itemsAt(match, list)) fillAbsent(rule, { scope: '*' })
  }
}

function defaultPolicy(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  fillAbsent(spec, { failurePolicy: 'Fail' })
  defaultMatch(objectAt(spec, 'matchConstraints'))
}

function defaultBinding(object: Draft): void {
  const spec = ensureObject(object, 'spec')
  defaultMatch(objectAt(spec, 'matchResources'))
}

/** ValidatingAdmissionPolicy. */
export const VALIDATING_POLICY: Strategy = Object.freeze({
  applyDefaults: defaultPolicy,
  ...whole({ emptyStatus: {}, counts: specChanged }),
  validate: (object: Draft) => validatePolicy(object),
  validateUpdate: (object: Draft, old: UnknownObject) => validatePolicy(object, old),
  ...SHARED,
  subresources: {
    status: {
      ...statusOnly({ statusKeeps: 'metadata' }),
      ...SHARED,
      createsOnApply: true,
      validateUpdate: validatePolicyStatus,
    },
  },
})

/** MutatingAdmissionPolicy. */
export const MUTATING_POLICY: Strategy = Object.freeze({
  applyDefaults: defaultPolicy,
  ...whole({ counts: specChanged }),
  validate: (object: Draft) => validateMutatingPolicy(object),
  validateUpdate: (object: Draft, old: UnknownObject) => validateMutatingPolicy(object, old),
  ...SHARED,
})

/** ValidatingAdmissionPolicyBinding. */
export const VALIDATING_BINDING: Strategy = Object.freeze({
  applyDefaults: defaultBinding,
  ...whole({ counts: specChanged }),
  validate: validateBinding,
  validateUpdate: validateBinding,
  ...SHARED,
})

/** MutatingAdmissionPolicyBinding. */
export const MUTATING_BINDING: Strategy = Object.freeze({
  applyDefaults: defaultBinding,
  ...whole({ counts: specChanged }),
  validate: validateMutatingBinding,
  validateUpdate: validateMutatingBinding,
  ...SHARED,
})

/** MutatingAdmissionPolicyBinding of v1alpha1, which is refused without parameters where nobody says (…/v1alpha1/defaults.go). */
export const MUTATING_BINDING_V1ALPHA1: Strategy = Object.freeze({
  ...MUTATING_BINDING,
  applyDefaults: (object: Draft) => {
    MUTATING_BINDING.applyDefaults?.(object)
    const reference = objectAt(objectAt(object, 'spec'), 'paramRef')
    if (reference) fillAbsent(reference, { parameterNotFoundAction: 'Deny' })
  },
})

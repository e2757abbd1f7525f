import { ensureObject, fillAbsent, itemsAt, objectAt, type Fields } from '../fields.ts'
import { contentChanged, specChanged, statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'
import * as rules from './admission-validation.ts'

/** Everything in this group wants to know which version it replaces (kubernetes/pkg/registry/admissionregistration). */
const SHARED = { allowUnconditionalUpdate: false } as const

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
  validate: rules.validateWebhooks,
  validateUpdate: rules.validateWebhooks,
  ...whole({ counts: contentChanged }),
  ...SHARED,
})

/** MutatingWebhookConfiguration. */
export const MUTATING_WEBHOOKS: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => defaultWebhooks(object, { reinvocationPolicy: 'Never' }),
  validate: rules.validateMutatingWebhooks,
  validateUpdate: rules.validateMutatingWebhooks,
  ...whole({ counts: contentChanged }),
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
  validate: rules.validatePolicy,
  validateUpdate: rules.validatePolicy,
  ...SHARED,
  subresources: { status: { ...statusOnly({ statusKeeps: 'metadata' }), ...SHARED } },
})

/** MutatingAdmissionPolicy. */
export const MUTATING_POLICY: Strategy = Object.freeze({
  applyDefaults: defaultPolicy,
  ...whole({ counts: specChanged }),
  validate: rules.validateMutatingPolicy,
  validateUpdate: rules.validateMutatingPolicy,
  ...SHARED,
})

/** ValidatingAdmissionPolicyBinding. */
export const VALIDATING_BINDING: Strategy = Object.freeze({
  applyDefaults: defaultBinding,
  ...whole({ counts: specChanged }),
  validate: rules.validateBinding,
  validateUpdate: rules.validateBinding,
  ...SHARED,
})

/** MutatingAdmissionPolicyBinding. */
export const MUTATING_BINDING: Strategy = Object.freeze({
  applyDefaults: defaultBinding,
  ...whole({ counts: specChanged }),
  validate: rules.validateMutatingBinding,
  validateUpdate: rules.validateMutatingBinding,
  ...SHARED,
})

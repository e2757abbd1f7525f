import {
  forbiddenField,
  invalidValue,
  isPercent,
  notSupported,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { has, mapAt, numberAt, objectAt, same, shownAt, textAt, type Readable } from '../fields.ts'
import {
  checkLabelSelector,
  checkNonNegativeFields,
  isEmptySelector,
  selects,
  type Errors,
} from '../generic/checks.ts'
import type { Draft } from '../strategy.ts'
import { checkPodTemplate } from '../core/pod-validation.ts'

/** Why a field stays. */
export const IMMUTABLE = 'field is immutable'
const NO_MATCH = '`selector` does not match template `labels`'

/** The spec of an object; empty when absent. */
export const specOf = (object: Readable): Readable => objectAt(object, 'spec') ?? {}

/** A selector that says something. Answers whether Go could make one of it. */
export function checkSelector(errors: Errors, spec: Readable, kind: string): boolean {
  const selector = objectAt(spec, 'selector')
  if (selector === undefined) {
    errors.push(required('spec.selector'))
  } else {
    checkLabelSelector(errors, 'spec.selector', selector)
    if (isEmptySelector(selector)) {
      errors.push(
        invalidValue(
          'spec.selector',
          selectorShown(selector),
          `empty selector is invalid for ${kind}`,
        ),
      )
    }
  }
  return selector === undefined || isReadable(selector)
}

/** Whether Go could make a selector of it: with known operators, and values where they belong. */
export function isReadable(selector: Readable): boolean {
  const errors: Errors = []
  checkLabelSelector(errors, '', selector)
  return errors.length === 0
}

/** A selector as Go prints it: its labels by name. */
export const selectorShown = (selector: Readable | undefined): unknown =>
  selector && has(selector, 'matchLabels')
    ? {
        matchLabels: Object.fromEntries(Object.entries(mapAt(selector, 'matchLabels')).toSorted()),
        ...(has(selector, 'matchExpressions') && {
          matchExpressions: selector['matchExpressions'],
        }),
      }
    : (selector ?? null)

/** The selector selects what the template makes. */
export function checkTemplateLabels(errors: Errors, spec: Readable): void {
  const selector = objectAt(spec, 'selector')
  const meta = objectAt(objectAt(spec, 'template'), 'metadata')
  if ((selector && isEmptySelector(selector)) || selects(selector, mapAt(meta, 'labels'))) return
  errors.push(noMatch('spec.template', meta))
}

/** The fault of a template whose labels its selector does not select. */
export const noMatch = (template: string, meta: Readable | undefined): FieldError =>
  invalidValue(`${template}.metadata.labels`, labelsShown(meta), NO_MATCH)

/** Labels as Go prints them: by name, and null where there are none. */
export const labelsShown = (meta: Readable | undefined): unknown =>
  has(meta, 'labels')
    ? Object.fromEntries(
        Object.entries(mapAt(meta, 'labels')).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    : shownAt(meta, 'labels')

/** Pods that are kept up are restarted always, and have no end. */
export function checkLasting(errors: Errors, spec: Readable, kind: string): void {
  const pod = objectAt(objectAt(spec, 'template'), 'spec')
  const policy = textAt(pod, 'restartPolicy')
  if (policy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']))
  }
  if (has(pod, 'activeDeadlineSeconds')) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', why))
  }
}

/** The template of a ReplicaSet, or of a Deployment that makes them. */
export function checkReplicaTemplate(errors: Errors, spec: Readable): void {
  checkTemplateLabels(errors, spec)
  checkPodTemplate(errors, 'spec.template', objectAt(spec, 'template') ?? {})
  checkLasting(errors, spec, 'ReplicaSet')
}

/** A number, or the number in front of a percent sign; what is neither counts as nothing. */
export function amount(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return 0
  const isNumber = isPercent(value).length === 0 || /^[+-]?[0-9]+$/.test(value)
  return isNumber ? Number.parseInt(value, 10) : 0
}

/** At most a hundred percent (IsNotMoreThan100Percent). */
export function checkAtMostAll(errors: Errors, field: string, value: unknown): void {
  if (typeof value !== 'string' || isPercent(value).length > 0 || amount(value) <= 100) return
  errors.push(invalidValue(field, value, 'must not be greater than 100%'))
}

function selectorStays(object: Readable, old: Readable): readonly FieldError[] {
  const selector = specOf(object)['selector']
  return same(selector, specOf(old)['selector'])
    ? []
    : [invalidValue('spec.selector', selector ?? null, IMMUTABLE)]
}

/** Rules that need not be asked again of a spec that did not change: most updates change something else. */
export const unlessSame =
  (rules: (object: Draft) => readonly FieldError[]) =>
  (object: Draft, old: UnknownObject): readonly FieldError[] =>
    object['spec'] === old['spec'] ? [] : [...rules(object), ...selectorStays(object, old)]

/** Counts in a status are not negative, and no part is more than the whole (ValidateDeploymentStatus and its siblings). */
export const statusCounts =
  (names: readonly string[], parts: readonly string[], ready: string) =>
  (object: Draft, old: UnknownObject): readonly FieldError[] => {
    const errors: Errors = []
    const status = objectAt(object, 'status')
    checkNonNegativeFields(errors, 'status', status, [...names, ...parts, 'collisionCount'])
    const count = (name: string): number => numberAt(status, name) ?? 0
    for (const name of parts) {
      if (count(name) > count('replicas')) {
        const why = 'cannot be greater than status.replicas'
        errors.push(invalidValue(`status.${name}`, count(name), why))
      }
    }
    if (count('availableReplicas') > count('readyReplicas')) {
      const why = `cannot be greater than ${ready}`
      errors.push(invalidValue('status.availableReplicas', count('availableReplicas'), why))
    }
    checkCollisions(errors, object, old)
    return errors
  }

/** Names that clashed are counted, and never forgotten. */
export function checkCollisions(errors: Errors, object: Draft, old: UnknownObject): void {
  const before = numberAt(objectAt(old, 'status'), 'collisionCount')
  const count = numberAt(objectAt(object, 'status'), 'collisionCount')
  if (before === undefined || (count !== undefined && count >= before)) return
  errors.push(invalidValue('status.collisionCount', count ?? 0, 'cannot be decremented'))
}

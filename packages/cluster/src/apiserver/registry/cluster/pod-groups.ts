import {
  duplicate,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  required,
  tooMany,
  type FieldError,
  type NameRule,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  ensureObject,
  has,
  itemsAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { requireName, type Errors } from '../generic/checks.ts'
import { checkConditions } from '../generic/conditions.ts'
import { statusOnly, whole } from '../generic/whole-and-status.ts'
import type { Draft, Strategy } from '../strategy.ts'

/** Fields of features that are off in v1.36: TopologyAwareWorkloadScheduling, DRAWorkloadResourceClaims, WorkloadAwarePreemption. */
const OFF = ['resourceClaims', 'priorityClassName', 'priority'] as const

function dropDisabled(holder: Fields | undefined): void {
  for (const name of OFF) delete holder?.[name]
}

/** A segment of a path (apimachinery/pkg/api/validate PathSegmentName). */
const isPathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter((it) => name.includes(it)).map((it) => `may not contain '${it}'`)
}

/** Exactly one of the members of a union is set. */
function checkUnion(errors: Errors, field: string, at: Readable, members: readonly string[]): void {
  const names = members.map((it) => `\`${it}\``).join(', ')
  const set = members.filter((it) => has(at, it))
  if (set.length === 0) errors.push(invalidValue(field, '', `must specify one of: ${names}`))
  if (set.length > 1)
    errors.push(invalidValue(field, `{${set.join(', ')}}`, `must specify exactly one of: ${names}`))
}

function checkPolicy(errors: Errors, field: string, policy: Readable): void {
  checkUnion(errors, field, policy, ['basic', 'gang'])
  const gang = objectAt(policy, 'gang')
  if (!gang) return
  const least = numberAt(gang, 'minCount') ?? 0
  if (least === 0) errors.push(required(`${field}.gang.minCount`))
  else if (least < 1)
    errors.push(invalidValue(`${field}.gang.minCount`, least, 'must be greater than or equal to 1'))
}

function checkTemplateRef(errors: Errors, reference: Readable | undefined): void {
  if (!reference) return
  const at = 'spec.podGroupTemplateRef'
  checkUnion(errors, at, reference, ['workload'])
  const workload = objectAt(reference, 'workload')
  if (!workload) return
  const name = textAt(workload, 'workloadName')
  requireName(errors, `${at}.workload.workloadName`, name, isDns1123Subdomain)
  const template = textAt(workload, 'podGroupTemplateName')
  requireName(errors, `${at}.workload.podGroupTemplateName`, template, isDns1123Label)
}

function validateGroup(object: Draft): Errors {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkTemplateRef(errors, objectAt(spec, 'podGroupTemplateRef'))
  checkPolicy(errors, 'spec.schedulingPolicy', objectAt(spec, 'schedulingPolicy') ?? {})
  return errors
}

/** What cannot change says so, and no more is said of it. */
function unchanged(object: Draft, old: UnknownObject, names: readonly string[]): Errors {
  const [spec, before] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}]
  return names
    .filter((it) => !same(spec[it] ?? null, before[it] ?? null))
    .map((it) => invalidValue(`spec.${it}`, null, 'field is immutable'))
}

function validateGroupStatus(object: Draft): readonly FieldError[] {
  const errors: Errors = []
  const conditions = itemsAt(objectAt(object, 'status'), 'conditions')
  checkConditions(errors, 'status.conditions', conditions)
  return errors
}

const group = whole({ emptyStatus: {} })
const groupStatus = statusOnly({ statusKeeps: 'metadata' })

/** PodGroup (kubernetes/pkg/registry/scheduling/podgroup/strategy.go). */
export const POD_GROUP: Strategy = Object.freeze({
  ...group,
  applyDefaults: (object: Draft) => {
    const spec = ensureObject(object, 'spec')
    ensureObject(spec, 'schedulingPolicy')
    spec['podGroupTemplateRef'] ??= null
    spec['disruptionMode'] ||= 'Pod'
    ensureObject(object, 'status')
  },
  prepareForCreate: (object, context) => {
    dropDisabled(objectAt(object, 'spec'))
    delete objectAt(object, 'spec')?.['schedulingConstraints']
    return group.prepareForCreate(object, context)
  },
  prepareForUpdate: (object, old, context) => {
    dropDisabled(objectAt(object, 'spec'))
    delete objectAt(object, 'spec')?.['schedulingConstraints']
    return group.prepareForUpdate(object, old, context)
  },
  validate: validateGroup,
  validateUpdate: (object, old) =>
    unchanged(object, old, ['podGroupTemplateRef', 'schedulingPolicy']),
  subresources: {
    status: {
      ...groupStatus,
      prepareForUpdate: async (object, old, context) => {
        await groupStatus.prepareForUpdate(object, old, context)
        delete objectAt(object, 'status')?.['resourceClaimStatuses']
      },
      validateUpdate: validateGroupStatus,
    },
  },
} satisfies Strategy)

const MOST_TEMPLATES = 8

function checkController(errors: Errors, reference: Readable | undefined): void {
  if (!reference) return
  const at = 'spec.controllerRef'
  const api = textAt(reference, 'apiGroup')
  if (api !== '') requireName(errors, `${at}.apiGroup`, api, isDns1123Subdomain)
  requireName(errors, `${at}.kind`, textAt(reference, 'kind'), isPathSegment)
  requireName(errors, `${at}.name`, textAt(reference, 'name'), isPathSegment)
}

function validateWorkload(object: Draft): Errors {
  const errors: Errors = []
  const spec = objectAt(object, 'spec')
  checkController(errors, objectAt(spec, 'controllerRef'))
  const templates = itemsAt(spec, 'podGroupTemplates')
  const at = 'spec.podGroupTemplates'
  if (templates.length === 0) errors.push(required(at))
  else if (templates.length > MOST_TEMPLATES)
    errors.push(tooMany(at, templates.length, MOST_TEMPLATES))
  else checkTemplates(errors, at, templates)
  return errors
}

function checkTemplates(errors: Errors, field: string, templates: readonly Readable[]): void {
  const names = templates.map((it) => textAt(it, 'name'))
  templates.forEach((it, i) => {
    if (names.indexOf(names[i]!) < i) errors.push(duplicate(`${field}[${i}]`, it))
  })
  templates.forEach((it, i) => {
    requireName(errors, `${field}[${i}].name`, names[i]!, isDns1123Label)
    checkPolicy(errors, `${field}[${i}].schedulingPolicy`, objectAt(it, 'schedulingPolicy') ?? {})
  })
}

function dropFromTemplates(object: Draft): void {
  for (const it of itemsAt(objectAt(object, 'spec'), 'podGroupTemplates')) {
    dropDisabled(it)
    delete it['disruptionMode']
    it['schedulingConstraints'] = null
  }
}

/** Workload (kubernetes/pkg/registry/scheduling/workload/strategy.go). */
export const WORKLOAD: Strategy = Object.freeze({
  applyDefaults: (object: Draft) => {
    for (const it of itemsAt(ensureObject(object, 'spec'), 'podGroupTemplates')) {
      ensureObject(it, 'schedulingPolicy')
      it['schedulingConstraints'] ??= null
    }
  },
  prepareForCreate: dropFromTemplates,
  prepareForUpdate: dropFromTemplates,
  validate: validateWorkload,
  validateUpdate: (object: Draft, old: UnknownObject) =>
    unchanged(object, old, ['controllerRef', 'podGroupTemplates']),
})

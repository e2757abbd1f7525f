import {
  invalidValue,
  isDns1123Label,
  required,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  flagAt,
  has,
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  same,
  textAt,
  type Fields,
  type Readable,
} from '../fields.ts'
import { checkLabelSelector, selects, type Errors } from '../generic/checks.ts'
import { internalForm } from '../generic/internal-form.ts'
import type { Draft } from '../strategy.ts'
import {
  IMMUTABLE,
  isReadable,
  labelsShown,
  noMatch,
  selectorShown,
} from '../apps/workload-checks.ts'
import { checkJobSpec } from './job-spec-validation.ts'

/** A new job (ValidateJob). */
export function validateJob(object: Draft): readonly FieldError[] {
  return jobErrors(object, true)
}

/** `prefixed`: whether the template has to bear the labels that came with v1.27. */
function jobErrors(object: Draft, prefixed: boolean): Errors {
  const errors: Errors = []
  const spec = objectAt(object, 'spec') ?? {}
  checkGenerated(errors, object, spec, prefixed)
  checkWholeSpec(errors, spec)
  checkHostname(errors, object, spec)
  return errors
}

/** The rules of a job's spec, and of what it selects (ValidateJobSpec). */
function checkWholeSpec(errors: Errors, spec: Readable): void {
  checkJobSpec(errors, 'spec', spec)
  const selector = objectAt(spec, 'selector')
  const meta = objectAt(objectAt(spec, 'template'), 'metadata')
  if (selector === undefined) errors.push(required('spec.selector'))
  else checkLabelSelector(errors, 'spec.selector', selector)
  const readable = selector === undefined || isReadable(selector)
  if (readable && !selects(selector, mapAt(meta, 'labels'))) {
    errors.push(noMatch('spec.template', meta))
  }
}

/** The names of an indexed job's pods come from its own. */
function checkHostname(errors: Errors, object: Draft, spec: Readable): void {
  const completions = numberAt(spec, 'completions') ?? 0
  if (textAt(spec, 'completionMode') !== 'Indexed' || completions <= 0) return
  const name = object.metadata.name ?? ''
  const longest = `${name}-${completions - 1}`
  if (isDns1123Label(longest).length === 0) return
  const why = `will not able to create pod with invalid DNS label: ${longest}`
  errors.push(invalidValue('metadata.name', name, why))
}

/** A selector that the server makes is the one that it would make (validateGeneratedSelector). */
const PREFIXED = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name']

function checkGenerated(errors: Errors, object: Draft, spec: Readable, prefixed: boolean): void {
  if (flagAt(spec, 'manualSelector') || !has(spec, 'selector')) return
  const { name = '', uid = '' } = object.metadata
  const meta = objectAt(objectAt(spec, 'template'), 'metadata')
  const labels = mapAt(meta, 'labels')
  const expected: Readonly<Record<string, string>> = {
    'controller-uid': uid,
    'job-name': name,
    ...(prefixed && { [PREFIXED[0]!]: uid, [PREFIXED[1]!]: name }),
  }
  for (const key in expected) {
    const at = `spec.template.metadata.labels[${key}]`
    const value = labels[key]
    if (value === undefined) errors.push(required(at, `must be '${expected[key]}'`))
    else if (value !== expected[key]) {
      errors.push(invalidValue(at, labelsShown(meta), `must be '${expected[key]}'`))
    }
  }
  const selector = objectAt(spec, 'selector') ?? {}
  if (isReadable(selector) && !selects(selector, expected)) {
    const why = '`selector` not auto-generated'
    errors.push(invalidValue('spec.selector', selectorShown(selector), why))
  }
}

const IMMUTABLE_SPEC = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
]

/** What an update may not change of a job (ValidateJobSpecUpdate). */
export function validateJobUpdate(object: Draft, old: UnknownObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {}
  const before = objectAt(old, 'spec') ?? {}
  if (spec === before) return []
  // Kubernetes judges the spec as a new one, and once more as a changed one.
  const labels = mapAt(objectAt(objectAt(before, 'template'), 'metadata'), 'labels')
  const prefixed = PREFIXED.every((it) => labels[it] !== undefined)
  const errors = jobErrors(object, prefixed)
  checkWholeSpec(errors, spec)
  checkCompletions(errors, spec, before)
  checkStays(errors, 'selector', spec, before)
  checkTemplate(errors, spec, before, old)
  for (const name of IMMUTABLE_SPEC) checkStays(errors, name, spec, before)
  return errors
}

const POLICIES: Readonly<Record<string, string>> = {
  podFailurePolicy: 'PodFailurePolicy',
  successPolicy: 'SuccessPolicy',
}

function checkStays(errors: Errors, name: string, spec: Readable, before: Readable): void {
  if (same(spec[name], before[name])) return
  const shape = POLICIES[name]
  const shown = shape && has(spec, name) ? internalForm(shape, objectAt(spec, name)) : spec[name]
  errors.push(invalidValue(`spec.${name}`, shown ?? null, IMMUTABLE))
}

/** An indexed job may grow and shrink together with its parallelism (KEP-2214). */
function checkCompletions(errors: Errors, spec: Readable, before: Readable): void {
  const now = spec['completions'] ?? null
  if (same(now, before['completions'])) return
  if (textAt(spec, 'completionMode') !== 'Indexed') {
    errors.push(invalidValue('spec.completions', now, IMMUTABLE))
  } else if (now !== null && now !== spec['parallelism']) {
    const why = 'can only be modified in tandem with spec.parallelism'
    errors.push(invalidValue('spec.completions', now, why))
  }
}

/** A job that rests may still be told where to run, and with what (KEP-2926, KEP-5440). */
function checkTemplate(errors: Errors, spec: Readable, before: Readable, old: UnknownObject): void {
  const template = objectAt(spec, 'template') ?? {}
  const was = objectAt(before, 'template') ?? {}
  if (!isResting(before, objectAt(old, 'status'))) {
    if (same(template, was)) return
    return void errors.push(
      invalidValue('spec.template', internalForm('PodTemplateSpec', template), IMMUTABLE),
    )
  }
  const pod = objectAt(template, 'spec') ?? {}
  if (same(pod, withDirections(objectAt(was, 'spec') ?? {}, pod))) return
  errors.push(invalidValue('spec.template.spec', internalForm('PodSpec', pod), IMMUTABLE))
}

/** Whether a job is suspended, and nothing of it runs. */
function isResting(spec: Readable, status: Readable | undefined): boolean {
  const suspended = itemsAt(status, 'conditions').some(
    (it) => it['type'] === 'Suspended' && it['status'] === 'True',
  )
  const begun = has(status, 'startTime') && !suspended
  return flagAt(spec, 'suspend') && !begun && (numberAt(status, 'active') ?? 0) === 0
}

function withDirections(was: Readable, pod: Readable): Fields {
  const spec: Fields = { ...was }
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) spec[name] = pod[name]
  spec['affinity'] = withNodeAffinity(objectAt(was, 'affinity'), objectAt(pod, 'affinity'))
  for (const list of ['containers', 'initContainers']) {
    if (has(spec, list)) spec[list] = withResources(itemsAt(spec, list), itemsAt(pod, list))
  }
  return spec
}

function withNodeAffinity(
  was: Readable | undefined,
  now: Readable | undefined,
): Readable | undefined {
  if (now) return { ...was, nodeAffinity: now['nodeAffinity'] }
  const { nodeAffinity: _, ...rest } = was ?? {}
  return Object.values(rest).some((it) => it !== undefined && it !== null) ? rest : undefined
}

const withResources = (was: readonly Fields[], now: readonly Fields[]): readonly Fields[] =>
  was.length === now.length
    ? was.map((it, i) =>
        now[i]?.['name'] === it['name'] ? { ...it, resources: now[i]?.['resources'] } : it,
      )
    : was

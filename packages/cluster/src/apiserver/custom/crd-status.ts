import { fieldErrorText, invalidValue } from 'kubewright/machinery'
import {
  type CrdCondition,
  type CrdNames,
  type CrdStatus,
  type CustomResourceDefinition,
  equalJson,
  structuralErrors,
} from 'kubewright/schema'
import type { Draft } from '../registry/strategy.ts'
import { approvalCondition } from './api-approval.ts'
import { findCondition, isConditionTrue, withCondition } from './conditions.ts'
import { bundleProblem } from './validate-conversion.ts'
import { conversionProblem } from './validate-validation.ts'

/** The finalizer that holds a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io'

/**
 * The status of a definition as the API server's own controllers bring it about (naming, establishing, non-structural schema, API
 * approval), in one step: what they would come to rest at. `others` are the definitions there are; `now` is the instant for conditions
 * that change, as Kubernetes prints it. The very same status comes back where nothing changes.
 */
export function nextStatus(
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): CrdStatus {
  const before = crd.status ?? {}
  const status = STEPS.reduce<CrdStatus>(
    (status, step) => step({ ...crd, status }, others, now),
    before,
  )
  return equalJson(status, before) ? before : status
}

type Step = (
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
) => CrdStatus

/** Names first; a definition is established once they are its own. */
const STEPS: readonly Step[] = [namesStep, establishStep, schemaStep, approvalStep]

const statusOf = (crd: CustomResourceDefinition): CrdStatus => crd.status ?? {}

function withConditions(
  crd: CustomResourceDefinition,
  set: readonly CrdCondition[],
  now: string,
): CrdStatus {
  const status = statusOf(crd)
  const conditions = set.reduce((all, it) => withCondition(all, it, now), status.conditions ?? [])
  return { ...status, conditions }
}

function namesStep(
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): CrdStatus {
  const status = statusOf(crd)
  if (equalNames(crd.spec.names, status.acceptedNames)) return status
  const { accepted, condition } = acceptNames(crd, others)
  const known = findCondition(crd, 'NamesAccepted')
  if (equalNames(accepted, status.acceptedNames) && known && sameCondition(known, condition))
    return status
  const next = withConditions(crd, [condition, establishedBefore(crd, condition)], now)
  return { ...next, acceptedNames: accepted }
}

const sameCondition = (a: CrdCondition, b: CrdCondition): boolean =>
  a.status === b.status && a.reason === b.reason && a.message === b.message

/** Absent and empty lists are the same names. */
function equalNames(a: CrdNames, b: CrdNames | undefined): boolean {
  const plain = (it: CrdNames | undefined): unknown => ({
    ...it,
    shortNames: it?.shortNames ?? [],
    categories: it?.categories ?? [],
  })
  return equalJson(plain(a), plain(b))
}

/** Which of the names that a definition asks for are its own by now: those that no other definition of the group has. */
export function acceptNames(
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): { readonly accepted: CrdNames; readonly condition: CrdCondition } {
  const asked = crd.spec.names
  const had = crd.status?.acceptedNames ?? { plural: '', kind: '' }
  const taken = takenNames(crd, others)
  const conflicts: [string, string][] = []
  const accept = (
    name: 'plural' | 'singular' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
  ): string => {
    const want = asked[name] ?? ''
    if (want === had[name] || !used.has(want)) return want
    const reason = `${name.charAt(0).toUpperCase()}${name.slice(1)}Conflict`
    conflicts.push([reason, inUse(want)])
    return had[name] ?? ''
  }
  const plural = accept('plural', taken.resources)
  const singular = accept('singular', taken.resources)
  const shortNames = acceptShortNames(asked, had, taken.resources, conflicts)
  const kind = accept('kind', taken.kinds)
  const listKind = accept('listKind', taken.kinds)
  const accepted: CrdNames = {
    plural,
    ...(singular ? { singular } : {}),
    ...(shortNames?.length ? { shortNames } : {}),
    kind,
    ...(listKind ? { listKind } : {}),
    ...(asked.categories?.length ? { categories: asked.categories } : {}),
  }
  return { accepted, condition: namesCondition(conflicts.at(-1)) }
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`

/** Short names are taken all together or not at all. */
function acceptShortNames(
  asked: CrdNames,
  had: CrdNames,
  used: ReadonlySet<string>,
  conflicts: [string, string][],
): readonly string[] | undefined {
  if (equalJson(asked.shortNames ?? [], had.shortNames ?? [])) return asked.shortNames
  const clashes = (asked.shortNames ?? []).filter(
    (it) => !had.shortNames?.includes(it) && used.has(it),
  )
  if (clashes.length === 0) return asked.shortNames
  const texts = clashes.map(inUse)
  conflicts.push([
    'ShortNamesConflict',
    texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`,
  ])
  return had.shortNames
}

/** The last conflict is the one that is told. */
function namesCondition(conflict: readonly [string, string] | undefined): CrdCondition {
  if (!conflict)
    return {
      type: 'NamesAccepted',
      status: 'True',
      reason: 'NoConflicts',
      message: 'no conflicts found',
    }
  const [reason, message] = conflict
  return { type: 'NamesAccepted', status: 'False', reason, message }
}

/** Names that definitions of the same group have been given, this one's own among them. */
function takenNames(
  crd: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const all = [crd, ...others.filter((it) => it.metadata.name !== crd.metadata.name)]
  const names = all
    .filter((it) => it.spec.group === crd.spec.group)
    .flatMap((it) => it.status?.acceptedNames ?? [])
  return {
    resources: new Set(
      names.flatMap((it) => [it.plural, it.singular ?? '', ...(it.shortNames ?? [])]),
    ),
    kinds: new Set(names.flatMap((it) => [it.kind, it.listKind ?? ''])),
  }
}

function establishedBefore(crd: CustomResourceDefinition, names: CrdCondition): CrdCondition {
  const known = findCondition(crd, 'Established')
  if (known?.status === 'True') return known
  if (names.status === 'True')
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    }
  return (
    known ?? {
      type: 'Established',
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    }
  )
}

function establishStep(
  crd: CustomResourceDefinition,
  _others: readonly CustomResourceDefinition[],
  now: string,
): CrdStatus {
  const done = isConditionTrue(crd, 'Established') || !isConditionTrue(crd, 'NamesAccepted')
  if (done) return statusOf(crd)
  const bundle = crd.spec.conversion?.webhook?.clientConfig?.caBundle
  const condition: CrdCondition =
    bundleProblem(bundle) === undefined
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : {
          type: 'Established',
          status: 'False',
          reason: 'InvalidCABundle',
          message: 'The conversion webhook CABundle is invalid',
        }
  return withConditions(crd, [condition], now)
}

function schemaStep(
  crd: CustomResourceDefinition,
  _others: readonly CustomResourceDefinition[],
  now: string,
): CrdStatus {
  const condition = schemaCondition(crd)
  const status = statusOf(crd)
  if (condition) {
    const known = findCondition(crd, 'NonStructuralSchema')
    return known && sameCondition(known, condition) ? status : withConditions(crd, [condition], now)
  }
  if (!findCondition(crd, 'NonStructuralSchema')) return status
  const conditions = status.conditions?.filter((it) => it.type !== 'NonStructuralSchema') ?? []
  return { ...status, conditions }
}

/** The condition NonStructuralSchema; undefined while every schema is structural. */
export function schemaCondition(crd: CustomResourceDefinition): CrdCondition | undefined {
  const texts: string[] = []
  if (crd.spec.preserveUnknownFields)
    texts.push(fieldErrorText(invalidValue('spec.preserveUnknownFields', true, 'must be false')))
  for (const [i, version] of crd.spec.versions.entries()) {
    const schema = version.schema?.openAPIV3Schema
    if (!schema) continue
    const problem = conversionProblem(schema)
    if (problem)
      return {
        type: 'NonStructuralSchema',
        status: 'Unknown',
        reason: 'StructuralError',
        message: `failed to check validation schema for version ${version.name}: ${problem}`,
      }
    const path = `spec.versions[${i}].schema.openAPIV3Schema`
    texts.push(...structuralErrors(schema, path).map(fieldErrorText))
  }
  if (texts.length === 0) return undefined
  const unique = [...new Set(texts)]
  const message = unique.length === 1 ? (unique[0] as string) : `[${unique.join(', ')}]`
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message }
}

function approvalStep(
  crd: CustomResourceDefinition,
  _others: readonly CustomResourceDefinition[],
  now: string,
): CrdStatus {
  const condition = approvalCondition(crd)
  if (!condition) return statusOf(crd)
  const known = findCondition(crd, condition.type)
  return known && sameCondition(known, condition)
    ? statusOf(crd)
    : withConditions(crd, [condition], now)
}

/** How far the deletion of a definition's objects is (the condition Terminating). */
export type TerminatingPhase = 'pending' | 'started' | 'completed' | 'never-established'

const TERMINATING: Readonly<Record<TerminatingPhase, readonly ['True' | 'False', string, string]>> =
  {
    pending: [
      'True',
      'InstanceDeletionPending',
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    ],
    started: ['True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'],
    completed: ['False', 'InstanceDeletionCompleted', 'removed all instances'],
    'never-established': ['False', 'NeverEstablished', 'resource was never established'],
  }

/** The status of a definition that is being deleted. */
export function terminatingStatus(
  crd: CustomResourceDefinition,
  phase: TerminatingPhase,
  now: string,
): CrdStatus {
  const [status, reason, message] = TERMINATING[phase]
  return withConditions(crd, [{ type: 'Terminating', status, reason, message }], now)
}

/**
 * What the first DELETE of a definition adds besides the deletion timestamp: the finalizer that holds it until its objects are gone,
 * and the condition (registry/customresourcedefinition/etcd.go). Changes the draft in place.
 */
export function markForDeletion(draft: Draft, now: string): void {
  const finalizers = draft.metadata.finalizers ?? []
  if (!finalizers.includes(CLEANUP_FINALIZER))
    draft.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER]
  const crd = draft as unknown as CustomResourceDefinition
  draft['status'] = terminatingStatus(crd, 'pending', now)
}

/** Whether a definition's objects can be reached: established, or deleted with objects left. */
export function isServed(crd: CustomResourceDefinition): boolean {
  return isConditionTrue(crd, 'Established')
}

/** Whether new objects are refused because the definition is on its way out. */
export function isTerminating(crd: CustomResourceDefinition): boolean {
  return isConditionTrue(crd, 'Terminating') || crd.metadata.deletionTimestamp !== undefined
}

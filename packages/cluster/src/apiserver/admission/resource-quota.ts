import {
  ApiError,
  compareQuantities,
  failure,
  formatQuantity,
  parseQuantity,
  quantitySign,
  subtractQuantities,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  addResources,
  amountOf,
  resourcesAt,
  type ResourceList,
} from '../registry/core/resource-list.ts'
import { objectAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import {
  evaluatorOf,
  isTerminating,
  scopesOf,
  type ScopeRequirement,
  type UsageEvaluator,
} from './quota-usage.ts'
import { isAbout, isUnder, refuse } from './refusal.ts'

/** Never counted (kubernetes/pkg/quota/v1/install). */
const IGNORED: readonly string[] = ['/events', 'events.k8s.io/events', '/bindings']

function handles(request: AdmissionRequest): boolean {
  const { operation, subresource, context } = request
  if (context.namespace === '' || isUnder(request, '/namespaces', ...IGNORED)) return false
  if (operation === 'CREATE') return subresource === ''
  if (operation !== 'UPDATE') return false
  if (isUnder(request, '/pods')) {
    if (subresource === 'resize') return true
    return subresource === '' && isTerminating(request.object) !== isTerminating(request.old)
  }
  // What a claim of a volume has been given is told in its status.
  if (isUnder(request, '/persistentvolumeclaims') && subresource === 'status') return true
  return isAbout(request, '/services', '/persistentvolumeclaims', 'resource.k8s.io/resourceclaims')
}

/** Checks all quotas, then charges them; those that moved meanwhile are checked and charged again. */
async function validate(
  request: AdmissionRequest,
  limited: readonly LimitedResource[],
): Promise<void> {
  let done: ReadonlySet<string> = new Set()
  for (;;) {
    const charges = await checked(request, done, limited)
    const results = await Promise.all(charges.map((it) => charge(request, it)))
    if (results.every(Boolean)) return
    const charged = charges.filter((_, index) => results[index])
    done = new Set([...done, ...charged.map((it) => it.quota.metadata.name ?? '')])
  }
}

/** A quota, and what will be used of it by the names that the request adds to. */
interface Charge {
  readonly quota: UnknownObject
  readonly used: ResourceList
}

async function checked(
  request: AdmissionRequest,
  done: ReadonlySet<string>,
  limited: readonly LimitedResource[],
): Promise<readonly Charge[]> {
  const { context } = request
  const quotas = await context.all('/resourcequotas', context.namespace)
  if (quotas.length === 0 && limited.length === 0) return []
  const evaluator = evaluatorOf(context.resource.group, context.resource.plural)
  const concerned = quotas.filter((it) => covers(it, evaluator, request.object!))
  for (const quota of concerned) checkCounted(request, quota, evaluator)
  checkLimited(request, limited, evaluator, quotas, concerned)
  const open = concerned.filter((it) => !done.has(it.metadata.name ?? ''))
  return open.flatMap((quota) => checkFits(request, quota, evaluator) ?? [])
}

/** A resource of which nothing may be used that no quota covers (ResourceQuotaConfiguration). */
export interface LimitedResource {
  readonly apiGroup?: string
  readonly resource?: string
  /** Parts of names of what a quota counts. */
  readonly matchContains?: readonly string[]
  readonly matchScopes?: readonly {
    readonly scopeName: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

/** Refuses what no quota covers and some quota must (resourcequota/controller.go CheckRequest). */
function checkLimited(
  request: AdmissionRequest,
  limited: readonly LimitedResource[],
  evaluator: UsageEvaluator,
  quotas: readonly UnknownObject[],
  concerned: readonly UnknownObject[],
): void {
  if (limited.length === 0) return
  const { resource, clock } = request.context
  const now = clock.now()
  const used = evaluator.usage(request.object!, now)
  if (!grows(request, evaluator, now)) return
  const parts = limited
    .filter((it) => (it.apiGroup ?? '') === resource.group && it.resource === resource.plural)
    .flatMap((it) => it.matchContains ?? [])
  const covered = new Set(
    concerned.flatMap((it) => Object.keys(hardOf(it)).filter(evaluator.counts)),
  )
  const open = Object.keys(used)
    .filter((it) => quantitySign(parseQuantity(used[it] ?? '0')) > 0)
    .filter((it) => parts.some((part) => it.includes(part)) && !covered.has(it))
  if (open.length > 0)
    throw refuse(request, `insufficient quota to consume: ${open.toSorted().join(',')}`)
  const inScope = (it: ScopeRequirement): boolean => evaluator.inScope(request.object!, it)
  const scopes = limited.flatMap((it) =>
    (it.matchScopes ?? []).map((scope) => ({ values: [], ...scope })).filter(inScope),
  )
  const coveredScopes = new Set(
    quotas.flatMap((it) => scopesOf(it).filter(inScope)).map((it) => it.scopeName),
  )
  const uncovered = scopes.filter((it) => !coveredScopes.has(it.scopeName))
  if (uncovered.length === 0) return
  const shown = uncovered.map((it) => `{${it.scopeName} ${it.operator} [${it.values.join(' ')}]}`)
  throw new ApiError(
    failure(500, undefined, `insufficient quota to match these scopes: [${shown.join(' ')}]`),
  )
}

/** Whether a request uses more of anything than before. */
const grows = (request: AdmissionRequest, evaluator: UsageEvaluator, now: number): boolean =>
  Object.keys(increase(request, evaluator, request.old, now)).length > 0

/** Notes in a quota's status what the request will use, so that another one at the same time sees it. */
async function charge({ replace }: AdmissionRequest, { quota, used }: Charge): Promise<boolean> {
  if (!replace) return true
  const status = { ...objectAt(quota, 'status'), used: { ...usedOf(quota), ...used } }
  return replace('/resourcequotas', quota, { ...quota, status })
}

const hardOf = (quota: UnknownObject): ResourceList =>
  resourcesAt(objectAt(quota, 'status'), 'hard')
const usedOf = (quota: UnknownObject): ResourceList =>
  resourcesAt(objectAt(quota, 'status'), 'used')

/** Whether a quota, as its controller has taken note of it, limits an object. */
function covers(quota: UnknownObject, evaluator: UsageEvaluator, object: UnknownObject): boolean {
  return (
    Object.keys(hardOf(quota)).some(evaluator.counts) &&
    scopesOf(quota).every((it) => evaluator.inScope(object, it))
  )
}

function checkCounted(
  request: AdmissionRequest,
  quota: UnknownObject,
  evaluator: UsageEvaluator,
): void {
  const names = Object.keys(hardOf(quota)).filter(evaluator.counts)
  const problem = evaluator.problem?.(request.object!, names)
  if (problem !== undefined) {
    throw refuse(request, `failed quota: ${quota.metadata.name}: ${problem}`)
  }
  if (names.every((it) => usedOf(quota)[it] !== undefined)) return
  const known = names.toSorted().join(',')
  throw refuse(request, `status unknown for quota: ${quota.metadata.name}, resources: ${known}`)
}

function checkFits(
  request: AdmissionRequest,
  quota: UnknownObject,
  evaluator: UsageEvaluator,
): Charge | undefined {
  const hard = hardOf(quota)
  const now = request.context.clock.now()
  const added = growth(request, quota, evaluator, now)
  const names = Object.keys(added).filter((it) => hard[it] !== undefined)
  if (names.length === 0) return undefined
  const used = only(usedOf(quota), names)
  const total = addResources(used, added)
  const exceeded = names.filter((it) => isMore(total[it]!, hard[it]!))
  if (exceeded.length === 0) return { quota, used: canonical(only(total, names)) }
  const shown = (list: ResourceList): string => listed(list, exceeded)
  throw refuse(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(added)}, used: ${shown(used)}, limited: ${shown(hard)}`,
  )
}

const only = (list: ResourceList, names: readonly string[]): ResourceList =>
  Object.fromEntries(names.flatMap((it) => (list[it] === undefined ? [] : [[it, list[it]]])))

const canonical = (list: ResourceList): ResourceList =>
  Object.fromEntries(
    Object.entries(list).map(([name, it]) => [name, formatQuantity(parseQuantity(it))]),
  )

const isMore = (a: string | number, b: string | number): boolean =>
  compareQuantities(parseQuantity(a), parseQuantity(b)) > 0

/** What the request would use more of a quota than now. */
function growth(
  request: AdmissionRequest,
  quota: UnknownObject,
  evaluator: UsageEvaluator,
  now: number,
): ResourceList {
  const { old } = request
  const isCharged = old !== undefined && covers(quota, evaluator, old)
  return increase(request, evaluator, isCharged ? old : undefined, now)
}

function increase(
  { object }: AdmissionRequest,
  evaluator: UsageEvaluator,
  old: UnknownObject | undefined,
  now: number,
): ResourceList {
  const before = old ? evaluator.usage(old, now) : {}
  const more: Record<string, string> = {}
  for (const [name, amount] of Object.entries(evaluator.usage(object!, now))) {
    const difference = subtractQuantities(
      parseQuantity(amount),
      amountOf(before[name]) ?? parseQuantity('0'),
    )
    if (quantitySign(difference) > 0) more[name] = formatQuantity(difference)
  }
  return more
}

function listed(list: ResourceList, names: readonly string[]): string {
  const parts = names
    .toSorted()
    .map((it) => `${it}=${formatQuantity(parseQuantity(list[it] ?? '0'))}`)
  return parts.join(',')
}

/**
 * ResourceQuota: refuses what would exceed a quota of its namespace, and adds what will not to the quota's `status.used`
 * (apiserver/pkg/admission/plugin/resourcequota). What is used is what the quota says: whoever removes something waits for the quota
 * controller to count anew.
 */
export const resourceQuota = (limited: readonly LimitedResource[]): AdmissionPlugin =>
  Object.freeze({
    name: 'ResourceQuota',
    handles,
    validate: (request: AdmissionRequest) => validate(request, limited),
  })

/** The same as it is without a configuration: what no quota covers is free. */
export const RESOURCE_QUOTA: AdmissionPlugin = resourceQuota([])

import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantitySign,
  subtractQuantities,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  addResources,
  amountOf,
  maxResources,
  resourcesAt,
  type ResourceList,
} from '../registry/core/resource-list.ts'
import { objectAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import {
  evaluatorOf,
  isTerminating,
  scopesOf,
  totalUsage,
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
async function validate(request: AdmissionRequest): Promise<void> {
  let done: ReadonlySet<string> = new Set()
  for (;;) {
    const charges = await checked(request, done)
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
): Promise<readonly Charge[]> {
  const { context } = request
  const quotas = await context.all('/resourcequotas', context.namespace)
  const open = quotas.filter((it) => !done.has(it.metadata.name ?? ''))
  if (open.length === 0) return []
  const evaluator = evaluatorOf(context.resource.group, context.resource.plural)
  const concerned = open.filter((it) => covers(it, evaluator, request.object!))
  for (const quota of concerned) checkCounted(request, quota, evaluator)
  if (concerned.length === 0) return []
  const others = (await context.all(context.resource.storageKey, context.namespace)).filter(
    (it) => it.metadata.name !== request.name || request.operation !== 'UPDATE',
  )
  return concerned.flatMap((quota) => checkFits(request, quota, evaluator, others) ?? [])
}

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
  others: readonly UnknownObject[],
): Charge | undefined {
  const hard = hardOf(quota)
  const now = request.context.clock.now()
  const added = growth(request, quota, evaluator, now)
  const names = Object.keys(added).filter((it) => hard[it] !== undefined)
  if (names.length === 0) return undefined
  const counted = others.filter((it) => covers(quota, evaluator, it))
  const before = request.old && covers(quota, evaluator, request.old) ? [request.old] : []
  const stored = totalUsage([...counted, ...before], evaluator, now)
  const used = maxResources(stored, only(usedOf(quota), names))
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

/** What the request would use more than now. */
function growth(
  request: AdmissionRequest,
  quota: UnknownObject,
  evaluator: UsageEvaluator,
  now: number,
): ResourceList {
  const after = evaluator.usage(request.object!, now)
  const isCharged = request.old !== undefined && covers(quota, evaluator, request.old)
  const before = isCharged ? evaluator.usage(request.old, now) : {}
  const more: Record<string, string> = {}
  for (const [name, amount] of Object.entries(after)) {
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
 * (apiserver/pkg/admission/plugin/resourcequota). What is stored counts as used too, however late the quota controller is.
 */
export const RESOURCE_QUOTA: AdmissionPlugin = Object.freeze({
  name: 'ResourceQuota',
  handles,
  validate,
})

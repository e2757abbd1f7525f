import {
  conflict,
  fieldPath,
  isConflict,
  invalidValue,
  OPTIMISTIC_LOCK,
  type UnknownObject,
  timeText,
} from 'kubewright/machinery'
import { bindPod, checkBinding } from '../registry/subresources/binding.ts'
import { checkEviction, evictedStatus, planEviction } from '../registry/subresources/eviction.ts'
import { scaleOf } from '../registry/subresources/scale.ts'
import { DEFAULT_SECONDS, planToken } from '../registry/subresources/token-request.ts'
import type { Action, ActionContext, Draft, Projection, Strategy } from '../registry/strategy.ts'
import { deleteAnswersObject } from '../resources/builtins.ts'
import type { ResourceInfo } from '../resources/resource.ts'

type Parts = Pick<Strategy, 'projections' | 'actions' | 'finalized' | 'terminate'>

interface Replicated {
  replicas?: number
}

const scale = (...apiVersions: readonly string[]): Projection => ({
  read: scaleOf,
  checksUid: true,
  replicasPaths: new Map(apiVersions.map((it) => [it, fieldPath('spec', 'replicas')])),
  validate: (body) => {
    const { replicas = 0 } = (body['spec'] ?? {}) as Replicated
    const why = 'must be greater than or equal to 0'
    return replicas < 0 ? [invalidValue('spec.replicas', replicas, why)] : []
  },
  write: (object, body) => {
    const { replicas = 0 } = (body['spec'] ?? {}) as Replicated
    object['spec'] = { ...(object['spec'] as object), replicas }
  },
})

/** Every version that there ever was: managedFields may still tell of them. */
const APPS = ['apps/v1beta1', 'apps/v1beta2', 'apps/v1'] as const

const success: UnknownObject = Object.freeze({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
})

const nowText = ({ clock }: ActionContext): string => timeText(clock.now())

/** Lets a change of an object become another object altogether. */
function become(draft: Draft, next: UnknownObject): void {
  for (const name of Object.keys(draft)) if (!(name in next)) delete draft[name]
  Object.assign(draft, next)
}

const BINDING: Action = {
  check: checkBinding,
  run: async (pod, body, context) => {
    const { namespace = '', name = '' } = pod.metadata
    await context.update('/pods', namespace, name, (draft) =>
      become(draft, bindPod(draft as UnknownObject, body as UnknownObject, nowText(context))),
    )
    return success
  },
}

const BUDGETS = 'policy/poddisruptionbudgets'

const EVICTION: Action = {
  check: checkEviction,
  run: async (pod, body, context) => {
    const { namespace = '', name = '' } = pod.metadata
    const asked = (body['deleteOptions'] ?? {}) as UnknownObject
    const dryRun = context.dryRun || asked['dryRun'] !== undefined
    const plan = await planned(pod, context, dryRun)
    if (!dryRun) await markEvicted(pod, plan.resourceVersion, context)
    const fresh = await context.find('/pods', namespace, name)
    const resourceVersion = plan.resourceVersion && fresh?.metadata.resourceVersion
    const preconditions = {
      ...(asked['preconditions'] as object),
      ...(resourceVersion ? { resourceVersion } : {}),
    }
    const options = {
      ...asked,
      ...(dryRun ? { dryRun: ['All'] } : {}),
      ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    }
    await context.remove('/pods', namespace, name, options)
    return success
  },
}

/** Decides, and spends a disruption of the budget; decides again when the budget moved meanwhile. */
async function planned(
  pod: UnknownObject,
  context: ActionContext,
  dryRun: boolean,
): Promise<ReturnType<typeof planEviction>> {
  const { namespace = '' } = pod.metadata
  for (;;) {
    const budgets = await context.all(BUDGETS, namespace)
    const plan = planEviction(pod, budgets, nowText(context))
    if (!plan.budget || dryRun) return plan
    try {
      await spend(plan.budget, context)
      return plan
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}

async function spend(budget: UnknownObject, context: ActionContext): Promise<void> {
  const { namespace = '', name = '', resourceVersion } = budget.metadata
  await context.update(BUDGETS, namespace, name, (draft) => {
    if (draft.metadata.resourceVersion !== resourceVersion) {
      throw conflict({ group: 'policy', plural: 'poddisruptionbudgets' }, name, OPTIMISTIC_LOCK)
    }
    draft['status'] = budget['status']
  })
}

/** Notes on a pod that lives on for its grace why it goes. */
async function markEvicted(
  pod: UnknownObject,
  resourceVersion: string | undefined,
  context: ActionContext,
): Promise<void> {
  const { namespace = '', name = '' } = pod.metadata
  await context.update('/pods', namespace, name, (draft) => {
    if (resourceVersion && draft.metadata.resourceVersion !== resourceVersion) {
      throw conflict({ group: '', plural: 'pods' }, name, OPTIMISTIC_LOCK)
    }
    become(draft, evictedStatus(draft as UnknownObject, nowText(context)))
  })
}

/** Under which annotation an audit event tells which token was issued. */
const ISSUED = 'authentication.kubernetes.io/issued-credential-id'

const TOKEN: Action = {
  applyDefaults: (body) => {
    const spec = (body['spec'] ??= {}) as { expirationSeconds?: number | null }
    spec.expirationSeconds ??= DEFAULT_SECONDS
  },
  run: async (account, body, context) => {
    const { tokens, manager } = context
    const issuer = { ...tokens, manager, now: context.clock.now(), jti: context.random.uuid() }
    const { boundObjectRef, ...spec } = (body['spec'] ?? {}) as Record<string, unknown>
    const request = { ...body, spec: { ...spec, ...(boundObjectRef ? { boundObjectRef } : {}) } }
    const plan = await planToken(account, request as UnknownObject, issuer, context.find)
    for (const warning of plan.warnings) context.warn(warning)
    const token = await tokens.sign(plan.claims)
    context.annotate?.(ISSUED, `JTI=${issuer.jti}`)
    return { ...plan.answer, status: { ...(plan.answer['status'] as object), token } }
  },
}

/** A namespace is Terminating from its first DELETE on, and goes when whoever empties it has taken off the last of its finalizers. */
const NAMESPACE: Parts = {
  finalized: (object) => {
    const { finalizers } = (object['spec'] ?? {}) as { readonly finalizers?: readonly string[] }
    return (finalizers ?? []).length === 0
  },
  terminate: (object) => {
    object['status'] = { ...(object['status'] as object), phase: 'Terminating' }
  },
}

/** What the server itself adds to the strategies of built-in kinds, by `group/plural`: subresources with bodies of another kind. */
const PARTS: Readonly<Record<string, Parts>> = {
  '/namespaces': NAMESPACE,
  '/pods': { actions: { binding: BINDING, eviction: EVICTION } },
  '/serviceaccounts': { actions: { token: TOKEN } },
  '/replicationcontrollers': { projections: { scale: scale('v1') } },
  'apps/deployments': { projections: { scale: scale(...APPS) } },
  'apps/replicasets': { projections: { scale: scale(...APPS) } },
  'apps/statefulsets': { projections: { scale: scale(...APPS) } },
}

/** A built-in kind's strategy with what the server itself adds to it. */
export const withStockSubresources = (info: ResourceInfo, strategy: Strategy): Strategy => ({
  returnsDeleted: deleteAnswersObject(info),
  ...PARTS[`${info.group}/${info.plural}`],
  ...strategy,
})

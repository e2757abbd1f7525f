import { fakeClock, seededRandom } from 'kubewright/base'
import {
  applyMergePatch,
  nameIsDnsSubdomain,
  type FieldError,
  type JsonObject,
  type ObjectMeta,
  type UnknownObject,
} from 'kubewright/machinery'
import type { ResourceInfo } from '../../resources/resource.ts'
import { builtinResources } from '../../resources/builtins.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../../admission/admission.ts'
import { ADMISSION_PLUGINS } from '../../admission/plugins.ts'
import { keepGeneration, keepSystemFields } from '../generic/before.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../generic/object-meta.ts'
import { strategyOf } from '../strategies.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'

/** Objects that a strategy under test may look at, by storage key. */
export type World = Readonly<Record<string, readonly UnknownObject[]>>

/** The built-in resource that a test names as `apps/v1/deployments` (`v1/pods` in the core group). */
export function resourceNamed(text: string): ResourceInfo {
  const parts = text.split('/')
  const plural = parts.pop() ?? ''
  const version = parts.pop() ?? ''
  const group = parts.pop() ?? ''
  const found = builtinResources().find(
    (it) => it.group === group && it.version === version && it.plural === plural,
  )
  if (!found) throw new Error(`${text} names no built-in resource.`)
  return found
}

/** A context over a fixed world, a clock that stands still and chance that repeats; warnings collect in `warnings`. */
export function contextOf(
  resource: ResourceInfo,
  world: World = {},
  warnings: string[] = [],
): StrategyContext {
  const namespace = resource.scope === 'Namespaced' ? 'default' : ''
  return {
    clock: fakeClock(Date.parse('2026-01-02T03:04:05Z')),
    random: seededRandom(1),
    resource,
    namespace,
    dryRun: false,
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    find: async (key, inside, name) =>
      world[key]?.find(
        (it) => it.metadata.name === name && (it.metadata.namespace ?? '') === inside,
      ),
    all: async (key, inside) =>
      (world[key] ?? []).filter((it) => inside === '' || it.metadata.namespace === inside),
    warn: (text) => void warnings.push(text),
  }
}

/** What every namespace and cluster has. */
export const BARE_WORLD: World = Object.freeze({
  '/namespaces': [{ metadata: { name: 'default' }, status: { phase: 'Active' } }],
  '/serviceaccounts': [{ metadata: { name: 'default', namespace: 'default' } }],
  'networking.k8s.io/servicecidrs': [
    { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.0.0.0/16'] } },
  ],
})

/** What a test changes of a request. */
export interface RequestParts extends Partial<Omit<AdmissionRequest, 'context'>> {
  readonly plugins?: readonly AdmissionPlugin[]
}

/** A create as the pipeline runs it: defaults, admission, preparation, validation, canonical form, admission again. */
export async function created(
  resource: ResourceInfo,
  input: object,
  context: StrategyContext = contextOf(resource, BARE_WORLD),
  parts: RequestParts = {},
): Promise<{ readonly object: Draft; readonly errors: readonly FieldError[] }> {
  const strategy: Strategy = strategyOf(resource)
  const object = structuredClone(input) as Draft
  object.metadata.uid = 'the-uid'
  if (resource.scope === 'Namespaced') object.metadata.namespace = context.namespace
  else delete object.metadata.namespace
  strategy.applyDefaults?.(object)
  const { plugins = ADMISSION_PLUGINS, ...rest } = parts
  const request: AdmissionRequest = {
    operation: 'CREATE',
    subresource: '',
    name: object.metadata.name ?? '',
    object,
    options: { metadata: {} },
    context,
    ...rest,
  }
  const handling = plugins.filter((it) => it.handles(request))
  for (const it of handling) await it.admit?.(request)
  await strategy.prepareForCreate?.(object, context)
  const errors = [
    ...validateObjectMeta(
      object.metadata as ObjectMeta,
      resource.scope,
      strategy.validateName ?? nameIsDnsSubdomain,
    ),
    ...((await strategy.validate?.(object, context)) ?? []),
  ]
  if (errors.length > 0) return { object, errors }
  strategy.canonicalize?.(object)
  strategy.reread?.(object)
  for (const it of handling) await it.validate?.(request)
  // Defaulting again must change nothing: the object is defaulted once more whenever it is read.
  strategy.applyDefaults?.(object)
  return { object, errors }
}

/** An update by a merge patch as the pipeline runs it, through the object itself or one of its subresources. */
export async function updated(
  resource: ResourceInfo,
  stored: UnknownObject,
  patch: object,
  subresource: string = '',
  context: StrategyContext = contextOf(resource, BARE_WORLD),
  plugins: readonly AdmissionPlugin[] = ADMISSION_PLUGINS,
): Promise<{ readonly object: Draft; readonly errors: readonly FieldError[] }> {
  const whole = strategyOf(resource)
  const strategy = (subresource === '' ? whole : whole.subresources?.[subresource]) ?? whole
  const old = { ...stored, metadata: { ...stored.metadata, resourceVersion: '1' } }
  const object = structuredClone(
    applyMergePatch(old as unknown as JsonObject, patch as JsonObject),
  ) as Draft
  whole.applyDefaults?.(object)
  const request: AdmissionRequest = {
    operation: 'UPDATE',
    subresource,
    name: old.metadata.name ?? '',
    object,
    old,
    options: { metadata: {} },
    context,
  }
  const handling = plugins.filter((it) => it.handles(request))
  for (const it of handling) await it.admit?.(request)
  keepGeneration(object.metadata, old.metadata)
  await strategy.prepareForUpdate?.(object, old, context)
  keepSystemFields(object.metadata, old.metadata)
  const errors = [
    ...validateObjectMeta(object.metadata as ObjectMeta, resource.scope),
    ...validateObjectMetaUpdate(object.metadata as ObjectMeta, old.metadata),
    ...((await strategy.validateUpdate?.(object, old, context)) ?? []),
  ]
  if (errors.length > 0) return { object, errors }
  strategy.canonicalize?.(object)
  strategy.reread?.(object)
  for (const it of handling) await it.validate?.(request)
  return { object, errors }
}

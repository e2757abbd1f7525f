import { parseApiVersion, selectorOf, type UnknownObject } from 'kubewright/machinery'
import type { Catalog } from '../../endpoints/catalog.ts'
import type { Served } from '../../endpoints/served.ts'
import type { AdmissionRequest } from '../admission.ts'
import { namespaceOf } from '../attributes.ts'
import type { ParamKind, ParamRef } from './policy.ts'

/** Something in how a policy or a binding is set up keeps it from being judged. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** The resource whose objects are parameters of a kind. Throws a {@link ConfigurationError} where nothing of it is served. */
export function paramResource(catalog: Catalog, { apiVersion, kind }: ParamKind): Served {
  const { group, version } = parseApiVersion(apiVersion)
  for (const served of catalog.all()) {
    const { info } = served
    if (info.kind === kind && info.version === version && info.group === group) return served
  }
  throw new ConfigurationError(
    `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`,
  )
}

/**
 * The objects that a binding gives its policy, each to be judged with; `undefined` stands for none where the policy is judged all
 * the same (policy_dispatcher.go CollectParams). Rejects with a {@link ConfigurationError}.
 */
export async function collectParams(
  resource: Served | undefined,
  ref: ParamRef | undefined,
  request: AdmissionRequest,
): Promise<readonly (UnknownObject | undefined)[]> {
  if (!resource || !ref) return [undefined]
  const namespace = paramNamespace(resource, ref, request)
  const found = ref.name
    ? await named(resource, namespace, ref.name, request)
    : await selected(resource, namespace, ref, request)
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    )
  }
  return shown(resource, found)
}

function paramNamespace({ info }: Served, ref: ParamRef, request: AdmissionRequest): string {
  if (info.scope === 'Cluster') {
    if (!ref.namespace) return ''
    throw new ConfigurationError(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    )
  }
  const namespace = ref.namespace || namespaceOf(request)
  if (namespace !== '') return namespace
  throw new ConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  )
}

async function named(
  { info }: Served,
  namespace: string,
  name: string,
  { context }: AdmissionRequest,
): Promise<readonly UnknownObject[]> {
  const found = await context.find(info.storageKey, namespace, name)
  return found ? [found] : []
}

async function selected(
  { info }: Served,
  namespace: string,
  { selector }: ParamRef,
  { context }: AdmissionRequest,
): Promise<readonly UnknownObject[]> {
  const { matches } = selectorOf(selector)
  return (await context.all(info.storageKey, namespace)).filter((it) => matches(it.metadata.labels))
}

/** Stored objects in the version of the parameters' kind. */
async function shown(
  { fromStorage, webhook }: Served,
  objects: readonly UnknownObject[],
): Promise<readonly UnknownObject[]> {
  if (webhook) return webhook.fromStorage(objects)
  return fromStorage ? objects.map((it) => fromStorage(it)) : objects
}

import type { Client } from '../client/client.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { kindOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Logger } from '../base/logger.ts'

/** What an operator may do with one resource, by the verbs that it cannot do without and those that it should be given. */
export interface Right {
  readonly group: string
  /** With a subresource after a slash: `deployments/status`. */
  readonly resource: string
  /** Without these it does not work. */
  readonly needed: readonly string[]
  /** What a role for it should hold. */
  readonly granted: readonly string[]
  /** The controllers that it is for. */
  readonly controllers: readonly string[]
}

const READ = ['get', 'list', 'watch'] as const
const WRITE = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const

/**
 * The rights that controllers need, from what they declare: everything on the kinds they are for and on what they own, reading on what they
 * watch and read, and Events. Sorted by group and resource.
 */
export function rightsOf(controllers: readonly ControllerDefinition[]): readonly Right[] {
  const found = new Map<string, { needed: Set<string>; granted: Set<string>; by: Set<string> }>()
  const add = (
    by: string,
    group: string,
    resource: string,
    needed: readonly string[],
    granted: readonly string[],
  ): void => {
    const id = `${group}/${resource}`
    const it = found.get(id) ?? { needed: new Set(), granted: new Set(), by: new Set() }
    found.set(id, it)
    for (const verb of needed) it.needed.add(verb)
    for (const verb of granted) it.granted.add(verb)
    it.by.add(by)
  }
  for (const definition of controllers) addRights(definition, add)
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { needed, granted, by }]) => {
      const slash = id.indexOf('/')
      return {
        group: id.slice(0, slash),
        resource: id.slice(slash + 1),
        needed: [...needed].sort(),
        granted: [...granted].sort(),
        controllers: [...by].sort(),
      }
    })
}

function addRights(
  { name, kind, owns, watches, reads }: ControllerDefinition,
  add: (
    by: string,
    group: string,
    resource: string,
    needed: readonly string[],
    granted: readonly string[],
  ) => void,
): void {
  const reading = (it: Kind): void => add(name, it.group, it.plural, ['list', 'watch'], READ)
  if (kind) {
    add(name, kind.group, kind.plural, ['list', 'watch'], WRITE)
    add(name, kind.group, `${kind.plural}/finalizers`, [], ['update'])
    add(name, kind.group, `${kind.plural}/status`, [], ['get', 'patch', 'update'])
  }
  for (const it of owns) add(name, it.group, it.plural, ['create', 'list', 'patch', 'watch'], WRITE)
  for (const it of watches) reading(it.kind)
  for (const it of reads) reading(it)
  add(name, 'events.k8s.io', 'events', ['create', 'patch'], ['create', 'patch'])
}

interface AccessReview extends KubeObject {
  readonly spec?: object
  readonly status?: { readonly allowed?: boolean }
}

const ACCESS_REVIEW: Kind<AccessReview> = kindOf(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  'Cluster',
)

/** What is missing of a right. */
export interface MissingRight extends Right {
  readonly missing: readonly string[]
  /** Where; empty for all namespaces. */
  readonly namespace: string
}

/** How many questions are asked at once. */
const AT_ONCE = 8

/** Asks the server which of the rights this process does not have (SelfSubjectAccessReview). Rejects when it may not even ask. */
export async function missingRights(
  client: Client,
  rights: readonly Right[],
  namespaces: readonly string[] = [],
  signal?: AbortSignal,
): Promise<readonly MissingRight[]> {
  const places = namespaces.length > 0 ? namespaces : ['']
  const questions = rights.flatMap((right) =>
    places.flatMap((namespace) => right.needed.map((verb) => ({ right, namespace, verb }))),
  )
  const denied = new Map<string, { right: Right; namespace: string; missing: string[] }>()
  const ask = async (): Promise<void> => {
    for (let it = questions.shift(); it; it = questions.shift()) {
      const { right, namespace, verb } = it
      if (await allowed(client, right, namespace, verb, signal)) continue
      const id = `${right.group}/${right.resource} ${namespace}`
      const known = denied.get(id) ?? { right, namespace, missing: [] }
      denied.set(id, known)
      known.missing.push(verb)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  return [...denied.values()].map((it) => ({
    ...it.right,
    namespace: it.namespace,
    missing: it.missing.sort(),
  }))
}

async function allowed(
  client: Client,
  { group, resource: path }: Right,
  namespace: string,
  verb: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const [resource, subresource] = path.split('/')
  const spec = {
    resourceAttributes: {
      group,
      resource,
      verb,
      ...(subresource ? { subresource } : {}),
      ...(namespace ? { namespace } : {}),
    },
  }
  const { status } = await client.create(ACCESS_REVIEW, { spec }, signal ? { signal } : {})
  return status?.allowed === true
}

/** Says what is missing: a sentence for each resource, with the rule that mends it. */
export async function tellMissingRights(
  client: Client,
  rights: readonly Right[],
  namespaces: readonly string[],
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const it of await missingRights(client, rights, namespaces, signal))
      log.error(sentenceOf(it), { resource: it.resource, group: it.group, verbs: it.missing })
  } catch (error) {
    if (!signal.aborted) log.debug('the server could not be asked for the rights', { error })
  }
}

function sentenceOf({ group, resource, missing, namespace, controllers }: MissingRight): string {
  const where = namespace === '' ? 'in all namespaces' : `in the namespace ${namespace}`
  const whose = controllers.length === 1 ? 'the controller' : 'the controllers'
  const rule = `{ apiGroups: [${JSON.stringify(group)}], resources: [${JSON.stringify(resource)}], verbs: ${JSON.stringify(missing)} }`
  return `this process may not ${missing.join(', ')} ${resource}${group ? `.${group}` : ''} ${where}, and ${whose} ${controllers.join(', ')} need${controllers.length === 1 ? 's' : ''} to: add ${rule} to its role`
}

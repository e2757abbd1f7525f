import type { Attributes, Authorizer } from '../endpoints/authorizer.ts'
import type { User } from '../http/message.ts'
import { goKindOf } from '../codec/go-json-error.ts'

/** One line of a policy file (kubernetes/pkg/apis/abac): who may do what; `*` stands for anything. */
export interface AbacPolicy {
  readonly user?: string
  readonly group?: string
  /** Whether only get, list and watch. */
  readonly readonly?: boolean
  readonly apiGroup?: string
  readonly resource?: string
  readonly namespace?: string
  readonly nonResourcePath?: string
}

const VERSION = 'abac.authorization.kubernetes.io/v1beta1'
const EVERYBODY = 'system:authenticated'

/** The fields of a policy and their Go types. */
const FIELDS: Readonly<Record<keyof AbacPolicy, 'string' | 'bool'>> = {
  user: 'string',
  group: 'string',
  readonly: 'bool',
  apiGroup: 'string',
  resource: 'string',
  namespace: 'string',
  nonResourcePath: 'string',
}

/**
 * Reads a policy file: a policy in JSON a line, between comments (`#`) and blank lines. Throws an Error in kube-apiserver's words, with
 * the line, for one that cannot be read (kubernetes/pkg/auth/authorizer/abac NewFromFile).
 */
export function abacPolicies(text: string, path: string): readonly AbacPolicy[] {
  return text.split(/\r?\n/).flatMap((line, i) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    try {
      return [policyIn(line)]
    } catch (error) {
      const why = (error as Error).message
      throw new Error(`error reading policy file ${path}, line ${i + 1}: ${line}: ${why}`, {
        cause: error,
      })
    }
  })
}

function policyIn(line: string): AbacPolicy {
  const value = objectIn(line)
  const { apiVersion, kind, spec } = value
  if (apiVersion === VERSION && kind === 'Policy') {
    const own = checked((spec ?? {}) as Readonly<Record<string, unknown>>, 'PolicySpec.spec.')
    const isAnybody = own.user === '*' || own.group === '*'
    return isAnybody ? { ...own, user: '', group: EVERYBODY } : own
  }
  if (apiVersion !== undefined && kind !== undefined)
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  return unversioned(checked(value, 'Policy.'))
}

const HEAD =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function objectIn(line: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // The real one takes what is no JSON for YAML, where a word is a string.
    value = line
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>
  throw new Error(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(value)} into Go value of type ${HEAD}`,
  )
}

function checked(value: Readonly<Record<string, unknown>>, where: string): AbacPolicy {
  const policy: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(FIELDS)) {
    const it = value[name]
    if (it === undefined || it === null) continue
    if (typeof it !== (type === 'bool' ? 'boolean' : type))
      throw new Error(
        `json: cannot unmarshal ${goKindOf(it)} into Go struct field ${where}${name} of type ${type}`,
      )
    policy[name] = it
  }
  return policy
}

/** A policy of before there were versions: what it leaves out is anything (abac/v0/conversion.go). */
function unversioned({ user, group, readonly, namespace, resource }: AbacPolicy): AbacPolicy {
  const isAnybody = (!user && !group) || user === '*' || group === '*'
  return {
    ...(isAnybody ? { group: EVERYBODY } : { user: user ?? '', group: group ?? '' }),
    ...(readonly ? { readonly } : {}),
    namespace: namespace || '*',
    resource: resource || '*',
    apiGroup: '*',
    ...(namespace || resource ? {} : { nonResourcePath: '*' }),
  }
}

const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

/** Whether a policy is about a user: of a name and a group, both must be his. */
function isAbout({ user = '', group = '' }: AbacPolicy, who: User): boolean {
  if (user === '' && group === '') return false
  const hasName = user === '' || user === '*' || user === who.name
  return hasName && (group === '' || group === '*' || who.groups.includes(group))
}

function covers(policy: AbacPolicy, attributes: Attributes): boolean {
  const { resource = '', namespace = '', apiGroup = '', nonResourcePath: path = '' } = policy
  const is = (wanted: string, own: string): boolean => wanted === '*' || wanted === own
  if (attributes.kind === 'resource')
    return (
      is(namespace, attributes.namespace) &&
      is(resource, attributes.resource) &&
      is(apiGroup, attributes.group)
    )
  if (is(path, attributes.path)) return true
  return path.endsWith('*') && attributes.path.startsWith(path.replace(/\*+$/, ''))
}

/** Allows what a policy allows, and has no opinion of the rest (`--authorization-mode=ABAC`). */
export const abacAuthorizer =
  (policies: readonly AbacPolicy[]): Authorizer =>
  (attributes) => {
    const found = policies.some(
      (it) =>
        isAbout(it, attributes.user) &&
        (!it.readonly || READING.has(attributes.verb)) &&
        covers(it, attributes),
    )
    return found ? { allowed: true, reason: '' } : { allowed: false, reason: 'No policy matched.' }
  }

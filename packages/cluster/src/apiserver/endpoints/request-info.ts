import type { Verb } from '../resources/resource.ts'

/** What a request asks for, read from its method, path and query alone (apiserver/pkg/endpoints/request/requestinfo.go). */
export interface RequestInfo {
  readonly isResource: boolean
  /** A {@link Verb} for a resource; the lower-case method elsewhere. */
  readonly verb: string
  readonly path: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** The path after group, version and namespace, decoded: resource, name, subresource, and whatever follows. */
  readonly parts: readonly string[]
  /** True for the `/watch/` paths of old. */
  readonly legacyWatch: boolean
}

const VERBS: Readonly<Record<string, Verb>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Subresources of a namespace itself: `/namespaces/x/status` is not a resource named status. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize'])

/** Reads a path (percent-encoded, without the query). Never throws: what is no resource path is not one. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  // No route has an empty step inside, and an encoded slash parts steps like any other (Go routes by the decoded path).
  if (path.includes('//')) return nonResource(method, path)
  const parts = decode(path)
    .split('/')
    .filter((it) => it !== '')
  const grouped = parts[0] === 'apis'
  if ((parts[0] !== 'api' && !grouped) || parts.length < (grouped ? 4 : 3)) {
    return nonResource(method, path)
  }
  const [group, version] = grouped ? [parts[1]!, parts[2]!] : ['', parts[1]!]
  return resourceInfo(method, path, query, group, version, parts.slice(grouped ? 3 : 2))
}

const nonResource = (method: string, path: string): RequestInfo => ({
  isResource: false,
  verb: method.toLowerCase(),
  path,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  legacyWatch: false,
})

function resourceInfo(
  method: string,
  path: string,
  query: URLSearchParams,
  group: string,
  version: string,
  rest: readonly string[],
): RequestInfo {
  const legacyWatch = rest[0] === 'watch' && rest.length > 1
  const { namespace, parts } = splitNamespace(legacyWatch ? rest.slice(1) : rest)
  const [resource = '', name = '', subresource = ''] = parts
  const verb = legacyWatch ? 'watch' : verbOf(method, query, name)
  const base = { isResource: true, verb, path, group, version, namespace, resource, subresource }
  const selected = name === '' && COLLECTION.has(verb) ? selectedName(query) : name
  return { ...base, name: selected, parts, legacyWatch }
}

const COLLECTION: ReadonlySet<string> = new Set(['list', 'watch'])

function splitNamespace(rest: readonly string[]): {
  readonly namespace: string
  readonly parts: readonly string[]
} {
  if (rest[0] !== 'namespaces' || rest.length < 2) return { namespace: '', parts: rest }
  const inside = rest.length > 2 && !OF_NAMESPACES.has(rest[2]!)
  return { namespace: rest[1]!, parts: inside ? rest.slice(2) : rest }
}

function verbOf(method: string, query: URLSearchParams, name: string): string {
  const verb = VERBS[method] ?? method.toLowerCase()
  if (name !== '') return verb
  if (verb === 'get') return isTrue(query.get('watch')) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}

/** Authorization sees the one object that a field selector names. */
function selectedName(query: URLSearchParams): string {
  return /(?:^|,)metadata\.name==?([^,]*)/.exec(query.get('fieldSelector') ?? '')?.[1] ?? ''
}

/** A boolean of a query as kube-apiserver reads it: present and neither `0` nor `false`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // What is no UTF-8 is no name of anything, but a name all the same.
    if (/%(?![\da-f]{2})/i.test(part)) return part
    const bytes = part.replace(/%([\da-f]{2})/gi, (_, hex) =>
      String.fromCharCode(parseInt(hex, 16)),
    )
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}

import { FlagError } from './flag-error.ts'

/** A group and one of its versions; the core's group is `''`. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** What may be asked for and is not here: the versions that v1.36 has beside those that it serves by default. */
const ELSEWHERE: readonly string[] = [
  'admissionregistration.k8s.io/v1alpha1',
  'admissionregistration.k8s.io/v1beta1',
  'coordination.k8s.io/v1alpha2',
  'coordination.k8s.io/v1beta1',
  'internal.apiserver.k8s.io/v1alpha1',
  'networking.k8s.io/v1beta1',
  'resource.k8s.io/v1alpha3',
  'resource.k8s.io/v1beta1',
  'resource.k8s.io/v1beta2',
  'storage.k8s.io/v1beta1',
]

/** Keys that stand for many versions, the later ones counting for more (apiserver/pkg/server/resourceconfig). */
const SETS: readonly (readonly [key: string, version: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]

/** What `--runtime-config` comes to. */
export interface ServedVersions {
  readonly serves: (it: GroupVersion) => boolean
  /** Versions that were asked for by name and are not here, `group/version`. */
  readonly missing: readonly string[]
}

/** Reads `--runtime-config` against the versions that are here. Throws a {@link FlagError} in kube-apiserver's words. */
export function servedVersions(
  given: ReadonlyMap<string, string>,
  here: readonly GroupVersion[],
): ServedVersions {
  const asked = new Map([...given].flatMap(([key, value]) => completed(key, value)))
  const known = new Set([...here.map(nameOf), ...ELSEWHERE])
  refuseUnknownGroups([...asked.keys()], known)
  for (const [key] of SETS) checkSet(key, asked.get(key))
  const named = new Map([...asked].flatMap(([key, value]) => versionIn(key, value, known)))
  const serves = (it: GroupVersion): boolean => {
    const own = named.get(nameOf(it))
    if (own !== undefined) return own
    const set = SETS.findLast(([key, version]) => asked.has(key) && version.test(it.version))
    return set === undefined || asked.get(set[0]) === 'true'
  }
  const missing = ELSEWHERE.filter((it) => named.get(it) === true)
  return { serves, missing }
}

const nameOf = ({ group, version }: GroupVersion): string => `${group}/${version}`

/** The core has a name of its own here; what is deprecated is passed over (controlplane/apiserver/options Complete). */
function completed(key: string, value: string): readonly (readonly [string, string])[] {
  if (key === 'api/legacy') return []
  return /^(api\/)?v1(\/|$)/.test(key) ? [['/v1', value]] : [[key, value]]
}

const isSet = (key: string): boolean => SETS.some(([it]) => it === key)

function refuseUnknownGroups(keys: readonly string[], known: ReadonlySet<string>): void {
  const groups = new Set([...known].map((it) => it.split('/')[0]))
  const names = keys.filter((it) => !isSet(it))
  const odd = names.find((it) => !/^[^/]*\/[^/]*(\/[^/]*)?$/.test(it))
  if (odd !== undefined) throw new FlagError('invalid', `runtime-config invalid key ${odd}`)
  const unknown = names
    .map((it) => it.split('/').slice(0, 2).join('/'))
    .filter((it) => !groups.has(it.split('/')[0]))
  if (unknown.length > 0)
    throw new FlagError('invalid', `unknown api groups ${[...new Set(unknown)].sort().join(',')}`)
}

function checkSet(key: string, value: string | undefined): void {
  if (value !== undefined && value !== 'true' && value !== 'false')
    throw new FlagError('invalid', `invalid value ${key}=${value}`)
}

/** What one key says of its version; resources have no say of their own in any version that is here. */
function versionIn(
  key: string,
  value: string,
  known: ReadonlySet<string>,
): readonly (readonly [string, boolean])[] {
  if (isSet(key)) return []
  const [group = '', version = '', resource] = key.split('/')
  const name = `${group}/${version}`
  if (!known.has(name))
    throw new FlagError('invalid', `group version ${name} that has not been registered`)
  const enabled = boolOf(key, value)
  if (resource === undefined) return [[name, enabled]]
  if (resource === resource.toLowerCase()) return []
  throw new FlagError(
    'invalid',
    `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`,
  )
}

function boolOf(key: string, value: string): boolean {
  if (/^(|1|t|T|true|TRUE|True)$/.test(value)) return true
  if (/^(0|f|F|false|FALSE|False)$/.test(value)) return false
  const problem = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`
  throw new FlagError('invalid', `invalid value of ${key}: ${value}, err: ${problem}`)
}

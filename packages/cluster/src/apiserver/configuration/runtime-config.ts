import { FlagError } from './flag-error.ts'

/** A group and one of its versions; the core's group is `''`. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** A resource in one version; one of its names is enough to know it. */
export interface ServableResource extends GroupVersion {
  readonly plural: string
}

/** Versions that kube-apiserver v1.36 knows and has no resources in: they may be asked for, and nothing comes of it. */
const EMPTY: readonly string[] = [
  'admission.k8s.io/v1',
  'admission.k8s.io/v1beta1',
  'apiextensions.k8s.io/v1beta1',
  'apiregistration.k8s.io/v1beta1',
  'apps/v1beta1',
  'apps/v1beta2',
  'authentication.k8s.io/v1alpha1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1beta1',
  'batch/v1beta1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'extensions/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'imagepolicy.k8s.io/v1alpha1',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1beta1',
  'scheduling.k8s.io/v1beta1',
  'storage.k8s.io/v1alpha1',
]

/** Keys that stand for many versions, the later ones counting for more (apiserver/pkg/server/resourceconfig). */
const SETS: readonly (readonly [key: string, version: RegExp])[] = [
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]

/**
 * What `--runtime-config` comes to: whether a resource is served, where `byDefault` says so of its version and `here` lists all
 * versions that there are. A resource's own key counts for more than its version's, and that for more than the sets of versions.
 * Throws a {@link FlagError} in kube-apiserver's words.
 */
export function servedVersions(
  given: ReadonlyMap<string, string>,
  here: readonly GroupVersion[],
  byDefault: (it: GroupVersion) => boolean,
): (it: ServableResource) => boolean {
  const asked = new Map([...given].flatMap(([key, value]) => completed(key, value)))
  const known = new Set([...here.map(nameOf), ...EMPTY])
  refuseUnknownGroups([...asked.keys()], known)
  for (const [key] of SETS) checkSet(key, asked.get(key))
  const named = new Map([...asked].flatMap(([key, value]) => saidOf(key, value, known)))
  return (it) => {
    const own = named.get(`${nameOf(it)}/${it.plural}`) ?? named.get(nameOf(it))
    if (own !== undefined) return own
    const set = SETS.findLast(([key, version]) => asked.has(key) && version.test(it.version))
    return set === undefined ? byDefault(it) : asked.get(set[0]) === 'true'
  }
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

/** What one key says of its version, or of one resource of it. */
function saidOf(
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
  if (resource === resource.toLowerCase()) return [[`${name}/${resource}`, enabled]]
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

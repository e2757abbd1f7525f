import type { UnknownObject } from 'kubewright/machinery'
import type { Storage } from '../storage/storage.ts'

/** What a node may have to do with (kubernetes/plugin/pkg/auth/authorizer/node/graph.go), by the storage keys of the kinds. */
export type Related =
  | '/secrets'
  | '/configmaps'
  | '/persistentvolumeclaims'
  | '/persistentvolumes'
  | '/pods'
  | '/serviceaccounts'
  | 'resource.k8s.io/resourceclaims'
  | 'resource.k8s.io/resourceslices'
  | 'storage.k8s.io/volumeattachments'
  | 'certificates.k8s.io/podcertificaterequests'

type Dictionary = Readonly<Record<string, unknown>>

const dictionary = (value: unknown): Dictionary => (value ?? {}) as Dictionary

/** Whether something that runs on a node, or is to, leads to an object. Read from the store, which is always up to date. */
export async function isRelated(
  storage: Storage,
  node: string,
  kind: Related,
  namespace: string,
  name: string,
): Promise<boolean> {
  const at = async (key: string): Promise<UnknownObject | undefined> =>
    (await storage.get(key))?.object
  const under = async (prefix: string): Promise<readonly UnknownObject[]> =>
    (await storage.list({ prefix })).items.map((it) => it.object)
  const podsOf = async (where: string): Promise<readonly UnknownObject[]> =>
    (await under(`/pods/${where}/`)).filter((it) => dictionary(it['spec'])['nodeName'] === node)
  const claimed = async (volume: UnknownObject): Promise<boolean> => {
    const claim = dictionary(dictionary(volume['spec'])['claimRef'])
    const where = String(claim['namespace'] ?? '')
    return (await podsOf(where)).some((it) => claimsOf(it).has(String(claim['name'])))
  }
  const named = async (names: (pod: UnknownObject) => ReadonlySet<string>): Promise<boolean> =>
    (await podsOf(namespace)).some((it) => !isMirror(it) && names(it).has(name))
  const field = async (path: string, object: UnknownObject | undefined): Promise<boolean> =>
    dictionary(object?.['spec'])[path] === node
  switch (kind) {
    case '/secrets':
      return (await named(secretsOf)) || (await ofVolumes())
    case '/configmaps':
      return named(configMapsOf)
    case '/persistentvolumeclaims':
      return named(claimsOf)
    case '/serviceaccounts':
      return named(accountsOf)
    case 'resource.k8s.io/resourceclaims':
      return named(deviceClaimsOf)
    case '/pods':
      return field('nodeName', await at(`/pods/${namespace}/${name}`))
    case '/persistentvolumes': {
      const volume = await at(`/persistentvolumes//${name}`)
      return volume !== undefined && (await claimed(volume))
    }
    case 'resource.k8s.io/resourceslices':
    case 'storage.k8s.io/volumeattachments':
      return field('nodeName', await at(`${kind}//${name}`))
    case 'certificates.k8s.io/podcertificaterequests':
      return field('nodeName', await at(`${kind}/${namespace}/${name}`))
  }

  async function ofVolumes(): Promise<boolean> {
    for (const volume of await under('/persistentvolumes/')) {
      if (volumeSecretsOf(volume).has(`${namespace}/${name}`) && (await claimed(volume)))
        return true
    }
    return false
  }
}

/** A pod that a node made itself must never give it rights. */
const isMirror = ({ metadata }: UnknownObject): boolean =>
  metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined

/** Every object inside a value, with the key that it stands under. */
function* within(value: unknown, key: string = ''): Generator<readonly [key: string, Dictionary]> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) yield* within(item, key)
    return
  }
  yield [key, value as Dictionary]
  for (const [name, child] of Object.entries(value)) yield* within(child, name)
}

const collect = (
  value: unknown,
  nameOf: (key: string, object: Dictionary) => unknown,
): ReadonlySet<string> =>
  new Set(
    [...within(value)]
      .map(([key, object]) => nameOf(key, object))
      .filter((it) => typeof it === 'string'),
  )

const SECRET_REFS: ReadonlySet<string> = new Set([
  'secret',
  'secretRef',
  'secretKeyRef',
  'nodePublishSecretRef',
  'imagePullSecrets',
])
const CONFIG_MAP_REFS: ReadonlySet<string> = new Set([
  'configMap',
  'configMapRef',
  'configMapKeyRef',
])

/** The secrets that a pod names, in whatever field (api/v1/pod VisitPodSecretNames). */
const secretsOf = (pod: UnknownObject): ReadonlySet<string> =>
  collect(pod['spec'], (key, it) => it['secretName'] ?? (SECRET_REFS.has(key) ? it['name'] : 0))

const configMapsOf = (pod: UnknownObject): ReadonlySet<string> =>
  collect(pod['spec'], (key, it) => (CONFIG_MAP_REFS.has(key) ? it['name'] : 0))

function claimsOf(pod: UnknownObject): ReadonlySet<string> {
  const volumes = (dictionary(pod['spec'])['volumes'] ?? []) as readonly Dictionary[]
  return new Set(
    volumes.flatMap((it) => {
      const { claimName } = dictionary(it['persistentVolumeClaim'])
      if (typeof claimName === 'string') return [claimName]
      return it['ephemeral'] ? [`${pod.metadata.name}-${String(it['name'])}`] : []
    }),
  )
}

const accountsOf = (pod: UnknownObject): ReadonlySet<string> =>
  new Set([String(dictionary(pod['spec'])['serviceAccountName'] ?? '')])

function deviceClaimsOf(pod: UnknownObject): ReadonlySet<string> {
  const status = dictionary(pod['status'])
  const direct = (dictionary(pod['spec'])['resourceClaims'] ?? []) as readonly Dictionary[]
  const made = (status['resourceClaimStatuses'] ?? []) as readonly Dictionary[]
  const extended = dictionary(status['extendedResourceClaimStatus'])
  return new Set(
    [...direct, ...made, extended].flatMap((it) =>
      typeof it['resourceClaimName'] === 'string' ? [it['resourceClaimName']] : [],
    ),
  )
}

/** `namespace/name` of the secrets that a kubelet needs for a volume (api/v1/persistentvolume VisitPVSecretNames). */
function volumeSecretsOf(volume: UnknownObject): ReadonlySet<string> {
  const spec = dictionary(volume['spec'])
  const fallback = String(dictionary(spec['claimRef'])['namespace'] ?? '')
  return collect(spec, (key, it) => {
    if (key === 'azureFile')
      return `${String(it['secretNamespace'] ?? fallback)}/${String(it['secretName'])}`
    if (!/^(secretRef|node(Publish|Stage|Expand)SecretRef)$/.test(key)) return 0
    return `${String(it['namespace'] ?? fallback)}/${String(it['name'])}`
  })
}

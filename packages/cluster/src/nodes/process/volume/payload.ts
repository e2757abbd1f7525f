import type { ConfigMap, Pod, Secret, Volume } from 'kubewright/kinds/core/v1'
import { podField, type PodPlace, resourceField } from '../environment/fields.ts'

/** What a file of a volume holds, and who may do what with it. */
export interface PayloadFile {
  readonly content: Uint8Array | string
  readonly mode: number
}

/** Files of a volume, by their paths in it. */
export type Payload = ReadonlyMap<string, PayloadFile>

/** Where a volume's files come from. Objects are those of the pod's namespace. */
export interface PayloadSources extends PodPlace {
  readonly configMap: (name: string) => ConfigMap | undefined
  readonly secret: (name: string) => Secret | undefined
  /** A token of the pod's service account. */
  readonly token: (request: TokenRequested) => Promise<string>
}

/** What a token is for, and for how many seconds it should be good. */
export interface TokenRequested {
  readonly audience: string | undefined
  readonly expirationSeconds: number
}

/** Whether the kubelet fills a volume from the API, rather than mounts something. */
export const hasPayload = (it: Volume): boolean =>
  (it.configMap ?? it.secret ?? it.downwardAPI ?? it.projected) !== undefined

const DEFAULT_MODE = 0o644

/** The files of a volume that is filled from the API. Throws in the kubelet's words where something is missing that is not optional. */
export async function payloadOf(
  { configMap, secret, downwardAPI, projected }: Volume,
  pod: Pod,
  sources: PayloadSources,
): Promise<Payload> {
  if (configMap)
    return configMapFiles(pod, configMap, configMap.name ?? '', configMap.defaultMode, sources)
  if (secret) return secretFiles(pod, secret, secret.secretName ?? '', secret.defaultMode, sources)
  if (downwardAPI) return downwardFiles(pod, downwardAPI.items, downwardAPI.defaultMode, sources)
  const files = new Map<string, PayloadFile>()
  for (const source of projected?.sources ?? [])
    for (const [path, file] of await projectedFiles(pod, source, projected?.defaultMode, sources))
      files.set(path, file)
  return files
}

type ProjectedSource = NonNullable<NonNullable<Volume['projected']>['sources']>[number]

async function projectedFiles(
  pod: Pod,
  source: ProjectedSource,
  mode: number | undefined,
  sources: PayloadSources,
): Promise<Payload> {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source
  if (configMap) return configMapFiles(pod, configMap, configMap.name ?? '', mode, sources)
  if (secret) return secretFiles(pod, secret, secret.name ?? '', mode, sources)
  if (downwardAPI) return downwardFiles(pod, downwardAPI.items, mode, sources)
  if (!serviceAccountToken)
    throw new Error(
      'clusterTrustBundle and podCertificate sources are not supported by process nodes',
    )
  const { audience, expirationSeconds = 3600, path } = serviceAccountToken
  const content = await sources.token({ audience, expirationSeconds })
  // Only its owner may read it; a group that the pod names is given it with the volume.
  return new Map([[path, { content, mode: 0o600 | ((mode ?? DEFAULT_MODE) & 0o044) }]])
}

interface Selected {
  readonly items?: readonly {
    readonly key: string
    readonly path: string
    readonly mode?: number
  }[]
  readonly optional?: boolean
}

function configMapFiles(
  pod: Pod,
  selected: Selected,
  name: string,
  mode: number | undefined,
  { configMap }: PayloadSources,
): Payload {
  const found = configMap(name)
  if (!found && !selected.optional) throw missing('configmap', name)
  const texts = Object.entries(found?.data ?? {})
  const bytes = Object.entries(found?.binaryData ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
  )
  return pick(new Map<string, Uint8Array | string>([...texts, ...bytes]), selected, mode, () =>
    keyMissing(pod, 'configmap', name),
  )
}

function secretFiles(
  pod: Pod,
  selected: Selected,
  name: string,
  mode: number | undefined,
  { secret }: PayloadSources,
): Payload {
  const found = secret(name)
  if (!found && !selected.optional) throw missing('secret', name)
  const bytes = Object.entries(found?.data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
  )
  return pick(new Map(bytes), selected, mode, () => keyMissing(pod, 'secret', name))
}

const missing = (kind: string, name: string): Error =>
  new Error(`${kind} ${JSON.stringify(name)} not found`)

const keyMissing = (pod: Pod, kind: string, name: string): Error =>
  new Error(`references non-existent ${kind} key: ${pod.metadata.namespace}/${name}`)

/** All of it under its keys, or the items that are asked for under their paths. */
function pick(
  data: ReadonlyMap<string, Uint8Array | string>,
  { items, optional }: Selected,
  defaultMode: number = DEFAULT_MODE,
  absent: () => Error,
): Payload {
  if (!items?.length)
    return new Map([...data].map(([key, content]) => [key, { content, mode: defaultMode }]))
  const files = new Map<string, PayloadFile>()
  for (const { key, path, mode = defaultMode } of items) {
    const content = data.get(key)
    if (content !== undefined) files.set(path, { content, mode })
    else if (!optional) throw absent()
  }
  return files
}

type DownwardItems = NonNullable<Volume['downwardAPI']>['items']

function downwardFiles(
  pod: Pod,
  items: DownwardItems = [],
  defaultMode: number = DEFAULT_MODE,
  place: PodPlace,
): Payload {
  return new Map(
    items.map(({ path, mode = defaultMode, fieldRef, resourceFieldRef }) => {
      const content = fieldRef
        ? podField(pod, fieldRef.fieldPath, place)
        : resourceField(pod, resourceFieldRef ?? { resource: '' }, undefined, place)
      return [path, { content, mode }]
    }),
  )
}

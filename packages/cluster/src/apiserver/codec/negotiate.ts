import { ApiError, failure } from 'kubewright/machinery'
import { PROTOBUF } from './protobuf.ts'

/** What answers and bodies may be written in. */
export type MediaType = 'application/json' | 'application/yaml' | typeof PROTOBUF

/** How an answer is to look. `as` is the kind that a Table or metadata answer turns into. */
export interface OutputType {
  readonly mediaType: MediaType
  readonly pretty: boolean
  readonly as: Transform | undefined
}

/** What `as=…;g=…;v=…` may ask for instead of the object itself. */
export interface Transform {
  readonly kind:
    'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList'
  /** `v1` or `v1beta1` of meta.k8s.io; `v2` of apidiscovery.k8s.io. */
  readonly version: string
}

/** What an endpoint can answer with. */
export interface Offer {
  /** What it can turn its answer into. */
  readonly transforms: readonly Transform['kind'][]
  /**
   * What its route says that it produces: a client that takes none of it, by its full name or as `*` + `/*`, is refused before anything
   * else is looked at. Undefined where there is no route, as for custom resources.
   */
  readonly produces: readonly string[] | undefined
  /** Whether the object itself can be had in protobuf; its metadata always can. */
  readonly protobuf: boolean
  /** Whether it takes `sv=v1`. */
  readonly serverVersion: boolean
}

const ALL: readonly MediaType[] = ['application/json', 'application/yaml', PROTOBUF]
const STREAMS: readonly string[] = [`application/json;stream=watch`, `${PROTOBUF};stream=watch`]

const OBJECTS: readonly Transform['kind'][] = [
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]

/** What the endpoints of built-in kinds offer (apiserver/pkg/endpoints/installer.go); custom ones have no routes and no protobuf. */
export const OFFERS: Readonly<Record<'object' | 'list' | 'plain' | 'document' | 'root', Offer>> = {
  object: { transforms: OBJECTS, produces: ALL, protobuf: true, serverVersion: true },
  list: {
    transforms: OBJECTS,
    produces: [...ALL, ...STREAMS],
    protobuf: true,
    serverVersion: true,
  },
  plain: { transforms: [], produces: ALL, protobuf: true, serverVersion: true },
  document: { transforms: [], produces: ALL, protobuf: true, serverVersion: false },
  root: {
    transforms: ['APIGroupDiscoveryList'],
    produces: ALL,
    protobuf: true,
    serverVersion: false,
  },
}

/** What a handler offers that no route stands before. */
export const unrouted = (offer: Offer): Offer => ({ ...offer, produces: undefined })

/** What the same endpoint offers for a custom resource. */
export const forCustom = (offer: Offer): Offer => ({
  ...offer,
  produces: undefined,
  protobuf: false,
})

interface Clause {
  /** `application/json`, `application/*` or `*` + `/*`, as it was written. */
  readonly type: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

/** The clauses of an Accept header in the order in which they count (github.com/munnerz/goautoneg). */
export function parseAccept(header: string): readonly Clause[] {
  const clauses = header.split(',').flatMap(parseClause)
  // Go sorts so few by insertion, and its order is none that another sort would come to.
  for (let i = 1; i < clauses.length; i++) {
    for (let at = i; at > 0 && goesBefore(clauses[at]!, clauses[at - 1]!); at--) {
      ;[clauses[at - 1], clauses[at]] = [clauses[at]!, clauses[at - 1]!]
    }
  }
  return clauses
}

function goesBefore(a: Clause, b: Clause): boolean {
  if (a.quality > b.quality) return true
  if (!a.type.startsWith('*/') && b.type.startsWith('*/')) return true
  return !a.type.endsWith('/*') && b.type.endsWith('/*')
}

const trimmed = (text: string): string => text.replace(/^ +| +$/g, '')

function parseClause(text: string): readonly Clause[] {
  const [first = '', ...rest] = trimmed(text).split(';')
  const [main = '', sub = '', ...more] = first.split('/').map(trimmed)
  if (more.length > 0 || (sub === '' && main !== '*')) return []
  const pairs = rest.map((it) => it.split('=')).filter((it) => it.length === 2 && it[1] !== '')
  const parameters = new Map(pairs.map(([name, value]) => [trimmed(name!), value!]))
  const asked = parameters.get('q')
  parameters.delete('q')
  const quality = asked === undefined ? 1 : Number(asked)
  for (const [name, value] of parameters) parameters.set(name, trimmed(value))
  return [
    { type: `${main}/${sub || '*'}`, quality: Number.isNaN(quality) ? 0 : quality, parameters },
  ]
}

const matchesType = (clause: string, mediaType: string): boolean =>
  clause === mediaType || clause === '*/*' || clause === 'application/*'

/**
 * Chooses how to answer (apiserver/pkg/endpoints/handlers/negotiation). `pretty` is what the request says beside its Accept header.
 * Throws the 406 that lists what is there.
 */
export function negotiateOutput(
  accept: string | undefined,
  pretty: boolean,
  offer: Offer,
): OutputType {
  if (!accept || accept === 'application/json') {
    return { mediaType: 'application/json', pretty, as: undefined }
  }
  const { produces } = offer
  if (produces && !isProduced(accept, produces)) throw notProduced(produces)
  for (const clause of parseAccept(accept)) {
    for (const mediaType of ALL) {
      const found =
        matchesType(clause.type, mediaType) && outputOf(clause, mediaType, pretty, offer)
      if (found) return found
    }
  }
  throw notAcceptable(ALL)
}

/** Whether an Accept header takes something of what a route produces, by its full name or as `*` + `/*` (go-restful). */
export const isProduced = (accept: string, produces: readonly string[]): boolean =>
  accept.split(',').some((it) => {
    const type = trimmed(it.split(';')[0]!)
    return type === '*/*' || produces.includes(type)
  })

function outputOf(
  { parameters }: Clause,
  mediaType: MediaType,
  pretty: boolean,
  offer: Offer,
): OutputType | undefined {
  const stream = parameters.get('stream') ?? 'watch'
  if (stream !== 'watch' || (mediaType === 'application/yaml' && parameters.has('stream'))) {
    return undefined
  }
  const version = parameters.get('sv')
  if (version !== undefined && !(offer.serverVersion && version === 'v1')) return undefined
  const as = transformOf(parameters, mediaType, offer)
  if (as === 'refused') return undefined
  return { mediaType, pretty: pretty || parameters.get('pretty') === '1', as }
}

const META: readonly string[] = ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1']

/** The versions in which there is each kind. */
const VERSIONS: Readonly<Record<Transform['kind'], readonly string[]>> = {
  Table: META,
  PartialObjectMetadata: META,
  PartialObjectMetadataList: META,
  APIGroupDiscoveryList: ['apidiscovery.k8s.io/v2'],
}

function transformOf(
  parameters: ReadonlyMap<string, string>,
  mediaType: MediaType,
  { transforms, protobuf }: Offer,
): Transform | undefined | 'refused' {
  if (!parameters.has('as') && !parameters.has('g') && !parameters.has('v')) {
    return mediaType === PROTOBUF && !protobuf ? 'refused' : undefined
  }
  const kind = transforms.find((it) => it === parameters.get('as'))
  const version = parameters.get('v') ?? ''
  const name = `${parameters.get('g')}/${version}`
  if (!kind || !VERSIONS[kind].includes(name)) return 'refused'
  return kind === 'Table' && mediaType === PROTOBUF ? 'refused' : { kind, version }
}

/** The 406 of a route, before anything else is looked at (emicklei/go-restful). */
const notProduced = (produces: readonly string[]): ApiError =>
  new ApiError(
    failure(
      406,
      'NotAcceptable',
      `406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`,
      {},
    ),
  )

const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError(
    failure(
      406,
      'NotAcceptable',
      `only the following media types are accepted: ${accepted.join(', ')}`,
    ),
  )

/** The 406 of a watch that is asked for in what does not stream. */
export const noStream = (): ApiError => notAcceptable(STREAMS)

/** What a body may be written in. */
export type InputType = MediaType

/** The media types that bodies of custom resources may have. */
export const CUSTOM_INPUT: readonly InputType[] = ['application/json', 'application/yaml']

/** The media types that bodies of built-in kinds may have. */
export const BUILTIN_INPUT: readonly InputType[] = [...CUSTOM_INPUT, PROTOBUF]

/** A type, and parameters that each have a name and a value (mime.ParseMediaType). */
const MEDIA_TYPE =
  /^\s*([^\s;]+)\s*(?:;\s*[\w!#$&^.+*'|~-]+\s*=\s*(?:[\w!#$&^.+*'|~-]+|"(?:[^"\\]|\\.)*")\s*)*;?\s*$/

/** The media type of a body, JSON where nothing is said. Throws the 415 that lists what is taken. */
export function negotiateInput(
  contentType: string | undefined,
  taken: readonly InputType[],
): InputType {
  if (!contentType) return 'application/json'
  const type = MEDIA_TYPE.exec(contentType)?.[1]?.toLowerCase()
  const found = taken.find((it) => it === type)
  if (found) return found
  // Kubernetes lists protobuf for custom resources too, and cannot read it there.
  throw unsupportedMediaType(ALL)
}

/** The 415 of a body that no decoder reads. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    failure(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    ),
  )
}

import { ApiError, failure } from 'kubewright/machinery'
import { PROTOBUF } from './protobuf.ts'

/** The media types that answers may have, best first. */
export const MEDIA_TYPES: readonly string[] = ['application/json', 'application/yaml']

/** How an answer is to look. `as` is the kind that a Table or metadata answer turns into. */
export interface OutputType {
  readonly mediaType: 'application/json' | 'application/yaml'
  readonly pretty: boolean
  readonly as: Transform | undefined
}

/** What `as=…;g=…;v=…` may ask for instead of the object itself. */
export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** `v1` or `v1beta1` of meta.k8s.io. */
  readonly version: string
}

interface Clause {
  readonly type: string
  readonly quality: number
  readonly parameters: ReadonlyMap<string, string>
}

/** The clauses of an Accept header, best first; equal ones stay in order. */
export function parseAccept(header: string): readonly Clause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter((it) => it.type !== '')
    .sort((a, b) => b.quality - a.quality)
}

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((it) => it.trim())
  const parameters = new Map(
    rest.map((it) => {
      const at = it.indexOf('=')
      return at < 0 ? [it, ''] : [it.slice(0, at), it.slice(at + 1).replace(/^"(.*)"$/, '$1')]
    }) as [string, string][],
  )
  const quality = Number(parameters.get('q') ?? 1)
  parameters.delete('q')
  return { type: type.toLowerCase(), quality: Number.isNaN(quality) ? 0 : quality, parameters }
}

const matchesType = (clause: string, mediaType: string): boolean =>
  clause === mediaType || clause === '*/*' || clause === 'application/*'

/**
 * Chooses how to answer (apiserver/pkg/endpoints/handlers/negotiation). `transforms` names the kinds that this endpoint can turn
 * its answer into. Throws the 406 that lists what is there.
 */
export function negotiateOutput(
  accept: string | undefined,
  pretty: boolean,
  transforms: readonly Transform['kind'][],
): OutputType {
  if (!accept || accept === 'application/json') {
    return { mediaType: 'application/json', pretty, as: undefined }
  }
  for (const clause of parseAccept(accept)) {
    for (const mediaType of MEDIA_TYPES) {
      const found =
        matchesType(clause.type, mediaType) && outputOf(clause, mediaType, pretty, transforms)
      if (found) return found
    }
  }
  throw notAcceptable()
}

function outputOf(
  { parameters }: Clause,
  mediaType: string,
  pretty: boolean,
  transforms: readonly Transform['kind'][],
): OutputType | undefined {
  const stream = parameters.get('stream') ?? ''
  if ((stream !== '' && stream !== 'watch') || (parameters.get('sv') ?? '') !== '') return undefined
  const as = transformOf(parameters, transforms)
  if (as === 'refused') return undefined
  return {
    mediaType: mediaType as OutputType['mediaType'],
    pretty: pretty || parameters.get('pretty') === '1',
    as,
  }
}

function transformOf(
  parameters: ReadonlyMap<string, string>,
  transforms: readonly Transform['kind'][],
): Transform | undefined | 'refused' {
  if (!parameters.has('as') && !parameters.has('g') && !parameters.has('v')) return undefined
  const kind = transforms.find((it) => it === parameters.get('as'))
  const version = parameters.get('v') ?? ''
  if (!kind || parameters.get('g') !== 'meta.k8s.io' || !/^v1(beta1)?$/.test(version)) {
    return 'refused'
  }
  return { kind, version }
}

/** The 406 that lists what is there. */
export function notAcceptable(): ApiError {
  const all = [...MEDIA_TYPES, 'application/json;stream=watch'].join(', ')
  return new ApiError(
    failure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${all}`, {}),
  )
}

/** What a body may be written in. */
export type InputType = OutputType['mediaType'] | typeof PROTOBUF

/** The media types that bodies of custom resources may have. */
export const CUSTOM_INPUT: readonly InputType[] = ['application/json', 'application/yaml']

/** The media types that bodies of built-in kinds may have. */
export const BUILTIN_INPUT: readonly InputType[] = [...CUSTOM_INPUT, PROTOBUF]

/** The media type of a body, JSON where nothing is said. Throws the 415 that lists what is taken. */
export function negotiateInput(
  contentType: string | undefined,
  taken: readonly InputType[],
): InputType {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === '') return 'application/json'
  const found = taken.find((it) => it === type)
  if (found) return found
  throw unsupportedMediaType(taken)
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

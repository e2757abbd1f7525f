import { parseExact, stringifyExact } from 'kubewright/base'
import {
  ApiError,
  badRequest,
  failure,
  fieldErrorText,
  invalidValue,
  type Status,
  type UnknownObject,
} from 'kubewright/machinery'
import {
  forCustom,
  negotiateOutput,
  type Offer,
  OFFERS,
  type OutputType,
} from '../codec/negotiate.ts'
import { PROTOBUF } from '../codec/protobuf.ts'
import { protobufBytes } from '../codec/protobuf-encode.ts'
import { goJson } from '../codec/json-text.ts'
import { yamlText } from '../codec/yaml-text.ts'
import type { Answer } from '../http/message.ts'
import type { TableConvertor } from '../table/columns.ts'
import { type IncludeObject, partialMetadata, tableOf } from '../table/table.ts'
import type { Exchange } from './exchange.ts'

/** An object that is to be shown, with its text at hand, and perhaps with its protobuf. */
export interface Shown {
  readonly object: UnknownObject
  readonly json: string
  readonly protobuf?: () => Buffer
}

/** How the answer to an exchange is to look. Throws the 406. */
export function outputOf(exchange: Exchange, offer: Offer): OutputType {
  const accept = exchange.request.header('accept')
  const offered = exchange.custom ? forCustom(offer) : offer
  return negotiateOutput(accept, wantsPretty(exchange), offered)
}

function wantsPretty({ request }: Exchange): boolean {
  const asked = request.query.get('pretty')
  if (asked) return /^(1|t|T|TRUE|true|True)$/.test(asked)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.header('user-agent') ?? '')
}

/** Any JSON value as an answer; in protobuf it must be an object that has a message. */
export function jsonAnswer(status: number, output: OutputType, json: string): Answer {
  return { status, headers: { 'content-type': output.mediaType }, body: bodyOf(output, json) }
}

function bodyOf({ mediaType, pretty }: OutputType, json: string): string | Buffer {
  switch (mediaType) {
    case 'application/json':
      return goJson(pretty ? stringifyExact(parseExact(json), 2) : `${json}\n`)
    case 'application/yaml':
      return yamlText(parseExact(json))
    case PROTOBUF:
      return protobufBytes(parseExact(json) as { readonly kind: string })
  }
}

/** An object or a list that is in protobuf already. */
export const protobufAnswer = (status: number, body: Buffer): Answer => ({
  status,
  headers: { 'content-type': PROTOBUF },
  body,
})

/** A Status as an answer, in the media type that the client takes; JSON where it takes none. */
export function statusAnswer(exchange: Exchange, status: Status): Answer {
  const answer = jsonAnswer(status.code ?? 500, anyOutput(exchange), JSON.stringify(status))
  const seconds = status.details?.retryAfterSeconds
  if (!seconds) return answer
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}

/** A client that takes nothing of what there is gets JSON, indented (handlers/responsewriters WriteRawJSON). */
function anyOutput(exchange: Exchange): OutputType {
  try {
    const accept = exchange.request.header('accept')
    return negotiateOutput(accept, wantsPretty(exchange), ANY_STATUS)
  } catch {
    return { mediaType: 'application/json', pretty: true, as: undefined }
  }
}

/** No route stands before an error, whatever it is about. */
const ANY_STATUS: Offer = { ...OFFERS.document, produces: undefined }

/** One object, as it is, as a Table of one row, or as its metadata. */
export function objectAnswer(
  exchange: Exchange,
  status: number,
  output: OutputType,
  shown: Shown,
  table: TableConvertor,
  now: number,
): Answer {
  if (output.mediaType === PROTOBUF && !output.as && shown.protobuf) {
    return protobufAnswer(status, shown.protobuf())
  }
  return jsonAnswer(status, output, objectText(exchange, output, shown, table, now))
}

function objectText(
  exchange: Exchange,
  output: OutputType,
  shown: Shown,
  table: TableConvertor,
  now: number,
): string {
  if (!output.as || shown.object['kind'] === 'Status') return shown.json
  if (output.as.kind === 'PartialObjectMetadataList') throw notAList(exchange, shown.object.kind)
  if (output.as.kind === 'PartialObjectMetadata') {
    return JSON.stringify(partialMetadata(shown.object, `meta.k8s.io/${output.as.version}`))
  }
  const { resourceVersion } = shown.object.metadata
  const includeObject = includeObjectOf(exchange)
  const options = {
    version: output.as.version,
    metadata: resourceVersion ? { resourceVersion } : {},
    includeObject,
    now,
  }
  return stringifyExact(tableOf([shown.object], table, options))
}

const unfit = (message: string): ApiError => new ApiError(failure(406, 'NotAcceptable', message))

/** The 406 of an object of which the metadata of its items are asked for (handlers/response.go asPartialObjectMetadataList). */
function notAList({ custom, info }: Exchange, kind = ''): ApiError {
  const isScale = kind === 'Scale'
  if (custom && !isScale) return new ApiError(failure(500, undefined, 'content is not a list'))
  const home = isScale ? (custom ? 'v1' : 'autoscaling') : goPackage(info)
  const asked = 'you requested PartialObjectMetadataList'
  return unfit(`${asked}, but the requested object is not a list (*${home}.${kind})`)
}

/** The 406 of a list of which the metadata of one object is asked for. */
export function notAnObject({ custom, info }: Exchange, listKind: string): ApiError {
  const type = custom ? 'unstructured.UnstructuredList' : `${goPackage(info)}.${listKind}`
  return unfit(`you requested PartialObjectMetadata, but the requested object is a list (*${type})`)
}

/** Both faces of an event are core's inside. */
const goPackage = ({ group }: Exchange['info']): string =>
  group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0]!

/** The `includeObject` of a query. Throws the 400 of the real server. */
export function includeObjectOf({ request }: Exchange): IncludeObject {
  const asked = request.query.get('includeObject') || 'Metadata'
  if (asked === 'Metadata' || asked === 'Object' || asked === 'None') return asked
  const error = invalidValue(
    'includeObject',
    asked,
    "must be 'Metadata', 'Object', 'None', or empty",
  )
  throw badRequest(`Unable to convert to Table as requested: ${fieldErrorText(error)}`)
}

/** `404 page not found`, as Go's mux says it. */
export const pageNotFound: Answer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
}

/** A plain text answer. */
export const textAnswer = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body,
})

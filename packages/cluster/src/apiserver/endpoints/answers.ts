import {
  badRequest,
  fieldErrorText,
  invalidValue,
  type Status,
  type UnknownObject,
} from 'kubewright/machinery'
import { type OutputType, type Transform, negotiateOutput } from '../codec/negotiate.ts'
import { yamlText } from '../codec/yaml-text.ts'
import type { Answer } from '../http/message.ts'
import type { TableConvertor } from '../table/columns.ts'
import { type IncludeObject, partialMetadata, tableOf } from '../table/table.ts'
import type { Exchange } from './exchange.ts'
import { isTrue } from './request-info.ts'

/** The parts of an object or a list that the transforms need, with the whole text at hand. */
export interface Shown {
  readonly object: UnknownObject
  readonly json: string
}

/** What an endpoint can turn its answer into. */
export const TRANSFORMS: Readonly<
  Record<'object' | 'list' | 'watch' | 'none', readonly Transform['kind'][]>
> = {
  object: ['Table', 'PartialObjectMetadata'],
  list: ['Table', 'PartialObjectMetadataList'],
  watch: ['Table', 'PartialObjectMetadata'],
  none: [],
}

/** How the answer to an exchange is to look. Throws the 406. */
export function outputOf(exchange: Exchange, transforms: readonly Transform['kind'][]): OutputType {
  const { request } = exchange
  return negotiateOutput(request.header('accept'), wantsPretty(exchange), transforms)
}

function wantsPretty({ request }: Exchange): boolean {
  const asked = request.query.get('pretty')
  if (asked) return isTrue(asked)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.header('user-agent') ?? '')
}

/** Any JSON value as an answer. */
export function jsonAnswer(status: number, output: OutputType, json: string): Answer {
  return {
    status,
    headers: { 'content-type': output.mediaType },
    body:
      output.mediaType === 'application/yaml'
        ? yamlText(JSON.parse(json))
        : output.pretty
          ? JSON.stringify(JSON.parse(json), undefined, 2)
          : `${json}\n`,
  }
}

/** A Status as an answer, in the media type that the client takes; JSON where it takes none. */
export function statusAnswer(exchange: Exchange, status: Status): Answer {
  const answer = jsonAnswer(status.code ?? 500, anyOutput(exchange), JSON.stringify(status))
  const seconds = status.details?.retryAfterSeconds
  if (!seconds) return answer
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}

function anyOutput(exchange: Exchange): OutputType {
  try {
    return outputOf(exchange, [])
  } catch {
    return { mediaType: 'application/json', pretty: wantsPretty(exchange), as: undefined }
  }
}

/** One object, as it is, as a Table of one row, or as its metadata. */
export function objectAnswer(
  exchange: Exchange,
  status: number,
  output: OutputType,
  shown: Shown,
  table: TableConvertor,
  now: number,
): Answer {
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
  return JSON.stringify(tableOf([shown.object], table, options))
}

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

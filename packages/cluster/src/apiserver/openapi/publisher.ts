import { contentHash, matchesEtag } from '../discovery/etag.ts'
import { openApiV2 } from './document-v2.ts'
import { documentProtobuf, PROTOBUF_V2 } from './protobuf-v2.ts'
import { documentPaths, openApiV3, type OpenApiDocument, type OpenApiSource } from './document.ts'

/** An answer of the OpenAPI endpoints, ready to be sent. */
export interface OpenApiAnswer {
  readonly status: 200 | 301 | 304 | 404 | 406
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** What of a request matters here. `now` is milliseconds since the epoch. */
export interface OpenApiRequest {
  /** The path after `/openapi/v3/`. */
  readonly path: string
  /** The query's `hash`, by which a document may be kept for ever. */
  readonly hash: string | null
  readonly accept: string | null
  readonly ifNoneMatch: string | null
  readonly now: number
}

interface Published {
  readonly text: string
  readonly hash: string
}

const JSON_TYPE = 'application/json'

/**
 * Publishes the OpenAPI documents of what is served (kube-openapi/pkg/handler3 and handler). A document is built when first asked for and kept
 * until {@link OpenApiPublisher.update} gives another source; those of built-in kinds are kept for good. Version 3 is not
 * offered in protobuf: clients that would like it so take JSON too.
 */
export class OpenApiPublisher {
  #source: OpenApiSource
  readonly #builtin = new Map<string, Published>()
  readonly #custom = new Map<string, Published>()
  #v2: Published | undefined
  #v2Protobuf: Uint8Array | undefined

  constructor(source: OpenApiSource) {
    this.#source = source
  }

  /** Publishes another set of custom resources. */
  update(source: OpenApiSource): void {
    this.#source = source
    this.#custom.clear()
    this.#v2 = undefined
    this.#v2Protobuf = undefined
  }

  /** `/openapi/v3`: where each document lies, with the hash of its content. */
  index(): OpenApiAnswer {
    const paths = documentPaths(this.#source).map((path) => {
      const serverRelativeURL = urlOf(path, this.#publish(path)!.hash)
      return [path, { serverRelativeURL }]
    })
    // Go's file server says what it sees in the text: a real server's answer has no JSON type either.
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    return { status: 200, headers, body: JSON.stringify({ paths: Object.fromEntries(paths) }) }
  }

  /** `/openapi/v3/<path>`: a document; at an old hash, the way to the new one. */
  document({ path, hash, accept, ifNoneMatch, now }: OpenApiRequest): OpenApiAnswer {
    if (!takesJson(accept)) return { status: 406, headers: { vary: 'Accept' }, body: '' }
    const found = this.#publish(path)
    if (!found) return { status: 404, headers: {}, body: '' }
    const etag = `"${found.hash}"`
    const type = { 'content-type': JSON_TYPE }
    if (hash && hash !== found.hash) {
      const location = urlOf(path, found.hash)
      return { status: 301, headers: { ...type, etag, vary: 'Accept', location }, body: '' }
    }
    const headers = { etag, vary: 'Accept', ...(hash ? forever(now) : {}) }
    return matchesEtag(ifNoneMatch, etag)
      ? { status: 304, headers, body: '' }
      : { status: 200, headers: { ...type, ...headers }, body: found.text }
  }

  /** `/openapi/v2`: everything in one document, built anew when custom resources change; in protobuf where only that is taken. */
  documentV2({
    accept,
    ifNoneMatch,
  }: Pick<OpenApiRequest, 'accept' | 'ifNoneMatch'>): OpenApiAnswer {
    const vary = { vary: 'Accept' }
    const protobuf = !takesJson(accept) && takesProtobuf(accept)
    if (!protobuf && !takesJson(accept)) return { status: 406, headers: vary, body: '' }
    this.#v2 ??= published(openApiV2(this.#source))
    const headers = { ...vary, etag: `"${this.#v2.hash}"` }
    if (matchesEtag(ifNoneMatch, headers.etag)) return { status: 304, headers, body: '' }
    return protobuf
      ? {
          status: 200,
          headers: { ...headers, 'content-type': PROTOBUF_V2 },
          body: this.#protobuf(),
        }
      : { status: 200, headers: { ...headers, 'content-type': JSON_TYPE }, body: this.#v2.text }
  }

  #protobuf(): Uint8Array {
    return (this.#v2Protobuf ??= documentProtobuf(openApiV2(this.#source)))
  }

  #publish(path: string): Published | undefined {
    const known = this.#builtin.get(path) ?? this.#custom.get(path)
    if (known) return known
    const document = openApiV3(this.#source, path)
    if (!document) return undefined
    const made = published(document)
    const isCustom = this.#source.infos.some(
      (it) => it.custom && path.startsWith(`apis/${it.group}/`),
    )
    ;(isCustom ? this.#custom : this.#builtin).set(path, made)
    return made
  }
}

function published(document: OpenApiDocument): Published {
  const text = JSON.stringify(document)
  return { text, hash: contentHash(text) }
}

const urlOf = (path: string, hash: string): string => `/openapi/v3/${path}?hash=${hash}`

const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** The document under its hash never changes. */
const forever = (now: number): Readonly<Record<string, string>> => ({
  'cache-control': 'public, immutable',
  expires: new Date(now + YEAR_MS).toUTCString().replace('GMT', 'UTC'),
})

const mediaTypes = (accept: string): readonly string[] =>
  accept.split(',').map((it) => it.split(';')[0]!.trim().toLowerCase())

/** Whether an Accept header lets the answer be JSON. */
const takesJson = (accept: string | null): boolean =>
  !accept ||
  mediaTypes(accept).some((it) => it === JSON_TYPE || it === '*/*' || it === 'application/*')

/** Whether it lets the answer be the protobuf form of version 2, under its name or its older one. */
const takesProtobuf = (accept: string | null): boolean =>
  mediaTypes(accept ?? '').some(
    (it) => it === PROTOBUF_V2 || it === PROTOBUF_V2.replace('.v1.0', '@v1.0'),
  )

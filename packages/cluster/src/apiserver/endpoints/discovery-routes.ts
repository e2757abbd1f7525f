import { AGGREGATED, apiGroupDiscoveryList } from '../discovery/aggregated.ts'
import { etagOf, matchesEtag } from '../discovery/etag.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from '../discovery/legacy.ts'
import type { RegisteredVersion } from '../discovery/registered.ts'
import { type Offer, OFFERS, type OutputType, unrouted } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { jsonAnswer, outputOf, pageNotFound } from './answers.ts'
import type { Exchange } from './exchange.ts'
import { noSuchResource, notAllowed } from './router.ts'

/** What discovery is asked about. */
export interface DiscoverySource {
  readonly infos: readonly ResourceInfo[]
  /** What APIServices say; empty while nobody has asked for them. */
  readonly registered: readonly RegisteredVersion[]
  readonly isBuiltinGroup: (group: string) => boolean
  readonly serverAddress: string
}

/** `/api`, `/apis` and what lies under them, down to the versions; undefined for any other path. */
export function discovery(exchange: Exchange, source: DiscoverySource): Answer | undefined {
  const [root, group = '', version = '', ...rest] = exchange.info.path.split('/').slice(1)
  if ((root !== 'api' && root !== 'apis') || rest.some((it) => it !== '')) return undefined
  if (root === 'api') {
    if (version !== '') return undefined
    return group === ''
      ? rootDocument(exchange, source, '/api')
      : versionDocument(exchange, source, '', group)
  }
  if (group === '') return version === '' ? rootDocument(exchange, source, '/apis') : undefined
  if (version !== '') return versionDocument(exchange, source, group, version)
  const document = apiGroup(source.infos, group, source.registered)
  return document ? documentAnswer(exchange, document, UNROUTED) : pageNotFound
}

function rootDocument(exchange: Exchange, source: DiscoverySource, path: '/api' | '/apis'): Answer {
  if (path === '/api') refuseMethod(exchange)
  const output = outputOf(exchange, path === '/api' ? OFFERS.root : unrouted(OFFERS.root))
  if (output.as) return aggregated(exchange, source, path, output)
  const document =
    path === '/api'
      ? apiVersions(source.infos, source.serverAddress)
      : apiGroupList(source.infos, source.registered)
  return jsonAnswer(200, output, JSON.stringify(document))
}

function versionDocument(
  exchange: Exchange,
  { infos, isBuiltinGroup }: DiscoverySource,
  group: string,
  version: string,
): Answer {
  const document = apiResourceList(infos, group, version)
  if (document && !isBuiltinGroup(group)) return documentAnswer(exchange, document, UNROUTED)
  if (document) {
    refuseMethod(exchange)
    return documentAnswer(exchange, document, OFFERS.document)
  }
  if (isBuiltinGroup(group)) throw noSuchResource()
  return pageNotFound
}

/** Documents that have a route can only be read; the others do not look at the method. */
function refuseMethod({ request }: Exchange): void {
  if (request.method !== 'GET') throw notAllowed()
}

const UNROUTED: Offer = unrouted(OFFERS.document)

const documentAnswer = (exchange: Exchange, document: object, offer: Offer): Answer =>
  jsonAnswer(200, outputOf(exchange, offer), JSON.stringify(document))

function aggregated(
  exchange: Exchange,
  { infos, registered }: DiscoverySource,
  path: '/api' | '/apis',
  output: OutputType,
): Answer {
  const body = JSON.stringify(apiGroupDiscoveryList(infos, path, registered))
  // In whatever it is written, it is the same document.
  const etag = etagOf(body)
  const type = output.mediaType + AGGREGATED
  const headers = { 'content-type': type, etag, vary: 'Accept', 'cache-control': 'public' }
  if (matchesEtag(exchange.request.header('if-none-match'), etag)) return { status: 304, headers }
  const answer = jsonAnswer(200, output, body)
  return { ...answer, headers }
}

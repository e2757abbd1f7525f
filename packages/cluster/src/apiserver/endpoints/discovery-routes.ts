import { AGGREGATED, apiGroupDiscoveryList } from '../discovery/aggregated.ts'
import { etagOf, matchesEtag } from '../discovery/etag.ts'
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from '../discovery/legacy.ts'
import { parseAccept } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import { jsonAnswer, outputOf, pageNotFound } from './answers.ts'
import type { Exchange } from './exchange.ts'
import { noSuchResource } from './router.ts'

/** What discovery is asked about. */
export interface DiscoverySource {
  readonly infos: readonly ResourceInfo[]
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
  if (group === '') return rootDocument(exchange, source, '/apis')
  if (version !== '') return versionDocument(exchange, source, group, version)
  const document = apiGroup(source.infos, group)
  return document ? documentAnswer(exchange, document) : pageNotFound
}

function rootDocument(exchange: Exchange, source: DiscoverySource, path: '/api' | '/apis'): Answer {
  if (wantsAggregated(exchange)) return aggregated(exchange, source, path)
  return documentAnswer(
    exchange,
    path === '/api' ? apiVersions(source.infos, source.serverAddress) : apiGroupList(source.infos),
  )
}

function versionDocument(
  exchange: Exchange,
  { infos, isBuiltinGroup }: DiscoverySource,
  group: string,
  version: string,
): Answer {
  const document = apiResourceList(infos, group, version)
  if (document) return documentAnswer(exchange, document)
  if (group !== '' && isBuiltinGroup(group)) throw noSuchResource()
  return pageNotFound
}

const documentAnswer = (exchange: Exchange, document: object): Answer =>
  jsonAnswer(200, outputOf(exchange, []), JSON.stringify(document))

/** Whether the first thing that the client takes, and that there is, is aggregated discovery. */
function wantsAggregated({ request }: Exchange): boolean {
  for (const { type, parameters } of parseAccept(request.header('accept') ?? '')) {
    if (type !== 'application/json') continue
    if (!parameters.has('as')) return false
    const { as, g, v } = Object.fromEntries(parameters)
    if (as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2') return true
  }
  return false
}

function aggregated(
  exchange: Exchange,
  { infos }: DiscoverySource,
  path: '/api' | '/apis',
): Answer {
  const body = JSON.stringify(apiGroupDiscoveryList(infos, path))
  const etag = etagOf(body)
  const headers = { 'content-type': AGGREGATED, etag, vary: 'Accept', 'cache-control': 'public' }
  return matchesEtag(exchange.request.header('if-none-match'), etag)
    ? { status: 304, headers }
    : { status: 200, headers, body }
}

import type { Answer } from '../http/message.ts'
import { jsonAnswer, outputOf, pageNotFound } from './answers.ts'
import { discovery, type DiscoverySource } from './discovery-routes.ts'
import type { Exchange, Handler } from './exchange.ts'
import { type Health, health } from './health.ts'
import type { OpenApiPublisher } from '../openapi/publisher.ts'
import { openApi } from './openapi-routes.ts'
import { versionInfo } from './version.ts'

/** What the paths that are no resources show. */
export interface ElsewhereSource {
  readonly discovery: () => DiscoverySource
  readonly openApi: OpenApiPublisher
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly health: Health
  readonly metrics: () => string
  readonly publicKeys: () => Promise<object>
  readonly issuer: string
}

type Route = (
  exchange: Exchange,
  source: ElsewhereSource,
) => Answer | undefined | Promise<Answer | undefined>

/** The first that answers, answers. */
const ROUTES: readonly Route[] = [
  (exchange, source) => health(exchange, source.health),
  (exchange, source) => discovery(exchange, source.discovery()),
  (exchange, source) => openApi(exchange, source.openApi, source.now()),
  version,
  metrics,
  openId,
  index,
]

/** Answers whatever is no resource. */
export const elsewhere =
  (source: ElsewhereSource): Handler =>
  async (exchange) => {
    for (const route of ROUTES) {
      const answer = await route(exchange, source)
      if (answer) return answer
    }
    return pageNotFound
  }

function version(exchange: Exchange): Answer | undefined {
  if (exchange.info.path.replace(/\/$/, '') !== '/version') return undefined
  const json = JSON.stringify(versionInfo)
  return jsonAnswer(200, { mediaType: 'application/json', pretty: true, as: undefined }, json)
}

function metrics({ info }: Exchange, source: ElsewhereSource): Answer | undefined {
  if (info.path !== '/metrics') return undefined
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: source.metrics() }
}

async function openId({ info }: Exchange, source: ElsewhereSource): Promise<Answer | undefined> {
  if (info.path === '/openid/v1/jwks') {
    const headers = { 'content-type': 'application/jwk-set+json' }
    return { status: 200, headers, body: JSON.stringify(await source.publicKeys()) }
  }
  if (info.path !== '/.well-known/openid-configuration') return undefined
  const body = {
    issuer: source.issuer,
    jwks_uri: `${source.issuer}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** `/`: every path that there is. */
function index(exchange: Exchange, source: ElsewhereSource): Answer | undefined {
  if (exchange.info.path !== '/') return undefined
  const { infos } = source.discovery()
  const groups = infos.map((it) => (it.group === '' ? '/api' : `/apis/${it.group}`))
  const versions = infos.map((it) =>
    it.group === '' ? `/api/${it.version}` : `/apis/${it.group}/${it.version}`,
  )
  const checks = (['healthz', 'livez', 'readyz'] as const).flatMap((root) => [
    `/${root}`,
    ...source.health[root].map((it) => `/${root}/${it.name}`),
  ])
  const paths = [
    ...new Set(['/.well-known/openid-configuration', '/apis', ...groups, ...versions, ...checks]),
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openid/v1/jwks',
    '/version',
  ].sort()
  return jsonAnswer(200, outputOf(exchange, []), JSON.stringify({ paths }))
}

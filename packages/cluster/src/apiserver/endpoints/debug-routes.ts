import { ApiError, failure, timeText } from 'kubewright/machinery'
import { yamlText } from '../codec/yaml-text.ts'
import type { Answer } from '../http/message.ts'
import type { Exchange } from './exchange.ts'
import { KUBERNETES } from './version.ts'

/** What `/statusz` and `/flagz` tell (component-base/zpages). Times in milliseconds. */
export interface ZpagesSource {
  readonly started: number
  readonly now: () => number
  /** Flags with their values, as they are shown. */
  readonly flags: ReadonlyMap<string, string>
}

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'
const GROUP = 'config.k8s.io'
const VERSIONS = ['v1beta1', 'v1alpha1']

/** Answers `/statusz` and `/flagz`; undefined for any other path. Throws the 406. */
export function zpages(exchange: Exchange, source: ZpagesSource): Answer | undefined {
  switch (exchange.info.path) {
    case '/statusz':
      return shown(exchange, 'Statusz', statusOf(source), statusText(source))
    case '/flagz':
      return shown(exchange, 'Flagz', { flags: Object.fromEntries(source.flags) }, flagText(source))
    default:
      return undefined
  }
}

const version = `${KUBERNETES.major}.${KUBERNETES.minor}`
const PATHS = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version']

const statusOf = ({ started, now }: ZpagesSource): object => ({
  startTime: timeText(started),
  uptimeSeconds: Math.floor((now() - started) / 1000),
  goVersion: 'none',
  binaryVersion: `${version}.${KUBERNETES.patch}`,
  emulationVersion: version,
  paths: PATHS,
})

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** A time as `date` prints it. */
function dateText(ms: number): string {
  const date = new Date(ms)
  const [, day, month, year, time] = date.toUTCString().split(' ')
  return `${DAYS[date.getUTCDay()]} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`
}

function statusText({ started, now }: ZpagesSource): string {
  const up = Math.floor((now() - started) / 1000)
  return [
    '',
    'apiserver statusz',
    WARNING,
    '',
    `Started  ${dateText(started)}`,
    `Up  ${Math.floor(up / 3600)} hr ${String(Math.floor(up / 60) % 60).padStart(2, '0')} min ${String(up % 60).padStart(2, '0')} sec`,
    'Go version  none',
    `Binary version  ${version}.${KUBERNETES.patch}`,
    `Emulation version  ${version}`,
    `Paths  ${PATHS.join(' ')}`,
    '',
  ].join('\n')
}

const flagText = ({ flags }: ZpagesSource): string =>
  ['', 'apiserver flagz', WARNING, ...[...flags].map(([name, it]) => `${name} ${it}`), ''].join(
    '\n',
  )

const ACCEPTED = ['application/json', 'application/yaml', 'text/plain'] as const

/** As text for people; as an object for who names its group, version and kind. */
function shown({ request }: Exchange, kind: string, body: object, text: string): Answer {
  for (const range of (request.header('accept') ?? '*/*').split(',')) {
    const [type = '', ...more] = range.split(';').map((it) => it.trim())
    const parameters = new Map(more.map((it) => it.split('=', 2) as [string, string]))
    if (type === '*/*' || type === 'text/*' || type === 'text/plain') return plain(text)
    const given = parameters.get('v') ?? ''
    const fits =
      parameters.get('as') === kind && parameters.get('g') === GROUP && VERSIONS.includes(given)
    if (!fits) continue
    const object = {
      kind,
      apiVersion: `${GROUP}/${given}`,
      metadata: { name: 'apiserver' },
      ...body,
    }
    const full = `${type};g=${GROUP};v=${given};as=${kind}`
    if (type === 'application/json') return typed(full, `${JSON.stringify(object, null, 2)}`)
    if (type === 'application/yaml') return typed(full, yamlText(object as never))
  }
  throw new ApiError(
    failure(
      406,
      'NotAcceptable',
      `only the following media types are accepted: ${ACCEPTED.join(', ')}`,
      undefined as never,
    ),
  )
}

const typed = (type: string, body: string): Answer => ({
  status: 200,
  headers: { 'content-type': type },
  body,
})

const plain = (body: string): Answer => typed('text/plain; charset=utf-8', body)

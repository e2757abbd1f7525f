import type { Clock } from 'kubewright/base'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { Answer, Chunk } from '../http/message.ts'
import type { RequestFamilies } from '../metrics/request-families.ts'
import { isLongRunning } from './long-running.ts'

/** What a resource, group or version may be called; whatever else a path says counts as `other`. */
const PLAIN = /^[a-zA-Z0-9./-]{0,128}$/

/** The paths beside resources that are counted, and as which subresource. */
const PATHS: Readonly<Record<string, string>> = {
  '/healthz': '/healthz',
  '/livez': '/livez',
  '/readyz': '/readyz',
}

/** Counts requests and how long they take (apiserver/pkg/endpoints/metrics). A stream counts when it ends. */
export const requestMetrics =
  (families: RequestFamilies, clock: Clock): Filter =>
  (next) =>
  async (exchange) => {
    const labels = labelsOf(exchange)
    const kind = READS.has(exchange.info.verb) ? READING : CHANGING
    const start = clock.now()
    const isLong = isLongRunning(exchange.info)
    const own = withoutDryRun(labels)
    if (isLong) families.longRunning.add(own)
    else families.inFlight.add(kind)
    const ended = (code: number): void => {
      if (isLong) families.longRunning.add(own, -1)
      else families.inFlight.add(kind, -1)
      if (labels === UNCOUNTED) return
      const seconds = (clock.now() - start) / 1000
      families.total.add([String(code), ...labels])
      families.duration.observe(seconds, labels)
      if (!isLong) families.sli.observe(seconds, own)
    }
    let answer: Answer
    try {
      answer = await next(exchange)
    } catch (error) {
      ended(500)
      throw error
    }
    return noted(answer, exchange, families, ended)
  }

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head'])
const READING = ['readOnly']
const CHANGING = ['mutating']

function noted(
  answer: Answer,
  { info }: Exchange,
  families: RequestFamilies,
  ended: (code: number) => void,
): Answer {
  const { body, status } = answer
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    const labels = [info.group, info.resource, info.version]
    const sent = info.verb === 'watch' ? () => families.watchEvents.add(labels) : () => {}
    return { ...answer, body: counted(body, sent, () => ended(status)) }
  }
  ended(status)
  return answer
}

/** A stream whose chunks and end are noticed, without a step more on their way. */
function counted(
  body: AsyncIterable<Chunk>,
  sent: () => void,
  ended: () => void,
): AsyncIterable<Chunk> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]()
      let open = true
      const end = (): void => {
        if (open) ended()
        open = false
      }
      return {
        next: () => {
          const chunk = chunks.next()
          chunk.then(({ done }) => (done ? end() : sent()), end)
          return chunk
        },
        return: async (value) => {
          end()
          return (await chunks.return?.(value)) ?? { done: true, value: undefined }
        },
      }
    },
  }
}

const VERBS: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  patch: 'PATCH',
  delete: 'DELETE',
}

const UNCOUNTED: readonly string[] = ['', '', '', '', '', '', '', '']

const withoutDryRun = (labels: readonly string[]): readonly string[] => [
  labels[0]!,
  ...labels.slice(2),
]

/** component, dry_run, group, resource, scope, subresource, verb, version. */
function labelsOf({ info, request }: Exchange): readonly string[] {
  const { group, resource, subresource, version, namespace, name, verb } = info
  if (!info.isResource) {
    const path = PATHS[info.path.replace(/^(\/[^/]*)\/.*$/, '$1')]
    return path === undefined ? UNCOUNTED : ['', '', '', '', '', path, verb.toUpperCase(), '']
  }
  const dryRun = request.query.get('dryRun') === 'All' ? 'All' : ''
  const isApply =
    verb === 'patch' && (request.header('content-type') ?? '').startsWith('application/apply-patch')
  const shownVerb = isApply ? 'APPLY' : (VERBS[verb] ?? verb.toUpperCase())
  const scope =
    name !== '' || verb === 'create' ? 'resource' : namespace === '' ? 'cluster' : 'namespace'
  const isPlain =
    PLAIN.test(group) && PLAIN.test(resource) && PLAIN.test(subresource) && PLAIN.test(version)
  return isPlain
    ? ['apiserver', dryRun, group, resource, scope, subresource, shownVerb, version]
    : ['apiserver', '', '', 'other', '', '', shownVerb, '']
}

import type { Answer } from '../http/message.ts'
import { pageNotFound, textAnswer } from './answers.ts'
import type { Exchange } from './exchange.ts'

/** One thing that must be well for the server to be: undefined, or what is wrong. */
export interface Check {
  readonly name: string
  readonly run: () => string | undefined
}

/** The checks of each health path. `shutdown` fails readiness while the server closes. */
export interface Health {
  readonly healthz: readonly Check[]
  readonly livez: readonly Check[]
  readonly readyz: readonly Check[]
}

const ROOTS = ['healthz', 'livez', 'readyz'] as const
type Root = (typeof ROOTS)[number]

const isRoot = (text: string): text is Root => (ROOTS as readonly string[]).includes(text)

/** `/healthz`, `/livez` and `/readyz`, whole or one check, terse or verbose; undefined for any other path. */
export function health({ info, request }: Exchange, checks: Health): Answer | undefined {
  const [, root = '', ...rest] = info.path.split('/')
  if (!isRoot(root)) return undefined
  const name = rest.join('/')
  if (name === '') {
    const excluded = new Set(request.query.getAll('exclude').flatMap((it) => it.split(',')))
    return allChecks(root, checks[root], excluded, request.query.has('verbose'))
  }
  const one = checks[root].find((it) => it.name === name)
  if (!one) return pageNotFound
  const problem = one.run()
  return problem === undefined
    ? { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' }
    : textAnswer(500, `internal server error: ${problem}\n`)
}

/** All checks, a line each (apiserver/pkg/server/healthz handleRootHealth); what goes wrong is told to the log alone. */
function allChecks(
  root: Root,
  all: readonly Check[],
  excluded: ReadonlySet<string>,
  verbose: boolean,
): Answer {
  const unknown = new Set(excluded)
  let failed = false
  const lines = all.map(({ name, run }) => {
    if (unknown.delete(name) || excluded.has(name)) return `[+]${name} excluded: ok\n`
    if (run() === undefined) return `[+]${name} ok\n`
    failed = true
    return `[-]${name} failed: reason withheld\n`
  })
  if (unknown.size > 0) {
    const names = [...unknown]
      .sort()
      .map((it) => JSON.stringify(it))
      .join(',')
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`)
  }
  const text = lines.join('')
  if (failed) return textAnswer(500, `${text}${root} check failed\n`)
  return textAnswer(200, verbose ? `${text}${root} check passed\n` : 'ok')
}

/** How each check went that was asked for, and how often. */
export class HealthRecord {
  readonly #checks = new Map<string, { last: boolean; success: number; error: number }>()

  /** The same checks, each of which notes how it went. */
  recorded(checks: Health): Health {
    const noting = (root: Root): readonly Check[] =>
      checks[root].map(({ name, run }) => ({
        name,
        run: () => {
          const problem = run()
          this.#note(`name="${name}"`, root, problem === undefined)
          return problem
        },
      }))
    return { healthz: noting('healthz'), livez: noting('livez'), readyz: noting('readyz') }
  }

  #note(name: string, root: Root, went: boolean): void {
    const key = `${name},type="${root}"`
    const known = this.#checks.get(key) ?? { last: went, success: 0, error: 0 }
    known.last = went
    known[went ? 'success' : 'error'] += 1
    this.#checks.set(key, known)
  }

  /** `/metrics/slis` (component-base/metrics/prometheus/slis); `started` is when the process did, in milliseconds since the epoch. */
  text(started: number): string {
    const all = [...this.#checks].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const gauges = all.map(([key, it]) => `kubernetes_healthcheck{${key}} ${it.last ? 1 : 0}`)
    const counts = all.flatMap(([key, it]) => {
      const [name, type] = key.split(',')
      return (['error', 'success'] as const).flatMap((status) =>
        it[status] === 0
          ? []
          : [`kubernetes_healthchecks_total{${name},status="${status}",${type}} ${it[status]}`],
      )
    })
    return [
      ...family('kubernetes_healthcheck', 'gauge', RESULT, gauges),
      ...family('kubernetes_healthchecks_total', 'counter', RESULTS, counts),
      ...family('process_start_time_seconds', 'gauge', START, [
        `process_start_time_seconds ${started / 1000}`,
      ]),
      '',
    ].join('\n')
  }
}

const RESULT = '[STABLE] This metric records the result of a single healthcheck.'
const RESULTS = '[STABLE] This metric records the results of all healthcheck.'
const START = '[ALPHA] Start time of the process since unix epoch in seconds.'

/** A family without samples is not told of. */
const family = (
  name: string,
  type: string,
  help: string,
  lines: readonly string[],
): readonly string[] =>
  lines.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]

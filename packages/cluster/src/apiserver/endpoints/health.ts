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

/** `/metrics/slis`: how each check goes (component-base/metrics/prometheus/slis). */
export function healthMetrics(checks: Health): string {
  const lines = ROOTS.flatMap((type) =>
    checks[type].map(({ name, run }) => {
      const value = run() === undefined ? 1 : 0
      return `kubernetes_healthcheck{name="${name}",type="${type}"} ${value}`
    }),
  )
  return [
    '# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.',
    '# TYPE kubernetes_healthcheck gauge',
    ...lines.sort(),
    '',
  ].join('\n')
}

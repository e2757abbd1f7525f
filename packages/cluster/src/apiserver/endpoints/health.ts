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

/** `/healthz`, `/livez` and `/readyz`, whole or one check, terse or verbose; undefined for any other path. */
export function health({ info, request }: Exchange, checks: Health): Answer | undefined {
  const [, root = '', ...rest] = info.path.split('/')
  if (root !== 'healthz' && root !== 'livez' && root !== 'readyz') return undefined
  const name = rest.join('/')
  const excluded = new Set(request.query.getAll('exclude'))
  const all = checks[root].filter((it) => !excluded.has(it.name))
  if (name === '') return allChecks(root, all, excluded, request.query.has('verbose'))
  const one = checks[root].find((it) => it.name === name)
  if (!one) return pageNotFound
  const problem = one.run()
  return problem === undefined
    ? textAnswer(200, 'ok')
    : textAnswer(500, `internal server error: ${problem}\n`)
}

function allChecks(
  root: string,
  checks: readonly Check[],
  excluded: ReadonlySet<string>,
  verbose: boolean,
): Answer {
  const results = checks.map((it) => ({ name: it.name, problem: it.run() }))
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`,
  )
  const skipped = [...excluded].map((it) => `[+]${it} excluded: ok\n`)
  const text = [...lines, ...skipped].join('')
  if (results.some((it) => it.problem !== undefined)) {
    return textAnswer(500, `${text}${root} check failed\n`)
  }
  return textAnswer(200, verbose ? `${text}${root} check passed\n` : 'ok')
}

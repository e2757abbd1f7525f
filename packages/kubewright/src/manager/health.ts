/** Throws, or rejects, when something is wrong; its message is shown to who asks verbosely. */
export type HealthCheck = () => void | Promise<void>

/** Checks by name. */
export type HealthChecks = Readonly<Record<string, HealthCheck>>

/**
 * Serves `/healthz`, `/readyz`, `/<endpoint>/<check>`, with `?verbose` and `?exclude=<check>` (controller-runtime healthz): 200
 * `ok`, or 500 and what failed.
 */
export function healthHandler(
  endpoints: Readonly<Record<'healthz' | 'readyz', HealthChecks>>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url)
    const [, endpoint = '', name] = url.pathname.split('/')
    const checks = endpoint === 'healthz' || endpoint === 'readyz' ? endpoints[endpoint] : undefined
    if (!checks) return new Response('404 page not found\n', { status: 404 })
    if (name) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      return check
        ? answer(endpoint, await runAll({ [name]: check }, []), false)
        : new Response('404 page not found\n', { status: 404 })
    }
    const excluded = url.searchParams.getAll('exclude')
    return answer(endpoint, await runAll(checks, excluded), url.searchParams.has('verbose'))
  }
}

interface CheckResult {
  readonly name: string
  readonly line: string
  readonly ok: boolean
}

function runAll(
  checks: HealthChecks,
  excluded: readonly string[],
): Promise<readonly CheckResult[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      if (excluded.includes(name)) return { name, line: `[+]${name} excluded: ok`, ok: true }
      try {
        await check()
        return { name, line: `[+]${name} ok`, ok: true }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        return { name, line: `[-]${name} failed: ${why}`, ok: false }
      }
    }),
  )
}

function answer(endpoint: string, results: readonly CheckResult[], verbose: boolean): Response {
  const ok = results.every((it) => it.ok)
  const lines = results.map((it) => it.line)
  if (ok && !verbose) return new Response('ok', { status: 200 })
  const last = `${endpoint} check ${ok ? 'passed' : 'failed'}`
  return new Response(`${[...lines, last].join('\n')}\n`, {
    status: ok ? 200 : 500,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
}

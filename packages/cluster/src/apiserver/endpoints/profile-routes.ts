import { Session } from 'node:inspector/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../http/message.ts'
import { textAnswer } from './answers.ts'
import type { Exchange } from './exchange.ts'

const ROOT = '/debug/pprof'
/** How long a profile takes where nobody says, in seconds, as in net/http/pprof. */
const USUAL = 30
const LONGEST = 300

const KINDS: Readonly<Record<string, string>> = {
  heap: 'what lives, by where it was made, sampled for as many seconds (default 1): a .heapprofile of V8',
  profile: `where the time goes, for as many seconds (default ${USUAL}): a .cpuprofile of V8`,
}

/**
 * `/debug/pprof/…` as far as a Node process can answer: `profile` and `heap`, in the forms of V8 that Chrome's developer tools and
 * speedscope read, not in that of Go's pprof; undefined for any other path.
 */
export async function profiles({ info, request }: Exchange): Promise<Answer | undefined> {
  if (info.path === ROOT)
    return { status: 302, headers: { location: `${ROOT}/`, 'content-type': HTML }, body: MOVED }
  if (!info.path.startsWith(`${ROOT}/`)) return undefined
  const kind = info.path.slice(ROOT.length + 1)
  if (kind === '') return { status: 200, headers: { 'content-type': HTML }, body: INDEX }
  const given = Number(request.query.get('seconds') ?? '')
  const seconds = Number.isFinite(given) && given > 0 ? Math.min(given, LONGEST) : undefined
  switch (kind) {
    case 'profile':
      return download('profile.cpuprofile', await cpuProfile(seconds ?? USUAL, request.signal))
    case 'heap':
      return download('heap.heapprofile', await heapProfile(seconds ?? 1, request.signal))
    default:
      return textAnswer(404, 'Unknown profile\n')
  }
}

const HTML = 'text/html; charset=utf-8'
const MOVED = `<a href="${ROOT}/">Found</a>.\n\n`
const INDEX = `<html>
<head>
<title>${ROOT}/</title>
</head>
<body>
${ROOT}/
<ul>
${Object.entries(KINDS)
  .map(([name, text]) => `<li><a href="${name}">${name}</a>: ${text}</li>`)
  .join('\n')}
</ul>
<p>A Node process has no goroutines, mutexes or threads to profile.</p>
</body>
</html>
`

const download = (name: string, profile: object): Answer => ({
  status: 200,
  headers: {
    'content-type': 'application/json',
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
  },
  body: JSON.stringify(profile),
})

/** Runs with a session of the inspector, which is of this process alone: no port is opened. */
async function inspected<T>(run: (session: Session) => Promise<T>): Promise<T> {
  const session = new Session()
  session.connect()
  try {
    return await run(session)
  } finally {
    session.disconnect()
  }
}

/** Waits, and not longer than the client does. */
async function pass(seconds: number, signal: AbortSignal): Promise<void> {
  await wait(seconds * 1000, undefined, { signal }).catch(() => {})
}

const cpuProfile = (seconds: number, signal: AbortSignal): Promise<object> =>
  inspected(async (session) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await pass(seconds, signal)
    return (await session.post('Profiler.stop')).profile
  })

const heapProfile = (seconds: number, signal: AbortSignal): Promise<object> =>
  inspected(async (session) => {
    await session.post('HeapProfiler.startSampling')
    await pass(seconds, signal)
    return (await session.post('HeapProfiler.stopSampling')).profile
  })

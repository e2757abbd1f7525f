import { ACCEPTS, MEDIA_TYPES, partsOf, resourceOf, type Sequence, type Step } from './step.ts'
import type { RawAnswer, RawRequest, Stream, Wire } from './wire.ts'

/** Where a sequence is played. */
export interface Place {
  /** A namespace of its own. */
  readonly namespace: string
  /** A word of its own, for names that every namespace sees. */
  readonly word: string
}

/** How long streams must have been quiet before a sequence is over, in milliseconds. */
const QUIET = 120

/** What admission reads from a cache that is filled by watching: a write must have had time to arrive there. */
const SEEN_LATER: ReadonlySet<string> = new Set([
  'limitranges',
  'resourcequotas',
  'priorityclasses',
  'storageclasses',
  'ingressclasses',
  'runtimeclasses',
  'namespaces',
  'serviceaccounts',
])
const LATER = 60

/** Plays a sequence against one server. Answers stand in the order of the steps; a watch is answered with all its events. */
export async function play(
  wire: Wire,
  { steps }: Sequence,
  place: Place,
): Promise<readonly RawAnswer[]> {
  const answers: (RawAnswer | Stream)[] = []
  const known = new Map<string, RawAnswer>()
  await setUp(wire, steps, place)
  for (const step of steps) {
    const request = requestOf(step, place, known)
    if (partsOf(step).method === 'WATCH') {
      await barrier(wire, request)
      answers.push(await wire.open({ ...request, method: 'GET' }))
      continue
    }
    if (readsCache(request)) await barrier(wire, request)
    const answer = await wire.ask(request)
    answers.push(answer)
    if (step.id) known.set(step.id, answer)
    await afterWrite(wire, step, request, answer)
  }
  const streams = answers.filter((it): it is Stream => 'close' in it)
  await begun(wire, steps, answers)
  await quiet(wire, streams)
  return answers.map((it) => ('close' in it ? it.close() : it))
}

async function setUp(wire: Wire, steps: readonly Step[], place: Place): Promise<void> {
  const text = steps.map((it) => it.ask).join('\n')
  if (!text.includes('{ns}')) return
  await post(wire, '/api/v1/namespaces', { metadata: { name: place.namespace } })
  if (!text.includes('/pods')) return
  const path = `/api/v1/namespaces/${place.namespace}/serviceaccounts`
  await post(wire, path, { metadata: { name: 'default' } })
  await pause(wire, LATER)
}

const post = (wire: Wire, target: string, body: object): Promise<RawAnswer> =>
  wire.ask({
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Lets a server do what it does in the background. */
const pause = ({ inProcess }: Wire, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    if (inProcess) setImmediate(resolve)
    else setTimeout(resolve, milliseconds)
  })

function requestOf(step: Step, place: Place, known: ReadonlyMap<string, RawAnswer>): RawRequest {
  const { method, target } = partsOf(step)
  const { body, type, accept } = step
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const headers: Record<string, string> = {}
  if (text !== undefined || type) headers['content-type'] = MEDIA_TYPES[type ?? 'json'] ?? type!
  if (accept) headers['accept'] = ACCEPTS[accept] ?? accept
  return {
    method,
    target: filled(target, place, known),
    headers,
    body: text === undefined ? undefined : filled(text, place, known),
  }
}

const PLACEHOLDER = /\{(ns|x|(rv|uid|name|continue):(\w+))\}/g

function filled(text: string, place: Place, known: ReadonlyMap<string, RawAnswer>): string {
  return text.replace(PLACEHOLDER, (_, whole: string, what: string, id: string) => {
    if (whole === 'ns') return place.namespace
    if (whole === 'x') return place.word
    return told(known.get(id), what)
  })
}

const PARTS: Readonly<Record<string, string>> = {
  rv: 'resourceVersion',
  uid: 'uid',
  name: 'name',
  continue: 'continue',
}

/** What an answer told; where it did not, something that no object has. */
function told(answer: RawAnswer | undefined, what: string): string {
  try {
    const { metadata } = JSON.parse(answer?.text ?? '') as { metadata: Record<string, string> }
    return metadata[PARTS[what] ?? ''] ?? 'none'
  } catch {
    return 'none'
  }
}

/** A read that may be answered from a cache, which may be behind. */
const readsCache = ({ method, target }: RawRequest): boolean =>
  method === 'GET' && /[?&](resourceVersion|watch|sendInitialEvents)=/.test(target)

/** A consistent read of the same collection waits until the server's cache holds all that was written before. */
async function barrier(wire: Wire, { target }: RawRequest): Promise<void> {
  const path = target.split('?')[0] ?? ''
  const collection = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/[a-z]+/.exec(
    path,
  )?.[0]
  if (!collection) return
  await wire.ask({ method: 'GET', target: `${collection}?labelSelector=no=such`, headers: {} })
}

async function afterWrite(
  wire: Wire,
  step: Step,
  { method, target }: RawRequest,
  { status, text }: RawAnswer,
): Promise<void> {
  if (method === 'GET' || status >= 300 || target.includes('dryRun')) return
  const resource = resourceOf(step)
  if (SEEN_LATER.has(resource.split('/')[0]!)) await pause(wire, LATER)
  if (resource === 'customresourcedefinitions') await established(wire, target, text)
}

/** Definitions are taken up in the background. */
async function established(wire: Wire, target: string, text: string): Promise<void> {
  const { metadata } = JSON.parse(text) as { metadata: { name?: string } }
  const collection = target.split('?')[0]!.replace(/(customresourcedefinitions).*/, '$1')
  for (let tries = 0; tries < 40; tries++) {
    await pause(wire, 50)
    const request = { method: 'GET', target: `${collection}/${metadata.name}`, headers: {} }
    const answer = await wire.ask(request)
    if (answer.status !== 200) return
    if (/"type":"(Established|NamesAccepted)","status":"(?=\w)/.test(answer.text)) break
  }
  await pause(wire, 200)
}

/** How long the events that a watch begins with may take, in milliseconds: they wait for what others write. */
const BEGIN = 4000

/** Waits until every watch that asked for it has been told that it has seen all that was there. */
async function begun(
  wire: Wire,
  steps: readonly Step[],
  answers: readonly (RawAnswer | Stream)[],
): Promise<void> {
  const waiting = answers.filter(
    (it, i): it is Stream => 'close' in it && asksForBeginning(partsOf(steps[i]!).target),
  )
  for (let waited = 0; waited < BEGIN; waited += QUIET) {
    if (waiting.every((it) => it.ended() || it.has('initial-events-end'))) return
    await pause(wire, QUIET)
  }
}

const asksForBeginning = (target: string): boolean =>
  /[?&]sendInitialEvents=true/.test(target) && target.includes('allowWatchBookmarks=true')

async function quiet(wire: Wire, streams: readonly Stream[]): Promise<void> {
  const size = (): number => streams.reduce((sum, it) => sum + it.length(), 0)
  // A turn of this process is short: it takes some of them before silence means something.
  const needed = wire.inProcess ? 20 : 1
  let before = -1
  for (let silent = 0; silent < needed;) {
    if (streams.every((it) => it.ended())) return
    silent = size() === before ? silent + 1 : 0
    before = size()
    await pause(wire, QUIET)
  }
}

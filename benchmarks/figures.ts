import { CONFIG_MAPS, configMap, creating, perSecond, timeOf, type Request } from './load.ts'
import type { BenchServer } from './server.ts'
import { median } from './table.ts'
import { openStream, Wire } from './wire.ts'

/** Requests a second of each verb, over 20 connections, on a server with few objects. */
export interface Rates {
  readonly creates: number
  readonly updates: number
  readonly applies: number
  readonly gets: number
}

/** Measures {@link Rates}. */
export async function ratesOf(server: BenchServer): Promise<Rates> {
  await timeOf(server, CONNECTIONS, creating('own'), 1)
  return {
    gets: await perSecond(server, reading),
    updates: await perSecond(server, updating),
    applies: await perSecond(server, applying),
    creates: await perSecond(server, creating('load')),
  }
}

const CONNECTIONS = 20

const own = (connection: number): string => `own-${connection}`

const reading: Request = (wire, connection) => wire.ask('GET', `${CONFIG_MAPS}/${own(connection)}`)

const updating: Request = (wire, connection, turn) =>
  wire.ask('PUT', `${CONFIG_MAPS}/${own(connection)}`, configMap(own(connection), `update ${turn}`))

const applying: Request = (wire, connection, turn) =>
  wire.ask(
    'PATCH',
    `${CONFIG_MAPS}/${own(connection)}?fieldManager=bench&force=true`,
    configMap(own(connection), `apply ${turn}`),
    'application/apply-patch+yaml',
  )

/** What many objects cost. */
export interface Scale {
  /** Milliseconds to read a list of 10,000 objects of 2 KB. */
  readonly list: number
  /** Milliseconds from sending a create until a watcher has its event: the 99th percentile over 100 watchers and 100 creates. */
  readonly seen: number
  /** Resident MiB with 100,000 objects of 2 KB. */
  readonly memory: number
  /** How much longer a create takes among 100,000 objects than among 1,000. */
  readonly growth: number
}

/** Measures {@link Scale} on a server that has just been started. */
export async function scaleOf(server: BenchServer): Promise<Scale> {
  await timeOf(server, 1000, creating('first'))
  await timeOf(server, 4000, creating('warm'))
  const few = await timeOf(server, 2000, creating('few'))
  await timeOf(server, 3000, creating('more'))
  const list = await listTime(server)
  const seen = await watchersSee(server, 100, 100)
  await timeOf(server, 88_000, creating('many'))
  const many = await timeOf(server, 2000, creating('last'))
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  return { list, seen, memory: await server.memory(), growth: many / few }
}

async function listTime(server: BenchServer): Promise<number> {
  const wire = await Wire.connect(server.url, server.token)
  const times: number[] = []
  for (let i = 0; i < 7; i++) {
    const started = performance.now()
    const { status, body } = await wire.ask('GET', CONFIG_MAPS)
    times.push(performance.now() - started)
    if (status !== 200 || body.length < 20_000_000)
      throw new Error(`a list answered ${status} with ${body.length} bytes`)
  }
  wire.close()
  return median(times)
}

/** Creates one object after the other, each when all watchers have seen the one before. */
async function watchersSee(
  server: BenchServer,
  watchers: number,
  creates: number,
): Promise<number> {
  const writer = await Wire.connect(server.url, server.token)
  const { body } = await writer.ask('GET', `${CONFIG_MAPS}?limit=1`)
  const version = /"resourceVersion":"(\d+)"/.exec(body.toString())?.[1]
  const path = `${CONFIG_MAPS}?watch=true&resourceVersion=${version}`
  const took: number[] = []
  let sentAt = 0
  let missing = 0
  let all = Promise.withResolvers<void>()
  const onEvent = (): void => {
    took.push(performance.now() - sentAt)
    if (--missing === 0) all.resolve()
  }
  const streams = await Promise.all(
    Array.from({ length: watchers }, () =>
      openStream(server.url, server.token, path, eventCounter(onEvent)),
    ),
  )
  for (let i = 0; i < creates; i++) {
    missing = watchers
    all = Promise.withResolvers()
    sentAt = performance.now()
    await Promise.all([writer.ask('POST', CONFIG_MAPS, configMap(`seen-${i}`)), all.promise])
  }
  for (const stream of streams) stream.close()
  writer.close()
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)]!
}

/** Calls `onEvent` for each event of a watch: an event ends with `}` and a newline, and has no other. */
function eventCounter(onEvent: () => void): (chunk: Buffer) => void {
  let before = 0
  return (chunk) => {
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      if ((at === 0 ? before : chunk[at - 1]) === BRACE) onEvent()
    }
    before = chunk.at(-1) ?? before
  }
}

const NEWLINE = 0x0a
const BRACE = 0x7d

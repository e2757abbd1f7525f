import type { BenchServer } from './server.ts'
import { Wire } from './wire.ts'

/** One request of a load: `connection` and `turn` count from 0. */
export type Request = (
  wire: Wire,
  connection: number,
  turn: number,
) => Promise<{ readonly status: number }>

/**
 * Sends `request` over `connections` keep-alive connections, each one after the other, for `seconds` after a warm-up of
 * {@link WARM_UP} seconds; answers with how many were answered a second. Throws on the first answer that is not 200 or 201.
 */
export async function perSecond(
  server: BenchServer,
  request: Request,
  {
    connections = 20,
    seconds = 5,
  }: { readonly connections?: number; readonly seconds?: number } = {},
): Promise<number> {
  const wires = await connectAll(server, connections)
  let sent = 0
  const during = async (length: number): Promise<number> => {
    const started = performance.now()
    const deadline = started + length * 1000
    let answered = 0
    const work = async (wire: Wire, connection: number): Promise<void> => {
      while (performance.now() < deadline) {
        mustBeGood(server, await request(wire, connection, sent++))
        answered++
      }
    }
    await Promise.all(wires.map(work))
    return answered / ((performance.now() - started) / 1000)
  }
  await during(WARM_UP)
  const rate = await during(seconds)
  for (const wire of wires) wire.close()
  return rate
}

/** Seconds of the same load before it is measured: a server is not judged by its first requests. */
const WARM_UP = 3

/** Sends `request` exactly `count` times over `connections` connections; answers with the milliseconds that it took. */
export async function timeOf(
  server: BenchServer,
  count: number,
  request: Request,
  connections = 20,
): Promise<number> {
  const wires = await connectAll(server, connections)
  const started = performance.now()
  let sent = 0
  const work = async (wire: Wire, connection: number): Promise<void> => {
    while (sent < count) mustBeGood(server, await request(wire, connection, sent++))
  }
  await Promise.all(wires.map(work))
  const took = performance.now() - started
  for (const wire of wires) wire.close()
  return took
}

/** Creates ConfigMaps of 2 KB named `<prefix>-<turn>`. */
export const creating =
  (prefix: string): Request =>
  (wire, _, turn) =>
    wire.ask('POST', CONFIG_MAPS, configMap(`${prefix}-${turn}`))

/** The path of the ConfigMaps that benchmarks write. */
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

/** A ConfigMap of some 2 KB as JSON; `note` tells one version of it from another. */
export const configMap = (name: string, note = ''): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { payload: PAYLOAD, ...(note ? { note } : {}) },
  })

const PAYLOAD = 'x'.repeat(2048)

const connectAll = (server: BenchServer, count: number): Promise<readonly Wire[]> =>
  Promise.all(Array.from({ length: count }, () => Wire.connect(server.url, server.token)))

function mustBeGood(server: BenchServer, { status }: { readonly status: number }): void {
  if (status !== 200 && status !== 201)
    throw new Error(
      `a request of the load on ${server.url} answered ${status}, expected 200 or 201`,
    )
}

import https from 'node:https'
import type { BenchServer } from './server.ts'

/**
 * Creates ConfigMaps of 2 KB over `connections` keep-alive connections for `seconds`; answers with how many were created a second.
 * Throws on the first answer that is not 201.
 */
export async function createsPerSecond(
  server: BenchServer,
  connections: number,
  seconds: number,
): Promise<number> {
  const agent = new https.Agent({
    keepAlive: true,
    maxSockets: connections,
    rejectUnauthorized: false,
  })
  const run = Math.floor(performance.now())
  const one = (name: string): Promise<void> => create(server, agent, name)
  const during = async (label: string, length: number): Promise<number> => {
    const started = performance.now()
    const deadline = started + length * 1000
    let created = 0
    await Promise.all(
      Array.from({ length: connections }, async (_, i) => {
        for (let n = 0; performance.now() < deadline; n++) {
          await one(`${label}-${run}-${i}-${n}`)
          created++
        }
      }),
    )
    return created / ((performance.now() - started) / 1000)
  }
  await during('warm', WARM_UP)
  const rate = await during('load', seconds)
  agent.destroy()
  return rate
}

/** Seconds of the same load before it is measured: a server is not judged by its first requests. */
const WARM_UP = 3

const PAYLOAD = 'x'.repeat(2048)

function create(server: BenchServer, agent: https.Agent, name: string): Promise<void> {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { payload: PAYLOAD },
  })
  const headers = {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return new Promise((resolve, reject) => {
    const request = https.request(
      `${server.url}/api/v1/namespaces/default/configmaps`,
      { method: 'POST', agent, headers },
      (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === 201
            ? resolve()
            : reject(
                new Error(`creating a ConfigMap at ${server.url} answered ${response.statusCode}`),
              ),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

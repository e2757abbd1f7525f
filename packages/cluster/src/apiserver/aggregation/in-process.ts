import type { Answer, ApiRequest } from '../http/message.ts'

/** Another API server that is in this process: it answers requests that have been authorized here. */
export type InProcessApi = (request: ApiRequest) => Promise<Answer>

/** The API servers in this process, by the service that APIServices name; undefined for one that is reached over the network. */
export type FindApi = (service: {
  readonly namespace: string
  readonly name: string
}) => InProcessApi | undefined

/** Asks for a document. Rejects with an Error where there is none. */
export async function askInProcess(
  api: InProcessApi,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  const { status, body } = await api({
    method: 'GET',
    path,
    query: new URLSearchParams(),
    header: (name) => (name === 'accept' ? 'application/json' : undefined),
    headers: () => [['accept', 'application/json']],
    signal,
    peer: { kind: 'local', user: { name: 'system:kube-aggregator', groups: ['system:masters'] } },
    body: async () => Buffer.alloc(0),
    stream: async function* () {},
  })
  if (status !== 200 || typeof body !== 'string')
    throw new Error(`bad status from ${path}: ${status}`)
  return JSON.parse(body) as unknown
}

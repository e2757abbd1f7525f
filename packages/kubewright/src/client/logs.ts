import type { ObjectKey } from '../machinery/object-key.ts'
import { kindOf } from '../machinery/kind.ts'
import type { Call } from './exchange.ts'
import { objectPath } from './path.ts'

/** Which part of a container's log (core/v1 PodLogOptions). */
export interface LogOptions {
  /** Needed when the pod has several. */
  readonly container?: string
  readonly follow?: boolean
  /** The log of the container's previous run. */
  readonly previous?: boolean
  readonly sinceSeconds?: number
  readonly tailLines?: number
  readonly timestamps?: boolean
  readonly signal?: AbortSignal
}

const POD = kindOf('v1', 'Pod', 'pods', 'Namespaced')

/** The log's text, in chunks as they come. */
export async function* readLogs(
  send: (call: Call) => Promise<Response>,
  pod: ObjectKey,
  namespace: string,
  options: LogOptions,
): AsyncGenerator<string, void, undefined> {
  const { signal, ...query } = options
  const response = await send({
    method: 'GET',
    path: objectPath(POD, pod, namespace, 'log'),
    query: { ...query },
    accept: '*/*',
    signal,
  })
  if (!response.body) return
  const decoder = new TextDecoder()
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
    yield decoder.decode(chunk, { stream: true })
  const rest = decoder.decode()
  if (rest !== '') yield rest
}

import { notFound, type UnknownObject } from 'kubewright/machinery'
import { OFFERS } from '../codec/negotiate.ts'
import type { Answer } from '../http/message.ts'
import { askUpstream } from '../http/upstream.ts'
import type { Stored } from '../storage/storage.ts'
import { objectAnswer, outputOf } from './answers.ts'
import type { Call } from './call.ts'
import { listAnswer } from './list.ts'
import { selectionOf } from './selection.ts'

/** How well a component is: what its Healthy condition says. */
interface Probed {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly message?: string
}

type Probe = (signal: AbortSignal) => Promise<Probed>

/** How long a component may take to answer, ms (registry/core/componentstatus/validator.go). */
const PATIENCE = 20_000

/** The components that kube-apiserver knows, at the ports that they have by default; the store is in this process. */
const COMPONENTS: Readonly<Record<string, Probe>> = {
  'controller-manager': (signal) => probed(new URL('https://127.0.0.1:10257/healthz'), signal),
  'etcd-0': async () => ({ status: 'True', message: 'ok' }),
  scheduler: (signal) => probed(new URL('https://127.0.0.1:10259/healthz'), signal),
}

/** GET of one ComponentStatus, which is made when it is asked for (registry/core/componentstatus/rest.go). */
export async function getComponentStatus(call: Call): Promise<Answer> {
  const { exchange, parts, served, name } = call
  const output = outputOf(exchange, OFFERS.object)
  const probe = Object.hasOwn(COMPONENTS, name) ? COMPONENTS[name] : undefined
  if (!probe) throw notFound({ group: '', plural: 'componentstatus' }, name)
  const status = await componentStatus(call, name, probe)
  const shown = call.views.shown(status)
  return objectAnswer(exchange, 200, output, shown, served.table, parts.clock.now())
}

/** GET of all of them: selected by labels and names, never paged, at no version. */
export async function listComponentStatuses(call: Call): Promise<Answer> {
  const output = outputOf(call.exchange, OFFERS.list)
  const selection = selectionOf(call)
  const all = await Promise.all(
    Object.entries(COMPONENTS).map(([name, probe]) => componentStatus(call, name, probe)),
  )
  const items = all.filter((it) => selection.matches(it, () => it.object))
  const page = { revision: undefined, continue: '', remaining: undefined, shard: undefined }
  return listAnswer(call, output, { items, ...page })
}

async function componentStatus(
  { exchange, served }: Call,
  name: string,
  probe: Probe,
): Promise<Stored> {
  const { kind, version, storageKey } = served.info
  const condition = { type: 'Healthy', ...(await probe(exchange.request.signal)) }
  const object: UnknownObject = {
    kind,
    apiVersion: version,
    metadata: { name },
    conditions: [condition],
  }
  const key = `${storageKey}//${name}`
  const json = JSON.stringify(object)
  return { key, revision: 0, object, labels: undefined, json, isFirst: false }
}

/** What a component says of itself; nobody looks at its certificate. */
async function probed(url: URL, signal: AbortSignal): Promise<Probed> {
  try {
    const tls = { insecure: true }
    const { status, body } = await askUpstream({
      url,
      method: 'GET',
      headers: [['host', url.host]],
      tls,
      signal,
      timeout: PATIENCE,
    })
    const text = Buffer.concat(await Array.fromAsync(body)).toString()
    if (status >= 300 && status < 400)
      return { status: 'Unknown', message: `Probe terminated redirects, Response body: ${text}` }
    return status >= 200 && status < 300
      ? { status: 'True', message: text }
      : { status: 'False', message: `HTTP probe failed with statuscode: ${status}` }
  } catch (error) {
    return {
      status: 'False',
      message: `Get ${JSON.stringify(url.href)}: ${(error as Error).message}`,
    }
  }
}

import type { Socket } from 'node:net'
import type { Client } from 'kubewright/client'
import { controller, type ControllerDefinition, type SourceContext } from 'kubewright/controller'
import { Namespace, Service } from 'kubewright/kinds/core/v1'
import { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import { isAlreadyExists } from 'kubewright/machinery'
import type { Ground } from '../ground/ground.ts'
import { answerName, type NamedThings } from './cluster-names.ts'
import { type DnsQuestion, readQuestion, writeAnswer } from './dns-message.ts'
import { SERVICE_NAME } from './endpoints.ts'

const PORT = 53

/** Answers for the names of services and pods at `address`, over UDP and TCP, as CoreDNS does in other clusters. */
export function clusterDns(ground: Ground, address: string): ControllerDefinition {
  return controller('cluster-dns', { resync: 0 })
    .reads(Service, EndpointSlice, Namespace)
    .watchesSource(async (_, source) => {
      await introduce(source.client, address).catch((error: Error) =>
        source.log.warn('the service kube-dns cannot be made', { error: error.message }),
      )
      await serve(ground, address, source).catch((error: Error) =>
        source.log.warn('names of services cannot be asked for', { address, error: error.message }),
      )
    })
    .reconcileKey(() => {})
}

/** The service by which others find the server, as in other clusters: its address is taken, and its name is known. */
async function introduce(client: Client, clusterIP: string): Promise<void> {
  const metadata = {
    namespace: 'kube-system',
    name: 'kube-dns',
    labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' },
  }
  const ports = [
    { name: 'dns', port: PORT, protocol: 'UDP' as const },
    { name: 'dns-tcp', port: PORT, protocol: 'TCP' as const },
  ]
  try {
    await client.create(Service, { metadata, spec: { clusterIP, ports } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

async function serve(
  ground: Ground,
  address: string,
  { lister, signal }: SourceContext,
): Promise<void> {
  const things = namedThings({ lister })
  const answer = (message: Buffer, overUdp: boolean): Buffer | undefined => {
    const question: DnsQuestion | undefined = readQuestion(message)
    return question && writeAnswer(question, answerName(question, things), overUdp)
  }
  const socket = await ground.bindUdp(address, PORT)
  socket.on('message', (message, from) => {
    const bytes = answer(message, true)
    if (bytes) socket.send(bytes, from.port, from.address, () => {})
  })
  const listening = await ground.listen(address, PORT, (client) =>
    serveStream(client, (message) => answer(message, false)),
  )
  const close = (): void => {
    socket.close()
    void listening[Symbol.asyncDispose]()
  }
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
}

/** Over TCP every message has its length before it. */
function serveStream(client: Socket, answer: (message: Buffer) => Buffer | undefined): void {
  let data: Buffer = Buffer.alloc(0)
  client.on('error', () => client.destroy())
  client.on('data', (chunk: Buffer) => {
    data = Buffer.concat([data, chunk])
    while (data.length >= 2 && data.length >= 2 + data.readUInt16BE(0)) {
      const end = 2 + data.readUInt16BE(0)
      const bytes = answer(data.subarray(2, end))
      data = data.subarray(end)
      if (!bytes) return void client.destroy()
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      client.write(Buffer.concat([length, bytes]))
    }
  })
}

function namedThings({ lister }: Pick<SourceContext, 'lister'>): NamedThings {
  return {
    service: (namespace, name) => lister(Service).get({ namespace, name }),
    slices: (namespace, service) =>
      lister(EndpointSlice).list({ namespace, labelSelector: `${SERVICE_NAME}=${service}` }),
    hasNamespace: (name) => lister(Namespace).get({ name }) !== undefined,
    serviceAt: (address) =>
      lister(Service)
        .list()
        .find((it) => it.spec?.clusterIP === address),
    slicesAt: (address) =>
      lister(EndpointSlice)
        .list()
        .filter((it) => it.endpoints?.some((one) => one.addresses.includes(address))),
  }
}

import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Draft } from '../registry/strategy.ts'
import { makeTls } from '../http/certificates.ts'

/** A webhook that keeps what it is asked, and changes what its path says: `/add/NAME` and the like. */
export interface RecordingWebhook {
  /** `127.0.0.1:12345` */
  readonly host: string
  /** Its authority, PEM in base64. */
  readonly authority: string
  /** What it was asked since this was last called. */
  readonly asked: () => readonly object[]
  readonly close: () => void
}

interface Asked {
  readonly uid: string
  readonly object: Draft | null
}

type Operations = readonly object[]

const annotated = (object: Draft | null, name: string, value: string): Operations => [
  object?.metadata.annotations
    ? { op: 'add', path: `/metadata/annotations/${name}`, value }
    : { op: 'add', path: '/metadata/annotations', value: { [name]: value } },
]

const CHANGES: Readonly<Record<string, (object: Draft | null, name: string) => Operations>> = {
  add: (object, name) =>
    annotated(object, 'order', `${object?.metadata.annotations?.['order'] ?? ''}${name}`),
  set: (object, name) => annotated(object, name, 'y'),
  min: () => [{ op: 'add', path: '/spec/minReplicas', value: 3 }],
  size: () => [{ op: 'add', path: '/spec/size', value: 7 }],
}

export async function recordingWebhook(): Promise<RecordingWebhook> {
  const { authority, key, certificate } = await makeTls('127.0.0.1', Date.now())
  let asked: object[] = []
  const server = createServer({ key, cert: certificate }, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const review = JSON.parse(text) as { apiVersion: string; request: Asked }
    const path = request.url!.split('?')[0]!
    asked.push({ path, apiVersion: review.apiVersion, request: review.request })
    const [, what = '', name = ''] = path.split('/')
    const operations = CHANGES[what]?.(review.request.object, name)
    const patch = operations && Buffer.from(JSON.stringify(operations)).toString('base64')
    const { uid } = review.request
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        apiVersion: review.apiVersion,
        kind: 'AdmissionReview',
        response: { uid, allowed: true, ...(patch ? { patch, patchType: 'JSONPatch' } : {}) },
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: Buffer.from(authority).toString('base64'),
    asked: () => {
      const all = asked
      asked = []
      return all
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

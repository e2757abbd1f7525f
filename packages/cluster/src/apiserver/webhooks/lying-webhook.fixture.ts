import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeTls } from '../http/certificates.ts'

/** A webhook that answers as its path says: well, badly, or not at all. */
export interface LyingWebhook {
  /** `127.0.0.1:12345` */
  readonly host: string
  /** Its authority, PEM in base64. */
  readonly authority: string
  readonly close: () => void
}

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly response: object
}

const review = (uid: string, more: object = {}): Review => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  response: { uid, allowed: true, ...more },
})

const patch = (...operations: readonly object[]): object => ({
  patchType: 'JSONPatch',
  patch: base64(operations),
})
const ADD = { op: 'add', path: '/data', value: { a: 'b' } }
const denied = (status?: object): object => ({ allowed: false, ...(status ? { status } : {}) })

/** What is added to a review that is otherwise good. */
const ADDITIONS: Readonly<Record<string, object>> = {
  '/ok': {},
  '/deny': denied(),
  '/denymsg': denied({ message: 'no way', code: 418, reason: 'Teapot' }),
  '/denyreason': denied({ reason: 'NotHere' }),
  '/denycode200': denied({ code: 200, status: 'Success', message: 'm' }),
  '/denydetails': denied({
    code: 409,
    message: 'm',
    reason: 'Conflict',
    metadata: { resourceVersion: '7' },
    details: { name: 'x', causes: [{ message: 'c', field: 'f', reason: 'R' }] },
  }),
  '/denywarn': { ...denied(), warnings: ['careful'] },
  '/stringallowed': { allowed: 'yes' },
  '/warn': { warnings: ['one', 'two "q" \\', 'three\nline', ''] },
  '/warnlong': { warnings: ['x'.repeat(3000), 'y'.repeat(300), 'z'.repeat(2000)] },
  '/warnmany': { warnings: Array.from({ length: 30 }, (_, i) => `w${i}`.padEnd(300, '.')) },
  '/warnutf': { warnings: ['héllo ☃', '\u0001ctl'] },
  '/audit': { auditAnnotations: { k: 'v' } },
  '/patch': patch(ADD),
  '/patchempty': patch(),
  '/patchnotype': { patch: base64([ADD]) },
  '/typenopatch': { patchType: 'JSONPatch' },
  '/emptytype': { patchType: '', patch: base64([]) },
  '/mergetype': { patchType: 'MergePatch', patch: base64([{ ...ADD, value: {} }]) },
  '/patchbadb64': { patchType: 'JSONPatch', patch: '!!!' },
  '/patchnotjson': { patchType: 'JSONPatch', patch: base64('hello') },
  '/patchnotlist': { patchType: 'JSONPatch', patch: base64({ a: 1 }) },
  '/patchmissing': patch({ op: 'remove', path: '/nope/x' }),
  '/patchop': patch({ op: 'frob', path: '/data' }),
  '/patchtest': patch({ op: 'test', path: '/data/a', value: 'zz' }),
  '/patchunknown': patch({ op: 'add', path: '/bogus', value: 1 }),
  '/patchtypeerr': patch({ ...ADD, value: 'str' }),
  '/patchkind': patch({ op: 'replace', path: '/kind', value: 'Secret' }),
  '/patchkind2': patch({ op: 'replace', path: '/kind', value: 'Nope' }),
  '/patchname': patch({ op: 'replace', path: '/metadata/name', value: 'renamed' }),
  '/patchns': patch({ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }),
  '/patchinvalid': patch({ ...ADD, value: { 'b ad': 'x' } }),
}

const V1BETA1 = 'admission.k8s.io/v1beta1'

/** Answers that are no good reviews. */
const WHOLE: Readonly<Record<string, (uid: string) => unknown>> = {
  '/wronguid': () => review('nope'),
  '/nouid': () => ({ ...review(''), response: { allowed: true } }),
  '/wrongkind': (uid) => ({ ...review(uid), kind: 'Review' }),
  '/wronggroup': (uid) => ({ ...review(uid), apiVersion: 'x.io/v1' }),
  '/nokind': (uid) => ({ response: review(uid).response }),
  '/kindonly': (uid) => ({ kind: 'AdmissionReview', response: review(uid).response }),
  '/v1beta1': (uid) => ({ ...review(uid), apiVersion: V1BETA1 }),
  '/v1beta1lax': () => ({
    ...review('other', { patch: base64([ADD]) }),
    apiVersion: V1BETA1,
  }),
  '/pod': () => ({ kind: 'Pod', apiVersion: 'v1' }),
  '/emptyobj': () => ({}),
  '/noresponse': (uid) => ({ ...review(uid), response: undefined }),
  '/nullresponse': (uid) => ({ ...review(uid), response: null }),
  '/array': () => [],
}

const STATUS = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'my status',
  reason: 'Conflict',
  code: 409,
}

/** Raw answers: a code, and a text. */
const RAW: Readonly<Record<string, readonly [number, string]>> = {
  '/garbage': [200, 'garbage!'],
  '/empty': [200, ''],
  '/html': [200, '<html>hi</html>'],
  '/truncated': [200, '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","respo'],
  '/500': [500, 'oops'],
  '/500empty': [500, ''],
  '/503': [503, 'busy'],
  '/404': [404, '404 page not found'],
  '/403': [403, 'go away'],
  '/401': [401, 'who'],
  '/400': [400, 'bad'],
  '/204': [204, ''],
  '/status': [409, JSON.stringify(STATUS)],
  '/status200': [200, JSON.stringify(STATUS)],
}
const CODES: Readonly<Record<string, number>> = { '/400ok': 400, '/201': 201 }
const REDIRECTS: Readonly<Record<string, number>> = { '/301': 301, '/302': 302, '/307': 307 }

function answer(path: string, uid: string, to: ServerResponse): void {
  const raw = RAW[path]
  if (raw) return void to.writeHead(raw[0]).end(raw[1])
  const redirect = REDIRECTS[path]
  if (redirect) return void to.writeHead(redirect, { location: '/ok' }).end()
  const body = WHOLE[path]?.(uid) ?? review(uid, ADDITIONS[path] ?? {})
  to.writeHead(CODES[path] ?? 200, { 'content-type': 'application/json' })
  to.end(JSON.stringify(body))
}

/** Starts one. */
export async function lyingWebhook(): Promise<LyingWebhook> {
  const tls = await makeTls('127.0.0.1', Date.now())
  const server: Server = createServer({ cert: tls.certificate, key: tls.key }, async (from, to) => {
    let text = ''
    for await (const chunk of from) text += String(chunk)
    const path = (from.url ?? '').replace(/\?.*/, '')
    if (path === '/destroy') return void from.socket.destroy()
    const { request } = (text === '' ? {} : JSON.parse(text)) as { request?: { uid: string } }
    answer(path, request?.uid ?? '', to)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    authority: Buffer.from(tls.authority).toString('base64'),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

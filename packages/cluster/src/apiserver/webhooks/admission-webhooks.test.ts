import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { makeTls } from '../http/certificates.ts'
import { createApiServer } from '../index.ts'

interface Asked {
  readonly uid: string
  readonly operation: string
  readonly name?: string
  readonly dryRun: boolean
  readonly userInfo: { readonly username: string }
  readonly object: { readonly data?: Record<string, string> } | null
  readonly oldObject: { readonly data?: Record<string, string> } | null
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'

describe('admission webhooks', () => {
  let webhook: Server
  let caBundle = ''
  let answers: (path: string, request: Asked) => object = () => ({ allowed: true })
  const asked: string[] = []
  const server = createApiServer({
    resolveService: async () => ({
      host: '127.0.0.1',
      port: (webhook.address() as AddressInfo).port,
    }),
  })

  before(async () => {
    const tls = await makeTls('hooks.default.svc', Date.now())
    caBundle = Buffer.from(tls.authority).toString('base64')
    webhook = createServer({ cert: tls.certificate, key: tls.key }, async (incoming, outgoing) => {
      let text = ''
      for await (const chunk of incoming) text += String(chunk)
      const { request } = JSON.parse(text) as { request: Asked }
      const path = (incoming.url ?? '').replace(/\?timeout=\d+s$/, '')
      asked.push(`${path} ${request.operation} ${request.name} by ${request.userInfo.username}`)
      const response = { uid: request.uid, ...answers(path, request) }
      outgoing.end(
        JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response }),
      )
    }).listen(0, '127.0.0.1')
    await once(webhook, 'listening')
    for (const kind of ['Mutating', 'Validating']) await register(kind)
  })

  after(async () => {
    await server.close()
    webhook.closeAllConnections()
    webhook.close()
  })

  async function register(kind: string): Promise<void> {
    const rules = [
      { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
    ]
    const service = { namespace: 'default', name: 'hooks', path: `/${kind.toLowerCase()}` }
    const one = {
      name: `${kind.toLowerCase()}.example.com`,
      clientConfig: { service, caBundle },
      rules,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      objectSelector: { matchExpressions: [{ key: 'free', operator: 'DoesNotExist' }] },
    }
    const path = `${REGISTRATION}/${kind.toLowerCase()}webhookconfigurations`
    const { status } = await send('POST', path, { metadata: { name: 'hooks' }, webhooks: [one] })
    assert.equal(status, 201)
  }

  async function send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{
    readonly status: number
    readonly warning: string | null
    readonly body: { readonly data?: Record<string, string>; readonly message?: string }
  }> {
    const init = body
      ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      : {}
    const response = await server.fetch(new Request(`http://server${path}`, { method, ...init }))
    const warning = response.headers.get('warning')
    return { status: response.status, warning, body: (await response.json()) as never }
  }

  async function mend(kind: string, fields: object): Promise<void> {
    const path = `${REGISTRATION}/${kind}webhookconfigurations/hooks`
    const { body } = await send('GET', path)
    const configuration = body as { readonly webhooks: readonly object[] }
    const webhooks = configuration.webhooks.map((it) => ({ ...it, ...fields }))
    assert.equal((await send('PUT', path, { ...configuration, webhooks })).status, 200)
  }

  test('are asked in their order, change what they may, and warn', async () => {
    const patch = [{ op: 'add', path: '/data', value: { added: 'yes' } }]
    answers = (path) =>
      path === '/mutating'
        ? {
            allowed: true,
            patchType: 'JSONPatch',
            patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
            warnings: ['mind the gap'],
          }
        : { allowed: true }
    asked.length = 0
    const made = await send('POST', CONFIG_MAPS, { metadata: { name: 'a' } })
    assert.equal(made.status, 201)
    assert.deepEqual(made.body.data, { added: 'yes' })
    assert.equal(made.warning, '299 - "mind the gap"')
    assert.deepEqual(asked, [
      '/mutating CREATE a by kubernetes-admin',
      '/validating CREATE a by kubernetes-admin',
    ])
  })

  test('see the old object, and refuse in their own words', async () => {
    answers = (path, { operation, object, oldObject }) =>
      path === '/validating' && operation !== 'CREATE'
        ? {
            allowed: false,
            status: {
              code: 403,
              message: `${oldObject?.data?.['added']} → ${object?.data?.['added']}`,
            },
          }
        : { allowed: true }
    const update = { metadata: { name: 'a' }, data: { added: 'no' } }
    const refused = await send('PUT', `${CONFIG_MAPS}/a`, update)
    assert.equal(refused.status, 403)
    assert.equal(
      refused.body.message,
      'admission webhook "validating.example.com" denied the request: yes → no',
    )
    const kept = await send('DELETE', `${CONFIG_MAPS}/a`)
    assert.equal(kept.status, 403)
    assert.equal((await send('GET', `${CONFIG_MAPS}/a`)).body.data?.['added'], 'yes')
  })

  test('are not asked about what their selectors leave out', async () => {
    answers = () => ({ allowed: false })
    const free = { name: 'free', labels: { free: '' } }
    assert.equal((await send('POST', CONFIG_MAPS, { metadata: free })).status, 201)
    const bound = await send('POST', CONFIG_MAPS, { metadata: { name: 'bound' } })
    assert.equal(bound.status, 400)
    assert.match(bound.body.message ?? '', /denied the request without explanation/)
  })

  test('are not asked where a match condition is false', async () => {
    answers = () => ({ allowed: false })
    const matching = (expression: string): Promise<void> =>
      mend('mutating', { matchConditions: [{ name: 'ours', expression }] })
    await matching("object.metadata.name != 'theirs' && request.operation == 'CREATE'")
    asked.length = 0
    await send('POST', CONFIG_MAPS, { metadata: { name: 'theirs' } })
    assert.deepEqual(asked, ['/validating CREATE theirs by kubernetes-admin'])
    await matching("object.data.none == 'x'")
    const { body } = await send('POST', CONFIG_MAPS, { metadata: { name: 'x' } })
    assert.match(body.message ?? '', /^configmaps "x" is forbidden: expression 'object.data.none/)
    await matching('true')
  })

  test('that cannot be asked refuse, unless their failure is to be ignored', async () => {
    answers = () => ({ uid: 'of another review', allowed: true })
    const { status, body } = await send('POST', CONFIG_MAPS, { metadata: { name: 'b' } })
    assert.equal(status, 500)
    assert.match(
      body.message ?? '',
      /^Internal error occurred: failed calling webhook "mutating.example.com": received invalid webhook response: expected response.uid/,
    )
    await mend('mutating', { failurePolicy: 'Ignore' })
    await mend('validating', { failurePolicy: 'Ignore' })
    assert.equal((await send('POST', CONFIG_MAPS, { metadata: { name: 'b' } })).status, 201)
  })

  test('never judge their own configurations', async () => {
    answers = () => ({ allowed: false })
    const path = `${REGISTRATION}/validatingwebhookconfigurations/hooks`
    assert.equal((await send('DELETE', path)).status, 200)
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fresh, recorded, REGISTRATION } from '../testing/recorded.ts'
import { makeTls } from '../http/certificates.ts'
import { type LyingWebhook, lyingWebhook } from './lying-webhook.fixture.ts'

/** What kube-apiserver v1.36 makes of what a webhook answers. HOST stands for where it is. */
interface Row {
  readonly kind: 'mutating' | 'validating'
  readonly path: string
  readonly name: string
  readonly failurePolicy: string
  readonly status: number
  readonly data?: object
  readonly reason?: string
  readonly message?: string
  readonly details?: object
  readonly warnings?: readonly string[]
}

const ROWS = recorded<Row>(new URL('testdata/answers.json', import.meta.url))
const RULE = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
}
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/

describe('the answers of webhooks', () => {
  const { server, send } = fresh()
  let webhook: LyingWebhook
  let stranger = ''

  before(async () => {
    webhook = await lyingWebhook()
    stranger = Buffer.from((await makeTls('other', Date.now())).authority).toString('base64')
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'hk' } })
  })

  after(async () => {
    webhook.close()
    await server.close()
  })

  /** Where each is that is not simply at its path. */
  const clients: Readonly<Record<string, () => object>> = {
    refused: () => ({ url: 'https://127.0.0.1:1/x' }),
    noca: () => ({ url: `https://${webhook.host}/ok`, caBundle: undefined }),
    wrongca: () => ({ url: `https://${webhook.host}/ok`, caBundle: stranger }),
    badca: () => ({ url: `https://${webhook.host}/ok`, caBundle: 'aGVsbG8=' }),
    noservice: () => ({ service: { namespace: 'hk', name: 'nosvc' } }),
    noservicepath: () => ({
      service: { namespace: 'hk', name: 'nosvc', path: '/a/b', port: 8443 },
    }),
  }

  for (const row of ROWS.filter((it) => it.name !== 'wronghost')) {
    test(`${row.kind} ${row.name} ${row.failurePolicy}`, async () => {
      const path = `${REGISTRATION}/${row.kind}webhookconfigurations`
      const isOld = row.name.startsWith('v1beta1') && row.name !== 'v1beta1'
      const one = {
        name: 'h.example.com',
        failurePolicy: row.failurePolicy,
        sideEffects: 'None',
        admissionReviewVersions: isOld ? ['v1beta1'] : ['v1', 'v1beta1'],
        timeoutSeconds: 2,
        rules: [RULE],
        clientConfig: {
          caBundle: webhook.authority,
          ...(clients[row.name]?.() ?? { url: `https://${webhook.host}${row.path}` }),
        },
      }
      const made = await send('POST', path, { metadata: { name: 'hk' }, webhooks: [one] })
      assert.equal(made.status, 201, String(made.body.message))
      const query = row.name === 'dryrun' ? '?dryRun=All' : ''
      const maps = '/api/v1/namespaces/hk/configmaps'
      const { status, body, warnings } = await send('POST', `${maps}${query}`, {
        metadata: { name: 'probe' },
      })
      await send('DELETE', `${path}/hk`)
      if (status === 201) await send('DELETE', `${maps}/${String(body.metadata!['name'])}`)
      const shown = body.message?.replace(UID, 'UID').replaceAll(webhook.host, 'HOST')
      assert.deepEqual(
        {
          status,
          data: body['data'],
          ...(status < 300 ? {} : { reason: body.reason, message: shown }),
          ...(row.details ? { details: body['details'] } : {}),
          warnings: warnings.map((it) => Buffer.from(it, 'latin1').toString()),
        },
        {
          status: row.status,
          data: row.data,
          ...(row.status < 300 ? {} : { reason: row.reason, message: row.message }),
          ...(row.details ? { details: row.details } : {}),
          warnings: row.warnings ?? [],
        },
      )
    })
  }
})

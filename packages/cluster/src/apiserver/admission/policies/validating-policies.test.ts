import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fresh, recorded, REGISTRATION } from '../../testing/recorded.ts'

/** What kube-apiserver v1.36 says of a ConfigMap under one policy and its binding. */
interface Row {
  readonly name: string
  readonly spec: object & { readonly matchConstraints?: object }
  readonly object?: object & { readonly metadata?: object }
  readonly binding?: object & { readonly matchResources?: object }
  readonly status: number
  readonly reason?: string
  readonly message?: string
  readonly warnings?: readonly string[]
}

const ROWS = recorded<Row>(new URL('../testdata/validating-policies.json', import.meta.url))
const CONFIG_MAPS = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
  ],
}

describe('validating policies', () => {
  const { server, send } = fresh({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
  })

  before(async () => {
    for (const name of ['vap', 'vap2']) {
      await send('POST', '/api/v1/namespaces', { metadata: { name, labels: { vap: name } } })
    }
    for (const [name, namespace, limit] of [
      ['param1', 'vap', '1'],
      ['param2', 'vap', '2'],
      ['param1', 'vap2', '9'],
    ] as const) {
      const metadata = { name, labels: { param: 'y' } }
      await send('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
        metadata,
        data: { limit },
      })
    }
  })

  after(() => server.close())

  for (const row of ROWS) {
    test(row.name, async () => {
      const name = row.name.toLowerCase()
      const labels = { case: name }
      const matchConstraints = {
        objectSelector: { matchLabels: labels },
        ...(row.spec.matchConstraints ?? CONFIG_MAPS),
      }
      const policies = `${REGISTRATION}/validatingadmissionpolicies`
      const spec = { ...row.spec, matchConstraints }
      const policy = await send('POST', policies, { metadata: { name }, spec })
      assert.equal(policy.status, 201, String(policy.body.message))
      const { matchResources = {}, ...binding } = row.binding ?? {}
      const bound = {
        policyName: name,
        validationActions: ['Deny'],
        ...binding,
        matchResources: { objectSelector: { matchLabels: labels }, ...matchResources },
      }
      const bindings = `${REGISTRATION}/validatingadmissionpolicybindings`
      assert.equal((await send('POST', bindings, { metadata: { name }, spec: bound })).status, 201)
      const { metadata = { name }, ...object } = row.object ?? {}
      const answer = await send('POST', '/api/v1/namespaces/vap/configmaps?fieldManager=m', {
        metadata: { ...metadata, labels },
        data: { a: 'b' },
        ...object,
      })
      await send('DELETE', `${bindings}/${name}`)
      await send('DELETE', `${policies}/${name}`)
      const causes = (answer.body['details'] as { causes?: { message: string }[] } | undefined)
        ?.causes
      assert.deepEqual(
        {
          status: answer.status,
          reason: answer.status < 300 ? undefined : answer.body.reason,
          message: answer.status < 300 ? undefined : (causes?.[0]?.message ?? answer.body.message),
          warnings: answer.warnings,
        },
        {
          status: row.status,
          reason: row.reason,
          message: row.message,
          warnings: row.warnings ?? [],
        },
      )
    })
  }
})

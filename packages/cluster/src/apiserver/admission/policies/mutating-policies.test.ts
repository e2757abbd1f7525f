import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fresh, recorded, REGISTRATION } from '../../testing/recorded.ts'

/** What kube-apiserver v1.36 makes of an object under one policy and its binding. */
interface Row {
  readonly name: string
  readonly spec: object
  readonly plural: string
  readonly path: string
  readonly body: object
  readonly binding?: object
  readonly status: number
  readonly reason?: string
  readonly message?: string
  readonly result?: object
  readonly data?: object
  readonly labels?: object
  readonly annotations?: object
}

const ROWS = recorded<Row>(new URL('../testdata/mutating-policies.json', import.meta.url))
const WIDGETS = JSON.parse(
  readFileSync(new URL('../testdata/widgets.json', import.meta.url), 'utf8'),
) as object

describe('mutating policies', () => {
  const { server, send } = fresh()

  before(async () => {
    await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS)
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'vap' } })
    for (const limit of ['1', '2']) {
      const metadata = { name: `param${limit}`, labels: { param: 'y' } }
      await send('POST', '/api/v1/namespaces/vap/configmaps', { metadata, data: { limit } })
    }
  })

  after(() => server.close())

  for (const row of ROWS) {
    test(row.name, async () => {
      const name = row.name.toLowerCase()
      const labels = { case: name }
      const policies = `${REGISTRATION}/mutatingadmissionpolicies`
      const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'] }
      const matchConstraints = {
        objectSelector: { matchLabels: labels },
        resourceRules: [{ ...rule, resources: [row.plural] }],
      }
      const spec = { reinvocationPolicy: 'Never', matchConstraints, ...row.spec }
      const policy = await send('POST', policies, { metadata: { name }, spec })
      assert.equal(policy.status, 201, String(policy.body.message))
      const bindings = `${REGISTRATION}/mutatingadmissionpolicybindings`
      const bound = { policyName: name, ...row.binding }
      assert.equal((await send('POST', bindings, { metadata: { name }, spec: bound })).status, 201)
      const answer = await send('POST', row.path, { ...row.body, metadata: { name, labels } })
      await send('DELETE', `${bindings}/${name}`)
      await send('DELETE', `${policies}/${name}`)
      assert.equal(answer.status, row.status, String(answer.body.message))
      if (row.status >= 300) {
        const { reason, message } = answer.body
        assert.deepEqual([reason, message], [row.reason, row.message])
        return
      }
      const { metadata } = answer.body
      assert.deepEqual(
        [answer.body['spec'], answer.body['data'], metadata!['labels'], metadata!['annotations']],
        [row.result, row.data, row.labels, row.annotations],
      )
    })
  }
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { systemClock } from 'kubewright/base'
import type { AdmissionConfiguration } from '../admission/plugins.ts'
import { fresh, recorded } from '../testing/recorded.ts'
import { FlagError } from './flag-error.ts'
import { loadAdmission } from './load-admission.ts'

interface Row {
  readonly name: string
  readonly text: string
  readonly enable: readonly string[]
  /** How kube-apiserver v1.36.3 says why it does not start; null where it starts. */
  readonly sentence: string | null
}

const rows = recorded<Row>(new URL('testdata/admission.json', import.meta.url))

function written(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'admission-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const configFile = join(folder, 'admission.yaml')
  writeFileSync(configFile, text)
  return configFile
}

const read = async (
  t: TestContext,
  text: string,
  enable: readonly string[] = [],
): Promise<AdmissionConfiguration | undefined> =>
  loadAdmission({ admission: { enable, disable: [], configFile: written(t, text) } }, systemClock)

for (const { name, text, enable, sentence } of rows) {
  test(`${name}: a file is taken or refused as the real one does`, async (t) => {
    if (sentence === null) return void (await read(t, text, enable))
    await assert.rejects(read(t, text, enable), new FlagError('invalid', sentence))
  })
}

const HEAD = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
`

test('what the file says holds', async (t) => {
  const configuration = await read(
    t,
    `${HEAD}
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline, warn: restricted}
    exemptions: {namespaces: [kube-system], runtimeClasses: [], usernames: []}
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - resource: configmaps
      matchContains: [count/configmaps]
    - resource: pods
      matchScopes:
      - scopeName: PriorityClass
        operator: In
        values: [system-cluster-critical]
`,
  )
  const { server, send } = fresh({ admission: { configuration: configuration! } })
  await using _ = server
  const pod = (spec: object): object => ({
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  })
  const account = { metadata: { name: 'default' } }
  await send('POST', '/api/v1/namespaces/default/serviceaccounts', account)
  await send('POST', '/api/v1/namespaces/kube-system/serviceaccounts', account)
  const post = (namespace: string, plural: string, body: object): ReturnType<typeof send> =>
    send('POST', `/api/v1/namespaces/${namespace}/${plural}`, body)
  const refused = await post('default', 'pods', pod({ hostNetwork: true }))
  assert.equal(
    refused.body.message,
    'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  )
  const warned = await post('default', 'pods', pod({}))
  assert.equal(warned.status, 201)
  assert.match(warned.warnings.join(), /would violate PodSecurity \\"restricted:latest\\"/)
  assert.equal((await post('kube-system', 'pods', pod({ hostNetwork: true }))).status, 201)
  const labelled = await send(
    'PATCH',
    '/api/v1/namespaces/kube-system',
    { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } },
    { 'content-type': 'application/merge-patch+json' },
  )
  assert.deepEqual(labelled.warnings, [
    '299 - "namespace \\"kube-system\\" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored"',
  ])
  const free = await post('default', 'configmaps', { metadata: { name: 'x' } })
  assert.equal(
    free.body.message,
    'configmaps "x" is forbidden: insufficient quota to consume: count/configmaps',
  )
  const critical = await post('default', 'pods', {
    ...pod({ priorityClassName: 'system-cluster-critical' }),
    metadata: { name: 'q' },
  })
  assert.equal(
    critical.body.message,
    'insufficient quota to match these scopes: [{PriorityClass In [system-cluster-critical]}]',
  )
})

import assert from 'node:assert/strict'
import test from 'node:test'
import type { ConfigMap, Container, Pod, Secret, Service } from 'kubewright/kinds/core/v1'
import { commandLine } from './command-line.ts'
import { containerVariables, type EnvironmentSources } from './environment.ts'
import { expand } from './expand.ts'

const POD: Pod = {
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: 'u1',
    labels: { tier: 'front', app: 'web' },
    annotations: { note: 'a "quoted" one' },
  },
  spec: { nodeName: 'node-1', serviceAccountName: 'default', containers: [] },
}

const service = (namespace: string, name: string, ports: object[]): Service =>
  ({ metadata: { namespace, name }, spec: { clusterIP: '10.96.0.7', ports } }) as Service

const SOURCES: EnvironmentSources = {
  podIP: '10.244.0.9',
  hostIP: '10.89.0.2',
  allocatable: { cpu: '4', memory: '8Gi' },
  configMap: (name) =>
    name === 'settings'
      ? ({ metadata: {}, data: { COLOUR: 'red', size: '3' } } as ConfigMap)
      : undefined,
  secret: (name) =>
    name === 'keys'
      ? ({ metadata: {}, data: { token: Buffer.from('s3cret').toString('base64') } } as Secret)
      : undefined,
  services: [
    service('default', 'kubernetes', [{ name: 'https', port: 443, protocol: 'TCP' }]),
    service('shop', 'my-db', [{ port: 5432 }, { name: 'admin-ui', port: 80, protocol: 'UDP' }]),
    service('other', 'unseen', [{ port: 1 }]),
  ],
}

const variables = (container: Partial<Container>, pod: Pod = POD): Record<string, string> =>
  Object.fromEntries(containerVariables(pod, { name: 'main', ...container }, SOURCES))

test('references are expanded as Kubernetes does', () => {
  const value = (name: string): string | undefined => ({ A: '1', B: '' })[name]
  const cases: readonly (readonly [string, string])[] = [
    ['$(A)', '1'],
    ['x$(B)y', 'xy'],
    ['$(C)', '$(C)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$1'],
    ['$(A', '$(A'],
    ['$A $', '$A $'],
    ['$()', '$()'],
  ]
  for (const [text, expected] of cases) assert.equal(expand(text, value), expected, text)
})

test('variables come from sources, fields, resources and each other, in order', () => {
  const it = variables({
    envFrom: [
      { prefix: 'C_', configMapRef: { name: 'settings' } },
      { secretRef: { name: 'keys' } },
    ],
    env: [
      { name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'NOTE', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['note']" } } },
      { name: 'LABELS', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      {
        name: 'MEM',
        valueFrom: { resourceFieldRef: { resource: 'requests.memory', divisor: '1Mi' } },
      },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
      {
        name: 'NONE',
        valueFrom: { configMapKeyRef: { name: 'nowhere', key: 'x', optional: true } },
      },
      { name: 'URL', value: 'http://$(ME):$(LATER)$(MY_DB_SERVICE_PORT)' },
      { name: 'LATER', value: '1' },
    ],
    resources: { requests: { memory: '100M' } },
  })
  assert.equal(it['C_COLOUR'], 'red')
  assert.equal(it['token'], 's3cret')
  assert.equal(it['ME'], 'web-0')
  assert.equal(it['IP'], '10.244.0.9')
  assert.equal(it['NOTE'], 'a "quoted" one')
  assert.equal(it['LABELS'], 'app="web"\ntier="front"')
  assert.equal(it['CPU'], '4', 'no limit: what the node has')
  assert.equal(it['MEM'], '96', 'rounded up')
  assert.equal(it['KEY'], 's3cret')
  assert.ok(!('NONE' in it))
  assert.equal(it['URL'], 'http://web-0:$(LATER)5432')
})

test('services of the namespace, and the API server, are told as variables', () => {
  const it = variables({})
  assert.equal(it['KUBERNETES_SERVICE_HOST'], '10.96.0.7')
  assert.equal(it['KUBERNETES_SERVICE_PORT_HTTPS'], '443')
  assert.equal(it['MY_DB_SERVICE_PORT'], '5432')
  assert.equal(it['MY_DB_SERVICE_PORT_ADMIN_UI'], '80')
  assert.equal(it['MY_DB_PORT'], 'tcp://10.96.0.7:5432')
  assert.equal(it['MY_DB_PORT_80_UDP_PROTO'], 'udp')
  assert.ok(!Object.keys(it).some((name) => name.startsWith('UNSEEN')))
  const without = { ...POD, spec: { ...POD.spec!, enableServiceLinks: false } }
  const few = variables({}, without)
  assert.equal(few['KUBERNETES_PORT'], 'tcp://10.96.0.7:443')
  assert.ok(!('MY_DB_PORT' in few))
})

test('what is missing is told in the words of a kubelet', () => {
  const missing =
    (env: object): (() => unknown) =>
    () =>
      variables({ env: [{ name: 'X', ...env }] })
  assert.throws(missing({ valueFrom: { secretKeyRef: { name: 'nope', key: 'a' } } }), {
    name: 'ContainerConfigError',
    message: 'secret "nope" not found',
  })
  assert.throws(missing({ valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } }), {
    message: "couldn't find key a in ConfigMap shop/settings",
  })
  assert.throws(() => variables({ envFrom: [{ configMapRef: { name: 'nope' } }] }), {
    message: 'configmap "nope" not found',
  })
})

test('a command line is the container’s over its image’s', () => {
  const image = {
    command: ['etcd'],
    args: ['--name=$(ME)'],
    programs: { '/usr/local/bin/etcd': '/usr/bin/etcd' },
  }
  const env = new Map([['ME', 'web-0']])
  const line = (container: Partial<Container>): readonly string[] =>
    commandLine({ name: 'main', ...container }, image, env)
  assert.deepEqual(line({}), ['etcd', '--name=web-0'])
  assert.deepEqual(line({ args: ['--x', '$$(ME)'] }), ['etcd', '--x', '$(ME)'])
  assert.deepEqual(line({ command: ['/usr/local/bin/etcd'] }), ['/usr/bin/etcd'])
  assert.deepEqual(line({ command: ['sh', '-c'], args: ['echo $ME'] }), ['sh', '-c', 'echo $ME'])
  assert.throws(() => commandLine({ name: 'main' }, {}, env), /no command specified/)
})

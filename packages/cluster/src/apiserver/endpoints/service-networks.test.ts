import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fresh, recorded } from '../testing/recorded.ts'

interface Row {
  readonly step: readonly [
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ]
  readonly answer: object
}

/**
 * Asked of kube-apiserver v1.36.3 with `--service-cluster-ip-range=10.0.0.0/24,fd00::/112` and `--service-node-port-range=40000-40010`,
 * one after the other.
 */
const rows = recorded<Row>(new URL('testdata/service-networks.json', import.meta.url))

test('services get addresses of both families, and ports of the range, as the real ones', async () => {
  const { server, send } = fresh({
    serviceRange: '10.0.0.0/24',
    secondServiceRange: 'fd00::/112',
    nodePorts: { first: 40000, last: 40010 },
  })
  await using _ = server
  for (const { step, answer } of rows) {
    const [method, path, body, headers] = step
    const given = await send(method, path, body, headers)
    assert.deepEqual(settled(given), settled(answer), `${method} ${path} ${JSON.stringify(body)}`)
  }
})

test('a cluster of IPv6 alone has that as its usual family', async () => {
  const { server, send } = fresh({ serviceRange: 'fd00::/112' })
  await using _ = server
  const services = '/api/v1/namespaces/default/services'
  const own = await send('GET', `${services}/kubernetes`)
  assert.deepEqual(own.body['spec'] && (own.body['spec'] as Spec).clusterIPs, ['fd00::1'])
  const made = await send('POST', services, { metadata: { name: 's' }, spec: { ports: PORTS } })
  assert.deepEqual((made.body['spec'] as Spec).ipFamilies, ['IPv6'])
})

interface Spec {
  readonly clusterIPs: readonly string[]
  readonly ipFamilies: readonly string[]
}

const PORTS = [{ port: 80 }]
/** What differs from run to run. */
const CHANCE: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'lastTransitionTime',
  'targetPort',
])

/** Addresses and ports that chance gave are shown as what they are, without who owns which field. */
function settled(value: unknown): unknown {
  const text = JSON.stringify(value, (name, it: unknown) =>
    name === 'managedFields' ? undefined : CHANCE.has(name) ? '*' : it,
  )
  return JSON.parse(
    text
      .replaceAll(/"10\.0\.0\.\d+"/g, '"an IPv4 address"')
      .replaceAll(/"fd00::[0-9a-f]+"/g, '"an IPv6 address"')
      .replaceAll(/"nodePort":400\d\d/g, '"nodePort":"a node port"'),
  )
}

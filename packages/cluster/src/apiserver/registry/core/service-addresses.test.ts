import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError, type UnknownObject } from 'kubewright/machinery'
import { contextOf, created, resourceNamed } from '../testing/harness.ts'
import type { StrategyContext } from '../strategy.ts'

// Messages are those of kube-apiserver v1.36.

interface Spec {
  readonly clusterIP?: string
  readonly ports: readonly { readonly nodePort?: number }[]
}

const SERVICE = resourceNamed('v1/services')
const PORTS = [{ port: 80 }]

/** A cluster whose services have so many addresses, and the services that it has so far. */
function cluster(cidrs: readonly string[]): {
  readonly add: (name: string, spec: object) => Promise<Spec>
} {
  const services: UnknownObject[] = []
  const ranges = cidrs.map((it, i) => ({
    metadata: { name: `range-${i}` },
    spec: { cidrs: [it] },
  })) as UnknownObject[]
  const context: StrategyContext = contextOf(SERVICE, {
    '/namespaces': [{ metadata: { name: 'default' } }],
    '/services': services,
    'networking.k8s.io/servicecidrs': ranges,
  })
  return {
    add: async (name, spec) => {
      const { object, errors } = await created(
        SERVICE,
        { metadata: { name }, spec: { ports: PORTS, ...spec } },
        context,
      )
      assert.deepEqual(errors, [])
      services.push(object as unknown as UnknownObject)
      return object['spec'] as Spec
    },
  }
}

const refusal = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run
    return ''
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

test('each service has an address of its own, of any range, as long as there are some', async () => {
  const { add } = cluster(['10.0.0.0/29', '10.1.0.0/30'])
  const given: (string | undefined)[] = []
  for (let i = 0; i < 8; i++) given.push((await add(`s${i}`, {})).clusterIP)
  const all = [...[1, 2, 3, 4, 5, 6].map((it) => `10.0.0.${it}`), '10.1.0.1', '10.1.0.2']
  assert.deepEqual(given.toSorted(), all)
  assert.match(await refusal(add('full', {})), /failed to allocate a serviceIP|range is full/)
})

test('an address that is asked for must be free and lie in a range', async () => {
  const { add } = cluster(['10.0.0.0/16'])
  await add('t1', { clusterIP: '10.0.5.5' })
  const why = (ip: string, problem: string): string =>
    `Service "t2" is invalid: spec.clusterIPs: Invalid value: ["${ip}"]: failed to allocate IP ${ip}: ${problem}`
  const foreign = 'the provided network does not match the current range'
  const ask = (clusterIP: string): Promise<string> => refusal(add('t2', { clusterIP }))
  assert.equal(await ask('10.0.5.5'), why('10.0.5.5', 'provided IP is already allocated'))
  assert.equal(await ask('10.0.0.0'), why('10.0.0.0', foreign))
  assert.equal(await ask('1.2.3.4'), why('1.2.3.4', foreign))
})

test('node ports are given once per protocol', async () => {
  const { add } = cluster(['10.0.0.0/16'])
  const type = 'NodePort'
  await add('t3', { type, ports: [{ port: 80, nodePort: 30111 }] })
  const head = 'Service "t4" is invalid: spec.ports'
  assert.equal(
    await refusal(add('t4', { type, ports: [{ port: 80, nodePort: 30111 }] })),
    `${head}[0].nodePort: Invalid value: 30111: provided port is already allocated`,
  )
  assert.equal(
    await refusal(add('t4', { type, ports: [{ port: 80, nodePort: 80 }] })),
    `${head}[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767`,
  )
  const both = [
    { port: 80, nodePort: 30222, name: 'a' },
    { port: 80, nodePort: 30222, protocol: 'UDP', name: 'b' },
  ]
  assert.equal((await add('t6', { type, ports: both })).ports.length, 2)
})

test('node ports that nobody asked for lie in their range and differ', async () => {
  const { add } = cluster(['10.0.0.0/16'])
  const ports: (number | undefined)[] = []
  for (let i = 0; i < 40; i++) {
    const spec = await add(`s${i}`, { type: 'NodePort' })
    ports.push(...spec.ports.map((it) => it.nodePort))
  }
  assert.equal(new Set(ports).size, 40)
  assert.ok(ports.every((it) => it !== undefined && it >= 30000 && it <= 32767))
})

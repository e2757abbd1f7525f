import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { EndpointSlice } from 'kubewright/kinds/discovery.k8s.io/v1'
import type { Pod, Service } from 'kubewright/kinds/core/v1'
import { hintsFor } from './hints.ts'
import { planSlices } from './slices.ts'
import { TriggerTimes } from './trigger-time.ts'
import { endpointsDiffer, endpointsLabels, endpointSubsets } from './subsets.ts'

const service = (spec: Partial<NonNullable<Service['spec']>> = {}): Service => ({
  metadata: { name: 'web', namespace: 'default', uid: 'uid-service', labels: { app: 'web' } },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
    ...spec,
  },
})

const pod = (index: number, ready: boolean = true, port: number = 8080): Pod => ({
  metadata: {
    name: `web-${index}`,
    namespace: 'default',
    uid: `uid-${index}`,
    labels: { app: 'web' },
  },
  spec: {
    nodeName: 'node-1',
    containers: [{ name: 'main', ports: [{ name: 'http', containerPort: port }] }],
  },
  status: {
    phase: 'Running',
    podIP: `10.244.0.${index}`,
    podIPs: [{ ip: `10.244.0.${index}` }],
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
  },
})

/** Does what a plan says, as a server would. */
class Slices {
  readonly all: Map<string, EndpointSlice> = new Map()
  writes = 0
  #count = 0

  sync(it: Service, pods: readonly Pod[]): this {
    const slices = [...this.all.values()]
    const plan = planSlices({ service: it, pods, slices, node: () => undefined })
    for (const draft of plan.create) {
      const name = `web-${this.#count++}`
      this.all.set(name, { ...draft, metadata: { ...draft.metadata, name } } as EndpointSlice)
    }
    for (const slice of plan.update) this.all.set(slice.metadata.name!, slice)
    for (const slice of plan.remove) this.all.delete(slice.metadata.name!)
    this.writes = plan.create.length + plan.update.length + plan.remove.length
    return this
  }

  get addresses(): readonly string[] {
    return [...this.all.values()].flatMap((it) =>
      (it.endpoints ?? []).flatMap((one) => one.addresses),
    )
  }
}

test('a slice tells of every pod, ready or not, with the port that its name has there', () => {
  const slices = new Slices().sync(service(), [pod(1), pod(2, false)])
  const [slice] = [...slices.all.values()]
  assert.deepEqual(slice!.metadata.labels, {
    app: 'web',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  })
  assert.deepEqual(slice!.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }])
  assert.deepEqual(slice!.endpoints![0], {
    addresses: ['10.244.0.1'],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: 'Pod', namespace: 'default', name: 'web-1', uid: 'uid-1' },
    nodeName: 'node-1',
  })
  assert.deepEqual(slice!.endpoints![1]!.conditions, {
    ready: false,
    serving: false,
    terminating: false,
  })
})

test('pods with other ports have a slice of their own', () => {
  const slices = new Slices().sync(service(), [pod(1), pod(2, true, 9090)])
  assert.deepEqual([...slices.all.values()].map((it) => it.ports![0]!.port).sort(), [8080, 9090])
})

test('a service without pods has one empty slice, and so has it after its last pod went', () => {
  const slices = new Slices().sync(service(), [])
  assert.equal(slices.all.size, 1)
  assert.deepEqual([...slices.all.values()][0]!.endpoints, [])
  slices.sync(service(), [pod(1)]).sync(service(), [])
  assert.equal(slices.all.size, 1)
  assert.equal(slices.sync(service(), []).writes, 0)
})

test('a pod that is ending is told of as such, and one that has ended no more', () => {
  const ending = pod(1)
  const going = {
    ...ending,
    metadata: { ...ending.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  }
  const slices = new Slices().sync(service(), [going])
  const conditions = [...slices.all.values()][0]!.endpoints![0]!.conditions
  assert.deepEqual(conditions, { ready: false, serving: true, terminating: true })
  const ended: Pod = { ...going, status: { ...going.status!, phase: 'Succeeded' } }
  assert.deepEqual(slices.sync(service(), [ended]).addresses, [])
})

test('whatever comes and goes, slices hold each pod once, at most a hundred, and a second look writes nothing', () => {
  const numbers = fc.uniqueArray(fc.nat(250), { maxLength: 250 })
  const property = fc.property(fc.array(numbers, { minLength: 1, maxLength: 4 }), (rounds) => {
    const slices = new Slices()
    for (const list of rounds) {
      const pods = list.map((it) => pod(it))
      slices.sync(service(), pods)
      assert.deepEqual([...slices.addresses].sort(), pods.map((it) => it.status!.podIP!).sort())
      for (const it of slices.all.values()) assert.ok(it.endpoints!.length <= 100)
      assert.equal(slices.sync(service(), pods).writes, 0)
    }
  })
  fc.assert(property, { numRuns: 50 })
})

test('a change of one pod among many writes one slice', () => {
  const pods = Array.from({ length: 250 }, (_, index) => pod(index))
  const slices = new Slices().sync(service(), pods)
  assert.equal(slices.all.size, 3)
  assert.equal(slices.sync(service(), pods.with(120, pod(120, false))).writes, 1)
})

test('subsets join what shares its ports, ready and not', () => {
  const subsets = endpointSubsets(service(), [pod(2), pod(1), pod(3, false), pod(4, true, 9090)])
  const target = (index: number) => ({
    ip: `10.244.0.${index}`,
    nodeName: 'node-1',
    targetRef: { kind: 'Pod', namespace: 'default', name: `web-${index}`, uid: `uid-${index}` },
  })
  assert.deepEqual(subsets, [
    {
      addresses: [target(1), target(2)],
      notReadyAddresses: [target(3)],
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    },
    { addresses: [target(4)], ports: [{ name: 'http', port: 9090, protocol: 'TCP' }] },
  ])
  assert.deepEqual(endpointSubsets(service(), []), [])
})

test('a headless service without ports still tells of its pods', () => {
  const headless = service({ clusterIP: 'None', ports: [] })
  assert.equal(endpointSubsets(headless, [pod(1)])[0]!.addresses!.length, 1)
  assert.equal(endpointsLabels(headless)['service.kubernetes.io/headless'], '')
  assert.deepEqual(endpointSubsets(service({ ports: [] }), [pod(1)]), [])
})

test('endpoints are written only when they tell something new', () => {
  const subsets = endpointSubsets(service(), [pod(1)])
  const labels = endpointsLabels(service())
  const current = { metadata: { labels }, subsets }
  assert.equal(endpointsDiffer(current, subsets, labels), false)
  assert.equal(endpointsDiffer(current, endpointSubsets(service(), [pod(1, false)]), labels), true)
  assert.equal(endpointsDiffer(current, subsets, { ...labels, more: 'x' }), true)
})

test('ports and subsets stand in the order of their hashes, as in every Endpoints', () => {
  const ports = [
    { name: 'a', port: 80, targetPort: 8080 },
    { name: 'b', port: 81 },
  ]
  const [subset] = endpointSubsets(service({ ports }), [pod(1)])
  assert.deepEqual(
    subset?.ports?.map((it) => it.name),
    ['b', 'a'],
  )
})

test('a slice says for whom its endpoints are, where traffic is to stay close', () => {
  const zone = 'z1'
  const endpoint = { addresses: [], nodeName: 'n', zone, conditions: { ready: true } }
  const hints = (trafficDistribution: string, it: object = endpoint): unknown =>
    hintsFor(service({ trafficDistribution } as never), it as never)
  assert.deepEqual(hints('PreferClose'), { forZones: [{ name: zone }] })
  assert.deepEqual(hints('PreferSameNode'), {
    forZones: [{ name: zone }],
    forNodes: [{ name: 'n' }],
  })
  assert.equal(hints('PreferSameZone', { ...endpoint, conditions: { ready: false } }), undefined)
  assert.equal(hints(''), undefined)
})

test('the trigger time is that of the service first, then that of the earliest change', () => {
  const times = new TriggerTimes()
  const made = { ...service({}), metadata: { name: 's', namespace: 'n', creationTimestamp: 'T0' } }
  const ready = (index: number, lastTransitionTime: string): Pod => ({
    ...pod(index),
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
  })
  const [a, b] = [ready(1, '2026-01-01T00:00:05Z'), ready(2, '2026-01-01T00:00:03Z')]
  assert.equal(times.take(made, []), 'T0')
  assert.equal(times.take(made, [a, b]), '2026-01-01T00:00:03Z')
  assert.equal(times.take(made, [a, b]), undefined)
  assert.equal(times.take(made, [ready(1, '2026-01-01T00:00:09Z'), b]), '2026-01-01T00:00:09Z')
})

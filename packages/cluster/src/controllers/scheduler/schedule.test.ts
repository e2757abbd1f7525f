import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Node, Pod, PodSpec } from 'kubewright/kinds/core/v1'
import { PodInfo } from './pod-info.ts'
import { known, place as placeIn, placement, preemption, worldOf } from './world.fixture.ts'

const node = (name: string, more: { readonly spec?: NonNullable<Node['spec']> } = {}): Node => ({
  metadata: {
    name,
    labels: { 'kubernetes.io/hostname': name, disk: name === 'a' ? 'ssd' : 'hdd' },
  },
  spec: more.spec ?? {},
  status: { allocatable: { cpu: '2', memory: '4Gi', pods: '3' } },
})

const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name },
  spec: { containers: [{ name: 'main' }], ...spec },
})

const asking = (cpu: string): Partial<PodSpec> => ({
  containers: [{ name: 'main', resources: { requests: { cpu } } }],
})

const place = (it: Pod, nodes: readonly Node[], pods: readonly Pod[] = []): string =>
  placeIn(it, worldOf(nodes, pods))

test('a pod goes where the fewest are', () => {
  const nodes = [node('b'), node('a')]
  assert.equal(place(pod('x'), nodes), 'a')
  assert.equal(place(pod('x'), nodes, [pod('y', { nodeName: 'a' })]), 'b')
  const done: Pod = { ...pod('y', { nodeName: 'a' }), status: { phase: 'Succeeded' } }
  assert.equal(place(pod('x'), nodes, [done]), 'a', 'a pod that has ended takes no place')
})

test('selectors, affinity, taints and cordons keep a pod away', () => {
  const nodes = [node('a'), node('b')]
  assert.equal(place(pod('x', { nodeSelector: { disk: 'hdd' } }), nodes), 'b')
  const terms = (operator: string, key: string, values?: string[]): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key, operator, ...(values && { values }) }] } as never,
          ],
        },
      },
    },
  })
  assert.equal(place(pod('x', terms('NotIn', 'disk', ['ssd'])), nodes), 'b')
  assert.equal(place(pod('x', terms('In', 'disk', ['ssd', 'nvme'])), nodes), 'a')
  assert.match(
    place(pod('x', terms('Exists', 'gpu')), nodes),
    /^0\/2 nodes are available: 2 node\(s\) didn't match Pod's node affinity\/selector\./,
  )
  const tainted = node('a', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } })
  assert.equal(place(pod('x'), [tainted, node('b')]), 'b')
  assert.equal(place(pod('x', { tolerations: [{ operator: 'Exists' }] }), [tainted]), 'a')
  assert.equal(place(pod('x', { tolerations: [{ key: 'k', value: 'v' }] }), [tainted]), 'a')
  assert.equal(place(pod('x'), [node('a', { spec: { unschedulable: true } }), node('b')]), 'b')
})

test('what no node can hold is refused in the words of the scheduler', () => {
  const nodes = [node('a'), node('b', { spec: { unschedulable: true } })]
  assert.equal(
    place(pod('x', asking('3')), nodes),
    '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
  )
  assert.equal(
    place(pod('x', asking('1500m')), [node('a')], [pod('y', { nodeName: 'a', ...asking('600m') })]),
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  )
  const full = ['1', '2', '3'].map((it) => pod(it, { nodeName: 'a' }))
  assert.match(place(pod('x'), [node('a')], full), /: 1 Too many pods\./)
  const port = { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] }
  assert.match(
    place(pod('x', port), [node('a')], [pod('y', { nodeName: 'a', ...port })]),
    /1 node\(s\) didn't have free ports/,
  )
  assert.equal(place(pod('x'), []), 'no nodes available to schedule pods')
})

test('an init container counts when it asks for more than the rest together', () => {
  const spec: Partial<PodSpec> = {
    initContainers: [{ name: 'big', resources: { requests: { cpu: '2500m' } } }],
    ...asking('100m'),
  }
  assert.match(place(pod('x', spec), [node('a')]), /Insufficient cpu/)
})

test('no node is ever given more than it has', () => {
  const property = fc.property(
    fc.array(fc.integer({ min: 0, max: 2500 }), { maxLength: 20 }),
    fc.integer({ min: 1, max: 4 }),
    (milli, count) => {
      const nodes = Array.from({ length: count }, (_, index) => node(`n${index}`))
      const world = worldOf(nodes)
      for (const [index, cpu] of milli.entries()) {
        const it = known(pod(`p${index}`, asking(`${cpu}m`)))
        const found = placement(it, world)
        if (found.is === 'placed') world.assume(new PodInfo(it), found.node.name)
      }
      for (const { name, requested, podCount, pods } of world.nodes) {
        const sum = [...pods].reduce((total, it) => total + milli[Number(it.uid.slice(1))]!, 0)
        assert.equal(requested['cpu'] ?? 0, sum)
        assert.ok(sum <= 2000 && podCount <= 3, name)
      }
    },
  )
  fc.assert(property)
})

test('a more important pod takes the place of less important ones, as few and as little as possible', () => {
  const small = (name: string, where: string, priority: number, cpu: string): Pod =>
    pod(name, { nodeName: where, priority, ...asking(cpu) })
  const nodes = [node('a'), node('b')]
  const pods = [
    small('a1', 'a', 10, '1500m'),
    small('a2', 'a', 1, '400m'),
    small('b1', 'b', 5, '1200m'),
    small('b2', 'b', 1, '700m'),
  ]
  const preempt = (it: Pod): unknown => {
    const found = preemption(it, worldOf(nodes, pods))
    if (found.is === 'vain') return found.why
    return [found.node.name, found.victims.map((one) => one.uid)]
  }
  assert.deepEqual(preempt(pod('x', { priority: 100, ...asking('500m') })), ['a', ['a2']])
  assert.deepEqual(preempt(pod('x', { priority: 100, ...asking('800m') })), ['b', ['b2']])
  assert.deepEqual(preempt(pod('x', { priority: 100, ...asking('1300m') })), ['b', ['b1']])
  assert.equal(
    preempt(pod('x', { priority: 1, ...asking('1') })),
    '0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  )
  assert.equal(
    preempt(pod('x', { priority: 5, ...asking('1900m') })),
    '0/2 nodes are available: 2 Insufficient cpu.',
  )
  const never = { priority: 100, preemptionPolicy: 'Never' } as const
  assert.equal(
    preempt(pod('x', { ...never, ...asking('1') })),
    'not eligible due to preemptionPolicy=Never.',
  )
})

const web = (name: string, where?: string, spec: Partial<PodSpec> = {}): Pod => {
  const made = pod(name, { ...spec, ...(where && { nodeName: where }) })
  return { ...made, metadata: { name, namespace: 'n', labels: { app: 'web' } } }
}

const near = (which: 'podAffinity' | 'podAntiAffinity', app: string): Partial<PodSpec> => ({
  affinity: {
    [which]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
})

test('pods keep away from one another, or together', () => {
  const nodes = [node('a'), node('b')]
  const apart = near('podAntiAffinity', 'web')
  assert.equal(place(web('x', undefined, apart), nodes), 'a')
  assert.equal(place(web('x', undefined, apart), nodes, [web('y', 'a')]), 'b')
  assert.match(
    place(web('x', undefined, apart), nodes, [web('y', 'a'), web('z', 'b')]),
    /^0\/2 nodes are available: 2 node\(s\) didn't match pod anti-affinity rules\. .* 2 No preemption victims/,
  )
  assert.match(
    place(web('x'), [node('a')], [web('y', 'a', apart)]),
    /1 node\(s\) didn't satisfy existing pods anti-affinity rules/,
  )
  const together = near('podAffinity', 'web')
  assert.equal(place(web('x', undefined, together), nodes), 'a', 'the first goes anywhere')
  assert.equal(place(web('x', undefined, together), nodes, [web('y', 'b')]), 'b')
  const elsewhere = { ...web('y', 'b'), metadata: { name: 'y', namespace: 'm' } }
  const lonely = near('podAffinity', 'db')
  assert.match(
    place(web('x', undefined, lonely), nodes, [elsewhere]),
    /2 node\(s\) didn't match pod affinity rules\. .* 2 Preemption is not helpful/,
  )
})

test('an anti-affinity makes room by preemption', () => {
  const important = { ...near('podAntiAffinity', 'web'), priority: 10 }
  const found = preemption(web('x', undefined, important), worldOf([node('a')], [web('y', 'a')]))
  assert.ok(found.is === 'possible')
  assert.deepEqual(
    found.victims.map((it) => it.uid),
    ['y'],
  )
})

test('pods are spread no more unevenly than they allow', () => {
  const constraint = {
    maxSkew: 1,
    topologyKey: 'disk',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  } as const
  const spread: Partial<PodSpec> = { topologySpreadConstraints: [constraint] }
  const nodes = [node('a'), node('b'), node('c')]
  // Disks: a has an ssd, b and c have none.
  const pods = [
    web('1', 'b'),
    web('2', 'c'),
    pod('3', { nodeName: 'a' }),
    pod('4', { nodeName: 'a' }),
  ]
  assert.equal(place(web('x', undefined, spread), nodes, pods), 'a', 'the fullest, but evenly')
  const full = [...pods, pod('5', { nodeName: 'a' })]
  assert.match(
    place(web('x', undefined, spread), nodes, full),
    /: 1 Too many pods, 2 node\(s\) didn't match pod topology spread constraints\./,
  )
  const many = { topologySpreadConstraints: [{ ...constraint, minDomains: 3 }] }
  assert.match(
    place(web('x', undefined, many), [node('a')], [web('1', 'a')]),
    /1 node\(s\) didn't match pod topology spread constraints\./,
  )
  const other = { topologySpreadConstraints: [{ ...constraint, topologyKey: 'rack' }] }
  assert.match(
    place(web('x', undefined, other), nodes),
    /3 node\(s\) didn't match pod topology spread constraints \(missing required label\)\./,
  )
})

test('a port of the host is taken by address and protocol', () => {
  const port = (hostIP: string | undefined, protocol: 'TCP' | 'UDP'): Partial<PodSpec> => ({
    containers: [
      {
        name: 'main',
        ports: [{ containerPort: 80, hostPort: 80, protocol, ...(hostIP && { hostIP }) }],
      },
    ],
  })
  const taken = pod('y', { nodeName: 'a', ...port('127.0.0.1', 'TCP') })
  assert.equal(place(pod('x', port('10.0.0.1', 'TCP')), [node('a')], [taken]), 'a')
  assert.equal(place(pod('x', port('127.0.0.1', 'UDP')), [node('a')], [taken]), 'a')
  assert.match(place(pod('x', port(undefined, 'TCP')), [node('a')], [taken]), /free ports/)
})

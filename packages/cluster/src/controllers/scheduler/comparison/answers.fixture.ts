/** What kube-scheduler v1.36.3 did, by scenario: the output of record.fixture.ts. */
export const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  selector: [
    'a: on n1',
    "b: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  taints: [
    'a: on n2',
    "b: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    'c: on n3',
  ],
  cordon: [
    "a: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  'named nodes': [
    'a: on n1',
    "b: Unschedulable: 0/4 nodes are available: 4 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    'c: Unschedulable: 0/4 nodes are available: pod affinity terms conflict. not found',
  ],
  expressions: [
    'gt: on n1',
    "lt: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  resources: [
    'a: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    'b: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient memory. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    'c: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient ephemeral-storage. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    'd: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient example.com/gpu. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    'e: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    'g: on n1',
  ],
  sidecars: [
    'a: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    'b: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    'c: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
  ],
  'too many pods': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Too many pods. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
    'x: on n2',
  ],
  ports: [
    "x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't have free ports for the requested pod ports. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    'z: on n2',
    'w: on n1',
  ],
  'least allocated': ['x: on n2'],
  balance: ['x: on n2'],
  images: ['x: on n2'],
  'preferred nodes': ['x: on n2'],
  'soft taints': ['x: on n2'],
  apart: [
    "x3: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    "y: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't satisfy existing pods anti-affinity rules. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
  ],
  together: [
    "lonely: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod affinity rules. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    'x: on n2',
    "y: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod affinity rules. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    "z: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod affinity rules. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  'all namespaces': [
    'x: on n2',
    "y: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod affinity rules. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  'rather near': ['x: on n2'],
  'rather far': ['x: on n2'],
  spread: [
    'x: on n2',
    "y: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
  ],
  'spread policies': [
    "x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    "y: Unschedulable: 0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod topology spread constraints, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.",
    'z: on n1',
  ],
  'spread keys': [
    'x: on n2',
    "y: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints (missing required label). no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  'soft spread': ['x: on n2'],
  preemption: ['x: on n1', 'a: Preempted'],
  'fewest victims': ['x: on n2', 'c: Preempted'],
  budgets: ['x: on n2', 'b: Preempted'],
  'a budget that cannot be kept': ['x: on n1', 'a: Preempted'],
  'never preempting': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  ],
  'equals stay': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
  ],
  'room by preemption is not enough': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to deallocate, preemption: 0/4 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
  ],
  'slow victims': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. (n1 promised)',
    'x: on n1',
    'a: Preempted',
  ],
  'no claim': [
    'x: Unschedulable: 0/4 nodes are available: persistentvolumeclaim "nowhere" not found. not found',
  ],
  'unbound claims': [
    'x: Unschedulable: 0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    'y: Unschedulable: 0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
  ],
  'ephemeral claims': [
    'x: Unschedulable: 0/4 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "x-v". not found',
  ],
  'nothing to bind': [
    "x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't find available persistent volumes to bind. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  'allowed topologies': [
    "x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't find available persistent volumes to bind. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
  ],
  'no capacity': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) did not have enough free storage. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
  ],
  'bound elsewhere': [
    "x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.",
    'y: on n2',
  ],
  'bound to nothing': [
    'x: Unschedulable: 0/4 nodes are available: persistentvolume "v9" not found. not found',
  ],
  'zones of volumes': [
    'x: on n2',
    'y: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) had no available volume zone. no new claims to deallocate, preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
  ],
  'one pod alone': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
  ],
  disks: [
    "x: Unschedulable: 0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had no available disk, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 Preemption is not helpful for scheduling.",
  ],
  'volume limits': [
    'x: Unschedulable: 0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 node(s) exceed max volume count. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.',
  ],
}

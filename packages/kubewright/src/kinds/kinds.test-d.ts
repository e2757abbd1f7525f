import type { Draft } from '../machinery/contracts.ts'
import type { ObjectOf } from '../machinery/kind.ts'
import type { Deployment } from './apps/v1.ts'
import type { ConfigMap, Container, Pod } from './core/v1.ts'
import type { ClusterRole } from './rbac.authorization.k8s.io/v1.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const check = <_T extends true>(): void => undefined

// A token stands for its type.
check<Equal<ObjectOf<typeof Deployment>, Deployment>>()
// What a server always has is promised, what it may leave out is not.
check<Equal<Deployment['spec']['replicas'], number | undefined>>()
check<Equal<Deployment['spec']['template']['spec']['containers'], readonly Container[]>>()
check<Equal<undefined extends Pod['status'] ? true : false, true>>()
// Enumerations are unions, maps are records, bytes are base64.
check<Equal<NonNullable<Container['imagePullPolicy']>, 'Always' | 'IfNotPresent' | 'Never'>>()
check<Equal<ConfigMap['binaryData'], Readonly<Record<string, string>> | undefined>>()
// What Go writes as null says so.
check<Equal<null extends ClusterRole['rules'] ? true : false, true>>()
// A draft needs no more than its author says.
export const draft: Draft<Deployment> = { metadata: { name: 'a' }, spec: { replicas: 1 } }
// @ts-expect-error a field that the kind does not have
export const wrong: Draft<Deployment> = { metadata: { name: 'a' }, spec: { replica: 1 } }

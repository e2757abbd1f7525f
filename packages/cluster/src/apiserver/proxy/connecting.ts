import type { Answer, ApiRequest } from '../http/message.ts'
import type { Dial } from '../http/dial.ts'
import type { UpstreamTls } from '../http/upstream.ts'

/**
 * Answers for a node in this process what the server would ask its kubelet over HTTPS: `/containerLogs/ns/pod/container`, `/exec/…`,
 * `/attach/…`, `/portForward/ns/pod`, and whatever `nodes/proxy` is asked for.
 */
export type Kubelet = (request: ApiRequest) => Promise<Answer>

/** The kubelet of a node that is in this process; undefined for one that is reached over the network. */
export type FindKubelet = (node: string) => Kubelet | undefined

/** How the server proves itself to kubelets (kube-apiserver's --kubelet-client-certificate and its like), PEM; without an authority any kubelet is believed. */
export type KubeletTls = Pick<UpstreamTls, 'ca' | 'cert' | 'key'>

/** What connecting needs beside a call. */
export interface Connecting {
  readonly findKubelet: FindKubelet
  readonly kubeletTls: KubeletTls
  /** Connects to pods and services that are not of the machine's network. */
  readonly dial: Dial | undefined
  /** Whether pods may have loopback addresses. */
  readonly allowLoopback: boolean
  /** A whole number below `count`. */
  readonly pick: (count: number) => number
}

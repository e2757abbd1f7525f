import { DaemonSet } from 'kubewright/kinds/apps/v1'
import type { NodeAffinity, NodeSelectorTerm, Pod, Toleration } from 'kubewright/kinds/core/v1'
import { controllerReference, type Draft } from 'kubewright/machinery'
import { podFromTemplate } from '../workload/pod-template.ts'

/** Which revision a daemon's pod is of: the hash of a ControllerRevision. */
export const DAEMON_REVISION = 'controller-revision-hash'
export const TEMPLATE_GENERATION = 'pod-template-generation'

/** What every daemon tolerates, so that a node in trouble keeps it (kubernetes/pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations). */
export function daemonTolerations(hostNetwork: boolean): readonly Toleration[] {
  const tolerate = (name: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect,
  })
  return [
    tolerate('not-ready', 'NoExecute'),
    tolerate('unreachable', 'NoExecute'),
    tolerate('disk-pressure', 'NoSchedule'),
    tolerate('memory-pressure', 'NoSchedule'),
    tolerate('pid-pressure', 'NoSchedule'),
    tolerate('unschedulable', 'NoSchedule'),
    ...(hostNetwork ? [tolerate('network-unavailable', 'NoSchedule')] : []),
  ]
}

const sameToleration = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key && a.effect === b.effect && (a.operator ?? 'Equal') === (b.operator ?? 'Equal')

/** A daemon's pod, bound to one node by affinity: the scheduler places it there. */
export function daemonPod(set: DaemonSet, node: string, hash: string): Draft<Pod> {
  const { template } = set.spec
  const pod = podFromTemplate(
    template,
    set.metadata.namespace!,
    controllerReference(DaemonSet, set),
  )
  const own = template.spec.tolerations ?? []
  const added = daemonTolerations(template.spec.hostNetwork === true).filter(
    (it) => !own.some((one) => sameToleration(one, it)),
  )
  const generation = set.metadata.annotations?.['deprecated.daemonset.template.generation']
  return {
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata?.labels,
        [DAEMON_REVISION]: hash,
        ...(generation && { [TEMPLATE_GENERATION]: generation }),
      },
    },
    spec: {
      ...template.spec,
      tolerations: [...own, ...added],
      affinity: {
        ...template.spec.affinity,
        nodeAffinity: onNode(template.spec.affinity?.nodeAffinity, node),
      },
    },
  }
}

/** The affinity with every required term replaced by the node's name (ReplaceDaemonSetPodNodeNameNodeAffinity). */
function onNode(affinity: NodeAffinity | undefined, node: string): NodeAffinity {
  const term: NodeSelectorTerm = {
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }],
  }
  return {
    ...affinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  }
}

/** The node that a daemon's pod is for: where it runs, or where it is to be scheduled. */
export function nodeOf(pod: Pod): string | undefined {
  if (pod.spec.nodeName) return pod.spec.nodeName
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required?.nodeSelectorTerms
    .flatMap((it) => it.matchFields ?? [])
    .find((it) => it.key === 'metadata.name')?.values?.[0]
}

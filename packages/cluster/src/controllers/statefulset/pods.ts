import { StatefulSet } from 'kubewright/kinds/apps/v1'
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from 'kubewright/kinds/core/v1'
import { controllerReference, type Draft } from 'kubewright/machinery'
import { podFromTemplate } from '../workload/pod-template.ts'

/** Which revision a pod is of: the name of a ControllerRevision. */
export const POD_REVISION = 'controller-revision-hash'
const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'

/** The number at the end of a pod's name, when the rest is the set's name; undefined otherwise. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const [, parent, ordinal] = /^(.*)-([0-9]+)$/.exec(pod.metadata.name ?? '') ?? []
  return parent === set.metadata.name ? Number(ordinal) : undefined
}

/** The first ordinal, and the one after the last. */
export function ordinalRange(set: StatefulSet): { readonly start: number; readonly end: number } {
  const start = set.spec.ordinals?.start ?? 0
  return { start, end: start + (set.spec.replicas ?? 1) }
}

/** The pod of one ordinal, of one revision, with its name, host name and volumes. */
export function statefulPod(
  set: StatefulSet,
  template: PodTemplateSpec,
  ordinal: number,
  revision: string,
): Draft<Pod> {
  const owner = controllerReference(StatefulSet, set)
  const { metadata, spec } = podFromTemplate(template, set.metadata.namespace!, owner)
  const name = `${set.metadata.name}-${ordinal}`
  return {
    metadata: {
      ...metadata,
      name,
      labels: {
        ...metadata?.labels,
        [POD_REVISION]: revision,
        [POD_NAME]: name,
        [POD_INDEX]: String(ordinal),
      },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec.serviceName && { subdomain: set.spec.serviceName }),
      volumes: volumes(set, template, ordinal),
    },
  }
}

const claimName = (set: StatefulSet, claim: PersistentVolumeClaim, ordinal: number): string =>
  `${claim.metadata.name}-${set.metadata.name}-${ordinal}`

function volumes(set: StatefulSet, template: PodTemplateSpec, ordinal: number): readonly Volume[] {
  const claims = set.spec.volumeClaimTemplates ?? []
  const names = new Set(claims.map((it) => it.metadata.name))
  return [
    ...claims.map((it) => ({
      name: it.metadata.name!,
      persistentVolumeClaim: { claimName: claimName(set, it, ordinal) },
    })),
    ...(template.spec.volumes ?? []).filter((it) => !names.has(it.name)),
  ]
}

/** The claims that a pod needs: they outlive it. */
export function claimsOf(
  set: StatefulSet,
  ordinal: number,
): readonly Draft<PersistentVolumeClaim>[] {
  const whenDeleted = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted
  return (set.spec.volumeClaimTemplates ?? []).map((it) => ({
    metadata: {
      name: claimName(set, it, ordinal),
      namespace: set.metadata.namespace!,
      labels: { ...it.metadata.labels, ...set.spec.selector.matchLabels },
      ...(it.metadata.annotations && { annotations: it.metadata.annotations }),
      ...(whenDeleted === 'Delete' && {
        ownerReferences: [controllerReference(StatefulSet, set)],
      }),
    },
    ...(it.spec && { spec: it.spec }),
  }))
}

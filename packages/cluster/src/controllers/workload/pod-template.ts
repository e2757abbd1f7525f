import type { Pod, PodTemplateSpec } from 'kubewright/kinds/core/v1'
import type { Draft, OwnerReference } from 'kubewright/machinery'
import { canonicalJson } from './template-hash.ts'

/** The label that tells the pods and replica sets of one revision of a Deployment from those of another. */
export const POD_TEMPLATE_HASH = 'pod-template-hash'

/** A record without one key; undefined when nothing is left, so that `{}` and absence are the same. */
export function withoutKey(
  record: Readonly<Record<string, string>> | undefined,
  key: string,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(record ?? {}).filter(([it]) => it !== key)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

const comparable = (template: PodTemplateSpec): string =>
  canonicalJson({
    ...template,
    metadata: {
      ...template.metadata,
      labels: withoutKey(template.metadata?.labels, POD_TEMPLATE_HASH),
      annotations: withoutKey(template.metadata?.annotations, ''),
    },
  })

/** Whether two templates mean the same, their pod-template-hash label aside (deployment/util EqualIgnoreHash). */
export function templatesEqual(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return comparable(a) === comparable(b)
}

/** The prefix of the names of a controller's pods: `web-`. */
export function podNamePrefix(controllerName: string): string {
  return `${controllerName}-`
}

/** A pod as a template wants it, with a generated name and its managing owner (kubernetes/pkg/controller GetPodFromTemplate). */
export function podFromTemplate(
  template: PodTemplateSpec,
  namespace: string,
  owner: OwnerReference,
): Draft<Pod> {
  return {
    metadata: {
      namespace,
      generateName: podNamePrefix(owner.name),
      ...(template.metadata?.labels && { labels: template.metadata.labels }),
      ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
      ...(template.metadata?.finalizers && { finalizers: template.metadata.finalizers }),
      ownerReferences: [owner],
    },
    ...(template.spec && { spec: template.spec }),
  }
}

import type { StorageClass } from 'kubewright/kinds/storage.k8s.io/v1'

/** On a class: claims that name none get it. */
export const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
const OLD = 'storageclass.beta.kubernetes.io/is-default-class'

/** Whether claims that name no class get this one. */
export const isDefaultClass = ({ metadata: { annotations = {} } }: StorageClass): boolean =>
  annotations[DEFAULT_CLASS] === 'true' || annotations[OLD] === 'true'

/** The youngest of several default classes; of equals, the first by name (pkg/volume/util GetDefaultClass). */
export function newestClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const born = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? ''
  return classes.toSorted((a, b) => {
    if (born(a) !== born(b)) return born(a) > born(b) ? -1 : 1
    return a.metadata.name! < b.metadata.name! ? -1 : 1
  })[0]
}

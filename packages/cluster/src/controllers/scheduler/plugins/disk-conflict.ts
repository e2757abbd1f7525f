import type { Pod, Volume } from 'kubewright/kinds/core/v1'

interface Shareable {
  readonly readOnly?: boolean
}

/** What names a disk, and how one who has it already may share it; undefined for volumes that anyone may have. */
function diskOf(
  it: Volume,
): { readonly names: readonly string[]; readonly shares: boolean } | undefined {
  const shares = ({ readOnly }: Shareable): boolean => readOnly === true
  if (it.gcePersistentDisk) {
    const { pdName } = it.gcePersistentDisk
    return { names: [`gce/${pdName}`], shares: shares(it.gcePersistentDisk) }
  }
  if (it.awsElasticBlockStore)
    return { names: [`aws/${it.awsElasticBlockStore.volumeID}`], shares: false }
  if (it.iscsi) return { names: [`iscsi/${it.iscsi.iqn}`], shares: shares(it.iscsi) }
  if (!it.rbd) return undefined
  const { monitors, pool = 'rbd', image } = it.rbd
  return { names: monitors.map((one) => `rbd/${one}/${pool}/${image}`), shares: shares(it.rbd) }
}

/** Whether a pod has one of the disks, and not both only read it (volumerestrictions isVolumeConflict). */
export function diskConflict(disks: readonly Volume[], { spec }: Pod): boolean {
  const theirs = (spec.volumes ?? []).map(diskOf).filter((it) => it !== undefined)
  return disks
    .map(diskOf)
    .some(
      (own) =>
        own !== undefined &&
        theirs.some(
          (it) => it.names.some((name) => own.names.includes(name)) && !(own.shares && it.shares),
        ),
    )
}

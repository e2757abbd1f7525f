import type { UnknownObject } from 'kubewright/machinery'
import { has, itemsAt, objectAt, same, textAt, type Readable } from '../fields.ts'
import type { Draft } from '../strategy.ts'
import {
  labelSelectorWarnings,
  nodeLabelWarning,
  selectorTermWarnings,
} from '../core/node-label-warnings.ts'
import { oldVolumeWarnings } from '../core/pod-warnings.ts'

export const storageClassWarnings = (object: Draft): readonly string[] =>
  itemsAt(object, 'allowedTopologies').flatMap((topology, i) =>
    itemsAt(topology, 'matchLabelExpressions').flatMap((it, k) => {
      const why = nodeLabelWarning(textAt(it, 'key'))
      return why === undefined
        ? []
        : [`allowedTopologies[${i}].matchLabelExpressions[${k}].key: ${why}`]
    }),
  )

export const capacityWarnings = (object: Draft): readonly string[] =>
  labelSelectorWarnings(objectAt(object, 'nodeTopology'), 'nodeTopology')

const TOKENS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

/** A driver that is given tokens should take them as secrets; said when the tokens change. */
export function driverWarnings(object: Draft, before?: Readable): readonly string[] {
  const spec = objectAt(object, 'spec')
  const tokens = itemsAt(spec, 'tokenRequests')
  if (tokens.length === 0 || has(spec, 'serviceAccountTokenInSecrets')) return []
  return before && same(tokens, itemsAt(objectAt(before, 'spec'), 'tokenRequests')) ? [] : [TOKENS]
}

export const driverUpdateWarnings = (object: Draft, old: UnknownObject): readonly string[] =>
  driverWarnings(object, old as unknown as Readable)

const ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class':
    'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options':
    'deprecated since v1.31; use "mountOptions" attribute instead',
}

export function volumeWarnings(object: Draft): readonly string[] {
  const spec = objectAt(object, 'spec') ?? {}
  const needed = objectAt(objectAt(spec, 'nodeAffinity'), 'required')
  const recycle =
    'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.'
  return [
    ...Object.entries(ANNOTATIONS).flatMap(([key, why]) =>
      object.metadata.annotations?.[key] === undefined
        ? []
        : [`metadata.annotations[${key}]: ${why}`],
    ),
    ...(textAt(spec, 'persistentVolumeReclaimPolicy') === 'Recycle' ? [recycle] : []),
    ...itemsAt(needed, 'nodeSelectorTerms').flatMap((term, i) =>
      selectorTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${i}]`),
    ),
    ...oldVolumeWarnings(spec, 'spec', ['flocker', 'quobyte', 'gitRepo']),
  ]
}

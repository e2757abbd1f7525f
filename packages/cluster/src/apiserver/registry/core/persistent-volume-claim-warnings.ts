import { formatQuantity } from 'kubewright/machinery'
import { objectAt, type Readable } from '../fields.ts'
import type { Draft } from '../strategy.ts'
import { amountOf, isFractional, resourcesAt } from './resource-list.ts'

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class'

/** Storage in fractions of bytes (kubernetes/pkg/api/persistentvolumeclaim/util.go). */
export const claimSpecWarnings = (spec: Readable | undefined, at: string): readonly string[] =>
  ['requests', 'limits'].flatMap((list) => {
    const amount = amountOf(resourcesAt(objectAt(spec, 'resources'), list)['storage'])
    if (amount === undefined || !isFractional(amount)) return []
    return [
      `${at}.resources.${list}[storage]: fractional byte value ${JSON.stringify(formatQuantity(amount))} is invalid, must be an integer`,
    ]
  })

/** What is odd about a claim. */
export const claimWarnings = (claim: Draft): readonly string[] => [
  ...(claim.metadata.annotations?.[BETA_CLASS] === undefined
    ? []
    : [
        `metadata.annotations[${BETA_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      ]),
  ...claimSpecWarnings(objectAt(claim, 'spec'), 'spec'),
]

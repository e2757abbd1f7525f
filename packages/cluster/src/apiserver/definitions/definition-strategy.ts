import type { UnknownObject } from 'kubewright/machinery'
import { CRD_STRATEGY } from '../custom/crd-strategy.ts'
import { CLEANUP_FINALIZER } from '../custom/crd-status.ts'
import type { Draft, Strategy } from '../registry/strategy.ts'

interface Condition {
  readonly type: string
}

/**
 * The strategy of definitions, with what their DELETE does: the first marks the definition and puts on the finalizer that holds it
 * until its objects are gone (registry/customresourcedefinition/etcd.go).
 */
export const DEFINITION_STRATEGY: Strategy = Object.freeze({
  ...CRD_STRATEGY,
  finalized: (object: UnknownObject) => object.metadata.deletionTimestamp !== undefined,
  terminate: (object: Draft) => {
    const { finalizers = [] } = object.metadata
    if (!finalizers.includes(CLEANUP_FINALIZER)) {
      object.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER]
    }
    const status = (object['status'] ?? {}) as { readonly conditions?: readonly Condition[] }
    const others = (status.conditions ?? []).filter((it) => it.type !== 'Terminating')
    if (others.length !== (status.conditions ?? []).length) return
    const pending = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: object.metadata.deletionTimestamp,
      reason: 'InstanceDeletionPending',
      message:
        'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    }
    object['status'] = { ...status, conditions: [...others, pending] }
  },
})

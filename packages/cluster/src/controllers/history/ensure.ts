import type { KeyContext } from 'kubewright/controller'
import { ControllerRevision } from 'kubewright/kinds/apps/v1'
import { type LabelSelectorSpec, selectorOf } from 'kubewright/machinery'
import { claimObjects } from '../workload/claim-objects.ts'
import { AS_CONTROLLER } from '../workload/writes.ts'
import { planRevision, type RevisionOwner } from './revisions.ts'

/** All revisions of a workload, and the one of its present template. */
export interface Revisions {
  readonly revisions: readonly ControllerRevision[]
  readonly update: ControllerRevision
  /** What names the content of `update`. */
  readonly hash: string
}

/** Finds the revisions of a workload, and makes or renumbers that of its present template. */
export async function ensureRevision(
  owner: RevisionOwner,
  selector: LabelSelectorSpec,
  context: KeyContext,
): Promise<Revisions> {
  const selects = selectorOf(selector)
  const known = await claimObjects(context, ControllerRevision, {
    kind: owner.kind,
    object: owner.object,
    selects: (it) => selects.matches(it.metadata.labels),
  })
  const { update, hash, write } = planRevision(owner, known)
  switch (write) {
    case 'none':
      return { revisions: known, update: update as ControllerRevision, hash }
    case 'create': {
      const made = await context.client.create(ControllerRevision, update, AS_CONTROLLER)
      return { revisions: [...known, made], update: made, hash }
    }
    case 'renumber': {
      const renewed = await context.client.update(
        ControllerRevision,
        update as ControllerRevision,
        AS_CONTROLLER,
      )
      const others = known.filter((it) => it.metadata.uid !== renewed.metadata.uid)
      return { revisions: [...others, renewed], update: renewed, hash }
    }
  }
}

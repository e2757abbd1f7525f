import type { KeyContext } from 'kubewright/controller'
import { ControllerRevision } from 'kubewright/kinds/apps/v1'
import {
  type Draft,
  isAlreadyExists,
  keyOf,
  type LabelSelectorSpec,
  selectorOf,
} from 'kubewright/machinery'
import { claimObjects } from '../workload/claim-objects.ts'
import { canonicalJson } from '../workload/template-hash.ts'
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
      const made = await makeRevision(owner, update, context)
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

/**
 * Creates a revision, or finds it made already. Where its name is another content's, the owner's collision count goes up, which makes
 * another name, and it rejects so that it is tried again (daemon/update.go snapshot).
 */
async function makeRevision(
  owner: RevisionOwner,
  revision: Draft<ControllerRevision>,
  context: KeyContext,
): Promise<ControllerRevision> {
  const { client } = context
  try {
    return await client.create(ControllerRevision, revision, AS_CONTROLLER)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { namespace = '', name = '' } = revision.metadata ?? {}
    const there = await client.find(ControllerRevision, { namespace, name })
    if (there && canonicalJson(there.data) === canonicalJson(revision.data)) return there
    await countCollision(owner, context)
    throw error
  }
}

/** Only from what is there now: who has counted meanwhile has given it another name already. */
async function countCollision(
  { kind, object, collisions = 0 }: RevisionOwner,
  { client }: KeyContext,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata
  const body = { metadata: { uid, resourceVersion }, status: { collisionCount: collisions + 1 } }
  const options = { ...AS_CONTROLLER, subresource: 'status' }
  await client.patch(kind, keyOf(object), { type: 'merge', body }, options)
}

import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { ObjectKey } from '../machinery/object-key.ts'

/** How something was written. */
export type WriteVerb = 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deleteCollection'

/** One write that the server accepted; dry runs are none. */
export interface Write {
  readonly verb: WriteVerb
  readonly kind: Kind
  /** Without a name for deleteCollection. */
  readonly key: ObjectKey
  readonly subresource?: string
  /** What the server answered with: the object as it now is, or the subresource; undefined when it showed nothing. */
  readonly object: KubeObject | undefined
  /** Which object a deletion removed, where the server says so without showing it. */
  readonly uid?: string
  /** What was sent: the object, the draft or the patch. */
  readonly sent?: unknown
}

/** Takes each write, at once. */
export type WriteObserver = (write: Write) => void

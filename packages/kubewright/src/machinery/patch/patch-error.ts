/**
 * What a patch that cannot be applied means for its sender, as kube-apiserver answers it:
 * - `BadRequest` 400, the patch itself is malformed
 * - `Unprocessable` 422, well formed, but it does not fit the object
 * - `TooLarge` 413, too many operations
 * - `Internal` 500, what kube-apiserver reports without a reason of its own
 */
export type PatchErrorReason = 'BadRequest' | 'Unprocessable' | 'TooLarge' | 'Internal'

/** A patch that cannot be applied. `message` is Kubernetes' own text. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly reason: PatchErrorReason

  constructor(reason: PatchErrorReason, message: string) {
    super(message)
    this.reason = reason
  }

  /** The HTTP status code that goes with `reason`. */
  get code(): number {
    return codes[this.reason]
  }
}

const codes: Readonly<Record<PatchErrorReason, number>> = Object.freeze({
  BadRequest: 400,
  Unprocessable: 422,
  TooLarge: 413,
  Internal: 500,
})

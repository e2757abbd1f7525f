import type { Authorizer } from '../endpoints/authorizer.ts'

/** An authorizer in whose place another may be put while the server runs. */
export interface ReplaceableAuthorizer {
  readonly authorize: Authorizer
  readonly replace: (next: Authorizer) => void
}

/** Begins with one, and goes on with whichever was put in its place last. */
export function replaceable(first: Authorizer): ReplaceableAuthorizer {
  let current = first
  return {
    authorize: (attributes) => current(attributes),
    replace: (next) => void (current = next),
  }
}

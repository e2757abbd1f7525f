import type { Authentication } from './make-authentication.ts'

/** An {@link Authentication} in whose place another may be put while the server runs: who asks from then on is judged by that. */
export interface ReplaceableAuthentication extends Authentication {
  readonly replace: (next: Authentication) => void
}

/** Begins with one, and goes on with whichever was put in its place last. */
export function replaceable(first: Authentication): ReplaceableAuthentication {
  let current = first
  return {
    request: (...asked) => current.request(...asked),
    token: (...asked) => current.token(...asked),
    allowsAnonymous: (path) => current.allowsAnonymous(path),
    replace: (next) => void (current = next),
  }
}

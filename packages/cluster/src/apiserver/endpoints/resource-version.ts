import { ApiError, badRequest, failure } from 'kubewright/machinery'
import type { ServerParts } from './server-parts.ts'

/** How long a read waits for a revision that is yet to come, in milliseconds (storage/cacher blockTimeout). */
const PATIENCE = 3000
const STEP = 100

/** Reads a resourceVersion: 0 where it is absent. Throws an Error with the sentence that list and watch wrap differently. */
export function parseVersion(text: string): number {
  if (text === '') return 0
  if (/^\d+$/.test(text)) return Number(text)
  const quoted = JSON.stringify(text)
  throw new Error(
    `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
  )
}

/** The same for a get or a list. Throws a 400. */
export function versionOfRead(text: string): number {
  try {
    return parseVersion(text)
  } catch (error) {
    throw badRequest(`invalid resource version: ${(error as Error).message}`)
  }
}

/** Waits until the store has reached a revision. Throws the 504 that says how far it is. */
export async function waitFor(
  { storage, clock }: ServerParts,
  revision: number,
  signal: AbortSignal,
): Promise<void> {
  for (let waited = 0; storage.revision < revision; waited += STEP) {
    if (waited >= PATIENCE) throw tooLarge(revision, storage.revision)
    await clock.sleep(STEP, signal)
  }
}

function tooLarge(revision: number, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${revision}, current: ${current}`
  return new ApiError(
    failure(504, 'Timeout', message, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    }),
  )
}

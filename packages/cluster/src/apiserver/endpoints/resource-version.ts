import { ApiError, badRequest, failure } from 'kubewright/machinery'
import type { ServerParts } from './server-parts.ts'

/** How long a read waits for a revision that is yet to come, in milliseconds (storage/cacher blockTimeout). */
const PATIENCE = 3000
const STEP = 100

const MAX_UINT64 = 2n ** 64n - 1n

/**
 * Reads a resourceVersion: 0 where it is absent. What is beyond 2^53 is rounded: no store gets there. Throws an Error with the
 * sentence that list and watch wrap differently.
 */
export function parseVersion(text: string): number {
  if (text === '') return 0
  const why = !/^\d+$/.test(text)
    ? 'invalid syntax'
    : BigInt(text) > MAX_UINT64
      ? 'value out of range'
      : undefined
  if (why === undefined) return Number(text)
  const quoted = JSON.stringify(text)
  throw new Error(
    `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`,
  )
}

/** The same for a list. Throws a 400. */
export function versionOfList(text: string): number {
  try {
    return parseVersion(text)
  } catch (error) {
    throw badRequest(`invalid resource version: ${(error as Error).message}`)
  }
}

/** The same for a get or a watch, where nobody makes more of the error. Throws a 500 without a reason. */
export function versionOfRead(text: string, storageKey: string = ''): number {
  // No cache holds events, and the store itself makes more of it.
  if (storageKey === '/events') return versionOfList(text)
  try {
    return parseVersion(text)
  } catch (error) {
    throw new ApiError(failure(500, undefined, (error as Error).message))
  }
}

/** Waits until the store has reached a revision; `text` is how it was asked for. Throws the 504 that says how far the store is. */
export async function waitFor(
  { storage, clock }: ServerParts,
  revision: number,
  signal: AbortSignal,
  text: string = String(revision),
): Promise<void> {
  for (let waited = 0; storage.revision < revision; waited += STEP) {
    if (waited >= PATIENCE) throw tooLarge(String(BigInt(text)), storage.revision)
    await clock.sleep(STEP, signal)
  }
}

function tooLarge(revision: string, current: number): ApiError {
  const message = `Timeout: Too large resource version: ${revision}, current: ${current}`
  return new ApiError(
    failure(504, 'Timeout', message, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    }),
  )
}

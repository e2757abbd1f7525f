/** How a batch of calls went: how many succeeded, and the first error, if any. */
export interface BatchResult {
  readonly done: number
  readonly error: unknown
}

/**
 * Calls `run` `count` times in batches of 1, 2, 4 … at once, and stops after the first batch in which one fails: a quota that
 * refuses one pod is not asked a hundred times (kubernetes/pkg/controller/replicaset slowStartBatch). Never rejects.
 */
export async function slowStart(
  count: number,
  run: (index: number) => Promise<void>,
): Promise<BatchResult> {
  let done = 0
  for (let size = Math.min(1, count); size > 0; size = Math.min(2 * size, count - done)) {
    const calls = Array.from({ length: size }, (_, index) => run(done + index))
    const results = await Promise.allSettled(calls)
    const failed = results.find((it) => it.status === 'rejected')
    done += results.filter((it) => it.status === 'fulfilled').length
    if (failed) return { done, error: failed.reason }
  }
  return { done, error: undefined }
}

/**
 * Makes of a task one that is never under way twice: asked for while it runs, it runs once more behind that. Each call resolves when the run
 * that it set off or waits for has ended; what a run throws goes to `failed`.
 */
export function oneAtATime(
  task: () => Promise<void>,
  failed: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let isDue = false
  return () => {
    if (isDue) return running
    isDue = true
    running = running
      .then(() => {
        isDue = false
        return task()
      })
      .catch(failed)
    return running
  }
}

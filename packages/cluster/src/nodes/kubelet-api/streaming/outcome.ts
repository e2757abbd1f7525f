/** How a command or an attached process ended: well or with a code, or it could not be run. */
export type Outcome =
  | { readonly is: 'exited'; readonly code: number; readonly command: readonly string[] }
  | { readonly is: 'failed'; readonly message: string }

/** How the error stream tells of it: in words, as an object, or as an object of the API server's (see {@link outcomeText}). */
export type OutcomeFormat = 'text' | 'status' | 'translatedStatus'

/**
 * What goes down the error stream at the end. Before v4 only failures are told, in words; v4 sends the kubelet's status; v5 sends what an API server makes of
 * that, which wraps errors once more (cri-streaming/pkg/streaming/remotecommand, apiserver/pkg/util/proxy/streamtranslator.go).
 */
export function outcomeText(outcome: Outcome, format: OutcomeFormat): string {
  const status = statusOf(outcome)
  switch (format) {
    case 'text':
      return status.status === 'Success' ? '' : status.message
    case 'status':
      return JSON.stringify(status)
    case 'translatedStatus':
      return JSON.stringify(translated(status, outcome))
  }
}

interface Success {
  readonly status: 'Success'
}

interface Failure {
  readonly status: 'Failure'
  readonly message: string
  readonly reason: string
  readonly details?: object
  readonly code?: number
}

type Status = Success | Failure

function statusOf(outcome: Outcome): Status {
  if (outcome.is === 'failed') {
    const message = `Internal error occurred: ${outcome.message}`
    return { status: 'Failure', message, reason: 'InternalError', code: 500 }
  }
  const { code, command } = outcome
  if (code === 0) return { status: 'Success' }
  const why = `error executing command [${command.join(' ')}], exit code ${code}`
  return exitStatus(code, why)
}

const exitStatus = (code: number, why: string): Failure => ({
  status: 'Failure',
  message: `command terminated with non-zero exit code: ${why}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
})

function translated(status: Status, outcome: Outcome): object {
  const metadata = {}
  if (status.status === 'Success') return { metadata, ...status }
  if (outcome.is === 'exited') {
    const why = `command terminated with exit code ${outcome.code}`
    return { metadata, ...exitStatus(outcome.code, why) }
  }
  const causes = [{ message: status.message }]
  const message = `Internal error occurred: ${status.message}`
  return { metadata, ...status, message, details: { causes } }
}

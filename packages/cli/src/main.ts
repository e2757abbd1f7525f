import { CommanderError } from 'commander'
import { Failure } from './failure.ts'
import { program } from './program.ts'

/** Runs the command line; resolves to the exit code: 0 done, 1 failed (said on standard error), 2 not understood. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    await program().parseAsync([...argv], { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    console.error(
      error instanceof Failure || !(error instanceof Error)
        ? `error: ${String((error as Error).message ?? error)}`
        : errorText(error),
    )
    return 1
  }
}

/** An error that nobody put into words: its message if it is one of ours or the server's, its stack otherwise. */
function errorText(error: Error): string {
  const spoken = ['ApiError', 'UnreachableError', 'ConfigurationError', 'PortInUseError'].includes(
    error.name,
  )
  return spoken || process.env['KUBEWRIGHT_DEBUG'] === undefined
    ? `error: ${error.message}`
    : `error: ${error.stack}`
}

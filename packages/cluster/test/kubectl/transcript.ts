/**
 * A session with kubectl, as text. A command stands after `$`, its further lines after `>`; below it what it printed: standard output
 * as it is, standard error after `!`, then `= 1` where the exit code was 1. Lines that begin with `#` say what comes.
 *
 *     # An object that is not there.
 *     $ kubectl get configmap nothing
 *     ! Error from server (NotFound): configmaps "nothing" not found
 *     = 1
 */
export interface Step {
  /** The lines of comment above it, `#` included. */
  readonly comment: readonly string[]
  /** What the shell is given. */
  readonly script: string
  /** What is to be printed, in the form above; normalised. */
  readonly output: string
}

/** What a command printed, and how it ended. */
export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** Reads a transcript. */
export function parseTranscript(text: string): readonly Step[] {
  return text
    .trimEnd()
    .split(/\n\n+(?=[#$])/)
    .map(parseStep)
}

function parseStep(block: string): Step {
  const lines = block.split('\n')
  const start = lines.findIndex((it) => it.startsWith('$ '))
  if (start < 0)
    throw new Error(`A step of a transcript needs a line that begins with "$ ": ${block}`)
  let end = start + 1
  while (lines[end]?.startsWith('>')) end++
  const script = lines.slice(start, end).map((it) => it.slice(2))
  return {
    comment: lines.slice(0, start),
    script: script.join('\n'),
    output: lines.slice(end).join('\n'),
  }
}

/** Writes a transcript. */
export const formatTranscript = (steps: readonly Step[]): string =>
  `${steps.map(formatStep).join('\n\n')}\n`

function formatStep({ comment, script, output }: Step): string {
  const command = script
    .split('\n')
    .map((it, index) => `${index === 0 ? '$' : '>'} ${it}`.trimEnd())
  return [...comment, ...command, ...(output === '' ? [] : [output])].join('\n')
}

/** What an outcome looks like in a transcript, before it is normalised. Empty lines are left out: they end a step. */
export function formatOutcome({ stdout, stderr, code }: Outcome): string {
  const lines = [
    ...linesOf(stdout),
    ...linesOf(stderr).map((it) => `! ${it}`),
    ...(code === 0 ? [] : [`= ${code}`]),
  ]
  return lines.join('\n')
}

const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((it) => it.trim() !== '')

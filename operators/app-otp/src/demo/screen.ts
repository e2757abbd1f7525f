import type { RuntimeEvent } from 'kubewright'

/** Where the demonstration writes: one line a call. */
export interface Screen {
  /** A headline that begins a step; times count from here. */
  step(text: string): void
  /** What happened, in a column of its own. */
  line(what: string, text: string): void
  /** Plain text. */
  say(text: string): void
}

/** Makes a {@link Screen} that hands finished lines to `write`; `now` is milliseconds. */
export function createScreen(
  write: (line: string) => void,
  now: () => number,
  color: boolean,
): Screen {
  let began = now()
  const paint = (code: number, text: string): string =>
    color ? `\u001B[${code}m${text}\u001B[0m` : text
  return {
    step(text) {
      began = now()
      write(`\n${paint(1, text)}`)
    },
    line(what, text) {
      const at = `${((now() - began) / 1000).toFixed(2)}s`.padStart(7)
      write(`${paint(2, at)}  ${paint(COLORS[what] ?? 0, what.padEnd(9))}  ${text}`)
    },
    say: (text) => write(text),
  }
}

const COLORS: Readonly<Record<string, number>> = {
  event: 36,
  queue: 34,
  reconcile: 35,
  write: 33,
  pod: 32,
  status: 32,
}

/** What the loop did, as the demonstration tells it; undefined for what would only repeat it. */
export function told(event: RuntimeEvent): readonly [what: string, text: string] | undefined {
  switch (event.type) {
    case 'watched':
      return event.kind === 'Pod' || event.initial
        ? undefined
        : ['event', `${event.kind} ${event.key} ${PAST[event.change]}`]
    case 'queued':
      return event.reason.startsWith('Pod')
        ? undefined
        : ['queue', `${event.key}  because ${event.reason}`]
    case 'reconcile started':
      return undefined
    case 'reconcile ended':
      return [
        'reconcile',
        `${event.key}  ${event.outcome} in ${event.duration.toFixed(0)} ms${event.error ? `: ${String(event.error)}` : ''}`,
      ]
    case 'written':
      return event.sent
        ? [
            'write',
            `${event.verb} ${event.kind} ${event.object}${event.subresource ? ` (${event.subresource})` : ''}`,
          ]
        : undefined
  }
}

const PAST = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  generic: 'asked for',
} as const

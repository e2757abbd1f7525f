/** Where the demonstration writes: one line a call. */
export interface Screen {
  /** A headline that begins a step; times count from here. */
  step(text: string): void
  /** What happened, in a column of its own. */
  line(what: Column, text: string): void
  /** Plain text. */
  say(text: string): void
}

/** What the first column may say, and the colour (ANSI) it has where there are colours. */
const COLORS = {
  event: 36,
  queue: 34,
  reconcile: 35,
  created: 33,
  changed: 33,
  deleted: 33,
  replicaset: 90,
  pod: 32,
  status: 1,
  done: 1,
  error: 31,
} as const

export type Column = keyof typeof COLORS

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
      write(`${paint(2, at)}  ${paint(COLORS[what], what.padEnd(10))}  ${text}`)
    },
    say: (text) => write(text),
  }
}

/** One thing that somebody types, and whose answer must be the real server's. */
export interface Case {
  readonly name: string
  /** A shell's line. It runs in `kubectl/data`, in the namespace `shop`. */
  readonly run: string
  /** Asked again until its output matches, for half a minute at the most: controllers take their time. */
  readonly until?: RegExp
  /** The order of the lines does not count. */
  readonly sorted?: true
}

/** A manifest as JSON on standard input; the line ends here, unless `then` goes on with it, such as `| grep x`. */
export const given = (object: object, then = ''): string =>
  `-f - <<'END' ${then}\n${JSON.stringify(object)}\nEND\n`

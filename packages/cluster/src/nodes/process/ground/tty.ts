/** A command behind a terminal of its own (util-linux script): Node has none to give. Without `tty` it is as it was. */
export function ttyCommand(argv: readonly string[], tty: boolean): readonly string[] {
  if (!tty) return argv
  return [
    'script',
    '--quiet',
    '--return',
    '--echo',
    'never',
    '--command',
    argv.map(quoted).join(' '),
    '/dev/null',
  ]
}

/** A word as a POSIX shell reads it back. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

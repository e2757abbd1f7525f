import { readlinkSync } from 'node:fs'
import { familyOf } from './child.ts'
import { runScript } from './run-script.ts'

/** A command behind a terminal of its own (util-linux script): Node has none to give. Without `tty` it is as it was. */
export function ttyCommand(argv: readonly string[], tty: boolean): readonly string[] {
  if (!tty) return argv
  return [
    'script',
    '--quiet',
    '--return',
    '--flush',
    '--command',
    argv.map(quoted).join(' '),
    '/dev/null',
  ]
}

/** A word as a POSIX shell reads it back. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Gives a terminal a size. Rejects when there is no such terminal any more. */
export async function resizeTerminal(
  leader: number | undefined,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<void> {
  const device = leader === undefined ? undefined : terminalBelow(leader)
  if (device === undefined) throw new Error('there is no terminal')
  await runScript(['stty', '-F', device, 'rows', String(height), 'cols', String(width)])
}

/** The terminal that the children of `script` have. */
function terminalBelow(leader: number): string | undefined {
  return familyOf(leader)
    .slice(1)
    .map((pid) => linkOf(`/proc/${pid}/fd/0`))
    .find((it) => it?.startsWith('/dev/pts/'))
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

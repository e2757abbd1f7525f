import type { ObjectKey } from '../../machinery/object-key.ts'
import type { Client } from '../client.ts'
import { CHUNK, type ExecOptions, type Session } from './exec.ts'
import { decodeTar, encodeTarEntry, TAR_END, type TarEntry } from './tar.ts'

/** Which container. */
export type CopyOptions = Pick<ExecOptions, 'container' | 'signal'>

/**
 * The files below a path of a container (which must have `tar`, as for `kubectl cp`), with names relative to it; a single file has its
 * own name. Names that would leave the place they are written to are refused: a container may lie.
 */
export async function* copyFrom(
  client: Client,
  pod: ObjectKey | string,
  path: string,
  options: CopyOptions = {},
): AsyncGenerator<TarEntry, void, undefined> {
  const slash = path.replace(/\/+$/, '').lastIndexOf('/')
  const [folder, name] =
    slash < 0 ? ['.', path] : [path.slice(0, slash) || '/', path.slice(slash + 1)]
  const command = ['tar', '-C', folder, '-cf', '-', '--', name.replace(/\/+$/, '') || '.']
  await using session = await client.exec(pod, command, options)
  const said: string[] = []
  for await (const entry of decodeTar(stdoutOf(session, said))) yield inside(entry)
  await succeeded(session, said, `copying ${path}`)
}

/** Writes files below a folder of a container (which must have `tar`). */
export async function copyTo(
  client: Client,
  pod: ObjectKey | string,
  folder: string,
  entries: Iterable<TarEntry> | AsyncIterable<TarEntry>,
  options: CopyOptions = {},
): Promise<void> {
  const command = ['tar', '-xmf', '-', '-C', folder]
  await using session = await client.exec(pod, command, { ...options, stdin: true })
  const said: string[] = []
  const ended = drain(session, said)
  // Asked for below, when all is sent.
  ended.catch(() => {})
  for await (const entry of entries) await sendAll(session, encodeTarEntry(entry))
  await session.write(TAR_END)
  // The end of the archive is enough where the input cannot be ended.
  await session.endInput().catch(() => {})
  await ended
  await succeeded(session, said, `copying to ${folder}`)
}

async function sendAll(session: Session, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += CHUNK)
    await session.write(bytes.subarray(at, at + CHUNK))
}

async function* stdoutOf(
  session: Session,
  said: string[],
): AsyncGenerator<Buffer, void, undefined> {
  for await (const { from, bytes } of session.output)
    if (from === 'stdout') yield bytes
    else said.push(bytes.toString('utf8'))
}

async function drain(session: Session, said: string[]): Promise<void> {
  for await (const { bytes } of session.output) said.push(bytes.toString('utf8'))
}

async function succeeded(session: Session, said: readonly string[], what: string): Promise<void> {
  const code = await session.exit()
  if (code !== 0)
    throw new Error(`${what} failed: tar ended with code ${code}: ${said.join('').trim()}`)
}

function inside(entry: TarEntry): TarEntry {
  const leaves = entry.name.startsWith('/') || entry.name.split('/').includes('..')
  if (leaves)
    throw new Error(
      `the container sent ${JSON.stringify(entry.name)}, which leaves the folder it is copied to`,
    )
  return entry
}

import { X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address, TlsMaterial } from '../apiserver/index.ts'

/** By what clients know a server again after a restart: its certificate and authority, and the administrator's token. */
export interface Identity {
  readonly adminToken: string
  readonly tls: TlsMaterial
}

const fileIn = (folder: string): string => join(folder, 'identity.json')
const DAY = 24 * 60 * 60 * 1000

/** The identity that a data folder keeps; undefined where there is none, or its certificate ends within a day of `now`. */
export function readIdentity(folder: string, now: number): Identity | undefined {
  try {
    const identity = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as Identity
    const ends = Date.parse(new X509Certificate(identity.tls.certificate).validTo)
    return typeof identity.adminToken === 'string' && ends > now + DAY ? identity : undefined
  } catch {
    // Gone or damaged: a new one does no harm but that kubeconfigs are to be fetched anew.
    return undefined
  }
}

/** Keeps what a server listens with for its next start. Only the file's owner may read it. */
export function keepIdentity(folder: string, { kubeconfig, tls }: Address): void {
  const adminToken = /^ *token: (\S+)$/m.exec(kubeconfig)?.[1] ?? ''
  const identity: Identity = { adminToken, tls }
  try {
    writeFileSync(fileIn(folder), JSON.stringify(identity), { mode: 0o600 })
  } catch (cause) {
    throw unusable(`${fileIn(folder)} cannot be written`, cause)
  }
}

/** Makes the data folder; what it holds is for its owner alone. Throws a sentence when it cannot be had. */
export function makeDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw unusable(`the data folder ${folder} cannot be made`, cause)
  }
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EEXIST: 'a file of that name is there; move it away, or name another folder',
  ENOTDIR: 'a file stands where a folder of that path should be; name another folder',
  EISDIR: 'a folder of that name is there; move it away',
  ENOENT: 'the folder above it cannot be made either; name another folder',
  EACCES: 'this user may not; change the permissions, or name another folder',
  EPERM: 'this user may not; change the permissions, or name another folder',
  EROFS: 'the file system is read-only; name another folder',
  ENOSPC: 'the disk is full; make room and start again',
}

function unusable(what: string, cause: unknown): Error {
  const { code = '', message } = cause as NodeJS.ErrnoException
  return new Error(`${what}: ${WHY_NOT[code] ?? message}`, { cause })
}

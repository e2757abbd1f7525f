import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
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
  writeFileSync(fileIn(folder), JSON.stringify(identity), { mode: 0o600 })
}

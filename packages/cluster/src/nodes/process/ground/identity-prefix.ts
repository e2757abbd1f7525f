import type { Identity, LaunchSpec } from './ground.ts'

/**
 * What makes a process somebody else before its program runs (util-linux setpriv). Only root may: a process of anybody else stays who
 * its cluster is, and gives up what it may for good where the pod asks for that.
 */
export function identityPrefix({
  identity,
  security,
}: Pick<LaunchSpec, 'identity' | 'security'>): readonly string[] {
  const flags = [
    ...(isRoot() ? identityFlags(identity) : []),
    ...(security.noNewPrivileges ? ['--no-new-privs'] : []),
  ]
  return flags.length > 0 ? ['setpriv', ...flags] : []
}

/** The numbers of an identity as setpriv takes them. */
export function identityFlags({ uid, gid, groups }: Identity): readonly string[] {
  if (uid === 0 && gid === 0 && groups.length === 0) return []
  const all = groups.length > 0 ? [`--groups=${groups.join(',')}`] : ['--clear-groups']
  return [`--reuid=${uid}`, `--regid=${gid}`, ...all]
}

/** Whether this process may become anybody. */
export const isRoot = (): boolean => process.getuid?.() === 0

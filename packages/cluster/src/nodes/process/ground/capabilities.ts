import type { SecurityLimits } from './ground.ts'

/** What containers may do unless their pod says otherwise (containerd's default set), without `CAP_`. */
const DEFAULT = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FSETID',
  'FOWNER',
  'MKNOD',
  'NET_RAW',
  'SETGID',
  'SETUID',
  'SETFCAP',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SYS_CHROOT',
  'KILL',
  'AUDIT_WRITE',
] as const

/** What it takes to enter the container's root as whoever runs it. */
const ENTERING = ['SYS_CHROOT', 'SETUID', 'SETGID'] as const

/** The flags by which setpriv (util-linux) limits what a container may do. */
export function limitFlags({
  privileged,
  noNewPrivileges,
  add,
  drop,
}: SecurityLimits): readonly string[] {
  const privileges = noNewPrivileges && !privileged ? ['--no-new-privs'] : []
  const all = add.map(plain).includes('ALL')
  if (privileged || all) return privileges
  const without = new Set(drop.map(plain))
  const kept = without.has('ALL') ? [] : DEFAULT.filter((it) => !without.has(it))
  const names = [...new Set([...kept, ...add.map(plain), ...ENTERING])]
  const list = ['-all', ...names.map((it) => `+${it.toLowerCase()}`)].join(',')
  return [`--bounding-set=${list}`, '--inh-caps=-all', ...privileges]
}

const plain = (name: string): string => name.toUpperCase().replace(/^CAP_/, '')

/** Who holds each partition, by its number; empty where nobody does. */
export type Owners = readonly string[]

/**
 * Who should hold each partition: as equal shares as whole numbers allow, and as few changes from `owners` as that takes. Depends on
 * nothing but its arguments, so that all replicas who see the same plan the same.
 */
export function planShards(owners: Owners, members: readonly string[]): Owners {
  if (members.length === 0) return owners.map(() => '')
  const sorted = [...new Set(members)].sort()
  const quotas = quotasOf(owners, sorted)
  const left = new Map(quotas)
  const target = owners.map((owner) => {
    const room = left.get(owner) ?? 0
    if (room === 0) return ''
    left.set(owner, room - 1)
    return owner
  })
  const takers = sorted.flatMap((it) => Array.from({ length: left.get(it) ?? 0 }, () => it))
  let next = 0
  return target.map((owner) => (owner === '' ? takers[next++]! : owner))
}

/** The share of each member: those that hold most get what does not divide, so that they need not give it up. */
function quotasOf(owners: Owners, members: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map(members.map((it) => [it, 0]))
  for (const it of owners) if (counts.has(it)) counts.set(it, counts.get(it)! + 1)
  const share = Math.floor(owners.length / members.length)
  const extra = owners.length % members.length
  const byCount = [...members].sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1))
  return new Map(byCount.map((it, index) => [it, share + (index < extra ? 1 : 0)]))
}

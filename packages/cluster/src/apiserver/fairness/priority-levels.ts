import type { UnknownObject } from 'kubewright/machinery'

/** How much of the server a kind of work may take (flowcontrol/v1 PriorityLevelConfiguration). */
export interface PriorityLevel extends UnknownObject {
  readonly spec?: {
    readonly type?: string
    readonly limited?: {
      readonly nominalConcurrencyShares?: number
      readonly lendablePercent?: number
      readonly borrowingLimitPercent?: number | null
      readonly limitResponse?: {
        readonly type?: string
        readonly queuing?: {
          readonly queues?: number
          readonly handSize?: number
          readonly queueLengthLimit?: number
        }
      }
    }
    readonly exempt?: {
      readonly nominalConcurrencyShares?: number
      readonly lendablePercent?: number
    }
  }
}

/** The seats of a level: what it has by its shares, what it keeps at least when it lends, and at most when it borrows. */
export interface Seats {
  readonly nominal: number
  readonly lower: number
  readonly upper: number
}

const sharesOf = ({ spec }: PriorityLevel): number =>
  spec?.type === 'Exempt'
    ? (spec.exempt?.nominalConcurrencyShares ?? 0)
    : (spec?.limited?.nominalConcurrencyShares ?? 30)

/** Divides the seats of a server among levels by their shares (apf_controller.go finishQueueSetReconfigsLocked). */
export function seatsOf(
  levels: readonly PriorityLevel[],
  total: number,
): ReadonlyMap<string, Seats> {
  const all = levels.reduce((sum, it) => sum + sharesOf(it), 0)
  return new Map(
    levels.map((level) => {
      const { spec } = level
      const nominal = Math.ceil((total * sharesOf(level)) / Math.max(all, 1))
      const { lendablePercent = 0 } = (spec?.type === 'Exempt' ? spec.exempt : spec?.limited) ?? {}
      const borrowing = spec?.limited?.borrowingLimitPercent
      const lower = nominal - Math.round((nominal * lendablePercent) / 100)
      const upper =
        borrowing === undefined || borrowing === null
          ? nominal + total
          : nominal + Math.round((nominal * borrowing) / 100)
      return [level.metadata.name ?? '', { nominal, lower, upper }]
    }),
  )
}

/** What a level would take if it could, within its bounds. */
export interface Claim extends Seats {
  readonly demand: number
}

/**
 * Lends seats of levels that do not need them to those that do: each has at least what it demands of its own, never less than its lower
 * bound nor more than its upper one, and all together no more than before (KEP-1040, borrowing). Pure.
 */
export function lend(claims: ReadonlyMap<string, Claim>): ReadonlyMap<string, number> {
  const given = new Map<string, number>()
  let free = 0
  for (const [name, { nominal, lower, demand }] of claims) {
    const kept = Math.max(lower, Math.min(nominal, demand))
    given.set(name, kept)
    free += nominal - kept
  }
  // One seat at a time to whoever has the smallest part of what he wants, so that nobody's want outweighs another's.
  while (free > 0) {
    let poorest: string | undefined
    let least = 1
    for (const [name, { upper, demand }] of claims) {
      const has = given.get(name)!
      if (has >= Math.min(upper, demand)) continue
      const part = has / demand
      if (poorest === undefined || part < least) [poorest, least] = [name, part]
    }
    if (poorest === undefined) break
    given.set(poorest, given.get(poorest)! + 1)
    free--
  }
  return given
}

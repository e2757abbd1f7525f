/** A length of time: milliseconds, or a number with its unit, such as `750ms`, `30s`, `15m`, `2h`, `1h30m`. */
export type Duration = number | string

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A {@link Duration} in milliseconds. Throws a TypeError for what is none, or negative. */
export function millisecondsOf(duration: Duration): number {
  if (typeof duration === 'number' && duration >= 0 && Number.isFinite(duration)) return duration
  const text = String(duration)
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text))
    throw new TypeError(
      `${JSON.stringify(duration)} is no length of time: milliseconds, or a number with a unit such as 750ms, 30s, 15m or 2h was expected`,
    )
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * UNITS[unit!]!
  return total
}

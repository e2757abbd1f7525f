/** A count, or a share of one: 3 or `25%` (util/intstr IntOrString). */
export type IntOrPercent = number | string

/**
 * The count that a value stands for, of `total`; a share is rounded up or down. An absent value is 0. Throws on a string that is
 * no percentage, with apimachinery's words (util/intstr GetScaledValueFromIntOrPercent).
 */
export function scaledValue(
  value: IntOrPercent | undefined,
  total: number,
  round: 'up' | 'down',
): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const percent = /^([+-]?[0-9]+)%$/.exec(value)?.[1]
  if (percent === undefined) {
    throw new RangeError(`invalid value for IntOrString: invalid type: string is not a percentage`)
  }
  const exact = (Number(percent) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

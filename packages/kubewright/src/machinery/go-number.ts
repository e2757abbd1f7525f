/** A float64 as Go prints it with %v: an exponent below 1e-4 and from 1e6 on, of two digits at least. */
export function goFloat(value: number): string {
  const exponent = value === 0 ? 0 : Number(value.toExponential().split('e')[1])
  const text = exponent < -4 || exponent >= 6 ? value.toExponential() : String(value)
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

/** A number of JSON as Go prints it with %v: whole ones are int64 there, and plain; others are {@link goFloat}. */
export function goNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? String(value) : goFloat(value)
}

/** Counts without those that are zero: Kubernetes leaves zero counts out of a status (`omitempty`). */
export function nonZero<K extends string>(
  counts: Readonly<Record<K, number>>,
): { readonly [Key in K]?: number } {
  const entries = Object.entries<number>(counts).filter(([, value]) => value !== 0)
  return Object.fromEntries(entries) as { readonly [Key in K]?: number }
}

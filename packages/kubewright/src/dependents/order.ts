/**
 * Names in an order in which each comes after those it names. Throws a sentence for a name that is not there, and for a ring.
 */
export function inOrder(after: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const order: string[] = []
  const done = new Set<string>()
  const visit = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name))
      throw new Error(
        `the dependents ${[...trail.slice(trail.indexOf(name)), name].join(' → ')} wait for each other: leave one of the after out`,
      )
    if (done.has(name)) return
    const before = after[name]
    if (!before)
      throw new Error(
        `the dependent ${trail.at(-1)} comes after ${JSON.stringify(name)}, and there is none of that name: ${Object.keys(after).join(', ')} were given`,
      )
    for (const it of before) visit(it, [...trail, name])
    done.add(name)
    order.push(name)
  }
  for (const name of Object.keys(after)) visit(name, [])
  return order
}

/** Something that has a name, and perhaps others. */
export interface Named {
  readonly name: string
  readonly aliases?: readonly string[]
}

const SUFFIX = '-controller'

/** The names of one: its own, that without `-controller`, and what it was called before. */
const namesOf = ({ name, aliases = [] }: Named): readonly string[] => [
  name,
  ...(name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : []),
  ...aliases,
]

/**
 * Chooses as `kube-controller-manager --controllers` does: `foo` takes one, `-foo` leaves one out, `*` takes all others; of what is said
 * twice of one, the first counts. Throws for a name that none has.
 */
export function selectControllers<T extends Named>(
  all: readonly T[],
  wanted: readonly string[],
): readonly T[] {
  const known = new Map(all.flatMap((it) => namesOf(it).map((name) => [name, it] as const)))
  const chosen = new Map<T, boolean>()
  for (const text of wanted) {
    if (text === '*') continue
    const isIn = !text.startsWith('-')
    const found = known.get(isIn ? text : text.slice(1))
    if (!found) throw new TypeError(unknown(text, all))
    if (!chosen.has(found)) chosen.set(found, isIn)
  }
  return all.filter((it) => chosen.get(it) ?? wanted.includes('*'))
}

const unknown = (text: string, all: readonly Named[]): string =>
  `${JSON.stringify(text)} names no controller: expected *, or one of ${all.map((it) => it.name).join(', ')}, or one of them after a -`

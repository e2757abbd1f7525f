import { selectorOf, type LabelSelectorSpec } from 'kubewright/machinery'
import type { Container } from 'kubewright/kinds/core/v1'

/** A text, or `<none>` where there is none. */
export const orNone = (text: string | undefined): string => text || '<none>'

/** A text, or `<unset>` where the field is absent. */
export const orUnset = (text: string | undefined): string => text ?? '<unset>'

/** Labels as `a=1,b=2`, by key; `<none>` where there are none (labels.FormatLabels). */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const all = Object.entries(labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return orNone(all.map(([key, value]) => `${key}=${value}`).join(','))
}

/** A label selector as `a=1,b in (x,y)`; `<none>` where it says nothing, `<error>` where it cannot be read. */
export function selectorText(selector: LabelSelectorSpec | undefined): string {
  try {
    return orNone(selectorOf(selector).text)
  } catch {
    return '<error>'
  }
}

/** Names and images of containers, each joined by commas. */
export function containerCells(
  containers: readonly Container[] | undefined,
): readonly [names: string, images: string] {
  const all = containers ?? []
  return [all.map((it) => it.name).join(','), all.map((it) => it.image ?? '').join(',')]
}

/** The first three of a list and how many more there are; `<unset>` for an empty one. */
export function someOf(items: readonly string[]): string {
  const text = items.slice(0, SHOWN).join(',')
  if (items.length > SHOWN) return `${text} + ${items.length - SHOWN} more...`
  return text === '' ? '<unset>' : text
}

/** How many items {@link someOf} shows. */
export const SHOWN = 3

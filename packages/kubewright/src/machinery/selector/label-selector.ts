/**
 * Which objects, by their labels (apimachinery/pkg/labels). A requirement without its key never holds for `in`, `exists`, `gt`
 * and `lt`, and always holds for `notin` and `not-exists`.
 */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  readonly matches: (labels: Readonly<Record<string, string>> | undefined) => boolean
  /** Kubernetes' syntax, requirements sorted by key: `app in (a,b),!gone,tier=web`. */
  readonly text: string
}

/** One condition on one label. `values` is sorted; it is empty for the two existence operators. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

/** A LabelSelector as objects carry it (meta/v1). An absent one selects nothing, an empty one everything. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

type Labels = Readonly<Record<string, string>>

const valueIn = (values: readonly string[], value: string | undefined): boolean =>
  value !== undefined && values.includes(value)

const integer = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined

const compared = (value: string | undefined, limit: string | undefined, sign: 1 | -1): boolean => {
  const [a, b] = [integer(value), integer(limit)]
  return a !== undefined && b !== undefined && (sign === 1 ? a > b : a < b)
}

const own = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined

const HOLDS: Readonly<
  Record<LabelOperator, (it: LabelRequirement, value: string | undefined) => boolean>
> = {
  '=': (it, value) => valueIn(it.values, value),
  '==': (it, value) => valueIn(it.values, value),
  in: (it, value) => valueIn(it.values, value),
  '!=': (it, value) => !valueIn(it.values, value),
  notin: (it, value) => !valueIn(it.values, value),
  exists: (_, value) => value !== undefined,
  '!': (_, value) => value === undefined,
  gt: (it, value) => compared(value, it.values[0], 1),
  lt: (it, value) => compared(value, it.values[0], -1),
}

const SIGNS: Readonly<Record<LabelOperator, string>> = {
  '=': '=',
  '==': '==',
  '!=': '!=',
  in: ' in ',
  notin: ' notin ',
  exists: '',
  '!': '',
  gt: '>',
  lt: '<',
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  const list = values.join(',')
  const set = operator === 'in' || operator === 'notin'
  return `${key}${SIGNS[operator]}${set ? `(${list})` : list}`
}

const byKey = (a: LabelRequirement, b: LabelRequirement): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : 0

/** Makes a selector that asks for all of `requirements`. */
export function labelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = [...requirements].sort(byKey)
  return Object.freeze({
    requirements: sorted,
    matches: (labels: Labels = {}) =>
      sorted.every((it) => HOLDS[it.operator](it, own(labels, it.key))),
    text: sorted.map(requirementText).join(','),
  })
}

/** Selects every object. */
export const everything: LabelSelector = labelSelector([])

/** Selects no object. */
export const nothing: LabelSelector = Object.freeze({
  requirements: [],
  matches: () => false,
  text: '',
})

const SPEC_OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/**
 * The selector that a field of an object means (meta/v1 LabelSelectorAsSelector): absent selects nothing, empty everything.
 * Throws `"X" is not a valid label selector operator` on an unknown operator.
 */
export function selectorOf(spec: LabelSelectorSpec | undefined | null): LabelSelector {
  if (!spec) return nothing
  const labels = Object.entries(spec.matchLabels ?? {}).map(([key, value]): LabelRequirement => ({
    key,
    operator: '=',
    values: [value],
  }))
  const expressions = (spec.matchExpressions ?? []).map(
    ({ key, operator, values = [] }): LabelRequirement => {
      const known = Object.hasOwn(SPEC_OPERATORS, operator) ? SPEC_OPERATORS[operator] : undefined
      if (!known)
        throw new Error(`${JSON.stringify(operator)} is not a valid label selector operator`)
      return { key, operator: known, values: [...values].sort() }
    },
  )
  return labelSelector([...labels, ...expressions])
}

/** The selector for objects that carry all of `labels`. */
export function selectorOfLabels(labels: Labels): LabelSelector {
  return selectorOf({ matchLabels: labels })
}

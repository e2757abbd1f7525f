import { type LabelRequirement, parseFieldSelector, parseLabelSelector } from 'kubewright/machinery'
import type { SelectorDemand } from '../endpoints/authorizer.ts'

/** The demands of a field selector's text, `=` and `!=`; none where it cannot be read. */
export function fieldDemands(text: string): readonly SelectorDemand[] {
  try {
    return parseFieldSelector(text).terms.map(({ field, equal, value }) => ({
      key: field,
      operator: equal ? '=' : '!=',
      values: [value],
    }))
  } catch {
    return []
  }
}

const plain = ({ key, operator, values }: LabelRequirement): SelectorDemand => ({
  key,
  operator: operator === '==' ? '=' : operator,
  values,
})

/** The demands of a label selector's text; none where it cannot be read. */
export function labelDemands(text: string): readonly SelectorDemand[] {
  try {
    return text === '' ? [] : parseLabelSelector(text).requirements.map(plain)
  } catch {
    return []
  }
}

/** A requirement as access reviews write it (meta/v1 FieldSelectorRequirement and LabelSelectorRequirement). */
export interface WrittenRequirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

const LABEL_OPERATORS: Readonly<Record<string, string>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

const FIELD_OPERATORS: Readonly<Record<string, string>> = { In: '=', NotIn: '!=' }

/** Written requirements as demands; those that an authorizer would not understand are left out (authorization/util helpers.go). */
export function writtenDemands(
  requirements: readonly WrittenRequirement[],
  kind: 'field' | 'label',
): readonly SelectorDemand[] {
  const operators = kind === 'field' ? FIELD_OPERATORS : LABEL_OPERATORS
  return requirements.flatMap(({ key = '', operator = '', values = [] }) => {
    const known = operators[operator]
    const fits = kind === 'label' || values.length === 1
    return known !== undefined && fits ? [{ key, operator: known, values }] : []
  })
}

import { GO_TYPES } from './go-types.ts'
import { printQuantity } from './go-quantity.ts'

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Types that have no fields of their own in JSON. */
const BY_HAND: Readonly<Record<string, (value: unknown) => string>> = {
  'resource.Quantity': printQuantity,
  'v1.Time': () => '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}',
  'intstr.IntOrString': (value) => {
    const isText = typeof value === 'string'
    const [number, text] = isText ? [0, value] : [value ?? 0, '']
    return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${number as number} StrVal:(string)${text}}`
  },
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isTree(value) && Object.keys(value).length === 0)

/**
 * Prints a value of a Go type as `spew.Sprintf("%#v")` does with the settings of k8s.io/utils/dump.ForHash: types, all fields in their
 * order, maps by key, what pointers point to. The controllers of Kubernetes read objects from protobuf, where an empty list or map is
 * none at all.
 */
export const goPrint = (type: string, value: unknown): string => `(${type})${printed(type, value)}`

function printed(type: string, value: unknown): string {
  const byHand = BY_HAND[type]
  if (byHand) return byHand(value)
  const it = GO_TYPES[type]
  switch (it?.is) {
    case 'struct':
      return `{${it.fields.map((field) => printedField(field, value)).join(' ')}}`
    case 'list':
      if (isNothing(value)) return '<nil>'
      return `[${(value as readonly unknown[]).map((one) => printed(it.of, one)).join(' ')}]`
    case 'map':
      if (isNothing(value)) return '<nil>'
      return `map[${entriesOf(value as Tree)
        .map(([key, one]) => `${key}:${printed(it.of, one)}`)
        .join(' ')}]`
    case 'pointer':
      return value === undefined || value === null ? '<nil>' : printed(it.of, value)
    default:
      return printedScalar(it?.is ?? type, value)
  }
}

/** An embedded struct has its fields where it stands itself. */
function printedField(
  [name, json, type]: readonly [go: string, json: string, type: string],
  owner: unknown,
): string {
  const value = json === '' ? owner : isTree(owner) ? owner[json] : undefined
  return `${name}:${goPrint(type, value)}`
}

const entriesOf = (value: Tree): readonly (readonly [string, unknown])[] =>
  Object.entries(value).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

function printedScalar(kind: string, value: unknown): string {
  if (kind === 'string') return typeof value === 'string' ? value : ''
  if (kind === 'bool') return String(value === true)
  return String(value ?? 0)
}

import {
  badRequest,
  everything,
  type FieldSelector,
  fieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  type UnknownObject,
} from 'kubewright/machinery'
import type { Call } from './call.ts'

/** Which objects of a collection a request is about. */
export interface Selection {
  readonly labels: LabelSelector
  readonly fields: FieldSelector
  /** True where every object matches. */
  readonly all: boolean
  readonly matches: (object: UnknownObject) => boolean
  /** The one name that can match, where the fields say so. */
  readonly name: string | undefined
}

/** Reads the selectors of a request. Throws the 400 of one that cannot be read, or asks for a field that nobody knows. */
export function selectionOf(call: Call): Selection {
  const { query } = call.exchange.request
  const labels = readable(() => labelsOf(query.get('labelSelector') ?? ''))
  const fields = named(
    call,
    readable(() => parseFieldSelector(query.get('fieldSelector') ?? '')),
  )
  const valueOf = fieldReader(call, fields)
  const all = labels.requirements.length === 0 && fields.terms.length === 0
  return {
    labels,
    fields,
    all,
    matches: all
      ? () => true
      : (object) =>
          labels.matches(object.metadata.labels) && fields.matches((it) => valueOf(object, it)),
    name: fields.terms.find((it) => it.field === 'metadata.name' && it.equal)?.value,
  }
}

const labelsOf = (text: string): LabelSelector =>
  text === '' ? everything : parseLabelSelector(text)

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw badRequest((error as Error).message)
  }
}

/** A watch of one object by path selects it by name. */
function named({ name }: Call, fields: FieldSelector): FieldSelector {
  if (name === '') return fields
  if (fields.terms.length === 0)
    return fieldSelector([{ field: 'metadata.name', equal: true, value: name }])
  const own = fields.terms.find((it) => it.field === 'metadata.name' && it.equal)
  if (own?.value === name) return fields
  throw badRequest("fieldSelector metadata.name doesn't match requested name")
}

const METADATA: Readonly<Record<string, (object: UnknownObject) => string>> = {
  'metadata.name': (object) => object.metadata.name ?? '',
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
}

function fieldReader(
  { served }: Call,
  fields: FieldSelector,
): (object: UnknownObject, field: string) => string {
  const own = served.selectableFields
  for (const { field } of fields.terms) {
    if (Object.hasOwn(METADATA, field) || Object.hasOwn(own, field)) continue
    throw badRequest(
      served.info.custom || Object.keys(own).length > 0
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    )
  }
  return (object, field) => (METADATA[field] ?? own[field])!(object)
}

import { definitionOf, type Definition } from './builtins.ts'
import {
  isObject,
  listPlan,
  mapPlan,
  never,
  plainPlan,
  pointerPlan,
  type Plan,
} from './decode-plan.ts'
import { BYTES, specialPlan } from './decode-special.ts'
import { jsonTypeOf, type DecodeState } from './decode-state.ts'
import { rememberEmpty } from './emptied.ts'
import { restoreStruct } from './restore.ts'

const JSON_SCHEMA = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'

/** A field of a struct: how it is read, and whether an object without it goes without it. */
interface Field {
  readonly name: string
  /** Where type errors say that it is: its name, after those of the embedded structs that it comes from. */
  readonly steps: readonly string[]
  readonly index: number
  readonly plan: Plan
  readonly omit: string
  readonly absent: boolean
}

interface Shape {
  /** The struct's name in Go. */
  readonly struct: string
  /** In the order in which Go writes them. */
  readonly fields: readonly Field[]
  readonly byName: ReadonlyMap<string, Field>
  /** As many undefineds as there are fields. */
  readonly blank: readonly undefined[]
}

/** Plans by OpenAPI name: each a pure function of the extracted data, so what is kept here can only be recomputed, not change. */
const plans = new Map<string, Plan>()

/** The plan of a struct by its OpenAPI name; undefined where there is none of that name. Kept once made. */
export function structPlan(name: string): Plan | undefined {
  const known = plans.get(name)
  if (known) return known
  const definition = definitionOf(name)
  if (definition?.struct === undefined) return undefined
  const made = makeStructPlan(definition, name.slice(0, name.lastIndexOf('.')))
  plans.set(name, made)
  return made
}

function makeStructPlan(definition: Definition, home: string): Plan {
  const name = `${lastPart(home)}.${definition.struct}`
  let made: Shape | undefined
  // Structs may hold themselves, by pointer: their fields are looked at when first needed.
  const shape = (): Shape => (made ??= shapeOf(definition, home))
  return {
    name,
    zero: () => writeStruct(shape(), []),
    isEmpty: never,
    restore: restoreStruct(() => shape().fields),
    read: (value, state) => {
      if (isObject(value)) return writeStruct(shape(), readFields(value, shape(), state))
      state.mismatch(jsonTypeOf(value), name)
      return {}
    },
  }
}

/** Reads the fields in the order of the body, so that the first error is Go's first. The answer is by field index. */
function readFields(
  body: Readonly<Record<string, unknown>>,
  shape: Shape,
  state: DecodeState,
): readonly unknown[] {
  const values: unknown[] = shape.blank.slice()
  const outer = state.struct
  for (const key of Object.keys(body)) {
    const field = shape.byName.get(key)
    const value = body[key]
    if (!field) state.unknown(key)
    else if (value !== null) values[field.index] = readField(field, value, shape, state)
  }
  state.struct = outer
  return values
}

function readField(field: Field, value: unknown, shape: Shape, state: DecodeState): unknown {
  state.struct = shape.struct
  const depth = state.fields.length
  state.fields.push(...field.steps)
  state.path.push(field.name)
  const read = field.plan.read(value, state)
  state.path.pop()
  state.fields.length = depth
  return read
}

/** Writes the fields in the order of the Go struct, with what Go adds and without what it leaves out. */
function writeStruct(shape: Shape, values: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const field of shape.fields) {
    const value = values[field.index]
    if (value === undefined) {
      if (!field.absent) object[field.name] = field.plan.zero()
    } else if (!isOmitted(field, value)) object[field.name] = value
    else if (typeof value === 'object' && value !== null) rememberEmpty(object, field.name, value)
  }
  return object
}

function isOmitted({ omit, plan }: Field, value: unknown): boolean {
  return omit === '?' ? plan.isEmpty(value) : omit === '~' && value === null
}

function shapeOf(definition: Definition, home: string): Shape {
  const fields = Object.entries(definition.go!).map(([name, text], index) =>
    fieldOf({ name, via: definition.embedded?.[name] }, text, index, home),
  )
  return {
    struct: definition.struct!,
    fields,
    byName: new Map(fields.map((it) => [it.name, it])),
    blank: fields.map(() => undefined),
  }
}

function fieldOf(
  { name, via }: { readonly name: string; readonly via: string | undefined },
  text: string,
  index: number,
  home: string,
): Field {
  const omit = /[?~]$/.exec(text)?.[0] ?? ''
  const plan = planOf(omit ? text.slice(0, -1) : text, home)
  const absent = omit === '~' || (omit === '?' && plan.isEmpty !== never)
  const steps = via === undefined ? [name] : [...via.split('.'), name]
  return { name, steps, index, plan, omit, absent }
}

/** The plan of a type by its text in the data; `alias` is the type's own name, if it has one. */
function planOf(text: string, home: string, alias?: string): Plan {
  const named = /^([\w.]+)=(.*)$/.exec(text)
  if (named) return planOf(named[2]!, home, named[1])
  if (text.startsWith('*')) return pointerPlan(planOf(text.slice(1), home))
  if (text === '[]uint8') return BYTES
  if (text.startsWith('[]')) {
    const item = planOf(text.slice(2), home)
    return listPlan(item, alias ?? `[]${item.name}`)
  }
  if (text.startsWith('map[')) return mapPlanOf(text, home, alias)
  return leafPlan(text, home, alias)
}

function mapPlanOf(text: string, home: string, alias: string | undefined): Plan {
  const end = text.indexOf(']')
  const value = planOf(text.slice(end + 1), home)
  const key = planOf(text.slice(4, end), home)
  // Within a map, protobuf does not tell no bytes from none.
  const member = value === BYTES ? { ...BYTES, zero: () => '' } : value
  return mapPlan(member, alias ?? `map[${key.name}]${value.name}`)
}

function leafPlan(text: string, home: string, alias: string | undefined): Plan {
  const name = text.slice(1).includes('.') ? text.slice(1) : `${home}.${text.slice(1)}`
  const found = text.startsWith('#')
    ? structPlan(name)
    : text.startsWith('!')
      ? specialPlan(name, () => structPlan(JSON_SCHEMA)!)
      : plainPlan(text, alias ?? text)
  if (!found) throw new Error(`${text} in ${home} is no type that can be decoded.`)
  return found
}

const lastPart = (home: string): string => home.slice(home.lastIndexOf('.') + 1)

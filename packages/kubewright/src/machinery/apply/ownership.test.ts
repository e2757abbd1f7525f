import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '../patch/json.ts'
import { isJsonArray, isJsonObject } from '../patch/json.ts'
import type { ConversionRequest, Convert, TypedValue, TypeLookup } from './conversion.ts'
import { convertTo, runConverting } from './conversion.ts'
import { excludeFields } from './field-filter.ts'
import { emptySet, leaves } from './field-set.ts'
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts'
import type { Managers } from './managers.ts'
import { mergeValues } from './merge.ts'
import { printPath } from './path-element.ts'
import { extractItems } from './remove.ts'
import type { FieldType, MapField, TypeRef } from './type.ts'
import { lazyType, mapField, typeOfParts } from './type.ts'
import type { UpdateRules } from './updater.ts'
import { applyConfiguration, updateOwnership } from './updater.ts'
import { printIssues, validateType } from './validate.ts'

/**
 * testdata/ownership.json: what the reference implementation (structured-merge-diff 6.3.3) did in 413 runs of its
 * own cases: the steps, then the object and its owners. A case that it ran more than once says so in `times`.
 */
interface TestData {
  readonly schemas: readonly Readonly<Record<string, AtomData>>[]
  readonly cases: readonly CaseData[]
}

interface CaseData {
  readonly schema: number
  /** The type at every version; absent when each version has the type of its name. */
  readonly type?: string
  readonly convert?: keyof typeof converters
  readonly ignored?: Readonly<Record<string, JsonObject>>
  readonly steps: readonly (ChangeData | SchemaData)[]
  readonly times?: number
  readonly error?: string
  readonly live?: JsonValue
  readonly owners?: Readonly<Record<string, OwnerData>> | null
}

interface ChangeData {
  readonly do: 'apply' | 'force' | 'update' | 'extract'
  readonly by: string
  readonly at: string
  readonly object: JsonValue
  readonly conflicts?: readonly (readonly [manager: string, path: string])[]
}

interface SchemaData {
  readonly schema: number
}

interface OwnerData {
  readonly version: string
  readonly applied: boolean
  readonly owns: JsonObject
}

interface AtomData {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped'
  readonly list?: { of: RefData; owned: 'atomic' | 'associative'; keys?: string[] }
  readonly map?: { fields?: Record<string, FieldData>; others?: RefData; owned?: string }
  readonly owned?: string
}

type RefData = string | AtomData | { readonly use: string; readonly owned: string }
interface FieldData {
  readonly type: RefData
  readonly default?: JsonValue
}

const data = JSON.parse(
  readFileSync(new URL('testdata/ownership.json', import.meta.url), 'utf8'),
) as TestData

function typesOf(schema: number): (name: string) => FieldType | undefined {
  const named = data.schemas[schema] ?? {}
  const built = new Map(
    Object.keys(named).map((name) => [name, lazyType(() => atomType(named[name] ?? {}, refType))]),
  )
  function refType(ref: RefData): TypeRef {
    if (typeof ref === 'string') return () => (built.get(ref) as TypeRef)()
    const inner = 'use' in ref ? refType(ref.use) : () => atomType(ref as AtomData, refType)
    return lazyType(() => (ref.owned ? override(inner(), ref.owned) : inner()))
  }
  return (name) => built.get(name)?.()
}

function atomType(atom: AtomData, refType: (ref: RefData) => TypeRef): FieldType {
  const { scalar, list, map } = atom
  const fields = new Map<string, MapField>(
    Object.entries(map?.fields ?? {}).map(([name, field]) => [
      name,
      mapField(name, refType(field.type), field.default),
    ]),
  )
  const isDeduced = map?.others === '__untyped_deduced_' && fields.size === 0
  return typeOfParts({
    scalar,
    list: list && { relationship: list.owned, keys: list.keys ?? [], element: refType(list.of) },
    map: map && {
      isAtomic: map.owned === 'atomic',
      fields,
      element: map.others === undefined ? undefined : refType(map.others),
      isDeduced,
    },
  })
}

function override(type: FieldType, owned: string): FieldType {
  const { scalar, list, map } = type
  const relationship = owned === 'associative' ? 'associative' : 'atomic'
  return typeOfParts({
    scalar,
    list: list && { ...list, relationship },
    map: map && { ...map, isAtomic: owned === 'atomic' },
  })
}

/** The conversions of the reference's cases. */
const converters = {
  same: ({ value }: ConversionRequest): JsonValue => value,
  rename: ({ value, from, to }: ConversionRequest): JsonValue => renameSuffix(value, from, to),
  repeat: ({ value, to }: ConversionRequest): JsonValue =>
    repeatLetters(value, Number(to.slice(1))),
  rely: ({ value, to }: ConversionRequest): JsonValue => {
    const names = ['required_field_bar', 'field_foo_rely_on_bar'] as const
    const [before, after] = to === 'v1' ? names : names.toReversed()
    if (to === 'v1' && !(isJsonObject(value) && Object.hasOwn(value, names[0])))
      throw new Error('missing requried field bar')
    return renameSuffix(value, String(before), String(after))
  },
}

function renameSuffix(value: JsonValue, from: string, to: string): JsonValue {
  if (isJsonArray(value)) return value.map((item) => renameSuffix(item, from, to))
  if (!isJsonObject(value)) return value
  return mapEntries(value, (key, child) => [
    key.endsWith(from) ? key.slice(0, -from.length) + to : key,
    renameSuffix(child, from, to),
  ])
}

/** Below the first member, every key becomes its first letter, repeated. */
function repeatLetters(value: JsonValue, times: number): JsonValue {
  if (!isJsonObject(value)) return value
  const first = Object.keys(value).sort()[0]
  if (first === undefined) return value
  const inner = value[first] ?? null
  return { [first]: isJsonObject(inner) && size(inner) === 0 ? inner : repeatBelow(inner, times) }
}

function repeatBelow(value: JsonValue, times: number): JsonValue {
  if (!isJsonObject(value) || size(value) === 0) return null
  const sorted = Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  return mapEntries(sorted, (key, child) => [
    (key[0] ?? '').repeat(times),
    repeatBelow(child, times),
  ])
}

function size(value: JsonObject): number {
  return Object.keys(value).length
}

function mapEntries(
  value: JsonObject,
  map: (key: string, value: JsonValue) => [string, JsonValue],
): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, child]) => map(key, child)))
}

class Run {
  readonly #case: CaseData
  readonly #convert: Convert
  #typeOf: TypeLookup
  #live: TypedValue | undefined
  #managers: Managers = new Map()

  constructor(data: CaseData) {
    this.#case = data
    this.#convert = converters[data.convert ?? 'same']
    this.#typeOf = this.#lookup(data.schema)
  }

  get live(): JsonValue {
    return this.#live?.value ?? null
  }

  get owners(): Readonly<Record<string, OwnerData>> {
    const entries = [...this.#managers].map(([name, { set, version, isApplied }]) => {
      const owner: OwnerData = { version, applied: isApplied, owns: encodeFieldsV1(set) }
      return [name, owner] as const
    })
    return Object.fromEntries(entries)
  }

  take(step: ChangeData | SchemaData): void {
    if ('schema' in step) this.#changeSchema(step.schema)
    else if (step.do === 'update') this.#update(step)
    else if (step.do === 'extract') this.#extractAndApply(step)
    else this.#apply(step, this.#typed(step.object, step.at, 'forbid duplicates'))
  }

  #lookup(schema: number): TypeLookup {
    const types = typesOf(schema)
    return (version) => types(this.#case.type ?? version)
  }

  #changeSchema(schema: number): void {
    this.#typeOf = this.#lookup(schema)
    if (this.#live)
      this.#live = this.#typed(this.#live.value, this.#live.version, 'forbid duplicates')
  }

  #typed(
    value: JsonValue,
    version: string,
    duplicates: Parameters<typeof validateType>[2],
  ): TypedValue {
    const type = this.#typeOf(version)
    assert.ok(type, `a type at ${version}`)
    const issues = validateType(type, value, duplicates)
    if (issues.length > 0) throw new Error(printIssues(issues))
    return { value, version, type }
  }

  #liveAt(version: string): TypedValue {
    const live = this.#live ?? this.#typed(null, version, 'forbid duplicates')
    const converted = runConverting(convertTo(live, version, this.#typeOf), this.#convert)
    assert.ok(converted)
    return converted
  }

  get #rules(): UpdateRules {
    const ignored = Object.entries(this.#case.ignored ?? {})
    const filters = new Map(
      ignored.map(([version, set]) => [version, excludeFields(decodeFieldsV1(set))] as const),
    )
    return { typeOf: this.#typeOf, filters }
  }

  #update(step: ChangeData): void {
    const next = this.#typed(step.object, step.at, 'allow duplicates')
    const live = this.#liveAt(step.at)
    const update = updateOwnership(this.#rules, live, next, this.#managers, step.by)
    this.#managers = runConverting(update, this.#convert)
    this.#live = next
  }

  #extractAndApply(step: ChangeData): void {
    const applied = this.#typed(step.object, step.at, 'forbid duplicates')
    if (!this.#live) return this.#apply(step, applied)
    const live = this.#liveAt(step.at)
    const owned = this.#managers.get(step.by)
    if (owned) assert.equal(owned.version, step.at)
    const extracted = extractItems(live.type, live.value, leaves(owned?.set ?? emptySet))
    this.#apply(step, { ...applied, value: mergeValues(live.type, extracted, applied.value) })
  }

  #apply(step: ChangeData, applied: TypedValue): void {
    const live = this.#liveAt(step.at)
    this.#live = live
    const rule = step.do === 'apply' ? 'report' : 'force'
    const steps = applyConfiguration(this.#rules, live, applied, this.#managers, step.by, rule)
    const outcome = runConverting(steps, this.#convert)
    const conflicts = outcome.kind === 'conflicts' ? outcome.conflicts : []
    const found = conflicts.map(({ manager, path }) => `${manager} ${printPath(path)}`)
    assert.deepEqual(found.sort(), (step.conflicts ?? []).map((c) => c.join(' ')).sort())
    if (outcome.kind === 'conflicts') return
    this.#managers = outcome.managers
    this.#live = outcome.value ?? live
  }
}

test('the data holds the 413 runs of the reference', () => {
  assert.equal(
    data.cases.reduce((sum, { times }) => sum + (times ?? 1), 0),
    413,
  )
})

for (const [i, testCase] of data.cases.entries()) {
  const { steps, error, live, owners } = testCase
  test(`ownership case ${i}: ${steps.map((s) => ('do' in s ? s.do : 'schema')).join(', ')}`, () => {
    const run = new Run(testCase)
    if (error !== undefined)
      return assert.throws(() => steps.forEach((s) => run.take(s)), { message: error })
    for (const step of steps) run.take(step)
    assert.deepEqual(run.live, live)
    assert.deepEqual(run.owners, owners ?? {})
  })
}

import { type FieldError, fieldErrorText, invalidValue } from '../machinery/index.ts'
import { conform } from './conform.ts'
import { CoercionError, coerceEmbedded, validateEmbedded } from './embedded-resources.ts'
import { equalJson, sortedJson } from './json.ts'
import { ruleValidator } from './rule-validator.ts'
import { RUNTIME_BUDGET } from './rules.ts'
import { type SchemaNode, asResourceRoot } from './schema-node.ts'
import { validateRules } from './validate-rules.ts'
import { validateValue } from './validate-value.ts'

/**
 * Where the defaults of a schema do not fit the schema itself (apiextensions-apiserver/pkg/apiserver/schema/defaulting
 * ValidateDefaults). `root` is the schema of a whole object, compiled for defaults; `path` is where it stands. With `pruned`, a
 * default must not have fields that would be pruned.
 */
export function validateDefaults(
  root: SchemaNode,
  path: string,
  pruned: boolean = true,
): readonly FieldError[] {
  const node = asResourceRoot(root)
  const run: Run = { errors: [], pruned, budget: RUNTIME_BUDGET }
  visit(run, node, path, { resource: node, trail: [], insideMeta: false })
  return run.errors
}

interface Run {
  readonly errors: FieldError[]
  readonly pruned: boolean
  budget: number
}

/** The object or embedded object we are in, and the way from there; `insideMeta` below its kind, apiVersion or metadata. */
interface Place {
  readonly resource: SchemaNode
  readonly trail: readonly (string | 0)[]
  readonly insideMeta: boolean
}

function visit(run: Run, node: SchemaNode, path: string, from: Place): void {
  const place = node.embedded ? { resource: node, trail: [], insideMeta: false } : from
  if (node.default !== undefined) {
    run.errors.push(...checkDefault(run, node, `${path}.default`, place))
    if (run.budget < 0) return
  }
  if (node.items) {
    visit(run, node.items, `${path}.items`, { ...place, trail: [...place.trail, 0] })
    if (run.budget < 0) return
  }
  for (const [name, it] of node.properties) {
    const isMeta =
      node.embedded && (name === 'metadata' || name === 'apiVersion' || name === 'kind')
    visit(run, it, `${path}.properties[${name}]`, {
      ...place,
      trail: [...place.trail, name],
      insideMeta: place.insideMeta || isMeta,
    })
    if (run.budget < 0) return
  }
}

/** The first kind of thing that is wrong: unknown fields (said beside the next), metadata, the schema, its rules. */
function checkDefault(
  run: Run,
  node: SchemaNode,
  path: string,
  place: Place,
): readonly FieldError[] {
  const value = node.default
  const unknown =
    run.pruned && !place.insideMeta && !isPruned(node, value)
      ? [invalidValue(path, sortedJson(value), 'must not have unknown fields')]
      : []
  const metadata = place.insideMeta
    ? surroundedErrors(value, path, place)
    : embeddedErrors(node, value, path)
  if (metadata.length > 0) return [...unknown, ...metadata]
  const schema = validateValue(node, value, path)
  if (schema.length > 0) return [...unknown, ...schema]
  return [...unknown, ...ruleErrors(run, node, value, path, node === place.resource)]
}

const isPruned = (node: SchemaNode, value: unknown): boolean =>
  equalJson(conform(node, value, { nulls: false, defaults: false }), value)

function embeddedErrors(node: SchemaNode, value: unknown, path: string): readonly FieldError[] {
  try {
    return validateEmbedded(node, coerceEmbedded(node, value, {}, path), path)
  } catch (error) {
    if (error instanceof CoercionError) return [error.error]
    throw error
  }
}

/** A default inside metadata is judged by the whole object that it would make. */
function surroundedErrors(value: unknown, path: string, place: Place): readonly FieldError[] {
  const object = surround(value, place.trail)
  try {
    const errors = validateEmbedded(place.resource, coerceEmbedded(place.resource, object))
    if (errors.length === 0) return []
    const texts = errors.map(fieldErrorText)
    const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
    return [invalidValue(path, sortedJson(value), `must result in valid metadata: ${all}`)]
  } catch (error) {
    if (!(error instanceof CoercionError)) throw error
    return [
      invalidValue(path, sortedJson(value), `must result in valid metadata: ${error.message}`),
    ]
  }
}

function surround(value: unknown, trail: readonly (string | 0)[]): unknown {
  const object = trail.reduceRight<unknown>(
    (it, step) => (step === 0 ? [it] : { [step]: it }),
    value,
  )
  return { apiVersion: 'validation/v1', kind: 'Validation', ...(object as object) }
}

/** Rules must hold both where the default stood already and where it is new. */
function ruleErrors(
  run: Run,
  node: SchemaNode,
  value: unknown,
  path: string,
  isResourceRoot: boolean,
): readonly FieldError[] {
  const validator = ruleValidator(node, isResourceRoot)
  if (!validator) return []
  const kept = validateRules(validator, { value, old: value, path, budget: run.budget })
  const fresh =
    kept.errors.length === 0 ? validateRules(validator, { value, path, budget: run.budget }) : kept
  run.budget = Math.min(kept.budget, fresh.budget)
  return fresh.errors
}

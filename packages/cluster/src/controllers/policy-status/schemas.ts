import { type CelType, celTypeOfSchema, type StructuralSchema } from 'kubewright/cel'
import type { Client } from 'kubewright/client'
import type { GroupVersionKind } from 'kubewright/machinery'
import type { KnownResource } from './type-check.ts'

/** A schema of OpenAPI v3 as the server publishes it. */
interface Schema extends Omit<StructuralSchema, 'properties' | 'items' | 'additionalProperties'> {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[]
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const REF_PREFIX = '#/components/schemas/'

/** Finds the types of kinds in what a server publishes of them; each document is read once. */
export class KindTypes {
  readonly #client: Client
  readonly #documents = new Map<string, Promise<Document | undefined>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** The type of a kind's objects, as expressions see it; undefined where the server publishes none. */
  async typeOf(kind: GroupVersionKind): Promise<CelType | undefined> {
    const { schemas = {} } = (await this.#documentOf(kind))?.components ?? {}
    const found = Object.entries(schemas).find(([, it]) =>
      it['x-kubernetes-group-version-kind']?.some(
        (one) => one.kind === kind.kind && one.version === kind.version && one.group === kind.group,
      ),
    )
    if (!found) return undefined
    const [name, schema] = found
    const whole = resolved(schema, schemas, new Set([name]))
    return celTypeOfSchema(whole, { name: kind.kind, isResourceRoot: true })
  }

  #documentOf({ group, version }: GroupVersionKind): Promise<Document | undefined> {
    const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
    const known = this.#documents.get(path) ?? this.#read(path)
    this.#documents.set(path, known)
    return known
  }

  async #read(path: string): Promise<Document | undefined> {
    try {
      const answer = await this.#client.raw({ method: 'GET', path: `/openapi/v3/${path}` })
      return (await answer.json()) as Document
    } catch {
      // What cannot be read is not checked: that must not keep a policy from being observed.
      return undefined
    }
  }
}

/**
 * A schema with everything in it that others refer to, as rules see schemas (apiserver/pkg/cel/openapi/resolver/refs.go): a kind inside
 * itself is an object of which nothing is known.
 */
function resolved(
  schema: Schema,
  all: Readonly<Record<string, Schema>>,
  inside: ReadonlySet<string>,
): StructuralSchema {
  const ref = refOf(schema)
  if (ref === undefined) return walked(schema, all, inside)
  const target = all[ref]
  if (inside.has(ref) || !target) return { type: 'object' }
  return walked(target, all, new Set([...inside, ref]))
}

/** A reference may stand in an allOf, beside a description or a default. */
function refOf({ $ref, allOf = [] }: Schema): string | undefined {
  if ($ref !== undefined) return $ref.slice(REF_PREFIX.length)
  for (const it of allOf) {
    const found = refOf(it)
    if (found !== undefined) return found
  }
  return undefined
}

function walked(
  schema: Schema,
  all: Readonly<Record<string, Schema>>,
  inside: ReadonlySet<string>,
): StructuralSchema {
  const { properties, items, additionalProperties, format } = schema
  const isEither = format === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true
  return {
    ...(schema as StructuralSchema),
    ...(isEither ? { 'x-kubernetes-int-or-string': true } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, it]) => [name, resolved(it, all, inside)]),
          ),
        }
      : {}),
    ...(items ? { items: resolved(items, all, inside) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: resolved(additionalProperties, all, inside) }
      : {}),
  }
}

/** What a server serves now: kinds come and go with their definitions, so what was discovered before does not count. */
export async function resourcesOf({ kinds }: Client): Promise<readonly KnownResource[]> {
  kinds.refresh()
  return (await kinds.all()).map(({ kind: { group, version, kind, plural } }) => ({
    resource: plural,
    kind: { group, version, kind },
  }))
}

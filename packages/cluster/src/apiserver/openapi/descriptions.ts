import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { declaredTexts, type TypeTexts } from './declared-texts.ts'
import type { Schema } from './dialect.ts'

/**
 * What built-in types and their fields are for, in Kubernetes' own words, as the published package `kubernetes-types` carries them
 * (Kubernetes 1.30: what is younger has no description). A package of types is read when a schema of it is first described.
 */
export class Descriptions {
  readonly #packages = new Map<string, Readonly<Record<string, TypeTexts>>>()
  readonly #read: ReadDeclarations

  /** `read` answers with the declarations of a package by its path (`core/v1`), undefined where there are none. Default: the published ones. */
  constructor(read: ReadDeclarations = readPublished) {
    this.#read = read
  }

  /** What is said of a definition by its full name (`io.k8s.api.core.v1.Pod`); undefined where nothing is. */
  of(definition: string): TypeTexts | undefined {
    const dot = definition.lastIndexOf('.')
    const path = pathOf(definition.slice(0, dot))
    return path === undefined ? undefined : this.#package(path)[definition.slice(dot + 1)]
  }

  /** The schema of a definition with what is said of it and of its fields; what it says itself stays. */
  describe(definition: string, schema: Schema): Schema {
    const texts = this.of(definition)
    if (!texts) return schema
    const properties = schema.properties as Readonly<Record<string, Schema>> | undefined
    return {
      ...(texts.text ? { description: texts.text } : {}),
      ...schema,
      ...(properties ? { properties: describeFields(properties, texts) } : {}),
    }
  }

  /** `schemas`, which are fields that the definition has too, with what is said of them there. */
  fields(
    definition: string,
    schemas: Readonly<Record<string, Schema>>,
  ): Readonly<Record<string, Schema>> {
    const texts = this.of(definition)
    return texts ? describeFields(schemas, texts) : schemas
  }

  #package(path: string): Readonly<Record<string, TypeTexts>> {
    let known = this.#packages.get(path)
    if (!known) this.#packages.set(path, (known = declaredTexts(this.#read(path) ?? '')))
    return known
  }
}

/** Answers with the declarations of a package of types by its path. */
export type ReadDeclarations = (path: string) => string | undefined

function describeFields(
  properties: Readonly<Record<string, Schema>>,
  { fields }: TypeTexts,
): Readonly<Record<string, Schema>> {
  const described = Object.entries(properties).map(([name, schema]): [string, Schema] => {
    const description = Object.hasOwn(fields, name) ? fields[name] : undefined
    return [name, description === undefined ? schema : { description, ...schema }]
  })
  return Object.fromEntries(described)
}

/** `io.k8s.api.core.v1` → `core/v1`; the packages below `pkg` go by what they are last. */
function pathOf(home: string): string | undefined {
  const [, path] = /^io\.k8s\.(?:api|.*\.pkg\.apis|.*\.pkg\.api)\.([a-z0-9.]+)$/.exec(home) ?? []
  return path?.replaceAll('.', '/')
}

const require = createRequire(import.meta.url)

function readPublished(path: string): string | undefined {
  try {
    return readFileSync(require.resolve(`kubernetes-types/${path}.d.ts`), 'utf8')
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

const NOT_THERE: ReadonlySet<string | undefined> = new Set(['MODULE_NOT_FOUND', 'ENOENT'])

import {
  type UnknownObject,
  apiVersionOf,
  parseApiVersion,
  parseJsonPath,
} from 'kubewright/machinery'
import {
  type CrdVersion,
  type CustomResourceDefinition,
  type JsonSchema,
  type SchemaNode,
  compileSchema,
  ruleValidator,
} from 'kubewright/schema'
import type { Draft, Strategy } from '../registry/strategy.ts'
import type { ResourceInfo } from '../resources/resource.ts'
import type { TableConvertor } from '../table/columns.ts'
import { type ConversionWebhook, convertByName, convertByWebhook } from './conversion.ts'
import { isTerminating } from './crd-status.ts'
import { type Decoded, decodeCustom, readStored, reshapeConverted } from './custom-decode.ts'
import { customInfo, deprecationOf } from './custom-info.ts'
import { customStrategy } from './custom-strategy.ts'
import { customTable } from './custom-table.ts'
import { replicasPathsOf } from './scale.ts'

/** A custom resource in one served version: everything a server needs to serve it. */
export interface CustomResource {
  readonly info: ResourceInfo
  readonly strategy: Strategy
  readonly table: TableConvertor
  /** The schema as its author wrote it, for OpenAPI documents and for apply. */
  readonly schema: JsonSchema | undefined
  /** The same as walks use it; compiled at the first call. */
  readonly root: () => SchemaNode
  /** Text of the Warning that every request for a deprecated version gets. */
  readonly deprecation: string | undefined
  /** New objects are refused, since the definition is going. */
  readonly terminating: boolean
  readonly selectableFields: SelectableFields
  /** How bodies are read: pruned and defaulted, with a sentence for each field that is not known. */
  readonly body: CustomBody
  /** The same, telling paths instead of sentences. Throws MetadataError or CoercionError. */
  readonly decode: (value: Readonly<Record<string, unknown>>) => Decoded
  /** Whether versions differ by more than their name, so that only `convert` can bring objects from one to another. */
  readonly needsWebhook: boolean
  /**
   * What is stored, in this version and as its schema is today. The very same object where nothing differs. Throws an Error where
   * the object would have to go through a conversion webhook.
   */
  readonly fromStorage: (object: UnknownObject) => UnknownObject
  /** An object of this version as it is stored; throws as `fromStorage` does. */
  readonly toStorage: (draft: Draft) => Draft
  /**
   * Objects in this version, whichever they are in; with a conversion webhook, one request for all. Rejects with Kubernetes'
   * sentence where that fails.
   */
  readonly convert: (objects: readonly UnknownObject[]) => Promise<readonly UnknownObject[]>
}

/** Field selectors: the value of an object for each label. */
export type SelectableFields = Readonly<Record<string, (object: UnknownObject) => string>>

/** Reads bodies of one kind. */
export interface CustomBody {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly read: (value: Record<string, unknown>) => {
    readonly object: Draft
    readonly problems: readonly string[]
  }
}

/** What a definition cannot tell. */
export interface CustomOptions {
  /** Asks a definition's conversion webhook; needed where its strategy is Webhook. */
  readonly webhook?: (crd: CustomResourceDefinition) => ConversionWebhook
}

/** The served versions of a definition, in its order. Schemas and rules are compiled when first used, and kept with the result. */
export function customResources(
  crd: CustomResourceDefinition,
  options: CustomOptions = {},
): readonly CustomResource[] {
  const shapes = new Map(crd.spec.versions.map((it) => [it.name, lazyShape(it)]))
  return crd.spec.versions
    .filter((it) => it.served)
    .map((it) => customResource(crd, it, shapes, options))
}

/**
 * {@link customResources} that keeps what it made of each definition until its generation or its names move, so that a status write
 * compiles nothing anew.
 */
export function customResourceCache(
  options: CustomOptions = {},
): (crd: CustomResourceDefinition) => readonly CustomResource[] {
  const kept = new Map<string, { readonly key: string; readonly made: readonly CustomResource[] }>()
  return (crd) => {
    const { name = '', uid = '', generation = 0 } = crd.metadata
    const key = `${uid} ${generation} ${JSON.stringify(crd.status?.acceptedNames)}`
    const known = kept.get(name)
    const made = known?.key === key ? known.made : customResources(crd, options)
    const current = withTerminating(made, isTerminating(crd))
    if (current !== known?.made) kept.set(name, { key, made: current })
    return current
  }
}

/** The very same resources where they say so already. */
function withTerminating(
  made: readonly CustomResource[],
  terminating: boolean,
): readonly CustomResource[] {
  const same = made.every((it) => it.terminating === terminating)
  return same ? made : made.map((it) => ({ ...it, terminating }))
}

type Shapes = ReadonlyMap<string, () => SchemaNode>

/** A version without a schema takes anything. */
const ANY: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

function lazy<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined
  return () => (made ??= { it: make() }).it
}

const lazyShape = (version: CrdVersion): (() => SchemaNode) =>
  lazy(() => compileSchema(version.schema?.openAPIV3Schema ?? ANY))

function customResource(
  crd: CustomResourceDefinition,
  version: CrdVersion,
  shapes: Shapes,
  options: CustomOptions,
): CustomResource {
  const info = customInfo(crd, version)
  const root = shapes.get(version.name) as () => SchemaNode
  const selectableFields = selectableOf(version)
  const decode = (value: Readonly<Record<string, unknown>>): Decoded =>
    decodeCustom(root(), value, info.kind)
  const { status, scale } = version.subresources ?? {}
  return {
    info,
    strategy: customStrategy({
      info,
      root,
      rules: lazy(() => ruleValidator(root(), true)),
      hasStatus: status !== undefined,
      scale,
      replicasPaths: replicasPathsOf(
        crd.spec.versions.map((it) => ({
          apiVersion: apiVersionOf({ group: info.group, version: it.name }),
          scale: it.subresources?.scale,
        })),
      ),
      selectableFields,
    }),
    table: customTable(version.additionalPrinterColumns),
    schema: version.schema?.openAPIV3Schema,
    root,
    deprecation: deprecationOf(crd, version),
    terminating: isTerminating(crd),
    selectableFields,
    body: { group: info.group, version: info.version, kind: info.kind, read: reader(decode) },
    decode,
    ...conversions(crd, info, shapes, options),
  }
}

const reader =
  (decode: CustomResource['decode']): CustomBody['read'] =>
  (value) => {
    const { object, unknown } = decode(value)
    return { object, problems: unknown.map((it) => `unknown field "${it}"`) }
  }

function conversions(
  crd: CustomResourceDefinition,
  info: ResourceInfo,
  shapes: Shapes,
  options: CustomOptions,
): Pick<CustomResource, 'needsWebhook' | 'fromStorage' | 'toStorage' | 'convert'> {
  const needsWebhook = crd.spec.conversion?.strategy === 'Webhook'
  const shapeOf = (version: string): SchemaNode | undefined => shapes.get(version)?.()
  const reshaped = (object: UnknownObject, version: string): UnknownObject => {
    const shape = shapeOf(version)
    return shape ? reshapeConverted(shape, object) : object
  }
  const byName = (object: UnknownObject, version: string): UnknownObject => {
    const apiVersion = apiVersionOf({ group: info.group, version })
    if (object.apiVersion === apiVersion) return object
    if (needsWebhook) throw new Error(NEEDS_WEBHOOK)
    return reshaped(convertByName(object, apiVersion), version)
  }
  const asStored = (object: UnknownObject): UnknownObject => {
    const shape = shapeOf(parseApiVersion(object.apiVersion ?? '').version)
    return shape ? readStored(shape, object) : object
  }
  return {
    needsWebhook,
    fromStorage: (object) => byName(asStored(object), info.version),
    toStorage: (draft) => byName(draft as unknown as UnknownObject, info.storageVersion) as Draft,
    convert: async (objects) => {
      const webhook = options.webhook?.(crd)
      if (!needsWebhook) return objects.map((it) => byName(it, info.version))
      if (!webhook) throw new Error(NEEDS_WEBHOOK)
      const converted = await convertByWebhook(objects, apiVersionOf(info), webhook)
      return converted.map((it, i) => (it === objects[i] ? it : reshaped(it, info.version)))
    },
  }
}

const NEEDS_WEBHOOK =
  'this object is in another version, and its definition converts by a webhook: convert it with one'

/** Field selectors by the name of the path without its dot; an absent field selects as the empty text. */
function selectableOf(version: CrdVersion): SelectableFields {
  const fields = (version.selectableFields ?? []).map(({ jsonPath }) => {
    const path = parseJsonPath(`{${jsonPath}}`)
    const valueOf = (object: UnknownObject): string => {
      const value = path.results(object)[0]?.[0]
      return value === undefined || value === null ? '' : path.print(object)
    }
    return [jsonPath.replace(/^\./, ''), valueOf] as const
  })
  return Object.fromEntries(fields)
}

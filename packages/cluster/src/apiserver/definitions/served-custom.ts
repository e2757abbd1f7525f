import type { Clock } from 'kubewright/base'
import {
  apiVersionOf,
  customResourceType,
  type JsonObject,
  type TypeLookup,
  type UnknownObject,
} from 'kubewright/machinery'
import { conform } from 'kubewright/schema'
import type { CustomResource } from '../custom/custom-resources.ts'
import { fieldTracker } from '../endpoints/field-tracker.ts'
import type { BodyReader, Served } from '../endpoints/served.ts'
import type { Draft } from '../registry/strategy.ts'
import { definitionOf, META_V1, REF_PREFIX } from '../resources/builtins.ts'
import { reader, scaleTracker } from '../resources/served-builtins.ts'

const OBJECT_META: JsonObject = Object.freeze({ $ref: `${REF_PREFIX}${META_V1}.ObjectMeta` })

const resolveRef = (ref: string): JsonObject | undefined =>
  (ref.startsWith(REF_PREFIX) ? definitionOf(ref.slice(REF_PREFIX.length)) : undefined) as
    JsonObject | undefined

const SCALE: BodyReader = reader({ group: 'autoscaling', version: 'v1', kind: 'Scale' })

/** A custom resource, ready to serve; `siblings` are all versions of it. */
export function servedCustom(
  resource: CustomResource,
  siblings: readonly CustomResource[],
  since: number,
  clock: Clock,
): Served {
  const { info, strategy } = resource
  const typeOf = typesOf(siblings)
  const kind = { apiVersion: apiVersionOf(info), kind: info.kind, typeOf }
  return {
    info,
    strategy,
    table: resource.table,
    since,
    deprecation: resource.deprecation,
    body: resource.body,
    bodies: { scale: SCALE },
    bodyFields: { scale: scaleTracker(clock) },
    fromStorage: resource.fromStorage,
    toStorage: resource.toStorage,
    ...(resource.needsWebhook ? { webhook: webhookConversions(resource, siblings) } : {}),
    fromApply: (merged) => {
      // What was emptied stays null, to be refused where null is not allowed.
      // Metadata is stored as it is: only who reads it leaves out what is empty.
      return conform(resource.root(), merged, { nulls: false, resource: true }) as Draft
    },
    fields: fieldTracker(() => kind, strategy, converter(siblings), clock),
    selectableFields: resource.selectableFields,
    terminating: resource.terminating,
  }
}

function webhookConversions(
  resource: CustomResource,
  siblings: readonly CustomResource[],
): NonNullable<Served['webhook']> {
  const { info } = resource
  return {
    fromStorage: resource.convert,
    toStorage: async (draft) => {
      if (info.version === info.storageVersion) return draft
      const stored = siblings.find((it) => it.info.version === info.storageVersion)
      if (!stored) {
        throw new Error(
          `${info.plural}.${info.group} is stored in ${info.storageVersion}, which is not served: serve it, so that objects can be converted to it`,
        )
      }
      const [converted] = await stored.convert([draft as UnknownObject])
      return { ...converted, metadata: { ...converted!.metadata } } as unknown as Draft
    },
  }
}

/** The types of a kind at every version that is served; read when first asked for. */
function typesOf(siblings: readonly CustomResource[]): TypeLookup {
  const known = new Map<string, ReturnType<typeof customResourceType>>()
  return (version) => {
    const resource = siblings.find((it) => apiVersionOf(it.info) === version)
    if (!resource) return undefined
    let type = known.get(version)
    if (!type) {
      const schema = resource.schema as unknown as JsonObject | undefined
      type = customResourceType({ schema, objectMeta: OBJECT_META, resolveRef })
      known.set(version, type)
    }
    return type
  }
}

/** Brings a value to another version, as far as that needs no webhook. */
const converter =
  (siblings: readonly CustomResource[]): Parameters<typeof fieldTracker>[2] =>
  ({ value, to }) => {
    const known = siblings.some((it) => apiVersionOf(it.info) === to)
    return known ? { ...(value as JsonObject), apiVersion: to } : undefined
  }

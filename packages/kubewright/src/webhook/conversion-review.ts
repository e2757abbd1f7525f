import { apiVersionOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ApiError, failure } from '../machinery/status.ts'

/**
 * The versions of one kind: every other version is converted to the hub and from it. A function gets and gives the whole object
 * but its apiVersion and kind, and must keep `metadata`, save labels and annotations; together they should lose nothing.
 */
export interface Conversion {
  readonly hub: Kind
  readonly spokes: readonly Spoke[]
}

/** One version other than the hub. */
export interface Spoke<S extends KubeObject = KubeObject, H extends KubeObject = KubeObject> {
  readonly kind: Kind<S>
  readonly toHub: (object: S) => H
  readonly fromHub: (object: H) => S
}

/** Joins a version to its hub, with both types checked. */
export function spoke<S extends KubeObject, H extends KubeObject>(
  hub: Kind<H>,
  kind: Kind<S>,
  convert: {
    readonly toHub: (object: S) => NoInfer<Omit<H, 'apiVersion' | 'kind'>>
    readonly fromHub: (object: H) => NoInfer<Omit<S, 'apiVersion' | 'kind'>>
  },
): Spoke {
  if (hub.group !== kind.group || hub.kind !== kind.kind)
    throw new Error(`${kind.kind}.${kind.group} is not a version of ${hub.kind}.${hub.group}`)
  return { kind, ...convert } as unknown as Spoke
}

interface ConversionRequest {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects?: readonly KubeObject[]
}

/** Answers a ConversionReview (apiextensions.k8s.io/v1): all objects, or a failure that says which one and why. */
export async function answerConversion(
  conversions: readonly Conversion[],
  body: unknown,
): Promise<object> {
  const { kind, apiVersion, request } = body as {
    readonly kind?: string
    readonly apiVersion?: string
    readonly request?: ConversionRequest
  }
  if (kind !== 'ConversionReview' || apiVersion !== 'apiextensions.k8s.io/v1' || !request?.uid)
    throw new ApiError(
      failure(
        400,
        'BadRequest',
        'a ConversionReview of apiextensions.k8s.io/v1 with a request was expected',
      ),
    )
  const { uid, desiredAPIVersion, objects = [] } = request
  const response = { uid, ...convertAll(conversions, objects, desiredAPIVersion) }
  return { apiVersion, kind, response }
}

function convertAll(
  conversions: readonly Conversion[],
  objects: readonly KubeObject[],
  to: string,
): object {
  try {
    const convertedObjects = objects.map((it) => convert(conversions, it, to))
    return { result: { status: 'Success' }, convertedObjects }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { result: { status: 'Failure', message }, convertedObjects: [] }
  }
}

function convert(conversions: readonly Conversion[], object: KubeObject, to: string): KubeObject {
  const { apiVersion = '', kind = '' } = object
  if (apiVersion === to) return object
  const conversion = conversions.find(
    ({ hub, spokes }) =>
      hub.kind === kind &&
      [hub, ...spokes.map((it) => it.kind)].some((it) => apiVersionOf(it) === apiVersion),
  )
  if (!conversion) throw new Error(`no conversion of ${kind} from ${apiVersion} is served here`)
  const versionOf = (version: string): Spoke | undefined =>
    conversion.spokes.find((it) => apiVersionOf(it.kind) === version)
  const hub = apiVersionOf(conversion.hub)
  const source = versionOf(apiVersion)
  const target = versionOf(to)
  if (!target && to !== hub) throw new Error(`${kind} has no version ${to} here`)
  const inHub = source ? { ...source.toHub(object), apiVersion: hub, kind } : object
  return target ? { ...target.fromHub(inHub), apiVersion: to, kind } : inHub
}

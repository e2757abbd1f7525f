import {
  ApiError,
  failure,
  type UnknownObject,
  invalidValue,
  fieldErrorText,
  isLabelValue,
  isQualifiedName,
} from 'kubewright/machinery'
import { isObject } from 'kubewright/schema'

/** Asks a conversion webhook: the objects in, the same objects in `apiVersion` out. Rejects where the webhook cannot be asked. */
export type ConversionWebhook = (
  objects: readonly UnknownObject[],
  apiVersion: string,
) => Promise<readonly UnknownObject[]>

/** Conversion by name alone: nothing but apiVersion differs. The very same object where it has that version already. */
export function convertByName(object: UnknownObject, apiVersion: string): UnknownObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}

/**
 * Conversion by webhook (pkg/apiserver/conversion/webhook_converter.go): only objects of other versions are sent, and of what comes
 * back, metadata but for labels and annotations is the object's own. Throws an ApiError (500) with Kubernetes' sentence where the answer is not
 * what was asked for.
 */
export async function convertByWebhook(
  objects: readonly UnknownObject[],
  apiVersion: string,
  webhook: ConversionWebhook,
): Promise<readonly UnknownObject[]> {
  const asked = objects.filter((it) => it.apiVersion !== apiVersion)
  const [first] = asked
  if (!first) return objects
  const what = describe(first)
  const answered = await answer(webhook, asked, apiVersion, what)
  if (answered.length !== asked.length)
    throw failed(
      `conversion webhook for ${what} returned ${answered.length} objects, expected ${asked.length}`,
    )
  const checked = asked.map((it, i) =>
    restored(it, answered[i] as UnknownObject, apiVersion, what, i),
  )
  let next = 0
  return objects.map((it) =>
    it.apiVersion === apiVersion ? it : (checked[next++] as UnknownObject),
  )
}

/** A kind as Go prints it: `example.com/v1, Kind=MyApp`. */
/** A 500 without a reason: Kubernetes hands the converter's own error on. */
const failed = (message: string, cause?: unknown): ApiError =>
  new ApiError(failure(500, undefined, message), { cause })

const describe = (object: UnknownObject): string => `${object.apiVersion}, Kind=${object.kind}`

async function answer(
  webhook: ConversionWebhook,
  objects: readonly UnknownObject[],
  apiVersion: string,
  what: string,
): Promise<readonly UnknownObject[]> {
  try {
    return await webhook(objects, apiVersion)
  } catch (error) {
    throw failed(`conversion webhook for ${what} failed: ${(error as Error).message}`, error)
  }
}

function restored(
  original: UnknownObject,
  converted: UnknownObject,
  apiVersion: string,
  what: string,
  i: number,
): UnknownObject {
  const whose = `conversion webhook for ${what} returned invalid`
  const at = `object at index ${i}:`
  if (converted.apiVersion !== apiVersion)
    throw failed(
      `${whose} converted ${at} invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion ?? ''})`,
    )
  if (converted.kind !== original.kind)
    throw failed(
      `${whose} converted ${at} invalid kind (expected ${original.kind}, received ${converted.kind ?? ''})`,
    )
  if (!isObject(converted['metadata' as string]))
    throw failed(`${whose} metadata in ${at} missing metadata in converted object`)
  const problem = identityProblem(original, converted)
  if (problem) throw failed(`${whose} converted ${at} ${problem}`)
  const { labels, annotations } = converted.metadata
  const bad = mapProblem('labels', labels) ?? mapProblem('annotations', annotations)
  if (bad) throw failed(`${whose} metadata in ${at} ${bad}`)
  const { labels: _, annotations: __, ...kept } = original.metadata
  return {
    ...converted,
    metadata: { ...kept, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
  }
}

function identityProblem(original: UnknownObject, converted: UnknownObject): string | undefined {
  const fields = [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const
  const wrong = fields.find(
    ([field]) => (original.metadata[field] ?? '') !== (converted.metadata[field] ?? ''),
  )
  if (!wrong) return undefined
  const [field, word] = wrong
  return `must have the same ${word}: ${original.metadata[field] ?? ''} != ${converted.metadata[field] ?? ''}`
}

function mapProblem(
  name: 'labels' | 'annotations',
  map: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  for (const [key, value] of Object.entries(map ?? {})) {
    if (typeof value !== 'string')
      return `metadata.${name}[${key}] must be a string, but is ${typeof value} in converted object`
    const path = `metadata.${name}`
    const problems =
      name === 'labels'
        ? [
            ...isQualifiedName(key).map((it) => invalidValue(path, key, it)),
            ...isLabelValue(value).map((it) => invalidValue(path, value, it)),
          ]
        : isQualifiedName(key.toLowerCase()).map((it) => invalidValue(path, key, it))
    if (problems[0]) return fieldErrorText(problems[0])
  }
  return undefined
}

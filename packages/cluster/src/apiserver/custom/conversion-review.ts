import type { UnknownObject } from 'kubewright/machinery'
import { type CustomResourceDefinition, isObject } from 'kubewright/schema'
import type { ConversionWebhook } from './conversion.ts'

/** Sends a ConversionReview to where a definition's `clientConfig` points, and answers with the parsed answer. Rejects where it cannot. */
export type PostReview = (crd: CustomResourceDefinition, review: object) => Promise<unknown>

/**
 * The conversion webhook of a definition over a way to post reviews (pkg/apiserver/conversion/webhook_converter.go). `uid` makes the
 * review's own identity. It rejects with Kubernetes' sentences where the answer is no review, or one of a failure.
 */
export const conversionWebhook =
  (crd: CustomResourceDefinition, post: PostReview, uid: () => string): ConversionWebhook =>
  async (objects, apiVersion) => {
    const id = uid()
    const version = reviewVersion(crd)
    const answer = await post(crd, {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid: id, desiredAPIVersion: apiVersion, objects },
    })
    return convertedObjects(answer, version, id)
  }

/** The first version of ConversionReview that both sides speak; validation sees to it that there is one. */
function reviewVersion(crd: CustomResourceDefinition): string {
  const spoken = crd.spec.conversion?.webhook?.conversionReviewVersions ?? []
  return spoken.find((it) => it === 'v1' || it === 'v1beta1') ?? 'v1'
}

function convertedObjects(answer: unknown, version: string, uid: string): readonly UnknownObject[] {
  const review = isObject(answer) ? answer : {}
  if (version === 'v1') checkKind(review)
  const { response } = review
  if (!isObject(response)) throw new Error('no response provided')
  if (version === 'v1' && response['uid'] !== uid)
    throw new Error(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`,
    )
  checkResult(response['result'])
  return (response['convertedObjects'] ?? []) as readonly UnknownObject[]
}

function checkKind({ apiVersion, kind }: Readonly<Record<string, unknown>>): void {
  const expected = 'apiextensions.k8s.io/v1, Kind=ConversionReview'
  const given = `${String(apiVersion)}, Kind=${String(kind)}`
  if (given !== expected) throw new Error(`expected webhook response of ${expected}, got ${given}`)
}

function checkResult(result: unknown): void {
  const { status = '', message = '' } = (isObject(result) ? result : {}) as Readonly<
    Record<string, string>
  >
  if (status === 'Success') return
  throw new Error(message || `response.result.status was '${status}', not 'Success'`)
}

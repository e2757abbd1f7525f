import { ApiError, type Status } from 'kubewright/machinery'
import type { CustomResourceDefinition } from 'kubewright/schema'
import type { PostReview } from '../custom/conversion-review.ts'
import { deleteObject } from '../endpoints/delete.ts'
import type { Exchange } from '../endpoints/exchange.ts'
import type { Served } from '../endpoints/served.ts'
import type { ServerParts } from '../endpoints/server-parts.ts'
import { Views } from '../endpoints/view.ts'
import { fromFetch } from '../http/fetch.ts'
import type { Answer, ApiRequest, User } from '../http/message.ts'
import { callWebhook, type ResolveService, type WebhookTarget } from '../http/webhook-call.ts'

/** As whom the server itself acts (apiserver/pkg/authentication/user APIServerUser). */
const LOOPBACK: User = Object.freeze({
  name: 'system:apiserver',
  groups: Object.freeze(['system:masters']),
})

/** Makes a namespace as anybody may, as the server itself. Rejects with the ApiError of the refusal. */
export async function makeNamespace(
  answer: (request: ApiRequest) => Promise<Answer>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const request = new Request('http://server/api/v1/namespaces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
  })
  const { status, body } = await answer(fromFetch(request, LOOPBACK, signal))
  if (status !== 201) throw new ApiError(JSON.parse(String(body)) as Status)
}

/** Deletes an object of a definition that goes, by the rules of DELETE, as the server itself. */
export async function deleteInstance(
  parts: ServerParts,
  served: Served,
  namespace: string,
  name: string,
): Promise<void> {
  const exchange = { user: LOOPBACK, warnings: [] as string[] } as unknown as Exchange
  const views = new Views(served)
  const call = { parts, served, views, exchange, namespace, name, subresource: '' }
  await deleteObject(call, {}, undefined)
}

/** How long a conversion webhook may take, in milliseconds. */
const CONVERSION_TIMEOUT = 30_000

/** Posts conversion reviews to where definitions say. */
export const conversionReviews =
  (resolveService: ResolveService): PostReview =>
  (crd: CustomResourceDefinition, review) => {
    const target = (crd.spec.conversion?.webhook?.clientConfig ?? {}) as WebhookTarget
    return callWebhook(target, review, CONVERSION_TIMEOUT, resolveService)
  }

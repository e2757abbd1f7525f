import type { Clock } from 'kubewright/base'
import type { Remote } from '../http/remote.ts'
import { itemsAt, mapAt, objectAt, textAt } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isUnder, refuse } from './refusal.ts'

/** Who judges images, and for how long he is believed (`imagePolicy` of the plugin's file); times in milliseconds. */
export interface ImagePolicy {
  readonly remote: Remote
  readonly allowMilliseconds: number
  readonly denyMilliseconds: number
  /** Between tries where there is no answer. */
  readonly retryMilliseconds: number
  /** Whether pods come in where nobody answers. */
  readonly defaultAllow: boolean
}

interface Verdict {
  readonly allowed?: boolean
  readonly reason?: string
  readonly auditAnnotations?: Readonly<Record<string, string>>
}

const PREFIX = 'imagepolicywebhook.image-policy.k8s.io/'
const TIMEOUT = 30_000
const MOST_TRIES = 5
const MOST_REMEMBERED = 1024

function reviewOf({ object, context, subresource }: AdmissionRequest): object {
  const spec = objectAt(object, 'spec')
  const lists = subresource === '' ? ['containers', 'initContainers'] : ['ephemeralContainers']
  const containers = lists.flatMap((list) =>
    itemsAt(spec, list).map((it) => ({ image: textAt(it, 'image') })),
  )
  const annotations = Object.entries(mapAt(object!.metadata, 'annotations')).filter(([name]) =>
    name.includes('.image-policy.k8s.io/'),
  )
  return {
    containers,
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
    namespace: context.namespace,
  }
}

/**
 * ImagePolicyWebhook: asks a webhook about the images of a pod by ImageReviews (kubernetes/plugin/pkg/admission/imagepolicy). Off by
 * default, and not to be had without a configuration.
 */
export function imagePolicyWebhook(policy: ImagePolicy, clock: Clock): AdmissionPlugin {
  const remembered = new Map<string, { readonly verdict: Verdict; readonly until: number }>()
  const judged = async (spec: object): Promise<Verdict> => {
    const key = JSON.stringify(spec)
    const known = remembered.get(key)
    if (known && known.until > clock.now()) return known.verdict
    const verdict = await ask(policy, spec, clock)
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    const life = verdict.allowed ? policy.allowMilliseconds : policy.denyMilliseconds
    remembered.set(key, { verdict, until: clock.now() + life })
    return verdict
  }
  return {
    name: 'ImagePolicyWebhook',
    handles: (request) =>
      (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
      isUnder(request, '/pods') &&
      (request.subresource === '' || request.subresource === 'ephemeralcontainers'),
    validate: async (request) => {
      let verdict: Verdict
      try {
        verdict = await judged(reviewOf(request))
      } catch (error) {
        if (!policy.defaultAllow) throw refuse(request, (error as Error).message)
        request.context.annotate?.(`${PREFIX}failed-open`, 'true')
        return
      }
      for (const [key, value] of Object.entries(verdict.auditAnnotations ?? {}))
        request.context.annotate?.(PREFIX + key, value)
      if (verdict.allowed) return
      const { reason = '' } = verdict
      throw refuse(
        request,
        reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${reason}`,
      )
    },
  }
}

/** Asks until there is an answer, later and later. Rejects with what the last try came to. */
async function ask(policy: ImagePolicy, spec: object, clock: Clock): Promise<Verdict> {
  const review = {
    kind: 'ImageReview',
    apiVersion: 'imagepolicy.k8s.io/v1alpha1',
    metadata: { creationTimestamp: null },
    spec,
    status: { allowed: false },
  }
  for (let tries = 1, wait = policy.retryMilliseconds; ; tries++, wait *= 1.5) {
    try {
      const { status, body } = await policy.remote.post(review, TIMEOUT)
      if (status >= 200 && status < 300) return (body as { readonly status?: Verdict }).status ?? {}
      throw new Error(`the server answered with status ${status}`)
    } catch (error) {
      if (tries === MOST_TRIES) throw error
      await new Promise<void>((resolve) => void clock.after(wait, resolve))
    }
  }
}

import type { AdmissionPlugin, AdmissionRequest, AdmissionRound } from './admission.ts'
import type { AdmissionObserver, AdmissionType } from './observer.ts'

/** The plugins of a server in the order in which they are asked, with who counts what they do. */
export interface AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[]
  readonly observe?: AdmissionObserver
}

class Round implements AdmissionRound {
  readonly kept: Map<string, unknown> = new Map()
  again = false
  asked = false

  readonly ask = (): void => {
    this.asked = true
  }
}

/**
 * Lets the plugins change what a request brings; once more from the first, if one of them asks for it (apiserver/pkg/admission
 * reinvocation.go). Rejects with the first refusal.
 */
export async function mutateAll(chain: AdmissionChain, request: AdmissionRequest): Promise<void> {
  const round = new Round()
  const carried = { ...request, round }
  await inOrder(chain, carried, 'admit')
  if (!round.asked) return
  round.again = true
  await inOrder(chain, carried, 'admit')
}

/** Lets the plugins judge what a request would do. Rejects with the first refusal. */
export const validateAll = (chain: AdmissionChain, request: AdmissionRequest): Promise<void> =>
  inOrder(chain, request, 'validate')

async function inOrder(
  { plugins, observe }: AdmissionChain,
  request: AdmissionRequest,
  type: AdmissionType,
): Promise<void> {
  const step = observe && timer(request, type, observe)
  try {
    for (const plugin of plugins) {
      const act = plugin[type]
      if (!act || !plugin.handles(request)) continue
      const controller = observe && timer(request, type, observe, plugin.name)
      try {
        const pending = act(request)
        if (pending) await pending
      } catch (error) {
        controller?.(true)
        throw error
      }
      controller?.(false)
    }
    step?.(false)
  } catch (error) {
    step?.(true)
    throw error
  }
}

function timer(
  { context, operation }: AdmissionRequest,
  type: AdmissionType,
  observe: AdmissionObserver,
  name?: string,
): (rejected: boolean) => void {
  const start = context.clock.now()
  return (rejected) => {
    const seconds = (context.clock.now() - start) / 1000
    const event = { type, operation, rejected, seconds }
    observe(
      name === undefined ? { ...event, event: 'step' } : { ...event, event: 'controller', name },
    )
  }
}

import { ApiError, failure } from 'kubewright/machinery'
import type { AdmissionRequest } from '../admission/admission.ts'
import { CallFailure } from './call.ts'
import type { Webhook } from './configuration.ts'
import type { WebhookParts } from './invocation.ts'

/** The 504 of a request whose time is up; undefined while there is some left. */
export function tooLate({ deadline, context }: AdmissionRequest): ApiError | undefined {
  if (deadline === undefined || context.clock.now() < deadline) return undefined
  const message = 'Timeout: request did not complete within requested timeout'
  return new ApiError(failure(504, 'Timeout', message, {}))
}

/** Begins to measure a call; to be told the error that it ends with, or undefined (admission/metrics). */
export function outcomeObserver(
  { name, failurePolicy }: Webhook,
  type: 'admit' | 'validating',
  { operation, context }: AdmissionRequest,
  { observe }: WebhookParts,
): (error: unknown) => void {
  if (!observe) return () => {}
  const start = context.clock.now()
  return (error) => {
    const failed = error instanceof CallFailure
    const ignored = failed && failurePolicy === 'Ignore'
    const rejected = error !== undefined && !ignored
    const code = codeOf(error)
    const seconds = (context.clock.now() - start) / 1000
    observe({ event: 'webhook', name, type, operation, rejected, code, seconds })
    if (ignored) observe({ event: 'webhookFailOpen', name, type })
    if (!rejected) return
    const errorType = failed
      ? 'calling_webhook_error'
      : error instanceof ApiError && error.code !== 500
        ? 'no_error'
        : 'apiserver_internal_error'
    observe({ event: 'webhookRejection', name, type, operation, errorType, code })
  }
}

function codeOf(error: unknown): number {
  if (error === undefined) return 200
  return error instanceof CallFailure || error instanceof ApiError ? error.code : 0
}

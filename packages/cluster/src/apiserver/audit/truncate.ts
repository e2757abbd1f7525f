import type { AuditEvent } from './entry.ts'
import { type AuditBackend, jsonLine } from './sink.ts'

/** How large events and batches may be, in bytes of JSON (`--audit-*-truncate-*`). */
export interface TruncateOptions {
  readonly maxEvent: number
  readonly maxBatch: number
  /** Is told of events that are too large whatever is taken from them, and are dropped. */
  readonly dropped: (events: number) => void
}

const TRUNCATED = 'audit.k8s.io/truncated'

/** Takes request and response from events that are too large, and splits batches that are (apiserver/plugin/pkg/audit/truncate). */
export function truncated(
  backend: AuditBackend,
  { maxEvent, maxBatch, dropped }: TruncateOptions,
): AuditBackend {
  return {
    process: async (events) => {
      let batch: AuditEvent[] = []
      let size = 0
      let went = true
      const send = async (): Promise<void> => {
        if (batch.length > 0) went = (await backend.process(batch)) && went
        batch = []
        size = 0
      }
      for (const event of events) {
        const fitting = fittingForm(event, maxEvent)
        if (fitting === undefined) {
          dropped(1)
          continue
        }
        const bytes = sizeOf(fitting)
        if (size + bytes > maxBatch) await send()
        batch.push(fitting)
        size += bytes
      }
      await send()
      return went
    },
    close: backend.close,
  }
}

const sizeOf = (event: AuditEvent): number => Buffer.byteLength(jsonLine(event))

function fittingForm(event: AuditEvent, most: number): AuditEvent | undefined {
  if (sizeOf(event) <= most) return event
  const { requestObject: _, responseObject: __, ...rest } = event
  const annotations = { ...(event['annotations'] as object | undefined), [TRUNCATED]: 'true' }
  const less = { ...rest, annotations }
  return sizeOf(less) <= most ? less : undefined
}

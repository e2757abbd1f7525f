import type { Answer } from '../../apiserver/http/message.ts'

/** An answer of a sentence, as kubelets give their errors. */
export const plainAnswer = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})

/** An answer of an object. */
export const jsonAnswer = (object: unknown): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(object),
})

/** What an error says; whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

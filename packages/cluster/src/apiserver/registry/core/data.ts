/** What the data of a ConfigMap or a Secret may weigh. */
export const MAX_DATA_BYTES: number = 1024 * 1024

/** Why immutable data stays. */
export const IMMUTABLE_WHEN_SET = 'field is immutable when `immutable` is set'

/** How many bytes a base64 text stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return (text.length / 4) * 3 - padding
}

/** The base64 of a text in UTF-8. */
export const toBase64 = (text: string): string => Buffer.from(text).toString('base64')

/** The text that a base64 text stands for. */
export const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString()

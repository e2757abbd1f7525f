import { readFileSync } from 'node:fs'
import { type FieldError, fieldErrorBody } from 'kubewright/machinery'

/** The lines of a file of recorded answers. */
export function recorded<T>(name: string): readonly T[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((it) => it !== '')
    .map((it) => JSON.parse(it) as T)
}

/** Errors as the files have causes. */
export const causesOf = (errors: readonly FieldError[]): readonly string[] =>
  errors.map((it) => `${it.type}|${it.field}|${fieldErrorBody(it)}`).sort()

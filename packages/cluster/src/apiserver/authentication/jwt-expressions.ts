import {
  ANY,
  BOOL,
  type CelType,
  compile,
  isList,
  listOf,
  mapOf,
  objectOf,
  type Program,
  STRING,
  toJson,
} from 'kubewright/cel'
import type { User } from '../http/message.ts'

/** A compiled expression, or what is wrong with it. */
export type CompiledExpression =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly problem: string }

const CLAIMS: CelType = mapOf(STRING, ANY)
const TEXTS: CelType = listOf(STRING)
const USER: CelType = objectOf('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: TEXTS,
  extra: mapOf(STRING, TEXTS),
})

/** Compiles an expression over `claims`, to a boolean or to anything (apiserver/pkg/authentication/cel). */
export const compileClaims = (expression: string, to: 'bool' | 'any'): CompiledExpression =>
  compiled(expression, 'claims', CLAIMS, to)

/** Compiles an expression over `user`, to a boolean. */
export const compileUser = (expression: string): CompiledExpression =>
  compiled(expression, 'user', USER, 'bool')

function compiled(
  expression: string,
  name: string,
  type: CelType,
  to: 'bool' | 'any',
): CompiledExpression {
  const result = compile(expression, {
    variables: { [name]: type },
    ...(to === 'bool' ? { expect: BOOL } : {}),
  })
  if (result.ok) return { ok: true, program: result.program }
  const text = result.text.startsWith('must evaluate')
    ? result.text
    : `compilation failed: ${result.text}`
  return { ok: false, problem: text }
}

/** What an expression comes to as JSON, or the error that it ends in. */
export function evaluated(program: Program, bindings: Readonly<Record<string, unknown>>): unknown {
  const result = program.evaluate(bindings)
  if (!result.ok) throw new Error(result.error.message)
  return isList(result.value) || typeof result.value === 'object'
    ? toJson(result.value)
    : result.value
}

/** A string or a list of strings as a list, with nothing empty in it. Throws where it is neither. */
export function textsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  const list = Array.isArray(value) ? (value as unknown[]) : [value]
  if (!list.every((it) => typeof it === 'string'))
    throw new Error('expression must return a string or a list of strings')
  return list.filter((it) => it !== '')
}

/** A user as expressions see it. */
export const userBinding = ({ name, uid = '', groups, extra = {} }: User): object => ({
  username: name,
  uid,
  groups,
  extra,
})

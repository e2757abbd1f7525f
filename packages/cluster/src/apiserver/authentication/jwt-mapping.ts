import type { Program } from 'kubewright/cel'
import type { User } from '../http/message.ts'
import type { ClaimMappings, JwtConfiguration } from './authentication-configuration.ts'
import { AuthenticationError } from './authenticator.ts'
import { CREDENTIAL_ID } from './client-certificate.ts'
import { compileClaims, compileUser, evaluated, textsOf, userBinding } from './jwt-expressions.ts'

type Claims = Readonly<Record<string, unknown>>

/** Makes a user of the claims of a verified token. Throws an {@link AuthenticationError}. */
export type ClaimMapper = (claims: Claims) => User

const refuse = (message: string): never => {
  throw new AuthenticationError(`oidc: ${message}`)
}

/** Runs something whose errors are told under a heading. */
function under<T>(heading: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof AuthenticationError) throw error
    return refuse(`${heading}: ${(error as Error).message}`)
  }
}

function programOf(
  expression: string,
  compile: (text: string) => ReturnType<typeof compileClaims>,
): Program {
  const result = compile(expression)
  if (!result.ok) throw new Error(`${JSON.stringify(expression)}: ${result.problem}`)
  return result.program
}

const claimsProgram = (expression: string, to: 'bool' | 'any'): Program =>
  programOf(expression, (it) => compileClaims(it, to))

/** Compiles what an issuer's configuration says of claims. Throws an Error for an expression that cannot be compiled. */
export function claimMapper(configuration: JwtConfiguration): ClaimMapper {
  const { claimMappings = {} } = configuration
  const name = nameOf(claimMappings)
  const groups = groupsOf(claimMappings)
  const uid = uidOf(claimMappings)
  const extra = extraOf(claimMappings)
  const checkClaims = claimChecks(configuration)
  const checkUser = userChecks(configuration)
  return (claims) => {
    const known = uid(claims)
    const more = extra(claims)
    const user: User = {
      name: name(claims),
      groups: groups(claims),
      ...(known === '' ? {} : { uid: known }),
      ...(Object.keys(more).length === 0 ? {} : { extra: more }),
    }
    checkClaims(claims)
    checkUser(user)
    return user
  }
}

/** A claim that must be a string. */
function textClaim(claims: Claims, name: string, heading: string): string {
  const value = claims[name]
  if (value === undefined) return refuse(`${heading}: claim not present`)
  return typeof value === 'string'
    ? value
    : refuse(`${heading}: json: cannot unmarshal ${goKind(value)} into Go value of type string`)
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

function nameOf({ username = {} }: ClaimMappings): (claims: Claims) => string {
  const { claim = '', prefix = '', expression } = username
  if (expression) {
    const program = claimsProgram(expression, 'any')
    return (claims) => {
      const heading = 'error evaluating username claim expression'
      const name = under(heading, () => evaluated(program, { claims }))
      if (typeof name !== 'string')
        return refuse(`${heading}: username claim expression must return a string`)
      return name === '' ? refuse('empty username via CEL expression is not allowed') : name
    }
  }
  return (claims) => {
    const name = textClaim(claims, claim, `parse username claims ${JSON.stringify(claim)}`)
    if (claim === 'email' && 'email_verified' in claims && claims['email_verified'] !== true)
      return refuse('email not verified')
    return prefix + name
  }
}

function groupsOf({ groups = {} }: ClaimMappings): (claims: Claims) => readonly string[] {
  const { claim = '', prefix = '', expression } = groups
  if (expression) {
    const program = claimsProgram(expression, 'any')
    return (claims) =>
      under('error evaluating group claim expression', () =>
        textsOf(evaluated(program, { claims })),
      )
  }
  if (claim === '') return () => []
  return (claims) => {
    const value = claims[claim]
    if (value === undefined) return []
    const list = typeof value === 'string' ? [value] : value
    const isTexts = Array.isArray(list) && list.every((it) => typeof it === 'string')
    if (!isTexts) {
      const what = `json: cannot unmarshal ${goKind(value)} into Go value of type []string`
      return refuse(`parse groups claim ${JSON.stringify(claim)}: ${what}`)
    }
    return (list as readonly string[]).map((it) => prefix + it)
  }
}

function uidOf({ uid = {} }: ClaimMappings): (claims: Claims) => string {
  const { claim = '', expression } = uid
  if (expression) {
    const program = claimsProgram(expression, 'any')
    const heading = 'error evaluating uid claim expression'
    return (claims) => {
      const value = under(heading, () => evaluated(program, { claims }))
      return typeof value === 'string'
        ? value
        : refuse(`${heading}: uid claim expression must return a string`)
    }
  }
  if (claim === '') return () => ''
  return (claims) => textClaim(claims, claim, `parse uid claim ${JSON.stringify(claim)}`)
}

type Extra = Readonly<Record<string, readonly string[]>>

function extraOf({ extra = [] }: ClaimMappings): (claims: Claims) => Extra {
  const programs = extra.map(({ key = '', valueExpression = '' }) => ({
    key,
    heading: `error evaluating extra claim expression: ${valueExpression}`,
    program: claimsProgram(valueExpression, 'any'),
  }))
  return (claims) => {
    const { jti } = claims
    const own =
      typeof jti === 'string' && jti !== '' ? [[CREDENTIAL_ID, [`JTI=${jti}`]] as const] : []
    const mapped = programs.map(({ key, heading, program }) => {
      return [key, under(heading, () => textsOf(evaluated(program, { claims })))] as const
    })
    return Object.fromEntries([...own, ...mapped.filter(([, it]) => it.length > 0)])
  }
}

function claimChecks({ claimValidationRules = [] }: JwtConfiguration): (claims: Claims) => void {
  const values = claimValidationRules.filter((it) => it.claim)
  const conditions = claimValidationRules.flatMap(({ expression, message }) =>
    expression ? [{ expression, message, program: claimsProgram(expression, 'bool') }] : [],
  )
  return (claims) => {
    for (const { claim = '', requiredValue = '' } of values) {
      if (!(claim in claims)) refuse(`required claim ${claim} not present in ID token`)
      const value = textClaim(claims, claim, `parse claim ${claim}`)
      if (value !== requiredValue)
        refuse(
          `required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`,
        )
    }
    for (const it of conditions)
      checkCondition(it, { claims }, 'error evaluating claim validation expression')
  }
}

function userChecks({ userValidationRules = [] }: JwtConfiguration): (user: User) => void {
  const conditions = userValidationRules.map(({ expression = '', message }) => ({
    expression,
    message,
    program: programOf(expression, compileUser),
  }))
  return (user) => {
    for (const it of conditions)
      checkCondition(it, { user: userBinding(user) }, 'error evaluating user info validation rule')
  }
}

interface Condition {
  readonly expression: string
  readonly message: string | undefined
  readonly program: Program
}

function checkCondition(
  { expression, message, program }: Condition,
  bindings: Readonly<Record<string, unknown>>,
  heading: string,
): void {
  const holds = under(heading, () => evaluated(program, bindings))
  if (holds === true) return
  refuse(`${heading}: validation expression '${expression}' failed: ${message ?? ''}`)
}

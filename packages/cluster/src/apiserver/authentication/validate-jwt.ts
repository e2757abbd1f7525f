import { duplicate, type FieldError, invalidValue, required } from 'kubewright/machinery'
import { certificatesOf } from './client-certificate.ts'
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimRule,
  JwtConfiguration,
  Mapping,
  UserRule,
} from './authentication-configuration.ts'
import { compileClaims, compileUser } from './jwt-expressions.ts'

type Errors = FieldError[]

/** Everything that is wrong with a configuration (apiserver/pkg/apis/apiserver/validation); `issuers` are those of service accounts. */
export function authenticationErrors(
  { jwt = [], anonymous }: AuthenticationConfiguration,
  issuers: readonly string[],
): readonly FieldError[] {
  const errors: Errors = []
  const seen = new Set<string>()
  jwt.forEach((it, i) => {
    checkJwt(errors, it, `jwt[${i}]`, issuers)
    const { url = '', discoveryURL = '' } = it.issuer
    if (seen.has(url)) errors.push(duplicate(`jwt[${i}].issuer.url`, url))
    if (discoveryURL !== '' && seen.has(` ${discoveryURL}`))
      errors.push(duplicate(`jwt[${i}].issuer.discoveryURL`, discoveryURL))
    seen.add(url).add(` ${discoveryURL}`)
  })
  const { enabled = false, conditions = [] } = anonymous ?? {}
  if (!enabled && conditions.length > 0) {
    const why = 'enabled should be set to true when conditions are defined'
    errors.push(invalidValue('anonymous.conditions', conditions, why))
  }
  return errors
}

function checkJwt(
  errors: Errors,
  jwt: JwtConfiguration,
  at: string,
  issuers: readonly string[],
): void {
  checkIssuer(errors, jwt.issuer, `${at}.issuer`, issuers)
  checkClaimRules(errors, jwt.claimValidationRules ?? [], `${at}.claimValidationRules`)
  checkMappings(errors, jwt.claimMappings ?? {}, `${at}.claimMappings`)
  checkUserRules(errors, jwt.userValidationRules ?? [], `${at}.userValidationRules`)
}

function checkIssuer(
  errors: Errors,
  issuer: JwtConfiguration['issuer'],
  at: string,
  issuers: readonly string[],
): void {
  const { url = '', discoveryURL = '', certificateAuthority } = issuer
  if (url === '') errors.push(required(`${at}.url`, ''))
  else checkUrl(errors, url, `${at}.url`, issuers)
  if (discoveryURL !== '') {
    const bare = (text: string): string => text.replace(/\/+$/, '')
    if (url !== '' && bare(url) === bare(discoveryURL)) {
      const why = 'discoveryURL must be different from URL'
      errors.push(invalidValue(`${at}.discoveryURL`, discoveryURL, why))
    }
    checkUrl(errors, discoveryURL, `${at}.discoveryURL`, [])
  }
  checkAudiences(errors, issuer, at)
  if (certificateAuthority)
    checkAuthority(errors, certificateAuthority, `${at}.certificateAuthority`)
}

function checkAuthority(errors: Errors, pem: string, at: string): void {
  try {
    certificatesOf(pem)
  } catch (error) {
    errors.push(invalidValue(at, '<omitted>', (error as Error).message))
  }
}

function checkUrl(errors: Errors, text: string, at: string, issuers: readonly string[]): void {
  if (issuers.includes(text)) {
    const why = `URL must not overlap with disallowed issuers: [${issuers.join(' ')}]`
    errors.push(invalidValue(at, text, why))
  }
  if (!URL.canParse(text) && !/^[a-z]*:?\/\//i.test(text))
    return void errors.push(invalidValue(at, text, 'URL scheme must be https'))
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:') errors.push(invalidValue(at, text, 'URL scheme must be https'))
  if (url?.username || url?.password)
    errors.push(invalidValue(at, text, 'URL must not contain a username or password'))
  if (url?.search) errors.push(invalidValue(at, text, 'URL must not contain a query'))
  if (url?.hash) errors.push(invalidValue(at, text, 'URL must not contain a fragment'))
}

function checkAudiences(
  errors: Errors,
  { audiences = [], audienceMatchPolicy = '' }: JwtConfiguration['issuer'],
  at: string,
): void {
  if (audiences.length === 0)
    return void errors.push(required(`${at}.audiences`, `at least one ${at}.audiences is required`))
  audiences.forEach((it, i) => {
    if (it === '') errors.push(required(`${at}.audiences[${i}]`, ''))
    if (audiences.indexOf(it) < i) errors.push(duplicate(`${at}.audiences[${i}]`, it))
  })
  const isAny = audienceMatchPolicy === 'MatchAny'
  if (isAny || (audiences.length === 1 && audienceMatchPolicy === '')) return
  const why =
    audiences.length > 1
      ? 'audienceMatchPolicy must be MatchAny for multiple audiences'
      : 'audienceMatchPolicy must be empty or MatchAny for single audience'
  errors.push(invalidValue(`${at}.audienceMatchPolicy`, audienceMatchPolicy, why))
}

function checkClaimRules(errors: Errors, rules: readonly ClaimRule[], at: string): void {
  const seen = new Set<string>()
  rules.forEach(({ claim = '', expression = '', requiredValue = '', message = '' }, i) => {
    const own = `${at}[${i}]`
    if (claim !== '' && expression !== '')
      return errors.push(invalidValue(own, claim, "claim and expression can't both be set"))
    if (claim === '' && expression === '')
      return errors.push(required(own, 'claim or expression is required'))
    if (claim !== '') {
      if (message !== '')
        errors.push(
          invalidValue(`${own}.message`, message, 'may not be specified when claim is set'),
        )
      if (seen.has(`claim ${claim}`)) errors.push(duplicate(`${own}.claim`, claim))
      return seen.add(`claim ${claim}`)
    }
    if (requiredValue !== '') {
      const why = 'may not be specified when expression is set'
      errors.push(invalidValue(`${own}.requiredValue`, requiredValue, why))
    }
    if (seen.has(expression)) return errors.push(duplicate(`${own}.expression`, expression))
    seen.add(expression)
    return checkExpression(
      errors,
      compileClaims(expression, 'bool'),
      expression,
      `${own}.expression`,
    )
  })
}

/** Compiled programs are thrown away here; the authenticator compiles its own. */
function checkExpression(
  errors: Errors,
  compiled: ReturnType<typeof compileClaims>,
  expression: string,
  at: string,
): void {
  if (!compiled.ok) errors.push(invalidValue(at, expression, compiled.problem))
}

function checkUserRules(errors: Errors, rules: readonly UserRule[], at: string): void {
  const seen = new Set<string>()
  rules.forEach(({ expression = '' }, i) => {
    const own = `${at}[${i}].expression`
    if (expression === '') return errors.push(required(own, ''))
    if (seen.has(expression)) return errors.push(duplicate(own, expression))
    seen.add(expression)
    return checkExpression(errors, compileUser(expression), expression, own)
  })
}

function checkMappings(errors: Errors, mappings: ClaimMappings, at: string): void {
  const { username = {}, groups = {}, uid = {}, extra = [] } = mappings
  checkMapping(errors, username, `${at}.username`, true)
  checkMapping(errors, groups, `${at}.groups`, false)
  if (uid.claim && uid.expression)
    errors.push(invalidValue(`${at}.uid`, '', "claim and expression can't both be set"))
  else if (uid.expression)
    checkExpression(
      errors,
      compileClaims(uid.expression, 'any'),
      uid.expression,
      `${at}.uid.expression`,
    )
  checkExtra(errors, extra, `${at}.extra`)
}

function checkMapping(errors: Errors, mapping: Mapping, at: string, isRequired: boolean): void {
  const { claim = '', expression = '', prefix } = mapping
  if (claim !== '' && expression !== '')
    return void errors.push(invalidValue(at, '', "claim and expression can't both be set"))
  if (claim === '' && expression === '') {
    if (isRequired) errors.push(required(at, 'claim or expression is required'))
    return
  }
  if (claim !== '' && prefix === undefined) {
    const why =
      'prefix is required when claim is set. It can be set to an empty string to disable prefixing'
    errors.push(required(`${at}.prefix`, why))
  }
  if (expression === '') return
  if (prefix !== undefined)
    errors.push(invalidValue(`${at}.prefix`, prefix, 'may not be specified when expression is set'))
  checkExpression(errors, compileClaims(expression, 'any'), expression, `${at}.expression`)
}

const DOMAIN_KEY = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/\S+$/
const RESERVED = /^([^/]*\.)?(k8s|kubernetes)\.io\//

function checkExtra(errors: Errors, extra: NonNullable<ClaimMappings['extra']>, at: string): void {
  const seen = new Set<string>()
  extra.forEach(({ key = '', valueExpression = '' }, i) => {
    const own = `${at}[${i}]`
    if (key === '') errors.push(required(`${own}.key`, ''))
    else if (!DOMAIN_KEY.test(key.toLowerCase())) {
      const why = 'must be a domain-prefixed path (such as "acme.io/foo")'
      errors.push(invalidValue(`${own}.key`, key, why))
    }
    if (key !== key.toLowerCase()) errors.push(invalidValue(`${own}.key`, key, 'must be lowercase'))
    if (RESERVED.test(key)) {
      const why = 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'
      errors.push(invalidValue(`${own}.key`, key, why))
    }
    if (seen.has(key)) return errors.push(duplicate(`${own}.key`, key))
    seen.add(key)
    if (valueExpression === '') return errors.push(required(`${own}.valueExpression`, ''))
    const compiled = compileClaims(valueExpression, 'any')
    return checkExpression(errors, compiled, valueExpression, `${own}.valueExpression`)
  })
}

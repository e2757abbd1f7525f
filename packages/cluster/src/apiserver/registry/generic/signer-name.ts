import {
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  required,
  tooLong,
  type NameRule,
} from 'kubewright/machinery'
import type { Errors } from './checks.ts'

const LONGEST_DOMAIN = 253
const LONGEST_SIGNER = LONGEST_DOMAIN + 1 + (253 + 63 + 1)

/** A name such as `example.com/signer-name` (core/validation ValidateSignerName). */
export function checkSignerName(errors: Errors, field: string, name: string): void {
  if (name === '') return void errors.push(required(field))
  const [domain = '', path, ...rest] = name.split('/')
  if (path === undefined || rest.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return void errors.push(invalidValue(field, name, why))
  }
  const labels = domain.split('.')
  if (domain.length > LONGEST_DOMAIN) errors.push(tooLong(field, LONGEST_DOMAIN))
  checkParts(errors, field, domain, labels, isDns1123Label)
  if (labels.length < 2) {
    const why = 'should be a domain with at least two segments separated by dots'
    errors.push(invalidValue(field, domain, why))
  }
  checkParts(errors, field, path, path.split('.'), isDns1123Subdomain)
  if (name.length > LONGEST_SIGNER) errors.push(tooLong(field, LONGEST_SIGNER))
}

function checkParts(
  errors: Errors,
  field: string,
  value: string,
  parts: readonly string[],
  rule: NameRule,
): void {
  for (const part of parts) {
    const problems = rule(part)
    for (const it of problems) {
      errors.push(invalidValue(field, value, `validating label ${JSON.stringify(part)}: ${it}`))
    }
    if (problems.length > 0) return
  }
}

/** Whether a signer is Kubernetes' own. */
export const isKubernetesSigner = (name: string): boolean =>
  /(^|\.)kubernetes\.io$/.test(name.split('/')[0] ?? '')

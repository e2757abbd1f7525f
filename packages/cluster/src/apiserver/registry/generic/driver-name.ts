import { invalidValue, isDns1123Subdomain, required, tooLong } from 'kubewright/machinery'
import type { Errors } from './checks.ts'

const LONGEST_DRIVER_NAME = 63

/** A driver's name as nodes know it (core/validation ValidateCSIDriverName). */
export function checkDriverName(errors: Errors, field: string, name: string): void {
  if (name === '') return void errors.push(required(field))
  if (name.length > LONGEST_DRIVER_NAME) errors.push(tooLong(field, LONGEST_DRIVER_NAME))
  for (const problem of isDns1123Subdomain(name.toLowerCase())) {
    errors.push(invalidValue(field, name, problem))
  }
}

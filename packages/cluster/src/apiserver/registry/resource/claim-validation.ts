import {
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  notSupported,
  required,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import { checkName, requireName, type Errors } from '../generic/checks.ts'
import { checkSelectors } from './device-selector.ts'
import {
  checkConfiguration,
  checkFullProperty,
  checkList,
  checkSet,
  checkToleration,
} from './shared-rules.ts'

const MOST = 32
const MOST_ALTERNATIVES = 8
const ITSELF = (it: string): string => it

/** The names of a claim's requests, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>

/** Gathers the names of what a claim's spec asks for. */
export const requestNamesOf = (spec: Readable | undefined): RequestNames =>
  new Map(
    itemsAt(objectAt(spec, 'devices'), 'requests').map((it) => [
      textAt(it, 'name'),
      new Set(itemsAt(it, 'firstAvailable').map((one) => textAt(one, 'name'))),
    ]),
  )

/** What a claim asks for (kubernetes/pkg/apis/resource/validation validateDeviceClaim). */
export function checkClaimSpec(errors: Errors, field: string, spec: Readable | undefined): void {
  const devices = objectAt(spec, 'devices')
  const names = requestNamesOf(spec)
  const at = `${field}.devices`
  const requests = itemsAt(devices, 'requests')
  checkSet(errors, `${at}.requests`, requests, MOST, checkRequest, (it) => textAt(it, 'name'))
  checkList(
    errors,
    `${at}.constraints`,
    itemsAt(devices, 'constraints'),
    MOST,
    (found, where, it) => checkConstraint(found, where, it, names),
  )
  checkList(errors, `${at}.config`, itemsAt(devices, 'config'), MOST, (found, where, it) => {
    checkRequestRefs(found, `${where}.requests`, textsAt(it, 'requests'), names)
    checkConfiguration(found, where, it)
  })
}

function checkRequest(errors: Errors, field: string, request: Readable): void {
  checkName(errors, `${field}.name`, textAt(request, 'name'), isDns1123Label)
  const exactly = objectAt(request, 'exactly')
  const others = itemsAt(request, 'firstAvailable')
  const rule = 'exactly one of `exactly` or `firstAvailable` is required'
  if (exactly && others.length > 0) {
    errors.push(invalidValue(field, null, `${rule}, but multiple fields are set`))
  } else if (exactly) checkWanted(errors, `${field}.exactly`, exactly)
  else if (others.length > 0) {
    const at = `${field}.firstAvailable`
    checkSet(errors, at, others, MOST_ALTERNATIVES, checkAlternative, (it) => textAt(it, 'name'))
  } else errors.push(required(field, rule))
}

function checkAlternative(errors: Errors, field: string, request: Readable): void {
  checkName(errors, `${field}.name`, textAt(request, 'name'), isDns1123Label)
  checkWanted(errors, field, request)
}

function checkWanted(errors: Errors, field: string, wanted: Readable): void {
  const at = `${field}.deviceClassName`
  requireName(errors, at, textAt(wanted, 'deviceClassName'), isDns1123Subdomain)
  checkSelectors(errors, `${field}.selectors`, wanted)
  checkMode(errors, field, textAt(wanted, 'allocationMode'), numberAt(wanted, 'count') ?? 0)
  itemsAt(wanted, 'tolerations').forEach((it, i) =>
    checkToleration(errors, `${field}.tolerations[${i}]`, it),
  )
}

function checkMode(errors: Errors, field: string, mode: string, count: number): void {
  const at = `${field}.count`
  if (mode === 'All') {
    const why = "must not be specified when allocationMode is 'All'"
    if (count !== 0) errors.push(invalidValue(at, count, why))
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.push(invalidValue(at, count, 'must be greater than zero'))
  } else errors.push(notSupported(`${field}.allocationMode`, mode, ['All', 'ExactCount']))
}

function checkConstraint(
  errors: Errors,
  field: string,
  constraint: Readable,
  names: RequestNames,
): void {
  checkRequestRefs(errors, `${field}.requests`, textsAt(constraint, 'requests'), names)
  const given = ['matchAttribute', 'distinctAttribute'].find((it) => has(constraint, it))
  if (given) checkFullProperty(errors, `${field}.${given}`, textAt(constraint, given))
  else {
    const why =
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    errors.push(required(field, why))
  }
}

/** Names of requests in the claim, each once. */
export function checkRequestRefs(
  errors: Errors,
  field: string,
  refs: readonly string[],
  names: RequestNames,
): void {
  checkSet(
    errors,
    field,
    refs,
    MOST,
    (found, where, it) => checkRequestRef(found, where, it, names),
    ITSELF,
  )
}

/** `request`, or `request/alternative`. */
export function checkRequestRef(
  errors: Errors,
  field: string,
  ref: string,
  names: RequestNames,
): void {
  const [request = '', alternative, ...rest] = ref.split('/')
  const why =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
  if (rest.length > 0) return void errors.push(invalidValue(field, ref, why))
  checkName(errors, field, request, isDns1123Label)
  if (alternative !== undefined) checkName(errors, field, alternative, isDns1123Label)
  const known = names.get(request)
  const fine = known && (alternative === undefined || known.has(alternative))
  if (!fine) errors.push(invalidValue(field, ref, why))
}

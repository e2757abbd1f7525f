import { invalid, invalidValue, type FieldError, type UnknownObject } from 'kubewright/machinery'
import { objectAt, same, textAt, textsAt, type Fields, type Readable } from '../fields.ts'
import type { IpFamily } from './address-range.ts'
import { familyOf } from './ip.ts'
import { clusterIpErrors } from './service-validation.ts'

/** Whether a service has addresses of its own, or none on purpose. */
export const needsClusterIp = (spec: Readable | undefined): boolean =>
  textAt(spec, 'type') !== 'ExternalName'

const isHeadless = (spec: Readable): boolean => textAt(spec, 'clusterIP') === 'None'
const hasSelector = (spec: Readable): boolean =>
  Object.keys(objectAt(spec, 'selector') ?? {}).length > 0

/**
 * Fills in the IP families of a service on a cluster that has some, its usual one first
 * (kubernetes/pkg/registry/core/service/storage/alloc.go initIPFamilyFields). Throws an Invalid ApiError for families that the cluster
 * does not have.
 */
export function fillFamilies(
  spec: Fields,
  old: UnknownObject | undefined,
  name: string,
  known: readonly IpFamily[],
): void {
  if (!needsClusterIp(spec)) return
  const before = objectAt(old, 'spec')
  spec['ipFamilyPolicy'] ??= before?.['ipFamilyPolicy'] ?? defaultPolicy(spec)
  if (before) releaseSecond(spec, before)
  refuse(name, clusterIpErrors(spec))
  refuse(name, [...policyErrors(spec, before), ...inferFamilies(spec, known)])
  const isDual = textAt(spec, 'ipFamilyPolicy') !== 'SingleStack'
  if (isHeadless(spec) && !hasSelector(spec)) {
    completeFamilies(spec, known[0]!, isDual)
    return
  }
  refuse(name, familyErrors(spec, known))
  completeFamilies(spec, known[0]!, isDual && known.length === 2)
}

/** Addresses tell their families, where the cluster has them. */
function inferFamilies(spec: Fields, known: readonly IpFamily[]): readonly FieldError[] {
  const errors: FieldError[] = []
  const families = [...textsAt(spec, 'ipFamilies')]
  for (const [i, ip] of textsAt(spec, 'clusterIPs').entries()) {
    if (ip === 'None') break
    const family = familyOf(ip)
    if (i < families.length || family === undefined) continue
    if (known.includes(family)) families.push(family)
    else {
      const why = `${family} is not configured on this cluster`
      errors.push(invalidValue(`spec.clusterIPs[${i}]`, textsAt(spec, 'clusterIPs'), why))
    }
  }
  if (families.length > 0) spec['ipFamilies'] = families
  return errors
}

/** The usual family where there is none, and the other one too where a service is to have both. */
function completeFamilies(spec: Fields, usual: IpFamily, both: boolean): void {
  const families = textsAt(spec, 'ipFamilies')
  const [first = usual] = families
  if (both && families.length < 2) spec['ipFamilies'] = [first, first === 'IPv4' ? 'IPv6' : 'IPv4']
  else if (families.length === 0) spec['ipFamilies'] = [first]
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, name, errors)
}

/** A headless service without a selector may point anywhere, so it takes both families. */
const defaultPolicy = (spec: Readable): string =>
  isHeadless(spec) && !hasSelector(spec) ? 'RequireDualStack' : 'SingleStack'

function releaseSecond(spec: Fields, before: Readable): void {
  if (textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') return
  for (const field of ['clusterIPs', 'ipFamilies']) {
    const list = textsAt(spec, field)
    if (list.length > 1 && same(list, textsAt(before, field))) spec[field] = list.slice(0, 1)
  }
}

function policyErrors(spec: Fields, before: Readable | undefined): readonly FieldError[] {
  const policy = textAt(spec, 'ipFamilyPolicy')
  const reduced = (field: string): boolean =>
    before !== undefined &&
    textsAt(spec, field).length > 0 &&
    textsAt(spec, field).length < textsAt(before, field).length
  const error = (detail: string): FieldError => invalidValue('spec.ipFamilyPolicy', policy, detail)
  if (policy !== 'SingleStack') {
    return [
      ...(reduced('clusterIPs')
        ? [error("must be 'SingleStack' to release the secondary cluster IP")]
        : []),
      ...(reduced('ipFamilies')
        ? [error("must be 'SingleStack' to release the secondary IP family")]
        : []),
    ]
  }
  const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple"
  return [
    ...(textsAt(spec, 'clusterIPs').length === 2
      ? [error(`${dual} cluster IPs are specified`)]
      : []),
    ...(textsAt(spec, 'ipFamilies').length === 2
      ? [error(`${dual} IP families are specified`)]
      : []),
  ]
}

function familyErrors(spec: Fields, known: readonly IpFamily[]): readonly FieldError[] {
  const errors: FieldError[] = []
  if (textAt(spec, 'ipFamilyPolicy') === 'RequireDualStack' && known.length < 2) {
    const why = 'this cluster is not configured for dual-stack services'
    errors.push(invalidValue('spec.ipFamilyPolicy', 'RequireDualStack', why))
  }
  textsAt(spec, 'ipFamilies').forEach((family, i) => {
    if (!known.includes(family as IpFamily)) {
      errors.push(invalidValue(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
    }
  })
  return errors
}

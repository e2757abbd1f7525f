import { objectAt, textsAt, type Readable } from '../registry/fields.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { isAbout, refuse } from './refusal.ts'

const addressesOf = (service: object | undefined): readonly string[] =>
  textsAt(objectAt(service as Readable | undefined, 'spec'), 'externalIPs')

/** DenyServiceExternalIPs: services take no addresses of elsewhere that they do not have already (kubernetes/plugin/pkg/admission/network/denyserviceexternalips). Off by default. */
export const DENY_SERVICE_EXTERNAL_IPS: AdmissionPlugin = Object.freeze({
  name: 'DenyServiceExternalIPs',
  handles: (request: AdmissionRequest) =>
    (request.operation === 'CREATE' || request.operation === 'UPDATE') &&
    isAbout(request, '/services'),
  validate: (request: AdmissionRequest) => {
    const before = addressesOf(request.old)
    if (addressesOf(request.object).every((it) => before.includes(it))) return
    throw refuse(request, 'Use of external IPs is denied by admission control')
  },
})

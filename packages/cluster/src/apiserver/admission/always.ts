import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { refuse } from './refusal.ts'

/** AlwaysAdmit: has no objection to anything (kubernetes/plugin/pkg/admission/admit; deprecated there). */
export const ALWAYS_ADMIT: AdmissionPlugin = Object.freeze({
  name: 'AlwaysAdmit',
  handles: () => true,
})

const deny = (request: AdmissionRequest): void => {
  throw refuse(request, 'admission control is denying all modifications')
}

/** AlwaysDeny: lets nothing be changed (kubernetes/plugin/pkg/admission/deny; deprecated there). */
export const ALWAYS_DENY: AdmissionPlugin = Object.freeze({
  name: 'AlwaysDeny',
  handles: () => true,
  admit: deny,
  validate: deny,
})

import { forbiddenField, isDns1123Label, isDns1123Subdomain, required } from 'kubewright/machinery'
import { checkAccessModes } from '../core/persistent-volume-claim-validation.ts'
import { has, objectAt, textAt, textsAt, type Readable } from '../fields.ts'
import { requireName, requireText, type Errors } from '../generic/checks.ts'
import { checkDriverName } from '../generic/driver-name.ts'

/** What a volume inside a VolumeAttachment has no use for. */
const NOT_INLINE = ['claimRef', 'nodeAffinity', 'storageClassName']
const INLINE = 'in the context of inline volumes'

/** The spec of a volume that is written into its attachment: a CSI volume without a life of its own (ValidatePersistentVolumeSpec). */
export function checkInlineVolume(errors: Errors, field: string, spec: Readable): void {
  const csi = objectAt(spec, 'csi')
  for (const name of NOT_INLINE) {
    if (!has(spec, name) || spec[name] === '') continue
    errors.push(forbiddenField(`${field}.${name}`, `may not be specified ${INLINE}`))
  }
  if (Object.keys(objectAt(spec, 'capacity') ?? {}).length > 0) {
    errors.push(forbiddenField(`${field}.capacity`, `may not be specified ${INLINE}`))
  }
  if (!csi) errors.push(required(`${field}.csi`, `has to be specified ${INLINE}`))
  const modes = textsAt(spec, 'accessModes')
  if (modes.length === 0) errors.push(required(`${field}.accessModes`))
  checkAccessModes(errors, `${field}.accessModes`, modes)
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '' && policy !== 'Retain') {
    const at = `${field}.persistentVolumeReclaimPolicy`
    errors.push(forbiddenField(at, `may only be Retain ${INLINE}`))
  }
  checkSources(errors, field, spec)
  if (has(spec, 'volumeMode') && textAt(spec, 'volumeMode') !== 'Filesystem') {
    const why = `may not specify volumeMode other than Filesystem ${INLINE}`
    errors.push(forbiddenField(`${field}.volumeMode`, why))
  }
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

/** What a PersistentVolumeSpec says beside its source. */
const NO_SOURCE: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
])

function checkSources(errors: Errors, field: string, spec: Readable): void {
  const sources = Object.keys(spec).filter((it) => !NO_SOURCE.has(it) && has(spec, it))
  if (sources.length === 0) errors.push(required(field, 'must specify a volume type'))
  const csi = objectAt(spec, 'csi')
  if (!csi) return
  if (sources.length > 1) {
    errors.push(forbiddenField(`${field}.csi`, 'may not specify more than 1 volume type'))
    return
  }
  const at = `${field}.csi`
  checkDriverName(errors, `${at}.driver`, textAt(csi, 'driver'))
  requireText(errors, `${at}.volumeHandle`, textAt(csi, 'volumeHandle'))
  for (const name of SECRETS) {
    const secret = objectAt(csi, name)
    if (!secret) continue
    requireName(errors, `${at}.${name}.name`, textAt(secret, 'name'), isDns1123Subdomain)
    requireName(errors, `${at}.${name}.namespace`, textAt(secret, 'namespace'), isDns1123Label)
  }
}

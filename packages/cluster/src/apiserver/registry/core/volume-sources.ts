import {
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  notSupported,
  rangeProblem,
  required,
} from 'kubewright/machinery'
import {
  flagAt,
  has,
  mapAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Readable,
} from '../fields.ts'
import { checkName, checkOneOf, requireName, requireText, type Errors } from '../generic/checks.ts'
import { checkDriverName } from '../generic/driver-name.ts'
import { checkNoBacksteps } from './path-checks.ts'

/** Judges one source of a volume; `name` is that of the volume. */
export type CheckSource = (errors: Errors, field: string, source: Readable, name: string) => void

/** A source, by its field; Kubernetes calls some by other names when it finds fault with them. */
export interface VolumeSource {
  readonly check: CheckSource
  /** What a second source is called. Default: its field. */
  readonly asSecond?: string
  /** What the fields of the source are found under. Default: its field. */
  readonly asPath?: string
}

/** The one source of a volume, in the order in which Kubernetes looks for it. Answers whether there is any. */
export function checkOneSource(
  errors: Errors,
  field: string,
  volume: Readable,
  name: string,
  sources: Readonly<Record<string, VolumeSource>>,
): boolean {
  let found = false
  for (const kind in sources) {
    const source = objectAt(volume, kind)
    if (source === undefined || source === null) continue
    const { check, asSecond = kind, asPath = kind } = sources[kind]!
    if (found && asSecond !== '') {
      errors.push(forbiddenField(`${field}.${asSecond}`, 'may not specify more than 1 volume type'))
    } else check(errors, `${field}.${asPath}`, source, name)
    found = true
  }
  if (!found) errors.push(required(field, 'must specify a volume type'))
  return found
}

/** A source that needs these texts. */
export const needs =
  (...names: readonly string[]): CheckSource =>
  (errors, field, source) => {
    for (const name of names) requireText(errors, `${field}.${name}`, textAt(source, name))
  }

/** Several rules, one after the other. */
const all =
  (...checks: readonly CheckSource[]): CheckSource =>
  (errors, field, source, name) => {
    for (const check of checks) check(errors, field, source, name)
  }

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

const hostPath: CheckSource = (errors, field, source) => {
  const path = textAt(source, 'path')
  if (path === '') return void errors.push(required(`${field}.path`))
  checkNoBacksteps(errors, `${field}.path`, path)
  if (has(source, 'type')) {
    checkOneOf(errors, `${field}.type`, textAt(source, 'type'), HOST_PATH_TYPES)
  }
}

const NFS_PATH = 'must be an absolute path'

const nfs: CheckSource = (errors, field, source) => {
  const path = textAt(source, 'path')
  needs('server', 'path')(errors, field, source, '')
  if (!path.startsWith('/')) errors.push(invalidValue(`${field}.path`, path, NFS_PATH))
}

const partition: CheckSource = (errors, field, source) => {
  const number = numberAt(source, 'partition') ?? 0
  if (number >= 0 && number <= 255) return
  // Kubernetes takes 0 for absent, and does not mention it.
  errors.push(invalidValue(`${field}.partition`, number, rangeProblem(1, 255)))
}

/** A name that initiators and targets of iSCSI are found by. */
const IQN = /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/
const EUI = /^eui.[A-Za-z0-9]{16}$/
const NAA = /^naa.[A-Za-z0-9]{32}$/

function iqnProblem(name: string, otherwise: string): string | undefined {
  const shape = { iqn: IQN, eui: EUI, naa: NAA }[name.slice(0, 3)]
  if (shape === undefined) return otherwise
  return shape.test(name) ? undefined : 'must be valid format'
}

const POD_IQN = 'must be valid format starting with iqn, eui, or naa'
const VOLUME_IQN = 'must be valid format'

function checkLun(errors: Errors, field: string, lun: number): void {
  if (lun < 0 || lun > 255) errors.push(invalidValue(field, lun, rangeProblem(0, 255)))
}

function checkIscsi(errors: Errors, field: string, source: Readable, otherwise: string): void {
  const iqn = textAt(source, 'iqn')
  const problem = iqn === '' ? undefined : iqnProblem(iqn, otherwise)
  if (iqn === '') errors.push(required(`${field}.iqn`))
  else if (problem !== undefined) errors.push(invalidValue(`${field}.iqn`, iqn, problem))
  checkLun(errors, `${field}.lun`, numberAt(source, 'lun') ?? 0)
  const secret = objectAt(source, 'secretRef')
  const authenticates = flagAt(source, 'chapAuthDiscovery') || flagAt(source, 'chapAuthSession')
  if (authenticates && !secret) errors.push(required(`${field}.secretRef`))
  // Only a volume of its own minds an unnamed secret.
  if (secret && otherwise === VOLUME_IQN) {
    requireText(errors, `${field}.secretRef.name`, textAt(secret, 'name'))
  }
  if (!has(source, 'initiatorName')) return
  const initiator = textAt(source, 'initiatorName')
  const wrong = iqnProblem(initiator, otherwise)
  if (wrong !== undefined) errors.push(invalidValue(`${field}.initiatorname`, initiator, wrong))
}

const LONG_TARGET =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

const isLongTarget = (source: Readable, name: string): boolean =>
  has(source, 'initiatorName') && `${name}:${textAt(source, 'targetPortal')}`.length > 64

const podIscsi: CheckSource = (errors, field, source, name) => {
  needs('targetPortal')(errors, field, source, name)
  checkIscsi(errors, field, source, POD_IQN)
  if (!isLongTarget(source, name)) return
  errors.push(invalidValue(field.replace(/iscsi$/, 'name'), name, LONG_TARGET))
}

const volumeIscsi: CheckSource = (errors, field, source, name) => {
  const portal = textAt(source, 'targetPortal')
  needs('targetPortal')(errors, field, source, name)
  if (isLongTarget(source, name)) {
    errors.push(invalidValue(`${field}.targetportal`, portal, LONG_TARGET))
  }
  checkIscsi(errors, field, source, VOLUME_IQN)
}

const fibreChannel: CheckSource = (errors, field, source) => {
  const names = textsAt(source, 'targetWWNs')
  const at = `${field}.targetWWNs`
  const ids = textsAt(source, 'wwids')
  if (names.length + ids.length === 0) {
    errors.push(required(at, 'must specify either targetWWNs or wwids, but not both'))
  }
  if (names.length > 0 && ids.length > 0) {
    const why = 'targetWWNs and wwids can not be specified simultaneously'
    errors.push(invalidValue(at, names, why))
  }
  if (names.length === 0) return
  const lun = numberAt(source, 'lun')
  if (lun !== undefined) checkLun(errors, `${field}.lun`, lun)
  else errors.push(required(`${field}.lun`, 'lun is required if targetWWNs is specified'))
}

const flocker: CheckSource = (errors, field, source) => {
  const name = textAt(source, 'datasetName')
  const id = textAt(source, 'datasetUUID')
  if (name === '' && id === '') {
    errors.push(required(field, 'one of datasetName and datasetUUID is required'))
  }
  if (name !== '' && id !== '') {
    const why = 'datasetName and datasetUUID can not be specified simultaneously'
    errors.push(invalidValue(field, 'resource', why))
  }
  if (name.includes('/')) {
    errors.push(invalidValue(`${field}.datasetName`, name, "must not contain '/'"))
  }
}

const monitors: CheckSource = (errors, field, source) => {
  if (textsAt(source, 'monitors').length === 0) errors.push(required(`${field}.monitors`))
}

/** A secret's name, and in a volume of its own also where the secret is. */
const secret =
  (...names: readonly string[]): CheckSource =>
  (errors, field, source) => {
    const ref = objectAt(source, 'secretRef')
    if (ref) needs(...names)(errors, `${field}.secretRef`, ref, '')
  }

const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas'
const TENANT = 'must be a UUID and may not exceed a length of 64 characters'

const quobyte: CheckSource = (errors, field, source) => {
  const registry = textAt(source, 'registry')
  if (registry === '') errors.push(required(`${field}.registry`, HOST_PORTS))
  else if (textAt(source, 'tenant').length >= 65) errors.push(required(`${field}.tenant`, TENANT))
  else {
    for (const pair of registry.split(',')) {
      if (!isHostPort(pair)) errors.push(invalidValue(`${field}.registry`, registry, HOST_PORTS))
    }
  }
  requireText(errors, `${field}.volume`, textAt(source, 'volume'))
}

/** Go's net.SplitHostPort: one colon, or a host in brackets and a colon behind it. */
const isHostPort = (pair: string): boolean =>
  /^\[[^[\]]*\]:[^:[\]]*$/.test(pair) || /^[^:[\]]*:[^:[\]]*$/.test(pair)

const RESERVED = 'kubernetes.io and k8s.io namespaces are reserved'

const flexVolume: CheckSource = (errors, field, source) => {
  requireText(errors, `${field}.driver`, textAt(source, 'driver'))
  for (const key in mapAt(source, 'options')) {
    const namespace = `.${(key.split('/')[0] ?? '').toLowerCase()}`
    if (!/\.(kubernetes|k8s)\.io$/.test(namespace)) continue
    errors.push(invalidValue(`${field}.options[${key}]`, key, RESERVED))
  }
}

const AZURE_MANAGED =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const AZURE_BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

const azureDisk: CheckSource = (errors, field, source) => {
  const uri = textAt(source, 'diskURI')
  const kind = textAt(source, 'kind')
  const at = `${field}.diskURI`
  needs('diskName', 'diskURI')(errors, field, source, '')
  if (has(source, 'cachingMode')) {
    const mode = textAt(source, 'cachingMode')
    checkOneOf(errors, `${field}.cachingMode`, mode, ['None', 'ReadOnly', 'ReadWrite'])
  }
  if (!has(source, 'kind')) return
  checkOneOf(errors, `${field}.kind`, kind, ['Dedicated', 'Managed', 'Shared'])
  const [prefix, shape] =
    kind === 'Managed' ? ['/subscriptions/', AZURE_MANAGED] : ['https://', AZURE_BLOB]
  if (!uri.startsWith(prefix)) errors.push(notSupported(at, uri, [shape]))
}

const storageOs: CheckSource = (errors, field, source) => {
  requireName(errors, `${field}.volumeName`, textAt(source, 'volumeName'), isDns1123Label)
  const namespace = textAt(source, 'volumeNamespace')
  if (namespace !== '') checkName(errors, `${field}.volumeNamespace`, namespace, isDns1123Label)
}

const driver: CheckSource = (errors, field, source) =>
  checkDriverName(errors, `${field}.driver`, textAt(source, 'driver'))

const podCsi: CheckSource = (errors, field, source) => {
  const ref = objectAt(source, 'nodePublishSecretRef')
  if (!ref) return
  const name = textAt(ref, 'name')
  if (name === '') errors.push(required(`${field}.nodePublishSecretRef.name`))
  else checkName(errors, `${field}.name`, name, isDns1123Subdomain)
}

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

const csiSecrets: CheckSource = (errors, field, source) => {
  for (const name of CSI_SECRETS) {
    const ref = objectAt(source, name)
    if (!ref) continue
    requireName(errors, `${field}.${name}.name`, textAt(ref, 'name'), isDns1123Subdomain)
    requireName(errors, `${field}.${name}.namespace`, textAt(ref, 'namespace'), isDns1123Label)
  }
}

const endpointsNamespace: CheckSource = (errors, field, source) => {
  if (!has(source, 'endpointsNamespace')) return
  const at = `${field}.endpointsNamespace`
  const namespace = textAt(source, 'endpointsNamespace')
  if (namespace !== '') return void checkName(errors, at, namespace, isDns1123Label)
  const why = 'if the endpointnamespace is set, it must be a valid namespace name'
  errors.push(invalidValue(at, '', why))
}

const secretNamespace: CheckSource = (errors, field, source) => {
  if (source['secretNamespace'] === '') errors.push(required(`${field}.secretNamespace`))
}

const local: CheckSource = (errors, field, source) => {
  const path = textAt(source, 'path')
  if (path === '') errors.push(required(`${field}.path`))
  else checkNoBacksteps(errors, `${field}.path`, path)
}

type SharedSource =
  | 'hostPath'
  | 'gcePersistentDisk'
  | 'awsElasticBlockStore'
  | 'nfs'
  | 'flocker'
  | 'rbd'
  | 'cephfs'
  | 'quobyte'
  | 'fc'
  | 'vsphereVolume'
  | 'photonPersistentDisk'
  | 'portworxVolume'
  | 'azureDisk'
  | 'scaleIO'

/** Sources that a pod's volume and a volume of its own have alike. */
const SHARED: Readonly<Record<SharedSource, VolumeSource>> = {
  hostPath: { check: hostPath },
  gcePersistentDisk: { check: all(needs('pdName'), partition), asPath: 'persistentDisk' },
  awsElasticBlockStore: { check: all(needs('volumeID'), partition) },
  nfs: { check: nfs },
  flocker: { check: flocker },
  rbd: { check: all(monitors, needs('image')) },
  cephfs: { check: monitors, asSecond: 'cephFS' },
  quobyte: { check: quobyte },
  fc: { check: fibreChannel },
  vsphereVolume: { check: needs('volumePath') },
  photonPersistentDisk: { check: needs('pdID') },
  portworxVolume: { check: needs('volumeID') },
  azureDisk: { check: azureDisk },
  scaleIO: { check: needs('gateway', 'system', 'volumeName') },
}

/** The sources of a pod's volume that lie elsewhere. */
export const POD_SOURCES: Readonly<
  Record<
    | SharedSource
    | 'iscsi'
    | 'glusterfs'
    | 'cinder'
    | 'flexVolume'
    | 'azureFile'
    | 'storageos'
    | 'csi',
    VolumeSource
  >
> = Object.freeze({
  ...SHARED,
  iscsi: { check: podIscsi },
  glusterfs: { check: needs('endpoints', 'path') },
  cinder: { check: all(needs('volumeID'), secret('name')) },
  flexVolume: { check: flexVolume },
  azureFile: { check: needs('secretName', 'shareName') },
  storageos: { check: all(storageOs, secret('name')) },
  csi: { check: all(driver, podCsi) },
})

/** The sources of a PersistentVolume, in the order in which Kubernetes looks (ValidatePersistentVolumeSpec). */
export const PERSISTENT_SOURCES: Readonly<Record<string, VolumeSource>> = Object.freeze({
  hostPath: SHARED.hostPath,
  gcePersistentDisk: SHARED.gcePersistentDisk,
  awsElasticBlockStore: SHARED.awsElasticBlockStore,
  glusterfs: { check: all(needs('endpoints', 'path'), endpointsNamespace) },
  flocker: SHARED.flocker,
  nfs: SHARED.nfs,
  rbd: SHARED.rbd,
  quobyte: SHARED.quobyte,
  cephfs: SHARED.cephfs,
  iscsi: { check: volumeIscsi },
  cinder: { check: all(needs('volumeID'), secret('name', 'namespace')) },
  fc: SHARED.fc,
  // Kubernetes judges a flexVolume even beside another source.
  flexVolume: { check: flexVolume, asSecond: '' },
  azureFile: { check: all(needs('secretName', 'shareName'), secretNamespace) },
  vsphereVolume: SHARED.vsphereVolume,
  photonPersistentDisk: SHARED.photonPersistentDisk,
  portworxVolume: SHARED.portworxVolume,
  azureDisk: SHARED.azureDisk,
  scaleIO: SHARED.scaleIO,
  local: { check: local },
  storageos: { check: all(storageOs, secret('name', 'namespace')) },
  csi: { check: all(driver, needs('volumeHandle'), csiSecrets) },
})

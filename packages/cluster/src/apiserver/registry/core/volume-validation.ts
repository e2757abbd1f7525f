import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  quantitySign,
  required,
  type ObjectMeta,
} from 'kubewright/machinery'
import { has, itemsAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkOneOf, requireName, requireText, type Errors } from '../generic/checks.ts'
import { checkTemplateMeta } from '../generic/template-meta.ts'
import { checkDescendingPath, checkFileMode } from './path-checks.ts'
import { checkClaimSpec } from './persistent-volume-claim-validation.ts'
import { checkDownwardFile, checkFiles, checkProjected } from './projected-validation.ts'
import { amountOf } from './resource-list.ts'
import {
  POD_SOURCES,
  checkOneSource,
  needs,
  type CheckSource,
  type VolumeSource,
} from './volume-sources.ts'

const emptyDir: CheckSource = (errors, field, it) => {
  const limit = amountOf(it['sizeLimit'] as string | undefined)
  if (!limit || quantitySign(limit) >= 0) return
  const why = 'SizeLimit field must be a valid resource quantity'
  errors.push(forbiddenField(`${field}.sizeLimit`, why))
}

const gitRepo: CheckSource = (errors, field, it) => {
  requireText(errors, `${field}.repository`, textAt(it, 'repository'))
  checkDescendingPath(errors, `${field}.directory`, textAt(it, 'directory'))
}

const secret: CheckSource = (errors, field, it) => {
  requireText(errors, `${field}.secretName`, textAt(it, 'secretName'))
  checkFiles(errors, field, it)
}

const configMap: CheckSource = (errors, field, it) => {
  requireText(errors, `${field}.name`, textAt(it, 'name'))
  checkFiles(errors, field, it)
}

const downwardAPI: CheckSource = (errors, field, it) => {
  checkFileMode(errors, `${field}.defaultMode`, numberAt(it, 'defaultMode'))
  for (const file of itemsAt(it, 'items')) checkDownwardFile(errors, field, file)
}

const ephemeral: CheckSource = (errors, field, it) => {
  const at = `${field}.volumeClaimTemplate`
  const template = objectAt(it, 'volumeClaimTemplate')
  if (!template) return void errors.push(required(at))
  checkTemplateMeta(errors, `${at}.metadata`, objectAt(template, 'metadata') ?? {})
  checkClaimSpec(errors, `${at}.spec`, objectAt(template, 'spec') ?? {})
}

const image: CheckSource = (errors, field, it) => {
  const policy = textAt(it, 'pullPolicy')
  requireText(errors, `${field}.reference`, textAt(it, 'reference'))
  checkOneOf(errors, `${field}.pullPolicy`, policy, ['Always', 'IfNotPresent', 'Never'])
}

/** What each kind of volume needs, in the order in which Kubernetes looks. */
const SOURCES: Readonly<Record<string, VolumeSource>> = Object.freeze({
  emptyDir: { check: emptyDir },
  hostPath: POD_SOURCES.hostPath,
  gitRepo: { check: gitRepo },
  gcePersistentDisk: POD_SOURCES.gcePersistentDisk,
  awsElasticBlockStore: POD_SOURCES.awsElasticBlockStore,
  secret: { check: secret },
  nfs: POD_SOURCES.nfs,
  iscsi: POD_SOURCES.iscsi,
  glusterfs: POD_SOURCES.glusterfs,
  flocker: POD_SOURCES.flocker,
  persistentVolumeClaim: { check: needs('claimName') },
  rbd: POD_SOURCES.rbd,
  cinder: POD_SOURCES.cinder,
  cephfs: POD_SOURCES.cephfs,
  quobyte: POD_SOURCES.quobyte,
  downwardAPI: { check: downwardAPI, asSecond: 'downwarAPI' },
  fc: POD_SOURCES.fc,
  flexVolume: POD_SOURCES.flexVolume,
  configMap: { check: configMap },
  azureFile: POD_SOURCES.azureFile,
  vsphereVolume: POD_SOURCES.vsphereVolume,
  photonPersistentDisk: POD_SOURCES.photonPersistentDisk,
  portworxVolume: POD_SOURCES.portworxVolume,
  azureDisk: POD_SOURCES.azureDisk,
  storageos: POD_SOURCES.storageos,
  projected: { check: (errors, field, it) => checkProjected(errors, field, it) },
  scaleIO: POD_SOURCES.scaleIO,
  csi: POD_SOURCES.csi,
  ephemeral: { check: ephemeral },
  image: { check: image },
})

/** The volumes of a pod (ValidateVolumes). Answers with the names of those that are in order, and what they are. */
export function checkVolumes(
  errors: Errors,
  field: string,
  spec: Readable,
  meta: ObjectMeta | undefined,
): ReadonlyMap<string, Readable> {
  const good = new Map<string, Readable>()
  const made = claimsMade(spec, meta)
  itemsAt(spec, 'volumes').forEach((volume, i) => {
    const at = `${field}[${i}]`
    const name = textAt(volume, 'name')
    const before = errors.length
    checkOneSource(errors, at, volume, name, SOURCES)
    checkEphemeralName(errors, at, volume, meta)
    requireName(errors, `${at}.name`, name, isDns1123Label)
    if (good.has(name)) errors.push(duplicate(`${at}.name`, name))
    if (errors.length === before) good.set(name, volume)
    const claim = textAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName')
    if (!made.has(claim)) return
    const why = 'must not reference a PVC that gets created for an ephemeral volume'
    errors.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claim, why))
  })
  return good
}

/** The claims that come into being with a pod of this name. */
const claimsMade = (spec: Readable, meta: ObjectMeta | undefined): ReadonlySet<string> =>
  new Set(
    meta?.name
      ? itemsAt(spec, 'volumes')
          .filter((it) => has(it, 'ephemeral'))
          .map((it) => `${meta.name}-${textAt(it, 'name')}`)
      : [],
  )

function checkEphemeralName(
  errors: Errors,
  field: string,
  volume: Readable,
  meta: ObjectMeta | undefined,
): void {
  const name = textAt(volume, 'name')
  if (!has(volume, 'ephemeral') || !meta?.name || name === '') return
  // Kubernetes judges the name only where the volume is nothing else first.
  if (Object.keys(volume).some((it) => it in SOURCES && has(volume, it) && isBefore(it))) return
  const claim = `${meta.name}-${name}`
  for (const problem of isDns1123Subdomain(claim)) {
    const why = `PVC name ${JSON.stringify(claim)}: ${problem}`
    errors.push(invalidValue(`${field}.name`, name, why))
  }
}

const isBefore = (source: string): boolean => source !== 'ephemeral' && source !== 'image'

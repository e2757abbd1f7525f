import {
  ensureObject,
  fillAbsent,
  fillEmpty,
  itemsAt,
  objectAt,
  textAt,
  type Fields,
} from '../fields.ts'
import { defaultFieldRef } from './field-ref-defaults.ts'
import { defaultPullPolicy } from './pull-policy.ts'
import { defaultClaimSpec } from './persistent-volume-claim-defaults.ts'
import { canonicalAmount } from './resource-list.ts'

/** rw-r--r-- */
const FILE_MODE = Object.freeze({ defaultMode: 0o644 })

type DefaultSource = (source: Fields) => void

const withMode: DefaultSource = (source) => fillAbsent(source, FILE_MODE)

/** The defaults of each kind of volume, by its field. */
const SOURCES: Readonly<Record<string, DefaultSource>> = {
  secret: withMode,
  configMap: withMode,
  downwardAPI: (source) => {
    withMode(source)
    for (const item of itemsAt(source, 'items')) defaultFieldRef(item)
  },
  projected: (source) => {
    withMode(source)
    for (const each of itemsAt(source, 'sources')) defaultProjection(each)
  },
  hostPath: (source) => fillAbsent(source, { type: '' }),
  emptyDir: (source) => canonicalAmount(source, 'sizeLimit'),
  iscsi: (source) => fillEmpty(source, { iscsiInterface: 'default' }),
  rbd: (source) => fillEmpty(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) =>
    fillAbsent(source, {
      cachingMode: 'ReadWrite',
      fsType: 'ext4',
      readOnly: false,
      kind: 'Shared',
    }),
  scaleIO: (source) => fillEmpty(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  image: (source) => {
    if (!source['pullPolicy']) source['pullPolicy'] = defaultPullPolicy(textAt(source, 'reference'))
  },
  ephemeral: (source) => {
    const template = objectAt(source, 'volumeClaimTemplate')
    if (template === undefined) return
    ensureObject(template, 'metadata')
    defaultClaimSpec(ensureObject(template, 'spec'))
  },
}

function defaultProjection(projection: Fields): void {
  for (const item of itemsAt(objectAt(projection, 'downwardAPI'), 'items')) defaultFieldRef(item)
  const token = objectAt(projection, 'serviceAccountToken')
  if (token) fillAbsent(token, { expirationSeconds: 3600 })
}

/** The defaults of a pod's volume: one that names no source is an emptyDir. */
export function defaultVolume(volume: Fields): void {
  defaultVolumeSource(volume)
  for (const name in volume) {
    if (name !== 'name' && volume[name] !== undefined && volume[name] !== null) return
  }
  volume['emptyDir'] = {}
}

/** The defaults of the source of a volume or a PersistentVolume. */
export function defaultVolumeSource(at: Fields): void {
  for (const name in at) {
    const source = objectAt(at, name)
    if (source) SOURCES[name]?.(source)
  }
}

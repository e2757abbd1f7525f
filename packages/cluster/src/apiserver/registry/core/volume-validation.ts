import {
  duplicate,
  forbiddenField,
  invalidValue,
  isDns1123Label,
  isDns1123Subdomain,
  notFoundField,
  notSupported,
  quantitySign,
  required,
  type ObjectMeta,
} from 'kubewright/machinery'
import { flagAt, has, itemsAt, numberAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkOneOf, requireName, requireText, type Errors } from '../generic/checks.ts'
import { VOLUME_FIELDS, checkFieldRef, checkResourceRef } from './env-validation.ts'
import { amountOf } from './resource-list.ts'

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
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

type Check = (errors: Errors, field: string, source: Readable) => void

const needs =
  (...names: readonly string[]): Check =>
  (errors, field, source) => {
    for (const name of names) requireText(errors, `${field}.${name}`, textAt(source, name))
  }

/** What each kind of volume needs, in the order in which Kubernetes looks. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: (errors, field, it) => {
    const limit = amountOf(it['sizeLimit'] as string | undefined)
    if (limit && quantitySign(limit) < 0) {
      errors.push(
        forbiddenField(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'),
      )
    }
  },
  hostPath: checkHostPath,
  gitRepo: needs('repository'),
  gcePersistentDisk: needs('pdName'),
  awsElasticBlockStore: needs('volumeID'),
  secret: (errors, field, it) => {
    requireText(errors, `${field}.secretName`, textAt(it, 'secretName'))
    checkFiles(errors, field, it)
  },
  nfs: (errors, field, it) => {
    needs('server', 'path')(errors, field, it)
    if (!textAt(it, 'path').startsWith('/')) {
      errors.push(invalidValue(`${field}.path`, textAt(it, 'path'), 'must be an absolute path'))
    }
  },
  iscsi: needs('targetPortal', 'iqn'),
  glusterfs: needs('endpoints', 'path'),
  flocker: () => {},
  persistentVolumeClaim: needs('claimName'),
  rbd: needs('image'),
  cinder: needs('volumeID'),
  cephfs: () => {},
  quobyte: needs('registry', 'volume'),
  downwardAPI: (errors, field, it) => {
    checkMode(errors, `${field}.defaultMode`, numberAt(it, 'defaultMode'))
    for (const file of itemsAt(it, 'items')) checkDownwardFile(errors, field, file)
  },
  fc: () => {},
  flexVolume: needs('driver'),
  configMap: (errors, field, it) => {
    requireText(errors, `${field}.name`, textAt(it, 'name'))
    checkFiles(errors, field, it)
  },
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: needs('diskName', 'diskURI'),
  storageos: needs('volumeName'),
  projected: (errors, field, it) => {
    checkMode(errors, `${field}.defaultMode`, numberAt(it, 'defaultMode'))
    checkProjections(errors, field, it)
  },
  scaleIO: needs('gateway', 'system', 'volumeName'),
  csi: (errors, field, it) => requireText(errors, `${field}.driver`, textAt(it, 'driver')),
  ephemeral: (errors, field, it) => {
    if (!has(it, 'volumeClaimTemplate')) errors.push(required(`${field}.volumeClaimTemplate`))
  },
  image: (errors, field, it) => {
    requireText(errors, `${field}.reference`, textAt(it, 'reference'))
    checkOneOf(errors, `${field}.pullPolicy`, textAt(it, 'pullPolicy'), [
      'Always',
      'IfNotPresent',
      'Never',
    ])
  },
}

/** The volumes of a pod (ValidateVolumes). Answers with the names of those that are in order, and what they are. */
export function checkVolumes(
  errors: Errors,
  field: string,
  spec: Readable,
  meta: ObjectMeta | undefined,
): ReadonlyMap<string, Readable> {
  const good = new Map<string, Readable>()
  itemsAt(spec, 'volumes').forEach((volume, i) => {
    const at = `${field}[${i}]`
    const name = textAt(volume, 'name')
    const before = errors.length
    checkVolumeSource(errors, at, volume)
    checkEphemeralName(errors, at, volume, meta)
    requireName(errors, `${at}.name`, name, isDns1123Label)
    if (good.has(name)) errors.push(duplicate(`${at}.name`, name))
    if (errors.length === before) good.set(name, volume)
  })
  return good
}

function checkVolumeSource(errors: Errors, field: string, volume: Readable): void {
  let found = false
  for (const name in SOURCES) {
    const source = objectAt(volume, name)
    if (source === undefined) continue
    if (found) {
      errors.push(forbiddenField(`${field}.${name}`, 'may not specify more than 1 volume type'))
    } else SOURCES[name]!(errors, `${field}.${name}`, source)
    found = true
  }
  if (!found) errors.push(required(field, 'must specify a volume type'))
}

function checkEphemeralName(
  errors: Errors,
  field: string,
  volume: Readable,
  meta: ObjectMeta | undefined,
): void {
  const name = textAt(volume, 'name')
  if (!has(volume, 'ephemeral') || !meta?.name || name === '') return
  const claim = `${meta.name}-${name}`
  for (const problem of isDns1123Subdomain(claim)) {
    errors.push(
      invalidValue(`${field}.name`, name, `PVC name ${JSON.stringify(claim)}: ${problem}`),
    )
  }
}

function checkHostPath(errors: Errors, field: string, source: Readable): void {
  const path = textAt(source, 'path')
  if (path === '') return void errors.push(required(`${field}.path`))
  checkNoBacksteps(errors, `${field}.path`, path)
  checkOneOf(errors, `${field}.type`, textAt(source, 'type'), HOST_PATH_TYPES)
}

/** A path that stays where it is. */
function checkNoBacksteps(errors: Errors, field: string, path: string): void {
  if (path.split('/').includes('..')) {
    errors.push(invalidValue(field, path, "must not contain '..'"))
  }
}

/** A relative path that stays below its root (validateLocalDescendingPath). */
export function checkDescendingPath(errors: Errors, field: string, path: string): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'))
  checkNoBacksteps(errors, field, path)
}

function checkLocalPath(errors: Errors, field: string, path: string): void {
  checkDescendingPath(errors, field, path)
  if (path.startsWith('..') && !path.startsWith('../')) {
    errors.push(invalidValue(field, path, "must not start with '..'"))
  }
}

function checkMode(errors: Errors, field: string, mode: number | undefined): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.push(invalidValue(field, mode, FILE_MODE))
  }
}

function checkFiles(errors: Errors, field: string, source: Readable): void {
  checkMode(errors, `${field}.defaultMode`, numberAt(source, 'defaultMode'))
  itemsAt(source, 'items').forEach((it, i) => checkKeyToPath(errors, `${field}.items[${i}]`, it))
}

function checkKeyToPath(errors: Errors, field: string, item: Readable): void {
  requireText(errors, `${field}.key`, textAt(item, 'key'))
  requireText(errors, `${field}.path`, textAt(item, 'path'))
  checkLocalPath(errors, `${field}.path`, textAt(item, 'path'))
  checkMode(errors, `${field}.mode`, numberAt(item, 'mode'))
}

function checkDownwardFile(errors: Errors, field: string, file: Readable): void {
  requireText(errors, `${field}.path`, textAt(file, 'path'))
  checkLocalPath(errors, `${field}.path`, textAt(file, 'path'))
  const ref = objectAt(file, 'fieldRef')
  const resource = objectAt(file, 'resourceFieldRef')
  if (ref) {
    checkFieldRef(errors, `${field}.fieldRef`, ref, VOLUME_FIELDS)
    if (resource) {
      const why = 'fieldRef and resourceFieldRef can not be specified simultaneously'
      errors.push(invalidValue(field, 'resource', why))
    }
  } else if (resource) checkResourceRef(errors, `${field}.resourceFieldRef`, resource, true)
  else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'))
  checkMode(errors, `${field}.mode`, numberAt(file, 'mode'))
}

function checkProjections(errors: Errors, field: string, projected: Readable): void {
  const paths = new Set<string>()
  const claim = (path: string, named: string): void => {
    if (path === '') return
    if (paths.has(path)) errors.push(invalidValue(field, named, 'conflicting duplicate paths'))
    paths.add(path)
  }
  itemsAt(projected, 'sources').forEach((source, i) => {
    const at = `${field}.sources[${i}]`
    for (const name of ['secret', 'configMap']) {
      const it = objectAt(source, name)
      if (it) checkProjectedFiles(errors, `${at}.${name}`, it, claim)
    }
    for (const file of itemsAt(objectAt(source, 'downwardAPI'), 'items')) {
      checkDownwardFile(errors, `${at}.downwardAPI`, file)
      claim(textAt(file, 'path'), textAt(file, 'path'))
    }
    const token = objectAt(source, 'serviceAccountToken')
    if (token) checkToken(errors, field, at, token)
    if (Object.values(source).filter((it) => it !== undefined).length > 1) {
      errors.push(forbiddenField(at, 'may not specify more than 1 volume type per source'))
    }
  })
}

function checkProjectedFiles(
  errors: Errors,
  field: string,
  source: Readable,
  claim: (path: string, named: string) => void,
): void {
  const name = textAt(source, 'name')
  requireText(errors, `${field}.name`, name)
  itemsAt(source, 'items').forEach((it, i) => {
    checkKeyToPath(errors, `${field}.items[${i}]`, it)
    claim(textAt(it, 'path'), name)
  })
}

function checkToken(errors: Errors, field: string, at: string, token: Readable): void {
  const seconds = numberAt(token, 'expirationSeconds') ?? 0
  const named = `${at}.serviceAccountToken.expirationSeconds`
  if (seconds < 600) {
    errors.push(invalidValue(named, seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > 2 ** 32) {
    errors.push(invalidValue(named, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const path = textAt(token, 'path')
  if (path === '') errors.push(required(`${field}.path`))
  else checkLocalPath(errors, `${field}.path`, path)
}

/** Of several entries of one name Kubernetes looks at the last. */
const pathsByName = (
  container: Readable,
  list: string,
  path: string,
): ReadonlyMap<string, string> =>
  new Map(itemsAt(container, list).map((it) => [textAt(it, 'name'), textAt(it, path)]))

/** Where a container sees volumes (ValidateVolumeMounts). */
export function checkMounts(
  errors: Errors,
  field: string,
  container: Readable,
  volumes: ReadonlyMap<string, Readable>,
): void {
  const paths = new Set<string>()
  const devices = pathsByName(container, 'volumeDevices', 'devicePath')
  itemsAt(container, 'volumeMounts').forEach((mount, i) => {
    const at = `${field}[${i}]`
    const name = textAt(mount, 'name')
    const path = textAt(mount, 'mountPath')
    requireText(errors, `${at}.name`, name)
    if (!volumes.has(name)) errors.push(notFoundField(`${at}.name`, name))
    requireText(errors, `${at}.mountPath`, path)
    if (paths.has(path)) errors.push(invalidValue(`${at}.mountPath`, path, 'must be unique'))
    paths.add(path)
    if (devices.has(name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeDevices'))
    }
    if ([...devices.values()].includes(path)) {
      const why = 'must not already exist as a path in volumeDevices'
      errors.push(invalidValue(`${at}.mountPath`, path, why))
    }
    checkSubPaths(errors, field, at, mount)
    checkPropagation(errors, field, mount, container)
    checkRecursive(errors, `${field}.recursiveReadOnly`, mount)
  })
}

function checkSubPaths(errors: Errors, field: string, at: string, mount: Readable): void {
  const path = textAt(mount, 'subPath')
  const expression = textAt(mount, 'subPathExpr')
  if (path !== '') checkDescendingPath(errors, `${field}.subPath`, path)
  if (expression === '') return
  if (path !== '') {
    const why = 'subPathExpr and subPath are mutually exclusive'
    errors.push(invalidValue(`${at}.subPathExpr`, expression, why))
  }
  checkDescendingPath(errors, `${field}.subPathExpr`, expression)
}

function checkPropagation(
  errors: Errors,
  field: string,
  mount: Readable,
  container: Readable,
): void {
  const mode = textAt(mount, 'mountPropagation')
  if (mode === '') return
  const at = `${field}.mountPropagation`
  checkOneOf(errors, at, mode, ['Bidirectional', 'HostToContainer', 'None'])
  if (mode === 'Bidirectional' && !flagAt(objectAt(container, 'securityContext'), 'privileged')) {
    const why = 'Bidirectional mount propagation is available only to privileged containers'
    errors.push(forbiddenField(at, why))
  }
}

function checkRecursive(errors: Errors, field: string, mount: Readable): void {
  const mode = textAt(mount, 'recursiveReadOnly')
  if (mode === '' || mode === 'Disabled') return
  if (mode !== 'Enabled' && mode !== 'IfPossible') {
    return void errors.push(notSupported(field, mode, ['Disabled', 'Enabled', 'IfPossible']))
  }
  if (!flagAt(mount, 'readOnly')) {
    errors.push(forbiddenField(field, 'may only be specified when readOnly is true'))
  }
  if (!['', 'None'].includes(textAt(mount, 'mountPropagation'))) {
    errors.push(
      forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'),
    )
  }
}

/** Block devices of a container (ValidateVolumeDevices). */
export function checkDevices(
  errors: Errors,
  field: string,
  container: Readable,
  volumes: ReadonlyMap<string, Readable>,
): void {
  const names = new Set<string>()
  const paths = new Set<string>()
  const mounts = pathsByName(container, 'volumeMounts', 'mountPath')
  itemsAt(container, 'volumeDevices').forEach((device, i) => {
    const at = `${field}[${i}]`
    const name = textAt(device, 'name')
    const path = textAt(device, 'devicePath')
    const volume = volumes.get(name)
    requireText(errors, `${at}.name`, name)
    if (names.has(name)) errors.push(invalidValue(`${at}.name`, name, 'must be unique'))
    if (volume && !has(volume, 'persistentVolumeClaim') && !has(volume, 'ephemeral')) {
      const why =
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(invalidValue(`${at}.name`, name, why))
    }
    if (!volume) errors.push(notFoundField(`${at}.name`, name))
    requireText(errors, `${at}.devicePath`, path)
    if (paths.has(path)) errors.push(invalidValue(`${at}.devicePath`, path, 'must be unique'))
    if (path.split('/').includes('..')) {
      errors.push(invalidValue(`${at}.devicePath`, path, "can not contain backsteps ('..')"))
    } else paths.add(path)
    if (mounts.has(name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeMounts'))
    }
    if ([...mounts.values()].includes(path)) {
      const why = 'must not already exist as a path in volumeMounts'
      errors.push(invalidValue(`${at}.devicePath`, path, why))
    }
    if (name !== '') names.add(name)
  })
}

import { forbiddenField, invalidValue, notFoundField, notSupported } from 'kubewright/machinery'
import { flagAt, has, itemsAt, objectAt, textAt, type Readable } from '../fields.ts'
import { checkOneOf, requireText, type Errors } from '../generic/checks.ts'
import { checkDescendingPath } from './path-checks.ts'

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
  if (!has(mount, 'mountPropagation')) return
  const at = `${field}.mountPropagation`
  checkOneOf(errors, at, mode, ['Bidirectional', 'HostToContainer', 'None'])
  if (mode === 'Bidirectional' && !flagAt(objectAt(container, 'securityContext'), 'privileged')) {
    const why = 'Bidirectional mount propagation is available only to privileged containers'
    errors.push(forbiddenField(at, why))
  }
}

function checkRecursive(errors: Errors, field: string, mount: Readable): void {
  const mode = textAt(mount, 'recursiveReadOnly')
  if (!has(mount, 'recursiveReadOnly') || mode === 'Disabled') return
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

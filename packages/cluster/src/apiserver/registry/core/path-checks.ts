import { invalidValue } from 'kubewright/machinery'
import type { Errors } from '../generic/checks.ts'

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'

/** A path that stays where it is (validatePathNoBacksteps). */
export function checkNoBacksteps(errors: Errors, field: string, path: string): void {
  if (path.split('/').includes('..')) {
    errors.push(invalidValue(field, path, "must not contain '..'"))
  }
}

/** A relative path that stays below its root (validateLocalDescendingPath). */
export function checkDescendingPath(errors: Errors, field: string, path: string): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'))
  checkNoBacksteps(errors, field, path)
}

/** A relative path whose first part does not even look like a step back (ValidateLocalNonReservedPath). */
export function checkLocalPath(errors: Errors, field: string, path: string): void {
  checkDescendingPath(errors, field, path)
  if (path.startsWith('..') && !path.startsWith('../')) {
    errors.push(invalidValue(field, path, "must not start with '..'"))
  }
}

/** The permissions of a file, where they are given. */
export function checkFileMode(errors: Errors, field: string, mode: number | undefined): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.push(invalidValue(field, mode, FILE_MODE))
  }
}

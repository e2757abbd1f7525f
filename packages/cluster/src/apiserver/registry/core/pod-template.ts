import { objectAt, type Fields, type Readable } from '../fields.ts'
import type { Strategy } from '../strategy.ts'
import { dropDisabledFields } from './pod-disabled.ts'

type Hooks = Required<Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate'>>

/**
 * The hooks of a kind that makes pods, with the fields of its template dropped that pods could not have
 * (kubernetes/pkg/api/pod/util.go DropDisabledTemplateFields). `path` leads to the template.
 */
export function withTemplate<T extends Hooks>(hooks: T, path: readonly string[]): T {
  return {
    ...hooks,
    prepareForCreate: (object, context) => {
      dropFrom(specAt(object, path), undefined)
      return hooks.prepareForCreate(object, context)
    },
    prepareForUpdate: (object, old, context) => {
      dropFrom(specAt(object, path), specAt(old, path))
      return hooks.prepareForUpdate(object, old, context)
    },
  }
}

function dropFrom(spec: Fields | undefined, old: Readable | undefined): void {
  if (spec && spec !== old) dropDisabledFields(spec, old)
}

const specAt = (from: Readable, path: readonly string[]): Fields | undefined =>
  objectAt(
    path.reduce<Readable | undefined>((it, name) => objectAt(it, name), from),
    'spec',
  )

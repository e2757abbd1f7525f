import type { FieldError, UnknownObject } from 'kubewright/machinery'
import {
  type CustomResourceDefinition,
  type JsonSchema,
  equalJson,
  supportedFormat,
} from 'kubewright/schema'
import type { Draft, Strategy } from '../registry/strategy.ts'
import { applyCrdDefaults } from './crd-defaults.ts'
import { validateCrd, validateCrdStatus } from './validate-crd.ts'

const crdOf = (object: Draft | UnknownObject): CustomResourceDefinition =>
  object as unknown as CustomResourceDefinition

/** The strategy of CustomResourceDefinition itself (registry/customresourcedefinition/strategy.go). */
export const CRD_STRATEGY: Strategy = Object.freeze({
  allowUnconditionalUpdate: false,
  generation: 'spec',
  resetFields: [['f:status']],
  applyDefaults: (object: Draft) => applyCrdDefaults(crdOf(object)),
  prepareForCreate: (object: Draft) => {
    // What no controller has said yet is written as Go writes what was never set.
    object['status'] = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storedVersions(crdOf(object), []),
    }
    object.metadata.generation = 1
  },
  prepareForUpdate: (object: Draft, old: UnknownObject) => {
    const before = crdOf(old)
    const stored = storedVersions(crdOf(object), before.status?.storedVersions ?? [])
    object['status'] = { ...before.status, storedVersions: stored }
    if (!equalJson(object['spec'], old['spec']))
      object.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  validate: (object: Draft): readonly FieldError[] => validateCrd(crdOf(object)),
  validateUpdate: (object: Draft, old: UnknownObject): readonly FieldError[] =>
    validateCrd(crdOf(object), crdOf(old)),
  warningsOnCreate: (object: Draft) => formatWarnings(unknownFormats(crdOf(object))),
  warningsOnUpdate: (object: Draft, old: UnknownObject) => {
    const before = new Set(unknownFormats(crdOf(old)))
    return formatWarnings(unknownFormats(crdOf(object)).filter((it) => !before.has(it)))
  },
  subresources: {
    status: {
      allowUnconditionalUpdate: false,
      resetFields: [['f:spec']],
      prepareForUpdate: (object: Draft, old: UnknownObject) => {
        object['spec'] = old['spec']
      },
      validateUpdate: (object: Draft): readonly FieldError[] => validateCrdStatus(crdOf(object)),
    },
  },
} satisfies Strategy)

/** The versions in which objects may be stored: those before, and the one in which they are stored from now on. */
function storedVersions(
  crd: CustomResourceDefinition,
  before: readonly string[],
): readonly string[] {
  const storage = crd.spec.versions.find((it) => it.storage)?.name
  return storage === undefined || before.includes(storage) ? before : [...before, storage]
}

const formatWarnings = (formats: readonly string[]): readonly string[] =>
  formats.map((it) => `unrecognized format ${JSON.stringify(it)}`)

/** Formats that the server will ignore. Versions that share a schema are looked at once. */
function unknownFormats(crd: CustomResourceDefinition): readonly string[] {
  const schemas = crd.spec.versions.map((it) => it.schema?.openAPIV3Schema)
  const shared = schemas.every((it) => equalJson(it, schemas[0]))
  return (shared ? schemas.slice(0, 1) : schemas).flatMap((it) => (it ? formatsOf(it) : []))
}

function formatsOf(schema: JsonSchema): readonly string[] {
  const { format = '', type = '', items, properties = {}, additionalProperties, not } = schema
  const unknown = format !== '' && supportedFormat(type === '' ? [] : [type], format) === ''
  const below = [
    ...(items ? [items] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not ? [not] : []),
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ]
  return [...(unknown ? [format] : []), ...below.flatMap(formatsOf)]
}

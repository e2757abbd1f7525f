import {
  type FieldError,
  invalidValue,
  isDns1035Label,
  isDns1123Subdomain,
  notSupported,
  required,
} from 'kubewright/machinery'
import {
  type CrdSpec,
  type CrdVersion,
  type CustomResourceDefinition,
  equalJson,
} from 'kubewright/schema'
import { approvalErrors } from './api-approval.ts'
import { isConditionTrue } from './conditions.ts'
import { goVersions } from './go-form.ts'
import { type HubSpec, hubSpec } from './hub-spec.ts'
import { bundleProblem, conversionErrors } from './validate-conversion.ts'
import { missingNames, namesErrors } from './validate-names.ts'
import { validationErrors } from './validate-validation.ts'
import {
  columnErrors,
  deprecationErrors,
  selectableErrors,
  subresourceErrors,
} from './validate-version-parts.ts'

type Errors = readonly FieldError[]

/** What an update is forgiven because it stood before, and what it may not change. */
interface Context {
  readonly old: CustomResourceDefinition | undefined
  readonly unchanged: ReadonlySet<string>
  readonly allowBadBundle: boolean
}

/**
 * What is wrong with a definition, its metadata's common rules aside (apiextensions/validation/validation.go for v1). `crd` must
 * have its defaults and, as a stored one, its status; `old` is the stored one on an update.
 */
export function validateCrd(crd: CustomResourceDefinition, old?: CustomResourceDefinition): Errors {
  const context: Context = {
    old,
    unchanged: unchangedVersions(crd, old),
    allowBadBundle: allowBadBundle(old),
  }
  return [
    ...(old ? [] : nameErrors(crd)),
    ...specErrors(crd.spec, context),
    ...(old ? immutableErrors(crd.spec, old) : []),
    ...namesErrors(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, old),
    ...(crd.spec.preserveUnknownFields
      ? [
          invalidValue(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
  ]
}

/** What is wrong with a write to a definition's /status. */
export function validateCrdStatus(crd: CustomResourceDefinition): Errors {
  return namesErrors(crd.status?.acceptedNames, 'status.acceptedNames')
}

function unchangedVersions(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): ReadonlySet<string> {
  const before = new Map(old?.spec.versions.map((it) => [it.name, it.schema]))
  const same = crd.spec.versions.filter(
    (it) => before.has(it.name) && equalJson(it.schema, before.get(it.name)),
  )
  return new Set(same.map((it) => it.name))
}

function allowBadBundle(old: CustomResourceDefinition | undefined): boolean {
  if (!old || !isConditionTrue(old, 'Established')) return true
  return bundleProblem(old.spec.conversion?.webhook?.clientConfig?.caBundle) !== undefined
}

function nameErrors(crd: CustomResourceDefinition): Errors {
  const { name = '' } = crd.metadata
  const { group, names } = crd.spec
  return name === `${names.plural}.${group}`
    ? []
    : [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

function immutableErrors(spec: CrdSpec, old: CustomResourceDefinition): Errors {
  const immutable = (path: string, value: unknown, before: unknown): Errors =>
    equalJson(value, before) ? [] : [invalidValue(path, value, 'field is immutable')]
  const established = isConditionTrue(old, 'Established')
  return [
    ...(established ? immutable('spec.scope', spec.scope, old.spec.scope) : []),
    ...(established ? immutable('spec.names.kind', spec.names.kind, old.spec.names.kind) : []),
    ...immutable('spec.group', spec.group, old.spec.group),
    ...immutable('spec.names.plural', spec.names.plural, old.spec.names.plural),
  ]
}

function specErrors(spec: CrdSpec, context: Context): Errors {
  const hub = hubSpec(spec)
  return [
    ...groupErrors(spec.group),
    ...scopeErrors(spec.scope),
    ...missingSchemas(hub),
    ...hub.versions.flatMap((it, i) => versionErrors(hub, it, `spec.versions[${i}]`, context)),
    ...versionSetErrors(hub),
    ...missingNames(spec.names, 'spec.names'),
    ...namesErrors(spec.names, 'spec.names'),
    ...sharedErrors(hub, context),
    ...conversionErrors(spec.conversion, 'spec.conversion', context.allowBadBundle),
  ]
}

function groupErrors(group: string): Errors {
  if (!group) return [required('spec.group')]
  const problems = isDns1123Subdomain(group)
  if (problems.length) return [invalidValue('spec.group', group, problems.join(','))]
  return group.includes('.')
    ? []
    : [invalidValue('spec.group', group, 'should be a domain with at least one dot')]
}

function scopeErrors(scope: string | undefined): Errors {
  const scopes = ['Cluster', 'Namespaced']
  if (!scope) return [required('spec.scope')]
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)]
}

function missingSchemas(hub: HubSpec): Errors {
  if (hub.validation?.openAPIV3Schema) return []
  return hub.versions.flatMap((it, i) =>
    it.schema?.openAPIV3Schema ? [] : [required(`spec.versions[${i}].schema.openAPIV3Schema`)],
  )
}

function versionErrors(hub: HubSpec, version: CrdVersion, path: string, context: Context): Errors {
  const problems = isDns1035Label(version.name)
  const subresources = hub.subresources ?? version.subresources
  const schema = version.schema?.openAPIV3Schema
  return [
    ...(problems.length ? [invalidValue(`${path}.name`, version.name, problems.join(','))] : []),
    ...deprecationErrors(version, path),
    ...validationErrors(schema, `${path}.schema`, {
      status: subresources?.status !== undefined,
      anyCost: context.unchanged.has(version.name),
    }),
    ...subresourceErrors(version.subresources, `${path}.subresources`),
    ...(version.additionalPrinterColumns ?? []).flatMap((it, i) =>
      columnErrors(it, `${path}.additionalPrinterColumns[${i}]`),
    ),
    ...versionSelectable(version, path, context),
  ]
}

function versionSelectable(version: CrdVersion, path: string, context: Context): Errors {
  const fields = version.selectableFields
  if (!fields?.length) return []
  const schema = version.schema?.openAPIV3Schema
  // Kubernetes looks at the version alone, so a shared schema makes its own fields unusable.
  if (!schema)
    return [
      invalidValue(
        `${path}.selectableFields`,
        '',
        'may only be set when `version.schema.openAPIV3Schema` is not included',
      ),
    ]
  const allowMany = manyBefore(context, version.name, fields)
  return selectableErrors(fields, schema, `${path}.selectableFields`, allowMany)
}

/** Too many selectable fields are tolerated where just these stood before. */
function manyBefore(
  { old }: Context,
  name: string,
  fields: CrdVersion['selectableFields'],
): boolean {
  const before = old?.spec.versions.find((it) => it.name === name)?.selectableFields
  return before !== undefined && equalJson(before, fields)
}

function versionSetErrors(hub: HubSpec): Errors {
  const names = hub.versions.map((it) => it.name)
  const storage = hub.versions.filter((it) => it.storage).length
  const problem = (sentence: string): FieldError =>
    invalidValue('spec.versions', goVersions(hub.versions), sentence)
  const first = isDns1035Label(names[0] ?? '')
  return [
    ...(new Set(names).size === names.length ? [] : [problem('must contain unique version names')]),
    ...(storage === 1 ? [] : [problem('must have exactly one version marked as storage version')]),
    ...(names[0] && first.length ? [invalidValue('spec.version', names[0], first.join(','))] : []),
  ]
}

/** What all versions share is judged once, at the spec. */
function sharedErrors(hub: HubSpec, context: Context): Errors {
  const schema = hub.validation?.openAPIV3Schema
  const first = hub.versions[0]?.name ?? ''
  const status =
    hub.subresources?.status !== undefined ||
    hub.versions.some((it) => it.subresources?.status !== undefined)
  return [
    ...validationErrors(schema, 'spec.validation', {
      status,
      anyCost: context.unchanged.has(first),
    }),
    ...subresourceErrors(hub.subresources, 'spec.subresources'),
    ...(hub.columns ?? []).flatMap((it, i) =>
      columnErrors(it, `spec.additionalPrinterColumns[${i}]`),
    ),
    ...sharedSelectable(hub, first, context),
  ]
}

function sharedSelectable(hub: HubSpec, first: string, context: Context): Errors {
  const fields = hub.selectableFields
  if (!fields?.length) return []
  const at = 'spec.selectableFields'
  if (!hub.validation)
    return [invalidValue(at, '', 'may only be set when validations.schema is included')]
  const allowMany = manyBefore(context, first, fields)
  return selectableErrors(fields, hub.validation.openAPIV3Schema, at, allowMany)
}

function storedVersionErrors(crd: CustomResourceDefinition): Errors {
  const stored = crd.status?.storedVersions ?? []
  const at = 'status.storedVersions'
  if (stored.length === 0) return [invalidValue(at, null, 'must have at least one stored version')]
  const names = crd.spec.versions.map((it) => it.name)
  return [
    ...crd.spec.versions
      // A stored version is found once: a second one of its name is missed.
      .filter(
        (it, index) =>
          it.storage && !(stored.includes(it.name) && names.indexOf(it.name) === index),
      )
      .map((it) => invalidValue(at, stored, `must have the storage version ${it.name}`)),
    ...stored.flatMap((it, i) => (names.includes(it) ? [] : [goneError(`${at}[${i}]`, it)])),
  ]
}

const goneError = (path: string, version: string): FieldError =>
  invalidValue(
    path,
    version,
    `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
  )

import {
  invalidValue,
  isQualifiedName,
  nameIsDnsLabel,
  type FieldError,
  type UnknownObject,
} from 'kubewright/machinery'
import { ensureObject, keep, objectAt, textAt, textsAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'

const NAME_LABEL = 'kubernetes.io/metadata.name'
const FINALIZER = 'kubernetes'

/** A namespace is labelled with its name; one without a name yet (generateName) is labelled when it has one. */
function labelWithName(object: Draft): void {
  const name = object.metadata.name
  if (!name) return
  const labels = (object.metadata.labels ??= {})
  if (labels[NAME_LABEL] !== name) labels[NAME_LABEL] = name
}

function defaultNamespace(object: Draft): void {
  labelWithName(object)
  const status = ensureObject(object, 'status')
  if (!status['phase']) status['phase'] = 'Active'
}

function prepareForCreate(object: Draft): void {
  object['status'] = { phase: 'Active' }
  const spec = ensureObject(object, 'spec')
  const finalizers = textsAt(spec, 'finalizers')
  if (!finalizers.includes(FINALIZER)) spec['finalizers'] = [...finalizers, FINALIZER]
}

function prepareForUpdate(object: Draft, old: UnknownObject): void {
  keep(ensureObject(object, 'spec'), objectAt(old, 'spec') ?? {}, 'finalizers')
  keep(object, old, 'status')
}

/** A namespace that is being deleted is Terminating, one that is not is Active (ValidateNamespaceStatusUpdate). */
function validateStatus(object: Draft): readonly FieldError[] {
  const phase = textAt(objectAt(object, 'status'), 'phase')
  const deleting = object.metadata.deletionTimestamp !== undefined
  if (!deleting && phase !== 'Active') {
    return [
      invalidValue('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty"),
    ]
  }
  if (deleting && phase !== 'Terminating') {
    return [
      invalidValue(
        'status.Phase',
        phase,
        "may only be 'Terminating' if `deletionTimestamp` is not empty",
      ),
    ]
  }
  return []
}

const validate = (object: Draft): readonly FieldError[] =>
  finalizerErrors(object, () => 'spec.finalizers')

/** The finalize subresource names the finalizer that it means. */
const validateFinalize = (object: Draft): readonly FieldError[] =>
  finalizerErrors(object, (i) => `spec.finalizers[${i}]`)

const finalizerErrors = (object: Draft, at: (index: number) => string): readonly FieldError[] =>
  textsAt(objectAt(object, 'spec'), 'finalizers').flatMap((finalizer, i) =>
    finalizerProblems(finalizer).map((it) => invalidValue(at(i), finalizer, it)),
  )

const STANDARD: readonly string[] = [FINALIZER, 'orphan', 'foregroundDeletion']

const finalizerProblems = (finalizer: string): readonly string[] => {
  const problems = isQualifiedName(finalizer)
  if (finalizer.includes('/') || STANDARD.includes(finalizer)) return problems
  return [...problems, 'name is neither a standard finalizer name nor is it fully qualified']
}

/** Namespace (kubernetes/pkg/registry/core/namespace/strategy.go). */
export const NAMESPACE: Strategy = Object.freeze({
  applyDefaults: defaultNamespace,
  prepareForCreate,
  validate,
  prepareForUpdate,
  validateUpdate: validate,
  canonicalize: labelWithName,
  validateName: nameIsDnsLabel,
  resetFields: [['f:status']],
  selectableFields: {
    'status.phase': (it) => textAt(objectAt(it, 'status'), 'phase'),
  },
  subresources: {
    status: {
      prepareForUpdate: (object, old) => keep(object, old, 'spec'),
      validateUpdate: validateStatus,
      canonicalize: labelWithName,
      resetFields: [['f:spec']],
    },
    finalize: {
      prepareForUpdate: (object, old) => keep(object, old, 'status'),
      validateUpdate: validateFinalize,
      canonicalize: labelWithName,
      resetFields: [['f:status']],
    },
  },
} satisfies Strategy)

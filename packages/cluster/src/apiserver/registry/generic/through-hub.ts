import type { UnknownObject } from 'kubewright/machinery'
import { convertBuiltin } from '../convert.ts'
import type { Draft, Strategy, StrategyContext } from '../strategy.ts'

/**
 * A kind's strategy for one of its other versions, which has other fields: drafts are brought into the version `hub`, for which the
 * strategy is written, and back. Errors name the fields of the hub, as Kubernetes' do, whose rules know one form of each kind.
 */
export function throughHub(strategy: Strategy, own: string, hub: string): Strategy {
  const up = (object: UnknownObject): UnknownObject => convertBuiltin(object, own, hub)
  const inHub =
    <A extends readonly unknown[]>(change: (object: Draft, ...rest: A) => void | Promise<void>) =>
    (object: Draft, ...rest: A): void | Promise<void> => {
      const draft = structuredClone(up(object as UnknownObject)) as Draft
      const pending = change(draft, ...rest)
      if (pending instanceof Promise) return pending.then(() => replace(object, draft, hub, own))
      replace(object, draft, hub, own)
    }
  const { applyDefaults, prepareForCreate, prepareForUpdate, validate, validateUpdate } = strategy
  const { warningsOnCreate, warningsOnUpdate, canonicalize, selectableFields, subresources } =
    strategy
  return {
    ...strategy,
    ...(applyDefaults
      ? { applyDefaults: inHub(applyDefaults) as NonNullable<Strategy['applyDefaults']> }
      : {}),
    ...(canonicalize ? { canonicalize: inHub(canonicalize) as (object: Draft) => void } : {}),
    ...(prepareForCreate ? { prepareForCreate: inHub(prepareForCreate) } : {}),
    ...(prepareForUpdate
      ? {
          prepareForUpdate: inHub((it: Draft, old: UnknownObject, context: StrategyContext) =>
            prepareForUpdate(it, up(old), context),
          ),
        }
      : {}),
    ...(validate
      ? { validate: (it: Draft, context: StrategyContext) => validate(upDraft(it, up), context) }
      : {}),
    ...(validateUpdate
      ? {
          validateUpdate: (it: Draft, old: UnknownObject, context: StrategyContext) =>
            validateUpdate(upDraft(it, up), up(old), context),
        }
      : {}),
    ...(warningsOnCreate
      ? {
          warningsOnCreate: (it: Draft, context: StrategyContext) =>
            warningsOnCreate(upDraft(it, up), context),
        }
      : {}),
    ...(warningsOnUpdate
      ? {
          warningsOnUpdate: (it: Draft, old: UnknownObject, context: StrategyContext) =>
            warningsOnUpdate(upDraft(it, up), up(old), context),
        }
      : {}),
    ...(selectableFields
      ? {
          selectableFields: Object.fromEntries(
            Object.entries(selectableFields).map(([label, read]) => [
              label,
              (it: UnknownObject) => read(up(it)),
            ]),
          ),
        }
      : {}),
    ...(subresources
      ? {
          subresources: Object.fromEntries(
            Object.entries(subresources).map(([name, it]) => [name, throughHub(it, own, hub)]),
          ),
        }
      : {}),
  }
}

const upDraft = (object: Draft, up: (object: UnknownObject) => UnknownObject): Draft =>
  up(object as UnknownObject) as Draft

/** Makes `object` what the draft is, brought back. */
function replace(object: Draft, draft: Draft, hub: string, own: string): void {
  const back = convertBuiltin(draft as UnknownObject, hub, own) as Draft
  for (const name in object) delete (object as Record<string, unknown>)[name]
  Object.assign(object, back)
}

import type { UnknownObject } from 'kubewright/machinery'
import { itemsAt, textAt } from '../fields.ts'
import type { Draft, Strategy } from '../strategy.ts'

const MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets'

/** Only the name of a secret counts. */
function nameSecrets(object: Draft): void {
  const secrets = itemsAt(object, 'secrets')
  if (secrets.length === 0) return
  object['secrets'] = secrets.map((it) => {
    const name = textAt(it, 'name')
    return name === '' ? {} : { name }
  })
}

function warnings(object: Draft, old?: UnknownObject): readonly string[] {
  const before = old?.metadata.annotations?.[MOUNTABLE] !== undefined
  const now = object.metadata.annotations?.[MOUNTABLE] !== undefined
  return now && !before
    ? [
        `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ]
    : []
}

/** ServiceAccount (kubernetes/pkg/registry/core/serviceaccount/strategy.go). */
export const SERVICE_ACCOUNT: Strategy = Object.freeze({
  prepareForCreate: nameSecrets,
  prepareForUpdate: nameSecrets,
  warningsOnCreate: (object: Draft) => warnings(object),
  warningsOnUpdate: (object: Draft, old: UnknownObject) => warnings(object, old),
})

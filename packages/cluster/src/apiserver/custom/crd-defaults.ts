import type { CrdSpec, CustomResourceDefinition } from 'kubewright/schema'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * Fills in what apiextensions/v1 defaults.go fills in: singular and list kind, conversion None, the port of a conversion webhook's
 * service, and the first stored version. Changes `crd` in place; idempotent.
 */
export function applyCrdDefaults(crd: CustomResourceDefinition): void {
  const draft = crd as Mutable<CustomResourceDefinition>
  const spec = crd.spec as Mutable<CrdSpec> | undefined
  if (!spec) return
  const { names } = spec
  if (names) {
    const singular = names.singular || (names.kind ?? '').toLowerCase()
    const listKind = names.listKind || (names.kind ? `${names.kind}List` : '')
    spec.names = { ...names, singular, listKind }
  }
  spec.conversion = withPort(spec.conversion ?? { strategy: 'None' })
  if (crd.status?.storedVersions?.length) return
  const storage = (spec.versions ?? []).find((it) => it.storage)
  if (storage) draft.status = { ...crd.status, storedVersions: [storage.name] }
}

function withPort(
  conversion: NonNullable<CrdSpec['conversion']>,
): NonNullable<CrdSpec['conversion']> {
  const { webhook } = conversion
  const service = webhook?.clientConfig?.service
  if (!service || service.port !== undefined) return conversion
  const clientConfig = { ...webhook?.clientConfig, service: { ...service, port: 443 } }
  return { ...conversion, webhook: { ...webhook, clientConfig } as NonNullable<typeof webhook> }
}

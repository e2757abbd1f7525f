import type { Client } from '../client/client.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { ControllerDefinition } from '../controller/definition.ts'
import { CustomResourceDefinition } from '../kinds/apiextensions.k8s.io/v1.ts'
import type { Kind } from '../machinery/kind.ts'
import type { Draft } from '../machinery/contracts.ts'
import type { CustomResourceDefinition as Definition } from '../schema/custom-resource-definition.ts'

/** A kind that was declared with `kind()`, whatever its types. */
export interface DeclaredKind extends Kind {
  crd(): Definition
}

/** How to install kinds. */
export interface InstallOptions {
  /** Milliseconds until a CRD must be established. Default 30,000. */
  readonly timeout?: number
  /** Default: the client's. */
  readonly fieldOwner?: string
  readonly clock?: Clock
}

/** Every declared kind that controllers name, each once: what an operator brings to a cluster. */
export function declaredKinds(
  controllers: readonly ControllerDefinition[],
): readonly DeclaredKind[] {
  const named = controllers.flatMap((it): readonly Kind[] => [
    ...(it.kind ? [it.kind] : []),
    ...it.owns,
    ...it.watches.map((watch) => watch.kind),
    ...it.reads,
  ])
  const declared = named.filter((it): it is DeclaredKind => 'crd' in it)
  return [...new Map(declared.map((it) => [`${it.plural}.${it.group}`, it])).values()]
}

/**
 * Applies the CustomResourceDefinitions of declared kinds and resolves when the cluster serves them all. Rejects with an ApiError when
 * one is refused, and with a sentence when its names clash with another's or it is not established in time.
 */
export async function installKinds(
  client: Client,
  kinds: readonly DeclaredKind[],
  options: InstallOptions = {},
): Promise<void> {
  const { fieldOwner } = options
  for (const kind of kinds) {
    const { metadata, spec } = kind.crd()
    const draft = { metadata, spec } as Draft<CustomResourceDefinition>
    await client.apply(CustomResourceDefinition, draft, {
      force: true,
      ...(fieldOwner ? { fieldOwner } : {}),
    })
  }
  await Promise.all(kinds.map((it) => established(client, `${it.plural}.${it.group}`, options)))
}

async function established(
  client: Client,
  name: string,
  { timeout = 30_000, clock = systemClock }: InstallOptions,
): Promise<void> {
  const deadline = clock.now() + timeout
  for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
    const { status } = await client.get(CustomResourceDefinition, name)
    const find = (type: string): { status: string; message?: string } | undefined =>
      status?.conditions?.find((it) => it.type === type)
    if (find('Established')?.status === 'True') return
    const names = find('NamesAccepted')
    if (names?.status === 'False')
      throw new Error(`the cluster does not take the names of the CRD ${name}: ${names.message}`)
    if (clock.now() >= deadline)
      throw new Error(`the CRD ${name} was not established within ${timeout} ms`)
    await clock.sleep(wait)
  }
}

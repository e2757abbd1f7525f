import type { ListerWatcher } from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Client } from './client.ts'

/** What a reflector needs of a server, for one kind. */
export function listerWatcher<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
): ListerWatcher<T> {
  return {
    list: (options) => client.list(kind, options),
    watch: (options) => client.watch(kind, options),
  }
}

import type { TestContext } from 'node:test'
import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
} from '@kubewright/cluster/apiserver'
import {
  type Client,
  type Condition,
  createClient,
  type DeclaredKind,
  type Kind,
  kind,
  type KubeObject,
  type ManagerOptions,
  type Running,
  type RuntimeEvent,
  s,
} from 'kubewright'
import { createLogger, type LogEntry, type Transport } from 'kubewright/base'
import { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'

/** What tests of the runtime reconcile. */
export interface Thing extends KubeObject {
  readonly spec?: { readonly n?: number; readonly text?: string }
  readonly status?: {
    readonly seen?: number
    readonly text?: string
    readonly conditions?: readonly Condition[]
  }
}

export const Thing: DeclaredKind & Kind<Thing> = kind('example.com/v1', 'Thing', {
  spec: { n: s.integer({ default: 1 }), text: s.string({ default: '' }) },
  status: { seen: s.integer(), text: s.string(), conditions: s.conditions() },
})

/** What came in, and a way to wait for what will. */
export class Heard<T> {
  readonly all: T[] = []
  readonly #waiting = new Set<() => void>()

  readonly add = (it: T): void => {
    this.all.push(it)
    for (const check of this.#waiting) check()
  }

  /** Resolves with the first from `from` on that matches. */
  until(matches: (it: T) => boolean, from: number = 0): Promise<T> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = this.all.slice(from).find(matches)
        if (found === undefined) return
        this.#waiting.delete(check)
        resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }
}

/** The events of a manager, by type. */
export class Journal extends Heard<RuntimeEvent> {
  of<T extends RuntimeEvent['type']>(type: T): readonly Extract<RuntimeEvent, { type: T }>[] {
    return this.all.filter((it): it is Extract<RuntimeEvent, { type: T }> => it.type === type)
  }

  async next<T extends RuntimeEvent['type']>(
    type: T,
    matches: (it: Extract<RuntimeEvent, { type: T }>) => boolean = () => true,
    from: number = 0,
  ): Promise<Extract<RuntimeEvent, { type: T }>> {
    type Wanted = Extract<RuntimeEvent, { type: T }>
    return (await this.until((it) => it.type === type && matches(it as Wanted), from)) as Wanted
  }
}

/** A server without controllers, a client, and what managers on it tell. */
export interface World {
  readonly server: ApiServer
  readonly transport: Transport
  readonly client: Client
  readonly journal: Journal
  readonly log: Heard<LogEntry>
  /** For `manager(…)` or `start(…)`. */
  readonly options: ManagerOptions
  /** Waits for a manager to start, and stops it when the test is over, before its server. */
  readonly up: (starting: Promise<Running>) => Promise<Running>
}

/** Makes a {@link World} whose server knows Things. `through` stands between the managers and the server. */
export async function world(
  t: TestContext,
  more: {
    readonly server?: ApiServerOptions
    readonly through?: (transport: Transport) => Transport
  } = {},
): Promise<World> {
  const server = createApiServer(more.server ?? {})
  const started: Running[] = []
  t.after(async () => {
    await Promise.all(started.map((it) => it.stop()))
    await server.close()
  })
  const transport: Transport = (request) => server.fetch(request)
  const client = createClient({ transport })
  await client.apply(CustomResourceDefinition, Thing.crd())
  const journal = new Journal()
  const log = new Heard<LogEntry>()
  return {
    server,
    transport,
    client,
    journal,
    log,
    options: {
      transport: more.through ? more.through(transport) : transport,
      observer: journal.add,
      logger: createLogger(log.add),
      cache: { freeze: true },
    },
    async up(starting) {
      const running = await starting
      started.push(running)
      return running
    },
  }
}

/** A draft of a Thing in the default namespace. */
export const thing = (
  name: string,
  spec: { readonly n?: number; readonly text?: string } = {},
): {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: { readonly n?: number; readonly text?: string }
} => ({ metadata: { name, namespace: 'default' }, spec })

/** Lets what is under way go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

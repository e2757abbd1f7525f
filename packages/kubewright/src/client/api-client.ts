import type {
  DeleteOptions,
  Draft,
  ListOptions,
  Patch,
  ReadOptions,
  WatchOptions,
  WriteOptions,
} from '../machinery/contracts.ts'
import type { Kind } from '../machinery/kind.ts'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import type { ObjectKey } from '../machinery/object-key.ts'
import { isNotFound, type Status } from '../machinery/status.ts'
import type { WatchEvent } from '../machinery/watch-event.ts'
import type { Clock } from '../base/clock.ts'
import { jsonOf, UnreachableError } from './answer.ts'
import type { Client, ClientDefaults, Subresource } from './client.ts'
import type { Connection } from './connection.ts'
import { limitOf, within, type TimedVerb } from './deadline.ts'
import { createKindDirectory, type KindDirectory } from './discovery.ts'
import type { Call, Exchange } from './exchange.ts'
import { readLogs, type LogOptions } from './logs.ts'
import { acceptOf } from './metadata-only.ts'
import { collectionPath, objectPath, toKey, type Query } from './path.ts'
import {
  APPLY,
  continueAfter,
  CREATE,
  deleteBody,
  isStatus,
  keyIn,
  PATCHES,
  typed,
  UPDATE,
  withoutOwners,
  type Method,
  type NamedDraft,
} from './requests.ts'
import type { ExecOptions, Session } from './streams/exec.ts'
import type { Tunnel } from './streams/port-forward.ts'
import type { WebSocketConnection } from './streams/websocket.ts'
import { readWatch } from './watch-stream.ts'
import type { Write, WriteObserver } from './write.ts'

type Defaults = ClientDefaults & { readonly namespace: string; readonly fieldOwner: string }

/** What a client is made of, whatever its defaults. */
export interface ClientParts {
  readonly exchange: Exchange
  readonly connection: Connection
  readonly clock: Clock
}

/** The {@link Client} over an {@link Exchange}. */
export class ApiClient implements Client {
  readonly #parts: ClientParts
  readonly #defaults: Defaults
  readonly #directory: { kinds?: KindDirectory }

  constructor(parts: ClientParts, defaults: Defaults, directory: { kinds?: KindDirectory } = {}) {
    this.#parts = parts
    this.#defaults = defaults
    this.#directory = directory
  }

  get server(): string {
    return this.#parts.connection.server
  }

  get namespace(): string {
    return this.#defaults.namespace
  }

  get fieldOwner(): string {
    return this.#defaults.fieldOwner
  }

  get kinds(): KindDirectory {
    this.#directory.kinds ??= createKindDirectory((call) => this.#json('get', call))
    return this.#directory.kinds
  }

  get<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options: ReadOptions = {},
  ): Promise<T> {
    return this.#json('get', {
      method: 'GET',
      path: this.#path(kind, key),
      accept: acceptOf(kind),
      signal: options.signal,
    })
  }

  async find<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options: ReadOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get(kind, key, options)
    } catch (error) {
      // A 404 for a path that no server serves is not "there is no such object".
      if (isNotFound(error) && error.status.details?.name) return undefined
      throw error
    }
  }

  async list<T extends KubeObject>(kind: Kind<T>, options: ListOptions = {}): Promise<ListOf<T>> {
    const { namespace = '', signal, ...query } = options
    const list = await this.#json<ListOf<T>>('list', {
      method: 'GET',
      path: collectionPath(kind, namespace),
      query,
      accept: acceptOf(kind, 'list'),
      signal,
    })
    return list.items ? list : { ...list, items: [] }
  }

  async *listAll<T extends KubeObject>(
    kind: Kind<T>,
    options: ListOptions = {},
  ): AsyncGenerator<T, void, undefined> {
    let page: ListOptions = { limit: 500, ...options }
    for (;;) {
      const list = await this.list(kind, page).catch((error: unknown) => {
        const next = continueAfter(error, page)
        if (next === undefined) throw error
        return { metadata: { continue: next }, items: [] } satisfies ListOf<T>
      })
      yield* list.items
      const { continue: next } = list.metadata
      if (!next) return
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = page
      page = { ...rest, continue: next }
    }
  }

  watch<T extends KubeObject>(
    kind: Kind<T>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { namespace = '', signal, ...rest } = options
    const query: Query = {
      watch: true,
      ...rest,
      ...(rest.sendInitialEvents ? { resourceVersionMatch: 'NotOlderThan' } : {}),
    }
    return readWatch(this.server, () =>
      this.#send({
        method: 'GET',
        path: collectionPath(kind, namespace),
        query,
        accept: acceptOf(kind),
        signal,
      }),
    )
  }

  create<T extends KubeObject>(
    kind: Kind<T>,
    object: NoInfer<Draft<T>>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { metadata = {} } = object as NamedDraft
    const sub = options.subresource
    const namespace = metadata.namespace || this.namespace
    const path = sub
      ? objectPath(kind, { name: metadata.name ?? '' }, namespace, sub)
      : collectionPath(kind, namespace)
    return this.#write(CREATE, kind, path, typed(kind, object), options)
  }

  update<T extends KubeObject>(
    kind: Kind<T>,
    object: NoInfer<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = this.#path(kind, keyIn(object), options.subresource)
    return this.#write(UPDATE, kind, path, typed(kind, withoutOwners(object)), options)
  }

  patch<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = this.#path(kind, key, options.subresource)
    return this.#write(PATCHES[patch.type], kind, path, patch.body, options)
  }

  apply<T extends KubeObject>(
    kind: Kind<T>,
    object: NoInfer<Draft<T>>,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = this.#path(kind, keyIn(object as NamedDraft), options.subresource)
    return this.#write(APPLY, kind, path, typed(kind, object), options)
  }

  async delete<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const answer = await this.#json<T | Status>('delete', {
      method: 'DELETE',
      path: this.#path(kind, key),
      body: deleteBody(options, this.#defaults.dryRun),
      signal: options.signal,
    })
    const status = isStatus(answer) ? answer : undefined
    const object = isStatus(answer) ? undefined : answer
    const uid = status?.details?.uid
    if (!this.#dry(options.dryRun))
      this.#tell({ verb: 'delete', kind, key: toKey(key), object, ...(uid ? { uid } : {}) })
    return object
  }

  async deleteCollection<T extends KubeObject>(
    kind: Kind<T>,
    list: ListOptions = {},
    options: DeleteOptions = {},
  ): Promise<void> {
    const { namespace = '', signal, ...query } = list
    if (kind.scope === 'Namespaced' && namespace === '')
      throw new Error(
        `deleteCollection of ${kind.plural} needs a namespace: the server deletes collections one namespace at a time`,
      )
    await this.#json('deleteCollection', {
      method: 'DELETE',
      path: collectionPath(kind, namespace),
      query,
      body: deleteBody(options, this.#defaults.dryRun),
      signal: options.signal ?? signal,
    })
    if (!this.#dry(options.dryRun))
      this.#tell({
        verb: 'deleteCollection',
        kind,
        key: { namespace, name: '' },
        object: undefined,
      })
  }

  subresource<S extends KubeObject>(
    kind: Kind,
    key: ObjectKey | string,
    name: string,
    as?: Kind<S>,
  ): Subresource<S> {
    const path = this.#path(kind, key, name)
    const named = (body: object): object => (as ? typed(as, body) : body)
    const write = (how: Method, body: unknown, options: WriteOptions = {}): Promise<S> =>
      this.#write<S>(how, as ?? kind, path, body, { ...options, subresource: name }, toKey(key))
    return {
      get: (options = {}) => this.#json<S>('get', { method: 'GET', path, signal: options.signal }),
      create: (body, options) => write(CREATE, named(body), options),
      update: (body, options) => write(UPDATE, named(body), options),
      patch: (patch, options) => write(PATCHES[patch.type], patch.body, options),
      apply: (body, options) => write(APPLY, named(body), options),
    }
  }

  logs(pod: ObjectKey | string, options: LogOptions = {}): AsyncGenerator<string, void, undefined> {
    return readLogs((call) => this.#send(call), toKey(pod), this.namespace, options)
  }

  async exec(
    pod: ObjectKey | string,
    command: readonly string[],
    options: ExecOptions = {},
  ): Promise<Session> {
    const { execIn } = await import('./streams/exec.ts')
    return execIn(this, toKey(pod), command, options)
  }

  async attach(pod: ObjectKey | string, options: ExecOptions = {}): Promise<Session> {
    const { attachTo } = await import('./streams/exec.ts')
    return attachTo(this, toKey(pod), options)
  }

  async portForward(
    pod: ObjectKey | string,
    port: number,
    options: ReadOptions = {},
  ): Promise<Tunnel> {
    const { openTunnel } = await import('./streams/port-forward.ts')
    return openTunnel(this, toKey(pod), port, options)
  }

  async webSocket(call: Call, protocols: readonly string[]): Promise<WebSocketConnection> {
    const { openWebSocket } = await import('./streams/websocket.ts')
    const signal = eitherOf(call.signal, this.#defaults.signal)
    const { connection, clock } = this.#parts
    return openWebSocket(connection, { ...call, signal }, protocols, clock)
  }

  async raw(call: Call): Promise<Response> {
    return this.#send(call)
  }

  with(defaults: ClientDefaults): Client {
    const [first, second] = [this.#defaults.onWrite, defaults.onWrite]
    const both = first && second ? { onWrite: inTurn(first, second) } : {}
    const checks = [this.#defaults.beforeWrite, defaults.beforeWrite].filter(
      (it) => it !== undefined,
    )
    const beforeWrite = checks.length > 1 ? { beforeWrite: () => checks.forEach((it) => it()) } : {}
    const merged = { ...this.#defaults, ...defaults, ...both, ...beforeWrite }
    return new ApiClient(this.#parts, merged, this.#directory)
  }

  close(): Promise<void> {
    return this.#parts.connection.close()
  }

  #path(kind: Kind, key: ObjectKey | string, subresource?: string): string {
    return objectPath(kind, toKey(key), this.namespace, subresource)
  }

  async #write<T extends KubeObject>(
    how: Method,
    kind: Kind,
    path: string,
    body: unknown,
    options: WriteOptions,
    given?: ObjectKey,
  ): Promise<T> {
    const dryRun = this.#dry(options.dryRun)
    const query: Query = {
      fieldManager: options.fieldOwner ?? this.fieldOwner,
      fieldValidation: options.fieldValidation ?? this.#defaults.fieldValidation,
      force: options.force,
      dryRun: dryRun ? 'All' : undefined,
    }
    const { method, contentType, verb } = how
    const object = await this.#json<T>(verb, {
      method,
      path,
      query,
      body,
      contentType,
      accept: acceptOf(kind),
      signal: options.signal,
    })
    if (!dryRun && this.#defaults.onWrite) {
      const { subresource } = options
      const key = given ?? keyIn(object)
      this.#tell({ verb, kind, key, object, sent: body, ...(subresource ? { subresource } : {}) })
    }
    return object
  }

  #dry(asked: boolean | undefined): boolean {
    return asked ?? this.#defaults.dryRun ?? false
  }

  #tell(write: Write): void {
    const { kind, key } = write
    const home = kind.scope === 'Namespaced' ? { namespace: key.namespace || this.namespace } : {}
    this.#defaults.onWrite?.({ ...write, key: { ...home, name: key.name } })
  }

  async #json<T>(verb: TimedVerb, call: Call): Promise<T> {
    const limit = limitOf(this.#defaults.timeout, verb)
    if (limit === undefined) return this.#read(call)
    const late = (): Error =>
      new UnreachableError(
        this.server,
        new Error(`${verb} of ${call.path} took longer than its timeout of ${limit} ms`),
      )
    return within(this.#parts.clock, limit, call.signal, late, (signal) =>
      this.#read({ ...call, signal }),
    )
  }

  async #read<T>(call: Call): Promise<T> {
    const response = await this.#send(call)
    return jsonOf<T>(response, { method: call.method, server: this.server, path: call.path })
  }

  #send(call: Call): Promise<Response> {
    if (call.method !== 'GET') this.#defaults.beforeWrite?.()
    const signal = eitherOf(call.signal, this.#defaults.signal)
    return this.#parts.exchange(signal === call.signal ? call : { ...call, signal })
  }
}

const eitherOf = (
  own: AbortSignal | undefined,
  all: AbortSignal | undefined,
): AbortSignal | undefined =>
  own && all && own !== all ? AbortSignal.any([own, all]) : (own ?? all)

const inTurn =
  (first: WriteObserver, second: WriteObserver): WriteObserver =>
  (write) => {
    first(write)
    second(write)
  }

import type {
  DeleteOptions,
  Draft,
  ListOptions,
  Patch,
  ReadOptions,
  WatchOptions,
  WriteOptions,
} from '../machinery/contracts.ts'
import { apiVersionOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject, ListOf } from '../machinery/object.ts'
import type { ObjectKey } from '../machinery/object-key.ts'
import { ApiError, isNotFound, type Status } from '../machinery/status.ts'
import type { WatchEvent } from '../machinery/watch-event.ts'
import { jsonOf } from './answer.ts'
import type { Client, ClientDefaults, Subresource } from './client.ts'
import type { Connection } from './connection.ts'
import { createKindDirectory, type KindDirectory } from './discovery.ts'
import type { Call, Exchange } from './exchange.ts'
import { readLogs, type LogOptions } from './logs.ts'
import { acceptOf } from './metadata-only.ts'
import { collectionPath, objectPath, toKey, type Query } from './path.ts'
import { readWatch } from './watch-stream.ts'
import type { Write, WriteObserver, WriteVerb } from './write.ts'

/** A draft as far as a client must understand it. */
interface NamedDraft {
  readonly metadata?: {
    readonly name?: string | undefined
    readonly namespace?: string | undefined
  }
}

type Defaults = ClientDefaults & { readonly namespace: string; readonly fieldOwner: string }

/** How a write goes over the wire. */
interface Method {
  readonly verb: WriteVerb
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly contentType: string
}

const JSON_TYPE = 'application/json'
const CREATE: Method = { verb: 'create', method: 'POST', contentType: JSON_TYPE }
const UPDATE: Method = { verb: 'update', method: 'PUT', contentType: JSON_TYPE }
const patchOf = (contentType: string): Method => ({ verb: 'patch', method: 'PATCH', contentType })
const PATCHES: Readonly<Record<Patch['type'], Method>> = {
  json: patchOf('application/json-patch+json'),
  merge: patchOf('application/merge-patch+json'),
  strategic: patchOf('application/strategic-merge-patch+json'),
}
const APPLY: Method = {
  verb: 'apply',
  method: 'PATCH',
  contentType: 'application/apply-patch+yaml',
}

/** The {@link Client} over an {@link Exchange}. */
export class ApiClient implements Client {
  readonly #exchange: Exchange
  readonly #connection: Connection
  readonly #defaults: Defaults
  readonly #directory: { kinds?: KindDirectory }

  constructor(
    exchange: Exchange,
    connection: Connection,
    defaults: Defaults,
    directory: { kinds?: KindDirectory } = {},
  ) {
    this.#exchange = exchange
    this.#connection = connection
    this.#defaults = defaults
    this.#directory = directory
  }

  get server(): string {
    return this.#connection.server
  }

  get namespace(): string {
    return this.#defaults.namespace
  }

  get fieldOwner(): string {
    return this.#defaults.fieldOwner
  }

  get kinds(): KindDirectory {
    this.#directory.kinds ??= createKindDirectory((call) => this.#json(call))
    return this.#directory.kinds
  }

  get<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey | string,
    options: ReadOptions = {},
  ): Promise<T> {
    return this.#json({
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
    const list = await this.#json<ListOf<T>>({
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
    return this.#write(UPDATE, kind, path, typed(kind, object), options)
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
    const answer = await this.#json<T | Status>({
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
    await this.#json({
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
  ): Subresource<S> {
    const path = this.#path(kind, key, name)
    const write = (how: Method, body: unknown, options: WriteOptions = {}): Promise<S> =>
      this.#write<S>(how, kind, path, body, { ...options, subresource: name }, toKey(key))
    return {
      get: (options = {}) => this.#json<S>({ method: 'GET', path, signal: options.signal }),
      create: (body, options) => write(CREATE, body, options),
      update: (body, options) => write(UPDATE, body, options),
      patch: (patch, options) => write(PATCHES[patch.type], patch.body, options),
      apply: (body, options) => write(APPLY, body, options),
    }
  }

  logs(pod: ObjectKey | string, options: LogOptions = {}): AsyncGenerator<string, void, undefined> {
    return readLogs((call) => this.#send(call), toKey(pod), this.namespace, options)
  }

  raw(call: Call): Promise<Response> {
    return this.#send(call)
  }

  with(defaults: ClientDefaults): Client {
    const [first, second] = [this.#defaults.onWrite, defaults.onWrite]
    const both = first && second ? { onWrite: inTurn(first, second) } : {}
    const merged = { ...this.#defaults, ...defaults, ...both }
    return new ApiClient(this.#exchange, this.#connection, merged, this.#directory)
  }

  close(): Promise<void> {
    return this.#connection.close()
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
    const object = await this.#json<T>({
      method,
      path,
      query,
      body,
      contentType,
      signal: options.signal,
    })
    if (!dryRun && this.#defaults.onWrite) {
      const { subresource } = options
      const key = given ?? keyIn(object)
      this.#tell({ verb, kind, key, object, ...(subresource ? { subresource } : {}) })
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

  async #json<T>(call: Call): Promise<T> {
    const response = await this.#send(call)
    return jsonOf<T>(response, { method: call.method, server: this.server, path: call.path })
  }

  #send(call: Call): Promise<Response> {
    const signal = eitherOf(call.signal, this.#defaults.signal)
    return this.#exchange(signal === call.signal ? call : { ...call, signal })
  }
}

const eitherOf = (
  own: AbortSignal | undefined,
  all: AbortSignal | undefined,
): AbortSignal | undefined =>
  own && all && own !== all ? AbortSignal.any([own, all]) : (own ?? all)

/** The object with the apiVersion and kind of its token; those of the object win, since a subresource may be of another kind. */
function typed(kind: Kind, object: object): object {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object }
}

const isStatus = (answer: KubeObject | Status): answer is Status => answer.kind === 'Status'

const inTurn =
  (first: WriteObserver, second: WriteObserver): WriteObserver =>
  (write) => {
    first(write)
    second(write)
  }

function keyIn(object: NamedDraft): ObjectKey {
  const { name = '', namespace } = object.metadata ?? {}
  return namespace ? { namespace, name } : { name }
}

function deleteBody(options: DeleteOptions, dryRun: boolean | undefined): object {
  const { propagation, gracePeriodSeconds, uid, resourceVersion } = options
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(propagation ? { propagationPolicy: propagation } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(uid || resourceVersion
      ? {
          preconditions: {
            ...(uid ? { uid } : {}),
            ...(resourceVersion ? { resourceVersion } : {}),
          },
        }
      : {}),
    ...((options.dryRun ?? dryRun) ? { dryRun: ['All'] } : {}),
  }
}

/** An expired page carries a token for the rest of the list as it is now (inconsistent, but complete enough to go on). */
function continueAfter(error: unknown, page: ListOptions): string | undefined {
  return page.continue && error instanceof ApiError && error.code === 410
    ? error.status.metadata.continue
    : undefined
}

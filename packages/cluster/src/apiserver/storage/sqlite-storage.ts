import { accessSync, chmodSync, constants, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { UnknownObject } from 'kubewright/machinery'
import { Keyspace, type Plan, WINDOW } from './keyspace.ts'
import {
  type Change,
  type Page,
  type Range,
  type Snapshot,
  type Storage,
  StorageFailure,
  type Stored,
  type Swap,
} from './storage.ts'

/**
 * As for the memory store; `path` is the data file, made when it is not there. `pageLimit` is how large it may grow, in pages of
 * 4 KiB (default: as large as the disk lets it). `durable: false` answers writes before they are on disk: what the machine has not
 * written when it goes down is lost; what this process alone has not, is not. `from` is what a new file begins with.
 */
export interface SqliteStorageOptions {
  readonly path: string
  readonly from?: Snapshot
  readonly pageLimit?: number
  readonly durable?: boolean
  readonly window?: number
  readonly freeze?: boolean
}

/**
 * Makes a {@link Storage} on one SQLite file (WAL, synchronous=FULL). Everything is answered from memory; a write is answered once it
 * is on disk, and writes that arrive together share one transaction (group commit). What happened before the file was opened
 * cannot be listed or watched. Throws a {@link StorageFailure} when the file cannot be opened, is damaged, or is in use.
 */
export function sqliteStorage(options: SqliteStorageOptions): Storage {
  return new SqliteStorage(options)
}

/** 1 had no sums. */
const FORMAT = 2

const SETUP = [
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'BEGIN EXCLUSIVE',
  'CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, value TEXT NOT NULL, sum INTEGER) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
  `INSERT OR IGNORE INTO facts VALUES ('format', ${FORMAT}), ('revision', 1)`,
  'COMMIT',
] as const

interface Waiting {
  readonly key: string
  readonly expected: number
  readonly next: UnknownObject | undefined
  readonly resolve: (swap: Swap) => void
  readonly reject: (error: Error) => void
}

class SqliteStorage implements Storage {
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #statements: Statements
  readonly #keyspace: Keyspace
  #waiting: Waiting[] = []
  #closed = false

  constructor({
    path,
    window = WINDOW,
    freeze = false,
    pageLimit,
    durable = true,
    from,
  }: SqliteStorageOptions) {
    this.#path = path
    this.#database = open(path)
    if (!durable) this.#database.exec('PRAGMA synchronous = OFF')
    if (pageLimit) this.#database.exec(`PRAGMA max_page_count = ${pageLimit}`)
    try {
      migrate(this.#database, path)
      this.#statements = prepare(this.#database)
      if (from) fill(this.#database, this.#statements, path, from)
      const { revision } = factsOf(this.#database)
      this.#keyspace = new Keyspace({ revision, window, freeze })
      for (const row of rowsOf(this.#database, revision)) this.#keyspace.loadText(...row)
    } catch (error) {
      this.#database.close()
      throw error instanceof StorageFailure ? error : unreadable(path, error)
    }
  }

  get revision(): number {
    return this.#keyspace.revision
  }

  get compacted(): number {
    return this.#keyspace.compacted
  }

  async get(key: string): Promise<Stored | undefined> {
    return this.#keyspace.get(key)
  }

  async list(range: Range): Promise<Page> {
    return this.#keyspace.list(range)
  }

  compareAndSwap(key: string, expected: number, next: UnknownObject | undefined): Promise<Swap> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new StorageFailure(`the store ${this.#path} is closed`))
      if (this.#waiting.length === 0) setImmediate(() => this.#flush())
      this.#waiting.push({ key, expected, next, resolve, reject })
    })
  }

  watch(
    prefix: string,
    after: number,
    signal: AbortSignal,
    fellBehind?: () => void,
  ): AsyncIterable<Change> {
    return this.#keyspace.watch(prefix, after, signal, fellBehind)
  }

  async compact(revision: number): Promise<void> {
    this.#keyspace.compact(revision)
  }

  snapshot(): Snapshot {
    return this.#keyspace.snapshot()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#flush()
    this.#closed = true
    this.#database.close()
  }

  /** Decides and writes everything that waits, in order, in one transaction; only what is on disk is applied and answered. */
  #flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length === 0) return
    try {
      this.#answer(batch, this.#commit(batch))
    } catch (error) {
      const failure = unwritable(this.#path, error)
      for (const it of batch) it.reject(failure)
    }
  }

  #commit(batch: readonly Waiting[]): readonly Decision[] {
    const pending = new Map<string, Stored | undefined>()
    let revision = this.revision
    const outcomes = batch.map(({ key, expected, next }): Decision => {
      const current = pending.has(key) ? pending.get(key) : this.#keyspace.get(key)
      if ((current?.revision ?? 0) !== expected || (!current && !next)) {
        return { ok: false, current }
      }
      try {
        const plan = this.#keyspace.plan(key, revision + 1, current, next)
        revision++
        pending.set(key, next ? plan.stored : undefined)
        return plan
      } catch (error) {
        // An object that cannot be written out concerns nobody else in the batch.
        return { error: error as Error }
      }
    })
    if (revision > this.revision) this.#write(pending, revision)
    return outcomes
  }

  #write(pending: ReadonlyMap<string, Stored | undefined>, revision: number): void {
    inTransaction(this.#database, () => {
      for (const [key, stored] of pending) {
        if (stored) put(this.#statements, stored)
        else this.#statements.remove.run(key)
      }
      this.#statements.mark.run(revision)
    })
  }

  #answer(batch: readonly Waiting[], outcomes: readonly Decision[]): void {
    outcomes.forEach((outcome, i) => {
      if ('error' in outcome) return batch[i]!.reject(outcome.error)
      if ('ok' in outcome) return batch[i]!.resolve(outcome)
      this.#keyspace.apply(outcome)
      batch[i]!.resolve({ ok: true, stored: outcome.stored, revision: outcome.revision })
    })
  }
}

/** What becomes of a write: it goes ahead, it is refused, or its object cannot be written out. */
type Decision = Plan | Extract<Swap, { ok: false }> | { readonly error: Error }

interface Statements {
  readonly put: StatementSync
  readonly remove: StatementSync
  readonly mark: StatementSync
}

function open(path: string): DatabaseSync {
  const found = inspect(path)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path)
    // It holds secrets; what SQLite makes beside it gets the same mode.
    if (!found) chmodSync(path, 0o600)
    for (const statement of SETUP) database.exec(statement)
    return database
  } catch (error) {
    database?.close()
    throw unreadable(path, error)
  }
}

/** Whether the file is there. What SQLite would say less of, or take for a new file, throws a {@link StorageFailure} here. */
function inspect(path: string): boolean {
  const found = permitted(path, () => statSync(path, { throwIfNoEntry: false }))
  if (!found) return false
  // SQLite takes an empty file for a new one, and would throw away the log beside it.
  const odd = found.isDirectory() ? 'a folder' : found.size === 0 ? 'empty' : undefined
  if (odd)
    throw new StorageFailure(
      `the data file ${path} is ${odd}, which this server never makes it: restore it from a copy, or move it away to start anew`,
    )
  permitted(path, () => accessSync(path, constants.R_OK | constants.W_OK))
  return true
}

function permitted<T>(path: string, look: () => T): T {
  try {
    return look()
  } catch (cause) {
    throw new StorageFailure(
      `the data file ${path} may not be read and written by this user (${(cause as NodeJS.ErrnoException).code}): check its permissions and those of its folder`,
      { cause },
    )
  }
}

const prepare = (database: DatabaseSync): Statements => ({
  put: database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?)'),
  remove: database.prepare('DELETE FROM objects WHERE key = ?'),
  mark: database.prepare("UPDATE facts SET value = ? WHERE name = 'revision'"),
})

const put = ({ put }: Statements, { key, revision, json }: Stored): void =>
  void put.run(key, revision, json, sumOf(key, revision, json))

/** SQLite notices when its own structure is damaged, and never when a text is. */
const sumOf = (key: string, revision: number, json: string): number =>
  crc32(json, crc32(`${key}\n${revision}\n`))

function factsOf(database: DatabaseSync): { readonly format: number; readonly revision: number } {
  const rows = database.prepare('SELECT name, value FROM facts').all()
  const facts = new Map(rows.map((row) => [String(row['name']), Number(row['value'])]))
  return { format: facts.get('format') ?? 0, revision: facts.get('revision') ?? 1 }
}

/** Brings a file of an older format to this one, at once or not at all. Throws a {@link StorageFailure} for one of a newer format. */
function migrate(database: DatabaseSync, path: string): void {
  const { format } = factsOf(database)
  if (format === FORMAT) return
  if (format !== 1) {
    throw new StorageFailure(
      `the data file ${path} has format ${format}, and this version reads formats 1 to ${FORMAT}: open it with the version that wrote it, or start with a new file`,
    )
  }
  inTransaction(database, () => {
    database.exec('ALTER TABLE objects ADD COLUMN sum INTEGER')
    const update = database.prepare('UPDATE objects SET sum = ? WHERE key = ?')
    for (const row of database.prepare('SELECT key, revision, value FROM objects').all()) {
      const key = String(row['key'])
      update.run(sumOf(key, Number(row['revision']), String(row['value'])), key)
    }
    database.exec(`UPDATE facts SET value = ${FORMAT} WHERE name = 'format'`)
  })
}

/** Puts a snapshot into a new file, at once or not at all. */
function fill(database: DatabaseSync, statements: Statements, path: string, from: Snapshot): void {
  const { revision } = factsOf(database)
  if (revision > 1) {
    throw new StorageFailure(
      `the data file ${path} holds a cluster already, at revision ${revision}: restore into a new file, or move this one away`,
    )
  }
  inTransaction(database, () => {
    for (const stored of from.items) put(statements, stored)
    statements.mark.run(from.revision)
  })
}

function inTransaction(database: DatabaseSync, run: () => void): void {
  database.exec('BEGIN')
  try {
    run()
    database.exec('COMMIT')
  } catch (error) {
    // A full disk has ended the transaction by itself.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

/** Everything in the file, checked: key, revision and text. */
function* rowsOf(
  database: DatabaseSync,
  newest: number,
): Generator<readonly [key: string, revision: number, json: string]> {
  const rows = database.prepare('SELECT key, revision, value, sum FROM objects ORDER BY key')
  for (const row of rows.iterate()) {
    const key = String(row['key'])
    const revision = Number(row['revision'])
    const json = String(row['value'])
    if (revision > newest || row['sum'] !== sumOf(key, revision, json)) throw new Damaged()
    yield [key, revision, json]
  }
}

/** A page that SQLite can follow, with something in it that it did not write. */
class Damaged extends Error {
  readonly errcode = CORRUPT
}

/** SQLite's primary result codes that have a sentence of their own. */
const BUSY = 5
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26
const CORRUPT = 11
const READ_ONLY = 8

function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : 0
}

function unreadable(path: string, cause: unknown): StorageFailure {
  const sentences: Readonly<Record<number, string>> = {
    [BUSY]: `the data file ${path} is in use by another process: stop that one, or give this one a file of its own`,
    [CANNOT_OPEN]: `the data file ${path} cannot be opened: check that its folder exists, and that this user may read and write both`,
    [READ_ONLY]: `the data file ${path} may not be written to: check its permissions`,
    [NOT_A_DATABASE]: `${path} is not a data file of this server: name another file, or move it away to start anew`,
    [CORRUPT]: `the data file ${path} is damaged: restore it from a copy, or move it away to start anew`,
    [FULL]: `the disk that holds ${path} is full: make room and start again`,
  }
  const sentence = sentences[codeOf(cause)]
  return new StorageFailure(
    sentence ?? `the data file ${path} cannot be read: ${(cause as Error).message}`,
    { cause },
  )
}

function unwritable(path: string, cause: unknown): StorageFailure {
  const sentence =
    codeOf(cause) === FULL
      ? `the disk that holds ${path} is full: nothing was written; make room and try again`
      : `the data file ${path} cannot be written to (${(cause as Error).message}): nothing was written`
  return new StorageFailure(sentence, { cause })
}

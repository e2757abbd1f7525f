import type { Operation } from './operations.ts'
import type { Parameter } from './parameters.ts'

const REASONS: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  401: 'Unauthorized',
}

type Json = Readonly<Record<string, unknown>>

/** The operations of a path; parameters that all of them have stand at the path. */
export interface PathItem<P> {
  readonly path: string
  readonly shared: readonly P[]
  readonly operations: readonly {
    readonly operation: Operation
    readonly parameters: readonly P[]
  }[]
}

/** Gathers operations by path, both they and their parameters by name. `parametersOf` writes the parameters of an operation. */
export function groupByPath<P extends { readonly name: string; readonly in: string }>(
  all: readonly Operation[],
  parametersOf: (operation: Operation) => readonly P[],
): readonly PathItem<P>[] {
  const paths = Object.groupBy(all, (it) => it.path)
  const names = Object.keys(paths).toSorted()
  return names.map((path) => {
    const operations = paths[path]!.map((it) => ({ operation: it, parameters: parametersOf(it) }))
    const [first, ...others] = operations
    const shared = first!.parameters.filter(
      (it) =>
        it.in !== 'body' && others.every((each) => each.parameters.some((one) => same(one, it))),
    )
    const own = operations.map(({ operation, parameters }) => ({
      operation,
      parameters: byName(parameters.filter((it) => !shared.includes(it) && !has(shared, it))),
    }))
    return { path, shared: byName(shared), operations: own }
  })
}

interface Named {
  readonly name: string
  readonly in: string
}

const same = (a: Named, b: Named): boolean => a.name === b.name && a.in === b.in
const has = (all: readonly Named[], it: Named): boolean => all.some((each) => same(each, it))

const byName = <P extends Named>(parameters: readonly P[]): readonly P[] =>
  parameters.toSorted((a, b) => order(a.name, b.name) || order(a.in, b.in))

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The `paths` of an OpenAPI v3 document. */
export function pathItems(all: readonly Operation[]): Json {
  const items = groupByPath<Parameter>(all, (it) => it.parameters)
  return Object.fromEntries(items.map((it) => [it.path, pathItem(it)]))
}

function pathItem({ operations, shared }: PathItem<Parameter>): Json {
  const bodies = operations.map(({ operation, parameters }) => [
    operation.method,
    operationBody(operation, parameters),
  ])
  return { ...Object.fromEntries(bodies), ...(shared.length ? { parameters: shared } : {}) }
}

function operationBody(it: Operation, parameters: readonly Parameter[]): Json {
  const { group, version, kind } = it.kind ?? {}
  return {
    tags: [it.tag],
    operationId: it.id,
    ...(parameters.length ? { parameters } : {}),
    ...(it.body ? { requestBody: requestBody(it.body) } : {}),
    responses: describedAnswers(it, ({ types, schema }) => ({ content: content(types, schema) })),
    ...(it.action ? { 'x-kubernetes-action': it.action } : {}),
    ...(kind ? { 'x-kubernetes-group-version-kind': { group, version, kind } } : {}),
  }
}

function requestBody({ types, schema, required }: NonNullable<Operation['body']>): Json {
  return { content: content(types, schema), ...(required ? { required } : {}) }
}

/** The `responses` of an operation, each with its reason; `content` writes what they carry. */
export function describedAnswers(
  it: Operation,
  write: (answer: Operation['answers'][string]) => Json,
): Json {
  const told = Object.entries(it.answers).map(([code, answer]) => [
    code,
    { description: REASONS[code], ...write(answer) },
  ])
  return { ...Object.fromEntries(told), 401: { description: REASONS[401] } }
}

const content = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(types.map((type) => [type, { schema }]))

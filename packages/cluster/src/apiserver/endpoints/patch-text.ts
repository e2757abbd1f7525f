import { stringifyExact } from 'kubewright/base'
import { isDeepStrictEqual } from 'node:util'
import { goJson } from '../codec/json-text.ts'
import type { JsonValue } from 'kubewright/machinery'
import type { Dialect } from './patch-dialects.ts'

type Tree = Readonly<Record<string, unknown>>

/** What a patcher has taken apart: members by name or index; `whole` stands for everything below as well. */
interface Touched {
  readonly whole: boolean
  readonly members: Map<string, Touched>
}

const untouched = (): Touched => ({ whole: false, members: new Map() })
const WHOLE: Touched = { whole: true, members: new Map() }

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A patched object as Go's patchers write it: what they have taken apart is a map by then, and is written by key; all else stays as it
 * was (gopkg.in/evanphx/json-patch.v4).
 */
export function patchedText(
  object: Tree,
  dialect: Exclude<Dialect, 'apply'>,
  patch: unknown,
  before: unknown,
): string {
  return goJson(stringifyExact(patchedOrder(object, dialect, patch, before)))
}

/** A patched value with its members in that order. */
export function patchedOrder(
  object: Tree,
  dialect: Exclude<Dialect, 'apply'>,
  patch: unknown,
  before: unknown,
): Record<string, unknown> {
  const touched = dialect === 'json' ? touchedByJson(patch) : touchedByMerge(before, patch)
  return inOrder(object, touched) as Record<string, unknown>
}

function inOrder(value: unknown, touched: Touched | undefined): unknown {
  if (!touched) return value
  const member = (name: string): Touched | undefined =>
    touched.whole ? WHOLE : touched.members.get(name)
  if (Array.isArray(value))
    return (value as readonly unknown[]).map((it, i) => inOrder(it, member(String(i))))
  if (!isTree(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((it) => [it, inOrder(value[it], member(it))]))
}

/** Objects on the way to what an operation is about. */
function touchedByJson(patch: unknown): Touched {
  const root = untouched()
  for (const operation of Array.isArray(patch) ? (patch as Tree[]) : []) {
    for (const pointer of [operation['path'], operation['from']]) {
      if (typeof pointer === 'string') touchPath(root, pointer)
    }
  }
  return root
}

function touchPath(root: Touched, pointer: string): void {
  let at = root
  for (const step of pointer.split('/').slice(1, -1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const next = at.members.get(name) ?? untouched()
    at.members.set(name, next)
    at = next
  }
}

/** Objects that both sides have, and all that comes from the patch. */
function touchedByMerge(before: unknown, patch: unknown): Touched | undefined {
  if (!isTree(before)) return WHOLE
  // What takes the place of an object stays as it was sent.
  if (!isTree(patch)) return undefined
  const members = new Map<string, Touched>()
  for (const [name, it] of Object.entries(patch)) {
    const touched = touchedByMerge(before[name], it)
    if (touched) members.set(name, touched)
  }
  return { whole: false, members }
}

/**
 * A strategic patch as merging leaves it: what an object did not have is taken over without its nulls and directives, and the patch
 * itself has lost them then (apimachinery/pkg/util/strategicpatch mergeMap).
 */
export function spentPatch(before: unknown, patch: JsonValue): JsonValue {
  if (Array.isArray(patch))
    return Array.isArray(before) ? patch : (withoutDirectives(patch)[0] ?? [])
  if (!isTree(patch)) return patch
  if (!isTree(before)) return withoutDirectives(patch)[0] ?? {}
  const spent = Object.entries(patch as Readonly<Record<string, JsonValue>>)
    .filter(([name, it]) => name !== '$retainKeys' && !(name === '$patch' && it === 'replace'))
    .map(
      ([name, it]) =>
        [name, it === null || name.startsWith('$') ? it : spentPatch(before[name], it)] as const,
    )
  const result = Object.fromEntries(spent)
  return isDeepStrictEqual(result, patch) ? patch : result
}

/** A value without the nulls of its maps, and without the items of its lists that only say what is to become of others. */
function withoutDirectives(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value))
    return [value.filter((it) => !isTree(it) || !('$patch' in it)).flatMap(withoutDirectives)]
  if (!isTree(value)) return [value]
  const kept = Object.entries(value as Readonly<Record<string, JsonValue>>)
    .filter(([, it]) => it !== null)
    .map(([name, it]) => [name, withoutDirectives(it)[0] ?? {}] as const)
  return [Object.fromEntries(kept)]
}

import type { FieldPath, PathElement } from './path-element.ts'
import { compareElements } from './path-element.ts'

/**
 * A set of field paths as a tree, keyed by element id. A path is in the set when its last entry is a member;
 * entries on the way need not be. Sets are never changed once built, operations share what they can and return
 * the left set itself when the result is the same. Source: structured-merge-diff fieldpath.Set.
 */
export type FieldSet = ReadonlyMap<string, FieldEntry>

/** One child in the tree: whether the path to it is in the set, and the paths below it. */
export interface FieldEntry {
  readonly element: PathElement
  readonly isMember: boolean
  /** Absent when there is no path below; never an empty set. */
  readonly children: FieldSet | undefined
}

/** The set without paths. */
export const emptySet: FieldSet = new Map()

/** The set of these paths. The empty path is left out: nobody owns the whole object. */
export function fieldSetOf(...paths: readonly FieldPath[]): FieldSet {
  const draft: DraftSet = new Map()
  for (const path of paths) insertPath(draft, path)
  return draft
}

/** A set under construction; give it away as a FieldSet when it is complete. */
export type DraftSet = Map<string, DraftEntry>

interface DraftEntry {
  readonly element: PathElement
  isMember: boolean
  children: DraftSet | undefined
}

/** Adds a path to a set under construction. */
export function insertPath(draft: DraftSet, path: FieldPath): void {
  let entries = draft
  path.forEach((element, depth) => {
    let entry = entries.get(element.id)
    if (!entry) entries.set(element.id, (entry = { element, isMember: false, children: undefined }))
    if (depth === path.length - 1) entry.isMember = true
    else entries = entry.children ??= new Map()
  })
}

/** True when the path is in the set. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let entries: FieldSet | undefined = set
  let entry: FieldEntry | undefined
  for (const element of path) {
    entry = entries?.get(element.id)
    entries = entry?.children
  }
  return entry?.isMember ?? false
}

/** The paths of either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || right.size === 0) return left
  if (left.size === 0) return right
  return rebuild(left, right, (mine, theirs) => {
    const isMember = mine.isMember || theirs.isMember
    const children = unionChildren(mine.children, theirs.children)
    return sameOrNew(mine, isMember, children)
  })
}

function unionChildren(
  left: FieldSet | undefined,
  right: FieldSet | undefined,
): FieldSet | undefined {
  return left && right ? union(left, right) : (left ?? right)
}

function rebuild(
  left: FieldSet,
  right: FieldSet,
  combine: (mine: FieldEntry, theirs: FieldEntry) => FieldEntry,
): FieldSet {
  let out: Map<string, FieldEntry> | undefined
  for (const [id, theirs] of right) {
    const mine = left.get(id)
    const combined = mine ? combine(mine, theirs) : theirs
    if (combined !== mine) (out ??= new Map(left)).set(id, combined)
  }
  return out ?? left
}

/** The paths that are in both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return keepEntries(left, (mine) => {
    const theirs = right.get(mine.element.id)
    if (!theirs) return undefined
    const children =
      mine.children && theirs.children && nonEmpty(intersection(mine.children, theirs.children))
    return sameOrNew(mine, mine.isMember && theirs.isMember, children)
  })
}

/** The paths of `left` that are not in `right`. A path stays when only a parent or a child of it is taken away. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return emptySet
  if (right.size === 0) return left
  return keepEntries(left, (mine) => {
    const theirs = right.get(mine.element.id)
    if (!theirs) return mine
    const children =
      mine.children && theirs.children
        ? nonEmpty(difference(mine.children, theirs.children))
        : mine.children
    return sameOrNew(mine, mine.isMember && !theirs.isMember, children)
  })
}

/** The paths of `left` that are neither in `right` nor below a path of it. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  if (right.size === 0) return left
  return keepEntries(left, (mine) => {
    const theirs = right.get(mine.element.id)
    if (!theirs) return mine
    if (theirs.isMember) return undefined
    const children =
      mine.children && theirs.children
        ? nonEmpty(recursiveDifference(mine.children, theirs.children))
        : mine.children
    return sameOrNew(mine, mine.isMember, children)
  })
}

/** The paths of the set that no other path of it runs through. */
export function leaves(set: FieldSet): FieldSet {
  return keepEntries(set, (entry) => {
    if (!entry.children) return entry
    return sameOrNew(entry, false, leaves(entry.children))
  })
}

/** Maps every entry; entries that end up empty, or that `change` answers with undefined, are dropped. */
export function keepEntries(
  set: FieldSet,
  change: (entry: FieldEntry) => FieldEntry | undefined,
): FieldSet {
  let out: Map<string, FieldEntry> | undefined
  let seen = 0
  for (const [id, entry] of set) {
    const changed = change(entry)
    const kept = changed && (changed.isMember || changed.children) ? changed : undefined
    if (kept !== entry) out ??= firstEntries(set, seen)
    if (out && kept) out.set(id, kept)
    seen++
  }
  if (!out) return set
  return out.size === 0 ? emptySet : out
}

function firstEntries(set: FieldSet, count: number): Map<string, FieldEntry> {
  const out = new Map<string, FieldEntry>()
  for (const [id, entry] of set) {
    if (out.size === count) break
    out.set(id, entry)
  }
  return out
}

/** The entry itself when it already is so, else a new one. */
export function sameOrNew(
  entry: FieldEntry,
  isMember: boolean,
  children: FieldSet | undefined,
): FieldEntry {
  if (entry.isMember === isMember && entry.children === children) return entry
  return { element: entry.element, isMember, children }
}

function nonEmpty(set: FieldSet): FieldSet | undefined {
  return set.size === 0 ? undefined : set
}

/** True when both sets have the same paths. */
export function sameSet(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true
  if (left.size !== right.size) return false
  for (const [id, mine] of left) {
    const theirs = right.get(id)
    if (!theirs || !sameEntry(mine, theirs)) return false
  }
  return true
}

function sameEntry(mine: FieldEntry, theirs: FieldEntry): boolean {
  if (mine === theirs) return true
  if (mine.isMember !== theirs.isMember) return false
  if (!mine.children || !theirs.children) return mine.children === theirs.children
  return sameSet(mine.children, theirs.children)
}

/** The entries in FieldsV1 order. */
export function sortedEntries(set: FieldSet): FieldEntry[] {
  return [...set.values()].sort((a, b) => compareElements(a.element, b.element))
}

/** Every path of the set: the members of a level first, then what is below them, each in FieldsV1 order. */
export function* pathsOf(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  const entries = sortedEntries(set)
  for (const entry of entries) if (entry.isMember) yield [...prefix, entry.element]
  for (const entry of entries)
    if (entry.children) yield* pathsOf(entry.children, [...prefix, entry.element])
}

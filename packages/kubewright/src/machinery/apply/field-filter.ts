import type { FieldSet } from './field-set.ts'
import { keepEntries, recursiveDifference, sameOrNew } from './field-set.ts'
import type { PathElement } from './path-element.ts'
import { fieldElement } from './path-element.ts'

/** Leaves out of a set what a request may not own, such as the status in an update of the main resource. */
export type FieldFilter = (set: FieldSet) => FieldSet

/** Drops the paths of `excluded` and everything below them (a strategy's GetResetFields). */
export function excludeFields(excluded: FieldSet): FieldFilter {
  return (set) => recursiveDifference(set, excluded)
}

/** Any element at this place of a pattern. */
export const anyElement: unique symbol = Symbol('any path element')

/** A pattern for the beginning of a path: member names, elements, or `anyElement`. */
export type PathPattern = readonly (string | PathElement | typeof anyElement)[]

/**
 * Keeps only the paths that begin with one of the patterns, and the paths that lead to them. Without patterns
 * everything is kept. At one place `anyElement` wins over the elements named beside it.
 */
export function includeFields(...patterns: readonly PathPattern[]): FieldFilter {
  const tree = patterns.length === 0 ? everything : patterns.map(matcherOf).reduce(mergeMatchers)
  return (set) => keepMatching(set, tree)
}

type Matcher = 'everything' | MatcherNode

interface MatcherNode {
  readonly any: Matcher | undefined
  readonly named: ReadonlyMap<string, Matcher>
}

const everything = 'everything'

function matcherOf(pattern: PathPattern): Matcher {
  const [first, ...rest] = pattern
  if (first === undefined) return everything
  const child = matcherOf(rest)
  if (first === anyElement) return { any: child, named: new Map() }
  const id = typeof first === 'string' ? fieldElement(first).id : first.id
  return { any: undefined, named: new Map([[id, child]]) }
}

function mergeMatchers(left: Matcher, right: Matcher): Matcher {
  if (left === everything || right === everything) return everything
  const named = new Map(left.named)
  for (const [id, child] of right.named) named.set(id, mergeOptional(named.get(id), child) ?? child)
  return { any: mergeOptional(left.any, right.any), named }
}

function mergeOptional(left: Matcher | undefined, right: Matcher | undefined): Matcher | undefined {
  return left && right ? mergeMatchers(left, right) : (left ?? right)
}

function keepMatching(set: FieldSet, matcher: Matcher): FieldSet {
  if (matcher === everything) return set
  return keepEntries(set, (entry) => {
    const child = matcher.any ?? matcher.named.get(entry.element.id)
    if (!child) return undefined
    const children = entry.children && keepMatching(entry.children, child)
    return sameOrNew(entry, entry.isMember, children?.size === 0 ? undefined : children)
  })
}

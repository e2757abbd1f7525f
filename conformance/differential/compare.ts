import type { Answer } from './normalise.ts'
import { partsOf, resourceOf, type Sequence, type Step } from './step.ts'

/** Where two servers first differ in a sequence. */
export interface Difference {
  /** The index of the step. */
  readonly step: number
  readonly expected: Answer
  readonly actual: Answer
  /** What kind of difference it is: those of one fault are alike. */
  readonly signature: string
}

/** Finds the first step whose answers differ. */
export function firstDifference(
  { steps }: Sequence,
  expected: readonly Answer[],
  actual: readonly Answer[],
): Difference | undefined {
  for (const [i, step] of steps.entries()) {
    const [a, b] = [expected[i]!, actual[i]!]
    if (same(a, b)) continue
    return { step: i, expected: a, actual: b, signature: signatureOf(step, a, b) }
  }
  return undefined
}

/** Whether two answers say the same. */
export function same(a: Answer, b: Answer): boolean {
  if (a.status !== b.status || !sameHeaders(a, b)) return false
  return a.text === b.text || unordered(a.text) === unordered(b.text)
}

/**
 * What does not fit a type is looked for in maps, at random, and no further than the first field that is not declared: which others
 * are told before it is chance.
 */
const UNDECLARED =
  /(failed to create typed patch object \([^)]*\): )(?:[^"\\]|\\.)*field not declared in schema(?:[^"\\]|\\.)*"/g

const sameHeaders = (a: Answer, b: Answer): boolean =>
  JSON.stringify(a.headers) === JSON.stringify(b.headers)

/**
 * Go walks maps in a random order, and so do validators of what stands in maps (labels, limits, schemas): the causes of one refusal
 * come in any order, and its message lists them in the same. Their set must be equal, and so must all else.
 */
function unordered(text: string): string {
  if (text.includes('not declared in schema')) return text.replace(UNDECLARED, '$1"')
  if (!/"reason": ?"(?:Invalid|Conflict)"/.test(text)) return text
  try {
    const status = JSON.parse(text) as StatusText
    const causes = status.details?.causes
    if (!causes) return text
    const sorted = causes.map((it) => JSON.stringify(it)).sort()
    const message = [...(status.message ?? '')].sort().join('')
    return JSON.stringify({ ...status, message, details: { ...status.details, causes: sorted } })
  } catch {
    return text
  }
}

interface StatusText {
  readonly message?: string
  readonly details?: { readonly causes?: readonly object[] }
}

function signatureOf(step: Step, a: Answer, b: Answer): string {
  const what = `${partsOf(step).method}${step.type ? ` ${step.type}` : ''} ${resourceOf(step)}`
  const statuses = a.status === b.status ? String(a.status) : `${a.status}≠${b.status}`
  return `${what} ${statuses} ${aspectOf(a, b)}`
}

function aspectOf(a: Answer, b: Answer): string {
  const [one, other] = [jsonOf(a.text), jsonOf(b.text)]
  if (a.status !== b.status || isStatus(one) || isStatus(other)) {
    const [x, y] = [sayingOf(one, a.text), sayingOf(other, b.text)]
    if (x !== y) return `${x} ≠ ${y}`
  }
  if (a.text === b.text) return `headers ${headersThatDiffer(a, b).join(' ')}`
  if (one === undefined || other === undefined) return 'text'
  return differingPath(one, other) ?? 'order of fields'
}

const headersThatDiffer = (a: Answer, b: Answer): readonly string[] =>
  [...new Set([...Object.keys(a.headers), ...Object.keys(b.headers)])].filter(
    (it) => a.headers[it] !== b.headers[it],
  )

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isStatus = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'

/** A message without what is particular to one request. */
function sayingOf(value: unknown, text: string): string {
  const message = isStatus(value) ? ((value as StatusText).message ?? '') : ''
  if (!isStatus(value)) return value === undefined ? text.slice(0, 40) : 'an object'
  return message
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\b\d+\b/g, 'N')
    .slice(0, 160)
}

/** The first place where two values differ, list positions left out. */
function differingPath(a: unknown, b: unknown, at = ''): string | undefined {
  if (a === b) return undefined
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const found = differingPath(a[i], b[i], `${at}[]`)
      if (found) return found
    }
    return undefined
  }
  if (isRecord(a) && isRecord(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = differingPath(a[key], b[key], `${at}.${key}`)
      if (found) return found
    }
    return undefined
  }
  return at
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

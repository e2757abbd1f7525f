/**
 * One request of a sequence, as a literal that can be pasted into a test.
 *
 *     { ask: 'PATCH /api/v1/namespaces/{ns}/configmaps/a?fieldManager=one', type: 'apply', body: { … } }
 *
 * `{ns}` is the sequence's namespace and `{x}` a word that is its own, for names that every namespace sees. `{rv:a}`, `{uid:a}`,
 * `{name:a}` and `{continue:a}` stand for what the step whose `id` is `a` was answered with. `WATCH` is a GET whose stream is read
 * until the sequence has ended.
 */
export interface Step {
  readonly id?: string
  readonly ask: string
  /** Of the body: a word of {@link MEDIA_TYPES}, or a media type. Default `json`. */
  readonly type?: string
  /** A word of {@link ACCEPTS}, or the header. Default: none is sent. */
  readonly accept?: string
  /** Text goes as it is, anything else as JSON. */
  readonly body?: unknown
}

/** Requests that belong together, in one namespace of their own. */
export interface Sequence {
  /** What it is about, for a reader. */
  readonly title: string
  readonly steps: readonly Step[]
  /** It cannot be played again: what it makes is there then. */
  readonly once?: boolean
}

/** Short words for the media types of bodies. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  cbor: 'application/cbor',
  jsonpatch: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
  applycbor: 'application/apply-patch+cbor',
}

/** Short words for Accept headers. */
export const ACCEPTS: Readonly<Record<string, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  tableonly: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadatalist: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
}

/** The parts of `ask`. */
export function partsOf({ ask }: Step): { readonly method: string; readonly target: string } {
  const at = ask.indexOf(' ')
  return { method: ask.slice(0, at), target: ask.slice(at + 1) }
}

/** The plural that a step's path names, and its subresource: `pods/status`; the path itself where it names none. */
export function resourceOf(step: Step): string {
  const path = partsOf(step).target.split('?')[0] ?? ''
  const found =
    /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/([a-z]+)(?:\/[^/]+(?:\/(\w+))?)?$/.exec(
      path,
    )
  if (!found) return /^\/api\/v1\/namespaces(\/|$)/.test(path) ? 'namespaces' : path
  return found[2] ? `${found[1]}/${found[2]}` : (found[1] ?? '')
}

import type { ControllerRevision } from 'kubewright/kinds/apps/v1'
import type { PodTemplateSpec } from 'kubewright/kinds/core/v1'
import { controllerReference, type Draft, type Kind, type KubeObject } from 'kubewright/machinery'
import { canonicalJson, fnv32, safeEncode, templateHash } from '../workload/template-hash.ts'

/** The label that names the content of a StatefulSet's revision. */
export const REVISION_HASH = 'controller.kubernetes.io/hash'

/** A workload whose templates are kept as ControllerRevisions (kubernetes/pkg/controller/history). */
export interface RevisionOwner {
  readonly kind: Kind
  readonly object: KubeObject
  readonly template: PodTemplateSpec
  readonly collisions: number | undefined
  /** The label that names a revision's content. */
  readonly hashLabel: string
  /** Of what that name is a hash: of the template's Go struct (DaemonSet), or of the revision's data (StatefulSet). */
  readonly hashes: 'template' | 'data'
}

/** How the present template stands among the revisions. `update` is what the template is; it may have to be made or renumbered. */
export interface RevisionPlan {
  readonly update: Draft<ControllerRevision>
  readonly hash: string
  readonly write: 'none' | 'create' | 'renumber'
}

/**
 * What a revision keeps: a strategic merge patch that puts the template back. Its keys are sorted as Go prints them, since clients such
 * as `kubectl rollout` compare the bytes.
 */
export function revisionData(template: PodTemplateSpec): Readonly<Record<string, unknown>> {
  const patch = { spec: { template: { ...template, $patch: 'replace' } } }
  return sorted(patch) as typeof patch
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, it]) => [key, sorted(it)]))
}

/** The name of a revision's content: a hash of the text that Go writes of it (history HashControllerRevision). `collisions` makes others. */
export function revisionHash(data: unknown, collisions: number): string {
  return safeEncode(String(fnv32(`${goJson(data)}${collisions}`)))
}

/** JSON as Go's encoder writes it: what HTML or JavaScript could take for something else is escaped. */
const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The template that a revision keeps. */
export function revisionTemplate(revision: ControllerRevision): PodTemplateSpec {
  const data = revision.data as
    { readonly spec: { readonly template: PodTemplateSpec } } | undefined
  const { $patch: _, ...template } = (data?.spec.template ?? {
    spec: { containers: [] },
  }) as PodTemplateSpec & {
    readonly $patch?: string
  }
  return template
}

/** Oldest first. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision
  return a.metadata.name! < b.metadata.name! ? -1 : 1
}

/** Finds the revision of the present template, or plans one: an old one that is wanted again becomes the newest. */
export function planRevision(
  owner: RevisionOwner,
  revisions: readonly ControllerRevision[],
): RevisionPlan {
  const ordered = [...revisions].sort(byRevision)
  const newest = ordered.at(-1)
  const data = canonicalJson(revisionData(owner.template))
  const equal = ordered.findLast((it) => canonicalJson(it.data) === data)
  const next = (newest?.revision ?? 0) + 1
  if (equal) {
    const hash = equal.metadata.labels?.[owner.hashLabel] ?? ''
    return equal === newest
      ? { update: equal, hash, write: 'none' }
      : { update: { ...equal, revision: next }, hash, write: 'renumber' }
  }
  const hash = hashOf(owner)
  return { update: newRevision(owner, hash, next), hash, write: 'create' }
}

function hashOf({ hashes, template, collisions }: RevisionOwner): string {
  return hashes === 'template'
    ? templateHash(template, collisions)
    : revisionHash(revisionData(template), collisions ?? 0)
}

function newRevision(
  owner: RevisionOwner,
  hash: string,
  revision: number,
): Draft<ControllerRevision> {
  const { name, namespace, annotations } = owner.object.metadata
  return {
    metadata: {
      name: `${name!.slice(0, 223)}-${hash}`,
      namespace: namespace!,
      labels: { ...owner.template.metadata?.labels, [owner.hashLabel]: hash },
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(owner.kind, owner.object)],
    },
    data: revisionData(owner.template),
    revision,
  }
}

/** The revisions beyond the limit, oldest first, that nothing uses. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  limit: number | undefined,
  inUse: ReadonlySet<string>,
): readonly ControllerRevision[] {
  const idle = [...revisions].sort(byRevision).filter((it) => !inUse.has(it.metadata.name!))
  return limit === undefined ? [] : idle.slice(0, Math.max(0, idle.length - limit))
}

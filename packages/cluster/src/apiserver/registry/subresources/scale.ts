import { type ObjectMeta, type UnknownObject } from 'kubewright/machinery'
import {
  itemsAt,
  mapAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type Fields,
  type Readable,
} from '../fields.ts'

/** The scale of a Deployment, ReplicaSet, StatefulSet or ReplicationController: an autoscaling/v1 Scale. */
export function scaleOf(object: UnknownObject): UnknownObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const spec = objectAt(object, 'spec')
  const replicas = numberAt(spec, 'replicas') ?? 0
  const selector = selectorText(spec)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: kept({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(objectAt(object, 'status'), 'replicas') ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  }
}

const kept = (fields: Readable): ObjectMeta =>
  Object.fromEntries(Object.entries(fields).filter(([, it]) => it !== undefined))

/** A selector as text: `a=b,c in (d,e),!f`, by key. */
function selectorText(spec: Readable | undefined): string {
  const selector = objectAt(spec, 'selector')
  if (selector === undefined) return ''
  const plain = Object.values(selector).every((it) => typeof it === 'string')
  const labels = plain
    ? (selector as Readonly<Record<string, string>>)
    : mapAt(selector, 'matchLabels')
  const parts: (readonly [string, string])[] = Object.entries(labels).map(([key, value]) => [
    key,
    `${key}=${value}`,
  ])
  for (const it of itemsAt(selector, 'matchExpressions')) {
    parts.push([textAt(it, 'key'), requirementText(it)])
  }
  return parts
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',')
}

function requirementText(requirement: Fields): string {
  const key = textAt(requirement, 'key')
  const values = textsAt(requirement, 'values').toSorted().join(',')
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return `${key} in (${values})`
    case 'NotIn':
      return `${key} notin (${values})`
    case 'Exists':
      return key
    default:
      return `!${key}`
  }
}

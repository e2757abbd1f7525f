import { type ManagedFieldsEntry, timeText, type UnknownObject } from 'kubewright/machinery'
import type { FlowSchema } from './flow-schema.ts'

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime?: string
}

/** A schema that says whether its level is there; undefined where it says so already. */
export function withDangling(
  schema: FlowSchema,
  level: string,
  exists: boolean,
  now: number,
): UnknownObject | undefined {
  const status = (schema['status'] ?? {}) as { readonly conditions?: readonly Condition[] }
  const old = status.conditions?.find((it) => it.type === 'Dangling')
  const ending = exists ? 'and it exists' : 'but there is no such object'
  const wanted = {
    type: 'Dangling',
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${ending}`,
  }
  if (
    old?.status === wanted.status &&
    old.reason === wanted.reason &&
    old.message === wanted.message
  )
    return undefined
  const { type, ...rest } = wanted
  const condition = {
    type,
    status: rest.status,
    lastTransitionTime: timeText(now),
    reason: rest.reason,
    message: rest.message,
  }
  const others = (status.conditions ?? []).filter((it) => it.type !== 'Dangling')
  return {
    ...schema,
    metadata: withWriter(schema.metadata, condition.lastTransitionTime),
    status: { ...status, conditions: [...others, condition] },
  }
}

/** The condition has an owner, who applies it: before whoever updates. */
function withWriter(metadata: UnknownObject['metadata'], time: string): UnknownObject['metadata'] {
  const others = (metadata.managedFields ?? []).filter((it) => it.manager !== WRITER.manager)
  const { fieldsType, fieldsV1, subresource, ...first } = WRITER
  const own = { ...first, time, fieldsType, fieldsV1, subresource }
  const all = [...others, own] as readonly ManagedFieldsEntry[]
  return { ...metadata, managedFields: all.toSorted(byOperation) }
}

const byOperation = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): number => {
  const [left, right] = [sortText(a), sortText(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

/** Entries stand by operation, time and manager. */
const sortText = ({ operation, time = '', manager }: ManagedFieldsEntry): string =>
  `${operation}\n${time}\n${manager}`

/** Who says whether schemas dangle (apiserver/pkg/util/flowcontrol/apf_controller.go). */
const WRITER = Object.freeze({
  manager: 'api-priority-and-fairness-config-consumer-v1',
  operation: 'Apply',
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:status': {
      'f:conditions': {
        'k:{"type":"Dangling"}': {
          '.': {},
          'f:lastTransitionTime': {},
          'f:message': {},
          'f:reason': {},
          'f:status': {},
          'f:type': {},
        },
      },
    },
  },
  subresource: 'status',
})

import type { UnknownObject } from 'kubewright/machinery'
import { devicesToBeta, devicesToV1 } from './resource/v1beta1.ts'
import { has, itemsAt, numberAt, objectAt, textAt, type Fields, type Readable } from './fields.ts'

type Convert = (object: UnknownObject) => UnknownObject

/** What each pair of versions of one kind needs beside the name of the version. */
const CONVERSIONS: Readonly<Record<string, Convert>> = {
  'v1 events.k8s.io/v1': toNewEvent,
  'events.k8s.io/v1 v1': toCoreEvent,
  'autoscaling/v1 autoscaling/v2': toAutoscalerV2,
  'autoscaling/v2 autoscaling/v1': toAutoscalerV1,
  'resource.k8s.io/v1beta1 resource.k8s.io/v1': devicesToV1,
  'resource.k8s.io/v1 resource.k8s.io/v1beta1': devicesToBeta,
  'resource.k8s.io/v1beta1 resource.k8s.io/v1beta2': devicesToV1,
  'resource.k8s.io/v1beta2 resource.k8s.io/v1beta1': devicesToBeta,
}

/**
 * A built-in object in another served version of its kind (`autoscaling/v1` to `autoscaling/v2`); for a pair of versions that have
 * one shape, only the name of the version changes. The object given is not touched; the answer may share parts of it.
 */
export function convertBuiltin(
  object: UnknownObject,
  fromVersion: string,
  toVersion: string,
): UnknownObject {
  if (fromVersion === toVersion) return object
  const convert = CONVERSIONS[`${fromVersion} ${toVersion}`]
  return { ...(convert ? convert(object) : object), apiVersion: toVersion }
}

/** The names of an event's fields in core/v1 and in events.k8s.io/v1 (kubernetes/pkg/apis/events/v1/conversion.go). */
const EVENT_NAMES: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]
const NEW_NAMES: ReadonlyMap<string, string> = new Map(EVENT_NAMES)
const CORE_NAMES: ReadonlyMap<string, string> = new Map(EVENT_NAMES.map(([a, b]) => [b, a]))
/** Names that core/v1 writes even when empty, and events.k8s.io/v1 does not. */
const CORE_ALWAYS = ['reportingComponent', 'reportingInstance']

function toNewEvent(event: UnknownObject): UnknownObject {
  const renamed = rename(event, NEW_NAMES)
  for (const name of ['reportingController', 'reportingInstance']) {
    if (renamed[name] === '') delete renamed[name]
  }
  return renamed as UnknownObject & Fields
}

function toCoreEvent(event: UnknownObject): UnknownObject {
  const renamed = rename(event, CORE_NAMES)
  for (const name of CORE_ALWAYS) renamed[name] ??= ''
  return renamed as UnknownObject & Fields
}

const rename = (event: UnknownObject, names: ReadonlyMap<string, string>): Fields =>
  Object.fromEntries(Object.entries(event).map(([name, it]) => [names.get(name) ?? name, it]))

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const ROUND_TRIP = [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS]

const isCpu = (metric: Readable): boolean => {
  const resource = objectAt(metric, 'resource')
  return (
    textAt(metric, 'type') === 'Resource' &&
    textAt(resource, 'name') === 'cpu' &&
    has(objectAt(resource, 'target'), 'averageUtilization')
  )
}

/** v1 has a field for the CPU alone; the rest travels in annotations (kubernetes/pkg/apis/autoscaling/v1/conversion.go). */
function toAutoscalerV1(object: UnknownObject): UnknownObject {
  const { metrics: _, behavior, ...spec } = objectAt(object, 'spec') ?? {}
  const { currentMetrics: __, conditions, ...status } = objectAt(object, 'status') ?? {}
  const metrics = itemsAt(objectAt(object, 'spec'), 'metrics')
  const others = metrics.filter((it) => !isCpu(it)).map(metricToV1)
  const current = itemsAt(objectAt(object, 'status'), 'currentMetrics')
  const percent = numberAt(
    objectAt(objectAt(metrics.find(isCpu), 'resource'), 'target'),
    'averageUtilization',
  )
  const used = current.find((it) => textAt(objectAt(it, 'resource'), 'name') === 'cpu')
  const usedPercent = numberAt(
    objectAt(objectAt(used, 'resource'), 'current'),
    'averageUtilization',
  )
  const carried: Record<string, string> = {}
  if (others.length > 0) carried[METRICS] = JSON.stringify(others)
  if (current.length > 0) carried[CURRENT_METRICS] = JSON.stringify(current.map(metricToV1))
  if (behavior) carried[BEHAVIOR] = JSON.stringify(goBehavior(behavior as Readable))
  if (Array.isArray(conditions) && conditions.length > 0) {
    carried[CONDITIONS] = JSON.stringify(conditions)
  }
  return {
    ...withAnnotations(object, carried),
    spec: {
      ...spec,
      ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }),
    },
    status: {
      currentReplicas: 0,
      ...status,
      ...(usedPercent === undefined ? {} : { currentCPUUtilizationPercentage: usedPercent }),
    },
  }
}

/** The object with none of the annotations that carry fields, but those given. */
function withAnnotations(
  object: UnknownObject,
  carried: Readonly<Record<string, string>>,
): UnknownObject {
  const { annotations, ...metadata } = object.metadata
  const own = Object.entries(annotations ?? {}).filter(([name]) => !ROUND_TRIP.includes(name))
  const all = { ...Object.fromEntries(own), ...carried }
  const some = Object.keys(all).length > 0
  return { ...object, metadata: some ? { ...metadata, annotations: all } : metadata }
}

function toAutoscalerV2(object: UnknownObject): UnknownObject {
  const { targetCPUUtilizationPercentage: percent, ...spec } = objectAt(object, 'spec') ?? {}
  const { currentCPUUtilizationPercentage: used, ...status } = objectAt(object, 'status') ?? {}
  const read = (name: string): unknown => parse(object.metadata.annotations?.[name])
  const others = ((read(METRICS) as readonly Readable[] | undefined) ?? []).map(metricToV2)
  const cpu =
    percent === undefined
      ? []
      : [cpuMetric('target', { type: 'Utilization', averageUtilization: percent })]
  const metrics = [...others, ...cpu]
  const behavior = read(BEHAVIOR) as Readable | undefined
  const current = (read(CURRENT_METRICS) as readonly Readable[] | undefined)?.map(metricToV2)
  const usedCpu =
    used === undefined ? undefined : [cpuMetric('current', { averageUtilization: used })]
  const conditions = read(CONDITIONS)
  const usual = cpuMetric('target', { type: 'Utilization', averageUtilization: 80 })
  return {
    ...withAnnotations(object, {}),
    spec: {
      ...spec,
      metrics: metrics.length > 0 ? metrics : [usual],
      ...(behavior ? { behavior: jsonBehavior(behavior) } : {}),
    },
    status: {
      ...zeroDropped(status),
      currentMetrics: current ?? usedCpu ?? null,
      ...(conditions === undefined ? {} : { conditions }),
    },
  }
}

/** v2 leaves a count of no replicas out. */
function zeroDropped(status: Fields): Fields {
  const { currentReplicas, ...rest } = status
  return currentReplicas ? { ...rest, currentReplicas } : rest
}

const cpuMetric = (field: string, value: Fields): Fields => ({
  type: 'Resource',
  resource: { name: 'cpu', [field]: value },
})

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Behaviour travels as Go prints it, without names of its own for the fields. */
function goBehavior(behavior: Readable): Fields {
  const printed = rules(behavior, (it) => it[0]!.toUpperCase() + it.slice(1))
  const either = (name: string): Readable | null => {
    const rule = objectAt(printed, name)
    if (!rule) return null
    const { StabilizationWindowSeconds = null, Tolerance = null, ...rest } = rule
    return { StabilizationWindowSeconds, ...rest, Tolerance }
  }
  return { ScaleUp: either('ScaleUp'), ScaleDown: either('ScaleDown') }
}
const jsonBehavior = (behavior: Readable): Fields =>
  rules(behavior, (it) => it[0]!.toLowerCase() + it.slice(1))

function rules(value: Readable, name: (key: string) => string): Fields {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, it]) => it !== null)
      .map(([key, it]) => [name(key), inner(it, name)]),
  )
}

function inner(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((it) => inner(it, name))
  return typeof value === 'object' && value !== null ? rules(value as Readable, name) : value
}

const SOURCES = ['resource', 'pods', 'object', 'external', 'containerResource']

/** A metric as v1 carries it: flat, with what it aims at spelled out in the names. */
function metricToV1(metric: Readable): Fields {
  const flat: Fields = { ...metric }
  for (const name of SOURCES) {
    const source = objectAt(metric, name)
    if (source) flat[name] = flatten(name, source)
  }
  return flat
}

function flatten(name: string, source: Readable): Fields {
  const { metric, target, current, describedObject, ...rest } = source as Record<string, Fields>
  const goal = target ?? current ?? {}
  const word = target ? 'target' : 'current'
  const capital = (it: string): string => word + it[0]!.toUpperCase() + it.slice(1)
  const flat: Fields = { ...rest }
  if (metric) flat['metricName'] = metric['name']
  if (metric?.['selector'])
    flat[name === 'external' ? 'metricSelector' : 'selector'] = metric['selector']
  if (describedObject) flat['target'] = describedObject
  for (const field of ['value', 'averageValue', 'averageUtilization']) {
    const value = goal[field]
    if (value === undefined) continue
    const plain = name === 'object' && field === 'averageValue'
    flat[plain ? 'averageValue' : capital(field)] = value
  }
  const always = target ? undefined : ALWAYS[name]
  if (always !== undefined) flat[always] ??= '0'
  return Object.fromEntries(
    Object.entries(flat).toSorted(([a], [b]) => FLAT_ORDER.indexOf(a) - FLAT_ORDER.indexOf(b)),
  )
}

/** What a metric that was measured always says, even of nothing. */
const ALWAYS: Readonly<Record<string, string>> = {
  resource: 'currentAverageValue',
  containerResource: 'currentAverageValue',
  pods: 'currentAverageValue',
  object: 'currentValue',
  external: 'currentValue',
}

/** The order in which Go writes a metric's fields. */
const FLAT_ORDER = [
  'target',
  'name',
  'metricName',
  'metricSelector',
  'targetAverageUtilization',
  'targetValue',
  'targetAverageValue',
  'currentAverageUtilization',
  'currentValue',
  'currentAverageValue',
  'selector',
  'averageValue',
  'container',
]

function metricToV2(metric: Readable): Fields {
  const deep: Fields = { ...metric }
  for (const name of SOURCES) {
    const source = objectAt(metric, name)
    if (source) deep[name] = deepen(name, source)
  }
  return deep
}

const GOALS: readonly (readonly [string, string])[] = [
  ['Value', 'value'],
  ['AverageValue', 'averageValue'],
  ['AverageUtilization', 'averageUtilization'],
]

function deepen(name: string, source: Readable): Fields {
  const current = Object.keys(source).some((it) => it.startsWith('current'))
  const word = current ? 'current' : 'target'
  const goal: Fields = {}
  for (const [suffix, field] of GOALS) {
    const value = source[word + suffix]
    if (value !== undefined) goal[field] = value
  }
  if (name === 'object' && source['averageValue'] !== undefined) {
    goal['averageValue'] = source['averageValue']
  }
  const type = ['averageUtilization', 'averageValue', 'value'].find((it) => goal[it] !== undefined)
  if (!current) goal['type'] = TYPES[type ?? 'value']
  const deep: Fields = { [word]: goal }
  for (const kept of ['name', 'container'])
    if (source[kept] !== undefined) deep[kept] = source[kept]
  if (source['metricName'] !== undefined) {
    const selector = source['metricSelector'] ?? source['selector']
    deep['metric'] = { name: source['metricName'], ...(selector ? { selector } : {}) }
  }
  if (name === 'object' && source['target'] !== undefined)
    deep['describedObject'] = source['target']
  return deep
}

const TYPES: Readonly<Record<string, string>> = {
  averageUtilization: 'Utilization',
  averageValue: 'AverageValue',
  value: 'Value',
}

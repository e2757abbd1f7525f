import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerStatus,
  type MetricStatus,
} from 'kubewright/kinds/autoscaling/v2'
import { Pod } from 'kubewright/kinds/core/v1'
import { type LabelSelector, parseLabelSelector, timeText } from 'kubewright/machinery'
import { messageOf, sameMeaning, updateStatus } from '../workload/writes.ts'
import { rulesOf, scaled, stabilized, stabilizedBy, withinRange, withinRates } from './behavior.ts'
import { type ConditionChange, withConditions } from './conditions.ts'
import { type History, NO_HISTORY } from './history.ts'
import { askMetric, tolerancesOf } from './metric.ts'
import { type MetricsClient, metricsClient } from './metrics-client.ts'
import { readTarget, resourceText, scaleTo, type Target } from './target.ts'

/** How the autoscaler goes about it; times in milliseconds (kube-controller-manager --horizontal-pod-autoscaler-…). */
export interface HorizontalOptions {
  /** How often each autoscaler is looked at. Default 15 seconds. */
  readonly syncPeriod?: number
  /** For how long a number that was asked for keeps the target from being made smaller. Default 5 minutes. */
  readonly downscaleStabilization?: number
  /** For how long the processor time of a pod counts only while it is ready. Default 5 minutes. */
  readonly cpuInitializationPeriod?: number
  /** Within what time of its start a pod may become ready for the first time. Default 30 seconds. */
  readonly initialReadinessDelay?: number
}

type Autoscaler = HorizontalPodAutoscaler
type Settings = Required<HorizontalOptions>

/** What is remembered between two looks. */
interface Memory {
  readonly histories: Map<string, History>
  /** Which pods each autoscaler last found to be its own. */
  readonly selectors: Map<string, LabelSelector>
}

interface Run {
  readonly key: string
  readonly hpa: Autoscaler
  readonly context: KeyContext
  readonly settings: Settings
  readonly memory: Memory
  readonly metrics: MetricsClient
}

/** Scales targets by what metrics say of their pods (kubernetes/pkg/controller/podautoscaler). */
export function horizontalPodAutoscalerController(
  options: HorizontalOptions = {},
): ControllerDefinition {
  const settings: Settings = {
    syncPeriod: 15_000,
    downscaleStabilization: 300_000,
    cpuInitializationPeriod: 300_000,
    initialReadinessDelay: 30_000,
    ...options,
  }
  const memory: Memory = { histories: new Map(), selectors: new Map() }
  return controller(HorizontalPodAutoscaler, {
    name: 'horizontal-pod-autoscaler',
    pace: false,
    resync: 0,
  })
    .where((event) => event.type !== 'update' || !sameMeaning(event.old.spec, event.object.spec))
    .reads(Pod)
    .reconcileKey(async ({ namespace = '', name }, context) => {
      const key = `${namespace}/${name}`
      const hpa = context.lister(HorizontalPodAutoscaler).get(key)
      if (!hpa) {
        memory.histories.delete(key)
        memory.selectors.delete(key)
        return undefined
      }
      const metrics = metricsClient(context.client)
      try {
        await look({ key, hpa, context, settings, memory, metrics })
      } catch (error) {
        // The next look comes no later and no sooner for it.
        context.log.warn('an autoscaler could not do its work', { key, error: messageOf(error) })
      }
      return { requeueAfter: settings.syncPeriod }
    })
}

/** A decision: where the status stands, and whether the target is to be scaled. */
interface Plan {
  readonly desired: number
  readonly rescale: boolean
  readonly reason: string
  readonly metrics: readonly MetricStatus[] | null
  readonly conditions: readonly ConditionChange[]
}

/** One look at one autoscaler (reconcileAutoscaler). */
async function look(run: Run): Promise<void> {
  const { key, hpa, context, memory } = run
  const target = await found(run)
  if (!target) return
  const current = target.scale.spec?.replicas ?? 0
  const now = context.clock.now()
  if (!memory.histories.has(key)) {
    const recommendations = [{ replicas: current, at: now }]
    memory.histories.set(key, { ...NO_HISTORY, recommendations })
  }
  const plan = await planned(run, target, current)
  if (!plan) return
  const { desired, rescale, reason, metrics } = plan
  if (!rescale) {
    return writeStatus(run, plan.conditions, { current, desired: current, metrics })
  }
  try {
    await scaleTo(context.client, target, desired)
  } catch (error) {
    const problem = messageOf(error)
    tell(
      run,
      'Warning',
      'FailedRescale',
      `New size: ${desired}; reason: ${reason}; error: ${problem}`,
    )
    const message = `the HPA controller was unable to update the target scale: ${problem}`
    const failed = able('False', 'FailedUpdateScale', message)
    return writeStatus(run, [...plan.conditions, failed], { current, metrics })
  }
  tell(run, 'Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`)
  const rules = hpa.spec.behavior && rulesOf(hpa.spec.behavior, run.settings.downscaleStabilization)
  memory.histories.set(key, scaled(rules, memory.histories.get(key)!, current, desired, now))
  const message = `the HPA controller was able to update the target scale to ${desired}`
  const conditions = [...plan.conditions, able('True', 'SucceededRescale', message)]
  await writeStatus(run, conditions, { current, desired, metrics, scaledAt: timeText(now) })
}

const able = (status: 'True' | 'False', reason: string, message: string): ConditionChange => ({
  type: 'AbleToScale',
  status,
  reason,
  message,
})

const active = (status: 'True' | 'False', reason: string, message: string): ConditionChange => ({
  type: 'ScalingActive',
  status,
  reason,
  message,
})

const GOT_SCALE = able(
  'True',
  'SucceededGetScale',
  "the HPA controller was able to get the target's current scale",
)

function tell(
  { hpa, context }: Run,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  context.events.record({ kind: HorizontalPodAutoscaler, object: hpa }, type, reason, message)
}

/** The target; undefined where it cannot be had, which the status then says. */
async function found(run: Run): Promise<Target | undefined> {
  const { hpa, context } = run
  try {
    return await readTarget(context.client, hpa.metadata.namespace ?? '', hpa.spec.scaleTargetRef)
  } catch (error) {
    const problem = messageOf(error)
    tell(run, 'Warning', 'FailedGetScale', problem)
    const message = `the HPA controller was unable to get the target's current scale: ${problem}`
    await writeStatus(run, [able('False', 'FailedGetScale', message)], 'as it was')
    return undefined
  }
}

/** What is to be done; undefined where the metrics do not tell, which the status then says. */
async function planned(run: Run, target: Target, current: number): Promise<Plan | undefined> {
  const { minReplicas: min = 1, maxReplicas: max } = run.hpa.spec
  const scale = (desired: number, reason: string): Plan => ({
    desired,
    rescale: true,
    reason,
    metrics: null,
    conditions: [GOT_SCALE],
  })
  if (current === 0) {
    const message = 'scaling is disabled since the replica count of the target is zero'
    const off = active('False', 'ScalingDisabled', message)
    return { ...scale(0, ''), rescale: false, conditions: [GOT_SCALE, off] }
  }
  if (current > max) return scale(max, 'Current number of replicas above Spec.MaxReplicas')
  if (current < min) return scale(min, 'Current number of replicas below Spec.MinReplicas')
  const measured = await measure(run, target, current)
  if ('error' in measured) {
    await writeStatus(run, [GOT_SCALE, measured.condition], { current, metrics: measured.statuses })
    tell(run, 'Warning', 'FailedComputeMetricsReplicas', measured.error)
    return undefined
  }
  const { desired, conditions } = fitted(run, current, Math.max(0, measured.replicas), min)
  const reason =
    measured.replicas > current ? `${measured.name} above target` : 'All metrics below target'
  return {
    desired,
    rescale: desired !== current,
    reason,
    metrics: measured.statuses,
    conditions: [GOT_SCALE, measured.condition, ...conditions],
  }
}

/** What metrics ask for together, or what keeps them from it. */
type Measured = {
  readonly condition: ConditionChange
  readonly statuses: readonly MetricStatus[]
} & ({ readonly replicas: number; readonly name: string } | { readonly error: string })

/** What a metric that cannot tell leaves in the status. */
const UNTOLD: MetricStatus = Object.freeze({ type: '' })

/** Asks every metric: the most counts, and as long as one does not tell, nothing becomes smaller (computeReplicasForMetrics). */
async function measure(run: Run, { scale }: Target, current: number): Promise<Measured> {
  const { hpa, context, settings, metrics } = run
  const specs = hpa.spec.metrics ?? []
  const selector = selectorFor(run, scale.status?.selector ?? '')
  if ('error' in selector) return { ...selector, statuses: [] }
  const namespace = hpa.metadata.namespace ?? ''
  const calculation = {
    replicas: current,
    tolerances: tolerancesOf(hpa.spec.behavior),
    pods: selector.pods,
    initialization: {
      cpuPeriod: settings.cpuInitializationPeriod,
      readinessDelay: settings.initialReadinessDelay,
    },
    now: context.clock.now(),
  }
  const asking = {
    namespace,
    selector: scale.status?.selector ?? '',
    statusReplicas: scale.status?.replicas ?? 0,
    calculation,
    metrics,
    resourceOf: (it: Parameters<typeof resourceText>[1]) => resourceText(context.client, it),
  }
  const answers = []
  for (const spec of specs) {
    const answer = await askMetric(spec, asking)
    if (!answer.ok) tell(run, 'Warning', answer.reason, answer.message)
    answers.push(answer)
  }
  const statuses = answers.map((it) => (it.ok ? it.status : UNTOLD))
  const failed = answers.filter((it) => !it.ok)
  const best = answers
    .filter((it) => it.ok)
    .reduce((most, it) => (most.replicas === 0 || it.replicas > most.replicas ? it : most), {
      replicas: 0,
      name: '',
    })
  const isPartial = failed.length > 0 && best.replicas < current
  if (failed.length >= specs.length || isPartial) {
    const [first] = failed
    const count = `${failed.length} invalid out of ${specs.length}`
    return {
      statuses,
      condition: active(
        'False',
        first?.reason ?? '',
        `the HPA was unable to compute the replica count: ${first?.message ?? ''}`,
      ),
      error: `invalid metrics (${count}), first error is: ${first?.error ?? ''}`,
    }
  }
  const message = `the HPA was able to successfully calculate a replica count from ${best.name}`
  const condition = active('True', 'ValidMetricFound', message)
  return { statuses, condition, replicas: best.replicas, name: best.name }
}

/** The pods of a target, which must be those of no other autoscaler (validateAndParseSelector). */
function selectorFor(
  run: Run,
  text: string,
):
  | { readonly pods: readonly Pod[] }
  | { readonly error: string; readonly condition: ConditionChange } {
  const { key, hpa, context, memory } = run
  const refused = (
    event: string,
    reason: string,
    error: string,
    message: string = error,
  ): { readonly error: string; readonly condition: ConditionChange } => {
    tell(run, 'Warning', event, error)
    return { error, condition: active('False', reason, message) }
  }
  if (text === '') {
    const missing = "the HPA target's scale is missing a selector"
    return refused('SelectorRequired', 'InvalidSelector', 'selector is required', missing)
  }
  let selector: LabelSelector
  try {
    selector = parseLabelSelector(text)
  } catch (error) {
    const problem = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`
    return refused('InvalidSelector', 'InvalidSelector', problem)
  }
  memory.selectors.set(key, selector)
  const namespace = hpa.metadata.namespace ?? ''
  const pods = context
    .lister(Pod)
    .list({ namespace })
    .filter((it) => selector.matches(it.metadata.labels))
  const others = [...memory.selectors].filter(
    ([other, its]) =>
      other.startsWith(`${namespace}/`) && pods.some((it) => its.matches(it.metadata.labels)),
  )
  if (others.length <= 1) return { pods }
  const names = others.map(([other]) => `{${other.slice(namespace.length + 1)} ${namespace}}`)
  const list = `[${names.toSorted().join(' ')}]`
  const problem = `pods by selector ${text} are controlled by multiple HPAs: ${list}`
  return refused('AmbiguousSelector', 'AmbiguousSelector', problem)
}

/** Fits what metrics ask for to the limits and the past of an autoscaler, which then remembers it. */
function fitted(
  { key, hpa, context, settings, memory }: Run,
  current: number,
  asked: number,
  min: number,
): { readonly desired: number; readonly conditions: readonly ConditionChange[] } {
  const now = context.clock.now()
  const window = settings.downscaleStabilization
  const { behavior, maxReplicas: max } = hpa.spec
  const before = memory.histories.get(key)!
  const limits = { current, desired: asked, min, max }
  const rules = behavior && rulesOf(behavior, window)
  const steady = rules
    ? stabilizedBy(rules, limits, before, now)
    : { ...DOWN_STABILIZED, ...stabilized(before, asked, window, now) }
  memory.histories.set(key, steady.history)
  const next = { ...limits, desired: steady.replicas }
  const decided = rules ? withinRates(rules, next, steady.history, now) : withinRange(next)
  const isSteady = steady.replicas === asked
  const ready = isSteady
    ? able('True', 'ReadyForNewScale', 'recommended size matches current size')
    : able('True', steady.reason, steady.message)
  const { replicas, reason, message } = decided
  const status = replicas === steady.replicas ? 'False' : 'True'
  return {
    desired: replicas,
    conditions: [ready, { type: 'ScalingLimited', status, reason, message }],
  }
}

const DOWN_STABILIZED = Object.freeze({
  reason: 'ScaleDownStabilized',
  message:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
})

/** What a status says beside its conditions; what is absent stays. */
interface Numbers {
  readonly current: number
  readonly desired?: number
  readonly metrics: readonly MetricStatus[] | null
  readonly scaledAt?: string
}

/** Writes the status where it says something new. */
async function writeStatus(
  { hpa, context }: Run,
  changes: readonly ConditionChange[],
  numbers: Numbers | 'as it was',
): Promise<void> {
  const before: HorizontalPodAutoscalerStatus = hpa.status ?? { desiredReplicas: 0 }
  const conditions = withConditions(before.conditions, changes, timeText(context.clock.now()))
  const status: HorizontalPodAutoscalerStatus =
    numbers === 'as it was'
      ? { ...before, conditions }
      : {
          currentReplicas: numbers.current,
          desiredReplicas: numbers.desired ?? before.desiredReplicas,
          currentMetrics: numbers.metrics,
          conditions,
          ...lastScaled(numbers.scaledAt ?? before.lastScaleTime),
        }
  if (sameMeaning(hpa.status, status)) return
  await updateStatus(context, HorizontalPodAutoscaler, { ...hpa, status })
}

const lastScaled = (
  time: string | undefined,
): Pick<HorizontalPodAutoscalerStatus, 'lastScaleTime'> =>
  time === undefined ? {} : { lastScaleTime: time }
